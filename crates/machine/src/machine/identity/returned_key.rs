//! The results of services that read a key.

use crate::bios::keyboard;
use std::ops::RangeInclusive;

/// The scan codes of the keyboard with 83 keys, with and without shift keys, and of a number that was
/// typed on the keypad with Alt; each service knows them.
const OLD_SCANS: RangeInclusive<u8> = 0x00..=0x84;
/// The character of a key that only the enhanced services know.
const ENHANCED_ONLY: u8 = 0xF0;
/// The code of Ctrl-Break, which also calls INT 1Bh.
const BREAK: u16 = 0;
/// The scan code of the Insert key.
const INSERT: u8 = 0x52;

/// Whether a key may be Insert, with or without shift keys.
pub(super) fn is_insert(code: u16) -> bool {
    code.to_le_bytes()[1] == INSERT
}

/// The result of a service for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Returned {
    /// AX, and the byte that DOS keeps for the next read.
    Key(u16, Option<u8>),
    /// DOS calls INT 23h.
    Break,
}

/// Returns the result of a service for a key; `None` for a key that has another effect.
pub(super) fn returned(vector: u8, ah: u8, code: u16) -> Option<Returned> {
    let [character, scan] = code.to_le_bytes();
    if code == BREAK {
        return None;
    }
    if vector == 0x16 {
        let is_known = ah == 0x10 || OLD_SCANS.contains(&scan) && character != ENHANCED_ONLY;
        return is_known.then(|| Returned::Key(keyboard::keystroke(ah, code), None));
    }
    match (character, scan) {
        (0x03, _) if ah != 0x07 => Some(Returned::Break),
        // The echo of a control character has an effect of its own.
        (0x00..=0x1F | 0x7F.., _) if ah == 0x01 => None,
        // The echo to the printer, a pause of the output.
        (0, 0x72) | (0x10 | 0x13, _) => None,
        (0x00 | 0xE0 | 0xF0, 1..) => Some(Returned::Key(0, Some(scan))),
        _ => Some(Returned::Key(u16::from(character), None)),
    }
}
