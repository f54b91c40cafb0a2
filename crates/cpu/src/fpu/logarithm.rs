//! F2XM1, FYL2X and FYL2XP1.
//!
//! 2^x - 1 is computed with the series of e^z - 1. A logarithm is the exponent plus, for a
//! significand between √½ and √2, the series of 2 atanh((m - 1)/(m + 1)), which keeps its relative
//! precision near 1.

use super::calculation::{Answer, Calculation, Entry};
use super::control::Exceptions;
use super::extended::{Extended, Kind, Number, Operand};
use super::wide::{ONE_126, Wide, multiply_high};

/// Number of terms of e^z - 1: for z up to ln 2 the next one is below 2^-130.
const EXPONENTIAL_TERMS: usize = 32;
/// Number of terms of atanh: for arguments up to 0.1716 the next one is below 2^-135.
const LOGARITHM_TERMS: usize = 27;

/// √2. The upper bits suffice.
const ROOT_2: u128 = 0xB504_F333_F9DE_6484 << 64;

/// 1/1, 1/3, 1/5, ... with 126 fraction bits.
const fn odd_reciprocals() -> [u128; LOGARITHM_TERMS] {
    let mut table = [0; LOGARITHM_TERMS];
    let mut n = 0;
    while n < LOGARITHM_TERMS {
        table[n] = ONE_126 / (2 * n as u128 + 1);
        n += 1;
    }
    table
}

const ODD_RECIPROCALS: [u128; LOGARITHM_TERMS] = odd_reciprocals();

/// 1/1!, 1/2!, 1/3!, ... with 126 fraction bits.
const fn factorial_reciprocals() -> [u128; EXPONENTIAL_TERMS] {
    let mut table = [ONE_126; EXPONENTIAL_TERMS];
    let mut n = 1;
    while n < EXPONENTIAL_TERMS {
        table[n] = table[n - 1] / (n as u128 + 1);
        n += 1;
    }
    table
}

const FACTORIAL_RECIPROCALS: [u128; EXPONENTIAL_TERMS] = factorial_reciprocals();

/// Returns 2^x - 1 for a magnitude of at most 1.
fn exponential(x: Wide) -> Wide {
    let z = x.times(Wide::LN_2);
    let fraction = z.to_fixed(128);
    // 1 + z (1/2! + z (1/3! + ...))
    let sum = FACTORIAL_RECIPROCALS.into_iter().rev().fold(0, |sum, reciprocal| {
        let rest = multiply_high(fraction, sum);
        if x.sign { reciprocal - rest } else { reciprocal + rest }
    });
    z.times(Wide::new(false, 1, sum))
}

/// Returns the base-2 logarithm of (1 + s)/(1 - s) for a magnitude of at most 0.1716.
fn logarithm_of_ratio(s: Wide) -> Wide {
    let square = s.square_fraction();
    let mut sum = 0;
    for reciprocal in ODD_RECIPROCALS.into_iter().rev() {
        sum = reciprocal + multiply_high(square, sum);
    }
    s.times(Wide::new(false, 2, sum)).times(Wide::LOG2_E)
}

/// Returns the base-2 logarithm of a positive number. Exact only for powers of two.
fn logarithm(x: Wide) -> Wide {
    let low = x.significand <= ROOT_2;
    let exponent = if low { x.exponent } else { x.exponent + 1 };
    let whole = Wide::new(exponent < 0, 127, exponent.unsigned_abs().into());
    let m = x.scaled(-exponent);
    whole.plus(logarithm_of_ratio(m.minus(Wide::ONE).over(m.plus(Wide::ONE))))
}

/// Returns the base-2 logarithm of 1 + x for x > -1.
fn logarithm_above_one(x: Wide) -> Wide {
    // Approximately between √½ and √2.
    if x.exponent < -2 {
        let two = Wide::ONE.scaled(1);
        return logarithm_of_ratio(x.over(two.plus(x)));
    }
    logarithm(Wide::ONE.plus(x))
}

fn is_power_of_two(number: Number) -> bool {
    number.significand << 1 == 0
}

impl Calculation {
    /// F2XM1. Outside of -1 to 1 the operand is returned unchanged.
    pub(super) fn power_minus_one(&mut self, a: Operand) -> Answer {
        let number = match self.one(a)? {
            Entry::Numbers(number) => number,
            Entry::Settled(result) => return Ok(result),
        };
        self.denormals(number.denormal && self.model.transcendentals_see_denormals())?;
        Ok(match number.kind {
            Kind::Zero => a.value,
            Kind::Infinity if number.sign => Extended::ONE.negated(),
            Kind::Infinity => a.value,
            Kind::Finite if number.exponent == 0 && is_power_of_two(number) => {
                if number.sign {
                    Extended::normal(true, -1, number.significand)
                } else {
                    Extended::ONE
                }
            }
            Kind::Finite if number.exponent >= 0 => a.value,
            Kind::Finite => self.finish_wide(exponential(number.into())),
        })
    }

    /// FYL2X: returns y times the base-2 logarithm of x.
    pub(super) fn y_log_x(&mut self, y: Operand, x: Operand) -> Answer {
        let (y, x) = match self.two(y, x)? {
            Entry::Numbers(numbers) => numbers,
            Entry::Settled(result) => return Ok(result),
        };
        if x.sign && !x.is_zero() {
            return self.invalid();
        }
        let is_one = x.kind == Kind::Finite && x.exponent == 0 && is_power_of_two(x);
        let negative = x.is_zero() || x.kind == Kind::Finite && x.exponent < 0;
        let sign = y.sign ^ negative;
        let without_sense = match y.kind {
            Kind::Zero => x.is_zero() || x.is_infinity(),
            Kind::Infinity => is_one,
            Kind::Finite => false,
        };
        if without_sense {
            return self.invalid();
        }
        if x.is_zero() && y.kind == Kind::Finite {
            self.raise(Exceptions::ZE)?;
            return Ok(Extended::infinity(sign));
        }
        self.denormals((y.denormal || x.denormal) && self.model.transcendentals_see_denormals())?;
        if y.is_infinity() || x.kind != Kind::Finite {
            return Ok(Extended::infinity(sign));
        }
        if y.is_zero() || is_one {
            return Ok(Extended::zero(sign));
        }
        if is_power_of_two(x) {
            let product = u128::from(y.significand) * u128::from(x.exponent.unsigned_abs());
            return Ok(self.finish_in(sign, y.exponent + 64, product, 64));
        }
        let logarithm = logarithm(x.into());
        Ok(self.finish_wide(logarithm.times(y.into())))
    }

    /// FYL2XP1: returns y times the base-2 logarithm of 1 + x.
    pub(super) fn y_log_x_plus_one(&mut self, y: Operand, x: Operand) -> Answer {
        let (y, x) = match self.two(y, x)? {
            Entry::Numbers(numbers) => numbers,
            Entry::Settled(result) => return Ok(result),
        };
        let sign = y.sign ^ x.sign;
        let without_sense = x.sign && (x.is_infinity() || x.kind == Kind::Finite && x.exponent >= 0)
            || y.is_infinity() && x.is_zero()
            || y.is_zero() && x.is_infinity();
        if without_sense {
            return self.invalid();
        }
        self.denormals((y.denormal || x.denormal) && self.model.transcendentals_see_denormals())?;
        if y.is_infinity() || x.is_infinity() {
            return Ok(Extended::infinity(sign));
        }
        if y.is_zero() || x.is_zero() {
            return Ok(Extended::zero(sign));
        }
        Ok(self.finish_wide(logarithm_above_one(x.into()).times(y.into())))
    }
}
