//! Scripts: their expectations, keys and outputs.

use super::*;
use oxbox::machine::{ScriptFailure, ScriptFailureKind};

#[test]
fn scripts_expect_and_say_what_they_found() {
    let body = "mov ax, 0BEEFh\n call print_ax\n mov ah, 0\n int 16h\n call print_ax\n jmp quit";
    let run = |text: &str| {
        let mut machine = machine(body);
        Playback::new(text.parse().expect("a script")).run(&mut machine, &LIMIT, &mut (), &mut ())
    };
    assert_eq!(run("expect BEEF\nkey a\nexpect \"BEEF 1E61\""), Played::Stopped(Stop::Exited(0x61)));
    let failed = run("key a\nexpect FEED");
    let Played::Failed(ScriptFailure { line: 2, kind: ScriptFailureKind::Missing { wanted, screen } }) =
        failed
    else {
        panic!("{failed:?}")
    };
    assert_eq!(wanted, "FEED");
    assert!(screen.is_some_and(|screen| screen.contains("1E61")));
    assert_eq!(run("shot x.png"), Played::Unwritten(1, "cannot write x.png here".to_owned()));
    assert_eq!(run("at 500\nexpect BEEF\npress a\nrelease a"), Played::Stopped(Stop::Exited(0x61)));
}

#[test]
fn a_key_is_pressed_for_a_program_that_looks_for_it_by_other_means() {
    // The program's loop until a key has come twice.
    let rows = [
        ("the shift keys by INT 16h", "LSHIFT", "mov ah, 2\n int 16h\n and al, 3"),
        ("by INT 16h AH=12h", "CTRL+a", "mov ah, 12h\n int 16h\n and al, 4"),
        ("in the data area", "LALT", "mov al, es:[17h]\n and al, 8"),
        ("at port 60h", "a", "in al, 60h\n cmp al, 1Eh\n sete al\n and al, 1"),
    ];
    for (name, key, looks) in rows {
        let body = format!(
            "mov ax, 40h\n mov es, ax\n mov bx, 2
            up: {looks}\n jnz up
            down: {looks}\n jz down\n dec bx\n jnz up\n mov ax, 0BEEFh\n call print_ax\n jmp quit"
        );
        let mut machine = machine(&body);
        assert_eq!(
            play(&mut machine, &format!("{key} {key}")),
            Played::Stopped(Stop::Exited(0xEF)),
            "{name}"
        );
    }
}

#[test]
fn a_key_that_is_held_repeats() {
    // Counts the keys from INT 16h until there is an 'x'.
    let body = "xor bx, bx
        next: mov ah, 0\n int 16h\n cmp al, 'x'\n je done\n cmp al, 'a'\n jne next\n inc bx\n jmp next
        done: mov ax, bx\n call print_ax\n jmp quit";
    // The key press, one repetition after 500 ms, and one every 91.67 ms.
    for (held, expected) in [(400, "0001"), (540, "0002"), (1000, "0007")] {
        let mut machine = machine(body);
        let script = format!("press a\nwait {held}\nrelease a\nwait 900\nkey x");
        let mut playback = Playback::new(script.parse().expect("a script"));
        assert!(matches!(
            playback.run(&mut machine, &LIMIT, &mut (), &mut ()),
            Played::Stopped(Stop::Exited(_))
        ));
        assert_eq!(line(&machine), expected, "held for {held} ms");
    }
    // INT 16h AX=0305h: 250 ms, 30 per second.
    let mut machine = machine(&format!("mov ax, 305h\n xor bx, bx\n int 16h\n {body}"));
    let mut playback =
        Playback::new("wait 100\npress a\nwait 1000\nrelease a\nkey x".parse().expect("a script"));
    playback.run(&mut machine, &LIMIT, &mut (), &mut ());
    assert_eq!(line(&machine), "0018", "1 and 23 in 750 ms");
}
