//! The video ROM at C000:0000, 32 KiB: signature, fonts, parameter and functionality tables, and the pointers to them.
//!
//! The header is laid out like that of a VGA's ROM, because programs read it (55 AA 40h, "IBM" at
//! 1Eh). The rest is found only through the pointers.

use super::parameters;
use crate::bios::data;
use crate::fonts::{VGA_8X8, VGA_8X14, VGA_8X16};
use crate::hardware::vga::Adapter;
use crate::hardware::{Hardware, linear};

pub(super) const SEGMENT: u16 = 0xC000;
const LENGTH: usize = 0x8000;

/// The functionality table, for INT 10h AH=1Bh.
pub(super) const FUNCTIONALITY: u16 = 0x0100;
const SAVE_POINTERS: u16 = 0x0110;
const SECONDARY_SAVE_POINTERS: u16 = 0x0130;
const COMBINATIONS: u16 = 0x0150;
/// CGA and MDA parameters, for INT 1Dh.
const OLD_PARAMETERS: u16 = 0x0180;
const PARAMETERS: u16 = 0x0200;
/// The fonts: 8x8, 8x14, 8x16.
pub(super) const FONT_8X8: u16 = 0x1000;
pub(super) const FONT_8X14: u16 = 0x1800;
pub(super) const FONT_8X16: u16 = 0x2600;
/// Replacements of single glyphs for nine-dot cells: none, so both lists are a zero.
pub(super) const ALTERNATES: u16 = 0x3600;

/// The address of the first 128 characters of the 8x8 font in an AT's system ROM, for graphics
/// modes; programs read it there.
pub(super) const SYSTEM_FONT: (u16, u16) = (0xF000, 0xFA6E);
/// The offset of the 6845's parameters in the system ROM, for INT 1Dh.
const SYSTEM_PARAMETERS: u16 = 0xF0A4;

/// Display combinations: number of entries, version 1, highest code 8; then pairs (none; MDA; CGA;
/// EGA...; VGA).
const COMBINATION_TABLE: [u8; 28] =
    [12, 1, 8, 0, 0, 0, 0, 1, 0, 2, 2, 1, 0, 4, 4, 1, 0, 5, 2, 5, 0, 7, 1, 7, 0, 8, 2, 8];
/// The pair (none, VGA with a colour monitor) in the table above.
pub(super) const COMBINATION_VGA: u8 = 10;

/// Returns (active, other) of an entry of the display combination table.
pub(super) fn combination(index: u8) -> Option<[u8; 2]> {
    let at = 4 + usize::from(index) * 2;
    let pair = COMBINATION_TABLE.get(at..at + 2)?;
    Some([pair[1], pair[0]])
}

/// Returns the entry of a combination, whichever of the two is active.
pub(super) fn combination_index([active, other]: [u8; 2]) -> Option<u8> {
    (0..COMBINATION_TABLE[0])
        .find(|&index| matches!(combination(index), Some([a, b]) if [a, b] == [active, other] || [b, a] == [active, other]))
}

/// Modes 0 to 7 and 0Dh to 13h; 200, 350 and 400 lines; 8 fonts, 2 at once; all functions except
/// the light pen and the display switch.
const FUNCTIONALITY_TABLE: [u8; 16] =
    [0xFF, 0xE0, 0x0F, 0x00, 0x00, 0x00, 0x00, 0x07, 0x08, 0x02, 0xFF, 0x0E, 0x00, 0x00, 0x00, 0x00];

/// 6845 registers for 40 columns, 80 columns, graphics, monochrome; buffer lengths; columns and mode register of modes 0 to 7.
const OLD_PARAMETER_TABLE: [u8; 88] = [
    0x38, 0x28, 0x2D, 0x0A, 0x1F, 0x06, 0x19, 0x1C, 0x02, 0x07, 0x06, 0x07, 0, 0, 0, 0, //
    0x71, 0x50, 0x5A, 0x0A, 0x1F, 0x06, 0x19, 0x1C, 0x02, 0x07, 0x06, 0x07, 0, 0, 0, 0, //
    0x38, 0x28, 0x2D, 0x0A, 0x7F, 0x06, 0x64, 0x70, 0x02, 0x01, 0x06, 0x07, 0, 0, 0, 0, //
    0x61, 0x50, 0x52, 0x0F, 0x19, 0x06, 0x19, 0x19, 0x02, 0x0D, 0x0B, 0x0C, 0, 0, 0, 0, //
    0x00, 0x08, 0x00, 0x10, 0x00, 0x40, 0x00, 0x40, //
    40, 40, 80, 80, 40, 40, 80, 80, //
    0x2C, 0x28, 0x2D, 0x29, 0x2A, 0x2E, 0x1E, 0x29,
];

/// Returns a far pointer into the ROM as bytes.
fn far(offset: u16) -> [u8; 4] {
    let [low, high] = offset.to_le_bytes();
    let [segment_low, segment_high] = SEGMENT.to_le_bytes();
    [low, high, segment_low, segment_high]
}

/// Returns the ROM's contents, with the checksum that makes its bytes add up to zero.
fn image(adapter: Adapter) -> Vec<u8> {
    let mut rom = vec![0; LENGTH];
    let mut put = |offset: u16, bytes: &[u8]| {
        let at = usize::from(offset);
        rom[at..at + bytes.len()].copy_from_slice(bytes);
    };
    // Signature, length in 512 bytes, and a RETF for calls to the initialisation.
    put(0x0000, &[0x55, 0xAA, (LENGTH / 512) as u8, 0xCB]);
    let name: &[u8] =
        if adapter == Adapter::Ega { b"IBM EGA compatible: oxbox\0" } else { b"IBM VGA compatible: oxbox\0" };
    put(0x001E, name);
    put(FUNCTIONALITY, &FUNCTIONALITY_TABLE);
    put(SAVE_POINTERS, &far(PARAMETERS));
    put(SAVE_POINTERS + 16, &far(SECONDARY_SAVE_POINTERS));
    put(SECONDARY_SAVE_POINTERS, &26u16.to_le_bytes());
    put(SECONDARY_SAVE_POINTERS + 2, &far(COMBINATIONS));
    put(COMBINATIONS, &COMBINATION_TABLE);
    put(OLD_PARAMETERS, &OLD_PARAMETER_TABLE);
    for (entry, at) in parameters::table(adapter).zip((PARAMETERS..).step_by(64)) {
        put(at, &entry.map_or([0; 64], |entry| entry.bytes()));
    }
    put(FONT_8X8, VGA_8X8);
    put(FONT_8X14, VGA_8X14);
    if adapter == Adapter::Vga {
        put(FONT_8X16, VGA_8X16);
    }
    let sum = rom.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
    rom[LENGTH - 1] = sum.wrapping_neg();
    rom
}

/// Stores the ROM in memory and sets the vectors and pointers to it. A CGA has no ROM: its fonts
/// and tables are in the system ROM.
pub(super) fn install(hw: &mut Hardware, adapter: Adapter) {
    let (segment, offset) = SYSTEM_FONT;
    hw.memory.write_bytes(linear(segment, offset), &VGA_8X8[..128 * 8]);
    if adapter == Adapter::Cga {
        hw.memory.write_bytes(u32::from(SEGMENT) << 4, &[0xFF; LENGTH]);
        hw.memory.write_bytes(linear(SYSTEM_FONT.0, SYSTEM_PARAMETERS), &OLD_PARAMETER_TABLE);
        hw.memory.write16(0x1D * 4, SYSTEM_PARAMETERS);
        hw.memory.write16(0x1D * 4 + 2, SYSTEM_FONT.0);
        // The pointer to the upper half of the characters, which GRAFTABL sets.
        hw.memory.write_bytes(0x1F * 4, &[0; 4]);
        return hw.vga.fit_characters(VGA_8X8);
    }
    hw.memory.write_bytes(u32::from(SEGMENT) << 4, &image(adapter));
    set_vector(hw, 0x1D, OLD_PARAMETERS);
    set_vector(hw, 0x1F, FONT_8X8 + 0x400);
    set_vector(hw, 0x43, FONT_8X16);
    hw.memory.write_bytes(data::VIDEO_SAVE_POINTER, &far(SAVE_POINTERS));
}

/// Points an interrupt vector into the ROM.
pub(super) fn set_vector(hw: &mut Hardware, vector: u8, offset: u16) {
    hw.memory.write_bytes(u32::from(vector) * 4, &far(offset));
}

/// Returns the font for a character height: its offset in the ROM and its true height.
pub(super) fn font(height: u8) -> (u16, u8) {
    match height {
        8 => (FONT_8X8, 8),
        14 => (FONT_8X14, 14),
        _ => (FONT_8X16, 16),
    }
}

pub(super) fn glyphs(height: u8) -> &'static [u8] {
    match height {
        8 => VGA_8X8,
        14 => VGA_8X14,
        _ => VGA_8X16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_rom_has_the_first_half_of_the_font() {
        let mut hw = Hardware::new(3000);
        install(&mut hw, Adapter::Vga);
        for (character, at) in (0..128).zip((0xFFA6E..).step_by(8)) {
            let glyph = &VGA_8X8[character * 8..][..8];
            assert_eq!(hw.memory.read_bytes(at, 8), glyph, "character {character:02X}h");
        }
        assert!(hw.memory.read_bytes(0xFFA6E + 8 * u32::from(b'7'), 8).iter().any(|&line| line != 0));
    }

    #[test]
    fn image_is_a_rom() {
        let rom = image(Adapter::Vga);
        assert_eq!(rom[..3], [0x55, 0xAA, 0x40]);
        assert_eq!(&rom[0x1E..0x25], b"IBM VGA");
        assert_eq!(rom.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte)), 0);
        assert_eq!(parameters::TABLE.len() * 64 + usize::from(PARAMETERS), 0x940);
    }
}
