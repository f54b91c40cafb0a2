//! Window keys to PC keys.
//!
//! minifb names a key by the character that the host's layout puts on it; the scan code is that of the same key on a US
//! keyboard. Where a layout types another character than the US key would (a German Shift+7 is '/'), the character wins.

use minifb::Key as HostKey;
use oxbox::machine::Key;

/// A key event of the window, in the order in which it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyEvent {
    /// A key went down (or repeats), and what it types.
    Down(HostKey, Option<char>),
    /// A key went up.
    Up(HostKey),
    /// A character came from a key that has no name here.
    Typed(char),
}

use HostKey as K;

/// Keys, and their names as [`Key`] reads them.
#[rustfmt::skip]
const NAMES: [(HostKey, &str); 100] = [
    (K::Escape, "ESC"), (K::Key1, "1"), (K::Key2, "2"), (K::Key3, "3"), (K::Key4, "4"), (K::Key5, "5"),
    (K::Key6, "6"), (K::Key7, "7"), (K::Key8, "8"), (K::Key9, "9"), (K::Key0, "0"), (K::Minus, "-"),
    (K::Equal, "="), (K::Backspace, "BKSP"), (K::Tab, "TAB"), (K::Q, "q"), (K::W, "w"), (K::E, "e"),
    (K::R, "r"), (K::T, "t"), (K::Y, "y"), (K::U, "u"), (K::I, "i"), (K::O, "o"), (K::P, "p"),
    (K::LeftBracket, "["), (K::RightBracket, "]"), (K::Enter, "ENTER"), (K::LeftCtrl, "LCTRL"), (K::A, "a"),
    (K::S, "s"), (K::D, "d"), (K::F, "f"), (K::G, "g"), (K::H, "h"), (K::J, "j"), (K::K, "k"), (K::L, "l"),
    (K::Semicolon, ";"), (K::Apostrophe, "'"), (K::Backquote, "`"), (K::LeftShift, "LSHIFT"),
    (K::Backslash, "\\"), (K::Z, "z"), (K::X, "x"), (K::C, "c"), (K::V, "v"), (K::B, "b"), (K::N, "n"),
    (K::M, "m"), (K::Comma, ","), (K::Period, "."), (K::Slash, "/"), (K::RightShift, "RSHIFT"),
    (K::NumPadAsterisk, "KP*"), (K::LeftAlt, "LALT"), (K::Space, "SP"), (K::CapsLock, "CAPSLOCK"),
    (K::F1, "F1"), (K::F2, "F2"), (K::F3, "F3"), (K::F4, "F4"), (K::F5, "F5"), (K::F6, "F6"), (K::F7, "F7"),
    (K::F8, "F8"), (K::F9, "F9"), (K::F10, "F10"), (K::NumLock, "NUMLOCK"), (K::ScrollLock, "SCROLLLOCK"),
    (K::NumPad7, "KP7"), (K::NumPad8, "KP8"), (K::NumPad9, "KP9"), (K::NumPadMinus, "KP-"),
    (K::NumPad4, "KP4"), (K::NumPad5, "KP5"), (K::NumPad6, "KP6"), (K::NumPadPlus, "KP+"),
    (K::NumPad1, "KP1"), (K::NumPad2, "KP2"), (K::NumPad3, "KP3"), (K::NumPad0, "KP0"),
    (K::NumPadDot, "KP."), (K::F11, "F11"), (K::F12, "F12"), (K::NumPadEnter, "KPENTER"),
    (K::RightCtrl, "RCTRL"), (K::NumPadSlash, "KP/"), (K::RightAlt, "RALT"), (K::Pause, "PAUSE"),
    (K::Home, "HOME"), (K::Up, "UP"), (K::PageUp, "PGUP"), (K::Left, "LEFT"), (K::Right, "RIGHT"),
    (K::End, "END"), (K::Down, "DOWN"), (K::PageDown, "PGDN"), (K::Insert, "INS"), (K::Delete, "DEL"),
];

/// The PC's key. None for keys that a PC keyboard has not.
pub(super) fn pc_key(key: HostKey) -> Option<Key> {
    NAMES.iter().find(|(host, _)| *host == key).and_then(|(_, name)| name.parse().ok())
}

/// True for the keys that only change what others mean.
pub(super) fn is_modifier(key: HostKey) -> bool {
    matches!(
        key,
        K::LeftShift
            | K::RightShift
            | K::LeftCtrl
            | K::RightCtrl
            | K::LeftAlt
            | K::RightAlt
            | K::LeftSuper
            | K::RightSuper
    )
}

/// The key on a digit of the keypad types a digit with Num Lock on the host; the guest's own Num Lock is off at the start, so
/// the digit is typed on the main block.
pub(super) fn keypad_character(key: HostKey) -> Option<char> {
    Some(match key {
        K::NumPad0 => '0',
        K::NumPad1 => '1',
        K::NumPad2 => '2',
        K::NumPad3 => '3',
        K::NumPad4 => '4',
        K::NumPad5 => '5',
        K::NumPad6 => '6',
        K::NumPad7 => '7',
        K::NumPad8 => '8',
        K::NumPad9 => '9',
        K::NumPadDot => '.',
        _ => return None,
    })
}

/// The stroke that a character needs on a US keyboard, where the key that typed it would give another one there.
pub(super) fn layout_stroke(key: Key, shift: bool, typed: char) -> Option<Key> {
    if typed.is_control() {
        return None;
    }
    let stroke = Key::typing(typed)?;
    // Caps Lock types capitals without Shift: the guest has its own.
    let same_letter = typed.is_ascii_alphabetic() && stroke.scan == key.scan;
    let same = (stroke.scan, stroke.extended, stroke.shift) == (key.scan, key.extended, shift);
    (!same && !same_letter).then_some(stroke)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_send_the_codes_of_a_pc_keyboard() {
        let table = [
            (HostKey::Q, "10"),
            (HostKey::Enter, "1C"),
            (HostKey::NumPadEnter, "E0 1C"),
            (HostKey::Up, "E0 48"),
            (HostKey::NumPad8, "48"),
            (HostKey::RightCtrl, "E0 1D"),
            (HostKey::F12, "58"),
            (HostKey::Pause, "E1 1D 45 E1 9D C5"),
        ];
        for (key, codes) in table {
            let sent: Vec<String> =
                pc_key(key).unwrap().make_codes().iter().map(|c| format!("{c:02X}")).collect();
            assert_eq!(sent.join(" "), codes, "{key:?}");
        }
        assert_eq!(pc_key(HostKey::LeftSuper), None);
    }

    #[test]
    fn every_key_has_a_code_of_its_own() {
        for (index, (host, name)) in NAMES.iter().enumerate() {
            let key = pc_key(*host).expect(name);
            assert!(!key.shift && !key.ctrl && !key.alt, "{host:?}");
            let earlier =
                NAMES[..index].iter().find(|(other, _)| other == host || pc_key(*other) == Some(key));
            assert_eq!(earlier, None, "{host:?}");
        }
    }

    #[test]
    fn other_layouts_type_what_they_show() {
        let table = [
            // key, Shift held, what it typed, the stroke instead
            (HostKey::A, false, 'a', None),
            (HostKey::A, true, 'A', None),
            (HostKey::A, false, 'A', None),
            (HostKey::Key7, true, '&', None),
            (HostKey::Key7, true, '/', Some("/")),
            (HostKey::Minus, false, '-', None),
            (HostKey::Key0, true, '=', Some("=")),
            (HostKey::Enter, false, '\r', None),
            (HostKey::A, false, '\u{1}', None),
            (HostKey::Semicolon, false, 'ö', None),
        ];
        for (key, shift, typed, stroke) in table {
            let expected = stroke.map(|name: &str| name.parse().unwrap());
            assert_eq!(layout_stroke(pc_key(key).unwrap(), shift, typed), expected, "{key:?} {typed:?}");
        }
    }
}
