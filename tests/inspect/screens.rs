//! The final screens of all five games are traced to lines of the sources: each character, and in
//! pictures each cell.

use oxbox::games::GAMES;
use oxbox::inspect::{Program, WriteTarget, last_write};
use oxbox::machine::{Config, Machine, Script, Stop, Timeline, Until};
use oxbox::toolchain::{BuildRequest, build};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the keys of a game to its end; the 2007 game waits there for an answer.
fn keys(game: &str) -> &'static str {
    match game {
        "ttt1" => "0 2 7 3 q",
        "eecs2100" => "SP 5 1 7 3",
        "grid18" => "2 2 1 1 1 3 3 3 3 1",
        "oxo" => "1 6 8 4 3",
        "chip" => "u 8 0 q",
        other => panic!("no keys for {other}"),
    }
}

/// Returns a game built from its sources and played, with its lines.
fn played(name: &str) -> (Timeline, Program) {
    let game = oxbox::games::find(name).unwrap();
    let asm = Path::new(env!("CARGO_MANIFEST_DIR")).join("asm");
    let inputs = game.sources.iter().map(|source| asm.join(source)).collect();
    let built = build(&BuildRequest { inputs, ..oxbox::built_in::build_request() }).unwrap();
    assert_eq!(built.bytes, game.program, "the lines are those of the game");
    let mut machine = Machine::new(&Config::default()).unwrap();
    machine.load(&built.bytes, game.file, "").unwrap();
    let program = Program::new(built.symbols, &machine.cpu().regs, built.bytes.len());
    let mut timeline = Timeline::new(machine, 256 << 20);
    timeline.set_script(Script::from_keys(keys(name)).unwrap());
    let stop = timeline.run(&Until::KEY_WAIT, &mut ());
    assert!(matches!(stop, Stop::Exited(_) | Stop::KeyWait), "{name}: {stop:?}");
    (timeline, program)
}

/// Returns the line that wrote something last; `None` if none did.
fn line_of(timeline: &mut Timeline, program: &Program, written: WriteTarget) -> Option<String> {
    let end = timeline.end();
    timeline.go_to(end);
    last_write(timeline, written)?;
    let (cs, ip) = timeline.machine().position();
    // A service is identified by the INT before the return address.
    let in_service = timeline.machine().cpu().regs.cs() != cs;
    let at = if in_service { ip.wrapping_sub(2) } else { ip };
    let place = program.place(cs, at).filter(|place| place.line.is_some());
    Some(
        place
            .unwrap_or_else(|| panic!("{written:?} was written at {cs:04X}:{at:04X}, which has no line"))
            .to_string(),
    )
}

/// Returns how often each line is the writer of one of these; "-" if absent.
fn lines(name: &str, asked: impl Fn(&Timeline) -> Vec<WriteTarget>) -> BTreeMap<String, usize> {
    let (mut timeline, program) = played(name);
    let mut counts = BTreeMap::new();
    for written in asked(&timeline) {
        let line = line_of(&mut timeline, &program, written).unwrap_or_else(|| "-".to_owned());
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// Returns every `of`th character that is not blank.
fn cells(timeline: &Timeline, of: usize) -> Vec<WriteTarget> {
    let text = timeline.machine().text().unwrap();
    let all = (0..text.rows).flat_map(|row| (0..text.columns).map(move |column| (row, column)));
    let shown = all.filter(|&(row, column)| !matches!(text.row(row)[column].0, 0 | b' '));
    shown.step_by(of).map(|(row, column)| WriteTarget::Cell { row, column }).collect()
}

/// Traces these characters in each game with a text screen.
fn trace_characters(of: usize) {
    for game in GAMES.iter().filter(|game| game.name != "eecs2100") {
        let counts = lines(game.name, |timeline| cells(timeline, of));
        assert!(!counts.contains_key("-") && counts.len() > 1, "{}: {counts:?}", game.name);
    }
}

/// Returns one pixel of each square of this size.
fn pixels(timeline: &Timeline, step: usize) -> Vec<WriteTarget> {
    let frame = timeline.machine().frame();
    let (width, height) = (frame.width, frame.height);
    let row = move |y| (step / 2..width).step_by(step).map(move |x| WriteTarget::Pixel { x, y });
    (step / 2..height).step_by(step).flat_map(row).collect()
}

#[test]
fn characters_have_their_lines() {
    trace_characters(7);
}

#[test]
#[ignore = "takes a minute: cargo test --release --test library -- --ignored inspect::screens::each_character"]
fn each_character_has_its_line() {
    trace_characters(1);
}

#[test]
fn pixels_have_their_lines() {
    let counts = lines("eecs2100", |timeline| pixels(timeline, 40));
    assert!(!counts.contains_key("-") && !counts.is_empty(), "{counts:?}");
}

/// A character of its font is 8 pixels wide and 14 high.
#[test]
#[ignore = "takes a minute: cargo test --release --test library -- --ignored inspect::screens::each_cell"]
fn each_cell_of_a_picture_has_its_line() {
    let counts = lines("eecs2100", |timeline| pixels(timeline, 8));
    assert!(!counts.contains_key("-") && counts.len() > 2, "{counts:?}");
}
