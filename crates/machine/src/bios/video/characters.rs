//! INT 10h AH=06h to 0Ah, 0Eh, 13h: characters on text screens. On graphics screens `pixels` does
//! the work.
//!
//! Teletype output in text modes is the fast path of the console: it writes one cell, moves one
//! cursor, and scrolls in place when the screen is full.

use super::{area, cursor, mode_set, pixels};
use crate::hardware::Hardware;
use oxbox_cpu::Bus;

const BELL: u8 = 0x07;
const BACKSPACE: u8 = 0x08;
const LINE_FEED: u8 = 0x0A;
const CARRIAGE_RETURN: u8 = 0x0D;

/// A rectangle of cells, edges included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) top: u8,
    pub(super) left: u8,
    pub(super) bottom: u8,
    pub(super) right: u8,
}

/// Returns the linear address of a cell of a text page.
#[inline]
pub(super) fn cell_address(hw: &Hardware, page: u8, row: u8, column: u8) -> u32 {
    let base = if area::mode(hw) == 7 { 0xB_0000 } else { 0xB_8000 };
    let cell = u32::from(row) * u32::from(area::columns(hw)) + u32::from(column);
    base + ((u32::from(area::page_start(hw, page)) + cell * 2) & 0x7FFF)
}

/// AH=0Eh: writes a character at the cursor of a page, or executes BEL, BS, LF and CR, and scrolls
/// at the end. In text modes cells keep their attribute; in graphics modes `attribute` is the
/// colour. Returns whether a beep is needed (BEL).
///
/// The IBM BIOS tests for equality with the last row and column (Technical Reference of the PC XT,
/// listing of VIDEO_IO). A cursor beyond them continues there, and its row and column wrap at 256.
pub(crate) fn teletype(hw: &mut Hardware, character: u8, attribute: u8, page: u8) -> bool {
    hw.teletype_log.push(character);
    let page = page & 7;
    let (mut row, mut column) = area::cursor(hw, page);
    let mut goes_down = false;
    match character {
        BELL => return true,
        BACKSPACE => column = column.saturating_sub(1),
        CARRIAGE_RETURN => column = 0,
        LINE_FEED => goes_down = true,
        _ => {
            if mode_set::is_text(area::mode(hw)) {
                let at = cell_address(hw, page, row, column);
                hw.vga.write8(at, character);
            } else {
                pixels::draw_glyph(hw, page, (row, column), character, attribute);
            }
            column = column.wrapping_add(1);
            if column == area::columns(hw) {
                (column, goes_down) = (0, true);
            }
        }
    }
    if goes_down && row == area::last_row(hw) {
        scroll_in_a_line(hw, page, row, column);
    } else if goes_down {
        row = row.wrapping_add(1);
    }
    cursor::set_position(hw, page, row, column);
    false
}

/// Whether teletype output executes a character.
fn is_control(character: u8) -> bool {
    matches!(character, BELL | BACKSPACE | LINE_FEED | CARRIAGE_RETURN)
}

/// Writes characters at the cursor of a page, like [`teletype`] one after the other. Returns whether
/// a beep is needed.
pub(crate) fn teletype_all(hw: &mut Hardware, mut characters: &[u8], attribute: u8, page: u8) -> bool {
    let mut beeps = false;
    while let [first, rest @ ..] = characters {
        match write_in_row(hw, characters, page) {
            0 => {
                beeps |= teletype(hw, *first, attribute, page);
                characters = rest;
            }
            written => characters = &characters[written..],
        }
    }
    beeps
}

/// Writes the characters before the first control character and before the row's last column, if
/// the cells are plain text memory. Returns their number.
fn write_in_row(hw: &mut Hardware, characters: &[u8], page: u8) -> usize {
    let page = page & 7;
    let (row, column) = area::cursor(hw, page);
    let room = usize::from(area::columns(hw)).saturating_sub(usize::from(column) + 1);
    let count = characters.iter().take(room).take_while(|character| !is_control(**character)).count();
    if count < 2 || !mode_set::is_text(area::mode(hw)) {
        return 0;
    }
    let at = cell_address(hw, page, row, column);
    let Some(cells) = hw.vga.text_cells(at, count) else { return 0 };
    for (cell, &character) in cells.chunks_exact_mut(2).zip(characters) {
        cell[0] = cell[0] & !0xFF | u32::from(character);
    }
    characters[..count].iter().for_each(|&character| hw.teletype_log.push(character));
    cursor::set_position(hw, page, row, column + count as u8);
    count
}

/// Scrolls a page up by one line. The new line has the attribute of the cell under the cursor; in
/// graphics colour 0.
#[inline(never)]
fn scroll_in_a_line(hw: &mut Hardware, page: u8, row: u8, column: u8) {
    let fill = if mode_set::is_text(area::mode(hw)) {
        let at = cell_address(hw, page, row, column);
        hw.vga.read8(at + 1)
    } else {
        0
    };
    let screen = Window { top: 0, left: 0, bottom: row, right: area::columns(hw) - 1 };
    scroll(hw, page, screen, 1, fill, true);
}

/// AH=06h (up) and 07h (down): scrolls a window by a number of rows, or clears it if the number is
/// 0 or its height. `fill` is the attribute of the new rows, in graphics modes their colour.
pub(super) fn scroll(hw: &mut Hardware, page: u8, window: Window, by: u8, fill: u8, up: bool) {
    let right = window.right.min(area::columns(hw) - 1);
    let bottom = window.bottom.min(area::last_row(hw));
    let window = Window { right, bottom, ..window };
    if window.left > right || window.top > bottom {
        return;
    }
    let height = bottom - window.top + 1;
    let by = if by == 0 || by > height { height } else { by };
    if !mode_set::is_text(area::mode(hw)) {
        pixels::scroll(hw, page, window, by, fill, up);
        return;
    }
    let width = usize::from(right - window.left) + 1;
    let blank = u16::from_le_bytes([b' ', fill]);
    let start = cell_address(hw, page, window.top, window.left);
    let pitch = usize::from(area::columns(hw));
    let cells = usize::from(height - 1) * pitch + width;
    if let Some(cells) = hw.vga.text_cells(start, cells) {
        scroll_cells(cells, (pitch * 2, width * 2), usize::from(by), blank, up);
        return;
    }
    let row_at = |hw: &Hardware, i: u8| {
        let row = if up { window.top + i } else { bottom - i };
        cell_address(hw, page, row, window.left)
    };
    for i in 0..height {
        let to = row_at(hw, i);
        let from = (i < height - by).then(|| row_at(hw, i + by));
        for at in (0..width as u32 * 2).step_by(2) {
            let cell = from.map_or(blank, |from| hw.vga.read16(from + at));
            hw.vga.write16(to + at, cell);
        }
    }
}

/// Scrolls a window, given as the words of the planes from its first cell to its last. `pitch` is
/// the distance of two rows and `width` the length of a row, in words.
fn scroll_cells(cells: &mut [u32], (pitch, width): (usize, usize), by: usize, blank: u16, up: bool) {
    let height = cells.len().div_ceil(pitch);
    let row_at = |i: usize| if up { i * pitch } else { (height - 1 - i) * pitch };
    for i in 0..height - by {
        let (to, from) = (row_at(i), row_at(i + by));
        let (first, second) = cells.split_at_mut(to.max(from));
        if up {
            merge(&mut first[to..to + width], &second[..width], &CELL);
        } else {
            merge(&mut second[..width], &first[from..from + width], &CELL);
        }
    }
    for i in height - by..height {
        for cell in cells[row_at(i)..][..width].chunks_exact_mut(2) {
            cell[0] = cell[0] & !CELL[0] | u32::from(blank);
        }
    }
}

/// The bits of four cells in the words of the planes.
const CELL: [u32; 8] = [0xFFFF, 0, 0xFFFF, 0, 0xFFFF, 0, 0xFFFF, 0];

/// Copies the bits of a mask. The mask is not a constant for the compiler, so that it vectorizes
/// the loop: a scroll of the screen then takes a fifth of the time.
#[inline(never)]
fn merge(to: &mut [u32], from: &[u32], mask: &[u32; 8]) {
    let (to, to_rest) = to.as_chunks_mut::<8>();
    let (from, from_rest) = from.as_chunks::<8>();
    for (to, from) in to.iter_mut().zip(from) {
        for i in 0..8 {
            to[i] = to[i] & !mask[i] | from[i] & mask[i];
        }
    }
    for ((to, from), mask) in to_rest.iter_mut().zip(from_rest).zip(mask) {
        *to = *to & !mask | from & mask;
    }
}

/// AH=08h: returns character and attribute at the cursor. In graphics modes the character whose
/// glyph is there, or 0.
pub(super) fn read(hw: &mut Hardware, page: u8) -> (u8, u8) {
    let (row, column) = area::cursor(hw, page);
    if mode_set::is_text(area::mode(hw)) {
        let at = cell_address(hw, page, row, column);
        let [character, attribute] = hw.vga.read16(at).to_le_bytes();
        (character, attribute)
    } else {
        (pixels::read_glyph(hw, page, (row, column)), 0)
    }
}

/// AH=09h and 0Ah: writes the same character `count` times from the cursor, which does not move.
/// Without an attribute cells keep theirs. In mode 13h `page` is the background colour.
pub(super) fn write(hw: &mut Hardware, character: u8, attribute: Option<u8>, page: u8, count: u16) {
    let (row, column) = area::cursor(hw, page);
    if !mode_set::is_text(area::mode(hw)) {
        // Characters continue on the next rows, up to the end of the screen.
        let columns = u16::from(area::columns(hw));
        let first = u16::from(row) * columns + u16::from(column);
        let cells = (u16::from(area::last_row(hw)) + 1) * columns;
        for cell in first..first.saturating_add(count).min(cells) {
            let place = ((cell / columns) as u8, (cell % columns) as u8);
            pixels::draw_glyph(hw, page, place, character, attribute.unwrap_or(0));
        }
        return;
    }
    let page = page & 7;
    let base = cell_address(hw, page, row, column);
    for i in 0..u32::from(count.min(0x4000)) {
        // Past the end of the buffer it continues at its start.
        let at = base & !0x7FFF | (base + i * 2) & 0x7FFF;
        hw.vga.write8(at, character);
        if let Some(attribute) = attribute {
            hw.vga.write8(at + 1, attribute);
        }
    }
}

/// AH=13h: writes a string at a position. Option bit 0: the cursor moves with it; bit 1: every
/// character is followed by its attribute. Returns whether it contains a BEL.
pub(super) fn write_string(
    hw: &mut Hardware,
    from: u32,
    length: u16,
    options: u8,
    attribute: u8,
    (page, row, column): (u8, u8, u8),
) -> bool {
    let before = area::cursor(hw, page);
    cursor::set_position(hw, page, row, column);
    let stride = if options & 2 != 0 { 2 } else { 1 };
    let mut bell = false;
    for at in (from..).step_by(stride as usize).take(usize::from(length)) {
        let character = hw.read8(at);
        let attribute = if stride == 2 { hw.read8(at + 1) } else { attribute };
        if !is_control(character) {
            write(hw, character, Some(attribute), page, 1);
        }
        bell |= teletype(hw, character, attribute, page);
    }
    if options & 1 == 0 {
        cursor::set_position(hw, page, before.0, before.1);
    }
    bell
}
