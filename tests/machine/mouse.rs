//! The mouse: INT 33h in programs, its cursor on the screen, scripts that move it.

use super::*;

fn played(body: &str, script: &str) -> (Machine, Played) {
    let mut machine = machine(body);
    let mut playback = Playback::new(script.parse().expect("a script"));
    let played = playback.run(&mut machine, &LIMIT, &mut (), &mut ());
    (machine, played)
}

#[test]
fn programs_ask_the_mouse() {
    // The program, the script, and the output.
    let rows = [
        (
            "functions of version 8",
            "",
            "FFFF 0000 8001 FFFF 7700 FFEF 0004 FFFF",
            "
            mov ax, 20h
            int 33h
            call print_ax
            mov ax, 23h
            int 33h
            mov ax, bx
            call print_ax
            mov ax, 25h
            int 33h
            call print_ax
            mov ax, 27h
            int 33h
            call print_ax
            mov ax, bx
            call print_ax
            mov ax, 32h
            int 33h
            call print_ax
            mov ax, 2Ah
            int 33h
            mov ax, dx
            call print_ax
            mov ax, 2Fh
            int 33h
            call print_ax
            jmp quit",
        ),
        (
            "settings of version 8",
            "",
            "0000 FFFF 0159 0000 0004 2A2A 1408 0002 4D4D 0004 FFFE 0001 0002",
            "
            mov ax, 28h
            mov cx, 3
            int 33h
            mov ax, cx
            xor ah, ah
            call print_ax
            mov ax, 30h
            int 33h
            call print_ax
            mov ax, 33h
            xor cx, cx
            int 33h
            mov ax, cx
            call print_ax
            mov ax, 33h
            mov cx, 1
            push cs
            pop es
            mov dx, offset settings
            int 33h
            call print_ax
            mov ax, word ptr settings
            call print_ax
            mov ax, 4Dh
            int 33h
            mov ax, es:[di]
            call print_ax
            mov ax, 6Dh
            int 33h
            mov ax, es:[di]
            call print_ax
            mov ax, 2Dh
            mov bx, 0FFFFh
            int 33h
            mov ax, bx
            call print_ax
            mov al, es:[si]
            mov ah, al
            call print_ax
            mov ax, 2Dh
            mov bx, 4
            int 33h
            mov ax, bx
            call print_ax
            mov ax, 2Dh
            mov bx, 5
            int 33h
            call print_ax
            mov ax, 29h
            xor cx, cx
            push ds
            int 33h
            pop ds
            mov ax, cx
            call print_ax
            mov ax, 29h
            push ds
            int 33h
            pop ds
            mov ax, cx
            call print_ax
            jmp quit
            settings dw 0",
        ),
        (
            "a handler for a click with Shift",
            "mouse 0 0\nclick left\npress LSHIFT\nclick left\nrelease LSHIFT\nkey A\n",
            "0018 FFFF 0000 0022 0001",
            "
            xor ax, ax
            int 33h
            mov ax, 18h
            mov cx, 22h
            push cs
            pop es
            mov dx, offset shifted
            int 33h
            call print_ax
            mov ax, 18h
            mov cx, 2
            int 33h
            call print_ax
            mov ax, 19h
            mov cx, 42h
            int 33h
            mov ax, cx
            call print_ax
            xor ax, ax
            int 16h
            mov ax, condition
            call print_ax
            mov ax, calls
            call print_ax
            jmp quit
        shifted:
            mov cs:condition, ax
            inc cs:calls
            retf
            condition dw 0
            calls dw 0",
        ),
        (
            "the ranges",
            "",
            "0010 0008 0100 0064",
            "
            xor ax, ax
            int 33h
            mov ax, 7
            mov cx, 100h
            mov dx, 10h
            int 33h
            mov ax, 8
            mov cx, 8
            mov dx, 64h
            int 33h
            mov ax, 31h
            int 33h
            call print_ax
            mov ax, bx
            call print_ax
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            jmp quit",
        ),
        (
            "there is one, with three buttons, in the middle",
            "",
            "FFFF 0003 0000 0140 0060",
            "
            xor ax, ax
            int 33h
            call print_ax
            mov ax, bx
            call print_ax
            mov ax, 3
            int 33h
            mov ax, bx
            call print_ax
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            jmp quit",
        ),
        (
            "a place and a button, polled; in text modes places are those of cells",
            "mouse 101 53\nclick right\n",
            "0060 0030 0002",
            "
            xor ax, ax
            int 33h
        l:  mov ax, 3
            int 33h
            test bx, bx
            jz l
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            mov ax, bx
            call print_ax
            jmp quit",
        ),
        (
            "it answers before it is reset",
            "mouse 101 53\nclick right\n",
            "0060 0030 0002",
            "
        l:  mov ax, 3
            int 33h
            test bx, bx
            jz l
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            mov ax, bx
            call print_ax
            jmp quit",
        ),
        (
            "it counts before it is reset, and is asked each 200 ms",
            "mouse 8 16\nclick\n",
            "0001 0008 0010",
            "
        l:  mov ah, 86h
            mov cx, 3
            mov dx, 0D40h
            int 15h
            mov ax, 5
            mov bx, 0
            int 33h
            or bx, bx
            jz l
            mov ax, bx
            call print_ax
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            jmp quit",
        ),
        (
            "a button is held until a program has seen it that asks each 200 ms",
            "mouse 8 16\nclick\n",
            "0001",
            "
        l:  mov ah, 86h
            mov cx, 3
            mov dx, 0D40h
            int 15h
            mov ax, 3
            int 33h
            or bx, bx
            jz l
            mov ax, bx
            call print_ax
            jmp quit",
        ),
        (
            "presses, releases and mickeys are counted until they are asked for",
            "mouse 8 16\nclick\nmouse 16 16\nclick\nkey q\n",
            "0000 0002 0010 0000 0002 0010 FED0 FF58 0000",
            "
            xor ax, ax
            int 33h
            mov ah, 0
            int 16h
            mov bp, 2
        l:  mov ax, 7
            sub ax, bp              ; 5: presses, 6: releases
            mov bx, 0
            int 33h
            call print_ax
            mov ax, bx
            call print_ax
            mov ax, cx
            call print_ax
            dec bp
            jnz l
            mov ax, 0Bh
            int 33h
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            mov ax, 5
            mov bx, 0
            int 33h
            mov ax, bx
            call print_ax
            jmp quit",
        ),
        (
            "a handler is called, with what has happened",
            "mouse 80 40\nclick\nwait 200\nkey q\n",
            "0001 0050 0028 0002 0001 0004 0000",
            "
            xor ax, ax
            int 33h
            mov ax, 0Ch
            mov cx, 7
            mov dx, offset handler
            push cs
            pop es
            int 33h
            mov ah, 0
            int 16h
            mov si, offset log
        l:  lodsw
            call print_ax
            cmp si, next
            jb l
            jmp quit
        next dw log
        log dw 20 dup (0)
        handler:
            push ds
            push cs
            pop ds
            mov di, next
            mov [di], ax
            test ax, 1
            jz button
            mov [di+2], cx
            mov [di+4], dx
            add next, 6
            jmp done
        button: mov [di+2], bx
            add next, 4
        done: pop ds
            retf",
        ),
        (
            "ranges hold it",
            "mouse 639 199\nclick\n",
            "0060 0040",
            "
            xor ax, ax
            int 33h
            mov ax, 7
            mov cx, 103
            mov dx, 50
            int 33h
            mov ax, 8
            mov cx, 8
            mov dx, 66
            int 33h
        l:  mov ax, 3
            int 33h
            test bx, bx
            jz l
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            jmp quit",
        ),
        (
            "a state is kept and comes back; handlers are exchanged",
            "",
            "0200 0007 1234 0007 1234 0010",
            "
            xor ax, ax
            int 33h
            mov ax, 0Ch
            mov cx, 7
            mov dx, 1234h
            int 33h
            mov ax, 4
            mov cx, 16
            mov dx, 8
            int 33h
            mov ax, 15h
            int 33h
            mov ax, bx
            call print_ax
            push cs
            pop es
            mov ax, 16h
            mov dx, offset room
            int 33h
            mov ax, 14h
            mov cx, 0
            mov dx, 0
            int 33h
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            xor ax, ax
            int 33h
            push cs
            pop es
            mov ax, 17h
            mov dx, offset room
            int 33h
            mov ax, 14h
            mov cx, 0
            int 33h
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            mov ax, 3
            int 33h
            mov ax, cx
            call print_ax
            jmp quit
        room db 200h dup (0)",
        ),
    ];
    let mut wrong = String::new();
    for (name, script, expected, body) in rows {
        let (machine, end) = played(body, script);
        let found = line(&machine);
        if found.trim_end() != expected || !matches!(end, Played::Stopped(Stop::Exited(_))) {
            wrong += &format!("{name}: {found} {end:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Shows the cursor, lets the script move it, and waits for keys.
const SHOWS: &str = "
        xor ax, ax
        int 33h
        mov ax, 1
        int 33h
    l:  mov ah, 0
        int 16h
        cmp al, 'h'
        jne l
        mov ax, 2
        int 33h
        mov ah, 0
        int 16h
        jmp quit";

#[test]
fn the_cursor_is_on_the_text_screen() {
    let inverted = |machine: &Machine| {
        let text = machine.text().expect("text");
        text.cells
            .iter()
            .position(|&(_, attribute)| attribute == 0x70)
            .map(|i| (i % text.columns, i / text.columns))
    };
    for (script, expected) in [
        ("", Some((40, 12))),
        ("mouse 8 0\n", Some((1, 0))),
        ("mouse 639 199\n", Some((79, 24))),
        ("mouse 8 0\nkey h\n", None),
    ] {
        assert_eq!(inverted(&played(SHOWS, script).0), expected, "{script}");
    }
}

#[test]
fn the_cursor_is_on_pictures_and_leaves_them_as_they_were() {
    // Mode, an unusual state of the graphics controller, and the arrow's tip: 640 across always.
    for (mode, width) in [("04h", 320), ("06h", 640), ("0Dh", 320), ("10h", 640), ("12h", 640), ("13h", 320)]
    {
        let body = format!(
            "
        mov ax, {mode}
        int 10h
        mov dx, 3CEh
        mov ax, 0F08h
        out dx, ax
        {SHOWS}"
        );
        let shown = |script: &str| played(&body, script).0.frame();
        let (blank, hidden) = (shown("mouse 639 0\nkey h\n"), shown("mouse 100 50\nmouse 200 60\nkey h\n"));
        assert!(blank == hidden, "mode {mode}: it leaves something behind");
        let frame = shown("mouse 100 50\n");
        let changed: Vec<usize> =
            (0..frame.pixels.len()).filter(|&i| frame.pixels[i] != blank.pixels[i]).collect();
        let scale = frame.width / width;
        let left = changed.iter().map(|i| i % frame.width).min().expect("a cursor") / scale.max(1);
        assert_eq!(left, 100 * width / 640 + 1, "mode {mode}");
        assert!(
            (40..200 * scale * scale * 4).contains(&changed.len()),
            "mode {mode}: {} pixels",
            changed.len()
        );
    }
}

#[test]
fn a_snapshot_has_the_mouse() {
    let (mut machine, _) = played(SHOWS, "mouse 80 40\n");
    let (snapshot, hash) = (machine.snapshot(), machine.state_hash());
    machine.move_mouse(300, 100);
    machine.run(&LIMIT, &mut ());
    assert_ne!(machine.state_hash(), hash);
    machine.restore(&snapshot);
    assert_eq!(machine.state_hash(), hash);
}
