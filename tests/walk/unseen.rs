//! Searches that exclude the screen if neither the program nor a condition reads it.

use super::{assembled, explored, observed, summary, toggles};
use oxbox::walk::{Bounds, Choices, Compare, ExploreOptions, Predicate, SameOptions, Sameness, same};

/// Prints the typed keys, one line per key, and keeps one bit. Q ends with it; after C, D crashes.
/// `extra` runs before each key.
fn log(extra: &str) -> String {
    format!(
        "        .model tiny
        .386
        .code
        org 100h
start:  xor bx, bx
again:  {extra}
        mov ah, 1
        int 21h
        mov bh, al
        mov ah, 2
        mov dl, 10
        int 21h
        cmp bh, 'q'
        je leave_it
        cmp bh, 'c'
        jne other
        xor bl, 1
other:  cmp bh, 'd'
        jne again
        or bl, bl
        jz again
        mov dx, offset words
        mov ah, 9
        int 21h
        db 0Fh, 0Bh
leave_it:
        mov al, bl
        mov ah, 4Ch
        int 21h
words   db 'odd$'
        end start
"
    )
}

fn of_program() -> ExploreOptions {
    ExploreOptions { sameness: Sameness::Program, ..ExploreOptions::default() }
}

#[test]
fn a_log_that_scrolls_for_ever_is_walked_to_its_end() {
    let setup = assembled(&log(""));
    let bounds = Bounds { states: Some(60), ..Bounds::default() };
    let all = explored(&setup, "c d x q", &ExploreOptions { bounds, ..ExploreOptions::default() });
    assert!(!all.stats.complete, "{}", summary(&all));
    // The bit, and the last key, which BH keeps.
    let find = vec![Predicate::Crash, Predicate::Output("odd".into())];
    let all = explored(&setup, "c d x q", &ExploreOptions { find_all: find, ..of_program() });
    assert!(all.stats.complete && all.stats.exact && all.stats.seen.is_empty(), "{}", summary(&all));
    assert!(all.stats.states < 10, "{}", summary(&all));
    let first = all.found.first().expect("a crash");
    assert_eq!(
        (first.keys.as_str(), &first.screen[..]),
        ("c d", &["c", " d", "  odd"].map(String::from)[..])
    );
}

#[test]
fn a_look_at_the_screen_is_seen() {
    let rows = [
        ("INT 10h AH=08h", "screen", "mov ah, 8\n mov bh, 0\n int 10h"),
        ("INT 10h AH=03h", "cursor", "mov ah, 3\n mov bh, 0\n int 10h"),
        ("video memory", "screen", "push 0B800h\n pop es\n mov al, es:[0]"),
        (
            "video memory, many bytes",
            "screen",
            "push 0B800h\n pop es\n mov di, 0\n mov cx, 5\n mov al, 'x'\n repne scasb",
        ),
        ("the BIOS's cursor", "cursor", "push 40h\n pop es\n mov ax, es:[50h]"),
        ("the CRTC", "screen", "mov dx, 3D4h\n mov al, 0Fh\n out dx, al\n inc dx\n in al, dx"),
        (
            "the terminal's answer",
            "screen",
            "cmp bh, 'c'\n jne over\n mov dx, offset ask\n mov ah, 9\n int 21h\n jmp over\nask db 27, '[6n$'\nover:",
        ),
    ];
    for (name, category, extra) in rows {
        let bounds = Bounds { states: Some(60), ..Bounds::default() };
        let all = explored(&assembled(&log(extra)), "c x", &ExploreOptions { bounds, ..of_program() });
        let seen = observed(&all.stats);
        assert_eq!(seen, [category], "{name}");
    }
}

#[test]
fn a_cursor_that_is_read_is_kept_without_the_text() {
    // It prints at the same place each time: the screen differs by the last key, the state does not.
    let place = "mov ah, 3\n mov bh, 0\n int 10h\n mov ah, 2\n mov dx, 0\n int 10h\n mov bh, 0";
    let tab = "mov dl, 9\n mov ah, 2\n int 21h\n mov ah, 3\n mov bh, 0\n int 10h\n mov bh, 0";
    for (extra, seen) in [(place, &["cursor"][..]), (tab, &["column", "cursor"])] {
        let all = explored(&assembled(&log(extra)), "c x", &of_program());
        let names = observed(&all.stats);
        assert_eq!(names, seen, "{extra}");
        assert!(all.stats.complete, "{extra}: {}", summary(&all));
    }
}

#[test]
fn writing_to_the_screen_is_no_look() {
    let rows = [
        ("video memory", "push 0B800h\n pop es\n mov es:[0], bx"),
        ("teletype", "mov ax, 0E41h\n int 10h"),
        ("scrolling", "mov ax, 0601h\n mov cx, 0\n mov dx, 184Fh\n int 10h"),
        ("the cursor", "mov ah, 2\n mov dx, 0503h\n int 10h"),
        (
            "a graphics mode",
            "cmp bp, 1234h\n je there\n mov bp, 1234h\n mov ax, 13h\n int 10h\nthere: mov ax, 0C05h\n int 10h",
        ),
    ];
    for (name, extra) in rows {
        let all = explored(&assembled(&log(extra)), "c x", &of_program());
        assert!(all.stats.complete && all.stats.seen.is_empty(), "{name}: {}", summary(&all));
    }
}

#[test]
fn a_question_about_the_screen_keeps_it() {
    let bounds = Bounds { states: Some(60), ..Bounds::default() };
    let find = vec![Predicate::Text("never there".into())];
    let all = explored(&assembled(&log("")), "c x", &ExploreOptions { find, bounds, ..of_program() });
    assert_eq!(all.stats.states, 60);
}

#[test]
fn what_scrolling_programs_print_is_compared_to_the_end() {
    let original = assembled(&log(""));
    let rows = [
        ("itself", log("nop"), None),
        ("another text", log("").replace("'odd$'", "'Odd$'"), Some("c d")),
        ("another bit", log("").replace("xor bl, 1", "or bl, 1"), Some("c c d")),
    ];
    let choices = Choices::from_words("c d x").expect("choices");
    let options =
        SameOptions { compare: Compare::Output, sameness: Sameness::Program, ..SameOptions::default() };
    for (name, other, expected) in rows {
        let found = same(&original, &assembled(&other), &choices, &options, &|_| {}).expect("they start");
        let keys = found.difference.as_ref().map(|difference| difference.keys.as_str());
        assert_eq!(keys, expected, "{name}");
        assert!(found.stats.complete || expected.is_some(), "{name}");
        let screens =
            found.difference.map(|difference| [difference.a.screen.len(), difference.b.screen.len()]);
        let lines = expected.map_or(0, |keys| keys.split(' ').count());
        assert!(screens.is_none_or(|screens| screens.iter().all(|&screen| screen >= lines)), "{name}");
    }
}

#[test]
fn a_register_that_is_copied_and_then_overwritten_is_left_out() {
    // CL keeps the last key through each wait.
    let rows = [
        ("overwritten", "", false),
        ("copied", "mov ch, cl\n mov ch, 0", false),
        ("exchanged", "xchg cx, si\n xchg si, di\n mov di, 0\n mov si, 0", false),
        ("copied and read", "mov ch, cl\n cmp ch, 'a'\n mov ch, 0", true),
        ("exchanged and read", "xchg cl, dh\n cmp dh, 'a'\n mov dh, 0", true),
        ("copied, and the copy kept", "mov ch, cl\n mov si, cx\n mov ch, 0", false),
        ("saved with all others", "pusha\n mov cx, 5\n popa", false),
        ("saved with all others as doublewords", "pushad\n mov cx, 5\n popad", false),
        ("saved as a doubleword", "push ecx\n mov cx, 5\n pop ecx", false),
        (
            "pushed as a doubleword, popped as words",
            "push ecx\n pop si\n pop di\n mov si, 0\n mov di, 0",
            false,
        ),
        ("saved in a frame", "mov bp, cx\n enter 2, 0\n leave\n mov bp, 0", false),
        ("restored to another register", "pusha\n rept 7\n pop di\n endm\n pop ax\n mov di, 0", false),
        (
            "saved while other memory is read",
            "push cx\n mov di, offset start\n jmp $+2\n cmp byte ptr [di], 'a'\n pop cx\n mov di, 0",
            false,
        ),
        (
            "saved and read there in a block of its own",
            "push cx\n mov bp, sp\n jmp $+2\n cmp byte ptr [bp], 'a'\n pop bp",
            true,
        ),
        (
            "saved and read there after a constant change",
            "push cx\n mov bp, sp\n dec bp\n jmp $+2\n inc bp\n cmp byte ptr [bp], 'a'\n pop bp",
            true,
        ),
        ("saved and read there", "pusha\n mov bp, sp\n cmp byte ptr [bp+12], 'a'\n popa", true),
        (
            "saved and read there as doublewords",
            "pushad\n mov bp, sp\n cmp byte ptr [bp+24], 'a'\n popad",
            true,
        ),
        ("saved, restored and read", "pusha\n popa\n cmp cl, 'a'", true),
        (
            "popped to another register and read",
            "pushad\n rept 7\n pop edi\n endm\n pop eax\n cmp di, 'a'",
            true,
        ),
        (
            "saved in a frame and read there",
            "mov bp, cx\n enter 2, 0\n cmp byte ptr [bp], 'a'\n leave\n mov bp, 0",
            true,
        ),
        ("restored from a frame and read", "mov bp, cx\n enter 2, 0\n leave\n cmp bp, 'a'\n mov bp, 0", true),
    ];
    for (name, extra, is_kept) in rows {
        let setup = assembled(&toggles(&format!("{extra}\n mov cl, al")));
        let all = explored(&setup, "a b", &ExploreOptions::default());
        assert!(all.stats.complete && all.stats.exact, "{name}: {}", summary(&all));
        assert_eq!(all.stats.states > 4, is_kept, "{name}: {}", summary(&all));
    }
}

/// Empties the keyboard buffer itself before each key; A toggles a bit, Q ends with it. `extra` runs
/// before each key.
fn flushing(extra: &str) -> String {
    format!(
        "        .model tiny
        .code
        org 100h
start:  mov ax, 40h
        mov es, ax
        xor bl, bl
again:  mov ax, es:[1Ch]
        mov es:[1Ah], ax
        {extra}
        mov ah, 0
        int 16h
        cmp al, 'q'
        je done
        cmp al, 'a'
        jne again
        xor bl, 1
        jmp again
done:   mov al, bl
        mov ah, 4Ch
        int 21h
        end start
"
    )
}

#[test]
fn of_the_keyboard_buffer_a_flush_observes_only_the_position() {
    let seen = |extra: &str, depth| {
        let bounds = Bounds { depth, ..Bounds::default() };
        let all =
            explored(&assembled(&flushing(extra)), "a b c q", &ExploreOptions { bounds, ..of_program() });
        let names = observed(&all.stats);
        (names, all.stats.states, all.stats.complete, all.stats.ends)
    };
    let (names, states, complete, ends) = seen("", None);
    assert_eq!(names, ["position"]);
    // At most both values of the bit at each of the buffer's 16 positions.
    assert!(complete && (2..=32).contains(&states), "{states}");
    assert_eq!(ends.keys().collect::<Vec<_>>(), ["exit:0", "exit:1"]);
    // The last key differs in its old place.
    let (names, more, ..) = seen("mov dx, es:[1Eh]", Some(3));
    assert_eq!(names, ["keyboard"]);
    let (_, fewer, ..) = seen("", Some(3));
    assert!(more > 2 * fewer, "{more} and {fewer}");
}

#[test]
fn a_run_with_a_cleared_register_reads_nothing_else() {
    // The search clears BX at first, and then the program reads the real-time clock.
    let program = "        .model tiny
        .386
        .code
        org 100h
start:  mov bx, 1
again:  mov ah, 8
        int 21h
        cmp bx, 1
        je again
        mov ah, 2
        int 1Ah
        jmp again
        end start
";
    let bounds = Bounds { states: Some(60), ..Bounds::default() };
    let all = explored(&assembled(program), "c x", &ExploreOptions { bounds, ..of_program() });
    assert!(all.stats.complete && all.stats.seen.is_empty(), "{}", summary(&all));
}
