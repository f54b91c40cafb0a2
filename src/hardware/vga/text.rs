//! The text that is on the screen, read as the CRTC reads it: start address, row offset, line compare.

use super::adapter::Vga;
use super::cp437;
use std::fmt;

/// Where the hardware cursor stands, and its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// Column, from 0.
    pub column: usize,
    /// Row, from 0.
    pub row: usize,
    /// First scan line in the cell.
    pub start: u8,
    /// Last scan line in the cell.
    pub end: u8,
}

/// A text screen. As a string: UTF-8, a line a row, trailing blanks cut, each line ended by a line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextScreen {
    /// Columns.
    pub columns: usize,
    /// Rows that are shown in full.
    pub rows: usize,
    /// Character (code page 437) and attribute of each cell, row after row.
    pub cells: Vec<(u8, u8)>,
    /// The cursor, when it is on and in the picture.
    pub cursor: Option<Cursor>,
    /// The sixteen text colours as 00RRGGBB, through palette and DAC.
    pub colours: [u32; 16],
    /// Attribute bit 7 blinks; otherwise it selects a bright background.
    pub blink: bool,
}

impl TextScreen {
    /// The cells of a row; empty below the screen.
    pub fn row(&self, row: usize) -> &[(u8, u8)] {
        self.cells.get(row * self.columns..(row + 1) * self.columns).unwrap_or(&[])
    }

    /// A row as UTF-8, trailing blanks cut.
    pub fn line(&self, row: usize) -> String {
        let line: String = self.row(row).iter().map(|&(character, _)| cp437::glyph(character)).collect();
        line.trim_end_matches([' ', '\u{a0}']).to_owned()
    }
}

impl fmt::Display for TextScreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.rows).try_for_each(|row| writeln!(f, "{}", self.line(row)))
    }
}

impl Vga {
    /// The text on the screen; `None` in graphics and while there is no picture.
    pub fn text(&self) -> Option<TextScreen> {
        if self.is_graphics() || !self.registers.crtc.retraces() {
            return None;
        }
        let columns = self.registers.crtc.horizontal_displayed() as usize;
        let mut starts: Vec<u16> = Vec::new();
        let lines = self.scan_lines();
        let full_rows = (lines.len() / self.scan_lines_a_row()).max(1);
        for (i, line) in lines.iter().enumerate() {
            let begins =
                i == 0 || lines[i - 1].counter != line.counter || lines[i - 1].row_scan > line.row_scan;
            if begins && starts.len() < full_rows {
                starts.push(line.counter);
            }
        }
        let cell = |counter: u16| {
            let [character, attribute, ..] =
                self.planes.at(self.registers.crtc.memory_address(counter, 0)).to_le_bytes();
            (character, attribute)
        };
        let mut cells = Vec::with_capacity(starts.len() * columns);
        for start in &starts {
            cells.extend((0..columns as u16).map(|column| cell(start.wrapping_add(column))));
        }
        let cursor = self.registers.crtc.cursor_lines().and_then(|(start, end)| {
            let at = self.registers.crtc.cursor_address();
            let row = starts.iter().position(|&first| usize::from(at.wrapping_sub(first)) < columns)?;
            Some(Cursor { column: usize::from(at.wrapping_sub(starts[row])), row, start, end })
        });
        let colours =
            std::array::from_fn(|i| self.registers.dac.rgb(self.registers.attribute.dac_index(i as u8)));
        Some(TextScreen {
            columns,
            rows: starts.len(),
            cells,
            cursor,
            colours,
            blink: self.registers.attribute.blink(),
        })
    }
}
