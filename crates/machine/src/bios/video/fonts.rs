//! INT 10h AH=11h: loads fonts into plane 2, adapts rows and cursor to a new character height, and
//! returns pointers to the ROM's fonts.
//!
//! Source: Ralf Brown's interrupt list.

use super::{area, mode_set, ports, rom};
use crate::bios::{data, state::Subfunction};
use crate::firmware::{Functions, row};
use crate::hardware::vga::Adapter;
use crate::hardware::{Hardware, linear};
use oxbox_cpu::{Bus, Registers, Segment};

/// Maps plane 2 to A0000h for `load`, then restores the registers of text modes.
fn with_font_plane(hw: &mut Hardware, load: impl FnOnce(&mut Hardware)) {
    ports::sequencer(hw, 0, 1);
    ports::sequencer(hw, 2, 0x04);
    ports::sequencer(hw, 4, 0x06);
    ports::sequencer(hw, 0, 3);
    ports::graphics(hw, 4, 0x02);
    ports::graphics(hw, 5, 0x00);
    ports::graphics(hw, 6, 0x04);
    load(hw);
    let mono = hw.memory.read16(data::CRTC_PORT) == 0x3B4;
    ports::sequencer(hw, 0, 1);
    ports::sequencer(hw, 2, 0x03);
    ports::sequencer(hw, 4, 0x02);
    ports::sequencer(hw, 0, 3);
    ports::graphics(hw, 4, 0x00);
    ports::graphics(hw, 5, 0x10);
    ports::graphics(hw, 6, if mono { 0x0A } else { 0x0E });
}

/// Returns the address of a font block at A0000h: four at 16 KiB, then four halfway between.
fn block_address(block: u8) -> u32 {
    0xA_0000 + u32::from(block & 3) * 0x4000 + u32::from(block >> 2 & 1) * 0x2000
}

/// Loads the ROM's font of a height into a block.
pub(super) fn load_rom(hw: &mut Hardware, height: u8, block: u8) {
    load(hw, rom::glyphs(height), rom::font(height).1, 0, block);
}

/// Loads glyphs of `height` bytes, the first for code `first`.
fn load(hw: &mut Hardware, glyphs: &[u8], height: u8, first: u8, block: u8) {
    with_font_plane(hw, |hw| {
        for (glyph, code) in glyphs.chunks_exact(usize::from(height.max(1))).zip(u32::from(first)..256) {
            // A cell of plane 2 has 32 lines.
            for (&line, at) in glyph.iter().zip(block_address(block) + code * 32..).take(32) {
                hw.vga.write8(at, line);
            }
        }
    });
}

/// By AL; other values are ignored. The functions 10h to 14h also set the height of rows.
#[rustfmt::skip]
pub(super) static FUNCTIONS: Functions<Subfunction> = Functions::new(&[
    row(0x00, "load user-specified patterns",                    |r, hw| _ = load_own(r, hw)),
    row(0x01, "load ROM monochrome patterns (8 by 14)",          |r, hw| load_rom(hw, 14, r.bl())),
    row(0x02, "load ROM 8 by 8 double-dot patterns",             |r, hw| load_rom(hw, 8, r.bl())),
    row(0x03, "set block specifier",                             |r, hw| ports::sequencer(hw, 3, r.bl())),
    row(0x04, "load ROM 8x16 character set",                     |r, hw| load_rom(hw, 16, r.bl())),
    row(0x10, "load user-specified patterns",                    |r, hw| { let height = load_own(r, hw); set_height(hw, height); }),
    row(0x11, "load ROM monochrome patterns (8 by 14)",          |r, hw| { load_rom(hw, 14, r.bl()); set_height(hw, 14); }),
    row(0x12, "load ROM 8 by 8 double-dot patterns",             |r, hw| { load_rom(hw, 8, r.bl()); set_height(hw, 8); }),
    row(0x14, "load ROM 8x16 character set",                     |r, hw| { load_rom(hw, 16, r.bl()); set_height(hw, 16); }),
    row(0x20, "set user 8 by 8 graphics characters (INT 1Fh)",   |r, hw| set_vector(hw, 0x1F, r)),
    row(0x21, "set user graphics characters",                    |r, hw| {
        set_vector(hw, 0x43, r);
        set_graphics_rows(hw, r.cx(), r.bl(), r.dl());
    }),
    row(0x22, "ROM 8 by 14 graphics character set",              |r, hw| use_rom_in_graphics(hw, 14, r)),
    row(0x23, "ROM 8 by 8 double-dot graphics characters",       |r, hw| use_rom_in_graphics(hw, 8, r)),
    row(0x24, "load 8x16 graphics characters",                   |r, hw| use_rom_in_graphics(hw, 16, r)),
    row(0x30, "get font information",                            information),
]);

/// Loads CX characters of BH lines from ES:BP into block BL, from code DL. Returns the lines.
fn load_own(regs: &Registers, hw: &mut Hardware) -> u8 {
    let height = regs.bh().min(32);
    let length = u32::from(regs.cx().min(256)) * u32::from(height);
    let from = linear(regs.es(), regs.bp());
    let glyphs: Vec<u8> = (from..from + length).map(|at| hw.read8(at)).collect();
    load(hw, &glyphs, height, regs.dl(), regs.bl());
    height
}

/// Points a font's vector to ES:BP.
fn set_vector(hw: &mut Hardware, vector: u32, regs: &Registers) {
    hw.memory.write16(vector * 4, regs.bp());
    hw.memory.write16(vector * 4 + 2, regs.es());
}

/// Selects the ROM's font of this height for graphics modes.
fn use_rom_in_graphics(hw: &mut Hardware, height: u8, regs: &Registers) {
    rom::set_vector(hw, 0x43, rom::font(height).0);
    set_graphics_rows(hw, u16::from(height), regs.bl(), regs.dl());
}

/// AX=1130h: pointers to fonts; the current height and rows.
fn information(regs: &mut Registers, hw: &mut Hardware) {
    let vector = |v: u32| (hw.memory.read16(v * 4 + 2), hw.memory.read16(v * 4));
    let (segment, offset) = match regs.bh() {
        0 => vector(0x1F),
        1 => vector(0x43),
        2 => (rom::SEGMENT, rom::FONT_8X14),
        3 => (rom::SEGMENT, rom::FONT_8X8),
        4 => (rom::SEGMENT, rom::FONT_8X8 + 0x400),
        5 | 7 => (rom::SEGMENT, rom::ALTERNATES),
        6 if hw.vga.kind() == Adapter::Vga => (rom::SEGMENT, rom::FONT_8X16),
        _ => return,
    };
    regs.seg[Segment::Es as usize] = segment;
    regs.set_bp(offset);
    regs.set_cx(hw.memory.read16(data::CHARACTER_HEIGHT));
    regs.set_dl(area::last_row(hw));
}

/// Sets the rows for a graphics font: 14, 25 or 43, or the number given.
fn set_graphics_rows(hw: &mut Hardware, height: u16, choice: u8, asked: u8) {
    let rows = match choice {
        1 => 14,
        2 => 25,
        3 => 43,
        _ => asked,
    };
    hw.memory.write16(data::CHARACTER_HEIGHT, height);
    hw.memory.write8(data::LAST_ROW, rows.wrapping_sub(1));
}

/// Sets the character height: as many rows as fit into the screen's lines, and the cursor at the
/// bottom of its cell.
fn set_height(hw: &mut Hardware, height: u8) {
    if height == 0 || !mode_set::is_text(area::mode(hw)) {
        return;
    }
    let shape = ports::read_crtc(hw, 9) & 0xE0;
    ports::crtc(hw, 9, shape | (height - 1));
    let mono = hw.memory.read16(data::CRTC_PORT) == 0x3B4;
    if mono {
        ports::crtc(hw, 0x14, height - 1);
    }
    let scan_lines = mode_set::text_scan_lines(hw);
    let rows = (scan_lines / u16::from(height)).clamp(1, 255);
    let shown = if scan_lines == 200 { rows * u16::from(height) * 2 } else { rows * u16::from(height) };
    set_display_end(hw, shown.saturating_sub(1));
    let columns = hw.memory.read16(data::COLUMNS);
    hw.memory.write16(data::CHARACTER_HEIGHT, u16::from(height));
    hw.memory.write8(data::LAST_ROW, (rows - 1) as u8);
    hw.memory.write16(data::PAGE_LENGTH, rows.saturating_mul(columns).saturating_mul(2));
    super::cursor::apply_shape(hw);
}

/// Sets the vertical display end: eight bits in register 12h, the ninth and tenth in 7.
fn set_display_end(hw: &mut Hardware, line: u16) {
    ports::crtc(hw, 0x12, line as u8);
    let protection = ports::read_crtc(hw, 0x11);
    let overflow = ports::read_crtc(hw, 0x07) & !0x42;
    ports::crtc(hw, 0x11, protection & 0x7F);
    ports::crtc(hw, 0x07, overflow | (line >> 7 & 2) as u8 | (line >> 3 & 0x40) as u8);
    ports::crtc(hw, 0x11, protection);
}
