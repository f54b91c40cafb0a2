//! The referee: checks whether a tic-tac-toe program follows the rules, and finds the shortest keys
//! that break one.
//!
//! ```text
//!   samples ──> layout ──┐
//!   (keys, memory)       ├─> walk::survey ──> record ──> texts ──> rules, strength
//!                        │   (every state)    (moves)
//! ```
//! It needs no knowledge of the program. A rule that cannot be checked is not judged, and a rule
//! counts as broken only if keys show it.

mod flow;
pub mod layout;
mod record;
mod rules;
mod samples;
mod strength;
mod texts;

use crate::walk::explore::screen_after;
use crate::walk::{
    Atlas, AtlasOptions, Bounds, Choices, End, ProgramUnderTest, Progress, Sameness, SearchStats, Setup,
    Target, WalkError, survey,
};
use flow::Flow;
use layout::{Cell, Found, Layout};
use oxbox_machine::hardware::vga::cp437;
use record::{Arrival, Record};
use rules::{Case, letter};
use samples::{Keys, SCREEN, Samples};
use texts::{Standing, standing};

pub use rules::{Ruling, Verdict};
pub use strength::Strength;
pub use texts::{Announcement, Meaning};

/// The keys that are tried on an unknown program.
const ALL_KEYS: &str = "1-9 0 ENTER SP ESC TAB UP DOWN LEFT RIGHT a-z A-Z";

/// The most keys of a complete search.
const MOST_KEYS: usize = 26;

/// The initial limit of instructions between two waits. A program that exceeds it is judged again
/// with the full limit.
const FIRST_LIMIT: u64 = 3_000_000;

/// The number of states at which the screen is compared with memory.
const SCREENS: usize = 60;

/// The options of the referee.
#[derive(Debug, Clone, Default)]
pub struct RefereeOptions {
    /// The keys of the game, if specified.
    pub keys: Option<Choices>,
    /// The linear address of the first cell, if specified.
    pub board: Option<u32>,
    /// Texts that announce an end.
    pub announces: Vec<Announcement>,
    /// The bounds of the search.
    pub bounds: Bounds,
    /// The number of worker threads; at least one.
    pub threads: usize,
}

/// The result of the referee.
#[derive(Debug, Clone, Default)]
pub struct Refereed {
    /// The facts learned, one line each.
    pub learned: Vec<(&'static str, String)>,
    /// The cells, as `SEG:OFF` or a position on the screen.
    pub cells: Vec<String>,
    /// One or two players; 0 if unknown.
    pub players: u8,
    /// Texts that announce ends.
    pub announces: Vec<Announcement>,
    /// The rules with their verdicts.
    pub rules: Vec<Ruling>,
    /// The strength of the computer.
    pub play: Option<Strength>,
    /// The statistics of the search.
    pub stats: SearchStats,
    /// The reason why the program could not be judged.
    pub not_understood: Option<String>,
}

impl Refereed {
    /// Returns whether a rule is broken.
    pub fn is_broken(&self) -> bool {
        self.rules.iter().any(|ruling| ruling.verdict == Verdict::Broken)
    }

    fn not_understood(why: impl Into<String>) -> Refereed {
        Refereed { not_understood: Some(why.into()), ..Refereed::default() }
    }
}

/// Judges a program.
///
/// # Errors
/// Fails if the program cannot be started, or if the disk is full.
pub fn referee(
    setup: &Setup,
    options: &RefereeOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Refereed, WalkError> {
    // Hangs are searched with a lower limit and confirmed with the full one.
    let fast = Setup { instruction_limit: setup.instruction_limit.min(FIRST_LIMIT), ..setup.clone() };
    match judged(&fast, options, progress)? {
        (refereed, Some(hang)) if setup.instruction_limit > FIRST_LIMIT => {
            let (choices, path) = hang;
            match ProgramUnderTest::start_and_take(setup, &choices, &path)?.end() {
                Some(End::Hang(_)) => Ok(refereed),
                _ => Ok(judged(setup, options, progress)?.0),
            }
        }
        (refereed, _) => Ok(refereed),
    }
}

/// Keys that lead to a hang.
type Hang = (Choices, Vec<usize>);

fn judged(
    setup: &Setup,
    options: &RefereeOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Refereed, Option<Hang>), WalkError> {
    if let Some(end) = ProgramUnderTest::start(setup)?.end() {
        let why = format!("the program never waits for a key: {end}");
        return Ok((Refereed::not_understood(why), Some((Choices::default(), Vec::new()))));
    }
    let (choices, samples, keys) = sampled(setup, options)?;
    let found = layout::boards(&samples, options.board.is_some());
    let Some(layout) = chosen(options, &found) else {
        let why = "no nine bytes of memory or of the text screen change like a board: start the game with --opening, name its keys with --keys, or its first cell with --board SEG:OFF";
        let refereed = Refereed { learned: learned_keys(&choices, &keys), ..Refereed::not_understood(why) };
        return Ok((refereed, None));
    };
    drop(samples);
    let mut tried = Choices::default();
    let mut numbers: Vec<usize> = keys.useful.clone();
    let is_cut = numbers.len() > MOST_KEYS;
    numbers.truncate(MOST_KEYS);
    numbers.extend(keys.idle);
    numbers.sort_unstable();
    for choice in numbers.iter().filter_map(|&number| choices.get(number)) {
        tried.add(choice.clone());
    }
    let sameness = if layout.is_on_screen() { Sameness::State } else { Sameness::Program };
    let how = AtlasOptions { sameness, bounds: options.bounds, threads: options.threads };
    let atlas = survey(setup, &tried, &how, &|walked: &ProgramUnderTest| arrival(walked, &layout), progress)?;
    let mut result =
        Refereed { learned: learned_keys(&tried, &keys), stats: atlas.stats.clone(), ..Refereed::default() };
    result.learned.extend(learned_board(&layout));
    result.cells = cell_names(&layout);
    let marks_are_letters =
        matches!(&layout, Layout::Bytes { marks, .. } if marks[0].eq_ignore_ascii_case(&b'x'));
    let Some((record, known, score)) = best_order(&atlas, marks_are_letters, options) else {
        result.not_understood = Some("the search found no move".to_owned());
        return Ok((result, None));
    };
    let is_whole = atlas.stats.complete && atlas.stats.exact && atlas.stats.absent.is_empty() && !is_cut;
    let flow = Flow::new(&record);
    let case = Case { record: &record, flow: &flow, known: &known, is_order_sure: score.is_sure(), is_whole };
    result.rules = case.judge();
    result.rules.push(screen_rule(setup, &tried, &record, &layout, &found)?);
    for ruling in result.rules.iter_mut().filter(|ruling| ruling.verdict == Verdict::Broken) {
        let (_, before) = ruling.path.split_last().unwrap_or((&0, &[]));
        ruling.screen_before = screen_after(setup, &tried, before)?;
        ruling.screen = screen_after(setup, &tried, &ruling.path)?;
    }
    result.players = if record.is_against_computer { 1 } else { 2 };
    result.learned.push(("players", players(&record)));
    if score.is_sure() {
        result.play = strength::strength(&record);
    } else {
        let why = "the announcements and the ends of the games do not show which cells are a row: name the text of a win with --announces, or a different first cell with --board";
        result.not_understood = Some(why.to_owned());
    }
    result.announces = known;
    let hang = first_hang(&atlas).map(|path| (tried, path));
    Ok((result, hang))
}

/// Returns the shortest keys after which the program runs without waiting.
fn first_hang(atlas: &Atlas<Arrival>) -> Option<Vec<usize>> {
    for (from, place) in atlas.places.iter().enumerate() {
        for (choice, way) in place.ways.iter().enumerate() {
            if matches!(way.to, Target::End(end) if atlas.ends.get(end).is_some_and(|name| name == "hang")) {
                return Some([atlas.path(from), vec![choice]].concat());
            }
        }
    }
    None
}

fn players(record: &Record) -> String {
    let first = record.first.map_or(String::new(), |mark| format!("; {} begins", letter(mark)));
    match (record.is_against_computer, record.user) {
        (false, _) => format!("two{first}"),
        (true, Some(user)) => format!("one, who plays {}, against the computer{first}", letter(user)),
        (true, None) => format!("one, against the computer{first}"),
    }
}

/// Samples the program with all keys, and with lines if it reads lines.
fn sampled(setup: &Setup, options: &RefereeOptions) -> Result<(Choices, Samples, Keys), WalkError> {
    let keys = match &options.keys {
        Some(keys) => keys.clone(),
        None => {
            let mut keys = Choices::from_words(ALL_KEYS).unwrap_or_default();
            let walked = ProgramUnderTest::start(setup)?;
            if walked.machine().program_uses_mouse() {
                let machine = walked.machine();
                let height = if machine.text().is_some() { 200 } else { machine.still_frame().height };
                for place in 0..64 {
                    let words =
                        format!("click {} {}", 40 + place % 8 * 80, (2 * (place / 8) + 1) * height / 16);
                    Choices::from_words(&words)
                        .unwrap_or_default()
                        .iter()
                        .for_each(|choice| keys.add(choice.clone()));
                }
            }
            keys
        }
    };
    let (samples, learned) = samples::sample(setup, &keys)?;
    if !learned.reads_lines || options.keys.is_some() {
        return Ok((keys, samples, learned));
    }
    let single = "1 2 3 4 5 6 7 8 9 0 y n q x o a b c";
    let mut lines: Vec<String> = single.split(' ').map(|key| format!("{key} ENTER")).collect();
    lines.push("ENTER".to_owned());
    let lines = Choices::from_lines(&lines.join("\n")).unwrap_or_default();
    let (samples, mut learned) = samples::sample(setup, &lines)?;
    learned.reads_lines = true;
    Ok((lines, samples, learned))
}

fn chosen(options: &RefereeOptions, found: &[Found]) -> Option<Layout> {
    match options.board {
        Some(first) => {
            found.iter().map(|found| &found.layout).find(|layout| first_address(layout) == first).cloned()
        }
        None => found.first().map(|found| found.layout.clone()),
    }
}

fn first_address(layout: &Layout) -> u32 {
    match layout {
        Layout::Bytes { cells, .. } => cells[0],
        Layout::Bits { x, .. } => x[0] / 8,
    }
}

/// Returns the visible state at a wait or an end.
fn arrival(walked: &ProgramUnderTest, layout: &Layout) -> Arrival {
    let machine = walked.machine();
    let text = machine.text();
    let read = |address: u32| match address.checked_sub(SCREEN) {
        Some(cell) => text.as_ref()?.cells.get(cell as usize).map(|&(letter, _)| letter),
        None => machine.hardware().memory.slice(address, 1)?.first().copied(),
    };
    let cells = layout.cells(read);
    let printed: String =
        walked.output().iter().map(|&byte| if byte < b' ' { '\n' } else { cp437::glyph(byte) }).collect();
    let shown = text.map(|text| text.to_string()).unwrap_or_default();
    let lines = texts::phrases(&format!("{shown}\n{printed}"));
    Arrival { cells, lines }
}

/// The agreement of an order of cells with the program's behaviour at ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    /// Wins announced when there is a row.
    right: usize,
    wins: usize,
    /// Rows, and those after which more marks were added.
    rows: usize,
    played_on: usize,
}

impl Score {
    fn is_sure(self) -> bool {
        let is_announced = self.wins >= 8 && self.right * 5 >= self.wins * 4 && self.right * 2 >= self.rows;
        let is_silent = self.wins == 0 && self.rows >= 20 && self.played_on * 20 <= self.rows;
        is_announced || is_silent
    }

    fn weight(self) -> usize {
        match self.wins {
            0 => 1000 - 1000 * self.played_on / self.rows.max(1),
            wins => 1000 * self.right / wins,
        }
    }
}

/// The orders in which programs store cells: row by row, and around the edge with the centre last
/// or first.
fn orders() -> [[usize; 9]; 3] {
    let ring = crate::engine::board::RING.map(crate::engine::Move::index);
    let centre_first = std::array::from_fn(|index| if index == 0 { 4 } else { ring[index - 1] });
    [std::array::from_fn(|index| index), ring, centre_first]
}

fn best_order<'a>(
    atlas: &'a Atlas<Arrival>,
    marks_are_letters: bool,
    options: &RefereeOptions,
) -> Option<(Record<'a>, Vec<Announcement>, Score)> {
    let mut best: Option<(Record<'a>, Vec<Announcement>, Score)> = None;
    for order in orders() {
        let record = Record::new(atlas, &order);
        if !record.steps.iter().any(record::Step::is_move) {
            return None;
        }
        let known = texts::announcements(&record, marks_are_letters, &options.announces);
        let score = score(&record, &known);
        if best.as_ref().is_none_or(|(_, _, other)| score.weight() > other.weight()) {
            best = Some((record, known, score));
        }
    }
    best
}

fn score(record: &Record, known: &[Announcement]) -> Score {
    let mut score = Score::default();
    for step in &record.steps {
        if step.is_move() && matches!(standing(step.before), Standing::Row(_)) {
            score.played_on += 1;
        }
        let is_change = step.is_move() || step.outcome.is_some_and(|outcome| outcome != step.before);
        let Some(outcome) = step.outcome.filter(|_| is_change && standing(step.before) == Standing::Open)
        else {
            continue;
        };
        let is_row = matches!(standing(outcome), Standing::Row(_));
        let is_win = texts::announced(record, step, known).iter().any(|meaning| *meaning != Meaning::Draw);
        score.rows += usize::from(is_row);
        score.wins += usize::from(is_win);
        score.right += usize::from(is_win && is_row);
    }
    score
}

/// Compares the screen with memory at states throughout the search.
fn screen_rule(
    setup: &Setup,
    tried: &Choices,
    record: &Record,
    layout: &Layout,
    found: &[Found],
) -> Result<Ruling, WalkError> {
    const SHOWN: &str = "the screen shows the board in memory";
    let shown = found.iter().map(|found| &found.layout).find(|layout| layout.is_on_screen());
    let (Some(shown), false) = (shown, layout.is_on_screen()) else {
        let why = if layout.is_on_screen() {
            "the board was learned from the screen"
        } else {
            "the board was not found at fixed positions of a text screen"
        };
        return Ok(rules::unknown(SHOWN, why));
    };
    let playing: Vec<usize> =
        (0..record.boards.len()).filter(|&state| record.boards[state].is_some()).collect();
    let mut compared = 0;
    let mut differing = 0;
    for &state in playing.iter().step_by((playing.len() / SCREENS).max(1)) {
        let mut walked = ProgramUnderTest::start(setup)?;
        for choice in record.atlas.path(state) {
            match tried.get(choice) {
                Some(choice) => walked.play(&choice.acts),
                None => walked.do_nothing(),
            }
        }
        let (held, seen) = (arrival(&walked, layout).cells, arrival(&walked, shown).cells);
        if seen.contains(&Cell::Other) || held.contains(&Cell::Other) {
            continue;
        }
        compared += 1;
        differing += usize::from(held != seen);
    }
    Ok(match (compared, differing) {
        (0, _) => rules::unknown(SHOWN, "no state was found in which both show a board"),
        (_, 0) => Ruling {
            verdict: Verdict::Bounded,
            ..rules::unknown(SHOWN, &format!("compared in {compared} states"))
        },
        _ => rules::unknown(
            SHOWN,
            &format!(
                "memory and screen differ in {differing} of {compared} states; the program may draw the screen later, or show a message there"
            ),
        ),
    })
}

fn learned_keys(choices: &Choices, keys: &Keys) -> Vec<(&'static str, String)> {
    let names: Vec<String> = choices.names();
    let mut lines = vec![("keys", names.join(", "))];
    if keys.idle.is_some() {
        let words = "they have no effect, or that of one of these keys";
        lines.push(("other keys", words.to_owned()));
    }
    if keys.reads_lines {
        lines.push(("input", "lines, ended by ENTER".to_owned()));
    }
    lines
}

fn learned_board(layout: &Layout) -> Vec<(&'static str, String)> {
    let place = |address: u32| format!("{:04X}:{:04X}", address >> 4, address & 15);
    let show = |value: u8| {
        if value.is_ascii_graphic() { format!("'{}'", value as char) } else { format!("{value:02X}h") }
    };
    let words = match layout {
        Layout::Bytes { cells, marks, .. } => {
            let on = if layout.is_on_screen() {
                "characters of the screen from row and column "
            } else {
                "bytes from "
            };
            let first = match layout.places_on_screen() {
                Some(places) => format!("{},{}", places[0].0, places[0].1),
                None => place(cells[0]),
            };
            let (stride, row) = (cells[1] - cells[0], cells[3] - cells[0]);
            let apart = if row == 3 * stride {
                format!("{stride} apart")
            } else {
                format!("{stride} apart in rows {row} apart")
            };
            format!("{on}{first}, {apart}; X is {}, O is {}", show(marks[0]), show(marks[1]))
        }
        Layout::Bits { x, o } => {
            format!(
                "bits: X's from {} bit {}, O's from {} bit {}, {} apart",
                place(x[0] / 8),
                x[0] % 8,
                place(o[0] / 8),
                o[0] % 8,
                x[1] - x[0]
            )
        }
    };
    vec![("board", words)]
}

fn cell_names(layout: &Layout) -> Vec<String> {
    let place = |address: u32| format!("{:04X}:{:04X}", address >> 4, address & 15);
    match layout {
        Layout::Bytes { .. } if layout.is_on_screen() => layout
            .places_on_screen()
            .into_iter()
            .flatten()
            .map(|(row, column)| format!("row {row} column {column}"))
            .collect(),
        Layout::Bytes { cells, .. } => cells.iter().map(|&cell| place(cell)).collect(),
        Layout::Bits { x, o } => x
            .iter()
            .zip(o)
            .map(|(x, o)| format!("{} bit {}, {} bit {}", place(x / 8), x % 8, place(o / 8), o % 8))
            .collect(),
    }
}
