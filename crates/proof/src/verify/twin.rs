//! A native twin: an engine with the keys and the screens of its DOS program.
//!
//! A twin stands at a key wait or has ended. It says which keys lead on, so the walk needs to know nothing of
//! the game. Two twins that are equal and hash alike must go on alike: positions are known by that, and by the program's own state.

use super::report::Figure;
use super::screen::Screen;
use crate::engine::tune::Tune;
use crate::engine::{Mark, Outcome};
use std::hash::Hash;

/// What a twin shows and which keys it takes.
pub trait Twin: Clone + Hash + Send + Sync {
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

    /// What the twin leaves open: what, and the reason, for the statement of the proof. That is what [`allows`](Self::allows) lets
    /// pass, and what is not told at all.
    fn leaves_open(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The program has ended.
    fn ended(&self) -> bool;

    /// How the game has ended, once it has; its line of play is then complete, though more keys may be taken.
    fn outcome(&self) -> Option<Outcome>;

    /// The keys that lead on: each to another position.
    fn moves(&self) -> Vec<u8>;

    /// Keys that make no move, in groups: they are refused, or leave the program. Each is tried, and where it changes something the
    /// walk goes on from there.
    fn asides(&self) -> Vec<Vec<u8>>;

    /// What the speaker has played since the last key; `None` where it is not compared.
    fn tunes(&self) -> Option<&'static [Tune]> {
        None
    }

    /// Figures of a complete line that the report keeps by name.
    fn figures(&self) -> Vec<(&'static str, Figure)> {
        Vec::new()
    }

    /// Who has begun this game, where the report counts the lines of each beginning.
    fn begins(&self) -> Option<String> {
        None
    }

    /// Whether the program asks for the tick count when it gets this character here. The walk then tries all that the low three
    /// bits can be, and tells the twin by [`set_ticks`](Self::set_ticks).
    fn reads_clock(&self, character: u8) -> bool {
        let _ = character;
        false
    }

    /// The low three bits of the BIOS's tick count at the next key.
    fn set_ticks(&mut self, ticks: u8) {
        let _ = ticks;
    }

    /// Whether what is on the screen tells positions apart. Where it does not, a program that never looks at the screen is walked
    /// on from one of the positions that differ in it alone.
    fn screen_tells(&self) -> bool {
        true
    }

    /// What is on the screen when each of the [`tunes`](Self::tunes) begins; those that are missing are left open.
    fn screens_at_tunes(&self) -> Vec<Screen> {
        Vec::new()
    }

    /// Pictures that stand on the way from the screen before the last key to the screen after it, in order; those at the
    /// [tunes](Self::screens_at_tunes) are among them. While one of them is drawn over another, each character or pixel is that of one
    /// of the two.
    fn stages(&self) -> Vec<Screen> {
        self.screens_at_tunes()
    }

    /// Most virtual time that the last key takes beside its tunes, in ms.
    fn drawing_ms(&self) -> u64 {
        30
    }

    /// Whether the program prints by DOS; else nothing may go to the console.
    fn prints(&self) -> bool {
        false
    }

    /// What the last key has printed, in code page 437 with its control characters; `None` where that is left open. Empty lines and
    /// blanks at the end of a line do not count.
    fn printed(&self) -> Option<&[u8]> {
        None
    }

    /// The exit code, once it has ended; `None` where it is left open.
    fn exit_code(&self) -> Option<u8> {
        Some(0)
    }
}
