//! The three sounds of the EECS-2100 game.
//!
//! The program sets a divisor of timer channel 2 and waits in a loop of two instructions, so a note
//! is a divisor and a number of iterations. Source: the port events of the original, traced
//! instruction by instruction.

use oxbox_proof::engine::tune::{Beep, Tune};

/// The unit of delay, in iterations.
const H: u32 = 0x1_9FFF;
const T: u32 = 0x3_3FFE;
const Q: u32 = 0x9_BFFA;

const fn note(divisor: u16, turns: u32) -> Beep {
    Beep { divisor: Some(divisor), turns }
}

const fn rest(turns: u32) -> Beep {
    Beep { divisor: None, turns }
}

/// Played at each move of the user.
pub(super) const NBC: Tune =
    Tune { name: "nbc", beeps: &[note(0x11C6, H), note(0x0A96, H), note(0x0D58, H)] };

/// Played when the computer wins, and at a tie.
pub(super) const WAH: Tune = Tune { name: "wah", beeps: &[note(0x0D5D, 0x7_FFFF), note(0x12E9, 0xF_FFFF)] };

/// Played when the user wins.
pub(super) const CASTLE: Tune = Tune {
    name: "castle",
    beeps: &[
        note(0x17DC, T),
        note(0x11C6, T),
        note(0x0E1B, T),
        note(0x0BEE, T),
        note(0x08E3, T),
        note(0x070E, T),
        note(0x05F7, Q),
        note(0x070E, Q),
        note(0x17C3, T),
        note(0x11C6, T),
        note(0x0EF9, T),
        note(0x0B39, T),
        note(0x08E7, T),
        note(0x077D, T),
        note(0x059B, Q),
        note(0x077D, Q),
        note(0x13FD, T),
        note(0x0FD7, T),
        note(0x0D58, T),
        note(0x09FE, T),
        note(0x07EE, T),
        note(0x06AC, T),
        note(0x04FF, 2 * T),
        rest(T),
        note(0x04FF, H),
        rest(H),
        note(0x04FF, H),
        rest(H),
        note(0x04FF, H),
        rest(H),
        note(0x0473, 2 * Q),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::rules::tests::rows;
    use super::*;

    const MEASURED: &str = include_str!("../../tests/goldens/eecs2100/tunes.txt");

    #[test]
    fn beeps_equal_the_measured_ones() {
        let rows: Vec<[&str; 4]> = rows(MEASURED);
        for (tune, beeps, ms) in [(NBC, 3, 213.0), (WAH, 2, 1048.6), (CASTLE, 31, 5963.8)] {
            let rows: Vec<_> = rows.iter().filter(|row| row[0] == tune.name).collect();
            assert_eq!((rows.len(), tune.beeps.len()), (beeps, beeps), "{}", tune.name);
            for (number, (beep, [_, divisor, turns, instructions])) in tune.beeps.iter().zip(rows).enumerate()
            {
                let at = format!("{} {number}", tune.name);
                assert_eq!(
                    beep.divisor.map_or("-".to_owned(), |divisor| format!("{divisor:04X}")),
                    *divisor,
                    "{at}"
                );
                assert_eq!(beep.turns.to_string(), *turns, "{at}");
                let measured_ms = instructions.parse::<f64>().unwrap() / 3000.0;
                assert!((beep.ms(3000) - measured_ms).abs() < 0.1, "{at}: {} ms", beep.ms(3000));
            }
            let total: f64 = tune.beeps.iter().map(|beep| beep.ms(3000)).sum();
            assert!((total - ms).abs() < 0.1, "{} takes {total} ms, not {ms}", tune.name);
        }
    }
}
