//! The text screen that a twin writes on: 25 lines of 80 columns that scroll, as a DOS program's output does.

use super::screen::{Screen, Text};

/// Columns.
const WIDTH: usize = 80;
/// Lines.
const HEIGHT: usize = 25;

/// A text screen and its cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPage {
    characters: Vec<u8>,
    column: usize,
    line: usize,
}

impl TextPage {
    /// An empty screen, the cursor at the upper left.
    pub fn new() -> Self {
        TextPage { characters: vec![b' '; WIDTH * HEIGHT], column: 0, line: 0 }
    }

    /// Empties the screen and sets the cursor to the upper left.
    pub fn clear(&mut self) {
        *self = TextPage::new();
    }

    /// Moves the cursor; both from 0, beyond the edge it stays at the edge.
    pub fn locate(&mut self, line: usize, column: usize) {
        (self.line, self.column) = (line.min(HEIGHT - 1), column.min(WIDTH - 1));
    }

    /// Writes ASCII text; `\n` ends a line.
    pub fn print(&mut self, text: &str) {
        for byte in text.bytes() {
            if byte == b'\n' {
                self.put(b'\r');
            }
            self.put(byte);
        }
    }

    /// Writes one character as DOS does: carriage return, line feed, backspace and bell do what they are for.
    pub fn put(&mut self, byte: u8) {
        match byte {
            0x07 => {}
            0x08 => self.column = self.column.saturating_sub(1),
            b'\r' => self.column = 0,
            b'\n' => self.line += 1,
            _ => {
                self.characters[self.line * WIDTH + self.column] = byte;
                self.column += 1;
            }
        }
        if self.column == WIDTH {
            (self.column, self.line) = (0, self.line + 1);
        }
        if self.line == HEIGHT {
            self.characters.copy_within(WIDTH.., 0);
            self.characters[WIDTH * (HEIGHT - 1)..].fill(b' ');
            self.line = HEIGHT - 1;
        }
    }

    /// What it shows.
    pub fn screen(&self) -> Screen {
        let cursor = Some((self.line, self.column));
        Screen::Text(Text { columns: WIDTH, characters: self.characters.clone(), cursor })
    }
}

impl Default for TextPage {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing() {
        let cases =
            [("one\ntwo", "one|two"), ("one\rTW", "TWe"), ("ab\x08c\x07d", "acd"), ("\n\nthree", "||three")];
        for (text, expected) in cases {
            let mut page = TextPage::new();
            page.print(text);
            assert_eq!(page.screen().lines().join("|"), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_wrap_and_the_screen_scrolls() {
        let mut page = TextPage::new();
        page.print(&"x".repeat(WIDTH + 1));
        assert_eq!(page.screen().lines()[1], "x");
        for n in 0..HEIGHT {
            page.print(&format!("\n{n}"));
        }
        let lines = page.screen().lines();
        assert_eq!((lines[0].as_str(), lines[HEIGHT - 1].as_str()), ("0", "24"));
    }
}
