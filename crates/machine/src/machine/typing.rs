//! A host's keyboard becomes the PC's: every layout types what its keys print.
//!
//! A host tells which key went down, by the name of that key on a US keyboard, and what it typed. Where a layout types another
//! character than the US key would (a German Shift+7 is '/'), the character wins.

use super::key::Key;
use super::script::Action;
use crate::hardware::vga::cp437;

impl Key {
    /// The stroke that a character needs on a US keyboard, where this key, with Shift or without, would give another one there.
    ///
    /// ```
    /// use oxbox_machine::machine::Key;
    ///
    /// let seven: Key = "7".parse()?;
    /// assert_eq!(seven.standing_for('/', true), Key::typing('/'));
    /// assert_eq!(seven.standing_for('&', true), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn standing_for(self, typed: char, shift: bool) -> Option<Key> {
        if typed.is_control() {
            return None;
        }
        let stroke = Key::typing(typed)?;
        // Caps Lock types capitals without Shift: the guest has its own.
        let same_letter = typed.is_ascii_alphabetic() && stroke.scan == self.scan;
        let same = (stroke.scan, stroke.extended, stroke.shift) == (self.scan, self.extended, shift);
        (!same && !same_letter).then_some(stroke)
    }

    /// The character that a key of the numeric keypad types with Num Lock. The guest's own Num Lock is off at the start, so a host
    /// with Num Lock types it on the main block.
    pub fn keypad_character(self) -> Option<char> {
        const DIGITS: &str = "789-456+1230.";
        let place = self.scan.checked_sub(0x47).filter(|_| !self.extended)?;
        DIGITS.chars().nth(usize::from(place)).filter(|character| !matches!(character, '-' | '+'))
    }

    /// Shift, Ctrl and Alt: they change what other keys mean.
    pub fn is_modifier(self) -> bool {
        matches!((self.scan, self.extended), (0x2A | 0x36, false) | (0x1D | 0x38, _))
    }

    fn is_shift(self) -> bool {
        !self.extended && matches!(self.scan, 0x2A | 0x36)
    }
}

/// What is held on a host's keyboard, and what it does to the machine's.
#[derive(Debug, Clone, Default)]
pub struct Typist {
    /// What the machine takes to be held. Keys that type a character of the layout's own are not among them.
    down: Vec<Key>,
}

impl Typist {
    /// A key goes down, or repeats; `typed` is what the host's layout makes of it. The answer is what to do to the machine: its own
    /// keyboard repeats what is held.
    ///
    /// ```
    /// use oxbox_machine::machine::{Key, Typist};
    ///
    /// let mut typist = Typist::default();
    /// let key: Key = "y".parse()?;
    /// // On a German keyboard the key where a US one has Y types Z.
    /// let done: Vec<String> = typist.key_down(key, Some('z')).iter().map(ToString::to_string).collect();
    /// assert_eq!(done, ["press z", "release z"]);
    /// assert_eq!(typist.key_up(key), []);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn key_down(&mut self, key: Key, typed: Option<char>) -> Vec<Action> {
        let typed = key.keypad_character().filter(|_| typed.is_some()).or(typed);
        if let Some(stroke) = typed.and_then(|typed| key.standing_for(typed, self.shift_is_down())) {
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

    /// A key goes up.
    pub fn key_up(&mut self, key: Key) -> Vec<Action> {
        let place = self.down.iter().position(|&down| down == key);
        place.map(|place| vec![Action::Release(self.down.remove(place))]).unwrap_or_default()
    }

    /// A character is typed that comes from no key: by the stroke that a US keyboard has for it, else with Alt by its number in code
    /// page 437. What that has not either types nothing.
    pub fn character(&self, character: char) -> Vec<Action> {
        match (Key::typing(character), cp437::from_text(character)) {
            (Some(stroke), _) => self.in_place(stroke),
            (None, Some(code)) => by_number(code),
            (None, None) => Vec::new(),
        }
    }

    /// The host's keyboard is gone: the program must not see a key held for ever.
    pub fn release_all(&mut self) -> Vec<Action> {
        self.down.drain(..).map(Action::Release).collect()
    }

    /// A stroke with the Shift that it needs, whatever is held; what is held is held again afterwards.
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

/// Alt is held while the digits of a number are typed on the keypad: the BIOS makes a character of it.
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
            // key, Shift held, what it typed, what the machine gets
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
            let mut typist = Typist::default();
            if shift {
                typist.key_down(key("LSHIFT"), None);
            }
            let done: Vec<String> =
                typist.key_down(key(name), typed).iter().map(ToString::to_string).collect();
            assert_eq!(done.join(", "), expected, "{name} {typed:?}");
        }
    }

    #[test]
    fn what_went_down_goes_up() {
        let mut typist = Typist::default();
        typist.key_down(key("LSHIFT"), None);
        typist.key_down(key("a"), Some('A'));
        typist.key_down(key("7"), Some('/'));
        assert_eq!(typist.key_up(key("7")), []);
        assert_eq!(typist.key_up(key("x")), []);
        assert_eq!(typist.key_down(key("a"), Some('A')), [], "it repeats");
        assert_eq!(typist.key_up(key("a")), [Action::Release(key("a"))]);
        assert_eq!(typist.release_all(), [Action::Release(key("LSHIFT"))]);
        assert_eq!(typist.release_all(), []);
        // A key that came to mean another character while it was held.
        typist.key_down(key("7"), Some('7'));
        typist.key_down(key("LSHIFT"), None);
        typist.key_down(key("7"), Some('/'));
        assert_eq!(typist.key_up(key("7")), [Action::Release(key("7"))]);
    }
}
