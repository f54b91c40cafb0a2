//! Games in Rust: boards, moves, and the computer's answers.
//!
//! Each engine has one program's rules in that program's own representation and does not depend on
//! DOS, keys or screens. [`crate::verify`] compares the emulated programs with them. Engines are
//! pure: the same moves give the same game. The engines of the five systems are in the crate
//! `oxbox-games`.

pub mod arena;
pub mod board;
pub mod tune;

pub use board::{Board, Mark, Move};

/// The end of a game as the program sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The program counts a completed row of this mark.
    Win(Mark),
    /// No row, or the program does not check.
    Draw,
}

impl Outcome {
    /// Returns `"computer"`, `"user"` or `"draw"` for a game against `computer`'s mark, and `"x"`,
    /// `"o"` or `"draw"` for a game of two people.
    pub fn label(self, computer: Option<Mark>) -> &'static str {
        match (self, computer) {
            (Outcome::Draw, _) => "draw",
            (_, Some(_)) if self.is_users(computer) => "user",
            (Outcome::Win(_), Some(_)) => "computer",
            (Outcome::Win(Mark::X), None) => "x",
            (Outcome::Win(Mark::O), None) => "o",
        }
    }

    /// Returns whether the user has won against `computer`'s mark. False in a game of two people.
    pub fn is_users(self, computer: Option<Mark>) -> bool {
        computer.is_some_and(|computer| matches!(self, Outcome::Win(mark) if mark != computer))
    }
}

/// A game: a position, the user's moves in it, and the program's response.
///
/// A value is at one of the user's prompts or at the end, so a clone is a branch of the game tree.
///
/// ```
/// use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};
///
/// /// The user fills the board alone.
/// #[derive(Clone, Default)]
/// struct Solo(Board);
///
/// impl Engine for Solo {
///     const COMPUTER: Option<Mark> = Some(Mark::O);
///
///     fn board(&self) -> Board {
///         self.0
///     }
///
///     fn outcome(&self) -> Option<Outcome> {
///         self.0.has_row(Mark::X).then_some(Outcome::Win(Mark::X))
///     }
///
///     fn play(&mut self, cell: Move) {
///         if self.moves().contains(&cell) {
///             self.0.place(cell, Mark::X);
///         }
///     }
/// }
///
/// let mut game = Solo::default();
/// Move::ALL[..3].iter().for_each(|&cell| game.play(cell));
/// assert_eq!(game.outcome(), Some(Outcome::Win(Mark::X)));
/// ```
pub trait Engine: Clone {
    /// The mark of the computer; `None` in a game of two people.
    const COMPUTER: Option<Mark>;

    /// Returns the board.
    fn board(&self) -> Board;

    /// Returns the end of the game; `None` while the user is to move.
    fn outcome(&self) -> Option<Outcome>;

    /// Makes the user's move, and then the computer's answer, if there is one. A move that is not
    /// in [`moves`](Engine::moves) changes nothing.
    fn play(&mut self, cell: Move);

    /// Returns the user's possible moves in ascending order; none after the end of the game.
    fn moves(&self) -> Vec<Move> {
        if self.outcome().is_some() { Vec::new() } else { self.board().free().collect() }
    }

    /// Returns the mark that moves at this prompt.
    fn turn(&self) -> Mark {
        match Self::COMPUTER {
            Some(computer) => computer.other(),
            None if self.board().count(Mark::X) > self.board().count(Mark::O) => Mark::O,
            None => Mark::X,
        }
    }
}

/// Statistics of the whole tree below a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Census {
    /// The number of prompts and ends.
    pub positions: usize,
    /// Complete lines of play: outcome and final board of each, in the order of the traversal.
    pub ends: Vec<(Outcome, Board)>,
}

impl Census {
    /// Returns the number of lines with this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.ends.iter().filter(|(end, _)| *end == outcome).count()
    }
}

/// Plays every line from `game` on.
pub fn census(game: &impl Engine) -> Census {
    fn walk(game: &impl Engine, census: &mut Census) {
        census.positions += 1;
        if let Some(outcome) = game.outcome() {
            census.ends.push((outcome, game.board()));
        }
        for cell in game.moves() {
            let mut next = game.clone();
            next.play(cell);
            walk(&next, census);
        }
    }
    let mut result = Census::default();
    walk(game, &mut result);
    result
}
