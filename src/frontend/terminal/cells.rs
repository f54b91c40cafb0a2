//! The terminal's content as cells: from a text screen, or from a picture as half blocks.
//!
//! A cell is a character and two colours. Pure functions; [`super::paint`] sends the changes.

use crossterm::event::KeyCode;

use crate::frontend::page::Picture;
use oxbox::hardware::vga::{Frame, TextScreen, cp437};
use oxbox::media::contrast;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) character: char,
    /// Foreground and background.
    pub(super) colours: (Colour, Colour),
    pub(super) blinks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    /// One of sixteen text colours with its default value: the terminal's palette may be used.
    Text(u8),
    /// 00RRGGBB.
    Exact(u32),
}

/// A rectangle of cells, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) cells: Vec<Cell>,
    /// Column and row of the cursor.
    pub(super) cursor: Option<(usize, usize)>,
}

pub(super) const BLANK: Cell =
    Cell { character: ' ', colours: (Colour::Text(7), Colour::Text(0)), blinks: false };

/// The BIOS's default text colours, 00RRGGBB (6-bit DAC values widened to 8 bits).
const USUAL: [u32; 16] = [
    0x000000, 0x0000AA, 0x00AA00, 0x00AAAA, 0xAA0000, 0xAA00AA, 0xAA5500, 0xAAAAAA, 0x555555, 0x5555FF,
    0x55FF55, 0x55FFFF, 0xFF5555, 0xFF55FF, 0xFFFF55, 0xFFFFFF,
];

impl Grid {
    pub(super) fn blank(columns: usize, rows: usize) -> Grid {
        Grid { columns, rows, cells: vec![BLANK; columns * rows], cursor: None }
    }

    /// Writes a line over a row, cut off at the edge.
    pub(super) fn write(&mut self, row: usize, text: &str, colours: (Colour, Colour)) {
        let start = row * self.columns;
        let line = text.chars().chain(std::iter::repeat(' ')).take(self.columns);
        for (cell, character) in self.cells[start..].iter_mut().zip(line) {
            *cell = Cell { character, colours, blinks: false };
        }
    }
}

/// The part of a text screen that is visible if the terminal is smaller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct View {
    /// The first column and row; `None` for the part around the cursor.
    first: Option<(usize, usize)>,
}

impl View {
    /// Moves by an arrow key, half of the visible part. Returns false for other keys.
    pub(super) fn scroll(
        &mut self,
        screen: &TextScreen,
        (columns, rows): (usize, usize),
        key: KeyCode,
    ) -> bool {
        let [(_, column), (_, row)] = self.place(screen, columns, rows);
        let (across, down) = (columns.div_ceil(2), rows.div_ceil(2));
        let (column, row) = match key {
            KeyCode::Left => (column.saturating_sub(across), row),
            KeyCode::Right => (column + across, row),
            KeyCode::Up => (column, row.saturating_sub(down)),
            KeyCode::Down => (column, row + down),
            _ => return false,
        };
        let most = |size: usize, room: usize| size.saturating_sub(room);
        self.first = Some((column.min(most(screen.columns, columns)), row.min(most(screen.rows, rows))));
        true
    }

    /// Returns for columns and for rows: the margin before the screen, and the first one visible.
    fn place(self, screen: &TextScreen, columns: usize, rows: usize) -> [(usize, usize); 2] {
        let (column, row) = screen.cursor.map_or((0, 0), |c| (c.column, c.row));
        let place = [fit(screen.columns, columns, column), fit(screen.rows, rows, row)];
        match self.first {
            Some((column, row)) if screen.columns > columns || screen.rows > rows => {
                let first = |(margin, shown), wanted| if margin == 0 { (0, wanted) } else { (margin, shown) };
                [first(place[0], column), first(place[1], row)]
            }
            _ => place,
        }
    }
}

/// Converts a text screen for a terminal of this size: centred, or a part of it.
pub(super) fn from_text(screen: &TextScreen, columns: usize, rows: usize, view: View) -> Grid {
    let mut grid = Grid::blank(columns, rows);
    let [(left, first_column), (top, first_row)] = view.place(screen, columns, rows);
    for row in 0..screen.rows.saturating_sub(first_row).min(rows) {
        let source = screen.row(first_row + row).iter().skip(first_column);
        let start = (top + row) * columns + left;
        for (cell, &(code, attribute)) in grid.cells[start..(top + row + 1) * columns].iter_mut().zip(source)
        {
            *cell = text_cell(screen, code, attribute);
        }
    }
    grid.cursor = screen.cursor.and_then(|cursor| {
        let column = (cursor.column + left).checked_sub(first_column)?;
        let row = (cursor.row + top).checked_sub(first_row)?;
        (column < columns && row < rows).then_some((column, row))
    });
    grid
}

/// Draws a picture of a page over its cells, where they are visible.
pub(super) fn lay_over(grid: &mut Grid, page: &TextScreen, view: View, picture: &Picture) {
    let [(left, first_column), (top, first_row)] = view.place(page, grid.columns, grid.rows);
    let drawn = from_frame(&picture.frame, picture.cells.0, picture.cells.1);
    for (number, &cell) in drawn.cells.iter().enumerate() {
        let column = left + picture.at.0 + number % drawn.columns;
        let row = top + picture.at.1 + number / drawn.columns;
        let (Some(column), Some(row)) = (column.checked_sub(first_column), row.checked_sub(first_row)) else {
            continue;
        };
        if cell != BLANK && column < grid.columns && row < grid.rows {
            grid.cells[row * grid.columns + column] = cell;
        }
    }
}

/// Changes the colours to bright on black, or black on bright.
pub(super) fn raise_contrast(grid: &mut Grid) {
    let exact = |colour| match colour {
        Colour::Text(index) => USUAL[usize::from(index & 0x0F)],
        Colour::Exact(rgb) => rgb,
    };
    for cell in &mut grid.cells {
        let (front, back) = contrast::of_cell(exact(cell.colours.0), exact(cell.colours.1));
        cell.colours = (Colour::Exact(front), Colour::Exact(back));
    }
}

/// Returns the cell of a text screen at a position of the terminal, across and down, each with the
/// number of cells.
pub(super) fn place_in_text(
    screen: &TextScreen,
    (columns, rows): (usize, usize),
    view: View,
    (column, row): (usize, usize),
) -> ((u32, u32), (u32, u32)) {
    let [(left, first_column), (top, first_row)] = view.place(screen, columns, rows);
    let at = |at: usize, margin: usize, first: usize, size: usize| {
        ((at.saturating_sub(margin) + first).min(size.saturating_sub(1)) as u32, size as u32)
    };
    (at(column, left, first_column, screen.columns), at(row, top, first_row, screen.rows))
}

/// Returns the pixel of a picture at a position of the terminal.
pub(super) fn place_in_frame(
    frame: &Frame,
    (columns, rows): (usize, usize),
    (column, row): (usize, usize),
) -> ((u32, u32), (u32, u32)) {
    let (width, height) = frame.size_within(columns, rows * 2);
    let (left, top) = ((columns - width) / 2, (rows - height.div_ceil(2)) / 2);
    let at = |at: usize, size: usize| (at.min(size.saturating_sub(1)) as u32, size as u32);
    (at(column.saturating_sub(left), width), at(row.saturating_sub(top) * 2, height))
}

/// Returns the margin before `size` cells in `room`, and the first one visible so that `wanted` is
/// visible.
fn fit(size: usize, room: usize, wanted: usize) -> (usize, usize) {
    if size <= room {
        ((room - size) / 2, 0)
    } else {
        (0, (wanted + 1).saturating_sub(room).min(size - room))
    }
}

fn text_cell(screen: &TextScreen, code: u8, attribute: u8) -> Cell {
    let blinks = screen.blink && attribute & 0x80 != 0;
    let background = if screen.blink { attribute >> 4 & 0x07 } else { attribute >> 4 };
    let colour = |index: u8| {
        let shade = screen.colours[usize::from(index)];
        if shade == USUAL[usize::from(index)] { Colour::Text(index) } else { Colour::Exact(shade) }
    };
    Cell { character: cp437::glyph(code), colours: (colour(attribute & 0x0F), colour(background)), blinks }
}

/// Converts a picture for a terminal of this size: two pixels per cell, one above the other, each
/// the mean of the guest's pixels there. Terminal cells are assumed to be twice as high as wide,
/// which is close for most fonts.
pub(super) fn from_frame(frame: &Frame, columns: usize, rows: usize) -> Grid {
    let mut grid = Grid::blank(columns, rows);
    let (width, height) = frame.size_within(columns, rows * 2);
    if width == 0 || height == 0 {
        return grid;
    }
    let (left, top) = ((columns - width) / 2, (rows - height.div_ceil(2)) / 2);
    for row in 0..height.div_ceil(2) {
        for column in 0..width {
            let upper = frame.mean(column, row * 2, width, height);
            let lower = if row * 2 + 1 < height { frame.mean(column, row * 2 + 1, width, height) } else { 0 };
            grid.cells[(top + row) * columns + left + column] =
                Cell {
                    character: '▀', colours: (Colour::Exact(upper), Colour::Exact(lower)), blinks: false
                };
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox::hardware::vga::Cursor;

    fn screen(lines: [&str; 3], cursor: (usize, usize)) -> TextScreen {
        let cells = lines.iter().flat_map(|line| line.bytes().map(|b| (b, 0x1F))).collect();
        let cursor = Some(Cursor { column: cursor.0, row: cursor.1, start: 14, end: 15 });
        TextScreen { columns: 4, rows: 3, cells, cursor, colours: USUAL, blink: true }
    }

    fn lines(grid: &Grid) -> Vec<String> {
        grid.cells.chunks(grid.columns).map(|row| row.iter().map(|c| c.character).collect()).collect()
    }

    #[test]
    fn text_stands_in_the_middle_or_follows_the_cursor() {
        let text = screen(["abcd", "efgh", "ijkl"], (3, 2));
        let large = from_text(&text, 6, 5, View::default());
        assert_eq!(lines(&large), ["      ", " abcd ", " efgh ", " ijkl ", "      "]);
        assert_eq!(large.cursor, Some((4, 3)));
        let small = from_text(&text, 2, 2, View::default());
        assert_eq!(lines(&small), ["gh", "kl"]);
        assert_eq!(small.cursor, Some((1, 1)));
        assert_eq!(
            lines(&from_text(&screen(["abcd", "efgh", "ijkl"], (0, 0)), 2, 2, View::default())),
            ["ab", "ef"]
        );
    }

    #[test]
    fn a_place_of_the_terminal_is_one_of_the_screen() {
        let text = screen(["abcd", "efgh", "ijkl"], (3, 2));
        for (size, at, expected) in [
            ((6, 5), (1, 1), (0, 0)),
            ((6, 5), (4, 3), (3, 2)),
            ((6, 5), (0, 0), (0, 0)),
            ((6, 5), (5, 4), (3, 2)),
            ((2, 2), (0, 0), (2, 1)),
            ((2, 2), (1, 1), (3, 2)),
        ] {
            let ((column, columns), (row, rows)) = place_in_text(&text, size, View::default(), at);
            assert_eq!(((column, row), (columns, rows)), (expected, (4, 3)), "{at:?} of {size:?}");
        }
    }

    #[test]
    fn the_part_that_is_shown_can_be_moved() {
        let text = screen(["abcd", "efgh", "ijkl"], (3, 2));
        let mut view = View::default();
        for (key, expected) in [
            (KeyCode::Left, ["fg", "jk"]),
            (KeyCode::Up, ["bc", "fg"]),
            (KeyCode::Left, ["ab", "ef"]),
            (KeyCode::Left, ["ab", "ef"]),
            (KeyCode::Down, ["ef", "ij"]),
            (KeyCode::Down, ["ef", "ij"]),
        ] {
            assert!(view.scroll(&text, (2, 2), key));
            assert_eq!(lines(&from_text(&text, 2, 2, view)), expected, "{key:?}");
        }
        assert!(!view.scroll(&text, (2, 2), KeyCode::Enter));
        // If everything fits nothing can be selected.
        assert_eq!(lines(&from_text(&text, 4, 3, view)), ["abcd", "efgh", "ijkl"]);
    }

    #[test]
    fn attributes_become_colours() {
        let mut text = screen(["abcd", "efgh", "ijkl"], (0, 0));
        text.colours[1] = 0x123456;
        let table = [
            (0x07, true, (Colour::Text(7), Colour::Text(0)), false),
            (0x1F, true, (Colour::Text(15), Colour::Exact(0x123456)), false),
            (0xCE, true, (Colour::Text(14), Colour::Text(4)), true),
            (0xCE, false, (Colour::Text(14), Colour::Text(12)), false),
        ];
        for (attribute, blink, colours, blinks) in table {
            text.blink = blink;
            let cell = text_cell(&text, 0xDB, attribute);
            assert_eq!(cell, Cell { character: '█', colours, blinks }, "{attribute:02X}");
        }
    }

    #[test]
    fn a_picture_is_averaged_into_half_blocks() {
        let frame = Frame {
            width: 4,
            height: 4,
            #[rustfmt::skip]
            pixels: vec![
                0xFF0000, 0xFF0000, 0x000000, 0xFFFFFF,
                0xFF0000, 0xFF0000, 0xFFFFFF, 0x000000,
                0x00FF00, 0x00FF00, 0x0000FF, 0x0000FF,
                0x00FF00, 0x00FF00, 0x0000FF, 0x0000FF,
            ],
            pixel_aspect: (1, 1),
            border: 0,
        };
        let grid = from_frame(&frame, 2, 1);
        let colours: Vec<_> = grid.cells.iter().map(|c| c.colours).collect();
        let exact = |a, b| (Colour::Exact(a), Colour::Exact(b));
        assert_eq!(colours, [exact(0xFF0000, 0x00FF00), exact(0x808080, 0x0000FF)]);
        for (columns, rows) in [(0, 0), (1, 1), (200, 3), (3, 200)] {
            assert_eq!(from_frame(&frame, columns, rows).cells.len(), columns * rows);
        }
    }
}
