//! Searches in which a user clicks and waits: programs that poll the mouse, have a mouse handler,
//! or read the clock.

use super::{assembled, observed, summary};
use oxbox::walk::{Choices, Exploration, ExploreOptions, Predicate, Setup, explore};

/// Left clicks left and right of column 10 toggle a bit each, Q ends with both. `extra` runs after
/// each.
fn clicked(extra: &str) -> String {
    format!(
        "        .model tiny
        .386
        .code
        org 100h
start:  xor ax, ax
        int 33h
        xor si, si
again:  mov ax, 3
        int 33h
        test bl, 1
        jnz down
        mov ah, 1
        int 16h
        jz again
        mov ah, 0
        int 16h
        cmp al, 'q'
        jne again
        mov ax, si
        mov ah, 4Ch
        int 21h
down:   mov di, 1
        cmp cx, 80
        jb left
        inc di
left:   xor si, di
        {extra}
up:     mov ax, 3
        int 33h
        test bl, 1
        jnz up
        jmp again
        end start
"
    )
}

/// The same with a mouse handler: it never polls the mouse, and polls for keys only after a click.
const TOLD: &str = "
        .model tiny
        .386
        .code
        org 100h
start:  xor ax, ax
        int 33h
        mov ax, 0Ch
        mov cx, 2
        push cs
        pop es
        mov dx, offset handler
        int 33h
        xor si, si
again:  cmp cs:place, 0
        je again
        mov ax, cs:place
        mov cs:place, 0
        xor si, 1
        cmp ax, 88
        jb again
        mov ax, si
        mov ah, 4Ch
        int 21h
handler:
        mov cs:place, cx
        retf
place   dw 0
        end start
";

/// Shows nothing, and ends with the tick count after a key.
const TICKS: &str = "
        .model tiny
        .code
        org 100h
start:  mov ah, 8
        int 21h
        mov ah, 0
        int 1Ah
        mov al, dl
        mov ah, 4Ch
        int 21h
        end start
";

fn explored(source: &str, lines: &str, find: Option<u8>) -> Exploration {
    let find = find.map(Predicate::Exit).into_iter().collect();
    let choices = Choices::from_lines(lines).expect("choices");
    let options = ExploreOptions { find, ..ExploreOptions::default() };
    // A program that polls counts as waiting after some time.
    let setup = Setup { instruction_limit: 10_000_000, ..assembled(source) };
    explore(&setup, &choices, &options, &|_| {}).expect("it starts")
}

#[test]
fn clicks_are_tried() {
    let lines = "click 8 8\nclick 160 8\nq";
    let found = explored(&clicked(""), lines, Some(3)).found;
    assert_eq!(found.first().map(|found| found.keys.as_str()), Some("click 8 8 click 160 8 q"));
    // The bits, the pointer's position (one of two or the initial one), and which of its two polls
    // the program executes.
    let all = explored(&clicked(""), lines, None);
    assert!(all.stats.complete && all.stats.exact && all.stats.states <= 18, "{}", summary(&all));
    assert!(all.stats.seen.is_empty(), "{}", summary(&all));
    assert_eq!(all.stats.ends.len(), 4, "{}", summary(&all));
    // A program that reads the number of presses can distinguish them, and receives each once.
    let asks = explored(&clicked("mov ax, 5\n xor bx, bx\n int 33h"), lines, None);
    assert!(asks.stats.complete && asks.stats.states <= 18, "{}", summary(&asks));
    assert!(summary(&asks).ends_with(" sees presses"), "{}", summary(&asks));
    let right = explored(&clicked(""), "click right 8 8\nq", None);
    assert!(right.stats.complete && right.stats.ends.keys().eq(["exit:0"]), "{}", summary(&right));
}

#[test]
fn a_program_that_is_told_of_clicks_is_walked_over() {
    let found = explored(TOLD, "click 8 8\nclick 160 8", Some(0)).found;
    assert_eq!(found.first().map(|found| found.keys.as_str()), Some("click 8 8 click 160 8"));
}

#[test]
fn without_a_mouse_a_click_is_nothing() {
    let all = explored(&super::toggles(""), "click 8 8\na\nb", None);
    assert_eq!(summary(&all), "4/12 depth 2");
}

#[test]
fn time_can_pass_before_a_key() {
    let all = explored(TICKS, "q\n@55 q\n@110 q\n@165 q", None);
    assert_eq!((all.stats.ends.len(), all.stats.choices_tried), (4, 4), "{:?}", all.stats.ends);
    assert_eq!(observed(&all.stats), ["ticks"]);
}

/// A left click at the right ends it. It polls the mouse and never the keyboard.
const ONLY_MOUSE: &str = "
        .model tiny
        .code
        org 100h
start:  xor ax, ax
        int 33h
again:  mov ax, 1
        int 33h
        mov bx, 0
        mov ax, 3
        int 33h
        cmp bx, 1
        jne again
        cmp cx, 320
        jb again
        mov ax, 4C07h
        int 21h
        end start
";

#[test]
fn keys_do_nothing_where_only_the_mouse_is_polled() {
    let keys = explored(ONLY_MOUSE, "a\nb\nc", None);
    assert_eq!(summary(&keys), "1/3 depth 0");
    let both = explored(ONLY_MOUSE, "a\nclick 10 10\nclick 400 10", Some(7));
    assert_eq!(both.found[0].keys, "click 400 10");
    assert_eq!(summary(&both), "2/3 depth 1 exit:7=1 cut");
}
