//! Reasons for which a run stops, and the messages about them.

use super::*;
use oxbox::machine::FaultKind;
use oxbox::notice::NoticeKind;

#[test]
fn what_cannot_go_on_is_said_with_its_place() {
    let rows = [
        (
            "HLT, and no interrupt can follow",
            "cli\n hlt",
            FaultKind::Halt,
            "HLT, and no interrupt can follow at ",
        ),
        (
            "protected mode",
            "mov eax, cr0\n or al, 1\n mov cr0, eax",
            FaultKind::ProtectedMode(Some("TEST.COM".to_owned())),
            "TEST.COM switches to protected mode, which oxbox does not have at ",
        ),
        ("INT 19h", "int 19h", FaultKind::Reboot, "the program reboots the machine at "),
        (
            "the reset line",
            "mov al, 0FEh\n out 64h, al\n jmp $",
            FaultKind::Reset,
            "the program resets the machine at ",
        ),
    ];
    for (what, body, kind, message) in rows {
        let Played::Stopped(Stop::Dead(fault)) = play(&mut machine(body), "") else { panic!("{what}") };
        assert_eq!(fault.kind, kind, "{what}");
        assert!(fault.to_string().starts_with(message), "{what}: {fault}");
    }
}

#[test]
fn a_program_that_crashes_is_told_by_its_exception() {
    // AX and the old SP show that the registers are those before the exception.
    let rows = [
        ("an invalid opcode", "db 0Fh, 0FFh, 0FFh", "invalid opcode (INT 06h) at ", 6),
        ("a division by zero", "cwd\n xor cx, cx\n div cx", "divide error (INT 00h) at ", 0),
        ("AAM 0", "db 0D4h, 0", "divide error (INT 00h) at ", 0),
        (
            "no coprocessor",
            "mov ecx, cr0\n or cl, 4\n mov cr0, ecx\n db 0DBh, 0E3h",
            "no coprocessor (INT 07h) at ",
            7,
        ),
        ("a word across the end", "mov ax, ds:[0FFFFh]", "segment overrun (INT 0Dh) at ", 13),
        (
            "no way to the handler",
            "xor sp, sp\n inc sp\n mov ax, ds:[0FFFFh]",
            "exception within an exception (INT 08h) at ",
            8,
        ),
    ];
    for (what, body, message, exception) in rows {
        let body = format!("mov ax, 1234h\n{body}\n jmp quit");
        match play(&mut machine(&body), "") {
            Played::Stopped(Stop::Crashed(crash)) => {
                assert!(crash.to_string().starts_with(message), "{what}: {crash}");
                assert_eq!((crash.exception, crash.registers.ax()), (exception, 0x1234), "{what}");
                assert!(
                    exception == 8 || crash.registers.sp() == 0xFFFE,
                    "{what}: {:04X}",
                    crash.registers.sp()
                );
            }
            end => panic!("{what}: {end:?}"),
        }
    }
}

/// INT 05h and 07h that a program calls, and exceptions that it handles, are not crashes.
#[test]
fn what_a_program_handles_is_no_crash() {
    let handled = "mov ax, 2500h\n mov dx, offset h\n int 21h\n xor cx, cx\n div cx\n mov al, 9\n jmp quit\nh: push bp\n mov bp, sp\n add word ptr [bp+2], 2\n pop bp\n iret";
    for (body, code) in [(handled, 9), ("int 7\n int 5\n mov al, 3\n jmp quit", 3)] {
        assert_eq!(play(&mut machine(body), ""), Played::Stopped(Stop::Exited(code)), "{body}");
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

/// The run is stopped anywhere in a service, or in an interrupt during it.
#[test]
fn a_stop_in_the_rom_tells_where_the_program_is() {
    let mut machine = machine("s: mov ah, 86h\n mov cx, 0FFFFh\n int 15h\n jmp s");
    machine.run(&Until { instructions: 10, ..Until::KEY_WAIT }, &mut ());
    let caller = machine.position();
    assert_eq!(caller.1, 0x107);
    let mut places = std::collections::BTreeSet::new();
    for instructions in 11..400 {
        machine.run(&Until { instructions, ..Until::KEY_WAIT }, &mut ());
        places.insert(machine.cpu().regs.ip);
        assert_eq!(machine.position(), caller, "at {:04X} of the ROM", machine.cpu().regs.ip);
    }
    assert!(places.len() > 12, "the timer's routine, too: {places:X?}");
}

#[test]
fn a_vector_that_nobody_provides_is_named_once() {
    let mut machine = machine("mov cx, 3\nl: mov ax, 1234h\n int 5Ch\n loop l\n jmp quit");
    play(&mut machine, "");
    let notices = machine.take_notices();
    let kinds: Vec<&NoticeKind> = notices.iter().map(|notice| &notice.kind).collect();
    assert_eq!(kinds, [&NoticeKind::Interrupt { vector: 0x5C, ax: 0x1234 }]);
    assert!(notices[0].to_string().starts_with("missing: INT 5Ch (AX=1234), called before "), "{notices:?}");
}

#[test]
fn hardware_that_is_not_there_is_named_once() {
    let body = "
        mov dx, 388h
        mov cx, 3
    l:  in al, dx
        out dx, al
        loop l
        mov dx, 226h
        out dx, al
        mov ax, 4F02h
        mov bx, 101h
        int 10h
        call print_ax
        jmp quit";
    let mut machine = machine(body);
    assert!(matches!(play(&mut machine, ""), Played::Stopped(Stop::Exited(_))));
    assert_eq!(line(&machine), "4F02", "AX as it was: no VESA BIOS");
    let notices = machine.take_notices();
    let device =
        |name: &str, ports: &str| NoticeKind::Device { name: name.to_owned(), ports: ports.to_owned() };
    let kinds: Vec<NoticeKind> = notices.into_iter().map(|notice| notice.kind).collect();
    let expected = [
        NoticeKind::Vesa(0x4F02),
        device("a Sound Blaster", "ports 220h to 22Fh"),
        device("an AdLib card", "388h"),
    ];
    assert_eq!(kinds, expected);
}

/// Few instructions, and hardly any virtual time, that cost the host much.
#[test]
fn the_host_s_work_is_bounded_with_the_instructions() {
    let rows = [
        (
            "characters in a picture",
            "mov ax, 13h\n int 10h\nl: mov ax, 941h\n mov cx, 0FFFFh\n int 10h\n jmp l",
        ),
        ("scrolling", "mov ax, 12h\n int 10h\nl: mov ax, 601h\n mov dx, -1\n int 10h\n jmp l"),
        ("REP", "l: mov cx, 0FFFFh\n rep lodsb\n jmp l"),
        (
            "reading",
            "mov ah, 3Ch\n xor cx, cx\n mov dx, offset f\n int 21h\n mov bx, ax
            mov ah, 40h\n mov cx, 7000h\n int 21h
            l: mov ax, 4200h\n xor cx, cx\n xor dx, dx\n int 21h
            mov ah, 3Fh\n mov cx, 7000h\n mov dx, 8000h\n int 21h\n jmp l\nf db 'F', 0",
        ),
    ];
    for (what, body) in rows {
        let mut machine = machine(body);
        machine.set_work_budget(300_000);
        let until = Until { instructions: 300_000, ..Until::KEY_WAIT };
        assert_eq!(machine.run(&until, &mut ()), Stop::Instructions, "{what}");
        assert!(machine.instructions() < 200_000, "{what}: {}", machine.instructions());
        assert_eq!(machine.run(&until, &mut ()), Stop::Instructions, "{what}: nothing is left");
        machine.set_work_budget(10);
        let more = Until { instructions: machine.instructions() + 10, ..until };
        assert_eq!(machine.run(&more, &mut ()), Stop::Instructions, "{what}: it goes on");
        assert_eq!(machine.instructions(), more.instructions, "{what}: it goes on");
    }
}

/// Printing takes virtual time, also if a bell in the text is handled differently: no program
/// exceeds a limit by printing.
#[test]
fn printing_takes_time() {
    for character in ["'a'", "7"] {
        let mut machine = machine(&format!(
            "mov dx, 8000h\n mov bx, dx\n mov byte ptr [bx], {character}\nl: mov ah, 9\n int 21h\n jmp l"
        ));
        let until = Until { instructions: 20_000, ..Until::cycle(200_000) };
        assert_eq!(machine.run(&until, &mut ()), Stop::Cycle, "{character}");
        assert!(machine.instructions() < 2_000, "{character}: {}", machine.instructions());
    }
}

/// Sleeping takes virtual time, and only the wake-ups count as work.
#[test]
fn sleep_is_no_work() {
    let mut machine = machine("mov ah, 86h\n mov cx, 0FFFFh\n int 15h\n jmp quit");
    machine.set_work_budget(2_000_000);
    let until = Until { instructions: 2_000_000, ..Until::KEY_WAIT };
    assert!(matches!(machine.run(&until, &mut ()), Stop::Exited(_)));
    assert!(machine.nanoseconds() > 4_000_000_000_000, "more than an hour");
}
