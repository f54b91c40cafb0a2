//! Tunes of the PC's speaker, as a program plays them: a divisor for the timer's channel 2, and a delay loop.
//!
//! Lengths are turns of a loop of two instructions, the unit of the EECS-2100 game; at another speed of the
//! machine a tune takes another time.

use super::Outcome;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::slice;

/// Frequency in Hz that the timer divides (14.31818 MHz / 12).
const TIMER_HZ: u32 = 1_193_182;

/// A sound of the speaker, or a rest where it is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beep {
    /// What channel 2 divides its 1,193,182 Hz by; `None` for a rest.
    pub divisor: Option<u16>,
    /// Turns of the delay loop.
    pub turns: u32,
}

impl Beep {
    /// So many Hz (19 and up) for some hundredths of a second at 3000 instructions a millisecond.
    pub const fn of(hertz: u32, hundredths: u32) -> Self {
        Beep { divisor: Some((TIMER_HZ / hertz) as u16), turns: hundredths * 15_000 }
    }

    /// Length in ms at `speed` instructions a millisecond, the loop's two instructions a turn and nothing
    /// else.
    pub fn ms(self, speed: u32) -> f64 {
        2.0 * f64::from(self.turns) / f64::from(speed)
    }
}

/// A sound of a game, from speaker on to speaker off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tune {
    /// Its name, as `oxbox tune` takes it.
    pub name: &'static str,
    /// One after the other.
    pub beeps: &'static [Beep],
}

/// Something that tells how a position was reached, as the sounds on the way there. It is no part of the position: all hash alike.
#[derive(Debug, Clone, Copy, Default)]
pub struct LastStep<T>(pub T);

/// The tunes after the last key.
pub type LastHeard = LastStep<&'static [Tune]>;

impl<T> Hash for LastStep<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A pitch as a musician calls it: `A4`, and `A4+12` where it is 12 hundredths of a semitone higher.
///
/// ```
/// use oxbox_proof::engine::tune::Pitch;
///
/// assert_eq!(Pitch::of(440.0).to_string(), "A4");
/// assert_eq!(Pitch::of(450.0), Pitch { semitone: 57, cents: 39 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pitch {
    /// Semitones above C0 in equal temperament, A4 being 440 Hz.
    pub semitone: i32,
    /// How far it is off, in hundredths of a semitone, -50 to 50.
    pub cents: i32,
}

impl Pitch {
    /// The nearest to a frequency.
    pub fn of(hertz: f64) -> Pitch {
        /// In semitones from C0.
        const A4: f64 = 57.0;
        let semitones = A4 + 12.0 * (hertz / 440.0).log2();
        let nearest = semitones.round().max(0.0);
        Pitch { semitone: nearest as i32, cents: (100.0 * (semitones - nearest)).round() as i32 }
    }

    /// A black key of the piano.
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

/// The sounds of a game that plays one after each move: `move`, or at the end `win` or `draw`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chimes {
    moved: Tune,
    won: Tune,
    drawn: Tune,
}

impl Chimes {
    /// For a move that does not end the game, for a victory, and for a draw.
    pub const fn new(moved: &'static [Beep], won: &'static [Beep], drawn: &'static [Beep]) -> Self {
        Chimes {
            moved: Tune { name: "move", beeps: moved },
            won: Tune { name: "win", beeps: won },
            drawn: Tune { name: "draw", beeps: drawn },
        }
    }

    /// What is heard after a move that has brought the game to `outcome`.
    pub fn after(&'static self, outcome: Option<Outcome>) -> &'static [Tune] {
        slice::from_ref(match outcome {
            None => &self.moved,
            Some(Outcome::Win(_)) => &self.won,
            Some(Outcome::Draw) => &self.drawn,
        })
    }
}
