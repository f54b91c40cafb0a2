//! The US keyboard: the word (scan code above character) that the BIOS returns for a key with and
//! without shift keys.
//!
//! Figures from Ralf Brown's interrupt list (INT 16h, table 00006, "enhanced" columns). Pure functions.

/// The active shift and lock keys.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs)]
pub(crate) struct Shift {
    pub shift: bool,
    pub ctrl: bool,
    pub alt: bool,
    pub caps_lock: bool,
    pub num_lock: bool,
}

/// Scan code, then the words without a shift key, with Shift, with Ctrl and with Alt; 0 if the BIOS
/// returns nothing.
type Row = (u8, u16, u16, u16, u16);

#[rustfmt::skip]
const PLAIN: &[Row] = &[
    (0x01, 0x011B, 0x011B, 0x011B, 0x0100), // Esc
    (0x02, 0x0231, 0x0221, 0x0000, 0x7800), // 1 !
    (0x03, 0x0332, 0x0340, 0x0300, 0x7900), // 2 @
    (0x04, 0x0433, 0x0423, 0x0000, 0x7A00), // 3 #
    (0x05, 0x0534, 0x0524, 0x0000, 0x7B00), // 4 $
    (0x06, 0x0635, 0x0625, 0x0000, 0x7C00), // 5 %
    (0x07, 0x0736, 0x075E, 0x071E, 0x7D00), // 6 ^
    (0x08, 0x0837, 0x0826, 0x0000, 0x7E00), // 7 &
    (0x09, 0x0938, 0x092A, 0x0000, 0x7F00), // 8 *
    (0x0A, 0x0A39, 0x0A28, 0x0000, 0x8000), // 9 (
    (0x0B, 0x0B30, 0x0B29, 0x0000, 0x8100), // 0 )
    (0x0C, 0x0C2D, 0x0C5F, 0x0C1F, 0x8200), // - _
    (0x0D, 0x0D3D, 0x0D2B, 0x0000, 0x8300), // = +
    (0x0E, 0x0E08, 0x0E08, 0x0E7F, 0x0EF0), // Backspace
    (0x0F, 0x0F09, 0x0F00, 0x9400, 0xA500), // Tab
    (0x1A, 0x1A5B, 0x1A7B, 0x1A1B, 0x1AF0), // [ {
    (0x1B, 0x1B5D, 0x1B7D, 0x1B1D, 0x1BF0), // ] }
    (0x1C, 0x1C0D, 0x1C0D, 0x1C0A, 0x1CF0), // Enter
    (0x27, 0x273B, 0x273A, 0x0000, 0x27F0), // ; :
    (0x28, 0x2827, 0x2822, 0x0000, 0x28F0), // ' "
    (0x29, 0x2960, 0x297E, 0x0000, 0x29F0), // ` ~
    (0x2B, 0x2B5C, 0x2B7C, 0x2B1C, 0x2BF0), // \ |
    (0x33, 0x332C, 0x333C, 0x0000, 0x33F0), // , <
    (0x34, 0x342E, 0x343E, 0x0000, 0x34F0), // . >
    (0x35, 0x352F, 0x353F, 0x0000, 0x35F0), // / ?
    (0x37, 0x372A, 0x372A, 0x9600, 0x37F0), // keypad *
    (0x39, 0x3920, 0x3920, 0x3920, 0x3920), // Space
    (0x4A, 0x4A2D, 0x4A2D, 0x8E00, 0x4AF0), // keypad -
    (0x4E, 0x4E2B, 0x4E2B, 0x9000, 0x4EF0), // keypad +
    (0x56, 0x565C, 0x567C, 0x0000, 0x0000), // the 102nd key
    (0x57, 0x8500, 0x8700, 0x8900, 0x8B00), // F11
    (0x58, 0x8600, 0x8800, 0x8A00, 0x8C00), // F12
];

/// Keypad keys that NumLock and Shift turn into digits: without a shift key, as a digit, with Ctrl,
/// with Alt.
#[rustfmt::skip]
const KEYPAD: &[Row] = &[
    (0x47, 0x4700, 0x4737, 0x7700, 0x0000), // Home 7
    (0x48, 0x4800, 0x4838, 0x8D00, 0x0000), // Up 8
    (0x49, 0x4900, 0x4939, 0x8400, 0x0000), // PgUp 9
    (0x4B, 0x4B00, 0x4B34, 0x7300, 0x0000), // Left 4
    (0x4C, 0x4CF0, 0x4C35, 0x8F00, 0x0000), // 5
    (0x4D, 0x4D00, 0x4D36, 0x7400, 0x0000), // Right 6
    (0x4F, 0x4F00, 0x4F31, 0x7500, 0x0000), // End 1
    (0x50, 0x5000, 0x5032, 0x9100, 0x0000), // Down 2
    (0x51, 0x5100, 0x5133, 0x7600, 0x0000), // PgDn 3
    (0x52, 0x5200, 0x5230, 0x9200, 0x0000), // Ins 0
    (0x53, 0x5300, 0x532E, 0x9300, 0x0000), // Del .
];

/// Grey keys, whose scan code has the prefix E0h.
#[rustfmt::skip]
const GREY: &[Row] = &[
    (0x1C, 0xE00D, 0xE00D, 0xE00A, 0xA600), // Enter
    (0x35, 0xE02F, 0xE02F, 0x9500, 0xA400), // /
    (0x37, 0x0000, 0x0000, 0x7200, 0x0000), // PrtSc
    (0x47, 0x47E0, 0x47E0, 0x77E0, 0x9700), // Home
    (0x48, 0x48E0, 0x48E0, 0x8DE0, 0x9800), // Up
    (0x49, 0x49E0, 0x49E0, 0x84E0, 0x9900), // PgUp
    (0x4B, 0x4BE0, 0x4BE0, 0x73E0, 0x9B00), // Left
    (0x4D, 0x4DE0, 0x4DE0, 0x74E0, 0x9D00), // Right
    (0x4F, 0x4FE0, 0x4FE0, 0x75E0, 0x9F00), // End
    (0x50, 0x50E0, 0x50E0, 0x91E0, 0xA000), // Down
    (0x51, 0x51E0, 0x51E0, 0x76E0, 0xA100), // PgDn
    (0x52, 0x52E0, 0x52E0, 0x92E0, 0xA200), // Ins
    (0x53, 0x53E0, 0x53E0, 0x93E0, 0xA300), // Del
];

/// The letters, by scan code.
const LETTERS: [(u8, &[u8]); 3] = [(0x10, b"qwertyuiop"), (0x1E, b"asdfghjkl"), (0x2C, b"zxcvbnm")];

/// Returns the word for a pressed key; `None` if the BIOS returns nothing.
pub(crate) fn key(scan: u8, extended: bool, on: Shift) -> Option<u16> {
    if !extended {
        if let Some(letter) = letter(scan) {
            return Some(letter_key(scan, letter, on));
        }
        if (0x3B..=0x44).contains(&scan) {
            return Some(function_key(scan, on));
        }
    }
    let find = |rows: &[Row]| rows.iter().find(|row| row.0 == scan).copied();
    let (_, alone, shifted, ctrl, alt) =
        if extended { find(GREY)? } else { find(PLAIN).or_else(|| find(KEYPAD))? };
    let digit = !extended && on.num_lock && find(KEYPAD).is_some();
    let word = match on {
        Shift { alt: true, .. } => alt,
        Shift { ctrl: true, .. } => ctrl,
        Shift { shift, .. } if shift != digit => shifted,
        _ => alone,
    };
    (word != 0).then_some(word)
}

/// Returns the digit of a keypad key while Alt is held.
pub(crate) fn keypad_digit(scan: u8) -> Option<u8> {
    let (_, _, digit, ..) = KEYPAD.iter().find(|row| row.0 == scan)?;
    (*digit as u8 as char).to_digit(10).map(|digit| digit as u8)
}

/// Returns the key that types a character: its scan code, and whether Shift is needed.
pub(crate) fn typing(character: u8) -> Option<(u8, bool)> {
    for (first, letters) in LETTERS {
        if let Some(i) = letters.iter().position(|&l| l == character.to_ascii_lowercase()) {
            return Some((first + i as u8, character.is_ascii_uppercase()));
        }
    }
    let main = PLAIN.iter().filter(|row| !matches!(row.0, 0x37 | 0x4A | 0x4E | 0x56));
    for &(scan, alone, shifted, ..) in main {
        if alone & 0xFF == u16::from(character) && character != 0 {
            return Some((scan, false));
        }
        if shifted & 0xFF == u16::from(character) && character != 0 {
            return Some((scan, true));
        }
    }
    None
}

fn letter(scan: u8) -> Option<u8> {
    LETTERS.iter().find_map(|(first, letters)| letters.get(usize::from(scan.checked_sub(*first)?)).copied())
}

fn letter_key(scan: u8, letter: u8, on: Shift) -> u16 {
    let character = match on {
        Shift { alt: true, .. } => 0,
        Shift { ctrl: true, .. } => letter & 0x1F,
        Shift { shift, caps_lock, .. } if shift != caps_lock => letter.to_ascii_uppercase(),
        _ => letter,
    };
    u16::from(scan) << 8 | u16::from(character)
}

fn function_key(scan: u8, on: Shift) -> u16 {
    let first = match on {
        Shift { alt: true, .. } => 0x68,
        Shift { ctrl: true, .. } => 0x5E,
        Shift { shift: true, .. } => 0x54,
        _ => 0x3B,
    };
    u16::from(first + (scan - 0x3B)) << 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shift(names: &str) -> Shift {
        Shift {
            shift: names.contains("shift"),
            ctrl: names.contains("ctrl"),
            alt: names.contains("alt"),
            caps_lock: names.contains("caps"),
            num_lock: names.contains("num"),
        }
    }

    #[test]
    fn keys_give_the_words_of_the_interrupt_list() {
        let rows: &[(u8, bool, &str, Option<u16>)] = &[
            (0x1E, false, "", Some(0x1E61)),
            (0x1E, false, "shift", Some(0x1E41)),
            (0x1E, false, "caps", Some(0x1E41)),
            (0x1E, false, "caps shift", Some(0x1E61)),
            (0x2E, false, "ctrl", Some(0x2E03)),
            (0x1E, false, "alt", Some(0x1E00)),
            (0x02, false, "caps", Some(0x0231)),
            (0x02, false, "ctrl", None),
            (0x3B, false, "", Some(0x3B00)),
            (0x44, false, "shift", Some(0x5D00)),
            (0x44, false, "alt", Some(0x7100)),
            (0x48, false, "", Some(0x4800)),
            (0x48, false, "num", Some(0x4838)),
            (0x48, false, "num shift", Some(0x4800)),
            (0x48, true, "num", Some(0x48E0)),
            (0x4E, false, "num", Some(0x4E2B)),
            (0x57, false, "", Some(0x8500)),
            (0x1C, true, "", Some(0xE00D)),
            (0x7F, false, "", None),
        ];
        for &(scan, extended, on, expected) in rows {
            assert_eq!(key(scan, extended, shift(on)), expected, "{scan:02X} {extended} {on}");
        }
    }

    #[test]
    fn every_printable_character_can_be_typed() {
        for character in 0x20..0x7F {
            let (scan, shifted) = typing(character).expect("a key");
            let on = Shift { shift: shifted, ..Shift::default() };
            assert_eq!(key(scan, false, on).map(|word| word as u8), Some(character));
        }
    }
}
