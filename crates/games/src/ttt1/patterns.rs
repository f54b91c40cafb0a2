//! Analysis of the sixteen patterns of TTT1: the intended target of each, the executed one, and the
//! effect.
//!
//! The program reads the targets of its last eleven patterns from the wrong table (see the rules),
//! so six of them differ from the author's drawing.

use super::rules::{BLOCKS, Pattern, Ttt1, WINS};
use oxbox_proof::engine::board::RING;
use oxbox_proof::engine::{Engine, Mark};

/// The intended targets, one bit per cell of the edge: five for O's twos, then eleven for X.
const DRAWN: [u8; 16] = [1, 1, 1, 2, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 1];

/// The effect of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// Plays the intended cell.
    AsDrawn,
    /// Plays a different cell.
    Elsewhere,
    /// Never plays, because its target includes a cell that the pattern itself requires to be X.
    OwnStone,
    /// Never plays, because an earlier pattern matches wherever it does.
    Shadowed,
    /// Never plays, because no game reaches the boards that it matches.
    Unreached,
}

/// A pattern and its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Study {
    /// The number, 1 to 16, in the program's order.
    pub number: usize,
    /// The intended target, bit n for place n of the ring.
    pub drawn: u8,
    /// The executed target.
    pub executed: u8,
    /// The effect.
    pub fate: Fate,
    /// The number of times that it is played over all lines of play.
    pub played: usize,
}

/// Analyses all sixteen over every filling of the board and over every line of play.
pub fn study() -> Vec<Study> {
    let reachable = turns();
    let all: Vec<Turn> = fillings().collect();
    let study = |(index, pattern): (usize, &Pattern)| {
        let fires = |turn: &&Turn| turn.pattern() == Some(index);
        let fits = all.iter().any(|turn| pattern.hit(turn.side(index), turn.x | turn.o).is_some());
        let played = reachable.iter().filter(fires).count();
        let fate = match (played, all.iter().any(|turn| fires(&turn))) {
            (1.., _) if pattern.target == DRAWN[index] => Fate::AsDrawn,
            (1.., _) => Fate::Elsewhere,
            (0, true) => Fate::Unreached,
            (0, false) if fits => Fate::Shadowed,
            (0, false) => Fate::OwnStone,
        };
        Study { number: index + 1, drawn: DRAWN[index], executed: pattern.target, fate, played }
    };
    patterns().enumerate().map(study).collect()
}

/// Statistics of the computer's turns after its first, over all lines of play.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Searches {
    /// Turns on which it searches for a pattern.
    pub turns: usize,
    /// Turns won by one of the first five patterns.
    pub wins: usize,
    /// Those of them on which a block would also have matched.
    pub wins_before_a_block: usize,
    /// Turns on which a win matches but a different pattern is played.
    pub wins_missed: usize,
    /// Turns on which no pattern matches.
    pub without_a_pattern: usize,
    /// Those of them without a free cell of the edge, on which the program would exit as for a full
    /// board.
    pub without_a_cell: usize,
}

/// Counts the computer's turns over all lines of play.
pub fn searches() -> Searches {
    let mut counts = Searches::default();
    for turn in turns() {
        let fits = |(index, pattern): (usize, &Pattern)| {
            pattern.hit(turn.side(index), turn.x | turn.o).map(|_| index < WINS.len())
        };
        let fitting: Vec<bool> = patterns().enumerate().filter_map(fits).collect();
        counts.turns += 1;
        match (fitting.first(), fitting.contains(&true), fitting.contains(&false)) {
            (Some(true), _, block) => {
                counts.wins += 1;
                counts.wins_before_a_block += usize::from(block);
            }
            (Some(false), wins, _) => counts.wins_missed += usize::from(wins),
            (None, ..) => {
                counts.without_a_pattern += 1;
                counts.without_a_cell += usize::from((turn.x | turn.o) & 0xFF == 0xFF);
            }
        }
    }
    counts
}

/// Returns the check mask of a pattern, 1 to 16 in the program's order.
pub fn check_mask(number: usize) -> Option<u16> {
    patterns().nth(number.checked_sub(1)?).map(|pattern| pattern.check)
}

fn patterns() -> impl Iterator<Item = &'static Pattern> {
    WINS.iter().chain(&BLOCKS)
}

/// The two sides when the computer searches for a pattern.
#[derive(Debug, Clone, Copy)]
struct Turn {
    x: u16,
    o: u16,
}

impl Turn {
    fn side(&self, index: usize) -> u16 {
        if index < WINS.len() { self.o } else { self.x }
    }

    fn pattern(&self) -> Option<usize> {
        let taken = self.x | self.o;
        patterns().enumerate().position(|(index, pattern)| pattern.hit(self.side(index), taken).is_some())
    }
}

/// Returns every filling of the nine cells.
fn fillings() -> impl Iterator<Item = Turn> {
    (0..3u32.pow(9)).map(|number| {
        let cells = |digit: u32| {
            (0..9).filter(|&bit| number / 3u32.pow(bit) % 3 == digit).fold(0, |side, bit| side | 1 << bit)
        };
        Turn { x: cells(1), o: cells(2) }
    })
}

/// Returns every turn of the computer except its first, over all lines of play.
fn turns() -> Vec<Turn> {
    fn walk(game: &Ttt1, turns: &mut Vec<Turn>) {
        for cell in game.moves() {
            let mut board = game.board();
            board.place(cell, Mark::X);
            let side = |mark| {
                let held = |(bit, cell): (usize, &_)| u16::from(board.get(*cell) == Some(mark)) << bit;
                RING.iter().enumerate().map(held).sum()
            };
            if board.count(Mark::O) > 0 && !board.is_full() {
                turns.push(Turn { x: side(Mark::X), o: side(Mark::O) });
            }
            let mut next = *game;
            next.play(cell);
            walk(&next, turns);
        }
    }
    let mut turns = Vec::new();
    walk(&Ttt1::new(), &mut turns);
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_of_sixteen_are_not_as_drawn() {
        use Fate::*;
        let study = study();
        assert!(study[..10].iter().all(|study| study.fate == AsDrawn && study.drawn == study.executed));
        let played: Vec<usize> = study[..10].iter().map(|study| study.played).collect();
        assert_eq!(played, [8, 8, 216, 48, 100, 43, 22, 20, 69, 24]);
        let look_ahead: Vec<_> =
            study[10..].iter().map(|s| (s.number, s.drawn, s.executed, s.fate, s.played)).collect();
        let expected = [
            (11, 0x02, 0x06, Elsewhere, 2),
            (12, 0x01, 0xC0, OwnStone, 0),
            (13, 0x01, 0x10, Elsewhere, 14),
            (14, 0x01, 0x05, Unreached, 0),
            (15, 0x02, 0x20, Elsewhere, 7),
            (16, 0x01, 0xFF, Shadowed, 0),
        ];
        assert_eq!(look_ahead, expected);
    }

    /// Tests that the turns with and without a pattern add up to all turns.
    #[test]
    fn every_turn_is_counted_once() {
        let turns = turns();
        let played: usize = study().iter().map(|study| study.played).sum();
        let unanswered = turns.iter().filter(|turn| turn.pattern().is_none()).count();
        assert_eq!(played + unanswered, turns.len());
        assert_eq!(unanswered, 70);
    }
}
