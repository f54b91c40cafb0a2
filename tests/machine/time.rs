//! Virtual time as programs see it: ticks, waits, the date.

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
            "the date at power-on is 1980-01-01",
            "07BC 0101",
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
