//! Code page 437 for file names and messages, with DOS's table of capital letters.
//!
//! Source: the capitals are those of INT 21/AX=6502h for country 1.

pub(crate) use crate::hardware::vga::cp437::{Controls, from_text as from_char, text};

/// Capitals of the bytes 80h to A5h; higher ones have none.
const CAPITALS: [u8; 0x26] = [
    0x80, 0x9A, 0x45, 0x41, 0x8E, 0x41, 0x8F, 0x80, 0x45, 0x45, 0x45, 0x49, 0x49, 0x49, 0x8E, 0x8F, 0x90,
    0x92, 0x92, 0x4F, 0x99, 0x4F, 0x55, 0x55, 0x59, 0x99, 0x9A, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F, 0x41, 0x49,
    0x4F, 0x55, 0xA5, 0xA5,
];

/// Returns the capital of a character, as DOS compares file names.
pub(crate) fn upper(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - 0x20,
        0x80..=0xA5 => CAPITALS[usize::from(byte - 0x80)],
        _ => byte,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals() {
        for (small, capital) in
            [('a', 'A'), ('z', 'Z'), ('é', 'E'), ('ä', 'Ä'), ('ñ', 'Ñ'), ('1', '1'), ('½', '½')]
        {
            let small = from_char(small).unwrap();
            assert_eq!(text(&[upper(small)], Controls::Kept), capital.to_string());
        }
    }
}
