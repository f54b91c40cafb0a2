//! What a test expects of memory: a place, by symbol or address, and bytes.
//!
//! ```text
//! place   total   total+2   1234:0010      public names of the program; segment and offset in hexadecimal
//! value   1234h   34h 12h   4660   dword 7   word -3   'text'
//! ```
//! A hexadecimal number has as many bytes as its digits say (a zero before a letter is no digit of it), a decimal one a byte, a
//! word or a dword, whichever holds it; low byte first. Several values stand for bytes in a row.

use super::bytes;
use crate::inspect::segment_and_offset;

/// Where a test looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryPlace {
    /// Segment and offset.
    Address(u16, u16),
    /// A public name of the program, and bytes behind it.
    Symbol(String, u16),
}

/// A place in memory and the bytes that are expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryCheck {
    /// The place as it was written.
    pub name: String,
    /// The place.
    pub place: MemoryPlace,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl MemoryCheck {
    /// Reads a place and a value.
    ///
    /// # Errors
    /// What is wrong with either, as a line.
    pub fn parse(place: &str, value: &str) -> Result<MemoryCheck, String> {
        let bytes = parse_value(value)?;
        Ok(MemoryCheck { name: place.to_owned(), place: parse_place(place)?, bytes })
    }
}

fn parse_place(text: &str) -> Result<MemoryPlace, String> {
    if text.contains(':') {
        let advice =
            || format!("{text:?} is no address: segment and offset are hexadecimal, as in 1234:0010");
        let (segment, offset) = segment_and_offset(text).ok_or_else(advice)?;
        return Ok(MemoryPlace::Address(segment, offset));
    }
    let (name, behind) = text.split_once('+').unwrap_or((text, "0"));
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || "_@?$".contains(c));
    if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || "_@?$".contains(c)) {
        return Err(format!("{text:?} is neither a symbol nor SEG:OFF"));
    }
    let behind = number(behind).and_then(|(value, _)| u16::try_from(value).ok());
    match behind {
        Some(behind) => Ok(MemoryPlace::Symbol(name.to_owned(), behind)),
        None => Err(format!("{text:?}: behind the + stands a number of bytes")),
    }
}

fn parse_value(text: &str) -> Result<Vec<u8>, String> {
    let wrong = || {
        format!("{text:?} is no value: 1234h, 34h 12h, 4660, a number behind byte, word or dword, or 'text'")
    };
    let mut out = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('\'') {
            let (inner, behind) = quoted.split_once('\'').ok_or_else(wrong)?;
            out.extend(bytes::from_text(inner).map_err(|_| wrong())?);
            rest = behind.trim_start();
            continue;
        }
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = behind.trim_start();
        let forced = [("byte", 1), ("word", 2), ("dword", 4)];
        let forced = forced.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
        let (value, width) = match forced {
            None => number(word).ok_or_else(wrong)?,
            Some(&(_, width)) => {
                let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                rest = behind.trim_start();
                (number(word).ok_or_else(wrong)?.0, width)
            }
        };
        let room = 1i64 << (8 * width);
        if value >= room || value < -(room / 2) {
            return Err(format!("{text:?}: {value} does not fit into {width} bytes"));
        }
        out.extend(&value.to_le_bytes()[..width]);
    }
    if out.is_empty() { Err(wrong()) } else { Ok(out) }
}

/// A number as MASM writes it, and its bytes.
fn number(word: &str) -> Option<(i64, usize)> {
    if let Some(digits) = word.strip_suffix(['h', 'H']) {
        let value = u32::from_str_radix(digits, 16).ok()?;
        digits.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
        let own = match digits.strip_prefix('0') {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_alphabetic()) => rest,
            _ => digits,
        };
        let width = match own.len() {
            0..=2 => 1,
            3..=4 => 2,
            _ => 4,
        };
        return Some((value.into(), width));
    }
    let value: i64 = word.parse().ok()?;
    let width = match value {
        -0x80..=0xFF => 1,
        -0x8000..=0xFFFF => 2,
        _ => 4,
    };
    (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&value).then_some((value, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let rows = [
            ("1234h", "34 12"),
            ("0FFh", "FF"),
            ("00FFh", "FF 00"),
            ("12345678h", "78 56 34 12"),
            ("5", "05"),
            ("4660", "34 12"),
            ("word 5", "05 00"),
            ("dword 5", "05 00 00 00"),
            ("word -3", "FD FF"),
            ("byte 0FFh", "FF"),
            ("34h 12h", "34 12"),
            ("'AB' 0", "41 42 00"),
            ("'a b'", "61 20 62"),
        ];
        for (text, expected) in rows {
            let found: Vec<String> =
                parse_value(text).expect(text).iter().map(|byte| format!("{byte:02X}")).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
        for text in ["", "x", "FFh", "12g", "byte 256", "word", "'open", "byte -129", "99999999999"] {
            assert!(parse_value(text).is_err(), "{text}");
        }
    }

    #[test]
    fn places() {
        let symbol = |name: &str, behind| MemoryPlace::Symbol(name.to_owned(), behind);
        let rows = [
            ("total", symbol("total", 0)),
            ("_buf@4+10h", symbol("_buf@4", 16)),
            ("40:1A", MemoryPlace::Address(0x40, 0x1A)),
            ("B800h:0", MemoryPlace::Address(0xB800, 0)),
        ];
        for (text, expected) in rows {
            assert_eq!(parse_place(text), Ok(expected), "{text}");
        }
        for text in ["", "2x", "a b", "40:", "1:2:3", "x:0", "total+", "total+70000"] {
            assert!(parse_place(text).is_err(), "{text}");
        }
    }
}
