//! Ordinary numbers: the short way gives what [`Calculation`] gives.

use super::super::calculation::Calculation;
use super::super::control::{Control, Exceptions};
use super::super::extended::Extended;
use super::super::model::Model;
use super::super::ordinary;
use super::super::register::Binary;
use super::samples::Random;

const OPERATIONS: [Binary; 4] = [Binary::Add, Binary::Subtract, Binary::SubtractReversed, Binary::Multiply];
const MODELS: [Model; 3] = [Model::I8087, Model::I80287, Model::I80387];

/// Asserts that the short way gives what the calculation gives, if it gives anything. Returns whether it does.
fn is_done(operation: Binary, model: Model, control: Control, a: Extended, b: Extended) -> bool {
    let Some((value, raised)) = ordinary::binary(operation, control, a, b.into()) else { return false };
    let mut calculation = Calculation::new(model, control);
    let expected = operation.result(&mut calculation, a.into(), b.into());
    let inputs = (operation, control, a, b);
    assert_eq!((expected, calculation.raised), (Ok(value), raised), "{inputs:x?}");
    assert_eq!(control.masked(raised), raised & Exceptions::MASKS, "{inputs:x?}");
    true
}

#[test]
fn results_and_exceptions_are_those_of_the_calculation() {
    let mut random = Random::new(1980);
    let (mut done, mut count) = (0, 0);
    for _ in 0..100_000 {
        let (a, b) = (random.value(), random.value());
        // Any masks, precision and rounding.
        let control = Control(random.next() as u16 & 0x0F3F);
        let model = random.pick(&MODELS);
        for operation in OPERATIONS {
            count += 1;
            done += u32::from(is_done(operation, model, control, a, b));
        }
        if let Some(order) = ordinary::compare(a, b.into()) {
            let mut calculation = Calculation::new(model, control);
            let expected = calculation.compare(a.into(), b.into(), true);
            assert_eq!((expected, calculation.raised), (Ok((order.into(), Ok(()))), 0), "{a:x?} {b:x?}");
        }
    }
    assert!(3 * done > count, "only {done} of {count}");
}

#[test]
fn sums_are_right_at_each_distance_of_the_operands() {
    let significands = [1 << 63, 1 << 63 | 1, 1 << 63 | 2, 3 << 62, 3 << 62 | 1, u64::MAX - 1, u64::MAX];
    let (mut done, mut count) = (0, 0);
    let controls = (0..16).map(|mode| Control(mode << 8 | Exceptions::MASKS));
    for (control, distance) in controls.flat_map(|control| (0..=130).map(move |distance| (control, distance)))
    {
        for (&large, &small) in significands.iter().flat_map(|a| significands.iter().map(move |b| (a, b))) {
            let (a, b) = (Extended::new(0x4000, large), Extended::new(0x4000 - distance, small));
            for operation in [Binary::Add, Binary::Subtract, Binary::SubtractReversed] {
                count += 2;
                done += u32::from(is_done(operation, Model::I80387, control, a, b));
                done += u32::from(is_done(operation, Model::I80387, control, b, a));
            }
        }
    }
    assert!(100 * done > 99 * count, "only {done} of {count}");
}
