//! Searches over programs that poll: polls are choice points, with "nothing yet" among the choices;
//! loops that only wait are one wait.

use super::{assembled, explored, observed, summary, toggles};
use oxbox::walk::{Bounds, ExploreOptions, Predicate, Setup};

fn program(body: &str) -> Setup {
    let source = format!(".model tiny\n.386\n.code\norg 100h\nstart:\n{body}\nend start\n");
    Setup { instruction_limit: 20_000_000, ..assembled(&source) }
}

/// A snake that moves 9 times per second, polls per frame, and ends with the number of U's.
const SNAKE: &str = "xor si, si
        xor di, di
frame:  mov ah, 0
        int 1Ah
        mov bx, dx
        add bx, 2
w:      mov ah, 0
        int 1Ah
        cmp dx, bx
        jb w
        mov ah, 1
        int 16h
        jz move
        mov ah, 0
        int 16h
        cmp al, 'u'
        jne move
        inc di
move:   inc si
        cmp si, 6
        jb frame
        mov ax, di
        mov ah, 4Ch
        int 21h";

/// Ends with 7 after a quarter of a second, or with 1 by a key.
const TIMED: &str = "mov ah, 0
        int 1Ah
        mov bx, dx
        add bx, 5
l:      mov ah, 1
        int 16h
        mov al, 1
        jnz gone
        mov ah, 0
        int 1Ah
        cmp dx, bx
        jb l
        mov al, 7
gone:   mov ah, 4Ch
        int 21h";

#[test]
fn a_snake_is_explored_to_its_end_and_to_a_depth() {
    let setup = program(SNAKE);
    let all = explored(&setup, "u", &ExploreOptions::default());
    let codes: Vec<&str> = all.stats.ends.keys().map(String::as_str).collect();
    assert_eq!(codes, ["exit:0", "exit:1", "exit:2", "exit:3", "exit:4", "exit:5"], "{}", summary(&all));
    assert!(all.stats.complete && all.stats.exact, "{}", summary(&all));
    let options = ExploreOptions { find: vec![Predicate::Exit(2)], ..ExploreOptions::default() };
    let found = explored(&setup, "u x", &options).found;
    assert_eq!(found.first().map(|found| found.keys.matches('u').count()), Some(2), "{found:?}");
    let bounds = Bounds { depth: Some(2), ..Bounds::default() };
    let some = explored(&setup, "u x", &ExploreOptions { bounds, ..ExploreOptions::default() });
    assert!(!some.stats.complete && some.stats.ends.is_empty(), "{}", summary(&some));
}

/// A snake that crashes at the edge of the screen: a step each two ticks.
const EDGE: &str = "mov bx, 8
        mov di, 2
        mov ah, 0
        int 1Ah
        mov bp, dx
l:      mov ah, 1
        int 16h
        jz still
        mov ah, 0
        int 16h
        cmp ah, 48h
        jne still
        mov di, -160
still:  mov ah, 0
        int 1Ah
        mov ax, dx
        sub ax, bp
        cmp ax, 2
        jb l
        mov bp, dx
        add bx, di
        mov ax, bx
        xor dx, dx
        mov cx, 160
        div cx
        cmp ax, 6
        jb l
        xor cx, cx
        div cx";

/// Keys that a program ignores lead to the state before them, in the same tick.
#[test]
fn ignored_keys_of_a_program_in_real_time_add_no_states() {
    let setup = program(EDGE);
    let bounds = Bounds { depth: Some(3), ..Bounds::default() };
    let options = ExploreOptions { bounds, ..ExploreOptions::default() };
    let few = explored(&setup, "UP", &options);
    assert_eq!(few.stats.ends.keys().collect::<Vec<_>>(), ["crash"], "{}", summary(&few));
    let names = observed(&few.stats);
    assert_eq!(names, ["ticks"]);
    let many = explored(&setup, "UP a A CTRL+a ALT+a F1 DEL PGUP", &options);
    assert_eq!(many.stats.states, few.stats.states);
    let find = vec![Predicate::Crash];
    let found = explored(&setup, "UP a", &ExploreOptions { find, bounds, ..ExploreOptions::default() }).found;
    assert_eq!(found.first().map(|found| found.keys.matches('U').count()), Some(1), "{found:?}");
}

#[test]
fn a_poll_with_a_time_out_ends_both_ways() {
    let all = explored(&program(TIMED), "a", &ExploreOptions::default());
    let codes: Vec<&str> = all.stats.ends.keys().map(String::as_str).collect();
    assert_eq!(codes, ["exit:1", "exit:7"], "{}", summary(&all));
    assert!(all.stats.complete && (4..=6).contains(&all.stats.states), "{}", summary(&all));
}

#[test]
fn who_polls_only_to_wait_has_the_states_of_who_waits() {
    // As many as before polls were choice points: registers that the wait leaves distinguish some.
    let polls = [
        ("INT 16h", "p: mov ah, 1\n int 16h\n jz p\n mov ah, 8\n int 21h", "4/8 depth 2"),
        (
            "INT 21h AH=0Bh",
            "p: mov ah, 0Bh\n int 21h\n or al, al\n jz p\n mov ah, 8\n int 21h",
            "4/8 depth 2",
        ),
        (
            "each 20 ms",
            "p: mov cx, 60000\n loop $\n mov ah, 1\n int 16h\n jz p\n mov ah, 8\n int 21h",
            "4/8 depth 2",
        ),
        (
            "and counts",
            "xor cx, cx\np: inc cx\n mov ah, 1\n int 16h\n jz p\n xor cx, cx\n mov ah, 8\n int 21h",
            "5/10 depth 2",
        ),
        (
            "and empties the buffer before",
            "e: mov ah, 1\n int 16h\n jz p\n mov ah, 0\n int 16h\n jmp e
            p: mov ah, 1\n int 16h\n jz p\n mov ah, 8\n int 21h",
            "4/8 depth 2",
        ),
    ];
    for (name, poll, expected) in polls {
        let source = toggles("").replace("mov ah, 8\n        int 21h", poll);
        let setup = Setup { instruction_limit: 10_000_000, ..assembled(&source) };
        let all = explored(&setup, "a b", &ExploreOptions::default());
        assert_eq!(summary(&all), expected, "{name}");
    }
}

#[test]
fn a_slow_poll_and_a_long_computation_are_no_hang() {
    for loops in [10, 150] {
        let body = format!(
            "l: mov di, {loops}
            w: mov cx, 60000\n loop $\n dec di\n jnz w
            mov ah, 1\n int 16h\n jz l\n mov ah, 0\n int 16h\n cmp al, 'q'\n jne l\n mov ax, 4C00h\n int 21h"
        );
        let setup = Setup { instruction_limit: 50_000_000, ..program(&body) };
        let all = explored(&setup, "a q", &ExploreOptions::default());
        let codes: Vec<&str> = all.stats.ends.keys().map(String::as_str).collect();
        assert_eq!(codes, ["exit:0"], "{loops}: {}", summary(&all));
    }
}

#[test]
fn a_mouse_that_was_never_reset_has_buttons() {
    let setup = program("l: mov ax, 3\n int 33h\n test bx, 1\n jz l\n mov ax, 4C05h\n int 21h");
    let all = explored(&setup, "click 8 8", &ExploreOptions::default());
    assert_eq!(summary(&all), "1/1 depth 0 exit:5=1");
}
