//! FSIN, FCOS, FSINCOS, FPTAN and FPATAN.
//!
//! An angle is multiplied by 2/π in 320 bits, so that the remainder of the largest angles is exact
//! to more than 128 bits. The first octant uses the Taylor series. The arc tangent looks up the
//! nearest multiple of 1/32 and uses the series for the remaining small angle. All numbers are
//! [`Wide`]: the result is rounded once, which keeps it monotone.

use super::calculation::{Answer, Calculation, Entry};
use super::extended::{Extended, Kind, Number, Operand};
use super::wide::{ONE_127, Wide, multiply_high_nearly};

/// 2/π with 320 fraction bits.
const TWO_OVER_PI: [u64; 5] = [
    0xA2F9_836E_4E44_1529,
    0xFC27_57D1_F534_DDC0,
    0xDB62_9599_3C43_9041,
    0xFE51_63AB_DEBB_C561,
    0xB724_6E3A_424D_D2E0,
];

/// The exponent from which angles are out of range.
const OUT_OF_RANGE: i32 = 63;

/// Number of terms of sine and cosine: for angles up to π/4 the next one is below 2^-140.
const CIRCLE_TERMS: usize = 18;
/// Number of terms of the arc tangent: for ratios up to 1/64 the next one is below 2^-140.
const ARC_TERMS: usize = 12;
/// The table of arc tangents has the multiples of 1/32.
const ARC_STEPS: usize = 32;

/// A reduced angle: its quadrant, and sine and cosine of the remainder of at most π/4.
struct Angle {
    quadrant: u8,
    rest: Wide,
}

impl Angle {
    /// Reduces a finite number below 2^63.
    fn reduce(number: Number) -> Self {
        if number.exponent < -1 {
            return Angle { quadrant: 0, rest: number.into() };
        }
        let product = product(number.significand);
        // The words begin with exponent + 1 integer bits.
        let by = (number.exponent + 1) as u32;
        let mut quadrant = upper_word(0, product[0], by) as u8;
        let is_upper_half = upper_word(product[0], product[1], by) >> 63 != 0;
        let flip = if is_upper_half { u64::MAX } else { 0 };
        let turns = [0, 1, 2, 3].map(|i| upper_word(product[i], product[i + 1], by) ^ flip);
        if is_upper_half {
            quadrant = quadrant.wrapping_add(1);
        }
        let sign = number.sign ^ is_upper_half;
        if number.sign {
            quadrant = quadrant.wrapping_neg();
        }
        // The closest angle to a multiple of π/2 is 2^-68 turns away.
        let [first, second, third, fourth] = turns;
        let (words, skipped) =
            if first == 0 { ([second, third, fourth], 64) } else { ([first, second, third], 0) };
        let zeros = words[0].leading_zeros();
        let upper = upper_word(words[0], words[1], zeros);
        let significand = u128::from(upper) << 64 | u128::from(upper_word(words[1], words[2], zeros));
        let zeros = skipped + zeros;
        let fraction = Wide::new(sign, -1 - zeros as i32, significand);
        Angle { quadrant: quadrant & 3, rest: fraction.times(Wide::PI.scaled(-1)) }
    }

    fn sine(&self) -> Wide {
        let value = if self.quadrant & 1 == 0 { sine(self.rest) } else { cosine(self.rest) };
        value.signed(value.sign ^ (self.quadrant >= 2))
    }

    fn cosine(&self) -> Wide {
        let value = if self.quadrant & 1 == 0 { cosine(self.rest) } else { sine(self.rest) };
        value.signed(value.sign ^ matches!(self.quadrant, 1 | 2))
    }
}

/// Returns 2/π times a significand, with 64 more bits.
#[inline(always)]
fn product(significand: u64) -> [u64; 6] {
    let mut words = [0; 6];
    let mut carry = 0u128;
    for i in (0..TWO_OVER_PI.len()).rev() {
        carry += u128::from(significand) * u128::from(TWO_OVER_PI[i]);
        words[i + 1] = carry as u64;
        carry >>= 64;
    }
    words[0] = carry as u64;
    words
}

/// Shifts two words to the left by at most 63 bits, and returns the upper one.
fn upper_word(upper: u64, lower: u64, by: u32) -> u64 {
    (((u128::from(upper) << 64 | u128::from(lower)) << by) >> 64) as u64
}

/// 1, 1/(m(m+1)), 1/(m(m+1)(m+2)(m+3)), ... with 127 fraction bits: for m = 1 the coefficients of the cosine's
/// series, for m = 2 those of the sine's.
const fn circle_coefficients(m: u128) -> [u128; CIRCLE_TERMS] {
    let mut table = [ONE_127; CIRCLE_TERMS];
    let mut n = 1;
    while n < CIRCLE_TERMS {
        let factor = m + 2 * n as u128 - 2;
        table[n] = table[n - 1] / (factor * (factor + 1));
        n += 1;
    }
    table
}

const COSINE: [u128; CIRCLE_TERMS] = circle_coefficients(1);
const SINE: [u128; CIRCLE_TERMS] = circle_coefficients(2);

/// Returns the sum of the terms of a sine or cosine.
fn series(square: u128, coefficients: &[u128; CIRCLE_TERMS]) -> u128 {
    let (large, small) = coefficients.split_at(LARGE_TERMS);
    let upper = square >> 64;
    let rest =
        small.iter().rev().fold(0, |sum: u64, &term| term as u64 - ((upper * u128::from(sum)) >> 64) as u64);
    alternating_sum(square, large, rest.into())
}

/// Returns the sum of alternating terms, coefficients times powers of a square, always below 1, even if the exact
/// value rounds to 1. `rest` is the sum that would follow the last one.
#[inline(always)]
fn alternating_sum(square: u128, coefficients: &[u128], rest: u128) -> u128 {
    let terms = coefficients.iter().rev();
    terms.fold(rest, |sum, coefficient| coefficient - multiply_high_nearly(square, sum)).min(ONE_127 - 1)
}

/// The coefficients from this one on have at most 64 bits, and so have sums of their terms.
const LARGE_TERMS: usize = 11;
const _: () = assert!(COSINE[LARGE_TERMS] >> 64 == 0 && SINE[LARGE_TERMS] >> 64 == 0);

fn sine(angle: Wide) -> Wide {
    angle.times(Wide::new(false, 0, series(angle.square_fraction(), &SINE)))
}

fn cosine(angle: Wide) -> Wide {
    Wide::new(false, 0, series(angle.square_fraction(), &COSINE))
}

/// The arc tangents of the multiples of 1/32 up to 1, with 126 fraction bits.
const ARC_TANGENTS: [u128; ARC_STEPS + 1] = arc_tangents();

/// Euler's series: with q = x^2/(1 + x^2), atan x = q/x (1 + 2/3 q (1 + 4/5 q (1 + ...))).
const fn arc_tangents() -> [u128; ARC_STEPS + 1] {
    const STEPS: u128 = ARC_STEPS as u128;
    let mut table = [0; ARC_STEPS + 1];
    let mut k = 1;
    while k <= ARC_STEPS {
        let x = k as u128;
        let whole = STEPS * STEPS + x * x;
        // Two divisions: the dividend would not fit.
        let dividend = (STEPS * x) << 110;
        let mut term = ((dividend / whole) << 16) + ((dividend % whole) << 16) / whole;
        let mut sum = 0;
        let mut n = 1;
        while term != 0 {
            sum += term;
            // The factor is below 1. The division comes first, since the product would not fit.
            let (numerator, denominator) = (2 * n * x * x, (2 * n + 1) * whole);
            term = term / denominator * numerator + term % denominator * numerator / denominator;
            n += 1;
        }
        table[k] = sum;
        k += 1;
    }
    table
}

/// 1/1, 1/3, 1/5, ... with 127 fraction bits.
const fn odd_reciprocals() -> [u128; ARC_TERMS] {
    let mut table = [0; ARC_TERMS];
    let mut n = 0;
    while n < ARC_TERMS {
        table[n] = ONE_127 / (2 * n as u128 + 1);
        n += 1;
    }
    table
}

const ODD_RECIPROCALS: [u128; ARC_TERMS] = odd_reciprocals();

/// Returns the arc tangent of a ratio above 0 and up to 1.
fn arc_tangent(ratio: Wide) -> Wide {
    // The nearest 1/32.
    let step = (ratio.to_fixed(6) as usize).div_ceil(2);
    let small = if step == 0 {
        ratio
    } else {
        let near = Wide::new(false, 127 - 5, step as u128);
        ratio.minus(near).over(Wide::ONE.plus(ratio.times(near)))
    };
    let sum = alternating_sum(small.square_fraction(), &ODD_RECIPROCALS, 0);
    let small = small.times(Wide::new(false, 0, sum));
    small.plus(Wide::new(false, 1, ARC_TANGENTS.get(step).copied().unwrap_or(0)))
}

impl Calculation {
    /// Rounds a result that is never exact.
    pub(super) fn finish_wide(&mut self, value: Wide) -> Extended {
        self.finish_in(value.sign, value.exponent, value.significand | 1, 64)
    }

    /// Returns the operand of a trigonometric instruction; `None` if it is out of range.
    fn angle(&mut self, a: Operand) -> Answer<Entry<Option<Number>>> {
        let number = match self.one(a)? {
            Entry::Numbers(number) => number,
            Entry::Settled(result) => return Ok(Entry::Settled(result)),
        };
        if number.is_infinity() {
            return self.invalid().map(Entry::Settled);
        }
        if number.kind == Kind::Finite && number.exponent >= OUT_OF_RANGE {
            return Ok(Entry::Numbers(None));
        }
        self.denormals(number.denormal && self.model.transcendentals_see_denormals())?;
        Ok(Entry::Numbers(Some(number)))
    }

    /// FSIN; `None` if the operand is out of range.
    pub(super) fn sine(&mut self, a: Operand) -> Answer<Option<Extended>> {
        Ok(Some(match self.angle(a)? {
            Entry::Settled(result) => result,
            Entry::Numbers(None) => return Ok(None),
            Entry::Numbers(Some(number)) if number.is_zero() => a.value,
            Entry::Numbers(Some(number)) => self.finish_wide(Angle::reduce(number).sine()),
        }))
    }

    /// FCOS; `None` if the operand is out of range.
    pub(super) fn cosine(&mut self, a: Operand) -> Answer<Option<Extended>> {
        Ok(Some(match self.angle(a)? {
            Entry::Settled(result) => result,
            Entry::Numbers(None) => return Ok(None),
            Entry::Numbers(Some(number)) if number.is_zero() => Extended::ONE,
            Entry::Numbers(Some(number)) => self.finish_wide(Angle::reduce(number).cosine()),
        }))
    }

    /// FSINCOS: returns sine and cosine; `None` if the operand is out of range.
    pub(super) fn sine_and_cosine(&mut self, a: Operand) -> Answer<Option<(Extended, Extended)>> {
        Ok(Some(match self.angle(a)? {
            Entry::Settled(result) => (result, result),
            Entry::Numbers(None) => return Ok(None),
            Entry::Numbers(Some(number)) if number.is_zero() => (a.value, Extended::ONE),
            Entry::Numbers(Some(number)) => {
                let angle = Angle::reduce(number);
                (self.finish_wide(angle.sine()), self.finish_wide(angle.cosine()))
            }
        }))
    }

    /// FPTAN: returns the tangent and the value to push, which is 1 or the NaN operand. `None` if
    /// the operand is out of range.
    pub(super) fn tangent(&mut self, a: Operand) -> Answer<Option<(Extended, Extended)>> {
        Ok(Some(match self.angle(a)? {
            Entry::Settled(result) => (result, result),
            Entry::Numbers(None) => return Ok(None),
            Entry::Numbers(Some(number)) if number.is_zero() => (a.value, Extended::ONE),
            Entry::Numbers(Some(number)) => {
                let angle = Angle::reduce(number);
                (self.finish_wide(angle.sine().over(angle.cosine())), Extended::ONE)
            }
        }))
    }

    /// FPATAN: returns the angle of the point (x, y).
    pub(super) fn arc_tangent(&mut self, y: Operand, x: Operand) -> Answer {
        let (y, x) = match self.two(y, x)? {
            Entry::Numbers(numbers) => numbers,
            Entry::Settled(result) => return Ok(result),
        };
        self.denormals((y.denormal || x.denormal) && self.model.transcendentals_see_denormals())?;
        let half_turn = Wide::PI;
        let angle = match (y.kind, x.kind) {
            (Kind::Infinity, Kind::Infinity) if x.sign => half_turn.scaled(-2).plus(half_turn.scaled(-1)),
            (Kind::Infinity, Kind::Infinity) => half_turn.scaled(-2),
            (Kind::Infinity, _) | (Kind::Finite, Kind::Zero) => half_turn.scaled(-1),
            (Kind::Zero, _) | (Kind::Finite, Kind::Infinity) if x.sign => half_turn,
            (Kind::Zero, _) | (Kind::Finite, Kind::Infinity) => return Ok(Extended::zero(y.sign)),
            (Kind::Finite, Kind::Finite) => point_angle(y, x),
        };
        Ok(self.finish_wide(angle.signed(y.sign)))
    }
}

/// Returns the angle of a point above the x axis.
fn point_angle(y: Number, x: Number) -> Wide {
    let (y, left, x) = (Wide::from(y).signed(false), x.sign, Wide::from(x).signed(false));
    let steep = (y.exponent, y.significand) > (x.exponent, x.significand);
    let acute = if steep { arc_tangent(x.over(y)) } else { arc_tangent(y.over(x)) };
    match (steep, left) {
        (false, false) => acute,
        (false, true) => Wide::PI.minus(acute),
        (true, false) => Wide::PI.scaled(-1).minus(acute),
        (true, true) => Wide::PI.scaled(-1).plus(acute),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fpu::wide::multiply_high;

    /// Returns 1 - square/(m(m+1)) (1 - square/((m+2)(m+3)) (1 - ...)), with a division for each term.
    fn divided(square: u128, first: u128) -> u128 {
        let mut sum = ONE_127;
        for term in (0..17).rev() {
            let m = first + 2 * term;
            sum = ONE_127 - multiply_high(square, sum) / (m * (m + 1));
        }
        sum.min(ONE_127 - 1)
    }

    #[test]
    fn coefficients_give_the_sums_of_divisions() {
        // Squares of angles up to π/4, with 128 fraction bits.
        let largest = Wide::PI.scaled(-2).square_fraction();
        for number in 0..20_000u128 {
            let square =
                multiply_high(largest, number.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835));
            for (coefficients, first) in [(&COSINE, 1), (&SINE, 2)] {
                let difference = series(square, coefficients).abs_diff(divided(square, first));
                assert!(difference <= 8, "{square:X}: {difference}");
            }
        }
    }
}
