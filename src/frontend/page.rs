//! oxbox's own screens (help, launcher), drawn like the PC's text: 80 columns, 25 rows, sixteen
//! colours.
//!
//! A page is a [`TextScreen`] like a program's, so the terminal shows it the same way. For the
//! window a separate machine renders it, with the PC's font.

use oxbox::hardware::vga::{Frame, TextScreen, cp437};
use oxbox::machine::{Config, Key, Machine, Until};

pub(crate) const COLUMNS: usize = 80;
pub(crate) const ROWS: usize = 25;

/// The address of the text of mode 3: linear address of B800:0000.
const TEXT_MEMORY: u32 = 0xB8000;

/// Light grey on blue.
pub(crate) const PLAIN: u8 = 0x17;
/// Yellow on blue.
pub(crate) const BRIGHT: u8 = 0x1E;
/// White on blue.
pub(crate) const WHITE: u8 = 0x1F;
/// Black on light grey: the selected line.
pub(crate) const CHOSEN: u8 = 0x70;

#[derive(Debug, Clone)]
pub(crate) struct Page {
    cells: Vec<(u8, u8)>,
    pub(crate) pictures: Vec<Picture>,
    pub(crate) spots: Vec<HitArea>,
}

/// A part of a page that can be clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HitArea {
    /// Column and row of its position.
    pub(crate) at: (usize, usize),
    /// Its size in columns and rows.
    pub(crate) cells: (usize, usize),
    pub(crate) number: usize,
}

/// The user's action on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Key(Key),
    HitArea(usize),
}

/// A picture over cells of a page, as large as fits.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// Column and row of its position.
    pub(crate) at: (usize, usize),
    /// Its size in columns and rows.
    pub(crate) cells: (usize, usize),
    pub(crate) frame: Frame,
}

impl Page {
    /// Returns a blue page in a double frame, with a title in its upper edge.
    pub(crate) fn new(title: &str) -> Page {
        let mut page =
            Page { cells: vec![(b' ', PLAIN); COLUMNS * ROWS], pictures: Vec::new(), spots: Vec::new() };
        let edge = "═".repeat(COLUMNS - 2);
        page.put(0, 0, PLAIN, &format!("╔{edge}╗"));
        page.put(0, ROWS - 1, PLAIN, &format!("╚{edge}╝"));
        for row in 1..ROWS - 1 {
            page.put(0, row, PLAIN, "║");
            page.put(COLUMNS - 1, row, PLAIN, "║");
        }
        let title = format!(" {title} ");
        page.put((COLUMNS - title.chars().count().min(COLUMNS)) / 2, 0, WHITE, &title);
        page
    }

    /// Writes text from a position, cut off at the right edge. Characters that code page 437 lacks
    /// become '?'.
    pub(crate) fn put(&mut self, column: usize, row: usize, attribute: u8, text: &str) {
        let start = row.min(ROWS - 1) * COLUMNS;
        let room = self.cells[start..start + COLUMNS].iter_mut().skip(column);
        for (cell, character) in room.zip(text.chars()) {
            *cell = (cp437::from_char(character).unwrap_or(b'?'), attribute);
        }
    }

    pub(crate) fn paint(&mut self, column: usize, row: usize, width: usize, attribute: u8) {
        let start = row.min(ROWS - 1) * COLUMNS;
        for cell in self.cells[start..start + COLUMNS].iter_mut().skip(column).take(width) {
            cell.1 = attribute;
        }
    }

    /// Adds a picture at a column and a row, with a size in cells.
    pub(crate) fn picture(&mut self, at: (usize, usize), cells: (usize, usize), frame: Frame) {
        self.pictures.push(Picture { at, cells, frame });
    }

    /// Adds a spot at a column and a row, with a size in cells.
    pub(crate) fn spot(&mut self, at: (usize, usize), cells: (usize, usize), number: usize) {
        self.spots.push(HitArea { at, cells, number });
    }

    pub(crate) fn spot_at(&self, column: usize, row: usize) -> Option<usize> {
        let within = |spot: &&HitArea| {
            (spot.at.0..spot.at.0 + spot.cells.0).contains(&column)
                && (spot.at.1..spot.at.1 + spot.cells.1).contains(&row)
        };
        self.spots.iter().find(within).map(|spot| spot.number)
    }

    #[cfg(test)]
    pub(crate) fn text(&self) -> String {
        let rows = self.cells.chunks(COLUMNS);
        rows.map(|row| row.iter().map(|&(code, _)| cp437::glyph(code)).collect::<String>() + "\n").collect()
    }

    /// Writes a paragraph, wrapped at `width`, and returns the row below it.
    pub(crate) fn paragraph(
        &mut self,
        column: usize,
        mut row: usize,
        width: usize,
        attribute: u8,
        text: &str,
    ) -> usize {
        for line in wrap(text, width) {
            self.put(column, row, attribute, &line);
            row += 1;
        }
        row
    }
}

/// Wraps text in lines of up to `width` characters, between words where possible.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// A program with an empty screen: it hides the cursor (INT 10h, AH=01h) and waits for a key.
const NO_CURSOR: &[u8] = b"\xB4\x01\xB9\x00\x20\xCD\x10\xB4\x00\xCD\x16\xEB\xFA";

/// Renders pages with a machine, into whose text memory they are written.
pub(crate) struct PageRenderer {
    /// `None` only if the machine could not start, which cannot happen without a host folder.
    machine: Option<Machine>,
}

impl Default for PageRenderer {
    fn default() -> Self {
        let started = || {
            let mut machine = Machine::new(&Config::default()).ok()?;
            machine.load(NO_CURSOR, "PAGE.COM", "").ok()?;
            machine.run(&Until::KEY_WAIT, &mut ());
            Some(machine)
        };
        PageRenderer { machine: started() }
    }
}

impl PageRenderer {
    pub(crate) fn text(&mut self, page: &Page) -> Option<TextScreen> {
        self.machine_with(page)?.text()
    }

    pub(crate) fn frame(&mut self, page: &Page) -> Option<Frame> {
        let mut frame = self.machine_with(page)?.frame();
        for picture in &page.pictures {
            lay_over(&mut frame, picture);
        }
        Some(frame)
    }

    fn machine_with(&mut self, page: &Page) -> Option<&Machine> {
        let machine = self.machine.as_mut()?;
        let cells: Vec<u8> = page.cells.iter().flat_map(|&(code, attribute)| [code, attribute]).collect();
        machine.write_memory(TEXT_MEMORY, &cells);
        Some(machine)
    }
}

/// Draws a picture into that of its page, centred in its cells and with its own aspect ratio.
fn lay_over(page: &mut Frame, picture: &Picture) {
    let cell = (page.width / COLUMNS, page.height / ROWS);
    let (across, down) = (picture.cells.0 * cell.0, picture.cells.1 * cell.1);
    let (x, y) = (page.pixel_aspect.0.max(1) as usize, page.pixel_aspect.1.max(1) as usize);
    let (width, height) = picture.frame.size_within(across * x, down * y);
    let (width, height) = (width / x, height / y);
    let left = picture.at.0 * cell.0 + (across - width) / 2;
    let top = picture.at.1 * cell.1 + (down - height) / 2;
    if left + width > page.width || top + height > page.height {
        return;
    }
    for line in 0..height {
        for column in 0..width {
            page.pixels[(top + line) * page.width + left + column] =
                picture.frame.mean(column, line, width, height);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_lie_in_their_place() {
        let red = Frame { width: 2, height: 2, pixels: vec![0xFF0000; 4], pixel_aspect: (1, 1), border: 0 };
        let mut page = Page::new("test");
        page.picture((40, 10), (10, 5), red);
        let frame = PageRenderer::default().frame(&page).unwrap();
        let cell = (frame.width / COLUMNS, frame.height / ROWS);
        let reds: Vec<usize> = (0..frame.pixels.len()).filter(|&at| frame.pixels[at] == 0xFF0000).collect();
        let columns = reds.iter().map(|at| at % frame.width / cell.0);
        let rows = reds.iter().map(|at| at / frame.width / cell.1);
        assert_eq!((rows.clone().min(), rows.max()), (Some(10), Some(14)));
        assert!(columns.clone().min() >= Some(40) && columns.max() <= Some(49));
    }
}
