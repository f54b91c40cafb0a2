//! What the program is told of memory and environment.

use super::*;
use oxbox::dos::DosOptions;

/// Prints INT 12h, the top of the program's memory, the largest block that DOS would give it, and the environment's first strings.
const ASK: &str = "
        int 12h
        call print_ax
        mov ax, ds:[2]
        call print_ax
        mov es, ds:[2Ch]
        xor di, di
        mov cx, 400h
next:   mov dl, es:[di]
        inc di
        or dl, dl
        jnz show
        cmp byte ptr es:[di], 0
        je over
        mov dl, '|'
show:   mov ah, 2
        int 21h
        loop next
over:   mov al, 0
        jmp quit";

#[test]
fn memory_and_environment_are_as_asked_for() {
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let rows = [
        (640, vec![], "0280 A000 COMSPEC=Z:\\COMMAND.COM|PATH=C:\\|PROMPT=$P$G"),
        (
            512,
            vec![variable("lib", "C:\\LIB")],
            "0200 8000 COMSPEC=Z:\\COMMAND.COM|PATH=C:\\|PROMPT=$P$G|LIB=C:\\LIB",
        ),
        (
            128,
            vec![variable("PATH", "C:\\BIN")],
            "0080 2000 COMSPEC=Z:\\COMMAND.COM|PATH=C:\\BIN|PROMPT=$P$G",
        ),
    ];
    for (memory_kib, environment, expected) in rows {
        let dos = DosOptions { environment, ..DosOptions::default() };
        let mut machine = Machine::new(&Config { memory_kib, dos, ..Config::default() }).expect("a machine");
        machine.load(&assemble(ASK), "TEST.COM", "").expect("loads");
        assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(0), "{memory_kib} KiB");
        assert_eq!(line(&machine), expected, "{memory_kib} KiB");
    }
}

#[test]
fn a_long_environment_moves_the_program_up() {
    let value = "x".repeat(2000);
    let dos = DosOptions { environment: vec![("LONG".to_owned(), value)], ..DosOptions::default() };
    let mut machine = Machine::new(&Config { dos, ..Config::default() }).expect("a machine");
    machine.load(&assemble(ASK), "TEST.COM", "").expect("loads");
    let psp = machine.cpu().regs.ds();
    assert!(psp > 0x0FF8 + 2000 / 16, "PSP at {psp:04X}");
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(0));
    assert!(machine.text().expect("text").line(1).contains("xxxx"));
}

#[test]
fn a_program_without_room_is_told() {
    let mut machine = Machine::new(&Config { memory_kib: 64, ..Config::default() }).expect("a machine");
    let error = machine.load(&assemble(ASK), "TEST.COM", "").expect_err("64 KiB are DOS's own");
    assert!(error.to_string().contains("memory"), "{error}");
}
