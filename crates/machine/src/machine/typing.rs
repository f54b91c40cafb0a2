//! Converts a host's keyboard to the PC's, so that with every layout the keys type the characters printed
//! on them.
//!
//! A host reports which key was pressed, by that key's name on a US keyboard, and the character
//! typed. If a layout types another character than the US key would (on a German keyboard Shift+7
//! is '/'), the character is used.

use super::key::Key;
use super::script::Action;
use crate::hardware::vga::cp437;

impl Key {
    /// Returns the keystroke that types a character on a US keyboard, if this key, with or without
    /// Shift, would type another one there.
    ///
    /// ```
    /// use oxbox_machine::machine::Key;
    ///
    /// let seven: Key = "7".parse()?;
    /// assert_eq!(seven.layout_override('/', true), Key::typing('/'));
    /// assert_eq!(seven.layout_override('&', true), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn layout_override(self, typed: char, shift: bool) -> Option<Key> {
        if typed.is_control() {
            return None;
        }
        let stroke = Key::typing(typed)?;
        // Caps Lock types capitals without Shift: the guest has its own Caps Lock.
        let same_letter = typed.is_ascii_alphabetic() && stroke.scan == self.scan;
        let same = (stroke.scan, stroke.extended, stroke.shift) == (self.scan, self.extended, shift);
        (!same && !same_letter).then_some(stroke)
    }

    /// Returns the character that a key of the numeric keypad types with Num Lock. The guest's own
    /// Num Lock is off at the start, so a host with Num Lock types it with the main keys.
    pub fn keypad_character(self) -> Option<char> {
        const DIGITS: &str = "789-456+1230.";
        let place = self.scan.checked_sub(0x47).filter(|_| !self.extended)?;
        DIGITS.chars().nth(usize::from(place)).filter(|character| !matches!(character, '-' | '+'))
    }

    /// Whether it is Shift, Ctrl or Alt: they change the meaning of other keys.
    pub fn is_modifier(self) -> bool {
        matches!((self.scan, self.extended), (0x2A | 0x36, false) | (0x1D | 0x38, _))
    }

    fn is_shift(self) -> bool {
        !self.extended && matches!(self.scan, 0x2A | 0x36)
    }
}

/// The keys held on a host's keyboard, and the resulting actions for the machine's keyboard.
#[derive(Debug, Clone, Default)]
pub struct KeyboardMapper {
    /// The keys pressed for the machine, without those that type a character of the host's layout.
    down: Vec<Key>,
}

impl KeyboardMapper {
    /// Handles a key that is pressed, or repeats. `typed` is the character in the host's layout.
    /// Returns the actions for the machine, whose own keyboard repeats a held key.
    ///
    /// ```
    /// use oxbox_machine::machine::{Key, KeyboardMapper};
    ///
    /// let mut keyboard = KeyboardMapper::default();
    /// let key: Key = "y".parse()?;
    /// // On a German keyboard the key where a US one has Y types Z.
    /// let done: Vec<String> = keyboard.key_down(key, Some('z')).iter().map(ToString::to_string).collect();
    /// assert_eq!(done, ["press z", "release z"]);
    /// assert_eq!(keyboard.key_up(key), []);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn key_down(&mut self, key: Key, typed: Option<char>) -> Vec<Action> {
        let typed = key.keypad_character().filter(|_| typed.is_some()).or(typed);
        if let Some(stroke) = typed.and_then(|typed| key.layout_override(typed, self.shift_is_down())) {
            return self.in_place(stroke);
        }
        if let Some(character) = typed.filter(|character| !character.is_ascii()) {
            return self.character(character);
        }
        if self.down.contains(&key) {
            return Vec::new();
        }
        self.down.push(key);
        vec![Action::Press(key)]
    }

    /// Handles a key that is released.
    pub fn key_up(&mut self, key: Key) -> Vec<Action> {
        let place = self.down.iter().position(|&down| down == key);
        place.map(|place| vec![Action::Release(self.down.remove(place))]).unwrap_or_default()
    }

    /// Types a character that does not come from a key: with its keystroke on a US keyboard, else
    /// with Alt and its number in code page 437. A character that has neither types nothing.
    pub fn character(&self, character: char) -> Vec<Action> {
        match (Key::typing(character), cp437::from_text(character)) {
            (Some(stroke), _) => self.in_place(stroke),
            (None, Some(code)) => by_number(code),
            (None, None) => Vec::new(),
        }
    }

    /// The host's keyboard has lost the focus: releases all keys, so that none is held indefinitely.
    pub fn release_all(&mut self) -> Vec<Action> {
        self.down.drain(..).map(Action::Release).collect()
    }

    /// Returns a keystroke with the Shift that it needs; held keys are pressed again afterwards.
    fn in_place(&self, stroke: Key) -> Vec<Action> {
        let held: Vec<Key> = self.down.iter().copied().filter(|key| key.is_shift()).collect();
        let lifted: &[Key] = if stroke.shift { &[] } else { &held };
        let stroke = Key { shift: stroke.shift && held.is_empty(), ..stroke };
        let mut actions: Vec<Action> = lifted.iter().copied().map(Action::Release).collect();
        actions.extend([Action::Press(stroke), Action::Release(stroke)]);
        actions.extend(lifted.iter().copied().map(Action::Press));
        actions
    }

    fn shift_is_down(&self) -> bool {
        self.down.iter().any(|key| key.is_shift())
    }
}

/// Returns the digits of a number typed on the keypad while Alt is held: the BIOS converts them to
/// a character.
fn by_number(code: u8) -> Vec<Action> {
    let named = |name: &str| name.parse::<Key>().ok();
    let Some(alt) = named("LALT") else { return Vec::new() };
    let digits: Vec<Key> =
        code.to_string().chars().filter_map(|digit| named(&format!("KP{digit}"))).collect();
    let strokes = digits.into_iter().flat_map(|digit| [Action::Press(digit), Action::Release(digit)]);
    [Action::Press(alt)].into_iter().chain(strokes).chain([Action::Release(alt)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        name.parse().expect(name)
    }

    #[test]
    fn other_layouts_type_what_they_show() {
        let table = [
            // Key, Shift held, the character typed, the actions for the machine.
            ("a", false, Some('a'), "press a"),
            ("a", true, Some('A'), "press a"),
            ("a", false, Some('A'), "press a"),
            ("7", true, Some('&'), "press 7"),
            ("7", true, Some('/'), "release LSHIFT, press /, release /, press LSHIFT"),
            ("2", true, Some('"'), "press \', release \'"),
            ("0", true, Some('='), "release LSHIFT, press =, release =, press LSHIFT"),
            ("7", false, Some('&'), "press &, release &"),
            ("ENTER", false, None, "press ENTER"),
            ("KP7", false, Some('7'), "press 7, release 7"),
            ("KP7", false, None, "press KP7"),
            (
                ";",
                false,
                Some('ö'),
                "press LALT, press KP1, release KP1, press KP4, release KP4, press KP8, release KP8, release LALT",
            ),
            (";", false, Some('漢'), ""),
        ];
        for (name, shift, typed, expected) in table {
            let mut keyboard = KeyboardMapper::default();
            if shift {
                keyboard.key_down(key("LSHIFT"), None);
            }
            let done: Vec<String> =
                keyboard.key_down(key(name), typed).iter().map(ToString::to_string).collect();
            assert_eq!(done.join(", "), expected, "{name} {typed:?}");
        }
    }

    #[test]
    fn what_went_down_goes_up() {
        let mut keyboard = KeyboardMapper::default();
        keyboard.key_down(key("LSHIFT"), None);
        keyboard.key_down(key("a"), Some('A'));
        keyboard.key_down(key("7"), Some('/'));
        assert_eq!(keyboard.key_up(key("7")), []);
        assert_eq!(keyboard.key_up(key("x")), []);
        assert_eq!(keyboard.key_down(key("a"), Some('A')), [], "it repeats");
        assert_eq!(keyboard.key_up(key("a")), [Action::Release(key("a"))]);
        assert_eq!(keyboard.release_all(), [Action::Release(key("LSHIFT"))]);
        assert_eq!(keyboard.release_all(), []);
        // A key whose meaning changed while it was held.
        keyboard.key_down(key("7"), Some('7'));
        keyboard.key_down(key("LSHIFT"), None);
        keyboard.key_down(key("7"), Some('/'));
        assert_eq!(keyboard.key_up(key("7")), [Action::Release(key("7"))]);
    }
}
