//! What was heard, against what the twin says should have been.
//!
//! Divisors are equal exactly; a note begins, and lasts, within a millisecond of its place in its tune. How
//! long a program draws between two tunes is its own affair.

use crate::engine::tune::Tune;
use crate::hardware::clock::DEFAULT_SPEED;
use crate::hardware::speaker::Note;

/// How far a note may be off, in ms.
const TOLERANCE_MS: f64 = 1.0;

/// How `heard` differs from the tunes that were expected, one after the other; `None` if it does not.
pub fn difference(expected: &[Tune], heard: &[Note]) -> Option<String> {
    let mut rest = heard;
    for tune in expected {
        let count = tune.notes.iter().filter(|note| note.divisor.is_some()).count();
        let Some((these, others)) = rest.split_at_checked(count) else {
            return Some(format!("{} of the {count} notes of {} were heard", rest.len(), tune.name));
        };
        if let Some(difference) = tune_difference(tune, these) {
            return Some(difference);
        }
        rest = others;
    }
    rest.first().map(|note| format!("a note of {:.1} Hz was heard, and none expected", note.hertz()))
}

fn tune_difference(tune: &Tune, heard: &[Note]) -> Option<String> {
    let mut heard_notes = heard.iter();
    let mut at = 0.0;
    for note in tune.notes {
        let ms = note.ms(DEFAULT_SPEED);
        if let Some(divisor) = note.divisor {
            let found = heard_notes.next()?;
            let begins = found.start_ms() - heard[0].start_ms();
            let off = |a: f64, b: f64| (a - b).abs() > TOLERANCE_MS;
            if found.divisor != u32::from(divisor) || off(found.length_ms(), ms) || off(begins, at) {
                return Some(format!(
                    "{}: divisor {:04X} for {:.1} ms at {begins:.1} ms, not {divisor:04X} for {ms:.1} ms at {at:.1} ms",
                    tune.name,
                    found.divisor,
                    found.length_ms()
                ));
            }
        }
        at += ms;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::eecs2100::tunes::{CASTLE, NBC, WAH};
    use crate::hardware::clock::PIT_HZ;

    fn ticks(ms: f64) -> u64 {
        (ms * PIT_HZ as f64 / 1000.0) as u64
    }

    /// The notes of a tune as the speaker would have recorded them, from `start` on.
    fn played(tune: &Tune, mut start: u64) -> Vec<Note> {
        let mut notes = Vec::new();
        for note in tune.notes {
            let length = ticks(note.ms(DEFAULT_SPEED));
            notes.extend(note.divisor.map(|divisor| Note { start, ticks: length, divisor: divisor.into() }));
            start += length;
        }
        notes
    }

    #[test]
    fn differences_are_heard() {
        let good = [played(&NBC, 100), played(&CASTLE, 5_000_000)].concat();
        type Change = fn(&mut Vec<Note>);
        let cases: [(&str, Change, &str); 6] = [
            ("nothing", |_| {}, ""),
            ("a wrong divisor", |notes| notes[1].divisor += 1, "nbc: divisor 0A97"),
            (
                "too short",
                |notes| notes[5].ticks -= ticks(2.0),
                "castle: divisor 0E1B for 140.0 ms at 284.0 ms",
            ),
            ("too late", |notes| notes[20].start += ticks(2.0), "castle: divisor 0FD7"),
            (
                "one missing",
                |notes| notes.truncate(notes.len() - 1),
                "26 of the 27 notes of castle were heard",
            ),
            ("one too many", |notes| notes.push(notes[0]), "a note of 262.2 Hz was heard, and none expected"),
        ];
        for (name, change, expected) in cases {
            let mut notes = good.clone();
            change(&mut notes);
            let found = difference(&[NBC, CASTLE], &notes).unwrap_or_default();
            assert!(
                found.starts_with(expected) && found.is_empty() == expected.is_empty(),
                "{name}: {found}"
            );
        }
        assert_eq!(difference(&[], &[]), None);
        assert_eq!(difference(&[WAH], &[]).as_deref(), Some("0 of the 2 notes of wah were heard"));
    }
}
