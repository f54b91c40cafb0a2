//! The text screen of a twin: 25 lines of 80 columns that scroll like DOS output, or that are drawn
//! in colour as by a program that writes video memory.

use super::screen::{Screen, Text};
use oxbox_machine::hardware::vga::cp437;

const WIDTH: usize = 80;
const HEIGHT: usize = 25;

/// Light grey on black, DOS's default.
const PLAIN: u8 = 0x07;

/// A text screen with a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextPage {
    characters: Vec<u8>,
    /// Empty if colours are not compared.
    attributes: Vec<u8>,
    column: usize,
    line: usize,
}

impl TextPage {
    /// Creates an empty screen with the cursor at the upper left.
    pub fn new() -> Self {
        TextPage { characters: vec![b' '; WIDTH * HEIGHT], attributes: Vec::new(), column: 0, line: 0 }
    }

    /// Creates an empty screen in light grey on black with compared colours. It does not scroll.
    pub fn coloured() -> Self {
        TextPage { attributes: vec![PLAIN; WIDTH * HEIGHT], ..TextPage::new() }
    }

    /// Draws characters of code page 437 from a position on; `\n` continues one line further down
    /// in the first column. Characters beyond the edge are dropped, and the cursor does not move.
    /// Returns the column after the last.
    pub fn draw(&mut self, line: usize, column: usize, attribute: u8, text: &str) -> usize {
        let mut behind = column;
        for (down, part) in text.split('\n').enumerate() {
            behind = column;
            for character in part.chars() {
                self.set(line + down, behind, attribute, Some(cp437::from_char(character).unwrap_or(b'?')));
                behind += 1;
            }
        }
        behind
    }

    /// Fills a rectangle, `wide` columns by `tall` lines, with a character.
    pub fn fill(&mut self, place: (usize, usize), wide: usize, tall: usize, attribute: u8, character: char) {
        let row = vec![String::from(character).repeat(wide); tall];
        self.draw(place.0, place.1, attribute, &row.join("\n"));
    }

    /// Draws a frame of single lines, `wide` columns by `tall` lines including corners.
    pub fn frame(&mut self, (line, column): (usize, usize), wide: usize, tall: usize, attribute: u8) {
        let edge = "─".repeat(wide.saturating_sub(2));
        self.draw(line, column, attribute, &format!("┌{edge}┐"));
        for down in 1..tall.saturating_sub(1) {
            self.draw(line + down, column, attribute, "│");
            self.draw(line + down, column + wide - 1, attribute, "│");
        }
        self.draw(line + tall.max(1) - 1, column, attribute, &format!("└{edge}┘"));
    }

    /// Sets the attribute of a rectangle without changing its characters.
    pub fn tint(&mut self, (line, column): (usize, usize), wide: usize, tall: usize, attribute: u8) {
        for down in 0..tall {
            (column..column + wide).for_each(|column| self.set(line + down, column, attribute, None));
        }
    }

    fn set(&mut self, line: usize, column: usize, attribute: u8, character: Option<u8>) {
        if line >= HEIGHT || column >= WIDTH {
            return;
        }
        let at = line * WIDTH + column;
        self.characters[at] = character.unwrap_or(self.characters[at]);
        if let Some(old) = self.attributes.get_mut(at) {
            *old = attribute;
        }
    }

    /// Clears the screen and moves the cursor to the upper left.
    pub fn clear(&mut self) {
        *self = TextPage::new();
    }

    /// Moves the cursor. Coordinates start at 0 and are limited to the screen.
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

    /// Returns the characters that DOS writes for this one at the cursor: blanks for a tab.
    pub fn expanded(&self, byte: u8) -> Vec<u8> {
        if byte == b'\t' { vec![b' '; 8 - self.column % 8] } else { vec![byte] }
    }

    /// Writes a character as DOS does; CR, LF, backspace, bell and tab are controls.
    pub fn put(&mut self, byte: u8) {
        match byte {
            b'\t' => self.expanded(byte).into_iter().for_each(|blank| self.put(blank)),
            0x07 => {}
            0x08 => self.column = self.column.saturating_sub(1),
            b'\r' => self.column = 0,
            b'\n' => self.line += 1,
            _ => {
                // 00h looks like a blank, and is one in the machine's screen too.
                self.characters[self.line * WIDTH + self.column] = if byte == 0 { b' ' } else { byte };
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

    /// Returns the screen.
    pub fn screen(&self) -> Screen {
        let cursor = Some((self.line, self.column));
        let (characters, attributes) = (self.characters.clone(), self.attributes.clone());
        Screen::Text(Text { columns: WIDTH, characters, attributes, cursor })
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
        let cases = [
            ("one\ntwo", "one|two"),
            ("one\rTW", "TWe"),
            ("ab\x08c\x07d", "acd"),
            ("\n\nthree", "||three"),
            ("a\tb\t\tc", "a       b               c"),
        ];
        for (text, expected) in cases {
            let mut page = TextPage::new();
            page.print(text);
            assert_eq!(page.screen().lines().join("|"), expected, "{text:?}");
        }
    }

    #[test]
    fn drawing() {
        let mut page = TextPage::coloured();
        assert_eq!(page.draw(0, 1, 0x1E, "ab\nc"), 2);
        page.frame((2, 0), 4, 3, 0x02);
        page.fill((3, 1), 2, 1, 0x4F, '█');
        page.draw(24, 79, 0x07, "xy");
        let lines = page.screen().lines();
        assert_eq!(lines[..5].join("|"), " ab| c|┌──┐|│██│|└──┘");
        let mut other = page.clone();
        assert_eq!(other.screen().difference(&page.screen()), None);
        other.tint((3, 2), 1, 1, 0x70);
        let difference = other.screen().difference(&page.screen());
        assert_eq!(difference.as_deref(), Some("line 4, column 3 has the colours 70h, not 4Fh"));
        other.attributes.clear();
        assert_eq!(other.screen().difference(&page.screen()), None, "colours that one side does not tell");
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
