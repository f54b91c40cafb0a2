//! The keys to try at each wait of a game.

use super::beside::hash_of;
use super::twin::Twin;
use crate::walk::choices::Act;
use crate::walk::{ProgramUnderTest, Setup};
use oxbox_machine::machine::{Key, KeyPlace, StartError};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The number of values of the low three bits of the BIOS tick count.
const TICK_CLASSES: u8 = 8;

/// A key that ends a pause: Space.
const END_OF_PAUSE: Act = Act::Key(Key::new(0x39, false));

/// The scope of the input that is tried at each wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// The game's own keys: those that continue or leave, and some of each kind that it rejects.
    #[default]
    Alphabet,
    /// Every key of the keyboard, alone, with Shift, with Ctrl and with Alt.
    Keys,
    /// The game's own keys, from each initial state of the machine.
    Starts,
    /// The game's own keys, and every key of the keyboard in some of the positions.
    Sample,
}

/// The characters from INT 21h AH=08h: none, one, or two for an extended code.
pub(super) type Characters = [Option<u8>; 2];

/// A key, and the characters that it gives a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stroke {
    pub(super) key: Key,
    pub(super) characters: Characters,
    /// Whether DOS ends the program: Ctrl+C and Ctrl+Break.
    pub(super) breaks: bool,
    /// Whether the machine stops until the next key, which no program receives: Pause.
    pub(super) pauses: bool,
    /// Its BIOS code, if the BIOS stores one.
    pub(super) code: Option<u16>,
    /// Whether an earlier key gives the same characters: only that one counts in lines of play.
    pub(super) is_another: bool,
}

impl Stroke {
    fn of_character(character: u8) -> Option<Stroke> {
        let key = Key::typing(char::from(character))?;
        let characters = [Some(character), None];
        Some(Stroke { key, characters, breaks: false, pauses: false, code: None, is_another: false })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Action {
    pub(super) stroke: Stroke,
    /// The low three bits of the tick count when the key is typed, if the program reads them.
    pub(super) ticks: Option<u8>,
    /// A key that is typed ahead, before the program can read the first.
    pub(super) behind: Option<Stroke>,
}

impl Action {
    /// Returns the keys that are typed one after the other, the second one to end a pause.
    pub(super) fn acts(&self) -> Vec<Act> {
        let key = Act::Key(self.stroke.key);
        if self.stroke.pauses { vec![key, END_OF_PAUSE] } else { vec![key] }
    }

    pub(super) fn keys(&self) -> Vec<Key> {
        [Some(&self.stroke), self.behind.as_ref()].into_iter().flatten().map(|stroke| stroke.key).collect()
    }

    /// Returns the characters that the program receives.
    pub(super) fn characters(&self) -> impl Iterator<Item = u8> + '_ {
        let strokes = [Some(&self.stroke), self.behind.as_ref()].into_iter().flatten();
        strokes.flat_map(|stroke| stroke.characters).flatten()
    }

    /// Types the characters to a twin.
    pub(super) fn type_to(&self, twin: &mut dyn Twin) {
        self.characters().for_each(|character| self.type_character(character, twin));
    }

    /// Types one of the characters to a twin, with the tick count, which a new game forgets.
    pub(super) fn type_character(&self, character: u8, twin: &mut dyn Twin) {
        self.ticks.into_iter().for_each(|ticks| twin.set_ticks(ticks));
        twin.press(character);
    }

    /// Returns the key and its code, if it is typed alone and at any time.
    pub(super) fn plain_key(&self) -> Option<(Key, u16)> {
        let is_plain = self.ticks.is_none() && self.behind.is_none();
        is_plain.then_some((self.stroke.key, self.stroke.code?))
    }

    /// Returns the only character of the only key.
    pub(super) fn character(&self) -> Option<u8> {
        match (self.stroke.characters, self.behind) {
            ([character, None], None) => character,
            _ => None,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Keyboard {
    /// Every key, if it is tried; otherwise only the game's own.
    strokes: Vec<Stroke>,
    /// Whether every key is tried in all positions, and not only in [some](Twin::sampling).
    everywhere: bool,
    /// Whether pairs are also typed ahead.
    pairs: bool,
    /// Whether Caps Lock is on, which exchanges the case of letters.
    caps: bool,
    /// The time before each key, in ms.
    pause_ms: u64,
    /// The state of the shift keys for which the strokes have their codes.
    shift_state: Option<u32>,
}

impl Keyboard {
    /// Returns the keys of a scope. Fails if no machine can be created.
    pub(super) fn of(scope: Scope) -> Result<Keyboard, StartError> {
        let everywhere = scope == Scope::Keys;
        if !everywhere && scope != Scope::Sample {
            return Ok(Keyboard::alphabet());
        }
        let (strokes, shift_state) = every_stroke()?;
        Ok(Keyboard { strokes, everywhere, shift_state: Some(shift_state), ..Keyboard::alphabet() })
    }

    /// Returns the game's own keys.
    pub(super) fn alphabet() -> Keyboard {
        Keyboard {
            strokes: Vec::new(),
            everywhere: false,
            pairs: false,
            caps: false,
            pause_ms: 0,
            shift_state: None,
        }
    }

    /// Whether the keys have their codes in this state of the keyboard.
    pub(super) fn has_codes_at(&self, place: KeyPlace) -> bool {
        self.shift_state == Some(place.shift_state())
    }

    /// Whether every key of the keyboard is tried in some position.
    pub(super) fn has_every_key(&self) -> bool {
        !self.strokes.is_empty()
    }

    /// Whether every key of the keyboard is tried in this position.
    pub(super) fn tries_every_key(&self, twin: &dyn Twin) -> bool {
        let is_sampled = || (hash_of(twin) as u64).is_multiple_of(twin.sampling());
        self.has_every_key() && (self.everywhere || is_sampled())
    }

    /// Sets whether pairs are typed ahead.
    pub(super) fn with_pairs(self, pairs: bool) -> Keyboard {
        Keyboard { pairs, ..self }
    }

    /// Sets whether Caps Lock is on.
    pub(super) fn with_caps(self, caps: bool) -> Keyboard {
        Keyboard { caps, ..self }
    }

    /// Sets the time before each key, in ms.
    pub(super) fn with_pause(self, pause_ms: u64) -> Keyboard {
        Keyboard { pause_ms, ..self }
    }

    /// Returns the time before each key, in ms.
    pub(super) fn pause_ms(&self) -> u64 {
        self.pause_ms
    }

    /// Returns the inputs for a position of the twin, in order.
    pub(super) fn actions(&self, twin: &dyn Twin) -> Vec<Action> {
        let readers = ClockReaders::of(twin);
        let actions = |strokes: &[Stroke]| -> Vec<Action> {
            strokes.iter().flat_map(|stroke| readers.actions(*stroke)).collect()
        };
        let own = || actions(&self.own_strokes(twin));
        let mut all = if self.tries_every_key(twin) { actions(&self.every_stroke(twin)) } else { own() };
        if self.pairs {
            all.extend(own().iter().flat_map(|first| self.pairs_of(twin, first)));
        }
        all
    }

    /// Returns the number of inputs for a position of the twin.
    pub(super) fn count(&self, twin: &dyn Twin) -> usize {
        if self.pairs || !self.tries_every_key(twin) {
            return self.actions(twin).len();
        }
        let readers = ClockReaders::of(twin);
        self.every_stroke(twin).iter().map(|stroke| readers.count(stroke)).sum()
    }

    /// Returns every key. If the program prints through DOS, Esc is only tried everywhere: that is
    /// without ANSI.SYS, to which it begins a command.
    fn every_stroke(&self, twin: &dyn Twin) -> Cow<'_, [Stroke]> {
        const ESC: Option<u8> = Some(0x1B);
        if self.everywhere || !twin.prints() {
            return Cow::Borrowed(&self.strokes);
        }
        let strokes = self.strokes.iter().filter(|stroke| !stroke.characters.contains(&ESC));
        Cow::Owned(strokes.copied().collect())
    }

    /// Returns the game's own keys.
    fn own_strokes(&self, twin: &dyn Twin) -> Vec<Stroke> {
        let mut characters = twin.moves();
        for character in twin.asides().into_iter().flatten() {
            if !characters.contains(&character) {
                characters.push(character);
            }
        }
        characters.into_iter().filter_map(|character| self.stroke(character)).collect()
    }

    /// Returns the key that types a character without lock keys, and its characters.
    fn stroke(&self, character: u8) -> Option<Stroke> {
        let mut stroke = Stroke::of_character(character)?;
        if self.caps && character.is_ascii_alphabetic() {
            stroke.characters = [Some(character ^ 0x20), None];
        }
        Some(stroke)
    }

    /// Returns pairs of a key with one following key of each kind that the twin then distinguishes:
    /// a move, and one of each group that makes none.
    fn pairs_of(&self, twin: &dyn Twin, first: &Action) -> Vec<Action> {
        let mut next = twin.boxed();
        first.type_to(&mut *next);
        let (moves, groups) = (next.moves(), next.asides());
        let kinds = [&moves].into_iter().chain(&groups).filter_map(|kind| kind.first().copied());
        let behind = kinds.filter(|&character| !next.reads_clock(character));
        let strokes = behind.filter_map(|character| self.stroke(character));
        strokes.map(|stroke| Action { behind: Some(stroke), ..*first }).collect()
    }

    /// Returns the inputs for a position that are moves, one per character.
    pub(super) fn moves(&self, twin: &dyn Twin) -> Vec<Action> {
        let moves = twin.moves();
        let leads_on = |action: &Action| {
            action.character().is_some_and(|character| moves.contains(&character))
                && !action.stroke.is_another
        };
        self.actions(twin).into_iter().filter(leads_on).collect()
    }
}

/// Twins of a program that may read the tick count after a key.
struct ClockReaders<'a> {
    twin: &'a dyn Twin,
    /// The twin after the first byte of an extended code.
    behind_zero: Box<dyn Twin>,
}

impl ClockReaders<'_> {
    fn of(twin: &dyn Twin) -> ClockReaders<'_> {
        let mut behind_zero = twin.boxed();
        behind_zero.press(0);
        ClockReaders { twin, behind_zero }
    }

    /// Returns a key with each value of the clock, if one of them reads it.
    fn actions(&self, stroke: Stroke) -> impl Iterator<Item = Action> + use<> {
        let ticks = if self.read_after(&stroke) { 0..TICK_CLASSES } else { 0..0 };
        let plain = ticks.is_empty().then_some(None);
        let ticks = ticks.map(Some).chain(plain);
        ticks.map(move |ticks| Action { stroke, ticks, behind: None })
    }

    /// Returns the number of [`actions`](Self::actions).
    fn count(&self, stroke: &Stroke) -> usize {
        if self.read_after(stroke) { usize::from(TICK_CLASSES) } else { 1 }
    }

    fn read_after(&self, stroke: &Stroke) -> bool {
        let [first, second] = stroke.characters;
        first.is_some_and(|first| self.twin.reads_clock(first))
            || second.is_some_and(|second| self.behind_zero.reads_clock(second))
    }
}

/// Returns every key of the keyboard with its characters, determined by asking a machine. Keys with
/// the same characters are all included, because a program may distinguish them by scan code. Also
/// returns the state of the shift keys.
fn every_stroke() -> Result<(Vec<Stroke>, u32), StartError> {
    /// `mov di, 200h; again: mov ah, 8; int 21h; stosb; mov [1FEh], di; jmp again`
    const READER: &[u8] = b"\xBF\x00\x02\xB4\x08\xCD\x21\xAA\x89\x3E\xFE\x01\xEB\xF5";
    /// The highest scan code of a key that types something.
    const LAST_SCAN: u8 = 0x58;
    let mut reader = ProgramUnderTest::start(&Setup::new(READER.to_vec(), "KEYS.COM"))?;
    let start = reader.save();
    let place = reader.machine().key_place();
    let mut strokes = Vec::new();
    for extended in [false, true] {
        for scan in 1..=LAST_SCAN {
            for shift in 0..4 {
                let plain = Key::new(scan, extended);
                let key = Key { shift: shift == 1, ctrl: shift == 2, alt: shift == 3, ..plain };
                if key.is_modifier() {
                    continue;
                }
                reader.restore(&start);
                reader.play(&[Act::Key(key)]);
                let machine = reader.machine();
                let base = u32::from(machine.psp()) << 4;
                let memory = &machine.hardware().memory;
                let behind = u32::from(memory.read16(base + 0x1FE)).max(0x200);
                let mut read = (0x200..behind).map(|at| memory.read8(base + at));
                let characters = [read.next(), read.next()];
                let (breaks, pauses) = (reader.end().is_some(), machine.is_paused());
                if breaks || pauses || characters[0].is_some() {
                    let is_another = strokes.iter().any(|stroke: &Stroke| stroke.characters == characters);
                    let code = machine.key_taken(place);
                    strokes.push(Stroke { key, characters, breaks, pauses, code, is_another });
                }
            }
        }
    }
    Ok((strokes, place.shift_state()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox_machine::machine::ReadSet;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_of_the_keyboard() {
        let (strokes, _) = every_stroke().expect("a machine");
        let of = |name: &str| {
            let key: Key = name.parse().expect("a key");
            strokes.iter().find(|stroke| stroke.key == key).map(|stroke| stroke.characters)
        };
        let one = |character| [Some(character), None];
        let extended = |scan| [Some(0), Some(scan)];
        let rows = [
            ("5", one(b'5')),
            ("A", one(b'A')),
            ("ENTER", one(b'\r')),
            ("F1", extended(b';')),
            ("UP", extended(b'H')),
            ("ALT+N", extended(b'1')),
        ];
        rows.iter().for_each(|(name, expected)| assert_eq!(of(name), Some(*expected), "{name}"));
        let are = |is: fn(&&Stroke) -> bool| strokes.iter().filter(is).map(|stroke| stroke.key.to_string());
        let breaking = ["CTRL+c", "CTRL+SCROLLLOCK", "ALT+KP3", "CTRL+BREAK"];
        assert_eq!(are(|stroke| stroke.breaks).collect::<Vec<_>>(), breaking);
        let pausing = ["CTRL+NUMLOCK", "PAUSE", "SHIFT+PAUSE", "CTRL+PAUSE", "ALT+PAUSE"];
        assert_eq!(are(|stroke| stroke.pauses).collect::<Vec<_>>(), pausing);
        assert!(strokes.len() > 250, "{} keys", strokes.len());
    }

    #[test]
    fn keys_that_pause_the_machine_lead_to_one_state() {
        // again: mov ah, 8; int 21h; jmp again. With a handler of INT 1Ch: mov dx, 100h;
        // mov ax, 251Ch; int 21h before it.
        let reads = b"\xB4\x08\xCD\x21\xEB\xFA";
        let hooks = [b"\xBA\x00\x01\xB8\x1C\x25\xCD\x21", &reads[..]].concat();
        let (strokes, _) = every_stroke().expect("a machine");
        let kept = ReadSet::default();
        for (code, is_alike) in [(reads.to_vec(), true), (hooks, false)] {
            let mut program = ProgramUnderTest::start(&Setup::new(code, "A.COM")).expect("a machine");
            program.make_canonical(&kept);
            let start = program.save();
            assert_eq!(program.machine().pauses_alike(&kept), is_alike);
            let pauses = strokes.iter().filter(|stroke| stroke.pauses);
            let states: BTreeSet<u128> = pauses
                .map(|stroke| {
                    program.restore(&start);
                    program.watch(&kept);
                    program.play(&[Act::Key(stroke.key), END_OF_PAUSE]);
                    program.make_canonical(&kept);
                    program.identity(&kept)
                })
                .collect();
            assert!(states.len() == 1 || !is_alike, "{states:?}");
        }
    }
}
