//! The text on the screen, read as by the CRTC: start address, row offset, line compare.

use super::adapter::Vga;
use super::cga::{self, Cga};
use super::cp437;
use std::fmt;

/// The position of the hardware cursor, and its shape.
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

/// A text screen. As a string: UTF-8, a line per row without trailing blanks, ended by LF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextScreen {
    /// Columns.
    pub columns: usize,
    /// Rows that are shown completely.
    pub rows: usize,
    /// Character (code page 437) and attribute of each cell, row by row.
    pub cells: Vec<(u8, u8)>,
    /// The cursor, if it is on and in the picture.
    pub cursor: Option<Cursor>,
    /// The sixteen text colours as 00RRGGBB, after palette and DAC.
    pub colours: [u32; 16],
    /// Whether attribute bit 7 blinks; otherwise it selects a bright background.
    pub blink: bool,
}

impl TextScreen {
    /// Returns the cells of a row; empty below the screen.
    pub fn row(&self, row: usize) -> &[(u8, u8)] {
        self.cells.get(row * self.columns..(row + 1) * self.columns).unwrap_or(&[])
    }

    /// Returns a row as UTF-8, without trailing blanks.
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
    /// Whether there is text on the screen. Not in graphics, or while the picture is off.
    pub fn has_text(&self) -> bool {
        match &self.cga {
            Some(cga) => !cga.is_graphics() && cga.columns() > 0 && cga.rows() > 0,
            None => !self.is_graphics() && self.registers.crtc.retraces(),
        }
    }

    /// Returns the text on the screen, if there is any.
    pub fn text(&self) -> Option<TextScreen> {
        if !self.has_text() {
            return None;
        }
        if let Some(cga) = &self.cga {
            return Some(self.text_of_cga(cga));
        }
        let columns = self.registers.crtc.horizontal_displayed() as usize;
        let starts = self.row_starts();
        let mut cells = Vec::with_capacity(starts.len() * columns);
        for &start in &starts {
            self.add_cells(&mut cells, start, columns as u16);
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

    fn text_of_cga(&self, cga: &Cga) -> TextScreen {
        let (columns, rows) = (usize::from(cga.columns()), usize::from(cga.rows()));
        let at = usize::from(cga.cursor_address().wrapping_sub(cga.start_address()) & 0x3FFF);
        let cursor = cga.cursor_lines().filter(|_| at < columns * rows);
        let cell = |at: usize| {
            let address = cga.address(cga.start_address().wrapping_add(at as u16), 0);
            let [character, attribute, ..] = self.planes.at(address).to_le_bytes();
            (character, attribute)
        };
        TextScreen {
            columns,
            rows,
            cells: (0..columns * rows).map(cell).collect(),
            cursor: cursor.map(|(start, end)| Cursor { column: at % columns, row: at / columns, start, end }),
            colours: cga::sixteen(),
            blink: cga.blink(),
        }
    }

    /// Returns the address counters at the start of the rows that are shown completely.
    fn row_starts(&self) -> Vec<u16> {
        let crtc = &self.registers.crtc;
        let full_rows = (crtc.vertical_displayed() as usize / self.scan_lines_a_row()).max(1);
        let is_split = crtc.line_compare() + 1 < crtc.vertical_displayed();
        if !is_split && crtc.preset_row_scan() == 0 && crtc.row_offset() != 0 {
            let first = crtc.start_address().wrapping_add(crtc.byte_panning());
            let starts = std::iter::successors(Some(first), |row| Some(row.wrapping_add(crtc.row_offset())));
            return starts.take(full_rows).collect();
        }
        let lines = self.scan_lines();
        let mut starts = Vec::new();
        for (i, line) in lines.iter().enumerate() {
            let begins =
                i == 0 || lines[i - 1].counter != line.counter || lines[i - 1].row_scan > line.row_scan;
            if begins && starts.len() < full_rows {
                starts.push(line.counter);
            }
        }
        starts
    }

    fn add_cells(&self, cells: &mut Vec<(u8, u8)>, start: u16, columns: u16) {
        let cell = |planes: u32| {
            let [character, attribute, ..] = planes.to_le_bytes();
            (character, attribute)
        };
        let address = |column: u16| self.registers.crtc.memory_address(start.wrapping_add(column), 0);
        let (first, last) = (usize::from(address(0)), usize::from(address(columns - 1)));
        // Two addresses per cell, as in all modes of the BIOS, and no wrap of the memory between
        // them.
        if last == first + 2 * usize::from(columns - 1) {
            let run = self.planes.run(first..last + 1);
            cells.extend(run.chunks(2).map(|pair| cell(pair[0])));
        } else {
            cells.extend((0..columns).map(|column| cell(self.planes.at(address(column)))));
        }
    }
}
