//! The guest's screen as it stands, in a part of a screen that ratatui draws: the debugger's.

use ratatui::backend::FromCrossterm;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

use super::cells::{self, View};
use super::paint::{self, Depth};
use oxbox::machine::Machine;

/// The screen in so many columns and rows: text around the cursor where that is smaller, pictures by half blocks.
pub(crate) fn lines(machine: &Machine, columns: usize, rows: usize) -> Vec<Line<'static>> {
    let depth = Depth::of_environment(|name| std::env::var(name).ok());
    let grid = match machine.text() {
        Some(text) => cells::from_text(&text, columns, rows, View::default()),
        None => cells::from_frame(&machine.frame(), columns, rows),
    };
    let span = |cell: &cells::Cell| Span::styled(paint::shown(*cell, depth).to_string(), style(cell, depth));
    grid.cells.chunks(columns.max(1)).map(|row| Line::from_iter(row.iter().map(span))).collect()
}

/// What stands at a place of those lines, as it is asked for: `ROW,COL` or `pixel X,Y`.
pub(crate) fn what_is_at(
    machine: &Machine,
    (columns, rows): (usize, usize),
    (column, row): (usize, usize),
) -> String {
    match machine.text() {
        Some(text) => {
            let ((column, _), (row, _)) =
                cells::place_in_text(&text, (columns, rows), View::default(), (column, row));
            format!("{row},{column}")
        }
        None => {
            let frame = machine.frame();
            let ((x, width), (y, height)) = cells::place_in_frame(&frame, (columns, rows), (column, row));
            // The pixel in the middle of what the place shows.
            let pixel =
                |at: u32, room: u32, size: usize| (2 * at as usize + 1) * size / (2 * room.max(1) as usize);
            format!("pixel {},{}", pixel(x, width, frame.width), pixel(y, height, frame.height))
        }
    }
}

fn style(cell: &cells::Cell, depth: Depth) -> Style {
    if depth == Depth::Mono {
        return Style::new();
    }
    let colour = |colour| Color::from_crossterm(paint::ansi(colour, depth));
    Style::new().fg(colour(cell.colours.0)).bg(colour(cell.colours.1))
}
