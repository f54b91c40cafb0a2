//! Accessors for the video fields of the BIOS data area.

use crate::bios::data::{ACTIVE_PAGE, CHARACTER_HEIGHT, COLUMNS, CURSORS, LAST_ROW, PAGE_LENGTH, VIDEO_MODE};
use crate::hardware::Hardware;
use crate::hardware::vga::Adapter;

/// The number of the last row on a CGA: its data area has no field for it.
const CGA_LAST_ROW: u8 = 24;
const CGA_CHARACTER_HEIGHT: u8 = 8;

pub(crate) fn active_page(hw: &Hardware) -> u8 {
    hw.memory.read8(ACTIVE_PAGE)
}

/// Returns row and column of the cursor on a page.
pub(super) fn cursor(hw: &Hardware, page: u8) -> (u8, u8) {
    let [column, row] = hw.memory.read16(CURSORS + u32::from(page & 7) * 2).to_le_bytes();
    (row, column)
}

/// Returns the columns of the screen, 1 to 255.
pub(super) fn columns(hw: &Hardware) -> u8 {
    hw.memory.read8(COLUMNS).max(1)
}

pub(super) fn last_row(hw: &Hardware) -> u8 {
    if hw.vga.kind() == Adapter::Cga { CGA_LAST_ROW } else { hw.memory.read8(LAST_ROW) }
}

/// Returns the scan lines of a character, 1 to 32.
pub(super) fn character_height(hw: &Hardware) -> u8 {
    match hw.vga.kind() {
        Adapter::Cga => CGA_CHARACTER_HEIGHT,
        _ => hw.memory.read8(CHARACTER_HEIGHT).clamp(1, 32),
    }
}

/// Returns the offset of a page in video memory.
pub(super) fn page_start(hw: &Hardware, page: u8) -> u16 {
    u16::from(page).wrapping_mul(hw.memory.read16(PAGE_LENGTH))
}

pub(super) fn mode(hw: &Hardware) -> u8 {
    hw.memory.read8(VIDEO_MODE) & 0x7F
}
