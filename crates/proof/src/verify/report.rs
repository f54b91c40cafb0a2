//! What a walk has found, as figures and as text; serde writes it as the command line's JSON.

use super::channel::Channel;
use super::covers::Covers;
use super::screen::Screen;
use oxbox_machine::machine::Key;
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
    /// Returns whether something was compared of at least one game, and no game has diverged.
    pub fn agrees(&self) -> bool {
        !self.games.is_empty() && self.games.iter().all(|game| game.divergences == 0 && game.states > 0)
    }
}

/// One game.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct GameReport {
    /// Its name on the command line.
    pub game: String,
    /// Complete lines of play on which both agreed to the end.
    pub lines: usize,
    /// Prompts and ends that were looked at.
    pub prompts: usize,
    /// Keys that make no move: how many of those typed.
    pub refused_keys: usize,
    /// Keys that were typed in all, each in a state that was not known before.
    pub executed: usize,
    /// Different states of program and twin together in which a key is awaited.
    pub states: usize,
    /// After how many games in a row the walk was cut off; nothing where it closes, since each further game comes back to a known
    /// state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<usize>,
    /// Everything was walked; else a bound cut something off.
    pub complete: bool,
    /// Keys after which program and twin differ. Nothing below such a place is walked.
    pub divergences: usize,
    /// Number of lines by outcome.
    pub outcomes: Lines,
    /// What the program has executed.
    pub instructions: u64,
    /// Figures that only this game has.
    #[serde(flatten)]
    pub figures: BTreeMap<String, Figure>,
    /// The lines by who begins, where the game has several beginnings.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub begins: BTreeMap<String, Begun>,
    /// The keys of the first line with the largest `worst_clocks`, from the program's start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_keys: Option<String>,
    /// The lines in which the user beats the computer, as keys.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub user_wins: Vec<String>,
    /// The statement: what the proof covers.
    pub covers: Covers,
    /// The first divergences, in the order of the walk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diverging: Vec<Divergence>,
}

/// The lines of one beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Begun {
    /// Complete lines of play.
    pub lines: usize,
    /// Number of lines by outcome.
    pub outcomes: Lines,
}

/// The figure that [`GameReport::worst_keys`] are the keys of.
const WORST: &str = "worst_clocks";

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
        let total = self.figures.get(name).map_or(figure, |total| total.with(figure));
        self.figures.insert(name.to_owned(), total);
    }

    /// Takes in a line of one beginning.
    pub(super) fn begun(&mut self, who: String, lines: &Lines) {
        let begun = self.begins.entry(who).or_default();
        for (outcome, count) in lines {
            *begun.outcomes.entry(outcome.clone()).or_default() += count;
            begun.lines += count;
        }
    }

    /// The largest clocks of any move so far.
    pub(super) fn worst(&self) -> Option<u64> {
        self.figures.get(WORST).map(|figure| figure.value())
    }

    /// Takes in complete lines.
    pub(super) fn count(&mut self, lines: &Lines) {
        for (outcome, count) in lines {
            *self.outcomes.entry(outcome.clone()).or_default() += count;
            self.lines += count;
        }
    }

    /// What counts of a walk that begins otherwise than the first: its lines are the same once more.
    pub(super) fn of_another_start(self, start: &str) -> GameReport {
        let told = |divergence: Divergence| Divergence {
            what: format!("{start}: {}", divergence.what),
            ..divergence
        };
        GameReport {
            refused_keys: self.executed,
            executed: self.executed,
            states: self.states,
            games: self.games,
            complete: self.complete,
            divergences: self.divergences,
            instructions: self.instructions,
            diverging: self.diverging.into_iter().map(told).collect(),
            ..GameReport::default()
        }
    }

    /// Takes in what the walk of a branch has found.
    pub(super) fn add(&mut self, branch: GameReport) {
        self.count(&branch.outcomes);
        self.prompts += branch.prompts;
        self.refused_keys += branch.refused_keys;
        self.executed += branch.executed;
        self.states += branch.states;
        self.games = self.games.max(branch.games);
        self.complete &= branch.complete;
        self.divergences += branch.divergences;
        self.instructions += branch.instructions;
        if branch.worst() > self.worst() {
            self.worst_keys = branch.worst_keys;
        }
        for (who, begun) in branch.begins {
            self.begun(who, &begun.outcomes);
        }
        for (name, figure) in branch.figures {
            self.figure(&name, figure);
        }
        self.user_wins.extend(branch.user_wins);
        let room = KEPT.saturating_sub(self.diverging.len());
        self.diverging.extend(branch.diverging.into_iter().take(room));
    }
}

impl Figure {
    /// This figure and that of another line as one.
    pub(super) fn with(self, more: Figure) -> Figure {
        match (self, more) {
            (Figure::Count(sum), Figure::Count(more)) => Figure::Count(sum + more),
            (Figure::Worst(worst) | Figure::Count(worst), Figure::Worst(more) | Figure::Count(more)) => {
                Figure::Worst(worst.max(more))
            }
        }
    }

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
    /// Where it is seen, heard or found.
    pub channel: Channel,
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
