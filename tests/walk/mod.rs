//! Searches over small programs, each assembled here, and over the games: merged states, observed
//! state, results.
#![cfg(feature = "assembler")]

mod auto;
mod classes;
mod clicks;
mod games;
mod memory;
mod parts;
mod polls;
mod timer;
mod unseen;

use assert_cmd::Command;
use oxbox::toolchain::{BuildRequest, build};
use oxbox::walk::{
    Bounds, Choices, Comparison, Exploration, ExploreOptions, Predicate, SameOptions, Sameness, SearchStats,
    Setup, explore, same,
};
use std::sync::Arc;

/// A COM program that keeps two bits, shows them, and runs `extra` each time before it reads a key.
fn toggles(extra: &str) -> String {
    format!(
        "        .model tiny
        .386
        .code
        org 100h
start:  mov bl, '0'
        mov bh, '0'
again:  {extra}
        mov ah, 2
        mov dl, 13
        int 21h
        mov dl, bl
        int 21h
        mov dl, bh
        int 21h
        mov ah, 8
        int 21h
        cmp al, 'q'
        je leave_it
        cmp al, 'c'
        je crash
        cmp al, 'h'
        je $
        cmp al, 'a'
        jne other
        xor bl, 1
        jmp again
other:  cmp al, 'b'
        jne again
        xor bh, 1
        jmp again
crash:
        db 0Fh, 0Bh
leave_it:
        mov al, bl
        mov ah, 4Ch
        int 21h
        end start
"
    )
}

fn assembled(source: &str) -> Setup {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.asm");
    std::fs::write(&path, source).expect("write the source");
    let request = BuildRequest { inputs: vec![path], ..oxbox::built_in::build_request() };
    let linked = build(&request).expect("it builds");
    let symbols = Some(Arc::new(linked.symbols));
    Setup { instruction_limit: 100_000, symbols, ..Setup::new(linked.bytes, "P.COM") }
}

fn explored(setup: &Setup, choices: &str, options: &ExploreOptions) -> Exploration {
    let choices = Choices::from_words(choices).expect("choices");
    explore(setup, &choices, options, &|_| {}).expect("it starts")
}

/// The names of the categories that the program observes.
fn observed(stats: &SearchStats) -> Vec<&'static str> {
    stats.seen.iter().map(|category| category.name()).collect()
}

/// `states/tried depth ends seen`.
fn summary(exploration: &Exploration) -> String {
    let SearchStats { states, choices_tried, depth, complete, seen, ends, .. } = &exploration.stats;
    let mut text = format!("{states}/{choices_tried} depth {depth}");
    for (end, count) in ends {
        text += &format!(" {end}={count}");
    }
    for class in seen {
        text += &format!(" sees {}", class.name());
    }
    if !complete {
        text += " cut";
    }
    text
}

/// Adds the digits typed in lines, modulo 2.
const LINES: &str = "
        .model tiny
        .code
        org 100h
start:  xor bl, bl
again:  mov dx, offset line
        mov ah, 0Ah
        int 21h
        add bl, line[2]
        and bl, 1
        jmp again
line    db 4, 0, 4 dup (0)
        end start
";

#[test]
fn equal_positions_are_one_state() {
    let beep = "in al, 61h\n or al, 3\n out 61h, al\n in al, 61h\n and al, 0FCh\n out 61h, al";
    let equipment = "push 40h\n pop es\n mov al, es:[10h]";
    let deep_stack = "pusha\n pusha\n pusha\n call $+3\n pop ax\n add sp, 48";
    let saves_the_key = "push ax\n mov ax, 1\n pop ax\n push es\n pop es\n pushf\n popf";
    let last_key = toggles("mov cl, al").replace("mov al, bl", "mov al, cl");
    let rows = [
        ("toggles", toggles(""), "a b", "4/8 depth 2"),
        ("and an exit", toggles(""), "a b q", "4/12 depth 2 exit:48=2 exit:49=2"),
        ("a crash and a hang", toggles(""), "a c h", "2/6 depth 1 crash=2 hang=2"),
        ("a beep", toggles(beep), "a b", "4/8 depth 2"),
        ("another byte of the BIOS data area", toggles(equipment), "a b", "4/8 depth 2"),
        ("what lies below the stack pointer", toggles(deep_stack), "a b", "4/8 depth 2"),
        ("a register that is only kept", toggles(saves_the_key), "a b", "4/8 depth 2"),
        ("the last key is kept and read", last_key, "a b q", "9/27 depth 3 exit:0=1 exit:97=4 exit:98=4"),
    ];
    for (name, source, choices, expected) in rows {
        let exploration = explored(&assembled(&source), choices, &ExploreOptions::default());
        assert_eq!(summary(&exploration), expected, "{name}");
        assert!(exploration.stats.exact, "{name}");
    }
    let lines = Choices::from_lines("1 ENTER\n2 ENTER").expect("choices");
    let exploration =
        explore(&assembled(LINES), &lines, &ExploreOptions::default(), &|_| {}).expect("it starts");
    // The last input stays in the program's own buffer.
    assert_eq!(summary(&exploration), "5/10 depth 2", "lines");
}

/// Reads port 60h itself: A and B toggle, Q ends with the bits.
const PORTS: &str = "
        .model tiny
        .code
        org 100h
start:  cli
        xor bl, bl
again:  in al, 60h
        cmp al, cl
        je again
        mov cl, al
        cmp al, 10h
        je done
        cmp al, 1Eh
        jne other
        xor bl, 1
other:  cmp al, 30h
        jne again
        xor bl, 2
        jmp again
done:   mov al, bl
        mov ah, 4Ch
        int 21h
        end start
";

#[test]
fn a_program_that_reads_the_keyboard_port() {
    let setup = Setup { instruction_limit: 10_000_000, ..assembled(PORTS) };
    let options = ExploreOptions { find: vec![Predicate::Exit(3)], ..ExploreOptions::default() };
    let exploration = explored(&setup, "a b q", &options);
    assert_eq!(exploration.found.first().map(|found| found.keys.as_str()), Some("a b q"));
    assert_eq!(observed(&exploration.stats), ["last_byte"]);
}

#[test]
fn a_crash_and_a_hang_name_their_line() {
    let options =
        ExploreOptions { find: vec![Predicate::Crash, Predicate::Hang], ..ExploreOptions::default() };
    let found = explored(&assembled(&toggles("")), "a c h", &options).found;
    let ends: Vec<_> = found.iter().filter_map(|found| found.end.clone()).collect();
    assert!(
        ends[0].starts_with("crash: invalid opcode (INT 06h) at ") && ends[0].ends_with("p.asm:30"),
        "{ends:?}"
    );
    assert!(
        ends[1].starts_with("hang: no wait within 100000 instructions, at ") && ends[1].contains("p.asm:"),
        "{ends:?}"
    );
}

#[test]
fn bounds_are_told() {
    let setup = assembled(&toggles(""));
    let rows = [
        (Bounds { depth: Some(1), ..Bounds::default() }, "3/2 depth 1 cut", false),
        (Bounds { states: Some(2), ..Bounds::default() }, "2/4 depth 1 cut", false),
        (Bounds { memory: Some(1), disk: Some(0), ..Bounds::default() }, "3/2 depth 1 cut", true),
        (Bounds { memory: Some(1), disk: Some(1), ..Bounds::default() }, "3/2 depth 1 cut", true),
        (Bounds { memory: Some(1), ..Bounds::default() }, "4/8 depth 2", false),
    ];
    for (bounds, expected, overflowed) in rows {
        let exploration = explored(&setup, "a b", &ExploreOptions { bounds, ..ExploreOptions::default() });
        assert_eq!(
            (summary(&exploration).as_str(), exploration.stats.overflowed),
            (expected, overflowed),
            "{bounds:?}"
        );
    }
}

#[test]
fn a_look_at_the_clock_is_seen_and_keeps_states_apart() {
    let rows = [
        ("INT 1Ah", "ticks", "mov ah, 0\n int 1Ah"),
        ("INT 1Ah AH=02h", "clock", "mov ah, 2\n int 1Ah"),
        ("INT 21h AH=2Ch", "ticks", "mov ah, 2Ch\n int 21h"),
        ("INT 21h AH=2Ah", "date", "mov ah, 2Ah\n int 21h"),
        ("the tick count", "ticks", "push 40h\n pop es\n mov ax, es:[6Ch]"),
        ("the tick count from 0000:", "ticks", "push 0\n pop es\n mov ax, es:[46Ch]"),
        (
            "the tick count after a loop has been translated",
            "ticks",
            "push 0\n pop es\n mov di, 3000h\n mov al, es:[di]\n dec di\n cmp di, 46Ch\n jae $-8",
        ),
        ("the tick count at the wrap", "ticks", "push 0FFFFh\n pop es\n mov di, 47Ch\n mov ax, es:[di]"),
        (
            "a copy of the BIOS data area",
            "ticks",
            "push ds\n pop es\n mov cx, 4\n mov si, 46Ah\n mov di, 5000h\n push ds\n push 0\n pop ds\n rep movsw\n pop ds",
        ),
        ("the timer", "timer", "in al, 40h"),
        ("the refresh bit", "timer", "in al, 61h\n test al, 10h\n jz $+2"),
        ("the retrace", "timer", "mov dx, 3DAh\n in al, dx"),
        (
            "its own INT 1Ch",
            "timer",
            "mov ax, 251Ch\n mov dx, 20F8h\n push ds\n push 0F000h\n pop ds\n int 21h\n pop ds",
        ),
    ];
    let options = ExploreOptions {
        bounds: Bounds { depth: Some(3), ..Bounds::default() },
        ..ExploreOptions::default()
    };
    let setups = rows.map(|(name, seen, extra)| (name, seen, assembled(&toggles(extra))));
    for (name, seen, setup) in setups {
        let exploration = explored(&setup, "a b", &options);
        assert_eq!(observed(&exploration.stats), [seen], "{name}");
        // The keys are typed at once: they come in the same tick.
        let is_apart = exploration.stats.states > 4;
        assert_eq!(is_apart, seen == "clock", "{name}: {}", exploration.stats.states);
        let blind = ExploreOptions { sameness: Sameness::Memory, ..ExploreOptions::default() };
        let exploration = explored(&setup, "a b", &blind);
        assert!(exploration.stats.complete && !exploration.stats.exact, "{name}");
    }
}

#[test]
fn a_program_that_reads_the_time_has_bounds_of_its_own() {
    let setup = assembled(&toggles("mov ah, 2\n int 1Ah"));
    let of_timed = |timed_states, timed_depth| ExploreOptions {
        bounds: Bounds { timed_states, timed_depth, ..Bounds::default() },
        ..ExploreOptions::default()
    };
    let by_states = explored(&setup, "a b", &of_timed(Some(20), None)).stats;
    assert_eq!((by_states.states, by_states.complete), (20, false));
    // After one key less, no state was left out; after this number, some were.
    let states_within = |depth| explored(&setup, "a b", &of_timed(None, Some(depth))).stats.states;
    let tried = by_states.tried_depth;
    assert!(states_within(tried - 1) <= 20 && states_within(tried) > 20, "{tried}");
    let by_depth = explored(&setup, "a b", &of_timed(None, Some(3))).stats;
    assert_eq!((by_depth.tried_depth, by_depth.complete), (3, false));
    // A program that does not read it has no such bounds.
    let stats = explored(&assembled(&toggles("")), "a b", &of_timed(Some(2), Some(1))).stats;
    assert!(stats.complete && stats.states == 4 && stats.tried_depth == stats.depth + 1, "{stats:?}");
}

#[test]
fn memory_beside_the_bios_data_area_is_no_look_at_the_clock() {
    // A loop that reads the interrupt vectors and the byte after the data area, and one that writes.
    let extra = "push 0\n pop es\n mov cx, 9000\n mov ax, es:[84h]\n mov al, es:[500h]\n loop $-8\n \
                 mov es:[4F0h], cl";
    let exploration = explored(&assembled(&toggles(extra)), "a b", &ExploreOptions::default());
    assert_eq!(exploration.stats.seen, []);
    assert_eq!((exploration.stats.states, exploration.stats.complete), (4, true));
}

#[test]
fn insert_keeps_states_apart_if_the_program_asks_for_it() {
    let reads_flags = "push ds\n mov ax, 40h\n mov ds, ax\n mov al, ds:[17h]\n pop ds";
    for (extra, states) in [("", 4), ("mov ah, 2\n int 16h", 8), (reads_flags, 8)] {
        let found = explored(&assembled(&toggles(extra)), "a b INS", &ExploreOptions::default());
        assert_eq!((found.stats.states, found.stats.complete), (states, true), "{extra}");
    }
}

#[test]
fn what_is_found_has_the_shortest_keys() {
    let setup = assembled(&toggles(""));
    let rows = [
        (Predicate::Text("11".into()), Some("a b")),
        (Predicate::Output("01".into()), Some("b")),
        (Predicate::Exit(b'1'), Some("a q")),
        (Predicate::Crash, Some("c")),
        (Predicate::Hang, Some("h")),
        (Predicate::Text("22".into()), None),
        (Predicate::Exit(7), None),
    ];
    for (predicate, expected) in rows {
        let options = ExploreOptions { find: vec![predicate.clone()], ..ExploreOptions::default() };
        let exploration = explored(&setup, "a b c h q", &options);
        let found = exploration.found.first().map(|found| found.keys.as_str());
        assert_eq!(found, expected, "{predicate:?}");
        assert_eq!(exploration.stats.complete, expected.is_none(), "{predicate:?}");
    }
    let all = ExploreOptions { find_all: vec![Predicate::Text("1".into())], ..ExploreOptions::default() };
    let found = explored(&setup, "a b", &all).found;
    assert_eq!(found.iter().map(|found| found.keys.as_str()).collect::<Vec<_>>(), ["a", "b", "a b"]);
}

#[test]
fn the_report_does_not_depend_on_threads() {
    let setup = assembled(&toggles(""));
    let with = |threads| {
        let find_all = vec![Predicate::Text("1".into()), Predicate::Crash];
        explored(&setup, "a b c q", &ExploreOptions { threads, find_all, ..ExploreOptions::default() })
    };
    let one = with(1);
    for threads in 2..5 {
        assert_eq!(with(threads), one, "{threads} threads");
    }
}

fn compared(a: &str, b: &str, choices: &str) -> Comparison {
    let choices = Choices::from_words(choices).expect("choices");
    let [a, b] = [a, b].map(assembled);
    same(&a, &b, &choices, &SameOptions::default(), &|_| {}).expect("they start")
}

#[test]
fn two_programs_are_equal_or_differ_after_the_shortest_keys() {
    let original = toggles("");
    let other_way = toggles("nop");
    let forgets = original.replace("xor bh, 1", "or bh, 1");
    let other_code = original.replace("mov al, bl", "mov al, bh");
    let rows = [
        ("itself", &original, None),
        ("another way to do the same", &other_way, None),
        ("a bit that stays set", &forgets, Some("b b")),
        ("another exit code", &other_code, Some("a q")),
    ];
    for (name, other, expected) in rows {
        let comparison = compared(&original, other, "a b q");
        let keys = comparison.difference.as_ref().map(|difference| difference.keys.as_str());
        assert_eq!(keys, expected, "{name}");
        assert_eq!(comparison.stats.complete, expected.is_none(), "{name}");
    }
}

#[test]
fn the_commands_tell_by_their_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    let source = toggles("");
    write("p.asm", &source);
    write("mutant.asm", &source.replace("xor bh, 1", "or bh, 1"));
    write("lines.txt", "a b\nq\n");
    write("ends.asm", ".model tiny\n.code\norg 100h\nstart: ret\nend start\n");
    write("stick.asm", &source.replace("start:  mov bl", "start:  mov dx, 201h\n in al, dx\n mov bl"));
    let rows = [
        ("explore p.asm --choices a-b", 0, "4 states, 8 choices tried"),
        ("explore p.asm --choices a-b --json", 0, "\"complete\": true"),
        ("explore p.asm --choices a-b --find text:11", 0, "text:11: a b"),
        ("explore p.asm --choices a-b --find text:22", 1, "text:22: cannot be reached"),
        ("explore p.asm --choices a-b --never text:22", 0, "text:22: cannot be reached"),
        ("explore p.asm --choices a-b --always crash", 1, "always crash: fails at the start"),
        ("explore p.asm --choices a-c --always !crash", 1, "always !crash: fails after c"),
        ("explore p.asm --choices a-b --always bh<32h", 0, "always bh<32h: holds in every state"),
        ("explore p.asm --choices a-b --always bh==30h", 1, "always bh==30h: fails after b"),
        ("explore p.asm --choices a-b --depth 1 --always bh<32h", 0, "holds in every state that was reached"),
        ("explore p.asm --choices abq --never exit:49", 2, "'abq' is not a choice"),
        ("explore p.asm --choices-file lines.txt --never exit:49", 1, "exit:49: a b q"),
        ("explore p.asm --choices a-c --never crash", 1, "crash: invalid opcode"),
        ("explore p.asm --choices a-b --find wrong", 2, "'wrong' is not one of"),
        ("explore p.asm --choices a-b --state-memory 0", 0, "4 states, 8 choices tried"),
        (
            "explore p.asm --choices a-b --state-memory 0 --state-disk 0",
            124,
            "the states take more than 0 MiB of memory and 0 MiB on disk",
        ),
        (
            "explore p.asm --choices a-b --state-memory 17592186044416 --state-disk 0",
            0,
            "4 states, 8 choices tried",
        ),
        ("explore none.asm --choices a", 125, "none.asm"),
        ("explore p.asm --choices x --never exit:49", 120, "exit:49: no answer: no choice had an effect"),
        ("explore p.asm --choices x", 0, "1 states, 1 choices tried"),
        ("explore p.asm --choices x --json --find crash", 120, "\"doubt\": \"no choice had an effect\""),
        ("explore ends.asm --choices x --never crash", 120, "no answer: the program ended without waiting"),
        ("explore ends.asm --choices x --find exit:0", 0, "exit:0: at the start"),
        ("explore stick.asm --choices a-b --never crash", 120, "something that is missing: a game port"),
        ("same p.asm p.asm --choices x", 120, "no answer: no choice had an effect"),
        ("same p.asm mutant.asm --choices x --json", 120, "\"equal\": null"),
        ("explore p.asm --choices a-b --same state --why-different a b", 0, "video memory"),
        ("same p.asm p.asm --choices a-b", 0, "equal: 4 states, 8 choices tried"),
        (
            "same p.asm mutant.asm --choices a-b",
            1,
            "different after b b: the screens differ, first in line 1",
        ),
        ("same p.asm mutant.asm --choices a-b --depth 1", 0, "equal within the limits: 3 states"),
        ("same p.asm mutant.asm --choices a-b --json", 1, "\"keys\": \"b b\""),
    ];
    for (line, code, expected) in rows {
        let mut command = Command::cargo_bin("oxbox").expect("the command");
        let command = command.args(line.split(' ')).current_dir(folder.path()).env("NO_COLOR", "1");
        let output = command.output().expect("it runs");
        let text =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(
            output.status.code() == Some(code) && text.contains(expected),
            "{line}: {:?}\n{text}",
            output.status
        );
    }
}
