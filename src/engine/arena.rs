//! Every engine against every other, over every line of play that they leave open.
//!
//! An engine plays the sides its program can take: OXO only opens, TTT1 and EECS-2100 only answer, the chip
//! does both (eight openings, one for each value of its counter). GRID18 has no computer: it is the board and
//! the referee of every match, and it takes part as two people may, with every line of play. So the referee
//! ends a game at the first three in a row, also where a program would have played on.

use super::{Board, Engine, Mark, Move, Outcome};
use crate::games::chip::ChipGame;
use crate::games::eecs2100::Eecs2100;
use crate::games::grid18::Grid18;
use crate::games::oxo::Oxo;
use crate::games::ttt1::Ttt1;
use serde::Serialize;
use std::fmt;

/// Who takes part, by the games' names on the command line.
pub const PLAYERS: [&str; 5] = ["ttt1", "eecs2100", "grid18", "oxo", "chip"];

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
    pub fn reversed(self) -> Score {
        Score { wins: self.losses, losses: self.wins, ..self }
    }

    fn add(&mut self, other: Score) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// One engine opening against another.
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
    /// Every ordered pair of [`PLAYERS`], the one who opens in the outer order. GRID18 does not meet itself:
    /// that is the game's own tree.
    pub matches: Vec<Match>,
    /// Each player's lines against all others, both sides.
    pub totals: Vec<Total>,
}

/// What all matches of a player come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Total {
    /// Who.
    pub player: &'static str,
    /// All its lines against others.
    #[serde(flatten)]
    pub score: Score,
}

/// A line a match that can be played, wins, draws and losses of the one who opens; then a line a player, which adds
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
pub fn play_all() -> Table {
    let pairs = PLAYERS.iter().flat_map(|first| PLAYERS.iter().map(move |second| (*first, *second)));
    let matches: Vec<Match> = pairs.map(|(first, second)| play(first, second)).collect();
    let totals = PLAYERS.map(|player| Total { player, score: total(player, &matches) }).to_vec();
    Table { matches, totals }
}

fn total(name: &str, matches: &[Match]) -> Score {
    let mut total = Score::default();
    for Match { first, second, score } in matches {
        let Some(score) = score.filter(|_| first != second) else { continue };
        if *first == name {
            total.add(score);
        } else if *second == name {
            total.add(score.reversed());
        }
    }
    total
}

fn play(first: &'static str, second: &'static str) -> Match {
    let sides = opener(first).zip(answerer(second)).filter(|_| (first, second) != ("grid18", "grid18"));
    let score = sides.map(|(opener, answerer)| {
        let mut score = Score::default();
        lines(Grid18::new(), &opener, &answerer, None, &mut score);
        score
    });
    Match { first, second, score }
}

/// The lines from a position on: `mover` has heard of the opponent's last move (at the start there is none)
/// and plays, then the other does.
fn lines(referee: Grid18, mover: &Player, other: &Player, heard: Option<Move>, score: &mut Score) {
    for (next, cell) in mover.answers(heard) {
        let mut referee = referee;
        referee.play(cell);
        match referee.outcome() {
            Some(Outcome::Win(Mark::X)) => score.wins += 1,
            Some(Outcome::Win(Mark::O)) => score.losses += 1,
            Some(Outcome::Draw) => score.draws += 1,
            None => lines(referee, other, &next, Some(cell), score),
        }
    }
}

/// One side of a match.
#[derive(Debug, Clone)]
enum Player {
    Ttt1(Ttt1),
    Eecs2100(Eecs2100),
    Oxo(Oxo),
    Chip(ChipGame),
    /// The chip before it has begun.
    ChipToBegin,
    /// Any free cell: what is taken.
    Anyone(Board),
}

fn opener(name: &str) -> Option<Player> {
    match name {
        "oxo" => Some(Player::Oxo(Oxo::new())),
        "chip" => Some(Player::ChipToBegin),
        "grid18" => Some(Player::Anyone(Board::default())),
        _ => None,
    }
}

fn answerer(name: &str) -> Option<Player> {
    match name {
        "ttt1" => Some(Player::Ttt1(Ttt1::new())),
        "eecs2100" => Some(Player::Eecs2100(Eecs2100::new())),
        "chip" => Some(Player::Chip(ChipGame::user_begins())),
        "grid18" => Some(Player::Anyone(Board::default())),
        _ => None,
    }
}

impl Player {
    /// Its moves after the opponent's: one for a program, all for people, eight for the chip that begins.
    fn answers(&self, heard: Option<Move>) -> Vec<(Player, Move)> {
        match self {
            Player::Ttt1(game) => {
                answer(game, heard).map(|(game, cell)| (Player::Ttt1(game), cell)).into_iter().collect()
            }
            Player::Eecs2100(game) => {
                answer(game, heard).map(|(game, cell)| (Player::Eecs2100(game), cell)).into_iter().collect()
            }
            Player::Oxo(game) => {
                answer(game, heard).map(|(game, cell)| (Player::Oxo(game), cell)).into_iter().collect()
            }
            Player::Chip(game) => {
                answer(game, heard).map(|(game, cell)| (Player::Chip(game), cell)).into_iter().collect()
            }
            Player::ChipToBegin => {
                let games = (0..8).map(ChipGame::chip_begins);
                games
                    .filter_map(|game| answer(&game, None))
                    .map(|(game, cell)| (Player::Chip(game), cell))
                    .collect()
            }
            Player::Anyone(board) => {
                let mut board = *board;
                heard.into_iter().for_each(|cell| board.place(cell, Mark::O));
                let moves = board.free().map(|cell| {
                    let mut next = board;
                    next.place(cell, Mark::X);
                    (Player::Anyone(next), cell)
                });
                moves.collect()
            }
        }
    }
}

/// What an engine plays when it hears of a move; with none, the stone that it has put down already.
fn answer<E: Engine>(game: &E, heard: Option<Move>) -> Option<(E, Move)> {
    let mut next = game.clone();
    let mut known = Board::default();
    if let Some(cell) = heard {
        known = game.board();
        known.place(cell, Mark::X);
        next.play(cell);
    }
    let reply = known.free().find(|&cell| next.board().get(cell).is_some())?;
    Some((next, reply))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::census;

    #[test]
    fn the_table() {
        let table = play_all();
        let text: Vec<String> = table
            .matches
            .iter()
            .filter_map(|m| {
                m.score.map(|s| format!("{} - {}: {} {} {}", m.first, m.second, s.wins, s.draws, s.losses))
            })
            .collect();
        let expected = [
            "grid18 - ttt1: 20 111 366",
            "grid18 - eecs2100: 14 125 334",
            "grid18 - chip: 0 183 498",
            "oxo - ttt1: 0 1 0",
            "oxo - eecs2100: 1 0 0",
            "oxo - grid18: 72 4 0",
            "oxo - chip: 0 1 0",
            "chip - ttt1: 2 6 0",
            "chip - eecs2100: 1 7 0",
            "chip - grid18: 1168 106 0",
            "chip - chip: 0 8 0",
        ];
        assert_eq!(text, expected);
        let chip = table.totals.iter().find(|total| total.player == "chip").unwrap().score;
        // 0 183 498 and 0 1 0 from the other side, 2 6 0, 1 7 0 and 1168 106 0 from its own.
        assert_eq!(chip, Score { wins: 498 + 2 + 1 + 1168, draws: 183 + 1 + 6 + 7 + 106, losses: 0 });
    }

    /// A match of people against a program that takes one side is the program's own tree.
    #[test]
    fn people_against_a_program_play_its_tree() {
        fn tree(game: &impl Engine) -> Score {
            let census = census(game);
            let count = |outcome| census.count(outcome);
            Score {
                wins: count(Outcome::Win(Mark::X)),
                draws: count(Outcome::Draw),
                losses: count(Outcome::Win(Mark::O)),
            }
        }
        let table = play_all();
        let score = |first, second| {
            table.matches.iter().find(|m| m.first == first && m.second == second).unwrap().score.unwrap()
        };
        assert_eq!(score("grid18", "eecs2100"), tree(&Eecs2100::new()));
        assert_eq!(score("oxo", "grid18"), tree(&Oxo::new()));
    }
}
