//! INT 10h AH=01h, 02h, 03h, 05h: the cursor's shape and position, and the displayed page.
//!
//! Shapes are given for a CGA's cells of eight lines. Unless bit 0 of 0040:0087 is set, they are
//! scaled to the same appearance in taller cells. Source: Ralf Brown's interrupt list; the rule of
//! this emulation is IBM's.

use super::{area, mode_set, ports};
use crate::bios::data;
use crate::firmware::Guest;
use crate::hardware::Hardware;

/// AH=01h: first line (with bit 5: no cursor) and last line.
pub(super) fn set_shape(hw: &mut Hardware, first: u8, last: u8) {
    hw.memory.write16(data::CURSOR_SHAPE, u16::from_be_bytes([first, last]));
    apply_shape(hw);
}

/// Sets the CRTC's cursor to the shape in the data area, scaled to the character height.
pub(super) fn apply_shape(hw: &mut Hardware) {
    let [first, last] = hw.memory.read16(data::CURSOR_SHAPE).to_be_bytes();
    let emulated = hw.memory.read8(data::VIDEO_CONTROL) & 1 == 0 && mode_set::is_text(area::mode(hw));
    let height = area::character_height(hw);
    let (first, last) = if emulated { fit(first, last, height) } else { (first, last) };
    ports::crtc(hw, 0x0A, first);
    ports::crtc(hw, 0x0B, last);
}

/// Scales the cursor lines `first` to `last` from eight lines to a cell of `height` lines.
fn fit(first: u8, last: u8, height: u8) -> (u8, u8) {
    let bottom = height - 1;
    let hidden = first & 0x60 == 0x20;
    let fits_already = height <= 8 && last < height || last == bottom && first + 1 == bottom;
    if hidden || fits_already || last <= 3 && first <= last {
        return (first, last);
    }
    let (first, last) = (first & 0x1F, last & 0x1F);
    if last < first {
        // On a CGA such a cursor wraps: from `first` to the bottom and again from the top.
        return if last == 0 { (first, last) } else { (last, bottom) };
    }
    match last - first {
        // An underline of one to three lines, one line above the bottom if there is room.
        thickness @ 0..=2 => {
            let raised = u8::from(height > 12);
            let last = bottom - raised;
            (last.saturating_sub(thickness), last)
        }
        // A half block or a full block.
        _ if first > 2 => (height.div_ceil(2), bottom),
        _ => (0, bottom),
    }
}

/// AH=03h: the cursor's row and column on page BH, in DX, and its shape in CX.
pub(super) fn get_position(g: &mut Guest) {
    let (row, column) = area::cursor(g.hw, g.cpu.regs.bh());
    g.cpu.regs.set_dx(u16::from_be_bytes([row, column]));
    g.cpu.regs.set_cx(g.hw.memory.read16(data::CURSOR_SHAPE));
}

/// Moves the cursor: AH=02h, and every service that moves it.
#[inline]
pub(super) fn set_position(hw: &mut Hardware, page: u8, row: u8, column: u8) {
    hw.memory.write16(data::CURSORS + u32::from(page & 7) * 2, u16::from_le_bytes([column, row]));
    if page == hw.memory.read8(data::ACTIVE_PAGE) {
        show(hw, row, column);
    }
}

/// Moves the CRTC's cursor on the displayed page.
#[inline]
fn show(hw: &mut Hardware, row: u8, column: u8) {
    let start = hw.memory.read16(data::PAGE_START) / 2;
    let cell = u16::from(row) * u16::from(area::columns(hw)) + u16::from(column);
    hw.vga.set_cursor_address(start.wrapping_add(cell));
}

/// AH=05h: shows a page and its cursor.
pub(super) fn select_page(hw: &mut Hardware, page: u8) {
    let page = page & 7;
    let mode = area::mode(hw);
    let start = area::page_start(hw, page);
    hw.memory.write8(data::ACTIVE_PAGE, page);
    hw.memory.write16(data::PAGE_START, start);
    // Text modes count cells of two bytes, the planes bytes.
    ports::crtc_word(hw, 0x0C, if mode < 8 { start / 2 } else { start });
    let (row, column) = area::cursor(hw, page);
    show(hw, row, column);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_fitted() {
        let rows = [
            ((0x06, 0x07), 16, (0x0D, 0x0E)),
            ((0x06, 0x07), 14, (0x0B, 0x0C)),
            ((0x06, 0x07), 8, (0x06, 0x07)),
            ((0x0B, 0x0C), 16, (0x0D, 0x0E)),
            ((0x0D, 0x0E), 16, (0x0D, 0x0E)),
            ((0x0D, 0x0E), 8, (0x06, 0x07)),
            ((0x00, 0x07), 16, (0x00, 0x0F)),
            ((0x00, 0x0F), 16, (0x00, 0x0F)),
            ((0x04, 0x07), 16, (0x08, 0x0F)),
            ((0x07, 0x07), 16, (0x0E, 0x0E)),
            ((0x00, 0x01), 16, (0x00, 0x01)),
            ((0x20, 0x00), 16, (0x20, 0x00)),
            ((0x26, 0x07), 16, (0x26, 0x07)),
        ];
        for ((first, last), height, expected) in rows {
            assert_eq!(fit(first, last, height), expected, "{first:02X} {last:02X} in {height} lines");
        }
    }
}
