//! The mouse's cursor: drawn into video memory, over contents that are saved and restored.

use super::shapes::{Drawn, SIZE, TextCursor};
use super::state::{Driver, WIDTH};
use crate::bios::video::pointer;
use crate::hardware::Hardware;

impl Driver {
    /// Restores what the cursor covers.
    pub(super) fn hide(&mut self, hw: &mut Hardware) {
        match self.drawn.take() {
            // If the program has written there since, its data stays.
            Some(Drawn::Cell { page, row, column, before, drawn })
                if pointer::cell(hw, page, row, column) == Some(drawn) =>
            {
                pointer::set_cell(hw, page, row, column, before);
            }
            Some(Drawn::Pixels { page, x, y, width, before }) => {
                pointer::set_pixels(hw, page, (x, y), width, &before);
            }
            _ => {}
        }
    }

    pub(super) fn show(&mut self, hw: &mut Hardware) {
        let excluded = self.exclusion.is_some_and(|(left, top, right, bottom)| {
            (left..=right).contains(&self.x) && (top..=bottom).contains(&self.y)
        });
        if self.shown < 0 || excluded || self.drawn.is_some() {
            return;
        }
        match pointer::cells(hw) {
            Some((columns, _)) => {
                let column = (u32::from(self.x) * u32::from(columns) / u32::from(WIDTH)) as u8;
                self.show_in_text(hw, (self.y / 8) as u8, column);
            }
            None => self.show_in_graphics(hw),
        }
    }

    fn show_in_text(&mut self, hw: &mut Hardware, row: u8, column: u8) {
        let TextCursor::Cell { screen, cursor } = self.text else {
            pointer::set_hardware_cursor(hw, row, column);
            return;
        };
        let Some(before) = pointer::cell(hw, self.page, row, column) else { return };
        let drawn = before & screen ^ cursor;
        pointer::set_cell(hw, self.page, row, column, drawn);
        self.drawn = Some(Drawn::Cell { page: self.page, row, column, before, drawn });
    }

    fn show_in_graphics(&mut self, hw: &mut Hardware) {
        let Some((width, height)) = pointer::pixels(hw) else { return };
        let left =
            (u32::from(self.x) * u32::from(width) / u32::from(WIDTH)) as i32 - i32::from(self.graphic.hot_x);
        let top = i32::from(self.y) - i32::from(self.graphic.hot_y);
        // The part of the 16 by 16 pixels that is on the screen.
        let (size, width, height) = (i32::from(SIZE), i32::from(width), i32::from(height));
        let (x, right) = (left.clamp(0, width), (left + size).clamp(0, width));
        let (y, bottom) = (top.clamp(0, height), (top + size).clamp(0, height));
        if x >= right || y >= bottom {
            return;
        }
        let (at, part) = ((x as u16, y as u16), (right - x) as u16);
        let before = pointer::read_pixels(hw, self.page, at, part, (bottom - y) as u16);
        let mut drawn = before.clone();
        for (line, row) in drawn.chunks_exact_mut(usize::from(part)).enumerate() {
            let line = line + (y - top) as usize;
            let (screen, cursor) = (self.graphic.screen[line], self.graphic.cursor[line]);
            for (dot, pixel) in row.iter_mut().enumerate() {
                let bit = 0x8000 >> (dot as i32 + x - left);
                let kept = if screen & bit != 0 { *pixel } else { 0 };
                *pixel = kept ^ if cursor & bit != 0 { 0x0F } else { 0 };
            }
        }
        pointer::set_pixels(hw, self.page, at, part, &drawn);
        self.drawn = Some(Drawn::Pixels { page: self.page, x: at.0, y: at.1, width: part, before });
    }
}
