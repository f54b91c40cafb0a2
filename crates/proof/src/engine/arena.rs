//! Plays every engine against every other, over every line of play that they leave open.
//!
//! An [`Participant`] specifies the players of both [`Seat`]s: none, a program, or people, who try
//! every line. The arena has the board and is the referee: a game ends at the first three in a row,
//! even if a program would continue.

use super::{Board, Engine, Mark, Move};
use serde::Serialize;
use std::fmt;

/// A program as one side of a match. Every [`Engine`] is one.
pub trait Player {
    /// Returns the program after the opponent's last move, and its own move; `None` if it does not
    /// move. At the start there is no move of the opponent.
    fn answer(&self, heard: Option<Move>) -> Option<(Box<dyn Player>, Move)>;
}

/// Without a move of the opponent, an engine's move is the stone that it has already placed.
impl<E: Engine + 'static> Player for E {
    fn answer(&self, heard: Option<Move>) -> Option<(Box<dyn Player>, Move)> {
        let mut next = self.clone();
        let mut known = Board::default();
        if let Some(cell) = heard {
            known = self.board();
            known.place(cell, Mark::X);
            next.play(cell);
        }
        let reply = known.free().find(|&cell| next.board().get(cell).is_some())?;
        Some((Box::new(next), reply))
    }
}

/// The player of one side of a match.
#[derive(Debug, Clone, Copy)]
pub enum Seat {
    /// Empty: the program cannot play this side.
    Vacant,
    /// People, who try every line of play.
    People,
    /// A program, with one position for each way in which it may start.
    Program(fn() -> Vec<Box<dyn Player>>),
}

/// A participant, and the sides that it can play.
#[derive(Debug, Clone, Copy)]
pub struct Participant {
    /// Its name in the table.
    pub name: &'static str,
    /// The player that opens.
    pub opens: Seat,
    /// The player that answers.
    pub answers: Seat,
}

/// Complete lines of play by result, for one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// Lines won.
    pub wins: usize,
    /// Lines drawn.
    pub draws: usize,
    /// Lines lost.
    pub losses: usize,
}

impl Score {
    /// Returns the number of all lines.
    pub fn lines(self) -> usize {
        self.wins + self.draws + self.losses
    }

    /// Returns the same lines from the other side.
    pub(crate) fn reversed(self) -> Score {
        Score { wins: self.losses, losses: self.wins, ..self }
    }

    fn add(&mut self, other: Score) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// A match with one entrant opening.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The entrant that opens.
    pub first: &'static str,
    /// The entrant that answers.
    pub second: &'static str,
    /// The lines for the opening entrant; `None` if one of the two cannot play its side.
    pub score: Option<Score>,
}

/// All matches and their totals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Every ordered pair, with the opening entrant in the outer order. People do not play people:
    /// that is the game tree itself.
    pub matches: Vec<Match>,
    /// Each entrant's lines against all others, on both sides.
    pub totals: Vec<Total>,
}

/// The total of an entrant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Total {
    /// The entrant.
    pub player: &'static str,
    /// All of its lines against others.
    #[serde(flatten)]
    pub score: Score,
}

/// Formats one line per played match, with wins, draws and losses of the opening entrant, followed
/// by one line per entrant with the sum of its matches on both sides.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = |f: &mut fmt::Formatter<'_>, first: &str, second: &str| {
            writeln!(f, "{first:<10}{second:<10}{:>8}{:>8}{:>8}{:>8}", "lines", "wins", "draws", "losses")
        };
        let line = |f: &mut fmt::Formatter<'_>, first: &str, second: &str, score: Score| {
            let Score { wins, draws, losses } = score;
            writeln!(f, "{first:<10}{second:<10}{:>8}{wins:>8}{draws:>8}{losses:>8}", score.lines())
        };
        heading(f, "opens", "answers")?;
        for Match { first, second, score } in &self.matches {
            score.map_or(Ok(()), |score| line(f, first, second, score))?;
        }
        writeln!(f)?;
        heading(f, "in all", "")?;
        self.totals.iter().try_for_each(|Total { player, score }| line(f, player, "", *score))
    }
}

/// Plays all matches.
pub fn play_all(entrants: &[Participant]) -> Table {
    let pairs = entrants.iter().flat_map(|first| entrants.iter().map(move |second| (first, second)));
    let matches: Vec<Match> = pairs.map(|(first, second)| play(first, second)).collect();
    let totals = entrants.iter().map(|entrant| total(entrant.name, &matches)).collect();
    Table { matches, totals }
}

/// Returns which sides each entrant plays, if not both: `oxo only opens, ttt1 only answers`.
pub fn sides_taken(entrants: &[Participant]) -> String {
    use Seat::{People, Program, Vacant};
    let such = |fits: fn(&Participant) -> bool| -> Vec<&str> {
        entrants.iter().filter(|entrant| fits(entrant)).map(|entrant| entrant.name).collect()
    };
    let openers = such(|entrant| matches!((entrant.opens, entrant.answers), (Program(_), Vacant)));
    let answerers = such(|entrant| matches!((entrant.opens, entrant.answers), (Vacant, Program(_))));
    let people = such(|entrant| matches!(entrant.opens, People) || matches!(entrant.answers, People));
    let say = |names: &[&str], one: &str, many: &str| {
        let listed = match names {
            [] => return None,
            [name] => return Some(format!("{name} {one}")),
            [names @ .., last] => format!("{} and {last}", names.join(", ")),
        };
        Some(format!("{listed} {many}"))
    };
    let parts = [
        say(&openers, "only opens", "only open"),
        say(&answerers, "only answers", "only answer"),
        say(&people, "is people who try everything", "are people who try everything"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn total(name: &'static str, matches: &[Match]) -> Total {
    let mut score = Score::default();
    for Match { first, second, score: played } in matches {
        let Some(played) = played.filter(|_| first != second) else { continue };
        if *first == name {
            score.add(played);
        } else if *second == name {
            score.add(played.reversed());
        }
    }
    Total { player: name, score }
}

fn play(first: &Participant, second: &Participant) -> Match {
    let openers = first.opens.sides();
    let answerers = second.answers.sides();
    let only_people = matches!((first.opens, second.answers), (Seat::People, Seat::People));
    let score = (!only_people && !openers.is_empty() && !answerers.is_empty()).then(|| {
        let mut score = Score::default();
        for opener in &openers {
            for answerer in &answerers {
                lines(Board::default(), Mark::X, opener, answerer, None, &mut score);
            }
        }
        score
    });
    Match { first: first.name, second: second.name, score }
}

enum Side {
    People,
    Program(Box<dyn Player>),
}

impl Seat {
    fn sides(self) -> Vec<Side> {
        match self {
            Seat::Vacant => Vec::new(),
            Seat::People => vec![Side::People],
            Seat::Program(starts) => starts().into_iter().map(Side::Program).collect(),
        }
    }
}

impl Side {
    /// Returns its moves on `board` after the opponent's: one for a program, all for people.
    fn answers(&self, board: Board, heard: Option<Move>) -> Vec<(Side, Move)> {
        match self {
            Side::People => board.free().map(|cell| (Side::People, cell)).collect(),
            Side::Program(program) => {
                program.answer(heard).map(|(next, cell)| (Side::Program(next), cell)).into_iter().collect()
            }
        }
    }
}

/// Plays the lines from a position: `mover` receives the opponent's last move and plays `mark`,
/// followed by the other side.
fn lines(board: Board, mark: Mark, mover: &Side, other: &Side, heard: Option<Move>, score: &mut Score) {
    for (next, cell) in mover.answers(board, heard) {
        let mut board = board;
        board.place(cell, mark);
        match mark {
            Mark::X if board.has_row(mark) => score.wins += 1,
            Mark::O if board.has_row(mark) => score.losses += 1,
            _ if board.is_full() => score.draws += 1,
            _ => lines(board, mark.other(), other, &next, Some(cell), score),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_told_in_words() {
        let program = Seat::Program(Vec::new);
        let entrant = |name, opens, answers| Participant { name, opens, answers };
        let cases = [
            (vec![entrant("a", program, Seat::Vacant)], "a only opens"),
            (vec![entrant("a", program, program)], ""),
            (
                vec![
                    entrant("a", Seat::Vacant, program),
                    entrant("b", Seat::People, Seat::People),
                    entrant("c", Seat::Vacant, program),
                    entrant("d", Seat::Vacant, program),
                ],
                "a, c and d only answer, b is people who try everything",
            ),
        ];
        for (entrants, expected) in cases {
            assert_eq!(sides_taken(&entrants), expected);
        }
    }
}
