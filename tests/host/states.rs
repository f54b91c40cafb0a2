//! `--load-state`: a run continues from a state in a file, and other files are refused with a line.

use oxbox::machine::{Config, Machine, SavedState, Until};

/// Adds the codes of two keys: mov ah, 0; int 16h; mov bl, al; mov ah, 0; int 16h; add al, bl; mov ah, 4Ch; int 21h.
const ADD: &[u8] = b"\xB4\x00\xCD\x16\x88\xC3\xB4\x00\xCD\x16\x00\xD8\xB4\x4C\xCD\x21";

/// Returns the state after the first key, "0".
fn state() -> Vec<u8> {
    let mut machine = Machine::start(&Config::default(), ADD, "ADD.COM", "").unwrap();
    machine.run(&Until::KEY_WAIT, &mut ());
    machine.type_key("0".parse().unwrap());
    machine.run(&Until::KEY_WAIT, &mut ());
    let mut state = SavedState::of(&mut machine, SavedState::program(ADD)).unwrap();
    state.title = "ADD.COM".to_owned();
    state.to_bytes().unwrap()
}

#[test]
fn a_run_goes_on_from_a_state() {
    let folder = tempfile::tempdir().unwrap();
    let state = state();
    let damaged = [&state[..100], b"!", &state[101..]].concat();
    for (name, bytes) in [
        ("ADD.COM", ADD),
        ("OTHER.COM", &ADD[1..]),
        ("whole", &state),
        ("cut", &state[..state.len() / 2]),
        ("damaged", &damaged),
        ("none", b"a letter to somebody"),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let table = [
        ("ADD.COM", "whole", Some(b'0' + 5), ""),
        (
            "OTHER.COM",
            "whole",
            Some(125),
            "whole: it was saved in ADD.COM, a different program or a different build of this one",
        ),
        ("ADD.COM", "cut", Some(125), "cut: the saved state is damaged or truncated"),
        ("ADD.COM", "damaged", Some(125), "damaged: the saved state is damaged or truncated"),
        ("ADD.COM", "none", Some(125), "none: it is not a saved state of oxbox"),
        ("ADD.COM", "missing", Some(125), "cannot read missing: "),
    ];
    for (program, file, code, line) in table {
        let mut command = assert_cmd::Command::cargo_bin("oxbox").unwrap();
        // The key 05h is Ctrl+E.
        let arguments = ["run", program, "--headless", "--load-state", file, "--keys", "CTRL+e"];
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), code.map(i32::from), "{program} {file}: {errors}");
        assert!(errors.contains(line) && errors.lines().count() == usize::from(!line.is_empty()), "{errors}");
    }
}
