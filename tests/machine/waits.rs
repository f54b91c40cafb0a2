//! Programs that poll for a key: those that wait for one, and those that look for Ctrl-C while they work.

use super::*;

/// Work of about 400 ms: 20 rounds of computing, each with a look at the keyboard by function 0Bh.
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
            Err(150),
        ),
        (
            "prints while it polls",
            format!(
                "l: mov cx, 30000\n loop $\n mov dl, '.'\n mov ah, 2\n int 21h\n mov ah, 0Bh\n int 21h\n or al, al\n jz l\n{data}"
            ),
            Err(200),
        ),
        // At work for 400 ms, then waiting: it is told at most 150 ms later, and not before.
        ("works, then waits", format!("{WORK}{CREATE}l: mov ah, 1\n int 16h\n jz l\n{data}"), Err(600)),
        (
            "polls for longer than is looked ahead",
            format!("mov di, 10\nagain: {WORK} dec di\n jnz again\n jmp quit\n{data}"),
            Err(150),
        ),
    ];
    for (what, body, expected) in rows {
        let mut machine = machine(&body);
        match (machine.run(&LIMIT, &mut ()), expected) {
            (Stop::Exited(code), Ok(wanted)) => assert_eq!(code, wanted, "{what}"),
            (Stop::KeyWait, Err(ms)) => {
                let found = machine.nanoseconds() / 1_000_000;
                assert!((ms - 150..=ms).contains(&found), "{what}: told after {found} ms");
            }
            (end, expected) => panic!("{what}: {end:?}, not {expected:?}"),
        }
    }
}

#[test]
fn looking_ahead_leaves_no_trace() {
    // The same program, stopped where its wait is told and run up to there without looking for waits.
    let body = "l: inc word ptr [table]\n mov ah, 2\n mov dl, '.'\n int 21h\n mov cx, 30000\n loop $\n mov ah, 0Bh\n int 21h\n jmp l\ntable label word";
    let mut looked = machine(body);
    assert_eq!(looked.run(&LIMIT, &mut ()), Stop::KeyWait);
    let until = Until { instructions: looked.instructions(), ..Until::cycle(u64::MAX) };
    let mut straight = machine(body);
    assert_eq!(straight.run(&until, &mut ()), Stop::Instructions);
    assert_eq!(line(&looked), line(&straight));
    assert_eq!(looked.read_memory(0x1_0000, 0x1_0000), straight.read_memory(0x1_0000, 0x1_0000));
    assert_eq!(looked.nanoseconds(), straight.nanoseconds());
}
