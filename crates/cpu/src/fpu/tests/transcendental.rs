//! Compares the transcendental instructions with a multiple-precision library, and tests that they
//! are monotone.

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};

use super::super::calculation::{Answer, Calculation};
use super::super::control::Control;
use super::super::extended::{Extended, Operand};
use super::super::model::Model;
use super::samples::Random;

/// Precision of the reference in bits. Logarithms near 1 and large angles need many of them.
const PRECISION: usize = 384;
const CHOP: RoundingMode = RoundingMode::ToZero;

/// The function under test of ST(1) and ST(0).
type Ours = fn(&mut Calculation, Operand, Operand) -> Answer<Option<Extended>>;
/// The true value.
type Truth = fn(&BigFloat, &BigFloat, &mut Consts) -> BigFloat;
type Draw = fn(&mut Random) -> (Extended, Extended);

fn big(value: Extended) -> BigFloat {
    let sign = if value.sign() { Sign::Neg } else { Sign::Pos };
    BigFloat::from_raw_parts(&[value.significand], 64, sign, i32::from(value.exponent()) - 16382, false)
}

/// Returns sign, exponent and upper 128 bits.
fn upper(value: &BigFloat) -> (bool, i32, u128) {
    let (words, _, sign, exponent, _) = value.as_raw_parts().unwrap();
    let [.., low, high] = words else { panic!("{value} has too few words") };
    (sign == Sign::Neg, exponent - 1, u128::from(*high) << 64 | u128::from(*low))
}

fn one() -> BigFloat {
    BigFloat::from_word(1, PRECISION)
}

fn number(random: &mut Random, exponents: std::ops::Range<i64>) -> Extended {
    let exponent = exponents.start + random.below((exponents.end - exponents.start) as u64) as i64;
    let significand = match random.below(3) {
        0 => 1 << 63 | random.next() << random.below(64),
        1 => u64::MAX << random.below(64),
        _ => 1 << 63 | random.next(),
    };
    Extended::new((random.next() & 0x8000) as u16 | (0x3FFF + exponent) as u16, significand)
}

/// Returns an angle: random, or as close as possible to a multiple of π/4.
fn angle(random: &mut Random) -> (Extended, Extended) {
    let angle = number(random, -40..63);
    if random.below(2) == 0 {
        return (Extended::ZERO, angle);
    }
    let turns = BigFloat::from_u64(random.next() >> random.pick(&[2, 20, 40, 50, 60]) | 1, PRECISION);
    let mut consts = Consts::new().unwrap();
    let near = consts.pi(PRECISION, CHOP).mul(&turns, PRECISION, CHOP);
    let (_, exponent, significand) = upper(&near);
    let exponent = (0x3FFF + exponent - 2) as u16;
    (
        Extended::ZERO,
        Extended::new(exponent, ((significand >> 64) as u64).wrapping_add(random.below(3)) | 1 << 63),
    )
}

fn point(random: &mut Random) -> (Extended, Extended) {
    let y = number(random, -60..60);
    let mut x = number(random, -60..60);
    if random.below(2) == 0 {
        x.head = x.head & 0x8000 | y.head & 0x7FFF;
    }
    (y, x)
}

fn power(random: &mut Random) -> (Extended, Extended) {
    let lowest = random.pick(&[-70, -4]);
    (Extended::ZERO, number(random, lowest..0))
}

fn logarithm(random: &mut Random) -> (Extended, Extended) {
    let y = number(random, -20..20);
    let x = match random.below(4) {
        0 => number(random, -16382..16383),
        1 => number(random, -3..3),
        2 => Extended::new(0x3FFF, (1 << 63) + (random.next() >> random.below(63) >> 1)),
        _ => Extended::new(0x3FFE, u64::MAX - (random.next() >> random.below(63) >> 1)),
    };
    (y, if x.significand << 1 == 0 { Extended::new(x.exponent(), x.significand + 1) } else { x.absolute() })
}

fn logarithm_above_one(random: &mut Random) -> (Extended, Extended) {
    let lowest = random.pick(&[-70, -6]);
    (number(random, -20..20), number(random, lowest..-1))
}

fn true_angle(y: &BigFloat, x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let angle = y.div(x, PRECISION, CHOP).atan(PRECISION, CHOP, consts);
    if x.is_positive() {
        return angle;
    }
    let half = consts.pi(PRECISION, CHOP);
    if y.is_positive() { angle.add(&half, PRECISION, CHOP) } else { angle.sub(&half, PRECISION, CHOP) }
}

const FUNCTIONS: [(&str, Draw, Ours, Truth); 7] = [
    ("FSIN", angle, |state, _, x| state.sine(x), |_, x, consts| x.sin(PRECISION, CHOP, consts)),
    ("FCOS", angle, |state, _, x| state.cosine(x), |_, x, consts| x.cos(PRECISION, CHOP, consts)),
    (
        "FPTAN",
        angle,
        |state, _, x| state.tangent(x).map(|both| both.map(|(tangent, _)| tangent)),
        |_, x, consts| x.tan(PRECISION, CHOP, consts),
    ),
    ("FPATAN", point, |state, y, x| state.arc_tangent(y, x).map(Some), true_angle),
    (
        "F2XM1",
        power,
        |state, _, x| state.power_minus_one(x).map(Some),
        |_, x, consts| {
            let exponent = x.mul(&consts.ln_2(PRECISION, CHOP), PRECISION, CHOP);
            exponent.exp(PRECISION, CHOP, consts).sub(&one(), PRECISION, CHOP)
        },
    ),
    (
        "FYL2X",
        logarithm,
        |state, y, x| state.y_log_x(y, x).map(Some),
        |y, x, consts| x.log2(PRECISION, CHOP, consts).mul(y, PRECISION, CHOP),
    ),
    (
        "FYL2XP1",
        logarithm_above_one,
        |state, y, x| state.y_log_x_plus_one(y, x).map(Some),
        |y, x, consts| x.add(&one(), PRECISION, CHOP).log2(PRECISION, CHOP, consts).mul(y, PRECISION, CHOP),
    ),
];

fn ours(function: Ours, (y, x): (Extended, Extended)) -> Extended {
    let mut state = Calculation::new(Model::I80387, Control(0x037F));
    function(&mut state, y.into(), x.into()).unwrap().unwrap()
}

/// Returns the error in units of 2^-60 of the result's last place.
fn distance(result: Extended, truth: &BigFloat) -> u128 {
    let (sign, exponent, significand) = upper(truth);
    assert_eq!(result.sign(), sign);
    // Both in units of the smaller exponent, with spare bits above.
    let own = i32::from(result.exponent()) - 0x3FFF;
    let (a, b) = (u128::from(result.significand) << 60, significand >> 4);
    match own - exponent {
        0 => a.abs_diff(b),
        1 => a.abs_diff(b >> 1),
        -1 => a.abs_diff(b << 1),
        _ => u128::MAX,
    }
}

fn accurate(cases: u64) {
    let mut consts = Consts::new().unwrap();
    for (name, draw, function, truth) in FUNCTIONS {
        let mut random = Random::new(7);
        let mut worst = (0, (Extended::ZERO, Extended::ZERO));
        for _ in 0..cases {
            let operands = draw(&mut random);
            let result = ours(function, operands);
            let truth = truth(&big(operands.0), &big(operands.1), &mut consts);
            let distance = distance(result, &truth);
            if distance > worst.0 {
                worst = (distance, operands);
            }
        }
        // Half a unit, plus the error of 128 bits.
        let (distance, operands) = worst;
        assert!(
            distance <= (1 << 59) + (1 << 14),
            "{name} is wrong by {distance} of {} at {operands:X?}",
            1u64 << 60
        );
    }
}

/// Returns the next value away from zero.
fn after(value: Extended) -> Extended {
    match value.significand.checked_add(1) {
        Some(significand) => Extended::new(value.head, significand),
        None => Extended::new(value.head + 1, 1 << 63),
    }
}

/// Returns an integer that orders like the value.
fn rank(value: Extended) -> i128 {
    let magnitude = i128::from(value.exponent()) << 64 | i128::from(value.significand);
    if value.sign() { -magnitude } else { magnitude }
}

/// The number of consecutive values.
const NEIGHBOURS: usize = 64;

/// Tests that neighbouring operands give monotone results: all rising or all falling.
#[test]
fn monotone() {
    // Boundaries of tables, octants, signs and exponents.
    let places = [
        ("FSIN", 0x3FFE, 0xC90F_DAA2_2168_C200),
        ("FSIN", 0x3FFF, 0xC90F_DAA2_2168_C1E0),
        ("FSIN", 0x4000, 0xC90F_DAA2_2168_C220),
        ("FSIN", 0x3FFD, 0xFFFF_FFFF_FFFF_FFE0),
        ("FCOS", 0x3FFE, 0xC90F_DAA2_2168_C200),
        ("FCOS", 0x3FFF, 0xC90F_DAA2_2168_C220),
        ("FCOS", 0x3FDF, 0xFFFF_FFFF_FFFF_FFE0),
        ("FPTAN", 0x3FFE, 0xC90F_DAA2_2168_C200),
        ("FPATAN", 0x3FFE, 0xFFFF_FFFF_FFFF_FFE0),
        ("FPATAN", 0x3FF8, 0xFFFF_FFFF_FFFF_FFE0),
        ("FPATAN", 0x3FFE, 0xBBFF_FFFF_FFFF_FFE0),
        ("F2XM1", 0x3FFE, 0xFFFF_FFFF_FFFF_FF80),
        ("FYL2X", 0x3FFF, 0xB504_F333_F9DE_6460),
        ("FYL2X", 0x3FFE, 0xFFFF_FFFF_FFFF_FFE0),
        ("FYL2XP1", 0x3FFC, 0xFFFF_FFFF_FFFF_FFE0),
    ];
    let mut random = Random::new(9);
    for (name, draw, function, _) in FUNCTIONS {
        let fixed = places.iter().filter(|place| place.0 == name);
        let fixed: Vec<_> = fixed.map(|(_, head, significand)| Extended::new(*head, *significand)).collect();
        for case in 0..400 {
            let (y, start) = match fixed.get(case) {
                Some(start) => (Extended::ONE, *start),
                None => draw(&mut random),
            };
            let operands = std::iter::successors(Some(start), |value| Some(after(*value)));
            let ranks: Vec<_> = operands.take(NEIGHBOURS).map(|x| rank(ours(function, (y, x)))).collect();
            let steps = ranks.windows(2).map(|pair| (pair[1] - pair[0]).signum()).filter(|step| *step != 0);
            let steps: Vec<_> = steps.collect();
            let bends = steps.windows(2).filter(|pair| pair[0] != pair[1]).count();
            // Sine and cosine have extremes, and the tangent jumps at its poles; above 2^50
            // neighbouring values are far apart.
            let allowed = match name {
                "FSIN" | "FCOS" | "FPTAN" if start.exponent() > 0x3FFF + 50 => NEIGHBOURS,
                "FSIN" | "FCOS" => 1,
                "FPTAN" => 2,
                _ => 0,
            };
            assert!(bends <= allowed, "{name} of {y:X?} and {start:X?} turns {bends} times");
        }
    }
}

#[test]
fn correctly_rounded() {
    accurate(600);
}

/// `cargo test --release --lib -- --ignored fpu::tests::transcendental::correctly_rounded_often`
#[test]
#[ignore = "takes minutes: the reference computes hundreds of digits"]
fn correctly_rounded_often() {
    accurate(100_000);
}
