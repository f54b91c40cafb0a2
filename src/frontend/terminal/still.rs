//! The guest's current screen in an area of the debugger's.

use super::canvas::{Area, Canvas};
use super::cells::{self, View};
use oxbox::machine::Machine;

/// Draws the screen: text around the cursor if the area is smaller, pictures as half blocks.
pub(crate) fn draw(machine: &Machine, canvas: &mut Canvas, area: Area) {
    let grid = match machine.text() {
        Some(text) => cells::from_text(&text, area.columns, area.rows, View::default()),
        None => cells::from_frame(&machine.frame(), area.columns, area.rows),
    };
    canvas.paste(area, &grid);
}

/// Returns the object at a position of this area, in the syntax of `who`: `ROW,COL` or `pixel X,Y`.
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
            // The pixel in the middle of the position's area.
            let pixel =
                |at: u32, room: u32, size: usize| (2 * at as usize + 1) * size / (2 * room.max(1) as usize);
            format!("pixel {},{}", pixel(x, width, frame.width), pixel(y, height, frame.height))
        }
    }
}
