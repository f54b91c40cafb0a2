//! Keys by name and by character, and their scan codes.

use crate::bios::us_keyboard;
use std::fmt;
use std::str::FromStr;

/// A key of the keyboard, with the shift keys that are held while it is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Scan code of set 1, without the prefix.
    pub scan: u8,
    /// Whether the code has the prefix E0h.
    pub extended: bool,
    /// Whether left Shift is held.
    pub shift: bool,
    /// Whether left Ctrl is held.
    pub ctrl: bool,
    /// Whether left Alt is held.
    pub alt: bool,
}

/// The word is not the name of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown key '{0}' (a single character, SP ENTER ESC TAB BKSP UP DOWN LEFT RIGHT HOME END PGUP PGDN INS DEL F1..F12 PAUSE BREAK, with SHIFT+ CTRL+ ALT+ before it, LSHIFT RSHIFT LCTRL RCTRL LALT RALT CAPSLOCK NUMLOCK SCROLLLOCK, KP0..KP9, SCAN and a scan code in hexadecimal)"
)]
pub struct ParseKeyError(pub String);

/// Names, scan codes, and whether the prefix E0h precedes the code. A key that types a character
/// has that character as its name.
/// Source of the codes: IBM's keyboard scan code set 1.
const NAMES: [(&str, u8, bool); 54] = [
    ("SP", 0x39, false),
    ("ENTER", 0x1C, false),
    ("ESC", 0x01, false),
    ("TAB", 0x0F, false),
    ("BKSP", 0x0E, false),
    ("UP", 0x48, true),
    ("DOWN", 0x50, true),
    ("LEFT", 0x4B, true),
    ("RIGHT", 0x4D, true),
    ("HOME", 0x47, true),
    ("END", 0x4F, true),
    ("PGUP", 0x49, true),
    ("PGDN", 0x51, true),
    ("INS", 0x52, true),
    ("DEL", 0x53, true),
    ("F1", 0x3B, false),
    ("F2", 0x3C, false),
    ("F3", 0x3D, false),
    ("F4", 0x3E, false),
    ("F5", 0x3F, false),
    ("F6", 0x40, false),
    ("F7", 0x41, false),
    ("F8", 0x42, false),
    ("F9", 0x43, false),
    ("F10", 0x44, false),
    ("F11", 0x57, false),
    ("F12", 0x58, false),
    ("LSHIFT", 0x2A, false),
    ("RSHIFT", 0x36, false),
    ("LCTRL", 0x1D, false),
    ("RCTRL", 0x1D, true),
    ("LALT", 0x38, false),
    ("RALT", 0x38, true),
    ("CAPSLOCK", 0x3A, false),
    ("NUMLOCK", 0x45, false),
    ("SCROLLLOCK", 0x46, false),
    ("KP*", 0x37, false),
    ("KP-", 0x4A, false),
    ("KP+", 0x4E, false),
    ("KP7", 0x47, false),
    ("KP8", 0x48, false),
    ("KP9", 0x49, false),
    ("KP4", 0x4B, false),
    ("KP5", 0x4C, false),
    ("KP6", 0x4D, false),
    ("KP1", 0x4F, false),
    ("KP2", 0x50, false),
    ("KP3", 0x51, false),
    ("KP0", 0x52, false),
    ("KP.", 0x53, false),
    ("KPENTER", 0x1C, true),
    ("KP/", 0x35, true),
    ("PAUSE", 0x45, true),
    ("BREAK", 0x46, true),
];

/// The start of the name of a key that has no other. Its scan code follows in hexadecimal, with the
/// prefix if there is one.
const SCAN: &str = "SCAN";
const PREFIX: &str = "E0";

/// The codes that Pause sends when it is pressed; it sends none when it is released. No other key
/// is 45h with a prefix.
const PAUSE_CODES: [u8; 6] = [0xE1, 0x1D, 0x45, 0xE1, 0x9D, 0xC5];

const SHIFT_CODE: u8 = 0x2A;
const CTRL_CODE: u8 = 0x1D;
const ALT_CODE: u8 = 0x38;
const BREAK: u8 = 0x80;

impl Key {
    /// Returns a key by its scan code, without shift keys.
    pub const fn new(scan: u8, extended: bool) -> Key {
        Key { scan, extended, shift: false, ctrl: false, alt: false }
    }

    /// Returns the key that types a character of the US keyboard; control characters with Ctrl.
    pub fn typing(character: char) -> Option<Key> {
        let byte = u8::try_from(character).ok()?;
        let named = match byte {
            b'\r' | b'\n' => Some("ENTER"),
            b'\t' => Some("TAB"),
            0x08 => Some("BKSP"),
            0x1B => Some("ESC"),
            _ => None,
        };
        if let Some(name) = named {
            return named_key(name);
        }
        if (0x01..=0x1A).contains(&byte) {
            return Key::typing(char::from(byte | 0x60)).map(|key| Key { ctrl: true, ..key });
        }
        us_keyboard::typing(byte).map(|(scan, shift)| Key { shift, ..Key::new(scan, false) })
    }

    /// Returns the scan codes sent when the key is pressed, shift keys first.
    pub fn make_codes(self) -> Vec<u8> {
        let mut codes: Vec<u8> = self.shift_keys().collect();
        if self.is_pause() {
            codes.extend(PAUSE_CODES);
        } else {
            self.push_code(&mut codes, 0);
        }
        codes
    }

    /// Returns the scan codes sent when the key is released, shift keys last.
    pub fn break_codes(self) -> Vec<u8> {
        let mut codes = Vec::new();
        if !self.is_pause() {
            self.push_code(&mut codes, BREAK);
        }
        codes.extend(self.shift_keys().map(|code| code | BREAK));
        codes
    }

    /// Whether another key sends the same number of scan codes with the same shift keys.
    pub fn sends_like(self, other: Key) -> bool {
        let sent = |key: Key| (key.shift, key.ctrl, key.alt, key.extended, key.is_pause());
        sent(self) == sent(other)
    }

    fn is_pause(self) -> bool {
        self.extended && self.scan == 0x45
    }

    fn push_code(self, codes: &mut Vec<u8>, release: u8) {
        if self.extended {
            codes.push(0xE0);
        }
        codes.push(self.scan | release);
    }

    fn shift_keys(self) -> impl Iterator<Item = u8> {
        [(self.shift, SHIFT_CODE), (self.ctrl, CTRL_CODE), (self.alt, ALT_CODE)]
            .into_iter()
            .filter_map(|(held, code)| held.then_some(code))
    }
}

fn named_key(name: &str) -> Option<Key> {
    NAMES
        .iter()
        .find(|(known, ..)| known.eq_ignore_ascii_case(name))
        .map(|&(_, scan, extended)| Key::new(scan, extended))
}

/// Returns the key of `SCAN56` or `SCANE05B`.
fn by_scan_code(word: &str) -> Option<Key> {
    let code = word.strip_prefix(SCAN)?;
    let digits = code.strip_prefix(PREFIX).filter(|digits| !digits.is_empty());
    let scan = u8::from_str_radix(digits.unwrap_or(code), 16).ok()?;
    (1..BREAK).contains(&scan).then_some(Key::new(scan, digits.is_some()))
}

/// `F1`, `a`, `A`, `CTRL+C`, `ALT+F4`: a single character is its own name.
impl FromStr for Key {
    type Err = ParseKeyError;

    fn from_str(word: &str) -> Result<Key, ParseKeyError> {
        let unknown = || ParseKeyError(word.to_owned());
        let mut characters = word.chars();
        if let (Some(single), None) = (characters.next(), characters.next()) {
            return Key::typing(single).ok_or_else(unknown);
        }
        if let Some(key) = named_key(word).or_else(|| by_scan_code(word)) {
            return Ok(key);
        }
        let (prefix, rest) = word.split_once('+').ok_or_else(unknown)?;
        let key: Key = rest.parse().map_err(|_| unknown())?;
        match prefix.to_ascii_uppercase().as_str() {
            "SHIFT" => Ok(Key { shift: true, ..key }),
            // With Ctrl or Alt the case of a letter does not matter.
            "CTRL" => {
                Ok(Key { ctrl: true, shift: key.shift && !rest.starts_with(char::is_uppercase), ..key })
            }
            "ALT" => Ok(Key { alt: true, shift: key.shift && !rest.starts_with(char::is_uppercase), ..key }),
            _ => Err(unknown()),
        }
    }
}

/// Formats the name that [`Key::from_str`] parses.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|&&(_, scan, extended)| (scan, extended) == (self.scan, self.extended));
        let typed = (0x21..0x7F_u8).map(char::from).find(|&c| {
            Key::typing(c).is_some_and(|key| {
                (key.scan, key.extended, key.shift) == (self.scan, self.extended, self.shift)
            })
        });
        if self.ctrl {
            f.write_str("CTRL+")?;
        }
        if self.alt {
            f.write_str("ALT+")?;
        }
        if let Some(character) = typed {
            return write!(f, "{character}");
        }
        if self.shift {
            f.write_str("SHIFT+")?;
        }
        match name {
            Some((name, ..)) => f.write_str(name),
            None => write!(f, "{SCAN}{}{:02X}", if self.extended { PREFIX } else { "" }, self.scan),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_send_these_codes() {
        let rows = [
            ("SP", "39 B9"),
            ("5", "06 86"),
            ("a", "1E 9E"),
            ("A", "2A 1E 9E AA"),
            ("!", "2A 02 82 AA"),
            ("+", "2A 0D 8D AA"),
            ("UP", "E0 48 E0 C8"),
            ("up", "E0 48 E0 C8"),
            ("F12", "58 D8"),
            ("CTRL+C", "1D 2E AE 9D"),
            ("CTRL+c", "1D 2E AE 9D"),
            ("ALT+F4", "38 3E BE B8"),
            ("SHIFT+TAB", "2A 0F 8F AA"),
            ("PAUSE", "E1 1D 45 E1 9D C5"),
            ("CTRL++", "2A 1D 0D 8D AA 9D"),
        ];
        for (name, codes) in rows {
            let key: Key = name.parse().expect(name);
            let sent = [key.make_codes(), key.break_codes()].concat();
            let sent: Vec<String> = sent.iter().map(|code| format!("{code:02X}")).collect();
            assert_eq!(sent.join(" "), codes, "{name}");
        }
    }

    #[test]
    fn names_are_read_back() {
        let names =
            "SP 5 a A ! UP F12 CTRL+c ALT+F4 SHIFT+TAB ESC KP- SCAN56 SHIFT+SCAN56 SCANE05B CTRL+BREAK";
        for name in names.split(' ') {
            assert_eq!(name.parse::<Key>().expect(name).to_string(), name);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for name in ["", "FOO", "F13", "CTRL+", "HYPER+x", "é", "☺", "CTRL+FOO", "SCAN", "SCAN00", "SCAN81"]
        {
            assert!(name.parse::<Key>().is_err(), "{name}");
        }
    }
}
