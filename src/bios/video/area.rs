//! The video fields of the BIOS data area at 0040:, by linear address, and words of it that are used together.
//!
//! Source: Ralf Brown's memory list, segment 0040h.

use crate::hardware::Hardware;

/// Equipment word: bits 4 and 5 are the kind of display at power-on.
pub(super) const EQUIPMENT: u32 = 0x410;
/// Video mode.
pub(super) const MODE: u32 = 0x449;
/// Columns (word).
pub(super) const COLUMNS: u32 = 0x44A;
/// Bytes of a page (word).
pub(super) const PAGE_LENGTH: u32 = 0x44C;
/// Offset of the page that is shown (word).
pub(super) const PAGE_START: u32 = 0x44E;
/// Column and row of the cursor on each of eight pages.
pub(super) const CURSORS: u32 = 0x450;
/// Last and first line of the cursor, as asked for by the program.
pub(super) const CURSOR_SHAPE: u32 = 0x460;
/// The page that is shown.
pub(super) const PAGE: u32 = 0x462;
/// Base port of the CRTC (word).
pub(super) const CRTC_PORT: u32 = 0x463;
/// What the CGA's port 3D8h would hold.
pub(super) const MODE_CONTROL: u32 = 0x465;
/// What the CGA's port 3D9h would hold.
pub(super) const CGA_PALETTE: u32 = 0x466;
/// Rows less one.
pub(super) const LAST_ROW: u32 = 0x484;
/// Scan lines of a character (word).
pub(super) const CHARACTER_HEIGHT: u32 = 0x485;
/// Bit 7: the last mode set kept the memory; 6 and 5: 256 KiB; 1: monochrome; 0: the cursor is not emulated.
pub(super) const CONTROL: u32 = 0x487;
/// Feature bits and switches.
pub(super) const SWITCHES: u32 = 0x488;
/// Bits 7 and 4: scan lines (0: 350, 10h: 400, 80h: 200); 3: palette not loaded; 2: monochrome; 1: grey; 0: VGA.
pub(super) const VGA_FLAGS: u32 = 0x489;
/// Index into the display combination table.
pub(super) const COMBINATION: u32 = 0x48A;
/// Far pointer to the save pointer table.
pub(super) const SAVE_POINTER: u32 = 0x4A8;

/// Row and column of the cursor on a page.
pub(super) fn cursor(hw: &Hardware, page: u8) -> (u8, u8) {
    let [column, row] = hw.memory.read16(CURSORS + u32::from(page & 7) * 2).to_le_bytes();
    (row, column)
}

/// Columns of the screen, 1 to 255.
pub(super) fn columns(hw: &Hardware) -> u8 {
    hw.memory.read8(COLUMNS).max(1)
}

/// The number of the last row.
pub(super) fn last_row(hw: &Hardware) -> u8 {
    hw.memory.read8(LAST_ROW)
}

/// Scan lines of a character, 1 to 32.
pub(super) fn character_height(hw: &Hardware) -> u8 {
    hw.memory.read8(CHARACTER_HEIGHT).clamp(1, 32)
}

/// The offset in video memory at which a page begins.
pub(super) fn page_start(hw: &Hardware, page: u8) -> u16 {
    u16::from(page).wrapping_mul(hw.memory.read16(PAGE_LENGTH))
}

/// Bit 7 of the control byte as it stands in the answers: the mode was set without clearing.
pub(super) fn mode(hw: &Hardware) -> u8 {
    hw.memory.read8(MODE) & 0x7F
}
