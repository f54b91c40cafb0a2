//! The results of a proof, as figures and as text. Serde writes it as the command line's JSON.

use super::channel::Channel;
use super::covers::Covers;
use super::screen::Screen;
use oxbox_machine::machine::Key;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number of divergences that are kept with their screens. All are counted.
pub(super) const KEPT: usize = 10;

/// The reports of all verified games.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// The games in order.
    pub games: Vec<GameReport>,
}

impl Report {
    /// Returns whether at least one comparison was made for some game, and no game has diverged.
    pub fn agrees(&self) -> bool {
        !self.games.is_empty() && self.games.iter().all(|game| game.divergences == 0 && game.states > 0)
    }
}

/// The report of a game.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct GameReport {
    /// The name on the command line.
    pub game: String,
    /// Complete lines of play on which both agreed to the end.
    pub lines: usize,
    /// The number of examined prompts and ends.
    pub prompts: usize,
    /// The number of typed keys that are not moves.
    pub refused_keys: usize,
    /// The number of typed keys, each in a new state.
    pub executed: usize,
    /// The number of distinct states of the pair in which a key is awaited.
    pub states: usize,
    /// The number of consecutive games after which the exploration was cut off; `None` if it
    /// closes, because each further game returns to a known state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<usize>,
    /// Whether everything was explored, without reaching a bound.
    pub complete: bool,
    /// The number of keys after which program and twin differ. Nothing below is explored.
    pub divergences: usize,
    /// The number of lines by outcome.
    pub outcomes: Lines,
    /// The instructions executed by the program.
    pub instructions: u64,
    /// Figures specific to this game.
    #[serde(flatten)]
    pub figures: BTreeMap<String, Figure>,
    /// The lines by starting side, if the game has several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub begins: BTreeMap<String, Begun>,
    /// The keys of the first line with the largest `worst_clocks`, from the program's start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_keys: Option<String>,
    /// The keys of the lines in which the user beats the computer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub user_wins: Vec<String>,
    /// If the search was cut off: the number of keys in a row of which all were tried.
    #[serde(skip)]
    pub keys_in_a_row: Option<usize>,
    /// The coverage statement of the proof.
    pub covers: Covers,
    /// The first divergences in search order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diverging: Vec<Divergence>,
}

/// The lines of one starting side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Begun {
    /// Complete lines of play.
    pub lines: usize,
    /// The number of lines by outcome.
    pub outcomes: Lines,
}

/// The figure to which [`GameReport::worst_keys`] belongs.
const WORST: &str = "worst_clocks";

/// The number of complete lines by outcome label.
pub type Lines = BTreeMap<String, usize>;

/// A figure of a line of play, and the rule for combining lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Figures are added.
    Count(u64),
    /// The largest figure counts.
    Worst(u64),
}

impl GameReport {
    /// Adds the figure of a line.
    pub fn figure(&mut self, name: &str, figure: Figure) {
        let total = self.figures.get(name).map_or(figure, |total| total.with(figure));
        self.figures.insert(name.to_owned(), total);
    }

    /// Adds a line of one starting side.
    pub(super) fn begun(&mut self, who: String, lines: &Lines) {
        let begun = self.begins.entry(who).or_default();
        for (outcome, count) in lines {
            *begun.outcomes.entry(outcome.clone()).or_default() += count;
            begun.lines += count;
        }
    }

    /// Returns the largest clocks of all moves.
    pub(super) fn worst(&self) -> Option<u64> {
        self.figures.get(WORST).map(|figure| figure.value())
    }

    pub(super) fn count(&mut self, lines: &Lines) {
        for (outcome, count) in lines {
            *self.outcomes.entry(outcome.clone()).or_default() += count;
            self.lines += count;
        }
    }

    /// Keeps the results of an exploration from a different initial state: its lines are the same.
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
            keys_in_a_row: self.keys_in_a_row,
            divergences: self.divergences,
            instructions: self.instructions,
            diverging: self.diverging.into_iter().map(told).collect(),
            ..GameReport::default()
        }
    }

    pub(super) fn add(&mut self, branch: GameReport) {
        self.count(&branch.outcomes);
        self.prompts += branch.prompts;
        self.refused_keys += branch.refused_keys;
        self.executed += branch.executed;
        self.states += branch.states;
        self.games = self.games.max(branch.games);
        self.complete &= branch.complete;
        self.keys_in_a_row = self.keys_in_a_row.into_iter().chain(branch.keys_in_a_row).min();
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
    /// Combines this figure with that of another line.
    pub(super) fn with(self, more: Figure) -> Figure {
        match (self, more) {
            (Figure::Count(sum), Figure::Count(more)) => Figure::Count(sum + more),
            (Figure::Worst(worst) | Figure::Count(worst), Figure::Worst(more) | Figure::Count(more)) => {
                Figure::Worst(worst.max(more))
            }
        }
    }

    /// Returns the number.
    pub fn value(self) -> u64 {
        let (Figure::Count(value) | Figure::Worst(value)) = self;
        value
    }
}

/// Serialises the number only.
impl Serialize for Figure {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.value())
    }
}

/// A difference between program and twin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divergence {
    /// The keys from the program's start, in the form of `--keys`.
    pub keys: String,
    /// The channel.
    pub channel: Channel,
    /// The difference.
    pub what: String,
    /// The twin's screen as text.
    pub expected: Vec<String>,
    /// The program's screen as text.
    pub found: Vec<String>,
    /// The two complete screens.
    #[serde(skip)]
    pub screens: Option<(Screen, Screen)>,
}

/// Formats keys, given by ASCII codes, in the form of `--keys`.
pub(super) fn key_names(keys: &[u8]) -> String {
    let name = |&key: &u8| {
        let character = char::from(key);
        Key::typing(character).map_or_else(|| character.to_string(), |key| key.to_string())
    };
    keys.iter().map(name).collect::<Vec<_>>().join(" ")
}
