//! Games as plain Rust: boards, moves and what the computer answers.
//!
//! Each engine states one program's rules in that program's own representation and knows nothing of DOS, keys or
//! screens; [`crate::verify`] holds the emulated programs against them. Pure: same moves, same game. The engines
//! of the five systems are in the crate `oxbox-games`.

pub mod arena;
pub mod board;
pub mod tune;

pub use board::{Board, Mark, Move};

/// How a game has ended, as the program itself sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The program counts a completed row of this mark.
    Win(Mark),
    /// Nobody won, or the program does not look who did.
    Draw,
}

impl Outcome {
    /// `"computer"`, `"user"` or `"draw"` where one side is `computer`'s; `"x"`, `"o"` or `"draw"` where two
    /// people play.
    pub fn label(self, computer: Option<Mark>) -> &'static str {
        match (self, computer) {
            (Outcome::Draw, _) => "draw",
            (_, Some(_)) if self.is_users(computer) => "user",
            (Outcome::Win(_), Some(_)) => "computer",
            (Outcome::Win(Mark::X), None) => "x",
            (Outcome::Win(Mark::O), None) => "o",
        }
    }

    /// Whether the user has won against `computer`'s mark. Nobody is the user where two people play.
    pub fn is_users(self, computer: Option<Mark>) -> bool {
        computer.is_some_and(|computer| matches!(self, Outcome::Win(mark) if mark != computer))
    }
}

/// A game: a position, the user's moves in it, and what the program does then.
///
/// A value stands at one of the user's prompts or at the end, so a clone is a branch of the game tree.
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
    /// The mark of the computer; `None` where two people play.
    const COMPUTER: Option<Mark>;

    /// What lies on the board.
    fn board(&self) -> Board;

    /// How it ended; `None` while the user is to move.
    fn outcome(&self) -> Option<Outcome>;

    /// The user's move, then the computer's answer if there is one. A move that is not in
    /// [`moves`](Engine::moves) changes nothing.
    fn play(&mut self, cell: Move);

    /// What the user may play, cells in rising order; nothing once the game has ended.
    fn moves(&self) -> Vec<Move> {
        if self.outcome().is_some() { Vec::new() } else { self.board().free().collect() }
    }

    /// The mark that is to move at this prompt.
    fn turn(&self) -> Mark {
        match Self::COMPUTER {
            Some(computer) => computer.other(),
            None if self.board().count(Mark::X) > self.board().count(Mark::O) => Mark::O,
            None => Mark::X,
        }
    }
}

/// What the whole tree below a position amounts to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Census {
    /// Prompts and ends.
    pub positions: usize,
    /// Complete lines of play: the outcome and the final board of each, in the order of the walk.
    pub ends: Vec<(Outcome, Board)>,
}

impl Census {
    /// Number of lines with this outcome.
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
