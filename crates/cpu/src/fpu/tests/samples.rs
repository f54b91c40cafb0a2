//! Test values and states from a small random generator with a fixed seed.

use super::super::extended::Extended;

/// A random number generator (xorshift64*).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        ((self.next() >> 32) * limit) >> 32
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Returns a significand: random, with few bits set, or near a rounding boundary.
    fn significand(&mut self) -> u64 {
        match self.below(6) {
            0 => 1 << 63 | self.next() & self.next() & self.next() & self.next(),
            1 => 1 << 63 | self.next() << self.below(64),
            2 => {
                let unit = 1u64 << self.pick(&[0, 10, 11, 39, 40]);
                (self.next() & !(2 * unit - 1) | 1 << 63 | unit).wrapping_add(self.below(3)).wrapping_sub(1)
                    | 1 << 63
            }
            3 => u64::MAX << self.below(64),
            _ => 1 << 63 | self.next(),
        }
    }

    /// Returns a register value: mostly a normal number with an exponent near a boundary.
    pub(super) fn value(&mut self) -> Extended {
        let sign = (self.next() & 0x8000) as u16;
        let exponent = match self.below(16) {
            0 => return self.pick(&SPECIAL),
            1 => return Extended::new(sign, self.next() >> self.below(64)),
            2 => return Extended::new(self.next() as u16, self.next()),
            3 => self.below(140),
            4 => 0x7FFF - self.below(140),
            5 => self.below(0x8000),
            6 => 0x3FFF - 1080 + self.below(140),
            7 => 0x3FFF + 960 + self.below(140),
            8 => 0x3FFF - 155 + self.below(60),
            9 => 0x3FFF + 110 + self.below(30),
            10 => 0x3FFF - 4 + self.below(8),
            _ => 0x3FFF - 70 + self.below(140),
        };
        Extended::new(sign | exponent as u16, self.significand())
    }

    /// Returns a control word, with all exceptions masked half of the time.
    pub(super) fn control(&mut self) -> u16 {
        let masks = if self.below(2) == 0 { 0x3F } else { self.next() & 0x3F };
        (self.next() & 0x1F00 | masks) as u16 | 0x40
    }
}

/// Boundary values of formats and rounding, and undefined encodings.
pub(super) const SPECIAL: [Extended; 48] = [
    Extended::new(0x0000, 0),
    Extended::new(0x8000, 0),
    Extended::new(0x0000, 1),
    Extended::new(0x8000, 0x7FFF_FFFF_FFFF_FFFF),
    Extended::new(0x0000, 0x8000_0000_0000_0000),
    Extended::new(0x8000, 0xFFFF_FFFF_FFFF_FFFF),
    Extended::new(0x0001, 0x8000_0000_0000_0000),
    Extended::new(0x8001, 0x8000_0000_0000_0001),
    Extended::new(0x7FFE, 0xFFFF_FFFF_FFFF_FFFF),
    Extended::new(0xFFFE, 0xFFFF_FFFF_FFFF_FFFF),
    Extended::new(0x7FFF, 0x8000_0000_0000_0000),
    Extended::new(0xFFFF, 0x8000_0000_0000_0000),
    Extended::new(0x7FFF, 0xC000_0000_0000_0000),
    Extended::new(0xFFFF, 0xC000_0000_0000_0000),
    Extended::new(0x7FFF, 0xC000_0000_0000_0001),
    Extended::new(0xFFFF, 0xFFFF_FFFF_FFFF_FFFF),
    Extended::new(0x7FFF, 0x8000_0000_0000_0001),
    Extended::new(0xFFFF, 0x8000_0000_0000_0001),
    Extended::new(0xFFFF, 0xBFFF_FFFF_FFFF_FFFF),
    Extended::new(0x7FFF, 0xA000_0000_0000_0000),
    // Pseudo-infinity, pseudo-NaN, unnormal, pseudo-zero.
    Extended::new(0x7FFF, 0),
    Extended::new(0xFFFF, 0x4000_0000_0000_0000),
    Extended::new(0x4000, 0x4000_0000_0000_0000),
    Extended::new(0xC000, 0),
    Extended::new(0x3FFF, 0x8000_0000_0000_0000),
    Extended::new(0xBFFF, 0x8000_0000_0000_0000),
    Extended::new(0x3FFE, 0xFFFF_FFFF_FFFF_FFFF),
    Extended::new(0x3FFF, 0x8000_0000_0000_0001),
    Extended::new(0x3FFE, 0x8000_0000_0000_0000),
    Extended::new(0xBFFE, 0x8000_0000_0000_0000),
    Extended::new(0x3FFF, 0xC000_0000_0000_0000),
    Extended::new(0x4000, 0xA000_0000_0000_0000),
    Extended::new(0x4000, 0xC90F_DAA2_2168_C235),
    Extended::new(0x3FFF, 0xC90F_DAA2_2168_C235),
    Extended::new(0x400D, 0xFFFE_0000_0000_0000),
    Extended::new(0xC00E, 0x8000_0000_0000_0000),
    Extended::new(0x401D, 0xFFFF_FFFF_0000_0000),
    Extended::new(0xC01E, 0x8000_0000_8000_0000),
    Extended::new(0x403D, 0xFFFF_FFFF_FFFF_FFFF),
    Extended::new(0xC03E, 0x8000_0000_0000_0000),
    Extended::new(0x403E, 0x8000_0000_0000_0000),
    Extended::new(0x403A, 0xDE0B_6B3A_763F_FFF8),
    Extended::new(0x403A, 0xDE0B_6B3A_763F_FFF0),
    Extended::new(0x407E, 0xFFFF_FF80_0000_0000),
    Extended::new(0x43FE, 0xFFFF_FFFF_FFFF_FC00),
    Extended::new(0x3F81, 0x8000_0000_0000_0000),
    Extended::new(0x3C01, 0xFFFF_FFFF_FFFF_FC00),
    Extended::new(0x3F6A, 0x8000_0000_0000_0001),
];
