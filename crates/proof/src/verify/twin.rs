//! A native twin (reference model): an engine with the keys and the screens of its DOS program.
//!
//! A twin is at a key wait or has ended. It specifies the keys that continue, so the exploration
//! needs no knowledge of the game. Two twins that are equal must hash equally and continue equally:
//! positions are identified by this, and by the program's own state.

use super::report::Figure;
use super::screen::Screen;
use crate::engine::tune::Tune;
use crate::engine::{Mark, Outcome};
use oxbox_cpu::Model;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The screens and keys of a twin.
pub trait Twin: TwinState + Send + Sync {
    /// Returns the computer's mark; `None` for two players.
    fn computer(&self) -> Option<Mark>;

    /// Types a character, as [`ProgramUnderTest::press`](crate::walk::ProgramUnderTest::press) does.
    fn press(&mut self, key: u8);

    /// Returns the current screen.
    fn screen(&self) -> Screen;

    /// Returns whether the program may also show `found`, if the original's exact form of
    /// [`screen`](Self::screen) is not known.
    fn allows(&self, found: &Screen) -> bool {
        let _ = found;
        false
    }

    /// Returns the unspecified aspects and the reasons, for the statement of the proof: those
    /// permitted by [`allows`](Self::allows), and those not specified at all.
    fn leaves_open(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Returns whether the program has ended.
    fn ended(&self) -> bool;

    /// Returns the end of the game. Its line is then complete, though more keys may be accepted.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns the keys that continue, each to a different position.
    fn moves(&self) -> Vec<u8>;

    /// Returns keys that are not moves, in groups: they are rejected, or leave the program. Each is
    /// tried, and the exploration continues where it changes something.
    fn asides(&self) -> Vec<Vec<u8>>;

    /// Returns in one of how many positions a proof tries every key of the keyboard by default. The
    /// larger the game, the larger: trying all takes as long as some hundred moves.
    fn sampling(&self) -> u64 {
        1
    }

    /// Returns the tunes since the last key; `None` if they are not compared.
    fn tunes(&self) -> Option<&'static [Tune]> {
        None
    }

    /// Returns the figures of a complete line for the report, by name.
    fn figures(&self) -> Vec<(&'static str, Figure)> {
        Vec::new()
    }

    /// Returns the side that started this game, if the report counts the lines of each.
    fn begins(&self) -> Option<String> {
        None
    }

    /// Returns whether the program reads the tick count when it receives this character here. The
    /// exploration then tries all values of the low three bits and passes them to
    /// [`set_ticks`](Self::set_ticks).
    fn reads_clock(&self, character: u8) -> bool {
        let _ = character;
        false
    }

    /// Sets the low three bits of the BIOS tick count at the next key.
    fn set_ticks(&mut self, ticks: u8) {
        let _ = ticks;
    }

    /// Returns whether the screen identifies positions. If not, a program that never reads the
    /// screen is explored from only one of the positions that differ in nothing else.
    fn screen_tells(&self) -> bool {
        true
    }

    /// Returns the oldest processor that executes the game.
    fn oldest_processor(&self) -> Model {
        Model::I386
    }

    /// Returns the screen at the start of each of the [`tunes`](Self::tunes), if specified. `now` is
    /// the current screen.
    fn screens_at_tunes(&self, now: &Arc<Screen>) -> Vec<Arc<Screen>> {
        let _ = now;
        Vec::new()
    }

    /// Returns the pictures between the screen before the last key and the screen after it, in
    /// order, including those [`at_tunes`](Self::screens_at_tunes). While one of them replaces
    /// another, each character or pixel is from one of the two.
    fn stages(&self, at_tunes: &[Arc<Screen>]) -> Vec<Arc<Screen>> {
        at_tunes.to_vec()
    }

    /// Returns the most virtual time that the last key takes without its tunes, in ms.
    fn drawing_ms(&self) -> u64 {
        30
    }

    /// Returns whether the program prints through DOS. If not, the console must stay empty.
    fn prints(&self) -> bool {
        false
    }

    /// Returns the output of the last key in code page 437 with control characters; `None` if it is
    /// not specified. Empty lines and blanks at the end of a line are ignored.
    fn printed(&self) -> Option<&[u8]> {
        None
    }

    /// Returns the exit code after the end; `None` if it is not specified.
    fn exit_code(&self) -> Option<u8> {
        Some(0)
    }
}

/// Copies and hashes a twin. Every twin that is [`Clone`] and [`Hash`] has it.
pub trait TwinState {
    /// Returns a copy.
    fn boxed(&self) -> Box<dyn Twin>;

    /// Feeds what identifies the twin's position.
    fn hash_to(&self, hasher: &mut dyn Hasher);
}

impl<T: Twin + Clone + Hash + 'static> TwinState for T {
    fn boxed(&self) -> Box<dyn Twin> {
        Box::new(self.clone())
    }

    fn hash_to(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

impl Clone for Box<dyn Twin> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}
