//! Screen services for console drivers besides teletype output: size, cursor, characters with an
//! attribute, clearing.

use super::{area, characters, cursor, mode_set};
use crate::hardware::Hardware;

/// Returns the numbers of the last row and of the last column.
pub(crate) fn last_cell(hw: &Hardware) -> (u8, u8) {
    (area::last_row(hw), area::columns(hw) - 1)
}

/// Returns row and column of the cursor on the displayed page.
pub(crate) fn cursor(hw: &Hardware) -> (u8, u8) {
    area::cursor(hw, area::active_page(hw))
}

/// Moves the cursor on the displayed page.
pub(crate) fn set_cursor(hw: &mut Hardware, row: u8, column: u8) {
    cursor::set_position(hw, area::active_page(hw), row, column);
}

/// Writes a character at the cursor, which does not move.
pub(crate) fn put(hw: &mut Hardware, character: u8, attribute: u8) {
    let page = area::active_page(hw);
    if mode_set::is_text(area::mode(hw)) {
        characters::write(hw, character, Some(attribute), page, 1);
    }
}

/// Clears the columns `left` to `right` of the rows `top` to `bottom`.
pub(crate) fn blank(hw: &mut Hardware, (top, left): (u8, u8), (bottom, right): (u8, u8), attribute: u8) {
    let fill = if mode_set::is_text(area::mode(hw)) { attribute } else { 0 };
    let page = area::active_page(hw);
    characters::scroll(hw, page, characters::Window { top, left, bottom, right }, 0, fill, true);
}

pub(crate) fn set_mode(hw: &mut Hardware, mode: u8) {
    mode_set::set_mode(hw, mode);
}

/// Whether the adapter has a mode.
pub(crate) fn has_mode(hw: &Hardware, mode: u8) -> bool {
    mode_set::has_mode(hw, mode)
}
