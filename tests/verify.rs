//! The built games against their native twins: every line of play.

use oxbox::games;
use oxbox::verify::{GameReport, StartError};

fn verify(game: &str, program: &[u8], file: &str) -> Result<GameReport, StartError> {
    games::find(game).expect("a game of that name").verify(program, file, |_| {})
}

fn report(name: &str) -> GameReport {
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
    report
}

#[test]
fn ttt1() {
    let report = report("ttt1");
    assert_eq!((report.prompts, report.lines), (778, 497));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["outcomes"], serde_json::json!({"computer": 380, "draw": 117}));
    assert_eq!(json["computer_wins_after_a_row_of_the_user"], 14);
    assert_eq!(json["full_boards_with_a_row_of_the_user"], 6);
    assert!(json.get("screens_in_another_layout").is_none());
}

/// The built TTT1 with one byte of its tables changed: found at the first line of play that shows it.
#[test]
fn a_wrong_byte() {
    let good = games::find("ttt1").unwrap().program;
    // A pattern is a word to check, the word expected, and the target; the first of the table of wins is the
    // first of the table of blocks too.
    let pattern: &[u8] = &[0x06, 0x00, 0x06, 0x00, 0x01];
    let cases = [
        ("a row that is not won", pattern, 0, 0x00, "0 5 7 3", "line 22 is \" 6 |   | 8      | X |\""),
        ("a row that is not blocked", pattern, 1, 0x00, "0 2 7 3", "line 24 is \" 6 |   |        | X | O\""),
        ("another prompt", b"Your move:", 0, b'?', "", "line 7 is \"Your move?\""),
    ];
    for (name, bytes, number, wrong, keys, what) in cases {
        let mut places = (0..good.len()).filter(|&at| good[at..].starts_with(bytes));
        let at = places.nth(number).unwrap() + bytes.len() - 1;
        let mut program = good.to_vec();
        program[at] = wrong;
        let report = verify("ttt1", &program, "WRONG.EXE").unwrap();
        let first = report.diverging.first().unwrap_or_else(|| panic!("{name} is not found"));
        assert_eq!(first.keys, keys, "{name}: {}", first.what);
        assert!(first.what.starts_with(what), "{name}: {}", first.what);
    }
}

/// An EXE of one code segment.
fn exe(code: &[u8]) -> Vec<u8> {
    let mut header = [0u8; 32];
    let size = header.len() + code.len();
    let words = [0x5A4D, size % 512, size.div_ceil(512), 0, 2, 0x100, 0xFFFF, 0x100, 0x100, 0, 0, 0, 0x1C, 0];
    for (place, word) in header.chunks_mut(2).zip(words) {
        place.copy_from_slice(&(word as u16).to_le_bytes());
    }
    [&header, code].concat()
}

/// Programs that are not the game: each is told apart by its twin, soon.
#[test]
fn wrong_programs() {
    // Makes the file F, writes 60 MiB into it, and waits for a key.
    let file = b"\x0E\x1F\xB4\x3C\x33\xC9\xBA\x23\x00\xCD\x21\x8B\xD8\xBE\x80\x07\
        \xB4\x40\xB9\x00\x80\xBA\x00\x10\xCD\x21\x4E\x75\xF3\xB4\x00\xCD\x16\xEB\xFEF\0";
    let cases: [(&str, &[u8], &str); 10] = [
        ("a file of 60 MiB", file, "more than 4 MiB into files"),
        ("JMP $", &[0xEB, 0xFE], "no key wait within"),
        ("CLI, HLT", &[0xFA, 0xF4], "HLT with no interrupt to come"),
        ("STI, HLT, JMP", &[0xFB, 0xF4, 0xEB, 0xFC], "no key wait within 60000 ms"),
        ("exit", &[0xB8, 0x00, 0x4C, 0xCD, 0x21], "the program has ended; the twin waits for a key"),
        ("UD2", &[0x0F, 0x0B], "invalid opcode"),
        ("a flood of characters", &[0xB4, 0x02, 0xB2, 0x2A, 0xCD, 0x21, 0xEB, 0xF8], "no key wait within"),
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

/// Programs of random bytes, by seed: whatever they do, it is a divergence, soon.
#[test]
fn random_programs() {
    let seeds = std::env::var("OXBOX_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(8);
    for seed in 1..=seeds {
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

#[test]
fn what_is_no_program() {
    let error = verify("ttt1", b"MZ", "X.EXE").unwrap_err();
    assert!(!error.to_string().is_empty());
}

#[test]
fn eecs2100() {
    let report = report("eecs2100");
    // The title, 277 prompts of the user and 473 ends; then what follows the first end of each kind and
    // branch.
    assert!(report.prompts > 1 + 277 + 473, "{} prompts", report.prompts);
    assert_eq!(report.lines, 473);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["outcomes"], serde_json::json!({"computer": 334, "draw": 125, "user": 14}));
    assert_eq!(report.user_wins.len(), 14);
    eprintln!("{} instructions", report.instructions);
}

#[test]
fn grid18() {
    let report = report("grid18");
    assert_eq!(report.lines, 255_168);
    let json = serde_json::to_value(&report).unwrap();
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
    let json = serde_json::to_value(&report).unwrap();
    // The user begins; the chip begins, on each of eight places.
    assert_eq!(report.lines, 681 + 1274);
    assert_eq!(json["outcomes"], serde_json::json!({"computer": 498 + 1168, "draw": 183 + 106}));
    assert_eq!((&json["worst_clocks"], &json["worst_clocks_user_begins"]), (&15_007.into(), &15_007.into()));
    assert_eq!(json["worst_clocks_chip_begins"], 7_303);
}

/// The command shows a wrong picture as pictures, and its script comes to the same picture again.
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
        report.contains("4 pixels differ, within (141, 113) to (173, 121), the first at (141, 113)"),
        "{report}"
    );
    run("run ring.exe --headless --script why/eecs2100-1.script");
    let picture = |name: &str| {
        let file = fs::read(folder.join("why").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        oxbox::picture::Picture::decode(&file).expect("a picture")
    };
    let [found, expected, marked] =
        ["found", "expected", "difference"].map(|side| picture(&format!("eecs2100-1-{side}.png")));
    assert_eq!(picture("eecs2100-1-again.png").pixels, found.pixels);
    let differing = (0..found.pixels.len()).filter(|&at| found.pixels[at] != expected.pixels[at]);
    let bright = (0..found.pixels.len()).filter(|&at| marked.pixels[at] == 0xFF00FF);
    assert!(differing.eq(bright));
}
