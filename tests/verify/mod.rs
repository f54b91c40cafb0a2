//! The built games against their native twins: every line of play.

use oxbox::games;
use oxbox::verify::{GameReport, Scope};
use oxbox::walk::WalkError;
use std::sync::OnceLock;

fn verify(game: &str, program: &[u8], file: &str) -> Result<GameReport, WalkError> {
    games::find(game).expect("a game of that name").verify(program, file, |_| {})
}

/// Returns the report of a built game, which is verified once.
pub(crate) fn report(name: &str) -> &'static GameReport {
    static REPORTS: [OnceLock<GameReport>; 5] = [const { OnceLock::new() }; 5];
    let number = games::GAMES.iter().position(|game| game.name == name).expect("a game of that name");
    REPORTS[number].get_or_init(|| verified(name))
}

fn verified(name: &str) -> GameReport {
    let game = games::find(name).expect("a game of that name");
    let report = verify(name, game.program, game.file).unwrap_or_else(|error| panic!("{name}: {error}"));
    if let Some(divergence) = report.diverging.first() {
        panic!(
            "{name} diverges {} times, first after {:?}: {}\n--- expected\n{}\n--- found\n{}",
            report.divergences,
            divergence.keys,
            divergence.what,
            divergence.expected.join("\n"),
            divergence.found.join("\n"),
        );
    }
    assert_eq!(report.lines, game.lines(), "{name}");
    assert!(report.complete && report.games.is_none(), "{name} closes over its replays");
    report
}

#[test]
fn ttt1() {
    let report = report("ttt1");
    assert_eq!((report.prompts, report.lines), (778, 497));
    let json = serde_json::to_value(report).unwrap();
    assert_eq!(json["outcomes"], serde_json::json!({"computer": 380, "draw": 117}));
    assert_eq!(json["computer_wins_after_a_row_of_the_user"], 14);
    assert_eq!(json["full_boards_with_a_row_of_the_user"], 6);
    assert!(json.get("screens_in_another_layout").is_none());
}

/// Every key of the keyboard, of which most are executed with another one that the program treats
/// alike.
#[test]
fn every_key() {
    let oxo = games::find("oxo").expect("a game of that name");
    let report = oxo.verify_within(oxo.program, oxo.file, Scope::Keys, |_| {}).expect("it starts");
    let first = report.diverging.first();
    assert_eq!((report.divergences, report.lines), (0, oxo.lines()), "{first:?}");
    assert!(report.complete && report.prompts == self::report("oxo").prompts);
    assert!(report.refused_keys > 349 * report.prompts, "{} keys", report.refused_keys);
}

/// Every key in some of the positions. ANSI.SYS, which is loaded then, would read commands after Esc,
/// which TTT1 prints.
#[test]
fn every_key_in_some_positions() {
    let ttt1 = games::find("ttt1").expect("a game of that name");
    let report = ttt1.verify_within(ttt1.program, ttt1.file, Scope::Sample, |_| {}).expect("it starts");
    let own = self::report("ttt1");
    assert_eq!((report.divergences, report.prompts), (0, own.prompts), "{:?}", report.diverging.first());
    let has = |key: &str| report.covers.keys.iter().any(|keys| keys.class.split(' ').any(|name| name == key));
    assert!(has("F1") && has("ALT+x") && has("CTRL+BREAK") && !has("ESC") && !has("CTRL+["));
    assert!(report.executed > own.executed && report.executed < 100 * own.states, "{} keys", report.executed);
    let left: Vec<&str> = report.covers.not.iter().map(|open| open.what.as_str()).collect();
    assert!(left.contains(&"other keys in other positions") && left.contains(&"Esc"), "{left:?}");
}

/// The built TTT1 with a changed byte in its tables: found at the first line that shows it.
#[test]
fn a_wrong_byte() {
    let good = games::find("ttt1").unwrap().program;
    // A pattern is a word to check, the word expected, and the target; the first of the table of wins is the
    // first of the table of blocks too.
    let pattern: &[u8] = &[0x06, 0x00, 0x06, 0x00, 0x01];
    let cases = [
        (
            "a row that is not won",
            pattern,
            0,
            0x00,
            "4 5 1",
            "the program waits for a key; the twin has ended",
        ),
        ("a row that is not blocked", pattern, 1, 0x00, "", "line "),
        ("another prompt", b"Your move:", 0, b'?', "", "line 7 is \"Your move?\""),
    ];
    for (name, bytes, number, wrong, keys, what) in cases {
        let mut places = (0..good.len()).filter(|&at| good[at..].starts_with(bytes));
        let at = places.nth(number).unwrap() + bytes.len() - 1;
        let mut program = good.to_vec();
        program[at] = wrong;
        let report = verify("ttt1", &program, "WRONG.EXE").unwrap();
        let first = report.diverging.first().unwrap_or_else(|| panic!("{name} is not found"));
        let is_there = keys.is_empty() || first.keys == keys;
        assert!(is_there, "{name}: {} after {}", first.what, first.keys);
        assert!(first.what.starts_with(what), "{name}: {}", first.what);
    }
}

/// Returns an EXE of one code segment.
fn exe(code: &[u8]) -> Vec<u8> {
    let mut header = [0u8; 32];
    let size = header.len() + code.len();
    let words = [0x5A4D, size % 512, size.div_ceil(512), 0, 2, 0x100, 0xFFFF, 0x100, 0x100, 0, 0, 0, 0x1C, 0];
    for (place, word) in header.chunks_mut(2).zip(words) {
        place.copy_from_slice(&(word as u16).to_le_bytes());
    }
    [&header, code].concat()
}

/// Programs that are not the game: the twin detects each soon.
#[test]
fn wrong_programs() {
    // Creates the file F, writes 60 MiB to it, and waits for a key.
    let file = b"\x0E\x1F\xB4\x3C\x33\xC9\xBA\x23\x00\xCD\x21\x8B\xD8\xBE\x80\x07\
        \xB4\x40\xB9\x00\x80\xBA\x00\x10\xCD\x21\x4E\x75\xF3\xB4\x00\xCD\x16\xEB\xFEF\0";
    let cases: [(&str, &[u8], &str); 10] = [
        ("a file of 60 MiB", file, ""),
        ("JMP $", &[0xEB, 0xFE], "no wait within"),
        ("CLI, HLT", &[0xFA, 0xF4], "HLT, and no interrupt can follow"),
        ("STI, HLT, JMP", &[0xFB, 0xF4, 0xEB, 0xFC], "no wait within 60000 ms"),
        ("exit", &[0xB8, 0x00, 0x4C, 0xCD, 0x21], "the program has ended; the twin waits for a key"),
        ("UD2", &[0x0F, 0x0B], "invalid opcode"),
        ("a flood of characters", &[0xB4, 0x02, 0xB2, 0x2A, 0xCD, 0x21, 0xEB, 0xF8], "no wait within"),
        ("protected mode", &[0x0F, 0x20, 0xC0, 0x0C, 0x01, 0x0F, 0x22, 0xC0], "protected mode"),
        ("a key wait, no screen", &[0xB4, 0x08, 0xCD, 0x21, 0xEB, 0xFA], "line 2 is \"\", not \" 0 | 1 | 2"),
        ("stack overrun", &[0x50, 0xEB, 0xFD], ""),
    ];
    for (name, code, expected) in cases {
        let report = verify("ttt1", &exe(code), "WRONG.EXE").unwrap();
        assert_eq!((report.lines, report.divergences), (0, 1), "{name}");
        let divergence = &report.diverging[0];
        assert!(divergence.what.contains(expected), "{name}: {}", divergence.what);
    }
}

/// Programs of random bytes, by seed: each is soon a divergence. `OXBOX_SEEDS=N` tries the first N.
#[test]
fn random_programs() {
    let first = std::env::var("OXBOX_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    // Seed 1 runs to every limit, which takes seconds.
    for seed in first.map_or(2..=6, |last| 1..=last) {
        let mut state: u64 = seed;
        let code: Vec<u8> = (0..300)
            .map(|_| {
                // Knuth's MMIX generator.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .collect();
        let report = verify("ttt1", &exe(&code), "RANDOM.EXE").unwrap();
        assert_eq!((report.lines, report.divergences), (0, 1), "seed {seed}");
    }
}

/// Returns OXO with other lines, assembled.
fn changed_oxo(edits: &[(&str, &str)]) -> Vec<u8> {
    let mut text = games::source("asm/oxo/oxo.asm").expect("a source").to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("oxo.asm"), text).expect("a file");
    let output = assert_cmd::Command::cargo_bin("oxbox")
        .expect("the command")
        .args(["build", "oxo.asm", "-o", "OXO.EXE"])
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(folder.path().join("OXO.EXE")).expect("a program")
}

/// OXO that does not say "I WIN!" to a user who once chose a taken cell: it keeps that in a byte
/// which is not displayed, so only a search over the program's own state distinguishes its
/// positions.
#[test]
fn state_that_only_the_program_keeps() {
    let program = changed_oxo(&[
        ("move    dw      ?", "chosen_twice db 0\nmove    dw      ?"),
        (
            "        jne     human_move\n        mov     is_taken[si], 1\n",
            "        je      free\n        mov     chosen_twice, 1\n        jmp     human_move\n\
             free:   mov     is_taken[si], 1\n",
        ),
        ("computer_won:\n", "computer_won:\n        cmp     chosen_twice, 0\n        jne     drawn\n"),
    ]);
    let report = verify("oxo", &program, "OXO.EXE").expect("it starts");
    let first = report.diverging.first().expect("a divergence");
    let keys: Vec<&str> = first.keys.split(' ').collect();
    assert_eq!((keys.len(), keys[0]), (3, keys[1]), "{}", first.keys);
    assert!(first.found.join("\n").contains("DRAW!"), "{}", first.what);
}

/// A program that discards keys typed ahead asks for them: pairs are typed, the first shows it.
#[test]
fn keys_typed_ahead_are_lost() {
    let program = changed_oxo(&[(
        "human_move proc\n",
        "human_move proc\n        mov     ax, 0C00h\n        int     21h\n",
    )]);
    let report = verify("oxo", &program, "OXO.EXE").expect("it starts");
    assert_eq!(report.covers.typed_ahead, "pairs");
    let first = report.diverging.first().expect("a divergence");
    assert_eq!(first.keys.split(' ').count(), 2, "{}: {}", first.keys, first.what);
}

/// A program that shows uninitialised memory: only another starting condition reveals it.
#[test]
fn memory_that_nobody_has_written() {
    let program = changed_oxo(&[(
        "human_move proc\n",
        "human_move proc\n        push    ds\n        mov     ax, 8000h\n        mov     ds, ax\n        cmp     byte ptr ds:[0], 0\n        \
         pop     ds\n        je      nobody\n        mov     al, BEL\n        int     29h\nnobody:\n",
    )]);
    let oxo = games::find("oxo").expect("a game of that name");
    assert_eq!(verify("oxo", &program, "OXO.EXE").expect("it starts").divergences, 0);
    let report = oxo.verify_within(&program, "OXO.EXE", Scope::Starts, |_| {}).expect("it starts");
    let first = report.diverging.first().expect("a divergence");
    assert!(first.what.starts_with("memory FFh: "), "{}", first.what);
}

/// The statement of a proof contains what was tried, and what was not.
#[test]
fn what_a_proof_covers() {
    let covers = |game: &str| &report(game).covers;
    let ttt1 = serde_json::to_value(covers("ttt1")).expect("JSON");
    assert_eq!(ttt1["games"], "closed");
    assert_eq!((&ttt1["channels"]["sound"], &ttt1["channels"]["attributes"]), (&true.into(), &true.into()));
    assert_eq!(ttt1["starts"]["clock"], "never read");
    let allowed = ttt1["allowed"].as_array().expect("a list");
    assert!(allowed.iter().any(|open| open["what"] == "empty lines before a board"), "{allowed:?}");
    let oxo = covers("oxo");
    let effect = |key: &str| {
        let class = oxo.keys.iter().find(|keys| keys.class.split(' ').any(|name| name == key));
        class.map(|keys| keys.effect.as_str())
    };
    assert_eq!(effect("1-8"), Some("moves, changes nothing"));
    assert_eq!((effect("ESC"), effect("x")), (Some("leaves"), Some("changes nothing")));
    assert_eq!(oxo.typed_ahead, "any: no run checks for waiting keys");
    assert!(oxo.not.iter().any(|open| open.what == "other keys"), "{:?}", oxo.not);
}

#[test]
fn what_is_no_program() {
    let error = verify("ttt1", b"MZ", "X.EXE").unwrap_err();
    assert!(!error.to_string().is_empty());
}

#[test]
fn eecs2100() {
    let report = report("eecs2100");
    // Positions that are reached in several ways are counted once.
    assert!(report.prompts > 400, "{} prompts", report.prompts);
    assert_eq!(report.lines, 473);
    let json = serde_json::to_value(report).unwrap();
    assert_eq!(json["outcomes"], serde_json::json!({"computer": 334, "draw": 125, "user": 14}));
    assert_eq!(report.user_wins.len(), 14);
    eprintln!("{} instructions", report.instructions);
}

#[test]
fn grid18() {
    let report = report("grid18");
    assert_eq!(report.lines, 255_168);
    let json = serde_json::to_value(report).unwrap();
    assert_eq!(json["outcomes"], serde_json::json!({"x": 131_184, "o": 77_904, "draw": 46_080}));
    // Each of the 3^9 fillings: once emptied, twice evaluated, 18 times set, 9 times read.
    assert_eq!(json["procedure_calls"], 19_683 * (1 + 2 + 18 + 9));
}

#[test]
fn oxo() {
    let report = report("oxo");
    assert_eq!(report.lines, 76);
    assert_eq!(
        serde_json::to_value(&report.outcomes).unwrap(),
        serde_json::json!({"computer": 72, "draw": 4})
    );
}

#[test]
fn chip() {
    let report = report("chip");
    let json = serde_json::to_value(report).unwrap();
    // The user begins; the chip begins, on each of eight cells.
    assert_eq!(report.lines, 681 + 1274);
    assert_eq!(json["outcomes"], serde_json::json!({"computer": 498 + 1168, "draw": 183 + 106}));
    assert_eq!((&json["worst_clocks"], &json["worst_clocks_user_begins"]), (&15_007.into(), &15_007.into()));
    assert_eq!(json["worst_clocks_chip_begins"], 7_303);
    // The keys of the line with the longest search: the user begins on cell 7.
    assert!(json["worst_keys"].as_str().is_some_and(|keys| keys.contains("u 7 ")), "{}", json["worst_keys"]);
    let begins = json["begins"].as_object().expect("lines by who begins");
    let lines: Vec<(&str, u64)> =
        begins.iter().map(|(who, begun)| (who.as_str(), begun["lines"].as_u64().unwrap())).collect();
    let expected = [
        ("0", 101),
        ("1", 118),
        ("2", 112),
        ("3", 180),
        ("4", 201),
        ("5", 209),
        ("6", 136),
        ("7", 217),
        ("user", 681),
    ];
    assert_eq!(lines, expected);
    assert_eq!(begins["user"]["outcomes"], serde_json::json!({"computer": 498, "draw": 183}));
    assert_eq!(begins["7"]["outcomes"], serde_json::json!({"computer": 186, "draw": 31}));
}

/// The command shows a wrong picture as pictures, and its script leads to the same picture again.
#[test]
fn a_wrong_picture_is_shown() {
    use assert_cmd::Command;
    use std::fs;

    let mut program = games::find("eecs2100").expect("a game in the box").program.to_vec();
    // The width of the ring's fifth line.
    let ring: &[u8] = &[17, 17, 17, 17, 16, 16, 16, 15, 15, 14, 13, 12, 11, 10, 8, 6, 2];
    let at = program.windows(ring.len()).position(|bytes| bytes == ring).expect("the ring");
    program[at + 4] = 15;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("ring.exe"), program).expect("a file");
    let run = |line: &str| {
        let mut command = Command::cargo_bin("oxbox").expect("the command");
        let output = command.args(line.split(' ')).current_dir(folder).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, report) = run("verify eecs2100 --program ring.exe --divergences why");
    assert_eq!(code, Some(1));
    assert!(
        report.contains("4 of 76800 pixels differ, within (141, 113) to (173, 121), the first at (141, 113)"),
        "{report}"
    );
    run("run ring.exe --headless --script why/eecs2100-1.script");
    let picture = |name: &str| {
        let file = fs::read(folder.join("why").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        oxbox::media::picture::Picture::decode(&file).expect("a picture")
    };
    let [found, expected, marked] =
        ["found", "expected", "difference"].map(|side| picture(&format!("eecs2100-1-{side}.png")));
    assert_eq!(picture("eecs2100-1-again.png").pixels, found.pixels);
    let differing = (0..found.pixels.len()).filter(|&at| found.pixels[at] != expected.pixels[at]);
    let red = (0..found.pixels.len()).filter(|&at| marked.pixels[at] == 0xD01020);
    assert!(differing.eq(red));
}
