//! Virtual time in programs: ticks, waits, the date.

use super::*;

#[test]
fn time_passes_as_the_clock_says() {
    let rows = [
        (
            "1.5 s of INT 15h AH=86h are 27 ticks",
            "001B",
            "
            mov ah, 0
            int 1Ah
            push dx
            mov cx, 16h
            mov dx, 0E360h
            mov ah, 86h
            int 15h
            mov ah, 0
            int 1Ah
            mov ax, dx
            pop dx
            sub ax, dx
            call print_ax
            jmp quit",
        ),
        (
            "INT 1Ch runs at each tick",
            "0003",
            "
            mov ax, 251Ch
            mov dx, offset tick
            int 21h
        l:  hlt
            cmp count, 3
            jb l
            mov ax, count
            call print_ax
            jmp quit
        count dw 0
        tick: inc cs:count
            iret",
        ),
        (
            "channel 0 can be made faster",
            "0064",
            "
            mov ax, 2508h
            mov dx, offset tick
            int 21h
            mov al, 36h
            out 43h, al
            mov al, 0A9h        ; 1193 ticks: 1000 a second
            out 40h, al
            mov al, 04h
            out 40h, al
        l:  hlt
            cmp count, 100
            jb l
            mov ax, count
            call print_ax
            jmp quit
        count dw 0
        tick: push ax
            inc cs:count
            mov al, 20h
            out 20h, al
            pop ax
            iret",
        ),
        (
            "the date at power-on is 1990-06-15",
            "07C6 060F",
            "
            mov ah, 2Ah
            int 21h
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            jmp quit",
        ),
    ];
    for (what, expected, body) in rows {
        let mut machine = machine(body);
        let end = play(&mut machine, "");
        assert!(matches!(end, Played::Stopped(Stop::Exited(_))), "{what}: {end:?}\n{}", line(&machine));
        assert_eq!(line(&machine), expected, "{what}");
    }
}

#[test]
fn every_clock_shows_the_time_at_power_on() {
    // INT 21h/2Ah and 2Ch, INT 1Ah/04h and 02h, ports 70h and 71h (hours), INT 1Ah/00h, 0040:006C.
    let body = "
            mov ah, 2Ah
            int 21h
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            mov ah, 2Ch
            int 21h
            mov ax, cx
            call print_ax
            mov al, dh
            mov ah, 0
            call print_ax
            mov ah, 4
            int 1Ah
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            mov ah, 2
            int 1Ah
            mov ax, cx
            call print_ax
            mov al, dh
            mov ah, 0
            call print_ax
            mov al, 4
            out 70h, al
            in al, 71h
            mov ah, 0
            call print_ax
            mov ah, 0
            int 1Ah
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            mov ax, 40h
            mov es, ax
            mov ax, es:[6Eh]
            call print_ax
            mov ax, es:[6Ch]
            call print_ax
            jmp quit";
    let rows = [
        ("1990-06-15 13:45:10", "07C6 060F 0D2D 000A 1990 0615 1345 0010 0013 000D C11D 000D C11D"),
        ("1999-12-31 23:59:59", "07CF 0C1F 173B 003B 1999 1231 2359 0059 0023 0018 00A1 0018 00A1"),
        ("2024-02-29", "07E8 021D 0000 0000 2024 0229 0000 0000 0000 0000 0000 0000 0000"),
    ];
    for (clock, expected) in rows {
        let start = clock.parse().expect("a clock");
        let mut machine = Machine::new(&Config { start, ..Config::default() }).expect("a machine");
        machine.load(&assemble(body), "TEST.COM", "").expect("loads");
        play(&mut machine, "");
        assert_eq!(line(&machine), expected, "{clock}");
    }
    assert_eq!(Config::default().start.to_string(), rows[0].0);
}

#[test]
fn midnight_comes_to_every_clock() {
    let start = "1990-12-31 23:59:58".parse().expect("a clock");
    let mut machine = Machine::new(&Config { start, ..Config::default() }).expect("a machine");
    let body = "
            mov cx, 2Dh             ; three seconds
            mov dx, 0C6C0h
            mov ah, 86h
            int 15h
            mov ah, 2Ah
            int 21h
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            mov ah, 2Ch
            int 21h
            mov ax, cx
            call print_ax
            mov ah, 4
            int 1Ah
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            mov ah, 2
            int 1Ah
            mov ax, cx
            call print_ax
            jmp quit";
    machine.load(&assemble(body), "TEST.COM", "").expect("loads");
    play(&mut machine, "");
    assert_eq!(line(&machine), "07C7 0101 0000 1991 0101 0000");
}
