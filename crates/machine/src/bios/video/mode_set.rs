//! INT 10h AH=00h: a mode's registers, palette, fonts, memory and data area.
//!
//! Source: Ralf Brown's interrupt list and IBM's PS/2 BIOS interface reference; the registers come from `parameters`.

mod cga;

use super::parameters::{self, Parameters};
use super::{fonts, palette, ports, rom};
use crate::bios::data;
use crate::hardware::Hardware;
use crate::hardware::vga::Adapter;

/// Whether the adapter has a mode.
pub(super) fn has_mode(hw: &Hardware, mode: u8) -> bool {
    match hw.vga.kind() {
        Adapter::Cga => mode <= cga::LAST_MODE,
        adapter => parameters::entry(adapter, mode, text_scan_lines(hw)).is_some(),
    }
}

/// Sets a mode; bit 7 keeps the memory. A mode that does not exist changes nothing.
pub(super) fn set_mode(hw: &mut Hardware, request: u8) {
    let (mode, keep_memory) = (request & 0x7F, request & 0x80 != 0);
    let adapter = hw.vga.kind();
    if adapter == Adapter::Cga {
        cga::set(hw, mode, keep_memory);
        return hw.vga.begin_anew();
    }
    let Some(entry) = parameters::entry(adapter, mode, text_scan_lines(hw)) else { return };
    let flags = hw.memory.read8(data::VGA_FLAGS);
    set_area(hw, mode, keep_memory, &entry);
    program(hw, &entry);
    if flags & 0x08 == 0 && adapter.has_dac() {
        palette::load_default(hw, mode, &entry);
    }
    if !keep_memory {
        clear(hw, mode);
    }
    if is_text(mode) {
        fonts::load_rom(hw, entry.character_height, 0);
    }
    rom::set_vector(
        hw,
        0x43,
        if is_text(mode) && adapter == Adapter::Vga {
            rom::FONT_8X16
        } else {
            rom::font(entry.character_height).0
        },
    );
    rom::set_vector(hw, 0x1F, rom::FONT_8X8 + 0x400);
    // Switches the picture on.
    let clocking = entry.sequencer[0];
    ports::sequencer(hw, 1, clocking);
    ports::status(hw);
    ports::output(hw, 0x3C0, 0x20);
    hw.vga.begin_anew();
}

/// Whether the mode is a text mode (0 to 3 and 7).
pub(super) fn is_text(mode: u8) -> bool {
    matches!(mode, 0..=3 | 7)
}

/// Returns the scan lines of text modes, as set by INT 10h AX=12xxh BL=30h.
pub(super) fn text_scan_lines(hw: &Hardware) -> u16 {
    match hw.memory.read8(data::VGA_FLAGS) & 0x90 {
        0x80 => 200,
        0x00 => 350,
        _ => 400,
    }
}

fn program(hw: &mut Hardware, entry: &Parameters) {
    // Reset, with the picture off until everything is set.
    ports::sequencer(hw, 0, 1);
    ports::output(hw, 0x3C2, entry.misc);
    ports::sequencer(hw, 1, entry.sequencer[0] | 0x20);
    for (index, &value) in (2..).zip(&entry.sequencer[1..]) {
        ports::sequencer(hw, index, value);
    }
    ports::sequencer(hw, 0, 3);
    ports::crtc(hw, 0x11, 0);
    for (index, &value) in (0..).zip(&entry.crtc) {
        ports::crtc(hw, index, value);
    }
    for (index, &value) in (0..).zip(&entry.graphics) {
        ports::graphics(hw, index, value);
    }
    ports::status(hw);
    for (index, &value) in (0..).zip(&entry.attribute) {
        ports::output(hw, 0x3C0, index);
        ports::output(hw, 0x3C0, value);
    }
    ports::output(hw, 0x3C0, 0x14);
    ports::output(hw, 0x3C0, 0);
    ports::output(hw, 0x3C6, 0xFF);
}

/// Returns the value of the CGA's port 3D8h in a mode.
fn mode_control(mode: u8) -> u8 {
    match mode {
        0 => 0x2C,
        1 => 0x28,
        2 => 0x2D,
        4 => 0x2A,
        5 => 0x2E,
        6 => 0x1E,
        _ => 0x29,
    }
}

fn set_area(hw: &mut Hardware, mode: u8, keep_memory: bool, entry: &Parameters) {
    let mono = entry.misc & 1 == 0;
    // Fields that the EGA's BIOS has added.
    let has_fields = hw.vga.kind() != Adapter::Cga;
    let memory = &mut hw.memory;
    memory.write8(data::VIDEO_MODE, mode);
    memory.write16(data::COLUMNS, u16::from(entry.columns));
    memory.write16(data::PAGE_LENGTH, entry.page_length);
    memory.write16(data::PAGE_START, 0);
    memory.write_bytes(data::CURSORS, &[0; 16]);
    memory.write16(data::CURSOR_SHAPE, if mode == 7 { 0x0B0C } else { 0x0607 });
    memory.write8(data::ACTIVE_PAGE, 0);
    memory.write16(data::CRTC_PORT, if mono { 0x3B4 } else { 0x3D4 });
    memory.write8(data::MODE_CONTROL, mode_control(mode));
    memory.write8(data::CGA_PALETTE, if mode == 6 { 0x3F } else { 0x30 });
    if has_fields {
        memory.write8(data::LAST_ROW, entry.last_row);
        memory.write16(data::CHARACTER_HEIGHT, u16::from(entry.character_height));
        let kept = memory.read8(data::VIDEO_CONTROL) & 0x7D;
        memory.write8(data::VIDEO_CONTROL, kept | u8::from(keep_memory) << 7 | u8::from(mono) << 1);
    }
    let equipment = memory.read8(data::EQUIPMENT) & !0x30;
    let display = match (mono, entry.columns) {
        (true, _) => 0x30,
        (false, 40) => 0x10,
        _ => 0x20,
    };
    memory.write8(data::EQUIPMENT, equipment | display);
}

/// Clears the screen's memory through its window, like the processor: all planes of the mode.
fn clear(hw: &mut Hardware, mode: u8) {
    let text = |hw: &mut Hardware, base: u32| {
        const CELLS: usize = 0x4000;
        const BLANK: u16 = 0x0720;
        let Some(cells) = hw.vga.text_cells(base, CELLS) else {
            return (base..).step_by(2).take(CELLS).for_each(|at| hw.vga.write16(at, BLANK));
        };
        for cell in cells.iter_mut().step_by(2) {
            *cell = *cell & 0xFFFF_0000 | u32::from(BLANK);
        }
    };
    match mode {
        0..=3 => text(hw, 0xB_8000),
        7 => text(hw, 0xB_0000),
        4..=6 => hw.vga.fill(0xB_8000, 0x8000, 0),
        _ => hw.vga.fill(0xA_0000, 0x1_0000, 0),
    }
}
