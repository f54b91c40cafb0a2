//! The rules, checked against every recorded step.

use super::flow::Flow;
use super::record::{Arrival, Record, Step};
use super::texts::{Announcement, Meaning, Standing, announced, speaks_of_win, standing};
use crate::engine::{Board, Mark, Move};
use crate::walk::Target;

/// The verdict on a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Holds in every reachable state.
    Holds,
    /// Holds in all examined states, but not all were examined.
    Bounded,
    /// Broken, as the keys show.
    Broken,
    /// Not judged.
    Unknown,
}

impl Verdict {
    /// Returns `holds`, `bounded`, `broken` or `unknown`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Bounded => "bounded",
            Verdict::Broken => "broken",
            Verdict::Unknown => "unknown",
        }
    }
}

/// A rule and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The rule in a few words.
    pub rule: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// The shortest keys that break it.
    pub keys: Option<String>,
    /// The observation, or the reason why the rule could not be judged.
    pub why: String,
    /// The screen after the keys.
    pub screen: Vec<String>,
    /// The screen before the last of the keys.
    pub screen_before: Vec<String>,
    /// The choices of the keys.
    pub(super) path: Vec<usize>,
}

pub(super) struct Case<'a> {
    pub(super) record: &'a Record<'a>,
    pub(super) flow: &'a Flow,
    pub(super) known: &'a [Announcement],
    /// Whether the order of the cells is confirmed by announcements or behaviour.
    pub(super) is_order_sure: bool,
    /// Whether the search was complete and exact, on a machine with all required features.
    pub(super) is_whole: bool,
}

const TAKEN: &str = "a taken square is refused and changes nothing";
const TURNS: &str = "turns alternate, and each reply is one move";
const ROWS: &str = "a row is announced, to the right player";
const NO_ROW: &str = "no win is announced without a row";
const DRAWS: &str = "a full board without a row is a draw, and nothing else is";
const OVER: &str = "the game stops at its end";
const AGAIN: &str = "a new game begins with an empty board";
const UNCONFIRMED: &str =
    "the order of the cells could not be confirmed: name the text of a win with --announces";
const CRASH: &str = "no key crashes or hangs it";

impl Case<'_> {
    /// Judges all rules except those about the screen.
    pub(super) fn judge(&self) -> Vec<Ruling> {
        vec![
            self.taken(),
            self.turns(),
            self.rows(),
            self.wins(),
            self.draws(),
            self.over(),
            self.again(),
            self.crashes(),
        ]
    }

    fn good(&self, rule: &'static str, why: impl Into<String>) -> Ruling {
        let verdict = if self.is_whole { Verdict::Holds } else { Verdict::Bounded };
        Ruling {
            rule,
            verdict,
            keys: None,
            why: why.into(),
            screen: Vec::new(),
            screen_before: Vec::new(),
            path: Vec::new(),
        }
    }

    fn broken(&self, rule: &'static str, step: &Step, why: String) -> Ruling {
        self.broken_by(rule, self.record.path(step), why)
    }

    fn broken_by(&self, rule: &'static str, path: Vec<usize>, why: String) -> Ruling {
        let keys = Some(self.record.atlas.keys(&path));
        Ruling {
            rule,
            verdict: Verdict::Broken,
            keys,
            why,
            screen: Vec::new(),
            screen_before: Vec::new(),
            path,
        }
    }

    /// Returns the first step, in search order, for which there is a message.
    fn first<'s>(&'s self, says: impl Fn(&Step) -> Option<String>) -> Option<(&'s Step<'s>, String)> {
        self.record.steps.iter().find_map(|step| says(step).map(|why| (step, why)))
    }

    fn taken(&self) -> Ruling {
        if !self.is_order_sure {
            return unknown(TAKEN, UNCONFIRMED);
        }
        let wrong = self.first(|step| {
            if standing(step.before) != Standing::Open || step.lost > 0 {
                return None;
            }
            let after = step.after?;
            if step.replaced > 0 {
                let is_other =
                    |cell: &Move| step.before.get(*cell).is_some_and(|mark| after.get(*cell) != Some(mark));
                let cell = Move::ALL.into_iter().find(is_other)?;
                return Some(format!("{} was taken, and gets the other player's mark", name(cell)));
            }
            let cell = *self.record.cell_of.get(&step.choice)?;
            let gained = step.gained.first()?;
            step.before.get(cell)?;
            Some(format!("{} was taken, and {} gets a mark", name(cell), name(gained.0)))
        });
        match wrong {
            Some((step, why)) => self.broken(TAKEN, step, why),
            None if self.record.cell_of.len() < 9 => {
                let why =
                    "no mark is ever replaced; the keys do not name squares, so nothing else was checked";
                Ruling { verdict: Verdict::Bounded, ..self.good(TAKEN, why) }
            }
            None => self.good(
                TAKEN,
                format!(
                    "{} keys of squares were typed whenever their square was taken",
                    self.record.cell_of.len()
                ),
            ),
        }
    }

    fn turns(&self) -> Ruling {
        if !self.is_order_sure {
            return unknown(TURNS, UNCONFIRMED);
        }
        let wrong = self.flow.first(self.record, |moment, step| {
            if !step.is_move() || moment.is_over || standing(step.before) != Standing::Open {
                return None;
            }
            let [x, o] = [Mark::X, Mark::O].map(|mark| step.gained_by(mark));
            if x > 1 || o > 1 {
                return Some(format!("{} marks of one player come at once", x.max(o)));
            }
            let mark = if o == 0 { Mark::X } else { Mark::O };
            let is_again = x + o == 1 && moment.last == Some(mark);
            is_again.then(|| format!("{} gets a mark after a mark of its own", letter(mark)))
        });
        match wrong {
            Some((path, why)) => self.broken_by(TURNS, path, why),
            None => self.good(TURNS, "no player ever gets two marks in a row"),
        }
    }

    /// Returns the steps that end a game by a move, with the result and the announcements.
    fn ends(&self) -> impl Iterator<Item = (&Step<'_>, Standing, Vec<Meaning>)> {
        let is_end = |step: &&Step| {
            let is_change = step.is_move() || step.outcome.is_some_and(|outcome| outcome != step.before);
            is_change && standing(step.before) == Standing::Open
        };
        self.record.steps.iter().filter(is_end).filter_map(|step| {
            let stands = standing(step.outcome?);
            let meanings = announced(self.record, step, self.known);
            // If the board was cleared in the same step, only an announcement proves that there was
            // a move.
            let is_seen = step.outcome == step.after || !meanings.is_empty();
            (stands != Standing::Open && is_seen).then_some((step, stands, meanings))
        })
    }

    /// Returns whether every continuation after a step announces the end.
    fn is_announced_later(&self, step: &Step) -> bool {
        let Target::State(to) = step.to else { return false };
        let mut ways = self.record.atlas.places[to].ways.iter();
        ways.any(|way| {
            way.seen.as_ref().is_some_and(|seen| {
                seen.lines.iter().any(|line| self.known.iter().any(|known| line.contains(&known.text)))
            })
        })
    }

    fn unsure(&self, rule: &'static str) -> Option<Ruling> {
        let why = if !self.is_order_sure {
            UNCONFIRMED
        } else if !self.known.iter().any(|known| known.meaning != Meaning::Draw) {
            "no text that announces a win was found: name it with --announces \"TEXT\"=x"
        } else {
            return None;
        };
        Some(unknown(rule, why))
    }

    fn rows(&self) -> Ruling {
        if let Some(unsure) = self.unsure(ROWS) {
            return unsure;
        }
        let (mut rows, mut silent) = (0, Vec::new());
        for (step, stands, meanings) in self.ends() {
            let Standing::Row(mark) = stands else { continue };
            rows += 1;
            let is_right = meanings
                .iter()
                .any(|meaning| matches!(meaning, Meaning::Row) || *meaning == Meaning::Win(mark));
            let is_wrong =
                meanings.contains(&Meaning::Win(mark.other())) || meanings.contains(&Meaning::Draw);
            if is_wrong && !is_right {
                let what = if meanings.contains(&Meaning::Draw) {
                    "a draw".to_owned()
                } else {
                    format!("a win of {}", letter(mark.other()))
                };
                let why = format!("{} has a row, and the program announces {what}", letter(mark));
                return self.broken(ROWS, step, why);
            }
            if !is_right && !self.is_announced_later(step) {
                silent.push((step, mark));
            }
        }
        match silent.first() {
            None if rows == 0 => unknown(ROWS, "no row was ever seen"),
            None => self.good(ROWS, format!("{rows} moves make a row")),
            Some(_) => match silent.iter().find(|(step, _)| self.is_played_on(step)) {
                Some((step, mark)) if silent.len() * 2 < rows => {
                    let why =
                        format!("{} has a row, nothing is announced, and the game continues", letter(*mark));
                    self.broken(ROWS, step, why)
                }
                _ => unknown(
                    ROWS,
                    "a row was announced with an unknown text: name it with --announces \"TEXT\"=x",
                ),
            },
        }
    }

    fn wins(&self) -> Ruling {
        if let Some(unsure) = self.unsure(NO_ROW) {
            return unsure;
        }
        let wrong = self.first(|step| {
            let is_open = step.is_move()
                && standing(step.before) == Standing::Open
                && standing(step.after?) == Standing::Open;
            let meanings = if is_open { announced(self.record, step, self.known) } else { return None };
            let win = meanings.iter().find(|meaning| **meaning != Meaning::Draw)?;
            Some(match win {
                Meaning::Win(mark) => {
                    format!("a win of {} is announced, but there are not three in a row", letter(*mark))
                }
                _ => "a win is announced, but there are not three in a row".to_owned(),
            })
        });
        match wrong {
            Some((step, why)) => self.broken(NO_ROW, step, why),
            None => self.good(NO_ROW, "no win is announced on a board without a row that is not full"),
        }
    }

    fn draws(&self) -> Ruling {
        if let Some(unsure) = self.unsure(DRAWS) {
            return unsure;
        }
        let early = self.first(|step| {
            let is_open = step.is_move()
                && standing(step.before) == Standing::Open
                && standing(step.after?) == Standing::Open;
            let is_draw = is_open
                && announced(self.record, step, self.known).contains(&Meaning::Draw)
                && !self.is_played_on(step);
            is_draw.then(|| "a draw is announced, and the board is not full".to_owned())
        });
        if let Some((step, why)) = early {
            return self.broken(DRAWS, step, why);
        }
        let (mut full, mut silent) = (0, Vec::new());
        for (step, stands, meanings) in self.ends() {
            if stands != Standing::Draw {
                continue;
            }
            full += 1;
            let is_draw = meanings.contains(&Meaning::Draw);
            if !is_draw && !meanings.is_empty() {
                let why = "the board is full without a row, and a win is announced".to_owned();
                return self.broken(DRAWS, step, why);
            }
            if !is_draw && !self.is_announced_later(step) {
                silent.push(step);
            }
        }
        match silent.first() {
            None if full == 0 => unknown(DRAWS, "no full board without a row was ever seen"),
            None => self.good(DRAWS, format!("{full} moves fill the board without a row")),
            Some(_) => unknown(
                DRAWS,
                "no text that announces a draw was found: name it with --announces \"TEXT\"=draw",
            ),
        }
    }

    fn over(&self) -> Ruling {
        if !self.is_order_sure {
            return unknown(OVER, UNCONFIRMED);
        }
        let wrong = self.flow.first(self.record, |moment, step| {
            if !step.is_move() {
                return None;
            }
            if let (Standing::Row(mark), true) = (standing(step.before), moment.is_over) {
                return Some(format!(
                    "{} has a row, and {} gets a mark",
                    letter(mark),
                    name(step.gained[0].0)
                ));
            }
            // The user's own move completed a row, and the computer replied.
            let user = self.record.user.filter(|_| self.record.is_against_computer)?;
            let (own, _) = step.gained.iter().find(|gained| gained.1 == user)?;
            let mut middle = step.before;
            middle.place(*own, user);
            let is_reply = step.gained_by(user.other()) > 0 && standing(step.before) == Standing::Open;
            (middle.has_row(user) && is_reply)
                .then(|| format!("{} has a row, and the computer moves", letter(user)))
        });
        match wrong {
            Some((path, why)) => self.broken_by(OVER, path, why),
            None => self.good(OVER, "no mark comes after a row"),
        }
    }

    fn again(&self) -> Ruling {
        if !self.is_order_sure {
            return unknown(AGAIN, UNCONFIRMED);
        }
        let mut games = 0;
        for step in self.record.steps.iter().filter(|step| step.lost > 0) {
            let Some(after) = step.after else { continue };
            games += 1;
            let is_over = standing(step.before) != Standing::Open;
            let is_left =
                |cell: &Move| after.get(*cell).is_some() && after.get(*cell) == step.before.get(*cell);
            let left = Move::ALL.iter().filter(|cell| is_left(cell)).count();
            // A key that takes back a move also removes marks, but only a few.
            let is_new_game = is_over && step.lost >= 3 && step.replaced == 0;
            // A computer that starts may take the same square again.
            let marks = Move::ALL.into_iter().filter_map(|cell| after.get(cell));
            let is_begun = self.record.is_against_computer && marks.eq(self.record.user.map(Mark::other));
            if is_new_game && left > 0 && !is_begun && self.is_played_on(step) {
                let marks = if left == 1 { "a mark" } else { "marks" };
                return self.broken(AGAIN, step, format!("{marks} of the last game: {left} on the board"));
            }
        }
        if games == 0 {
            return unknown(AGAIN, "no second game was seen");
        }
        self.good(AGAIN, format!("{games} new games"))
    }

    /// Returns whether the state after a step accepts a move.
    fn is_played_on(&self, step: &Step) -> bool {
        let Target::State(to) = step.to else { return false };
        self.record.steps.iter().any(|next| next.from == to && next.is_move())
    }

    fn crashes(&self) -> Ruling {
        if let Some(what) = self.record.atlas.stats.absent.first() {
            return unknown(CRASH, &format!("the program used something that is missing: {what}"));
        }
        let mut hangs = 0;
        for (from, place) in self.record.atlas.places.iter().enumerate() {
            for (choice, way) in place.ways.iter().enumerate() {
                let Target::End(number) = way.to else { continue };
                let mut path = self.record.atlas.path(from);
                path.push(choice);
                match self.record.atlas.ends.get(number).map(String::as_str) {
                    Some("crash") => return self.broken_by(CRASH, path, "the program crashes".to_owned()),
                    Some("hang") if self.hangs_in_game(from, way.seen.as_ref()) => {
                        let why = "during a game the program runs without reading a key again";
                        return self.broken_by(CRASH, path, why.to_owned());
                    }
                    Some("hang") => hangs += 1,
                    _ => {}
                }
            }
        }
        match hangs {
            0 => self.good(CRASH, "every key leads to another wait, or ends the program"),
            _ => unknown(CRASH, "after a game the program runs without reading a key"),
        }
    }

    /// Returns whether neither the board nor a text shows that the game was over when the program
    /// stopped asking for keys.
    fn hangs_in_game(&self, from: usize, seen: Option<&Arrival>) -> bool {
        let is_told = |line: &String| speaks_of_win(line).is_some();
        let is_open = |board: Option<Board>| board.is_some_and(|board| standing(board) == Standing::Open);
        let after = seen.and_then(|seen| self.record.board_of(seen));
        let is_silent = seen.is_some_and(|seen| !seen.lines.iter().any(is_told));
        self.is_order_sure && is_silent && is_open(self.record.boards[from]) && is_open(after)
    }
}

/// Creates the ruling for a rule that could not be judged.
pub(super) fn unknown(rule: &'static str, why: &str) -> Ruling {
    Ruling {
        rule,
        verdict: Verdict::Unknown,
        keys: None,
        why: why.to_owned(),
        screen: Vec::new(),
        screen_before: Vec::new(),
        path: Vec::new(),
    }
}

pub(super) fn letter(mark: Mark) -> &'static str {
    match mark {
        Mark::X => "X",
        Mark::O => "O",
    }
}

pub(super) fn name(cell: Move) -> String {
    let row = ["upper", "middle", "lower"][cell.y()];
    let column = ["left", "middle", "right"][cell.x()];
    match (cell.y(), cell.x()) {
        (1, 1) => "the centre".to_owned(),
        _ => format!("the {row} {column} square"),
    }
}
