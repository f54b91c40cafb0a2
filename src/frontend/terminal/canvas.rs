//! A screen of cells for drawing text: areas, styled lines and frames with titles. Pure.
//!
//! Everything is clipped to its area. [`super::TerminalScreen`] shows a finished canvas.

use super::cells::{Cell, Colour, Grid};

/// Foreground and background.
pub(crate) type Style = (Colour, Colour);

pub(crate) const PLAIN: Style = (Colour::Text(7), Colour::Text(0));
/// Black on grey.
pub(crate) const MARKED: Style = (Colour::Text(0), Colour::Text(7));
pub(crate) const YELLOW: Style = (Colour::Text(14), Colour::Text(0));
pub(crate) const BRIGHT: Style = (Colour::Text(15), Colour::Text(0));

/// A rectangle of cells: its first column and row, and its size.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) column: usize,
    pub(crate) row: usize,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

impl Area {
    pub(crate) fn contains(&self, column: usize, row: usize) -> bool {
        (self.column..self.column + self.columns).contains(&column)
            && (self.row..self.row + self.rows).contains(&row)
    }

    /// Splits after `rows` rows, or at the end.
    pub(crate) fn split_rows(self, rows: usize) -> (Area, Area) {
        let rows = rows.min(self.rows);
        (Area { rows, ..self }, Area { row: self.row + rows, rows: self.rows - rows, ..self })
    }

    /// Splits after `columns` columns, or at the end.
    pub(crate) fn split_columns(self, columns: usize) -> (Area, Area) {
        let columns = columns.min(self.columns);
        let right = Area { column: self.column + columns, columns: self.columns - columns, ..self };
        (Area { columns, ..self }, right)
    }
}

/// A line of text in one or more styles.
pub(crate) struct Line(Vec<(String, Style)>);

impl Line {
    pub(crate) fn plain(text: impl Into<String>) -> Line {
        Line::styled(text, PLAIN)
    }

    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Line {
        Line(vec![(text.into(), style)])
    }
}

impl FromIterator<(String, Style)> for Line {
    fn from_iter<T: IntoIterator<Item = (String, Style)>>(parts: T) -> Line {
        Line(parts.into_iter().collect())
    }
}

/// Returns the character to draw. A tab becomes a blank. Other control characters could command the
/// terminal and become the replacement character.
fn drawn(character: char) -> char {
    match character {
        '\t' => ' ',
        _ if character.is_control() => char::REPLACEMENT_CHARACTER,
        _ => character,
    }
}

pub(crate) struct Canvas(Grid);

impl Canvas {
    pub(crate) fn new(columns: usize, rows: usize) -> Canvas {
        Canvas(Grid::blank(columns, rows))
    }

    pub(crate) fn area(&self) -> Area {
        Area { column: 0, row: 0, columns: self.0.columns, rows: self.0.rows }
    }

    pub(crate) fn lines(&mut self, area: Area, lines: &[Line]) {
        for (row, line) in lines.iter().enumerate().take(area.rows) {
            let cells = line
                .0
                .iter()
                .flat_map(|(text, colours)| text.chars().map(|character| (character, *colours)))
                .map(|(character, colours)| Cell { character: drawn(character), colours, blinks: false });
            self.row(area, row, cells);
        }
    }

    /// Draws plain text, which may have several lines.
    pub(crate) fn text(&mut self, area: Area, text: &str) {
        let lines: Vec<Line> = text.lines().map(Line::plain).collect();
        self.lines(area, &lines);
    }

    /// Draws a rule with a title and returns the area below it.
    pub(crate) fn titled(&mut self, area: Area, title: &str) -> Area {
        let (top, inside) = area.split_rows(1);
        let title = format!(" {title} ");
        let rule = "─".repeat(area.columns.saturating_sub(title.chars().count()));
        self.lines(top, &[Line::from_iter([(title, BRIGHT), (rule, PLAIN)])]);
        inside
    }

    /// Clears an area and draws a box with a title in it. Returns the area inside.
    pub(crate) fn boxed(&mut self, area: Area, title: &str) -> Area {
        let inner = area.columns.saturating_sub(2);
        let rule: String = format!(" {title} {}", "─".repeat(inner)).chars().take(inner).collect();
        let (top, below) = area.split_rows(1);
        let (middle, bottom) = below.split_rows(below.rows.saturating_sub(1));
        self.text(top, &format!("┌{rule}┐"));
        self.text(middle, &format!("│{:inner$}│\n", "").repeat(middle.rows));
        self.text(bottom, &format!("└{}┘", "─".repeat(inner)));
        middle.split_columns(1).1.split_columns(inner).0
    }

    pub(super) fn paste(&mut self, area: Area, grid: &Grid) {
        for (row, cells) in grid.cells.chunks(grid.columns.max(1)).enumerate().take(area.rows) {
            self.row(area, row, cells.iter().copied());
        }
    }

    pub(super) fn into_grid(self) -> Grid {
        self.0
    }

    #[cfg(test)]
    pub(crate) fn characters(&self) -> Vec<String> {
        self.0
            .cells
            .chunks(self.0.columns)
            .map(|row| row.iter().map(|cell| cell.character).collect())
            .collect()
    }

    fn row(&mut self, area: Area, row: usize, cells: impl Iterator<Item = Cell>) {
        let start = (area.row + row) * self.0.columns + area.column;
        let room = self.0.cells.iter_mut().skip(start).take(area.columns);
        room.zip(cells).for_each(|(cell, new)| *cell = new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_stay_in_their_area() {
        let mut canvas = Canvas::new(8, 4);
        let (left, right) = canvas.area().split_columns(5);
        let inside = canvas.titled(right, "ab");
        assert_eq!(inside, Area { column: 5, row: 1, columns: 3, rows: 3 });
        canvas.text(inside, "123456\n7");
        let inside = canvas.boxed(left, "t");
        assert_eq!(inside, Area { column: 1, row: 1, columns: 3, rows: 2 });
        canvas.lines(inside, &[Line::plain("xyzzy"), Line::styled("u", MARKED), Line::plain("below")]);
        assert_eq!(canvas.characters(), ["┌ t ┐ ab", "│xyz│123", "│u  │7  ", "└───┘   "]);
    }

    #[test]
    fn no_area_is_too_small() {
        for (columns, rows) in [(0, 0), (1, 1), (2, 1), (1, 3)] {
            let mut canvas = Canvas::new(columns, rows);
            let inside = canvas.boxed(canvas.area(), "title");
            let inside = canvas.titled(inside, "title");
            canvas.text(inside, "text\ntext");
        }
    }

    #[test]
    fn a_text_cannot_command_the_terminal() {
        let mut canvas = Canvas::new(6, 1);
        canvas.lines(canvas.area(), &[Line::plain("a\u{1b}[\t\u{9b}b")]);
        assert_eq!(canvas.characters(), ["a\u{fffd}[ \u{fffd}b"]);
    }
}
