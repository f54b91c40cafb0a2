//! Why a run stops, and what is said about it.

use super::*;

#[test]
fn what_cannot_go_on_is_said_with_its_place() {
    let rows = [
        ("HLT with no interrupt to come", "cli\n hlt", "HLT with no interrupt to come at "),
        ("an invalid opcode", "db 0Fh, 0FFh, 0FFh", "invalid opcode (INT 06h) at "),
        (
            "protected mode",
            "mov eax, cr0\n or al, 1\n mov cr0, eax",
            "the program switches to protected mode",
        ),
        ("INT 19h", "int 19h", "the program reboots the machine at "),
        ("the reset line", "mov al, 0FEh\n out 64h, al\n jmp $", "the program resets the machine at "),
    ];
    for (what, body, message) in rows {
        let end = play(&mut machine(body), "");
        assert!(
            matches!(&end, Played::Stopped(Stop::Dead(why)) if why.starts_with(message)),
            "{what}: {end:?}"
        );
    }
}

#[test]
fn limits_are_met_to_the_cycle_and_to_the_instruction() {
    let mut machine = machine("l: inc ax\n jmp l");
    assert_eq!(machine.run(&Until::cycle(12_345), &mut ()), Stop::Cycle);
    assert_eq!(machine.now(), 12_345);
    let until = Until { instructions: 54_321, ..Until::KEY_WAIT };
    assert_eq!(machine.run(&until, &mut ()), Stop::Instructions);
    assert_eq!(machine.instructions(), 54_321);
}

#[test]
fn a_vector_that_nobody_provides_is_named_once() {
    let mut machine = machine("mov cx, 3\nl: mov ax, 1234h\n int 5Ch\n loop l\n jmp quit");
    play(&mut machine, "");
    let notices = machine.take_notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].starts_with("not there: INT 5Ch (AX=1234)"), "{notices:?}");
}
