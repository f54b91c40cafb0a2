//! Screen access for the mouse driver: cells and pixels under its cursor, in any state of the
//! display.

use super::{area, characters, cursor, mode_set, pixels, ports};
use crate::bios::data;
use crate::hardware::Hardware;

/// Returns columns and rows of a text screen; `None` in graphics.
pub(crate) fn cells(hw: &Hardware) -> Option<(u8, u8)> {
    mode_set::is_text(area::mode(hw)).then(|| (area::columns(hw), area::last_row(hw).saturating_add(1)))
}

/// Returns width and height of a graphics screen; `None` in text.
pub(crate) fn pixels(hw: &Hardware) -> Option<(u16, u16)> {
    let mode = area::mode(hw);
    let height = match mode {
        0x04..=0x06 | 0x0D | 0x0E | 0x13 => 200,
        0x0F | 0x10 => 350,
        0x11 | 0x12 => 480,
        _ => return None,
    };
    Some((u16::from(area::columns(hw)) * 8, height))
}

/// Returns the height of the mouse's coordinates.
pub(crate) fn height(hw: &Hardware) -> u16 {
    match cells(hw) {
        Some((_, rows)) => u16::from(rows) * 8,
        None => pixels(hw).map_or(200, |(_, height)| height),
    }
}

/// Returns a cell of a text page; `None` if it does not exist.
pub(crate) fn cell(hw: &mut Hardware, page: u8, row: u8, column: u8) -> Option<u16> {
    let at = address(hw, page, row, column)?;
    Some(hw.vga.read16(at))
}

pub(crate) fn set_cell(hw: &mut Hardware, page: u8, row: u8, column: u8, cell: u16) {
    if let Some(at) = address(hw, page, row, column) {
        hw.vga.write16(at, cell);
    }
}

fn address(hw: &Hardware, page: u8, row: u8, column: u8) -> Option<u32> {
    let (columns, rows) = cells(hw)?;
    (row < rows && column < columns).then(|| characters::cell_address(hw, page, row, column))
}

/// Moves the display's cursor without changing the BIOS's data.
pub(crate) fn set_hardware_cursor(hw: &mut Hardware, row: u8, column: u8) {
    let cell = u16::from(row) * u16::from(area::columns(hw)) + u16::from(column);
    hw.vga.set_cursor_address(area::page_start(hw, area::active_page(hw)) / 2 + cell);
}

/// Sets the shape of the display's cursor, as INT 10h/01h does.
pub(crate) fn set_hardware_shape(hw: &mut Hardware, first: u8, last: u8) {
    cursor::set_shape(hw, first, last);
}

/// Returns the first and the last line of the hardware cursor.
pub(crate) fn hardware_shape(hw: &Hardware) -> (u8, u8) {
    let [last, first] = hw.memory.read16(data::CURSOR_SHAPE).to_le_bytes();
    (first, last)
}

/// Returns the colours of a rectangle, line by line.
pub(crate) fn read_pixels(
    hw: &mut Hardware,
    page: u8,
    (x, y): (u16, u16),
    width: u16,
    height: u16,
) -> Vec<u8> {
    undisturbed(hw, |hw| {
        let places = (y..y + height).flat_map(|y| (x..x + width).map(move |x| (x, y)));
        places.map(|(x, y)| pixels::read_pixel(hw, page, x, y)).collect()
    })
}

/// Writes the colours of a rectangle, line by line.
pub(crate) fn set_pixels(hw: &mut Hardware, page: u8, (x, y): (u16, u16), width: u16, colours: &[u8]) {
    undisturbed(hw, |hw| {
        for (line, row) in colours.chunks(usize::from(width.max(1))).enumerate() {
            for (dot, &colour) in row.iter().enumerate() {
                pixels::write_pixel(hw, page, x + dot as u16, y + line as u16, colour);
            }
        }
    });
}

const GRAPHICS_INDEX: u16 = 0x3CE;
const SEQUENCER_INDEX: u16 = 0x3C4;
const MAP_MASK: u8 = 2;

/// Runs `act` with the graphics controller and the map mask as after a mode set, then restores
/// both: the driver interrupts the program at any point.
fn undisturbed<T>(hw: &mut Hardware, act: impl FnOnce(&mut Hardware) -> T) -> T {
    const NEUTRAL: [(u8, u8); 4] = [(0, 0), (1, 0), (3, 0), (8, 0xFF)];
    let indices = (ports::input(hw, GRAPHICS_INDEX), ports::input(hw, SEQUENCER_INDEX));
    let kept: [u8; 9] = std::array::from_fn(|index| ports::read_graphics(hw, index as u8));
    let map_mask = ports::read_sequencer(hw, MAP_MASK);
    for (index, value) in NEUTRAL {
        ports::graphics(hw, index, value);
    }
    ports::graphics(hw, 5, kept[5] & !0x0B);
    ports::sequencer(hw, MAP_MASK, 0x0F);
    let answer = act(hw);
    for (index, value) in kept.into_iter().enumerate() {
        ports::graphics(hw, index as u8, value);
    }
    ports::sequencer(hw, MAP_MASK, map_mask);
    ports::output(hw, GRAPHICS_INDEX, indices.0);
    ports::output(hw, SEQUENCER_INDEX, indices.1);
    answer
}
