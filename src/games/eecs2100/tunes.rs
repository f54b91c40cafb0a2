//! The three sounds of the EECS-2100 game, note for note.
//!
//! The program drives channel 2 of the timer with a divisor and waits in a loop of two instructions, so a
//! note is a divisor and a number of turns. Source: the port events of the original, traced instruction by
//! instruction.

use crate::engine::tune::{Note, Tune};

/// The units of delay, in turns.
const H: u32 = 0x1_9FFF;
const T: u32 = 0x3_3FFE;
const Q: u32 = 0x9_BFFA;

const fn note(divisor: u16, turns: u32) -> Note {
    Note { divisor: Some(divisor), turns }
}

const fn rest(turns: u32) -> Note {
    Note { divisor: None, turns }
}

/// All three.
pub const TUNES: [Tune; 3] = [NBC, WAH, CASTLE];

/// Each move of the user.
pub const NBC: Tune = Tune {
    name: "nbc",
    occasion: "the user has moved",
    notes: &[note(0x11C6, H), note(0x0A96, H), note(0x0D58, H)],
};

/// The computer's victory, and the tie.
pub const WAH: Tune = Tune {
    name: "wah",
    occasion: "the computer has won, or nobody",
    notes: &[note(0x0D5D, 0x7_FFFF), note(0x12E9, 0xF_FFFF)],
};

/// The user's victory.
pub const CASTLE: Tune = Tune {
    name: "castle",
    occasion: "the user has won",
    notes: &[
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
    use super::*;

    #[test]
    fn lengths_of_the_tunes() {
        for (tune, notes, ms) in [(NBC, 3, 213.0), (WAH, 2, 1048.6), (CASTLE, 31, 5963.8)] {
            let total: f64 = tune.notes.iter().map(|note| note.ms(3000)).sum();
            assert_eq!(tune.notes.len(), notes, "{}", tune.name);
            assert!((total - ms).abs() < 0.1, "{} takes {total} ms, not {ms}", tune.name);
        }
    }

    #[test]
    fn notes_equal_the_measured_ones() {
        let Some(measured) = super::super::rules::tests::measured("sound.json") else { return };
        for tune in TUNES {
            let rows = measured["sounds"][tune.name]["notes"].as_array().unwrap();
            assert_eq!(rows.len(), tune.notes.len(), "{}", tune.name);
            for (number, (note, row)) in tune.notes.iter().zip(rows).enumerate() {
                let at = format!("{} note {number}", tune.name);
                let divisor = row["divisor_hex"].as_str().filter(|_| row["speaker"] == "on");
                assert_eq!(note.divisor.map(|d| format!("{d:04X}")).as_deref(), divisor, "{at}");
                assert_eq!(u64::from(note.turns), row["loop_iterations"], "{at}");
                if let Some(hz) = note.hz() {
                    assert!((hz - row["freq_hz"].as_f64().unwrap()).abs() < 0.01, "{at}: {hz} Hz");
                }
                let off = (note.ms(3000) - row["ms_at_3000"].as_f64().unwrap()).abs();
                assert!(off < 0.1, "{at}: {off} ms off");
            }
        }
    }
}
