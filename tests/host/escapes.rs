//! Text from a program, a source or a file name reaches the terminal as text, never as a command to
//! it.

use super::oxbox;
use super::terminal::Terminal;
use super::until;
use std::fs;
use std::process::Stdio;

/// Prints ESC ] 0 ; x BEL and "end" with function 09h, and writes the same to its standard error with function 40h.
const PROGRAM: &[u8] = b"\xBA\x1B\x01\xB4\x09\xCD\x21\xB4\x40\xBB\x02\x00\xB9\x09\x00\xBA\x1B\x01\xCD\x21\xB8\x00\x4C\xCD\x21\x90\x90\x1B]0;x\x07end$";

const SUITE: &str = "program = \"ESC.COM\"\n[[test]]\nname = \"t\"\npoints = 1\noutput = \"hello\"\n";

#[test]
fn no_escape_reaches_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let named = "\u{1b}]0;y\u{7}end";
    for name in ["ESC.COM", &format!("{named}.com")] {
        fs::write(folder.path().join(name), PROGRAM).unwrap();
    }
    fs::write(folder.path().join("A.ASM"), "foo \u{1b}]0;x\u{7}end\n.err <\u{1b}]0;z\u{7}end>\nend\n")
        .unwrap();
    fs::write(folder.path().join("SUITE.TOML"), SUITE).unwrap();
    let lines = [
        "run ESC.COM".to_owned(),
        "run ESC.COM --headless".to_owned(),
        "run ESC.COM --headless --json".to_owned(),
        "test SUITE.TOML --program ESC.COM".to_owned(),
        format!("test SUITE.TOML --program {named}.com"),
        format!("run {named}.none"),
        format!("run ESC.COM --{named}"),
        format!("verify {named}"),
        "build A.ASM".to_owned(),
    ];
    for line in lines {
        let mut command = oxbox(folder.path(), &line);
        let terminal = Terminal::of(&mut command);
        command.stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        drop(command);
        child.wait().unwrap();
        until(&format!("the text of {line:?}"), || terminal.shows("end"));
        assert!(!terminal.shows("\u{1b}"), "{line:?}");
    }
}
