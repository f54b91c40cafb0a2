//! Equivalence classes of single-key choices: one run determines the result of all keys that a
//! program treats alike.

use super::choices::{Act, Choices};
use super::program::ProgramUnderTest;
use oxbox_machine::machine::{Key, KeyPlace, OtherKey, ReadSet};
use std::collections::HashMap;

/// The facts learned about keys from runs in which each was typed.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// The BIOS code of a choice, by the state of the shift keys.
    codes: HashMap<(u32, usize), u16>,
    /// The last choice, and the location where its key was stored.
    played: Option<(usize, KeyPlace)>,
    /// Whether a predicate depends on the printed output.
    output_counts: bool,
    tracking: Tracking,
}

/// The number of runs after which tracking is stopped if it is not worthwhile.
const ENOUGH_RUNS: u32 = 64;

/// The number of runs in which other keys were tracked, and of the equivalent keys found.
#[derive(Debug, Default)]
pub(crate) struct Tracking {
    runs: u32,
    found: u32,
}

impl Tracking {
    /// Starts to track which of the others, each with its number, its key and its code, may be
    /// equivalent to a key that is about to be typed. Does nothing if tracking is not worthwhile: a
    /// program that displays or stores every key has no classes, and tracking takes about as long
    /// as running a key.
    pub(crate) fn follow(
        &mut self,
        walked: &mut ProgramUnderTest,
        (key, code): (Key, u16),
        others: impl Iterator<Item = (usize, Key, u16)>,
        kept: &ReadSet,
        output_counts: bool,
    ) {
        if self.runs < ENOUGH_RUNS || self.found > self.runs {
            let other = |(number, other, code)| OtherKey { number, code, sends_alike: key.sends_like(other) };
            let others: Vec<OtherKey> = others.map(other).collect();
            let follows = walked.machine_mut().follow_keys(code, &others, kept, output_counts);
            self.runs += u32::from(follows);
        }
    }

    /// Returns the numbers of the equivalent keys after the run.
    pub(crate) fn same(&mut self, walked: &mut ProgramUnderTest) -> Vec<usize> {
        let same = walked.machine_mut().same_keys();
        self.found += same.len() as u32;
        same
    }
}

impl Classes {
    /// Creates an empty record. `output_counts`: a predicate depends on the printed output.
    pub(super) fn new(output_counts: bool) -> Classes {
        Classes { output_counts, ..Classes::default() }
    }

    /// Performs a choice and tracks those of the others that may be equivalent.
    pub(super) fn play_beside(
        &mut self,
        walked: &mut ProgramUnderTest,
        choices: &Choices,
        choice: usize,
        others: &[usize],
        kept: &ReadSet,
    ) {
        self.played = None;
        if let Some(key) = key_of(choices, choice).filter(|_| !walked.goes_on()) {
            let place = walked.machine().key_place();
            self.played = Some((choice, place));
            let Classes { codes, tracking, output_counts, .. } = self;
            let code = |choice: usize| codes.get(&(place.shift_state(), choice)).copied();
            if let Some(own) = code(choice) {
                let known = |&other: &usize| Some((other, key_of(choices, other)?, code(other)?));
                let others = others.iter().filter_map(known);
                tracking.follow(walked, (key, own), others, kept, *output_counts);
            }
        }
        walked.take(choices, choice);
        if let Some((choice, place)) = self.played
            && let Some(code) = walked.machine().key_taken(place)
        {
            self.codes.insert((place.shift_state(), choice), code);
        }
    }

    /// Returns the choices equivalent to the one that was performed.
    pub(super) fn same(&mut self, walked: &mut ProgramUnderTest) -> Vec<usize> {
        self.tracking.same(walked)
    }
}

/// Returns the key of a choice that consists of one key.
fn key_of(choices: &Choices, choice: usize) -> Option<Key> {
    match choices.get(choice)?.acts[..] {
        [Act::Key(key)] => Some(key).filter(|key| !key.is_modifier()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::program::Setup;
    use oxbox_machine::machine::{CategorySet as Kept, StateCategory};

    const KEYS: &str = "0-9 a-d A-D ENTER F1 UP";

    /// Returns the keys equivalent to this one, including it, at the first wait of a program in
    /// which each key was typed before.
    fn class_of(code: &[u8], key: &str) -> String {
        let mut walked = ProgramUnderTest::start(&Setup::new(code.to_vec(), "A.COM")).expect("it starts");
        let choices = Choices::from_words(KEYS).expect("choices");
        let kept = ReadSet::default().with_categories(Kept::default().with(StateCategory::Screen));
        walked.make_canonical(&kept);
        let start = walked.save();
        let mut classes = Classes::default();
        let names = choices.names();
        let mut play = |choice: usize| {
            walked.restore(&start);
            walked.watch(&kept);
            let others: Vec<usize> = (0..choices.len()).filter(|&other| other != choice).collect();
            classes.play_beside(&mut walked, &choices, choice, &others, &kept);
            if walked.end().is_none() {
                walked.make_canonical(&kept);
            }
            classes.same(&mut walked)
        };
        (0..choices.len()).for_each(|choice| {
            play(choice);
        });
        let mut class = play(names.iter().position(|name| name == key).expect("a key"));
        class.sort_unstable();
        class.iter().map(|&other| names[other].as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn keys_that_take_the_same_way_and_leave_nothing_are_one_class() {
        // mov ah, 0; int 16h; ...; jmp to the start
        let looped = |body: &[u8]| {
            let mut code = [&[0xB4, 0x00, 0xCD, 0x16], body].concat();
            code.extend([0xEB, (-(code.len() as i8) - 2) as u8]);
            code
        };
        let rest_of_digits = "0 1 2 4 5 6 7 8 9 a b c d A B C D ENTER F1 UP";
        let rows: [(&str, Vec<u8>, &str, &str); 10] = [
            (
                "cmp al, '3'; je over nop",
                looped(&[0x3C, 0x33, 0x74, 1, 0x90]),
                "5",
                "0 1 2 4 6 7 8 9 a b c d A B C D ENTER F1 UP",
            ),
            ("the key that is asked for", looped(&[0x3C, 0x33, 0x74, 1, 0x90]), "3", ""),
            (
                "sub al, '0'; cmp al, 9; ja",
                looped(&[0x2C, 0x30, 0x3C, 9, 0x77, 1, 0x90]),
                "5",
                "0 1 2 3 4 6 7 8 9",
            ),
            ("and al, 0DFh; cmp al, 'B'", looped(&[0x24, 0xDF, 0x3C, 0x42, 0x75, 1, 0x90]), "B", "b"),
            ("the key is stored: mov [300h], al", looped(&[0xA2, 0, 3]), "5", ""),
            (
                "what is stored is the same: and al, 80h; mov [300h], al",
                looped(&[0x24, 0x80, 0xA2, 0, 3]),
                "3",
                rest_of_digits,
            ),
            (
                "the shift keys are read: push 40h; pop ds; mov ah, 0; int 16h; mov bl, [17h]; xor ax, ax; jmp",
                vec![0x6A, 0x40, 0x1F, 0xB4, 0, 0xCD, 0x16, 0x8A, 0x1E, 0x17, 0, 0x31, 0xC0, 0xEB, 0xF1],
                "A",
                "B C D",
            ),
            ("push ax; pop bx; xor bx, bx", looped(&[0x50, 0x5B, 0x31, 0xDB]), "3", rest_of_digits),
            ("a service shows it: mov ah, 0Eh; int 10h", looped(&[0xB4, 0x0E, 0xCD, 0x10]), "3", ""),
            (
                "a service shows a bell: cmp al, 1; mov ax, 0E07h; int 10h",
                looped(&[0x3C, 0x01, 0xB8, 0x07, 0x0E, 0xCD, 0x10]),
                "3",
                rest_of_digits,
            ),
        ];
        for (name, code, key, expected) in rows {
            assert_eq!(class_of(&code, key), expected, "{name}");
        }
    }
}
