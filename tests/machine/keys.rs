//! Keys: every way in which programs ask for them, Pause and Ctrl-Break, characters typed with Alt.

use super::*;
use oxbox::machine::Key;

#[test]
fn programs_get_keys_by_every_way_there_is() {
    let rows = [
        (
            "INT 16h waits",
            "a F1",
            "1E61 3B00",
            "
            mov ah, 0
            int 16h
            call print_ax
            mov ah, 0
            int 16h
            call print_ax
            jmp quit",
        ),
        (
            "INT 16h AH=10h shows grey keys",
            "UP F12 DEL",
            "48E0 8600 53E0",
            "
            mov cx, 3
        l:  mov ah, 10h
            int 16h
            call print_ax
            loop l
            jmp quit",
        ),
        (
            "INT 16h AH=00h hides what only the enhanced calls know",
            "F12 UP",
            "4800",
            "
            mov ah, 0
            int 16h
            call print_ax
            jmp quit",
        ),
        (
            "INT 16h is polled",
            "x",
            "2D78",
            "
        l:  mov ah, 1
            int 16h
            jz l
            call print_ax
            jmp quit",
        ),
        (
            "INT 21h AH=06h is polled",
            "x",
            "0078",
            "
        l:  mov ah, 6
            mov dl, 0FFh
            int 21h
            jz l
            mov ah, 0
            call print_ax
            jmp quit",
        ),
        (
            "DOS gives extended keys as two bytes",
            "F5",
            "0800 083F",
            "
            mov ah, 8
            int 21h
            call print_ax
            mov ah, 8
            int 21h
            call print_ax
            jmp quit",
        ),
        (
            "shift flags",
            "LSHIFT CAPSLOCK x",
            "0040",
            "
        l:  mov ah, 0
            int 16h
            mov ah, 2
            int 16h
            mov ah, 0
            call print_ax
            jmp quit",
        ),
        (
            "Ctrl-letters and Alt-letters",
            "CTRL+A ALT+A",
            "1E01 1E00",
            "
            mov ah, 0
            int 16h
            call print_ax
            mov ah, 0
            int 16h
            call print_ax
            jmp quit",
        ),
        (
            "the ports themselves, IRQ 1 masked",
            "a b",
            "001E 009E 0030 00B0",
            "
            mov al, 2
            out 21h, al
            mov cx, 4
        l:  in al, 64h
            test al, 1
            jz l
            in al, 60h
            mov ah, 0
            call print_ax
            loop l
            jmp quit",
        ),
        (
            "IRQ 1 hooked, the BIOS not asked",
            "a b",
            "001E 009E 0030 00B0",
            "
            mov ax, 2509h
            mov dx, offset irq
            int 21h
            mov cx, 4
        l:  cmp code_seen, 0
            je l
            mov al, code_seen
            mov ah, 0
            mov code_seen, 0
            call print_ax
            loop l
            jmp quit
        code_seen db 0
        irq: push ax
            in al, 60h
            mov cs:code_seen, al
            mov al, 20h
            out 20h, al
            pop ax
            iret",
        ),
        (
            "IRQ 1 hooked and chained",
            "a b",
            "1E61 3062 0004",
            "
            mov ax, 3509h
            int 21h
            mov old, bx
            mov old+2, es
            mov ax, 2509h
            mov dx, offset irq
            int 21h
            mov ah, 0
            int 16h
            call print_ax
            mov ah, 0
            int 16h
            call print_ax
            mov ah, 1
        w:  int 16h
            cmp count, 4
            jb w
            mov ax, count
            call print_ax
            jmp quit
        count dw 0
        old dw 0, 0
        irq: inc cs:count
            jmp dword ptr cs:old",
        ),
    ];
    for (what, keys, expected, body) in rows {
        let mut machine = machine(body);
        let end = play(&mut machine, keys);
        assert!(matches!(end, Played::Stopped(Stop::Exited(_))), "{what}: {end:?}\n{}", line(&machine));
        assert_eq!(line(&machine), expected, "{what}");
    }
}

#[test]
fn pause_holds_the_program_and_ctrl_break_reaches_it() {
    let ticking = "
        mov ax, 251Bh
        mov dx, offset broken
        int 21h
    l:  inc count
        mov ah, 1
        int 16h
        cmp done, 0
        je l
        mov ax, 5
        jmp quit
    count dw 0
    done db 0
    broken: mov cs:done, 1
        iret";
    let mut machine = machine(ticking);
    machine.run(&Until::cycle(100_000), &mut ());
    machine.type_key("PAUSE".parse().expect("a key"));
    machine.run(&Until::cycle(200_000), &mut ());
    let held = machine.instructions();
    machine.run(&Until::cycle(2_000_000), &mut ());
    assert!(machine.instructions() - held < 2_000, "only the timer runs: {}", machine.instructions() - held);
    machine.type_key(Key::typing('x').expect("a key"));
    machine.run(&Until::cycle(2_200_000), &mut ());
    assert!(machine.instructions() - held > 50_000, "the program runs again");
    machine.type_key("CTRL+SCROLLLOCK".parse().expect("a key"));
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(5));
}

#[test]
fn alt_and_the_keypad_type_any_character() {
    let mut machine = machine("mov ah, 0\n int 16h\n call print_ax\n jmp quit");
    machine.key_down("LALT".parse().expect("a key"));
    for scan in [0x4F, 0x4D, 0x4B] {
        machine.type_key(Key::new(scan, false)); // keypad 1, 6, 4
    }
    machine.key_up("LALT".parse().expect("a key"));
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(0xA4));
    assert_eq!(line(&machine), "00A4");
}
