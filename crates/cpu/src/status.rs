//! The six status flags, kept as the values they are derived from.
//!
//! An instruction stores its result and what it came from; a flag is worked out only when something asks for it. Any
//! combination of flags can be held, also ones that no result has (POPF can load them).

use super::registers::Flags;

/// CF, PF, AF, ZF, SF and OF in derived form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Status {
    /// The result, sign-extended: ZF is "low 32 bits are 0", SF is the sign, PF the parity of the low byte. Bit 40
    /// differing from the sign's copies flips PF, for combinations that no result has.
    result: i64,
    /// The result of the sign-extended operands in so many bits that it fits: OF is "the signs differ".
    exact: i64,
    /// The operands without carries: AF is "bit 4 of the result differs".
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
    /// The bits of FLAGS held here.
    pub(super) const MASK: u32 = Flags::CF | Flags::PF | Flags::AF | Flags::ZF | Flags::SF | Flags::OF;

    /// The status of a sum or difference: `result` and `exact` as the fields say, `operands` being their exclusive or.
    #[inline(always)]
    pub(super) fn arithmetic(result: i32, exact: i64, operands: u32, carry: bool) -> Self {
        Status { result: i64::from(result), exact, adjust: operands, carry }
    }

    /// The status of a logic instruction's result: CF, AF and OF are clear.
    #[inline(always)]
    pub(super) fn logic(result: i32) -> Self {
        Status { result: i64::from(result), exact: i64::from(result), adjust: result as u32, carry: false }
    }

    #[inline(always)]
    pub(super) fn with_carry(self, carry: bool) -> Self {
        Status { carry, ..self }
    }
    /// `overflow` is bit 31.
    #[inline(always)]
    pub(super) fn with_overflow(self, overflow: u32) -> Self {
        Status { exact: self.result ^ i64::from(overflow) << 32, ..self }
    }
    #[inline(always)]
    pub(super) fn with_adjust(self, adjust: bool) -> Self {
        Status { adjust: self.result as u32 ^ u32::from(adjust) << 4, ..self }
    }
    /// ZF, SF and PF of `result` (sign-extended), the others as before.
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
    /// SF differs from OF: of two numbers compared, the first is less.
    #[inline(always)]
    fn is_less(&self) -> bool {
        self.exact < 0
    }

    /// The condition `code` of Jcc, SETcc (Intel 386 manual, appendix D: bit 0 negates).
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

    /// As bits of FLAGS.
    pub(super) fn bits(&self) -> u32 {
        let bit = |on: bool, mask: u32| if on { mask } else { 0 };
        bit(self.cf(), Flags::CF)
            | bit(self.pf(), Flags::PF)
            | bit(self.af(), Flags::AF)
            | bit(self.zf(), Flags::ZF)
            | bit(self.sf(), Flags::SF)
            | bit(self.of(), Flags::OF)
    }

    /// From bits of FLAGS.
    pub(super) fn from_bits(flags: u32) -> Self {
        let zero = flags & Flags::ZF != 0;
        let low = i64::from(!zero);
        // 0 has even parity, 1 odd: where PF says otherwise, bit 40 corrects it.
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
