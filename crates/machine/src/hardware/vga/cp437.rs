//! Code page 437, the PC's character set: conversion from and to Unicode.
//!
//! Codes 00h to 1Fh and 7Fh have two meanings: glyphs of the character generator, or control
//! characters in text files and on consoles. Source: the Unicode Consortium's CP437.TXT and IBM's
//! glyph list for the low codes.

use std::sync::LazyLock;

/// The glyph of the character generator for each code; 00h, 20h and FFh are blank.
const GLYPHS: [char; 256] = {
    const ROWS: [&str; 9] = [
        " ☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼",
        " !\"#$%&'()*+,-./0123456789:;<=>?",
        "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`",
        "abcdefghijklmnopqrstuvwxyz{|}~⌂",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ",
        "áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
        "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
        "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■",
        "\u{a0}",
    ];
    let mut glyphs = [' '; 256];
    let (mut row, mut code) = (0, 0);
    while row < ROWS.len() {
        let bytes = ROWS[row].as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            // UTF-8 of one to three bytes, decided by its first byte.
            let (length, first) = match bytes[at] {
                byte @ 0..0x80 => (1, byte),
                byte @ 0x80..0xE0 => (2, byte & 0x1F),
                byte => (3, byte & 0x0F),
            };
            let mut scalar = first as u32;
            let mut i = 1;
            while i < length {
                scalar = scalar << 6 | (bytes[at + i] & 0x3F) as u32;
                i += 1;
            }
            glyphs[code] = match char::from_u32(scalar) {
                Some(glyph) => glyph,
                None => panic!("not UTF-8"),
            };
            at += length;
            code += 1;
        }
        row += 1;
    }
    assert!(code == 256);
    glyphs
};

/// Returns the character generator's glyph: `☺` for 01h, `⌂` for 7Fh, a blank for 00h.
pub fn glyph(code: u8) -> char {
    GLYPHS[usize::from(code)]
}

/// Conversion of the control codes 00h to 1Fh and 7Fh in a guest's bytes to host text. A
/// terminal executes control characters: ESC starts commands that rename its window, answer for the
/// user, or hide text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controls {
    /// Each becomes its glyph.
    Drawn,
    /// Line feeds and tabs stay, carriage returns go, the others become glyphs. For reading.
    Lines,
    /// BEL, backspace, line feed and carriage return stay, the others become glyphs: the codes that
    /// the BIOS's teletype (INT 10h, function 0Eh) executes.
    Teletype,
    /// Like [`Controls::Teletype`], but tabs stay: the codes of a program's standard output that a
    /// terminal may execute.
    Terminal,
    /// All stay. For files, protocols that escape them, and comparisons; never for a terminal.
    Kept,
}

impl Controls {
    /// Converts a byte. `None` if it is left out.
    fn convert(self, byte: u8) -> Option<char> {
        let stays = match self {
            Controls::Drawn => false,
            Controls::Lines if byte == b'\r' => return None,
            Controls::Lines => matches!(byte, b'\t' | b'\n'),
            Controls::Teletype => matches!(byte, 0x07 | 0x08 | b'\n' | b'\r'),
            Controls::Terminal => matches!(byte, 0x07..=b'\n' | b'\r'),
            Controls::Kept => true,
        };
        Some(if stays { to_char(byte) } else { glyph(byte) })
    }
}

/// Converts a guest's bytes to host text.
pub fn text(bytes: &[u8], controls: Controls) -> String {
    bytes.iter().filter_map(|&byte| controls.convert(byte)).collect()
}

/// Returns the character; control codes 00h to 1Fh and 7Fh stay control characters.
fn to_char(code: u8) -> char {
    if code < 0x20 || code == 0x7F { char::from(code) } else { glyph(code) }
}

/// Returns the code of a character that [`text`] returns with [`Controls::Kept`]; `None` if code
/// page 437 does not have it.
pub fn from_text(character: char) -> Option<u8> {
    match character {
        '\0'..='\x7F' => Some(character as u8),
        _ => (0x80..=0xFF).find(|&code| glyph(code) == character),
    }
}

/// The codes from 01h, sorted by their glyphs.
static BY_GLYPH: LazyLock<Vec<(char, u8)>> = LazyLock::new(|| {
    let mut codes: Vec<(char, u8)> = (1..=255).map(|code| (glyph(code), code)).collect();
    codes.sort_unstable();
    codes.dedup_by_key(|(glyph, _)| *glyph);
    codes
});

/// The codes of lines, blocks and shapes, U+2500 to U+25FF; 0 if a character has none.
static OF_SHAPES: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut codes = [0; 256];
    for &(glyph, code) in BY_GLYPH.iter() {
        if let Ok(place) = usize::try_from(u32::from(glyph).wrapping_sub(FIRST_SHAPE))
            && let Some(entry) = codes.get_mut(place)
        {
            *entry = code;
        }
    }
    codes
});
const FIRST_SHAPE: u32 = 0x2500;

/// Returns a character's code: like [`from_text`], or by its glyph or an equivalent one.
pub fn from_char(character: char) -> Option<u8> {
    match character {
        '\0'..='\x7F' => Some(character as u8),
        // Characters with the same glyph that keyboards and texts use.
        'μ' => Some(0xE6),
        'β' => Some(0xE1),
        'Ω' => Some(0xEA),
        '∑' => Some(0xE4),
        'ø' | '∅' => Some(0xED),
        '∈' => Some(0xEE),
        '●' => Some(0x07),
        '\u{2500}'..='\u{25FF}' => {
            let code = OF_SHAPES[(u32::from(character) - FIRST_SHAPE) as usize];
            (code != 0).then_some(code)
        }
        _ => {
            let place = BY_GLYPH.binary_search_by_key(&character, |&(glyph, _)| glyph).ok()?;
            Some(BY_GLYPH[place].1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_the_table() {
        let rows = [
            (0x00, ' '),
            (0x01, '☺'),
            (0x0D, '♪'),
            (0x1F, '▼'),
            (0x20, ' '),
            (0x41, 'A'),
            (0x7E, '~'),
            (0x7F, '⌂'),
            (0x80, 'Ç'),
            (0x9E, '₧'),
            (0xB0, '░'),
            (0xC4, '─'),
            (0xDB, '█'),
            (0xE1, 'ß'),
            (0xF9, '∙'),
            (0xFF, '\u{a0}'),
        ];
        for (code, expected) in rows {
            assert_eq!(glyph(code), expected, "{code:02X}");
        }
        assert_eq!(to_char(0x0D), '\r');
        assert_eq!(from_char('€'), None);
        assert_eq!((from_char('☺'), from_text('☺')), (Some(0x01), None));
        assert_eq!((from_char('β'), from_text('β')), (Some(0xE1), None));
    }

    #[test]
    fn every_code_comes_back() {
        for code in 0..=255 {
            assert_eq!(from_char(to_char(code)), Some(code), "{code:02X} as text");
            assert_eq!(from_text(to_char(code)), Some(code), "{code:02X} as text");
            if code != 0 {
                assert_eq!(from_char(glyph(code)), Some(code), "{code:02X} as a glyph");
            }
        }
    }

    #[test]
    fn the_control_codes_that_stay() {
        let codes: Vec<u8> = (0..=0xFF).collect();
        let table: [(Controls, &[u8]); 5] = [
            (Controls::Drawn, b""),
            (Controls::Lines, b"\t\n"),
            (Controls::Teletype, b"\x07\x08\n\r"),
            (Controls::Terminal, b"\x07\x08\t\n\r"),
            (Controls::Kept, &[&codes[..0x20], &[0x7F]].concat()),
        ];
        for (controls, kept) in table {
            let stay: Vec<u8> =
                text(&codes, controls).chars().filter(|c| c.is_control()).map(|c| c as u8).collect();
            assert_eq!(stay, kept, "{controls:?}");
        }
        assert_eq!(text(b"a\r\n\x1b\x7f\x80", Controls::Lines), "a\n←⌂Ç");
    }
}
