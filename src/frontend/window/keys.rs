//! Window keys to PC keys.
//!
//! minifb names a key by the character that the host's layout puts on it; the scan code is that of the same key on a US
//! keyboard. Where a layout types another character than the US key would (a German Shift+7 is '/'), the character wins.
//! Source of the codes: IBM's keyboard scan code set 1.

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

/// Keys, scan codes, and whether the prefix E0h goes before.
#[rustfmt::skip]
const CODES: [(HostKey, u8, bool); 100] = [
    (K::Escape, 0x01, false), (K::Key1, 0x02, false), (K::Key2, 0x03, false), (K::Key3, 0x04, false),
    (K::Key4, 0x05, false), (K::Key5, 0x06, false), (K::Key6, 0x07, false), (K::Key7, 0x08, false),
    (K::Key8, 0x09, false), (K::Key9, 0x0A, false), (K::Key0, 0x0B, false), (K::Minus, 0x0C, false),
    (K::Equal, 0x0D, false), (K::Backspace, 0x0E, false), (K::Tab, 0x0F, false), (K::Q, 0x10, false),
    (K::W, 0x11, false), (K::E, 0x12, false), (K::R, 0x13, false), (K::T, 0x14, false), (K::Y, 0x15, false),
    (K::U, 0x16, false), (K::I, 0x17, false), (K::O, 0x18, false), (K::P, 0x19, false),
    (K::LeftBracket, 0x1A, false), (K::RightBracket, 0x1B, false), (K::Enter, 0x1C, false),
    (K::LeftCtrl, 0x1D, false), (K::A, 0x1E, false), (K::S, 0x1F, false), (K::D, 0x20, false),
    (K::F, 0x21, false), (K::G, 0x22, false), (K::H, 0x23, false), (K::J, 0x24, false), (K::K, 0x25, false),
    (K::L, 0x26, false), (K::Semicolon, 0x27, false), (K::Apostrophe, 0x28, false),
    (K::Backquote, 0x29, false), (K::LeftShift, 0x2A, false), (K::Backslash, 0x2B, false),
    (K::Z, 0x2C, false), (K::X, 0x2D, false), (K::C, 0x2E, false), (K::V, 0x2F, false), (K::B, 0x30, false),
    (K::N, 0x31, false), (K::M, 0x32, false), (K::Comma, 0x33, false), (K::Period, 0x34, false),
    (K::Slash, 0x35, false), (K::RightShift, 0x36, false), (K::NumPadAsterisk, 0x37, false),
    (K::LeftAlt, 0x38, false), (K::Space, 0x39, false), (K::CapsLock, 0x3A, false), (K::F1, 0x3B, false),
    (K::F2, 0x3C, false), (K::F3, 0x3D, false), (K::F4, 0x3E, false), (K::F5, 0x3F, false),
    (K::F6, 0x40, false), (K::F7, 0x41, false), (K::F8, 0x42, false), (K::F9, 0x43, false),
    (K::F10, 0x44, false), (K::NumLock, 0x45, false), (K::ScrollLock, 0x46, false),
    (K::NumPad7, 0x47, false), (K::NumPad8, 0x48, false), (K::NumPad9, 0x49, false),
    (K::NumPadMinus, 0x4A, false), (K::NumPad4, 0x4B, false), (K::NumPad5, 0x4C, false),
    (K::NumPad6, 0x4D, false), (K::NumPadPlus, 0x4E, false), (K::NumPad1, 0x4F, false),
    (K::NumPad2, 0x50, false), (K::NumPad3, 0x51, false), (K::NumPad0, 0x52, false),
    (K::NumPadDot, 0x53, false), (K::F11, 0x57, false), (K::F12, 0x58, false), (K::NumPadEnter, 0x1C, true),
    (K::RightCtrl, 0x1D, true), (K::NumPadSlash, 0x35, true), (K::RightAlt, 0x38, true),
    (K::Pause, 0x45, true), (K::Home, 0x47, true), (K::Up, 0x48, true), (K::PageUp, 0x49, true),
    (K::Left, 0x4B, true), (K::Right, 0x4D, true), (K::End, 0x4F, true), (K::Down, 0x50, true),
    (K::PageDown, 0x51, true), (K::Insert, 0x52, true), (K::Delete, 0x53, true),
];

/// The PC's key. None for keys that a PC keyboard has not.
pub(super) fn pc_key(key: HostKey) -> Option<Key> {
    CODES.iter().find(|(host, ..)| *host == key).map(|&(_, scan, extended)| Key::new(scan, extended))
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
    fn no_two_keys_share_a_code() {
        for (index, (host, scan, extended)) in CODES.iter().enumerate() {
            let earlier = CODES[..index].iter().find(|(h, s, e)| h == host || (s, e) == (scan, extended));
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
