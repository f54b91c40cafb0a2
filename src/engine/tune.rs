//! Tunes of the PC's speaker, as a program plays them: a divisor for the timer's channel 2, and a delay loop.
//!
//! Lengths are turns of a loop of two instructions, the unit of the EECS-2100 game; at another speed of the
//! machine a tune takes another time.

/// Frequency in Hz that the timer divides (14.31818 MHz / 12).
const TIMER_HZ: u32 = 1_193_182;

/// A note, or a rest where the speaker is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// What channel 2 divides its 1,193,182 Hz by; `None` for a rest.
    pub divisor: Option<u16>,
    /// Turns of the delay loop.
    pub turns: u32,
}

impl Note {
    /// A note of some Hz (19 and up) for some hundredths of a second at 3000 instructions a millisecond.
    pub const fn beep(hertz: u32, hundredths: u32) -> Self {
        Note { divisor: Some((TIMER_HZ / hertz) as u16), turns: hundredths * 15_000 }
    }

    /// Frequency in Hz; `None` for a rest.
    pub fn hz(self) -> Option<f64> {
        self.divisor.map(|divisor| f64::from(TIMER_HZ) / f64::from(divisor))
    }

    /// Length in ms at `speed` instructions a millisecond, the loop's two instructions a turn and nothing
    /// else.
    pub fn ms(self, speed: u32) -> f64 {
        2.0 * f64::from(self.turns) / f64::from(speed)
    }
}

/// A sound of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tune {
    /// Its name, as `oxbox tune` takes it.
    pub name: &'static str,
    /// When it is heard.
    pub occasion: &'static str,
    /// From speaker on to speaker off.
    pub notes: &'static [Note],
}
