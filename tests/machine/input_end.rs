//! Programs that keep requesting input after its end.

use super::*;

/// Runs a program with `aZ` and then the end as its input for 25 s of virtual time. Returns whether
/// the requests are detected.
fn asks_in_vain(body: &str) -> bool {
    let mut machine = machine(body);
    // The limits are of virtual time and of requests: a tenth of the speed changes nothing.
    machine.set_speed(300);
    machine.redirect_input();
    machine.redirect_output();
    machine.feed_input(b"aZ");
    machine.close_input();
    let until = Until { cycle: machine.cycle_at_ms(25_000), ..Until::KEY_WAIT };
    while machine.now() < until.cycle && !machine.asks_in_vain() {
        let slice = machine.cycle_at_ms(machine.nanoseconds() / 1_000_000 + 1000).min(until.cycle);
        match machine.run(&Until { cycle: slice, ..until }, &mut ()) {
            Stop::Cycle => {}
            // A poll that counts as a wait: the host itself knows that no more input comes.
            Stop::KeyWait => return true,
            stop => panic!("{body}: {stop:?}"),
        }
    }
    machine.asks_in_vain()
}

#[test]
fn a_program_that_asks_for_ever_is_known() {
    let rows = [
        ("INT 21h AH=08h", "again: mov ah, 8\n int 21h\n cmp al, 'q'\n jne again\n jmp quit"),
        ("two in a round", "again: mov ah, 7\n int 21h\n mov ah, 8\n int 21h\n jmp again"),
        ("INT 21h AH=06h", "again: mov ah, 6\n mov dl, 0FFh\n int 21h\n jz again\n jmp again"),
        (
            "INT 21h AH=0Bh",
            "mov ah, 8\n int 21h\n mov ah, 8\n int 21h\nagain: mov ah, 0Bh\n int 21h\n or al, al\n jz again\n jmp quit",
        ),
        ("a handle", "again: mov ah, 3Fh\n xor bx, bx\n mov cx, 1\n lea dx, quit\n int 21h\n jmp again"),
        ("keys by INT 16h", "again: mov ah, 1\n int 16h\n jz again\n jmp quit"),
    ];
    for (what, body) in rows {
        assert!(asks_in_vain(body), "{what}");
    }
}

#[test]
fn a_program_that_does_something_between_is_not_stopped() {
    let rows = [
        ("counts in memory", "again: inc word ptr [quit+20h]\n mov ah, 8\n int 21h\n jmp again"),
        ("counts in a register", "again: inc ebp\n mov ah, 8\n int 21h\n jmp again"),
        ("computes without asking", "mov ah, 8\n int 21h\n jmp $"),
    ];
    for (what, body) in rows {
        assert!(!asks_in_vain(body), "{what}");
    }
}
