//! A native twin: an engine with the keys and the screens of its DOS program.
//!
//! A twin stands at a key wait or has ended. It says which keys lead on, so the walk needs to know nothing of
//! the game.

use super::report::Figure;
use super::screen::Screen;
use crate::engine::tune::Tune;
use crate::engine::{Mark, Outcome};

/// What a twin shows and which keys it takes.
pub trait Twin: Clone + Send + Sync {
    /// The computer's mark; `None` where two people play.
    const COMPUTER: Option<Mark>;

    /// Types a key, as [`Program::press`](super::Program::press).
    fn press(&mut self, key: u8);

    /// The screen now.
    fn screen(&self) -> Screen;

    /// Whether the program may show `found` too, where what is known of the original leaves open how exactly it
    /// shows [`screen`](Self::screen).
    fn allows(&self, found: &Screen) -> bool {
        let _ = found;
        false
    }

    /// The program has ended.
    fn ended(&self) -> bool;

    /// How the game has ended, once it has; its line of play is then complete, though more keys may be taken.
    fn outcome(&self) -> Option<Outcome>;

    /// The keys that lead on: each to another position.
    fn moves(&self) -> Vec<u8>;

    /// Keys that make no move, in groups: they are refused, or leave the program. They are typed one after
    /// the other; the screen is looked at after each group, and no further.
    fn asides(&self) -> Vec<Vec<u8>>;

    /// What the speaker has played since the last key; `None` where it is not compared.
    fn tunes(&self) -> Option<&'static [Tune]> {
        None
    }

    /// Figures of a complete line that the report keeps by name.
    fn figures(&self) -> Vec<(&'static str, Figure)> {
        Vec::new()
    }

    /// What the low three bits of the BIOS's tick count have to be at the first key, where that matters.
    fn ticks(&self) -> Option<u8> {
        None
    }

    /// A number that two positions share only if everything goes on alike from them, screens included; `None`
    /// if this twin does not tell. With it a position that is reached in several ways is walked once.
    fn position(&self) -> Option<u64> {
        None
    }
}
