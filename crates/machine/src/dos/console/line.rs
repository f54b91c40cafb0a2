//! The line editor of function 0Ah, which CON also uses for reads by handle.
//!
//! The last line is the template: F1 and Right copy one character of it, F2 copies up to a
//! character, F3 copies the rest, F4 skips to a character, Del skips one, Ins inserts without
//! skipping, F5 makes the line the template, F6 is Ctrl-Z, F7 a zero byte, Esc cancels the line.
//! Source: the MS-DOS 5 User's Guide on editing keys.

use super::{control::CTRL_Z, to_tab_stop};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::dos) struct Line {
    /// The maximum number of characters, without the carriage return.
    room: usize,
    text: Vec<u8>,
    template: Vec<u8>,
    /// Position in the template.
    at: usize,
    insert: bool,
    start: u8,
    /// Whether the echo has depended on `start` since the line was restored. Not part of the state.
    #[serde(skip)]
    pub(super) has_used_start: bool,
    /// The command that the next byte completes.
    pending: Option<Pending>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Pending {
    /// After 00h: a scan code follows.
    Scan,
    /// After F2 or F4: the character to copy or skip to follows.
    CopyTo,
    SkipTo,
    /// The character to copy or skip to was a key without one: its scan code is dropped.
    Drop,
}

const F1: u8 = 0x3B;
const F7: u8 = 0x41;
const LEFT: u8 = 0x4B;
const RIGHT: u8 = 0x4D;
const INS: u8 = 0x52;
const DEL: u8 = 0x53;

impl Line {
    pub(super) fn new(room: usize, template: Vec<u8>, column: u8) -> Self {
        Line {
            room,
            text: Vec::new(),
            template,
            at: 0,
            insert: false,
            start: column,
            has_used_start: false,
            pending: None,
        }
    }

    /// Clears bits of the column at which the line begins.
    pub(in crate::dos) fn mask_start(&mut self, kept: u8) {
        self.start &= kept;
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Processes a byte of input and appends its output to `echo`. Returns whether the line is
    /// complete.
    pub(super) fn take(&mut self, byte: u8, echo: &mut Vec<u8>) -> bool {
        match self.pending.take() {
            Some(Pending::Scan) => self.special(byte, echo),
            Some(Pending::CopyTo) => {
                let to = self.find(byte);
                self.after_target(byte);
                self.copy(to, echo);
            }
            Some(Pending::SkipTo) => {
                self.at = self.find(byte).max(self.at);
                self.after_target(byte);
            }
            Some(Pending::Drop) => {}
            None => return self.plain(byte, echo),
        }
        false
    }

    fn after_target(&mut self, byte: u8) {
        if byte == 0 {
            self.pending = Some(Pending::Drop);
        }
    }

    /// Returns the position of the character's next occurrence in the template; the current
    /// position if it does not occur.
    fn find(&self, byte: u8) -> usize {
        let rest = self.template.get(self.at + 1..).unwrap_or(&[]);
        rest.iter().position(|&b| b == byte).map_or(self.at, |i| self.at + 1 + i)
    }

    fn plain(&mut self, byte: u8, echo: &mut Vec<u8>) -> bool {
        match byte {
            0x0D => {
                echo.push(0x0D);
                return true;
            }
            // Ctrl-Enter: a new line on the screen, not in the text.
            0x0A => echo.extend_from_slice(b"\r\n"),
            0x1B => {
                self.begin_again(b'\\', echo);
            }
            0x08 | 0x7F => self.backspace(echo),
            0 => self.pending = Some(Pending::Scan),
            _ => self.add(byte, echo),
        }
        false
    }

    fn special(&mut self, scan: u8, echo: &mut Vec<u8>) {
        match scan {
            F1 | RIGHT => self.copy(self.at + 1, echo),
            0x3C => self.pending = Some(Pending::CopyTo),
            0x3D => self.copy(self.template.len(), echo),
            0x3E => self.pending = Some(Pending::SkipTo),
            0x3F => {
                self.template = self.text.clone();
                self.begin_again(b'@', echo);
            }
            0x40 => self.add(CTRL_Z, echo),
            F7 => self.add(0, echo),
            LEFT => self.backspace(echo),
            INS => self.insert = !self.insert,
            DEL => self.at = (self.at + 1).min(self.template.len()),
            _ => {}
        }
    }

    /// Cancels the line: shows a mark and starts again on the next row.
    fn begin_again(&mut self, mark: u8, echo: &mut Vec<u8>) {
        echo.extend_from_slice(&[mark, b'\r', b'\n']);
        echo.resize(echo.len() + usize::from(self.start), b' ');
        self.has_used_start = true;
        self.text.clear();
        self.at = 0;
        self.insert = false;
    }

    fn add(&mut self, byte: u8, echo: &mut Vec<u8>) {
        if self.text.len() >= self.room {
            echo.push(0x07);
            return;
        }
        self.show(byte, echo);
        self.text.push(byte);
        if !self.insert && self.at < self.template.len() {
            self.at += 1;
        }
    }

    /// Copies the template up to position `to`.
    fn copy(&mut self, to: usize, echo: &mut Vec<u8>) {
        self.insert = false;
        while self.at < to.min(self.template.len()) && self.text.len() < self.room {
            let byte = self.template[self.at];
            self.show(byte, echo);
            self.text.push(byte);
            self.at += 1;
        }
    }

    fn backspace(&mut self, echo: &mut Vec<u8>) {
        let before = self.column();
        if self.text.pop().is_none() {
            return;
        }
        self.at = self.at.saturating_sub(1);
        for _ in self.column()..before {
            echo.extend_from_slice(b"\x08 \x08");
        }
    }

    fn column(&mut self) -> usize {
        self.has_used_start |= self.text.contains(&b'\t');
        self.text.iter().fold(usize::from(self.start), |column, &byte| column + width(byte, column))
    }

    fn show(&mut self, byte: u8, echo: &mut Vec<u8>) {
        self.has_used_start |= byte == b'\t';
        match byte {
            b'\t' => echo.resize(echo.len() + width(byte, self.column()), b' '),
            0..0x20 => echo.extend_from_slice(&[b'^', byte + 0x40]),
            _ => echo.push(byte),
        }
    }
}

fn width(byte: u8, column: usize) -> usize {
    match byte {
        b'\t' => to_tab_stop(column),
        0..0x20 => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types `keys` (with `<F3>` and similar) over a template. Returns text and echo.
    fn typed(template: &str, room: usize, keys: &str) -> String {
        let mut line = Line::new(room, template.as_bytes().to_vec(), 2);
        let mut echo = Vec::new();
        let mut bytes = Vec::new();
        let mut rest = keys;
        while let Some(first) = rest.chars().next() {
            let special = rest.strip_prefix('<').and_then(|r| r.split_once('>'));
            if let Some((name, after)) = special {
                bytes.extend_from_slice(match name {
                    "F1" => &[0, F1],
                    "F2" => &[0, 0x3C],
                    "F3" => &[0, 0x3D],
                    "F4" => &[0, 0x3E],
                    "F5" => &[0, 0x3F],
                    "F6" => &[0, 0x40],
                    "F7" => &[0, F7],
                    "Left" => &[0, LEFT],
                    "Right" => &[0, RIGHT],
                    "Ins" => &[0, INS],
                    "Del" => &[0, DEL],
                    "Up" => &[0, 0x48],
                    "BS" => &[8],
                    "Esc" => &[0x1B],
                    "Tab" => b"\t",
                    "LF" => b"\n",
                    "^A" => &[1],
                    _ => panic!("key {name}"),
                });
                rest = after;
            } else {
                bytes.push(first as u8);
                rest = &rest[1..];
            }
        }
        for byte in bytes {
            assert!(!line.take(byte, &mut echo));
        }
        assert!(line.take(0x0D, &mut echo));
        let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
        format!("{} | {}", shown(line.text()), shown(&echo))
    }

    #[test]
    fn editing() {
        for (template, room, keys, expected) in [
            ("", 10, "abc", r"abc | abc\r"),
            ("", 3, "abcd", r"abc | abc\x07\r"),
            ("", 10, "ab<BS>c", r"ac | ab\x08 \x08c\r"),
            ("", 10, "<BS>x", r"x | x\r"),
            ("", 10, "ab<Left>c", r"ac | ab\x08 \x08c\r"),
            ("", 10, "^<^A>", r"^\x01 | ^^A\r"),
            ("", 10, "<^A><BS>x", r"x | ^A\x08 \x08\x08 \x08x\r"),
            ("", 10, "<Tab><BS>x", r"x |       \x08 \x08\x08 \x08\x08 \x08\x08 \x08\x08 \x08\x08 \x08x\r"),
            ("", 10, "ab<Esc>c", r"c | ab\\\r\n  c\r"),
            ("", 10, "ab<F5><F3>c", r"abc | ab@\r\n  abc\r"),
            ("", 10, "a<LF>b", r"ab | a\r\nb\r"),
            ("", 10, "a<F6>", r"a\x1a | a^Z\r"),
            ("", 10, "<F7>", r"\x00 | ^@\r"),
            ("hello", 10, "<F3>", r"hello | hello\r"),
            ("hello", 3, "<F3>", r"hel | hel\r"),
            ("hello", 10, "<F1><Right>", r"he | he\r"),
            ("hello", 10, "j<F3>", r"jello | jello\r"),
            ("hello", 10, "<F2>o", r"hell | hell\r"),
            ("hello", 10, "<F2>x", r" | \r"),
            ("hello", 10, "<F4>l<F3>", r"llo | llo\r"),
            ("hello", 10, "<F2><F3>", r" | \r"),
            ("hello", 10, "<Del><F3>", r"ello | ello\r"),
            ("hello", 10, "<Ins>xy<F3>", r"xyhello | xyhello\r"),
            ("hello", 10, "ab<BS><F3>", r"aello | ab\x08 \x08ello\r"),
            ("hello", 10, "<Up>a", r"a | a\r"),
            ("hello", 10, "xx<Esc><F3>", r"hello | xx\\\r\n  hello\r"),
        ] {
            assert_eq!(typed(template, room, keys), expected, "{keys} over {template:?}");
        }
    }
}
