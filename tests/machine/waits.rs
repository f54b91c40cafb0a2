//! Programs that poll for a key: those that wait for one, and those that check for Ctrl-C while
//! they work.

use super::*;

/// Work of about 400 ms: 20 iterations of computing, each with a keyboard check by 0Bh.
const WORK: &str = "
        mov bp, 20
round:  mov cx, 20000
sum:    add si, cx
        mov [table + 2000h], si
        loop sum
        mov ah, 0Bh
        int 21h
        dec bp
        jnz round
";

const CREATE: &str = "
        mov ah, 3Ch
        mov cx, 0
        mov dx, offset file
        int 21h
";

#[test]
fn who_works_is_left_alone_and_who_waits_is_told() {
    let data = "file db 'OUT.TXT', 0\ntable label word";
    // It ends with a code, or waits (detected within this many ms), or continues.
    const GOES_ON: Result<u8, u64> = Err(0);
    let rows = [
        ("works and ends", format!("{WORK} mov al, 7\n jmp quit\n{data}"), Ok(7)),
        ("works, writes a file and ends", format!("{WORK}{CREATE} mov al, 8\n jmp quit\n{data}"), Ok(8)),
        ("polls in a tight loop", format!("l: mov ah, 1\n int 16h\n jz l\n{data}"), Err(150)),
        (
            "polls and counts",
            format!("l: inc word ptr table\n mov ah, 0Bh\n int 21h\n or al, al\n jz l\n{data}"),
            Err(150),
        ),
        (
            "polls and draws",
            format!(
                "mov ax, 0B800h\n mov es, ax\nl: inc byte ptr es:[di]\n inc di\n mov ah, 1\n int 16h\n jz l\n{data}"
            ),
            GOES_ON,
        ),
        (
            "polls and turns a cursor",
            format!(
                "mov ax, 0B800h\n mov es, ax\nl: mov cx, 30000\n loop $\n inc bx\n and bx, 7\n mov es:[4], bl\n mov ah, 1\n int 16h\n jz l\n{data}"
            ),
            Err(250),
        ),
        (
            "polls and draws as the retrace begins",
            format!(
                "mov dx, 3DAh\nl: in al, dx\n test al, 8\n jnz l\nm: in al, dx\n test al, 8\n jz m\n mov ah, 1\n int 16h\n jz l\n{data}"
            ),
            Err(250),
        ),
        (
            "polls and counts ticks of its own",
            format!(
                "mov ax, 251Ch\n mov dx, offset tick\n int 21h\nl: cmp ticks, 60\n jae gone\n mov ah, 1\n int 16h\n jz l\n jmp quit\ngone: mov al, 7\n jmp quit\ntick: inc cs:ticks\n iret\nticks dw 0\n{data}"
            ),
            Ok(7),
        ),
        (
            "gives up by the tick count in memory",
            format!(
                "mov ax, 40h\n mov es, ax\n mov bx, es:[6Ch]\n add bx, 40\nl: mov ah, 1\n int 16h\n jnz quit\n cmp es:[6Ch], bx\n jb l\n mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "gives up by the tick count of INT 1Ah",
            format!(
                "mov ah, 0\n int 1Ah\n mov bx, dx\n add bx, 40\nl: mov ah, 1\n int 16h\n jnz quit\n mov ah, 0\n int 1Ah\n cmp dx, bx\n jb l\n mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "keeps the tick count for later",
            format!("l: mov ah, 0\n int 1Ah\n mov table, dx\n mov ah, 1\n int 16h\n jz l\n{data}"),
            Err(150),
        ),
        (
            "polls each 200 ms",
            format!(
                "l: mov ah, 86h\n mov cx, 3\n mov dx, 0D40h\n int 15h\n mov ah, 1\n int 16h\n jz l\n{data}"
            ),
            Err(500),
        ),
        (
            "polls each second for ever",
            format!(
                "l: mov di, 50\nw: mov cx, 60000\n loop $\n dec di\n jnz w\n mov ah, 1\n int 16h\n jz l\n{data}"
            ),
            Err(2100),
        ),
        (
            "polls each 2 s for ever",
            format!(
                "l: mov di, 100\nw: mov cx, 60000\n loop $\n dec di\n jnz w\n mov ah, 1\n int 16h\n jz l\n{data}"
            ),
            Err(4100),
        ),
        (
            "polls once, computes for 4 s and ends",
            format!(
                "mov ah, 1\n int 16h\n mov di, 200\nl: mov cx, 60000\n loop $\n dec di\n jnz l\n mov ah, 1\n int 16h\n mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "polls, computes for 4 s, polls and ends",
            format!(
                "mov bp, 2\nm: mov ah, 1\n int 16h\n mov di, 200\nl: mov cx, 60000\n loop $\n dec di\n jnz l\n dec bp\n jnz m\n mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "prints while it polls",
            format!(
                "l: mov cx, 30000\n loop $\n mov dl, '.'\n mov ah, 2\n int 21h\n mov ah, 0Bh\n int 21h\n or al, al\n jz l\n{data}"
            ),
            GOES_ON,
        ),
        // A value that affects the loop is never treated as a counter: these programs give up after
        // a little more than 100 ms.
        (
            "counts in memory and gives up",
            format!(
                "mov table, 0\nl: inc table\n mov ah, 0Bh\n int 21h\n or al, al\n jnz quit\n cmp table, 60000\n jb l\n mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "counts in a register and gives up",
            format!(
                "mov di, 65535\nl: mov ah, 1\n int 16h\n jnz quit\n dec di\n jnz l\n mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "gives up by a carry that the poll leaves",
            format!(
                "mov table, 0\nl: add table, 1\n mov ah, 1\n int 16h\n jc gone\n jz l\ngone: mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "gives up by a carry on the stack",
            format!(
                "mov table, 0\nl: add table, 1\n pushf\n mov ah, 1\n int 16h\n jnz quit\n popf\n jnc l\n mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "looks things up by a counter",
            format!(
                "mov table[60001], 1\nl: inc di\n mov dl, byte ptr table[di]\n mov ah, 1\n int 16h\n jnz quit\n or dl, dl\n jz l\n mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "patches itself by a counter",
            format!(
                "mov dx, -1\nl: inc word ptr cs:[patched + 2]\npatched: cmp dx, 1234h\n je gone\n mov ah, 1\n int 16h\n jz l\n jmp quit\ngone: mov al, 7\n jmp quit\n{data}"
            ),
            Ok(7),
        ),
        (
            "counts in two words and registers",
            format!(
                "l: add table, 3\n adc table[2], 0\n inc di\n mov cx, di\n xor dx, cx\n push si\n call poll\n pop si\n jz l\n jmp quit\npoll: mov ah, 1\n int 16h\n ret\n{data}"
            ),
            Err(150),
        ),
        // At work for 400 ms, then waiting: detected at most 150 ms later, and not before.
        ("works, then waits", format!("{WORK}{CREATE}l: mov ah, 1\n int 16h\n jz l\n{data}"), Err(600)),
        (
            "polls for longer than is looked ahead",
            format!("mov di, 10\nagain: {WORK} dec di\n jnz again\n mov al, 7\n jmp quit\n{data}"),
            Ok(7),
        ),
    ];
    for (what, body, expected) in rows {
        let mut machine = machine(&body);
        match (machine.run(&LIMIT, &mut ()), expected) {
            (Stop::Exited(code), Ok(wanted)) => assert_eq!(code, wanted, "{what}"),
            (Stop::Cycle, GOES_ON) => {}
            (Stop::KeyWait, Err(ms)) => {
                let found = machine.nanoseconds() / 1_000_000;
                assert!((ms.saturating_sub(150)..=ms).contains(&found), "{what}: told after {found} ms");
            }
            (end, expected) => panic!("{what}: {end:?}, not {expected:?}"),
        }
    }
}

#[test]
fn looking_ahead_leaves_no_trace() {
    // The same program, stopped where its wait is detected, and run to that point without checking
    // for waits.
    let body = "l: inc word ptr [table]\n mov ah, 2\n mov dl, '.'\n int 21h\n mov cx, 30000\n loop $\n mov ah, 0Bh\n int 21h\n jmp l\ntable label word";
    let mut looked = machine(body);
    assert_eq!(looked.run(&Until { polls: Polls::Rests, ..LIMIT }, &mut ()), Stop::KeyWait);
    let until = Until { instructions: looked.instructions(), ..Until::cycle(u64::MAX) };
    let mut straight = machine(body);
    assert_eq!(straight.run(&until, &mut ()), Stop::Instructions);
    assert_eq!(line(&looked), line(&straight));
    assert_eq!(looked.read_memory(0x1_0000, 0x1_0000), straight.read_memory(0x1_0000, 0x1_0000));
    assert_eq!(looked.nanoseconds(), straight.nanoseconds());
}
