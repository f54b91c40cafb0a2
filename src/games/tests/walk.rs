//! The walk over two native programs: equal ones agree, and each kind of bug is found where it is.

use crate::engine::{Mark, Outcome};
use crate::games::{grid18::Grid18Twin, ttt1::Ttt1Twin};
use crate::verify::native::Native;
use crate::verify::{Figure, Program, ProgramState, Proof, Screen, TextPage, Twin, Twins, walk};
use std::sync::atomic::{AtomicUsize, Ordering};

fn quiet(_: usize) {}

fn text(line: &str) -> Screen {
    let mut page = TextPage::new();
    page.print(line);
    page.screen()
}

#[test]
fn ttt1_against_itself() {
    let told = AtomicUsize::new(0);
    let twin = Ttt1Twin::new();
    let report = walk(&twin, vec![Native(twin.clone()), Native(twin.clone())], |lines| {
        told.fetch_max(lines, Ordering::Relaxed);
    });
    assert_eq!((report.prompts, report.lines, report.divergences), (778, 497, 0));
    assert_eq!(format!("{:?}", report.outcomes), r#"{"computer": 380, "draw": 117}"#);
    assert_eq!(report.figures["computer_wins_after_a_row_of_the_user"], Figure::Count(14));
    assert_eq!(report.figures["full_boards_with_a_row_of_the_user"], Figure::Count(6));
    assert_eq!(told.into_inner(), 497);
    assert!(report.refused_keys > 281 * 5);
}

/// The report does not depend on the number of threads, also where there is something to report.
#[test]
fn one_thread_or_many() {
    fn json<T: Twin, P: Program + Send + Clone>(twin: &T, program: &P, threads: usize) -> String {
        let report = walk(twin, vec![program.clone(); threads], quiet);
        serde_json::to_string(&report).unwrap()
    }
    let (ttt1, bits) = (Ttt1Twin::new(), Bits(Vec::new()));
    let mutant = Mutant::new("016", Bug::Writes);
    let grid = Grid18Twin::new();
    for threads in [2, 5] {
        assert_eq!(json(&ttt1, &Native(ttt1.clone()), threads), json(&ttt1, &Native(ttt1.clone()), 1));
        assert_eq!(json(&bits, &Native(bits.clone()), threads), json(&bits, &Native(bits.clone()), 1));
        assert_eq!(json(&grid, &Native(grid.clone()), threads), json(&grid, &Native(grid.clone()), 1));
        assert_eq!(json(&ttt1, &mutant, threads), json(&ttt1, &mutant, 1));
        assert_eq!(json(&grid, &Weary::new(), threads), json(&grid, &Weary::new(), 1));
    }
}

/// GRID18, with a number of instructions for each key that tells the way to it.
#[derive(Clone)]
struct Weary {
    twin: Native<Grid18Twin>,
    way: u64,
    instructions: u64,
}

impl Weary {
    fn new() -> Self {
        Weary { twin: Native(Grid18Twin::new()), way: 0, instructions: 0 }
    }
}

impl Program for Weary {
    type Saved = (Grid18Twin, u64);

    fn state(&self) -> ProgramState {
        self.twin.state()
    }

    fn screen(&mut self) -> Screen {
        self.twin.screen()
    }

    fn press(&mut self, keys: &[u8]) {
        self.twin.press(keys);
        for &key in keys {
            self.way = (self.way * 31 + u64::from(key)) % 1_000_003;
            self.instructions += self.way;
        }
    }

    fn save(&mut self) -> Self::Saved {
        (self.twin.save(), self.way)
    }

    fn restore(&mut self, saved: &Self::Saved) {
        self.twin.restore(&saved.0);
        self.way = saved.1;
    }

    fn instructions(&self) -> u64 {
        self.instructions
    }
}

/// A program with a bug that shows after certain keys.
#[derive(Clone)]
struct Mutant {
    twin: Native<Ttt1Twin>,
    keys: Vec<u8>,
    bug: (&'static str, Bug),
}

#[derive(Clone, Copy)]
enum Bug {
    /// It plays as if another key had been typed.
    Plays(u8),
    Ends,
    Hangs,
    /// It writes something.
    Writes,
}

impl Mutant {
    fn new(after: &'static str, bug: Bug) -> Self {
        Mutant { twin: Native(Ttt1Twin::new()), keys: Vec::new(), bug: (after, bug) }
    }

    fn shows(&self) -> bool {
        self.keys == self.bug.0.as_bytes()
    }
}

impl Program for Mutant {
    type Saved = (Ttt1Twin, Vec<u8>);

    fn state(&self) -> ProgramState {
        match self.bug.1 {
            Bug::Ends if self.shows() => ProgramState::Ended,
            Bug::Hangs if self.shows() => ProgramState::Broken("no key wait within the limit".to_owned()),
            _ => self.twin.state(),
        }
    }

    fn screen(&mut self) -> Screen {
        match self.bug.1 {
            Bug::Writes if self.shows() => text("oops"),
            _ => self.twin.screen(),
        }
    }

    fn press(&mut self, keys: &[u8]) {
        for &key in keys {
            self.keys.push(key);
            match self.bug.1 {
                Bug::Plays(other) if self.shows() => self.twin.press(&[other]),
                _ => self.twin.press(&[key]),
            }
        }
    }

    fn save(&mut self) -> Self::Saved {
        (self.twin.save(), self.keys.clone())
    }

    fn restore(&mut self, saved: &Self::Saved) {
        self.twin.restore(&saved.0);
        self.keys.clone_from(&saved.1);
    }
}

#[test]
fn every_bug_is_found_where_it_is() {
    // The bug's place and kind; the keys and the text of the first divergence, and how many there are.
    let cases = [
        ("01", Bug::Plays(b'2'), "0 1", "line 13 is \"Your move:2\", not \"Your move:1\"", 1),
        ("4", Bug::Ends, "4", "the program has ended; the twin waits for a key", 1),
        ("0", Bug::Hangs, "0", "no key wait within the limit", 1),
        ("016", Bug::Writes, "0 1 6", "line 1 is \"oops\", not \"\"", 1),
        // The refused keys at the first prompt, with which a bug shows that comes after them.
        ("9/x ", Bug::Writes, "9 / x SP", "line 1 is \"oops\", not \"\"", 1),
        ("", Bug::Ends, "", "the program has ended; the twin waits for a key", 1),
    ];
    for (after, bug, keys, what, divergences) in cases {
        let report = walk(&Ttt1Twin::new(), vec![Mutant::new(after, bug)], quiet);
        assert_eq!(report.divergences, divergences, "bug after {after:?}");
        assert_eq!((report.diverging[0].keys.as_str(), report.diverging[0].what.as_str()), (keys, what));
        assert!(report.lines < 497 || after == "9/x ", "bug after {after:?}: {} lines", report.lines);
    }
}

/// The board of three in which the twin below plays: two keys, three times.
#[derive(Clone)]
struct Bits(Vec<u8>);

impl Twin for Bits {
    const COMPUTER: Option<Mark> = Some(Mark::O);

    fn press(&mut self, key: u8) {
        self.0.push(key);
        self.0.sort_unstable();
    }
    fn screen(&self) -> Screen {
        text(&String::from_utf8_lossy(&self.0))
    }
    fn ended(&self) -> bool {
        self.0.len() == 3
    }
    fn outcome(&self) -> Option<Outcome> {
        self.ended().then_some(if self.0 == b"aaa" { Outcome::Win(Mark::X) } else { Outcome::Draw })
    }
    fn moves(&self) -> Vec<u8> {
        if self.ended() { Vec::new() } else { b"ab".to_vec() }
    }
    fn asides(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }
    fn position(&self) -> Option<u64> {
        Some(self.0.iter().fold(0, |sum, &key| 256 * sum + u64::from(key)))
    }
}

#[test]
fn known_positions_are_walked_once_and_their_lines_counted() {
    let twin = Bits(Vec::new());
    let report = walk(&twin, vec![Native(twin.clone()), Native(twin.clone())], quiet);
    assert_eq!(report.lines, 8);
    // 1 + 2 + 4 prompts would be walked as a tree, then 8 ends; here aab, say, is looked at from each parent
    // once.
    assert_eq!(report.prompts, 1 + 2 + 4 + 6);
    assert_eq!(report.user_wins, ["a a a"]);
}

#[test]
fn lines_are_counted_without_a_program() {
    assert_eq!(Twins::new(|| vec![Ttt1Twin::new()]).lines(), 497);
    assert_eq!(Twins::new(|| vec![Bits(Vec::new()), Bits(b"a".to_vec())]).lines(), 8 + 4);
}
