//! Text of a suite and bytes of the guest: code page 437, line ends, and how both are shown.

use oxbox_machine::hardware::vga::cp437::{self, Controls};

/// The bytes that a text is on the guest. The error is a character that code page 437 has not.
pub(super) fn from_text(text: &str) -> Result<Vec<u8>, char> {
    text.chars().map(|character| cp437::from_char(character).ok_or(character)).collect()
}

/// Bytes of the guest as text; control characters stay what they are.
pub(super) fn to_text(bytes: &[u8]) -> String {
    cp437::text(bytes, Controls::Kept)
}

/// A bare line feed becomes the CR LF that DOS programs read lines by, as `oxbox run` has it for a pipe.
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

/// A line with its control characters made visible.
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

/// At most so many characters of a text, with a word on what was cut.
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
