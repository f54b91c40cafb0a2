//! The six status flags, stored as the values from which they are computed.
//!
//! An instruction stores its result and operands. A flag is computed only when it is read. Every
//! combination of flags can be represented, including those that no result has (POPF can load
//! them).

use super::registers::Flags;

/// CF, PF, AF, ZF, SF and OF in their deferred form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Status {
    /// The result, sign-extended. ZF: the low 32 bits are 0. SF: the sign. PF: the parity of the
    /// low byte, inverted if bit 40 differs from the sign bits, for combinations that no result
    /// has.
    result: i64,
    /// The exact result of the sign-extended operands. OF: its sign differs from that of `result`.
    exact: i64,
    /// The sum of the operands without carries. AF: bit 4 differs from that of the result.
    adjust: u32,
    /// CF.
    carry: bool,
}

impl Default for Status {
    fn default() -> Self {
        Status::from_bits(0)
    }
}

impl Status {
    /// The bits of FLAGS that are stored here.
    pub(super) const MASK: u32 = Flags::CF | Flags::PF | Flags::AF | Flags::ZF | Flags::SF | Flags::OF;

    /// Returns the status of a sum or difference. `operands` is the exclusive OR of the operands;
    /// the others are the fields of the same names.
    #[inline(always)]
    pub(super) fn arithmetic(result: i32, exact: i64, operands: u32, carry: bool) -> Self {
        Status { result: i64::from(result), exact, adjust: operands, carry }
    }

    /// Returns the status of a logic instruction's result: CF, AF and OF are clear.
    #[inline(always)]
    pub(super) fn logic(result: i32) -> Self {
        Status { result: i64::from(result), exact: i64::from(result), adjust: result as u32, carry: false }
    }

    #[inline(always)]
    pub(super) fn with_carry(self, carry: bool) -> Self {
        Status { carry, ..self }
    }
    /// Returns the status with OF set to bit 31 of `overflow`.
    #[inline(always)]
    pub(super) fn with_overflow(self, overflow: u32) -> Self {
        Status { exact: self.result ^ i64::from(overflow) << 32, ..self }
    }
    #[inline(always)]
    pub(super) fn with_adjust(self, adjust: bool) -> Self {
        Status { adjust: self.result as u32 ^ u32::from(adjust) << 4, ..self }
    }
    /// Returns the status with ZF, SF and PF of the sign-extended `result`. Other flags stay.
    #[inline(always)]
    pub(super) fn with_result(self, result: i32) -> Self {
        let change = self.result ^ i64::from(result);
        Status {
            result: i64::from(result),
            exact: self.exact ^ change,
            adjust: self.adjust ^ change as u32,
            ..self
        }
    }

    #[inline(always)]
    pub(super) fn cf(&self) -> bool {
        self.carry
    }
    #[inline(always)]
    pub(super) fn zf(&self) -> bool {
        self.result as u32 == 0
    }
    #[inline(always)]
    pub(super) fn sf(&self) -> bool {
        self.result < 0
    }
    #[inline(always)]
    pub(super) fn of(&self) -> bool {
        self.exact ^ self.result < 0
    }
    #[inline(always)]
    pub(super) fn af(&self) -> bool {
        (self.adjust ^ self.result as u32) & 0x10 != 0
    }
    #[inline(always)]
    pub(super) fn pf(&self) -> bool {
        ((self.result ^ (self.result >> 40)) as u8).count_ones().is_multiple_of(2)
    }
    /// Returns whether SF differs from OF: after a comparison, the first operand is less.
    #[inline(always)]
    fn is_less(&self) -> bool {
        self.exact < 0
    }

    /// Returns the condition `code` of Jcc and SETcc (Intel 386 manual, appendix D: bit 0 negates).
    #[inline(always)]
    pub(super) fn condition(&self, code: u8) -> bool {
        let holds = match (code >> 1) & 7 {
            0 => self.of(),
            1 => self.cf(),
            2 => self.zf(),
            3 => self.cf() || self.zf(),
            4 => self.sf(),
            5 => self.pf(),
            6 => self.is_less(),
            _ => self.zf() || self.is_less(),
        };
        holds != (code & 1 != 0)
    }

    /// Returns the flags as bits of FLAGS.
    pub(super) fn bits(&self) -> u32 {
        let bit = |on: bool, mask: u32| if on { mask } else { 0 };
        bit(self.cf(), Flags::CF)
            | bit(self.pf(), Flags::PF)
            | bit(self.af(), Flags::AF)
            | bit(self.zf(), Flags::ZF)
            | bit(self.sf(), Flags::SF)
            | bit(self.of(), Flags::OF)
    }

    pub(super) fn from_bits(flags: u32) -> Self {
        let zero = flags & Flags::ZF != 0;
        let low = i64::from(!zero);
        // The parity of 0 is even and that of 1 odd. Bit 40 corrects PF if it differs.
        let flip = i64::from(zero != (flags & Flags::PF != 0)) << 40;
        let sign = if flags & Flags::SF != 0 { i64::MIN } else { 0 };
        let result = low | flip | sign;
        Status {
            result,
            exact: result,
            adjust: result as u32 ^ flags & Flags::AF,
            carry: flags & Flags::CF != 0,
        }
        .with_overflow((flags & Flags::OF) << 20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_every_combination() {
        for n in 0..64u32 {
            let flags = [Flags::CF, Flags::PF, Flags::AF, Flags::ZF, Flags::SF, Flags::OF]
                .iter()
                .enumerate()
                .fold(0, |acc, (i, f)| if n & (1 << i) != 0 { acc | f } else { acc });
            assert_eq!(Status::from_bits(flags).bits(), flags);
        }
    }
}
