//! Tunes of the PC speaker as programs play them: divisors of timer channel 2, and a delay loop.
//!
//! Lengths are iterations of a loop of two instructions, the unit of the EECS-2100 game. They
//! depend on the speed of the machine.

use super::Outcome;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::slice;

/// The input frequency of the timer in Hz (14.31818 MHz / 12).
const TIMER_HZ: u32 = 1_193_182;

/// A sound of the speaker, or a rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beep {
    /// The divisor of the timer's 1,193,182 Hz; `None` for a rest.
    pub divisor: Option<u16>,
    /// Iterations of the delay loop.
    pub turns: u32,
}

impl Beep {
    /// Creates a sound of `hertz` Hz (19 and up) and the given hundredths of a second at 3000
    /// instructions per millisecond.
    pub const fn of(hertz: u32, hundredths: u32) -> Self {
        Beep { divisor: Some((TIMER_HZ / hertz) as u16), turns: hundredths * 15_000 }
    }

    /// Returns the length in ms at `speed` instructions per millisecond, counting two instructions
    /// per iteration.
    pub fn ms(self, speed: u32) -> f64 {
        2.0 * f64::from(self.turns) / f64::from(speed)
    }
}

/// A sound of a game, from speaker on to speaker off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tune {
    /// The name used by `oxbox tune`.
    pub name: &'static str,
    /// The beeps in sequence.
    pub beeps: &'static [Beep],
}

/// Data on how a position was reached, such as its sounds. It is not part of the position: all
/// values hash equally.
#[derive(Debug, Clone, Copy, Default)]
pub struct LastStep<T>(pub T);

/// The tunes after the last key.
pub type LastHeard = LastStep<&'static [Tune]>;

impl<T> Hash for LastStep<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A musical pitch: `A4`, or `A4+12` if it is 12 hundredths of a semitone higher.
///
/// ```
/// use oxbox_proof::engine::tune::Pitch;
///
/// assert_eq!(Pitch::of(440.0).to_string(), "A4");
/// assert_eq!(Pitch::of(450.0), Pitch { semitone: 57, cents: 39 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pitch {
    /// Semitones above C0 in equal temperament, with A4 at 440 Hz.
    pub semitone: i32,
    /// The deviation in hundredths of a semitone, -50 to 50.
    pub cents: i32,
}

impl Pitch {
    /// Returns the nearest pitch to a frequency.
    pub fn of(hertz: f64) -> Pitch {
        /// In semitones from C0.
        const A4: f64 = 57.0;
        let semitones = A4 + 12.0 * (hertz / 440.0).log2();
        let nearest = semitones.round().max(0.0);
        Pitch { semitone: nearest as i32, cents: (100.0 * (semitones - nearest)).round() as i32 }
    }

    /// Returns whether it is a black key of the piano.
    pub fn is_black(self) -> bool {
        matches!(self.semitone.rem_euclid(12), 1 | 3 | 6 | 8 | 10)
    }
}

impl fmt::Display for Pitch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 12] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
        let name = NAMES[self.semitone.rem_euclid(12) as usize];
        write!(f, "{name}{}", self.semitone.div_euclid(12))?;
        if self.cents == 0 { Ok(()) } else { write!(f, "{:+}", self.cents) }
    }
}

/// The sounds of a game with one after each move: `move`, or at the end `win` or `draw`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TuneTable {
    moved: Tune,
    won: Tune,
    drawn: Tune,
}

impl TuneTable {
    /// Creates the sounds for a move that does not end the game, for a victory, and for a draw.
    pub const fn new(moved: &'static [Beep], won: &'static [Beep], drawn: &'static [Beep]) -> Self {
        TuneTable {
            moved: Tune { name: "move", beeps: moved },
            won: Tune { name: "win", beeps: won },
            drawn: Tune { name: "draw", beeps: drawn },
        }
    }

    /// Returns the sound after a move that has brought the game to `outcome`.
    pub fn after(&'static self, outcome: Option<Outcome>) -> &'static [Tune] {
        slice::from_ref(match outcome {
            None => &self.moved,
            Some(Outcome::Win(_)) => &self.won,
            Some(Outcome::Draw) => &self.drawn,
        })
    }
}
