//! Compares the recorded sounds with the tunes expected by the twin.
//!
//! Divisors must be equal. The start and the length of a note may differ by a millisecond within
//! its tune. The drawing time between two tunes is not compared.

use crate::engine::tune::{Pitch, Tune};
use oxbox_machine::hardware::clock::{DEFAULT_SPEED, PIT_HZ};
use oxbox_machine::hardware::speaker::Note;

/// The tolerance for a note in ms.
const TOLERANCE_MS: f64 = 1.0;

/// Returns how `heard` differs from the sequence of expected tunes; `None` if it does not.
pub(super) fn difference(expected: &[Tune], heard: &[Note]) -> Option<String> {
    let mut rest = heard;
    for tune in expected {
        let count = tune.beeps.iter().filter(|beep| beep.divisor.is_some()).count();
        let Some((these, others)) = rest.split_at_checked(count) else {
            return Some(format!("{} of the {count} notes of {} were heard", rest.len(), tune.name));
        };
        if let Some(difference) = tune_difference(tune, these) {
            return Some(difference);
        }
        rest = others;
    }
    rest.first().map(|note| format!("{} was heard; no sound was expected", name(note.hertz())))
}

fn tune_difference(tune: &Tune, heard: &[Note]) -> Option<String> {
    let mut heard_notes = heard.iter();
    let mut at = 0.0;
    let mut number = 0;
    for beep in tune.beeps {
        let ms = beep.ms(DEFAULT_SPEED);
        if let Some(divisor) = beep.divisor {
            let found = heard_notes.next()?;
            number += 1;
            let begins = found.start_ms() - heard[0].start_ms();
            let off = |a: f64, b: f64| (a - b).abs() > TOLERANCE_MS;
            if found.divisor != u32::from(divisor) || off(found.length_ms(), ms) || off(begins, at) {
                let expected = PIT_HZ as f64 / f64::from(divisor);
                return Some(format!(
                    "note {number} of {} is {} for {:.1} ms at {begins:.1} ms (divisor {:04X}), not {} for {ms:.1} ms at {at:.1} ms ({divisor:04X})",
                    tune.name,
                    name(found.hertz()),
                    found.length_ms(),
                    found.divisor,
                    name(expected),
                ));
            }
        }
        at += ms;
    }
    None
}

/// Formats a pitch with its frequency: `A4 (440.0 Hz)`, `A4+12 (443.1 Hz)`.
fn name(hertz: f64) -> String {
    format!("{} ({hertz:.1} Hz)", Pitch::of(hertz))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tune::Beep;

    const fn beep(divisor: u16, turns: u32) -> Beep {
        Beep { divisor: Some(divisor), turns }
    }
    const REST: Beep = Beep { divisor: None, turns: 150_000 };
    const CALL: Tune = Tune { name: "call", beeps: &[beep(0x11C6, 105_000), beep(0x0A96, 105_000)] };
    /// 100 ms each, except the last.
    const ANSWER: Tune = Tune {
        name: "answer",
        beeps: &[
            beep(0x17DC, 150_000),
            beep(0x0E1B, 150_000),
            REST,
            beep(0x0FD7, 150_000),
            beep(0x0473, 300_000),
        ],
    };

    fn ticks(ms: f64) -> u64 {
        (ms * PIT_HZ as f64 / 1000.0) as u64
    }

    /// Returns the notes of a tune as the speaker would record them from `start` on.
    fn played(tune: &Tune, mut start: u64) -> Vec<Note> {
        let mut notes = Vec::new();
        for beep in tune.beeps {
            let length = ticks(beep.ms(DEFAULT_SPEED));
            notes.extend(beep.divisor.map(|divisor| Note { start, ticks: length, divisor: divisor.into() }));
            start += length;
        }
        notes
    }

    #[test]
    fn pitches_have_names() {
        let rows = [
            (440.0, "A4 (440.0 Hz)"),
            (261.6256, "C4 (261.6 Hz)"),
            (450.0, "A4+39 (450.0 Hz)"),
            (30.0, "B0-49 (30.0 Hz)"),
        ];
        rows.iter().for_each(|(hertz, expected)| assert_eq!(name(*hertz), *expected));
    }

    #[test]
    fn differences_are_heard() {
        let good = [played(&CALL, 100), played(&ANSWER, 5_000_000)].concat();
        type Change = fn(&mut Vec<Note>);
        let cases: [(&str, Change, &str); 6] = [
            ("nothing", |_| {}, ""),
            ("a wrong divisor", |notes| notes[1].divisor += 1, "note 2 of call is A4 (440.1 Hz)"),
            ("too short", |notes| notes[3].ticks -= ticks(2.0), "note 2 of answer is"),
            ("too late", |notes| notes[4].start += ticks(2.0), "note 3 of answer is"),
            ("one missing", |notes| notes.truncate(notes.len() - 1), "3 of the 4 notes of answer were heard"),
            (
                "one too many",
                |notes| notes.push(notes[0]),
                "C4+4 (262.2 Hz) was heard; no sound was expected",
            ),
        ];
        for (name, change, expected) in cases {
            let mut notes = good.clone();
            change(&mut notes);
            let found = difference(&[CALL, ANSWER], &notes).unwrap_or_default();
            assert!(
                found.starts_with(expected) && found.is_empty() == expected.is_empty(),
                "{name}: {found}"
            );
        }
        assert_eq!(difference(&[], &[]), None);
        assert_eq!(difference(&[CALL], &[]).as_deref(), Some("0 of the 2 notes of call were heard"));
    }
}
