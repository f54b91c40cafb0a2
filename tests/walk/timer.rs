//! Programs that observe the time within a tick: their waits are put at the beginning of a tick, so
//! that a search ends.

use super::{assembled, explored, summary, toggles};
use oxbox::walk::{Bounds, ExploreOptions, Predicate, Setup};

/// A program with its own INT 1Ch that waits for two ticks before each key, counted by the handler.
const DELAYS: &str = "
        .model tiny
        .386
        .code
        org 100h
start:  mov ax, 251Ch
        mov dx, offset handler
        int 21h
        xor bx, bx
again:  mov left, 2
wait1:  cmp left, 0
        jne wait1
        mov ah, 0
        int 16h
        cmp al, 'q'
        je leave_it
        xor bl, 1
        jmp again
leave_it:
        mov al, bl
        mov ah, 4Ch
        int 21h
handler:
        cmp cs:left, 0
        je done
        dec cs:left
done:   iret
left    dw 0
        end start
";

/// A program that keeps a random bit from the timer: 1 if S was typed, which computes before.
const RANDOM: &str = "
        .model tiny
        .386
        .code
        org 100h
start:  mov ah, 0
        int 16h
        cmp al, 's'
        jne other
        mov cx, 2000
        loop $
other:  mov al, 0
        out 43h, al
        in al, 40h
        mov bl, al
        in al, 40h
        cmp al, 0FCh
        mov al, 0
        adc al, 0
        mov last, al
        jmp start
last    db 0
        end start
";

/// A one-shot of the speaker's counter, started at once and by A. C computes for 12,000 instructions.
/// B ends the program, with 1 if more than 16,384 ticks have passed since then.
const ONE_SHOT: &str = "
        .model tiny
        .386
        .code
        org 100h
start:  in al, 61h
        or al, 1
        out 61h, al
        jmp begin
again:  mov ah, 0
        int 16h
        cmp al, 'c'
        je compute
        cmp al, 'b'
        je measure
begin:  mov al, 0B0h
        out 43h, al
        mov al, 0FFh
        out 42h, al
        out 42h, al
        jmp again
compute:
        mov cx, 12000
        loop $
        jmp again
measure:
        mov al, 80h
        out 43h, al
        in al, 42h
        in al, 42h
        cmp al, 0BFh
        mov al, 0
        adc al, 0
        mov ah, 4Ch
        int 21h
        end start
";

/// The text of a complete search without limits.
fn whole(source: &str, choices: &str) -> String {
    let setup = Setup { instruction_limit: 10_000_000, ..assembled(source) };
    let bounds = Bounds { states: Some(200), ..Bounds::default() };
    summary(&explored(&setup, choices, &ExploreOptions { bounds, ..ExploreOptions::default() }))
}

#[test]
fn a_program_with_its_own_timer_handler_has_few_states() {
    assert_eq!(whole(DELAYS, "a q"), "2/4 depth 1 exit:0=1 exit:1=1 sees timer");
}

#[test]
fn a_random_number_from_the_timer_is_that_of_a_key_at_the_beginning_of_a_tick() {
    assert_eq!(whole(RANDOM, "a s"), "2/4 depth 1 sees timer");
}

#[test]
fn a_program_that_waits_for_the_retrace_has_few_states() {
    let retrace = "push dx\n mov dx, 3DAh\n in al, dx\n test al, 8\n jz $-3\n pop dx";
    assert_eq!(whole(&toggles(retrace), "a b"), "4/8 depth 2 sees timer");
}

#[test]
fn a_counter_that_runs_once_keeps_states_apart() {
    let find = vec![Predicate::Exit(1), Predicate::Exit(0)];
    let bounds = Bounds { depth: Some(5), ..Bounds::default() };
    let options = ExploreOptions { find, bounds, ..ExploreOptions::default() };
    let found = explored(&assembled(ONE_SHOT), "a b c", &options).found;
    let keys: Vec<&str> = found.iter().map(|found| found.keys.as_str()).collect();
    assert_eq!(keys, ["c c c c b", "b"]);
}
