//! What a walk has found, as figures and as text; serde writes it as the command line's JSON.

use super::screen::Screen;
use crate::machine::Key;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many divergences are kept with their screens; all are counted.
pub(super) const KEPT: usize = 10;

/// All games that were verified.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// One after the other.
    pub games: Vec<GameReport>,
}

impl Report {
    /// No game has diverged.
    pub fn agrees(&self) -> bool {
        self.games.iter().all(|game| game.divergences == 0)
    }
}

/// One game.
#[derive(Debug, Clone, Default, Serialize)]
pub struct GameReport {
    /// Its name on the command line.
    pub game: String,
    /// Complete lines of play on which both agreed to the end.
    pub lines: usize,
    /// Prompts and ends that were looked at.
    pub prompts: usize,
    /// Keys that make no move, tried at the prompts.
    pub refused_keys: usize,
    /// Positions at which program and twin differ. Nothing below such a position is walked.
    pub divergences: usize,
    /// Number of lines by outcome.
    pub outcomes: Lines,
    /// What the program has executed.
    pub instructions: u64,
    /// Figures that only this game has.
    #[serde(flatten)]
    pub figures: BTreeMap<String, Figure>,
    /// The lines in which the user beats the computer, as keys.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub user_wins: Vec<String>,
    /// The first divergences, in the order of the walk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diverging: Vec<Divergence>,
}

/// Number of complete lines by the label of their outcome.
pub type Lines = BTreeMap<String, usize>;

/// A figure of a line of play, and how those of all lines become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// They are added up.
    Count(u64),
    /// The largest counts.
    Worst(u64),
}

impl GameReport {
    /// Takes in the figure of a line.
    pub fn figure(&mut self, name: &str, figure: Figure) {
        let total = match (self.figures.get(name), figure) {
            (None, _) => figure,
            (Some(&Figure::Count(sum)), Figure::Count(more)) => Figure::Count(sum + more),
            (
                Some(&(Figure::Worst(worst) | Figure::Count(worst))),
                Figure::Worst(more) | Figure::Count(more),
            ) => Figure::Worst(worst.max(more)),
        };
        self.figures.insert(name.to_owned(), total);
    }

    /// Takes in complete lines.
    pub(super) fn count(&mut self, lines: &Lines) {
        for (outcome, count) in lines {
            *self.outcomes.entry(outcome.clone()).or_default() += count;
            self.lines += count;
        }
    }

    /// What the pieces of a walk have found, in their order.
    pub(super) fn sum(pieces: impl IntoIterator<Item = GameReport>) -> GameReport {
        let mut report = GameReport::all(pieces);
        report.user_wins.sort();
        report
    }

    /// Reports one after the other, as one.
    pub(super) fn all(reports: impl IntoIterator<Item = GameReport>) -> GameReport {
        let mut report = GameReport::default();
        reports.into_iter().for_each(|more| report.add(more));
        report
    }

    /// Takes in what the walk of a branch has found.
    pub(super) fn add(&mut self, branch: GameReport) {
        self.count(&branch.outcomes);
        self.prompts += branch.prompts;
        self.refused_keys += branch.refused_keys;
        self.divergences += branch.divergences;
        self.instructions += branch.instructions;
        for (name, figure) in branch.figures {
            self.figure(&name, figure);
        }
        self.user_wins.extend(branch.user_wins);
        let room = KEPT.saturating_sub(self.diverging.len());
        self.diverging.extend(branch.diverging.into_iter().take(room));
    }
}

impl Figure {
    /// The number.
    pub fn value(self) -> u64 {
        let (Figure::Count(value) | Figure::Worst(value)) = self;
        value
    }
}

/// Only the number is written.
impl Serialize for Figure {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.value())
    }
}

/// Where program and twin differ.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Divergence {
    /// The keys from the program's start, as `--keys` takes them.
    pub keys: String,
    /// What is different.
    pub what: String,
    /// The twin's screen as text.
    pub expected: Vec<String>,
    /// The program's screen as text.
    pub found: Vec<String>,
    /// Both screens whole.
    #[serde(skip)]
    pub screens: Option<(Screen, Screen)>,
}

/// Keys, by their ASCII codes, as `--keys` takes them.
pub(super) fn key_names(keys: &[u8]) -> String {
    let name = |&key: &u8| {
        let character = char::from(key);
        Key::typing(character).map_or_else(|| character.to_string(), |key| key.to_string())
    };
    keys.iter().map(name).collect::<Vec<_>>().join(" ")
}
