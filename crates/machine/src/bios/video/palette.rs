//! The initial colours of each mode, the DAC, and INT 10h AH=0Bh.
//!
//! Source: Ralf Brown's interrupt list; the default colours are the VGA's.

use super::parameters::Parameters;
use super::{area, ports};
use crate::bios::data;
use crate::hardware::Hardware;
use crate::hardware::vga::Adapter;
use crate::hardware::vga::colours::{four_bits, four_of_six_bits, six_bits};

pub(super) type Colour = [u8; 3];

/// Monochrome: dark, normal, dark, bright in runs of eight.
fn mono_colour(index: u8) -> Colour {
    [[0, 42, 0, 63][usize::from(index >> 3 & 3)]; 3]
}

/// Mode 13h: the CGA's sixteen colours, sixteen greys, 24 hues in three saturations and three
/// brightnesses; the rest is black.
fn colour_of_256(index: u8) -> Colour {
    const GREYS: [u8; 16] = [0, 5, 8, 11, 14, 17, 20, 24, 28, 32, 36, 40, 45, 50, 56, 63];
    const LEVELS: [[u8; 5]; 9] = [
        [0, 16, 31, 47, 63],
        [31, 39, 47, 55, 63],
        [45, 49, 54, 58, 63],
        [0, 7, 14, 21, 28],
        [14, 17, 21, 24, 28],
        [20, 22, 24, 26, 28],
        [0, 4, 8, 12, 16],
        [8, 10, 12, 14, 16],
        [11, 12, 13, 15, 16],
    ];
    match index {
        0..16 => four_bits(index),
        16..32 => [GREYS[usize::from(index - 16)]; 3],
        32..248 => {
            let (levels, hue) = (LEVELS[usize::from((index - 32) / 24)], (index - 32) % 24);
            // Blue is full around hue 0, red around 8, green around 16. Beyond four steps each
            // falls by quarters.
            [8, 16, 0].map(|full: u8| {
                let distance = hue.abs_diff(full).min(24 - hue.abs_diff(full));
                levels[usize::from(8u8.saturating_sub(distance).min(4))]
            })
        }
        _ => [0; 3],
    }
}

/// Loads the initial colours of a mode: 64 of them, or 256 in mode 13h.
pub(super) fn load_default(hw: &mut Hardware, mode: u8, entry: &Parameters) {
    let (count, colour): (u16, fn(u8) -> Colour) = match mode {
        0x13 => (256, colour_of_256),
        0x07 | 0x0F => (64, mono_colour),
        _ if entry.attribute[8] == 0x38 || mode == 0x11 => (64, six_bits),
        _ => (64, four_of_six_bits),
    };
    for index in 0..count {
        set_colour(hw, index as u8, colour(index as u8));
    }
}

/// Sets a DAC register, as grey if grey summing is enabled.
pub(super) fn set_colour(hw: &mut Hardware, index: u8, colour: Colour) {
    let grey = hw.memory.read8(data::VGA_FLAGS) & 0x02 != 0;
    ports::output(hw, 0x3C8, index);
    for component in if grey { grey_of(colour) } else { colour } {
        ports::output(hw, 0x3C9, component);
    }
}

pub(super) fn read_colour(hw: &mut Hardware, index: u8) -> Colour {
    ports::output(hw, 0x3C7, index);
    std::array::from_fn(|_| ports::input(hw, 0x3C9))
}

/// 30 % red, 59 % green, 11 % blue.
pub(super) fn grey_of([red, green, blue]: Colour) -> Colour {
    let sum = 30 * u32::from(red & 63) + 59 * u32::from(green & 63) + 11 * u32::from(blue & 63);
    [((sum + 50) / 100) as u8; 3]
}

/// AH=0Bh: border and background (BH=0), or the CGA's palette (BH=1).
pub(super) fn cga_palette(hw: &mut Hardware, id: u8, value: u8) {
    let mode = area::mode(hw);
    let old = hw.memory.read8(data::CGA_PALETTE);
    let graphics_320 = matches!(mode, 4 | 5);
    let now = match id {
        0 => old & 0xE0 | value & 0x1F,
        1 => old & 0xDF | (value & 1) << 5,
        _ => return,
    };
    hw.memory.write8(data::CGA_PALETTE, now);
    if hw.vga.kind() == Adapter::Cga {
        return ports::output(hw, 0x3D9, now);
    }
    let bright = now & 0x10;
    if id == 0 {
        let border = value & 7 | (value & 8) << 1;
        ports::attribute(hw, 0x11, border);
        if mode > 3 {
            ports::attribute(hw, 0, border);
        }
    }
    if graphics_320 {
        // Green, red and brown, or with bit 5 cyan, magenta and white. The lowest bit of each.
        for index in 1..4 {
            ports::attribute(hw, index, (index * 2) | now >> 5 & 1 | bright);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_colours() {
        let rows: [(&str, Colour, Colour); 16] = [
            ("64: brown", six_bits(0x14), [42, 21, 0]),
            ("64: white", six_bits(0x3F), [63, 63, 63]),
            ("64: dark yellow", six_bits(0x06), [42, 42, 0]),
            ("200 lines: brown", four_of_six_bits(0x06), [42, 21, 0]),
            ("200 lines: bright blue", four_of_six_bits(0x11), [21, 21, 63]),
            ("200 lines: yellow", four_of_six_bits(0x16), [63, 63, 21]),
            ("256: white", colour_of_256(15), [63, 63, 63]),
            ("256: blue", colour_of_256(32), [0, 0, 63]),
            ("256: next", colour_of_256(33), [16, 0, 63]),
            ("256: magenta", colour_of_256(36), [63, 0, 63]),
            ("256: red", colour_of_256(40), [63, 0, 0]),
            ("256: yellow", colour_of_256(44), [63, 63, 0]),
            ("256: green", colour_of_256(48), [0, 63, 0]),
            ("256: last hue", colour_of_256(55), [0, 16, 63]),
            ("256: last of all hues", colour_of_256(247), [11, 12, 16]),
            ("256: grey", colour_of_256(17), [5, 5, 5]),
        ];
        for (name, colour, expected) in rows {
            assert_eq!(colour, expected, "{name}");
        }
    }

    #[test]
    fn greys_keep_white_and_black() {
        assert_eq!([grey_of([63; 3]), grey_of([0; 3]), grey_of([63, 0, 0])], [[63; 3], [0; 3], [19; 3]]);
    }
}
