//! Conversion between the text of a suite and bytes of the guest: code page 437, line endings,
//! display.

use oxbox_machine::hardware::vga::cp437::{self, Controls};

/// Converts a text to guest bytes. The error is a character that is not in code page 437.
pub(super) fn from_text(text: &str) -> Result<Vec<u8>, char> {
    text.chars().map(|character| cp437::from_char(character).ok_or(character)).collect()
}

/// Converts guest bytes to text. Control characters keep their codes.
pub(super) fn to_text(bytes: &[u8]) -> String {
    cp437::text(bytes, Controls::Kept)
}

/// Converts bare line feeds to CR LF, as `oxbox run` does for a pipe.
pub(super) fn with_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if byte == b'\n' && out.last() != Some(&b'\r') {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out
}

/// Replaces control characters of a line by visible escapes.
pub(super) fn visible(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for character in line.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1F' | '\x7F' => out.push_str(&format!("\\x{:02X}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out
}

/// Truncates a text to `most` characters and reports how many were cut.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}... ({} characters in all)", &text[..at], text.chars().count()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_bytes() {
        let rows: [(&str, &[u8]); 4] =
            [("Grün\r\n", b"Gr\x81n\r\n"), ("♥", b"\x03"), ("", b""), ("\x00a", b"\x00a")];
        for (text, bytes) in rows {
            assert_eq!(from_text(text).as_deref(), Ok(bytes), "{text:?}");
        }
        assert_eq!(from_text("5 €"), Err('€'));
        assert_eq!(to_text(b"Gr\x81n\t\x1B"), "Grün\t\x1B");
        assert_eq!(visible("a\tb\x1B\r\n"), "a\\tb\\x1B\\r\\n");
        assert_eq!(with_carriage_returns(b"a\nb\r\n\n"), b"a\r\nb\r\n\r\n");
        assert_eq!(shortened("abcdef", 3), "abc... (6 characters in all)");
        assert_eq!(shortened("abc", 3), "abc");
    }
}
