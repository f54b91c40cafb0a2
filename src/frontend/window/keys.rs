//! Converts window keys to PC keys.
//!
//! minifb names a key by the character of the host's layout; the scan code is that of the same key
//! on a US keyboard. [`KeyboardMapper`](oxbox::machine::KeyboardMapper) handles other layouts.

use minifb::Key as HostKey;
use oxbox::machine::Key;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyEvent {
    /// A key was pressed (or repeats), with the character that it types.
    Down(HostKey, Option<char>),
    /// A key was released.
    Up(HostKey),
    /// A character from a key without a name here.
    Typed(char),
}

use HostKey as K;

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

/// Returns the PC's key; `None` for keys that a PC keyboard lacks.
pub(super) fn pc_key(key: HostKey) -> Option<Key> {
    NAMES.iter().find(|(host, _)| *host == key).and_then(|(_, name)| name.parse().ok())
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
}
