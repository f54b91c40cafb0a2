//! Typematic: the key pressed last repeats while it is held.
//!
//! Source: IBM PS/2 Technical Reference, "Keyboard (101- and 102-key)", Set Typematic Rate/Delay (F3h).

use serde::{Deserialize, Serialize};

/// 10.9 characters per second after 500 ms.
pub(super) const DEFAULT: u8 = 0x2B;

/// A code and its prefix, in the form of [`super::Keyboard::send`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Code {
    extended: bool,
    make: u8,
}

/// The held key, and the instant of its next repetition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Typematic {
    held: Option<(Code, u64)>,
    /// Whether the last byte was E0h.
    extended: bool,
    /// Bytes of Pause still expected: it does not repeat.
    of_pause: u8,
}

/// Milliseconds from the key press to the first repetition: bits 5 and 6.
fn delay_ns(rate: u8) -> u64 {
    u64::from(rate >> 5 & 3) * 250_000_000 + 250_000_000
}

/// Time between repetitions: (8 + bits 0 to 2) times 2 to the power of bits 3 and 4, in 240ths of a
/// second.
fn period_ns(rate: u8) -> u64 {
    ((8 + u64::from(rate & 7)) << (rate >> 3 & 3)) * 1_000_000_000 / 240
}

impl Typematic {
    /// Tracks a byte sent at `ns`; `rate` is the typematic byte.
    pub(super) fn follow(&mut self, byte: u8, rate: u8, ns: u64) {
        let extended = std::mem::take(&mut self.extended);
        if self.of_pause > 0 {
            self.of_pause -= 1;
            return;
        }
        match byte {
            0xE0 => self.extended = true,
            0xE1 => (self.of_pause, self.held) = (2, None),
            _ => {
                let code = Code { extended, make: byte & 0x7F };
                if byte & 0x80 == 0 {
                    self.held = Some((code, ns.saturating_add(delay_ns(rate))));
                } else if self.held.is_some_and(|(held, _)| held == code) {
                    self.held = None;
                }
            }
        }
    }

    pub(super) fn stop(&mut self) {
        self.held = None;
    }

    /// The instant at which the held key repeats.
    pub(super) fn due(&self) -> Option<u64> {
        self.held.map(|(_, due)| due)
    }

    /// Returns the bytes of the repetition now due, and schedules the next.
    pub(super) fn repeat(&mut self, rate: u8) -> impl Iterator<Item = u8> + use<> {
        let code = self.held.as_mut().map(|(code, due)| {
            *due = due.saturating_add(period_ns(rate));
            *code
        });
        let prefix = code.and_then(|code| code.extended.then_some(0xE0));
        prefix.into_iter().chain(code.map(|code| code.make))
    }

    /// Skips the repetitions up to `ns`: the next is the first after it.
    pub(super) fn skip_to(&mut self, rate: u8, ns: u64) {
        if let Some((code, due)) = self.held.filter(|(_, due)| *due <= ns) {
            let periods = (ns - due) / period_ns(rate) + 1;
            // On overflow, the key does not repeat.
            self.held = due.checked_add(periods.saturating_mul(period_ns(rate))).map(|due| (code, due));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_book() {
        // Typematic byte, delay in ms, characters per ten seconds.
        for (rate, delay, characters) in
            [(0x2B, 500, 109), (0x00, 250, 300), (0x7F, 1000, 20), (0x4C, 750, 100)]
        {
            assert_eq!(delay_ns(rate), delay * 1_000_000, "{rate:02X}");
            assert_eq!(10_000_000_000 / period_ns(rate), characters, "{rate:02X}");
        }
    }
}
