//! The step response of the synthesizer's low-pass filter at a sample rate.
//!
//! The integral of a sinc under a Kaiser window (J. F. Kaiser, 1974), as integers. It is computed
//! only with additions, multiplications, divisions and square roots, which IEEE 754 defines to the
//! last bit: the table is the same on every machine.

/// The number of samples before and after a jump that its response covers.
pub(super) const REACH: usize = 40;

/// Table entries per sample.
pub(super) const PHASES: usize = 256;

/// The value of a completed jump.
pub(super) const UNIT: i32 = 1 << 30;

/// The frequency of response one half, in cycles per sample: the stop band begins at 0.5.
const CUTOFF: f64 = 0.5 - TRANSITION / 2.0;

/// Width of the transition band in cycles per sample, by Kaiser's formula for the window.
const TRANSITION: f64 = (ATTENUATION_DB - 7.95) / (14.36 * (2 * REACH) as f64);

const ATTENUATION_DB: f64 = 90.0;

/// The window's shape for that attenuation: 0.1102 (A - 8.7).
const BETA: f64 = 0.1102 * (ATTENUATION_DB - 8.7);

/// Returns the step response from `-REACH` to `REACH` samples, with `PHASES` entries per sample,
/// from 0 to [`UNIT`].
pub(super) fn step_response() -> Vec<i32> {
    let entries = 2 * REACH * PHASES;
    let step = 1.0 / PHASES as f64;
    let mut sums = Vec::with_capacity(entries + 1);
    let mut sum = 0.0;
    sums.push(sum);
    for entry in 0..entries {
        // Simpson's rule over one entry. The sum is scaled to UNIT below.
        let from = entry as f64 * step - REACH as f64;
        sum += (impulse(from) + 4.0 * impulse(from + step / 2.0) + impulse(from + step)) * step / 6.0;
        sums.push(sum);
    }
    sums.iter().map(|value| (value / sum * f64::from(UNIT)).round() as i32).collect()
}

/// Returns the impulse response at `x` samples, up to a constant factor.
fn impulse(x: f64) -> f64 {
    let position = x / REACH as f64;
    let inside = (1.0 - position * position).max(0.0);
    sinc(2.0 * CUTOFF * x) * bessel_i0(BETA * inside.sqrt())
}

/// Returns sin(pi x) / (pi x).
fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-9 { 1.0 } else { sin_pi(x) / (std::f64::consts::PI * x) }
}

/// Returns sin(pi x), by its power series around the nearest integer.
pub(super) fn sin_pi(x: f64) -> f64 {
    let nearest = x.round();
    let angle = std::f64::consts::PI * (x - nearest);
    let mut term = angle;
    let mut sum = angle;
    for n in 1..12 {
        term *= -angle * angle / f64::from(2 * n * (2 * n + 1));
        sum += term;
    }
    if nearest.rem_euclid(2.0) == 0.0 { sum } else { -sum }
}

/// Returns the modified Bessel function of the first kind and order zero, by its power series.
fn bessel_i0(x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    let quarter_square = x * x / 4.0;
    for n in 1..30 {
        term *= quarter_square / f64::from(n * n);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_agree_with_known_values() {
        // Abramowitz and Stegun, table 9.8 (I0, here times its exponential factor) and the sine of simple angles.
        for (x, expected) in
            [(0.0, 1.0), (1.0, 1.266_065_877_752), (5.0, 27.239_871_823_604), (9.0, 1_093.588_354_511)]
        {
            assert!((bessel_i0(x) / expected - 1.0).abs() < 1e-11, "I0({x}) = {}", bessel_i0(x));
        }
        for (x, expected) in
            [(0.0, 0.0), (0.5, 1.0), (1.0 / 6.0, 0.5), (1.5, -1.0), (-0.5, -1.0), (40.25, 0.5_f64.sqrt())]
        {
            assert!((sin_pi(x) - expected).abs() < 1e-13, "sin({x} pi) = {}", sin_pi(x));
        }
    }

    #[test]
    fn the_response_goes_from_nothing_to_all() {
        let response = step_response();
        assert_eq!(
            (response[0], response[response.len() / 2], response[response.len() - 1]),
            (0, UNIT / 2, UNIT)
        );
        // The step of a sharp filter overshoots by up to 9 % (Gibbs), here by less.
        let (low, high) = (response.iter().min().unwrap(), response.iter().max().unwrap());
        assert!(*low > -UNIT / 10 && *high < UNIT / 10 * 11, "{low} {high}");
    }
}
