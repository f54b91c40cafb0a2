//! Every engine against every other, over every line of play that they leave open.
//!
//! An [`Entrant`] says who sits on either [`Seat`]: nobody, a program, or people, who try every line. The arena is
//! the board and the referee: a game ends at the first three in a row, also where a program would play on.

use super::{Board, Engine, Mark, Move};
use serde::Serialize;
use std::fmt;

/// A program on one side of a match. Every [`Engine`] is one.
pub trait Contestant {
    /// The program after it has heard of the opponent's last move, and its own move; at the start there is none to
    /// hear of. `None` if it does not move.
    fn answer(&self, heard: Option<Move>) -> Option<(Box<dyn Contestant>, Move)>;
}

/// With nothing heard, an engine's move is the stone that it has put down already.
impl<E: Engine + 'static> Contestant for E {
    fn answer(&self, heard: Option<Move>) -> Option<(Box<dyn Contestant>, Move)> {
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

/// Who plays one side of a match.
#[derive(Debug, Clone, Copy)]
pub enum Seat {
    /// Nobody: the program cannot take this side.
    Vacant,
    /// People, who try every line of play.
    People,
    /// A program: one position for each way in which it may start.
    Program(fn() -> Vec<Box<dyn Contestant>>),
}

/// Who takes part, and on which sides.
#[derive(Debug, Clone, Copy)]
pub struct Entrant {
    /// Its name in the table.
    pub name: &'static str,
    /// Who opens.
    pub opens: Seat,
    /// Who answers.
    pub answers: Seat,
}

/// Complete lines of play by their result, for the side that is asked about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// Lines it has won.
    pub wins: usize,
    /// Lines nobody has won.
    pub draws: usize,
    /// Lines it has lost.
    pub losses: usize,
}

impl Score {
    /// All lines.
    pub fn lines(self) -> usize {
        self.wins + self.draws + self.losses
    }

    /// The same lines from the other side.
    pub(crate) fn reversed(self) -> Score {
        Score { wins: self.losses, losses: self.wins, ..self }
    }

    fn add(&mut self, other: Score) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// One entrant opening against another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Who opens.
    pub first: &'static str,
    /// Who answers.
    pub second: &'static str,
    /// The lines, for the one who opens; `None` where one of the two cannot take its side.
    pub score: Option<Score>,
}

/// All matches and what they come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Every ordered pair, the one who opens in the outer order. People do not meet people: that is the game's own
    /// tree.
    pub matches: Vec<Match>,
    /// Each entrant's lines against all others, both sides.
    pub totals: Vec<Total>,
}

/// What all matches of an entrant come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Total {
    /// Who.
    pub player: &'static str,
    /// All its lines against others.
    #[serde(flatten)]
    pub score: Score,
}

/// A line a match that can be played, wins, draws and losses of the one who opens; then a line an entrant, which adds
/// up both sides of all its matches with others.
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
pub fn play_all(entrants: &[Entrant]) -> Table {
    let pairs = entrants.iter().flat_map(|first| entrants.iter().map(move |second| (first, second)));
    let matches: Vec<Match> = pairs.map(|(first, second)| play(first, second)).collect();
    let totals = entrants.iter().map(|entrant| total(entrant.name, &matches)).collect();
    Table { matches, totals }
}

/// Which sides each entrant takes, in words, where it does not take both: `oxo only opens, ttt1 only answers`.
pub fn sides_taken(entrants: &[Entrant]) -> String {
    use Seat::{People, Program, Vacant};
    let such = |fits: fn(&Entrant) -> bool| -> Vec<&str> {
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

fn play(first: &Entrant, second: &Entrant) -> Match {
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

/// One side of a match, somewhere in it.
enum Side {
    People,
    Program(Box<dyn Contestant>),
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
    /// Its moves on `board` after the opponent's: one for a program, all for people.
    fn answers(&self, board: Board, heard: Option<Move>) -> Vec<(Side, Move)> {
        match self {
            Side::People => board.free().map(|cell| (Side::People, cell)).collect(),
            Side::Program(program) => {
                program.answer(heard).map(|(next, cell)| (Side::Program(next), cell)).into_iter().collect()
            }
        }
    }
}

/// The lines from a position on: `mover` has heard of the opponent's last move and plays `mark`, then the other
/// does.
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
        let entrant = |name, opens, answers| Entrant { name, opens, answers };
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
