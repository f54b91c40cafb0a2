//! Keys: every way in which programs read them, Pause and Ctrl-Break, characters typed with Alt.

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
        gets(what, keys, expected, body);
    }
}

/// Plays keys on a program that prints the keys it received, and ends.
fn gets(what: &str, keys: &str, expected: &str, body: &str) {
    let mut machine = machine(body);
    let end = play(&mut machine, keys);
    assert!(matches!(end, Played::Stopped(Stop::Exited(_))), "{what}: {end:?}\n{}", line(&machine));
    assert_eq!(line(&machine), expected, "{what}");
}

#[test]
fn a_program_that_polls_at_any_rate_gets_its_keys() {
    // Computes for DI times 20 ms.
    let work = "work: push cx\n wl: mov cx, 60000\n loop $\n dec di\n jnz wl\n pop cx\n ret";
    let poll = "mov ah, 1\n int 16h\n jz l\n mov ah, 0\n int 16h\n call print_ax\n dec bp\n jnz l\n jmp quit";
    let rows = [
        ("9 times a second", "a b", "1E61 3062", format!("mov bp, 2\nl: mov di, 6\n call work\n {poll}")),
        ("each 200 ms", "a b", "1E61 3062", format!("mov bp, 2\nl: mov di, 10\n call work\n {poll}")),
        ("each 3 s", "a", "1E61", format!("mov bp, 1\nl: mov di, 150\n call work\n {poll}")),
        (
            "by INT 21h AH=0Bh, each 200 ms",
            "a b",
            "0061 0062",
            "mov bp, 2
            l: mov di, 10\n call work\n mov ah, 0Bh\n int 21h\n or al, al\n jz l
            mov ah, 8\n int 21h\n mov ah, 0\n call print_ax\n dec bp\n jnz l\n jmp quit"
                .to_owned(),
        ),
        (
            "each 200 ms, with IRQ 1 hooked and chained: each code is seen",
            "a b",
            "1E61 3062 0004",
            format!(
                "mov ax, 3509h\n int 21h\n mov old, bx\n mov old+2, es\n mov ax, 2509h\n mov dx, offset irq\n int 21h
                mov bp, 2
                l: mov di, 10\n call work\n {}
                t: mov di, 10\n call work\n mov ax, count\n call print_ax\n jmp quit
                count dw 0\nold dw 0, 0\nirq: inc cs:count\n jmp dword ptr cs:old",
                poll.replace("jmp quit", "jmp t")
            ),
        ),
        (
            "each 200 ms, with INT 15h AH=4Fh hooked: A is made B",
            "a c",
            "3062 2E63",
            format!(
                "mov ax, 3515h\n int 21h\n mov old, bx\n mov old+2, es\n mov ax, 2515h\n mov dx, offset keyed\n int 21h
                mov bp, 2
                l: mov di, 10\n call work\n {poll}
                old dw 0, 0
                keyed: cmp ax, 4F1Eh\n jne chain\n mov al, 30h\n stc\n retf 2
                chain: jmp dword ptr cs:old"
            ),
        ),
        (
            "what empties the buffer by polling before it reads loses nothing",
            "a b",
            "1E61 3062",
            "mov bp, 2
            l: mov di, 10\n call work
            e: mov ah, 1\n int 16h\n jz r\n mov ah, 0\n int 16h\n jmp e
            r: mov ah, 0\n int 16h\n call print_ax\n dec bp\n jnz l\n jmp quit"
                .to_owned(),
        ),
        (
            "a key that is typed at a poll is lost by a flush, and the next comes after it",
            "a b",
            "0062",
            "mov ah, 0Bh\n int 21h\n mov di, 10\n call work
            mov ax, 0C08h\n int 21h\n mov ah, 0\n call print_ax\n jmp quit"
                .to_owned(),
        ),
        (
            "the port, each 110 ms",
            "a b",
            "001E 0030",
            "mov bp, 2
            l: mov di, 5\n call work\n in al, 60h\n cmp al, bl\n je l\n mov bl, al\n test al, 80h\n jnz l\n or al, al\n jz l
            mov ah, 0\n call print_ax\n dec bp\n jnz l\n jmp quit"
                .to_owned(),
        ),
        (
            "the shift keys and others, each 200 ms",
            "LSHIFT a",
            "0002 1E61",
            "l: mov di, 10\n call work\n mov ah, 1\n int 16h\n mov ah, 2\n int 16h\n and ax, 2\n jz l\n call print_ax
            m: mov di, 10\n call work\n mov ah, 1\n int 16h\n jz m\n call print_ax\n jmp quit"
                .to_owned(),
        ),
    ];
    for (what, keys, expected, body) in rows {
        gets(what, keys, expected, &format!("{body}\n{work}"));
    }
}

#[test]
fn keys_typed_ahead_are_kept_and_a_flush_forgets_them() {
    let rows = [("mov ah, 8", "0061 0062"), ("mov ax, 0C08h", "0063 0064")];
    for (read, expected) in rows {
        let body = format!(
            "mov ah, 86h\n mov cx, 3\n mov dx, 0\n int 15h\n mov bp, 2
            l: {read}\n int 21h\n mov ah, 0\n call print_ax\n dec bp\n jnz l\n jmp quit"
        );
        let mut machine = machine(&body);
        let script = "press a\nrelease a\nwait 20\npress b\nrelease b\nkey c d";
        let end =
            Playback::new(script.parse().expect("a script")).run(&mut machine, &LIMIT, &mut (), &mut ());
        assert!(matches!(end, Played::Stopped(Stop::Exited(_))), "{read}: {end:?}");
        assert_eq!(line(&machine), expected, "{read}");
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
fn a_pause_waits_for_a_key_that_no_program_receives() {
    let reads = "mov ah, 0\n int 16h\n call print_ax\n jmp quit";
    let computes = "l: inc bx\n cmp done, 0\n je l\n jmp quit\n done db 0";
    for program in [reads, computes] {
        let mut machine = machine(program);
        machine.run(&Until::cycle(100_000), &mut ());
        assert!(!machine.is_paused());
        machine.type_key("PAUSE".parse().expect("a key"));
        assert_eq!(machine.run(&Until { cycle: 2_000_000, ..Until::KEY_WAIT }, &mut ()), Stop::KeyWait);
        assert!(machine.is_paused());
        machine.type_key(Key::typing('x').expect("a key"));
        machine.run(&Until::cycle(machine.now() + 50_000), &mut ());
        assert!(!machine.is_paused());
        assert_eq!(line(&machine), "", "the key is not received");
    }
    let mut machine = machine(reads);
    let script = "key PAUSE x y".parse().expect("a script");
    let end = Playback::new(script).run(&mut machine, &LIMIT, &mut (), &mut ());
    assert!(matches!(end, Played::Stopped(Stop::Exited(_))), "{end:?}");
    assert_eq!(line(&machine), "1579");
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
