//! The video parameter table: the register values of each mode, in the layout and order of the
//! BIOS's ROM.
//!
//! 29 entries of 64 bytes. Source: the table as published in IBM's PS/2 BIOS interface reference and readable in any VGA's ROM.

mod ega;

use crate::hardware::vga::Adapter;

#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters {
    pub(super) columns: u8,
    pub(super) last_row: u8,
    pub(super) character_height: u8,
    pub(super) page_length: u16,
    /// Sequencer registers 1 to 4.
    pub(super) sequencer: [u8; 4],
    pub(super) misc: u8,
    /// CRTC registers 0 to 18h.
    pub(super) crtc: [u8; 25],
    /// Attribute controller registers 0 to 13h.
    pub(super) attribute: [u8; 20],
    /// Graphics controller registers 0 to 8.
    pub(super) graphics: [u8; 9],
}

impl Parameters {
    /// Returns the 64 bytes as they are in the ROM.
    pub(super) fn bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[0..3].copy_from_slice(&[self.columns, self.last_row, self.character_height]);
        bytes[3..5].copy_from_slice(&self.page_length.to_le_bytes());
        bytes[5..9].copy_from_slice(&self.sequencer);
        bytes[9] = self.misc;
        bytes[10..35].copy_from_slice(&self.crtc);
        bytes[35..55].copy_from_slice(&self.attribute);
        bytes[55..64].copy_from_slice(&self.graphics);
        bytes
    }
}

/// Returns the entry of an adapter's mode; on a VGA for this number of scan lines in text modes.
/// `None` if the mode does not exist.
pub(super) fn entry(adapter: Adapter, mode: u8, scan_lines: u16) -> Option<Parameters> {
    match adapter {
        Adapter::Ega => ega::entry(mode),
        _ => index(mode, scan_lines).map(|index| TABLE[index]),
    }
}

/// Returns the index of a VGA's mode with 200, 350 or 400 scan lines in text modes. `None` if the
/// mode does not exist.
pub(super) fn index(mode: u8, scan_lines: u16) -> Option<usize> {
    let index = match (mode, scan_lines) {
        (0..=3, 200) => mode,
        (0..=3, 350) => 0x13 + mode,
        (0..=1, _) => 0x17,
        (2..=3, _) => 0x18,
        (4..=6, _) => mode,
        (7, 350) => 0x07,
        (7, _) => 0x19,
        (0x0D..=0x0E, _) => mode,
        (0x0F..=0x10, _) => mode + 2,
        (0x11..=0x13, _) => 0x1A + (mode - 0x11),
        _ => return None,
    };
    Some(usize::from(index))
}

// The colours in the sixteen palette registers, then mode control, overscan, plane enable, panning.
const RGB_6_BITS: [u8; 16] =
    [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x14, 0x07, 0x38, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0x3E, 0x3F];
const RGBI: [u8; 16] =
    [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17];
const CGA_4: [u8; 16] =
    [0x00, 0x13, 0x15, 0x17, 0x02, 0x04, 0x06, 0x07, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17];
const CGA_2: [u8; 16] =
    [0x00, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17];
const MONO_TEXT: [u8; 16] =
    [0x00, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x10, 0x18, 0x18, 0x18, 0x18, 0x18, 0x18, 0x18];
const MONO_GRAPHICS: [u8; 16] =
    [0x00, 0x08, 0x00, 0x00, 0x18, 0x18, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00];
const VGA_2: [u8; 16] =
    [0x00, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F];
const STRAIGHT: [u8; 16] =
    [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F];

const fn attribute(palette: [u8; 16], mode: u8, plane_enable: u8, panning: u8) -> [u8; 20] {
    let mut registers = [0; 20];
    let mut i = 0;
    while i < 16 {
        registers[i] = palette[i];
        i += 1;
    }
    (registers[16], registers[18], registers[19]) = (mode, plane_enable, panning);
    registers
}

// Horizontal timing: registers 0 to 5.
const H_40_TEXT: [u8; 6] = [0x2D, 0x27, 0x28, 0x90, 0x2B, 0xA0];
const H_40_PIXELS: [u8; 6] = [0x2D, 0x27, 0x28, 0x90, 0x2B, 0x80];
const H_80_TEXT: [u8; 6] = [0x5F, 0x4F, 0x50, 0x82, 0x55, 0x81];
const H_80_PIXELS: [u8; 6] = [0x5F, 0x4F, 0x50, 0x82, 0x54, 0x80];
// Vertical timing: registers 6, 7, 10h, 11h, 12h, 15h, 16h.
const V_400: [u8; 7] = [0xBF, 0x1F, 0x9C, 0x8E, 0x8F, 0x96, 0xB9];
const V_350: [u8; 7] = [0xBF, 0x1F, 0x83, 0x85, 0x5D, 0x63, 0xBA];
const V_480: [u8; 7] = [0x0B, 0x3E, 0xEA, 0x8C, 0xDF, 0xE7, 0x04];

/// Assembles the CRTC registers from timing, register 9, the cursor's lines, row offset, register
/// 14h and register 17h.
const fn crtc(
    h: [u8; 6],
    v: [u8; 7],
    row: u8,
    cursor: [u8; 2],
    offset: u8,
    underline: u8,
    mode: u8,
) -> [u8; 25] {
    [
        h[0], h[1], h[2], h[3], h[4], h[5], v[0], v[1], 0x00, row, cursor[0], cursor[1], 0, 0, 0, 0, v[2],
        v[3], v[4], offset, underline, v[5], v[6], mode, 0xFF,
    ]
}

const fn graphics(mode: u8, misc: u8, colour_dont_care: u8) -> [u8; 9] {
    [0, 0, 0, 0, 0, mode, misc, colour_dont_care, 0xFF]
}

/// Text at B8000h.
const TEXT: [u8; 9] = graphics(0x10, 0x0E, 0x00);
/// Planes at A0000h.
const PLANES: [u8; 9] = graphics(0x00, 0x05, 0x0F);

const fn text_200(columns: u8) -> Parameters {
    let wide = columns == 80;
    Parameters {
        columns,
        last_row: 24,
        character_height: 8,
        page_length: if wide { 0x1000 } else { 0x0800 },
        sequencer: [if wide { 0x01 } else { 0x09 }, 0x03, 0x00, 0x02],
        misc: 0x63,
        crtc: if wide {
            crtc(H_80_TEXT, V_400, 0xC7, [0x06, 0x07], 0x28, 0x1F, 0xA3)
        } else {
            crtc(H_40_TEXT, V_400, 0xC7, [0x06, 0x07], 0x14, 0x1F, 0xA3)
        },
        attribute: attribute(RGBI, 0x08, 0x0F, 0x00),
        graphics: TEXT,
    }
}

const fn text_350(columns: u8) -> Parameters {
    let wide = columns == 80;
    Parameters {
        character_height: 14,
        misc: 0xA3,
        crtc: if wide {
            crtc(H_80_TEXT, V_350, 0x4D, [0x0B, 0x0C], 0x28, 0x1F, 0xA3)
        } else {
            crtc(H_40_TEXT, V_350, 0x4D, [0x0B, 0x0C], 0x14, 0x1F, 0xA3)
        },
        attribute: attribute(RGB_6_BITS, 0x08, 0x0F, 0x00),
        ..text_200(columns)
    }
}

const fn text_400(columns: u8) -> Parameters {
    let wide = columns == 80;
    Parameters {
        character_height: 16,
        sequencer: [if wide { 0x00 } else { 0x08 }, 0x03, 0x00, 0x02],
        misc: 0x67,
        crtc: if wide {
            crtc(H_80_TEXT, V_400, 0x4F, [0x0D, 0x0E], 0x28, 0x1F, 0xA3)
        } else {
            crtc(H_40_TEXT, V_400, 0x4F, [0x0D, 0x0E], 0x14, 0x1F, 0xA3)
        },
        attribute: attribute(RGB_6_BITS, 0x0C, 0x0F, 0x08),
        ..text_200(columns)
    }
}

const MONO_350: Parameters = Parameters {
    columns: 80,
    last_row: 24,
    character_height: 14,
    page_length: 0x1000,
    sequencer: [0x00, 0x03, 0x00, 0x02],
    misc: 0xA6,
    crtc: crtc(H_80_TEXT, V_350, 0x4D, [0x0B, 0x0C], 0x28, 0x0D, 0xA3),
    attribute: attribute(MONO_TEXT, 0x0E, 0x0F, 0x08),
    graphics: graphics(0x10, 0x0A, 0x00),
};

const MONO_400: Parameters = Parameters {
    character_height: 16,
    misc: 0x66,
    crtc: crtc(H_80_TEXT, V_400, 0x4F, [0x0D, 0x0E], 0x28, 0x0F, 0xA3),
    ..MONO_350
};

const CGA_320: Parameters = Parameters {
    columns: 40,
    last_row: 24,
    character_height: 8,
    page_length: 0x4000,
    sequencer: [0x09, 0x03, 0x00, 0x02],
    misc: 0x63,
    crtc: crtc(H_40_PIXELS, V_400, 0xC1, [0, 0], 0x14, 0x00, 0xA2),
    attribute: attribute(CGA_4, 0x01, 0x03, 0x00),
    graphics: graphics(0x30, 0x0F, 0x00),
};

const CGA_640: Parameters = Parameters {
    columns: 80,
    sequencer: [0x01, 0x01, 0x00, 0x06],
    crtc: crtc(H_80_PIXELS, V_400, 0xC1, [0, 0], 0x28, 0x00, 0xC2),
    attribute: attribute(CGA_2, 0x01, 0x01, 0x00),
    graphics: graphics(0x00, 0x0D, 0x00),
    ..CGA_320
};

const EGA_320: Parameters = Parameters {
    columns: 40,
    last_row: 24,
    character_height: 8,
    page_length: 0x2000,
    sequencer: [0x09, 0x0F, 0x00, 0x06],
    misc: 0x63,
    crtc: crtc(H_40_PIXELS, V_400, 0xC0, [0, 0], 0x14, 0x00, 0xE3),
    attribute: attribute(RGBI, 0x01, 0x0F, 0x00),
    graphics: PLANES,
};

const EGA_640: Parameters = Parameters {
    columns: 80,
    page_length: 0x4000,
    sequencer: [0x01, 0x0F, 0x00, 0x06],
    crtc: crtc(H_80_PIXELS, V_400, 0xC0, [0, 0], 0x28, 0x00, 0xE3),
    ..EGA_320
};

const EGA_MONO: Parameters = Parameters {
    character_height: 14,
    page_length: 0x8000,
    misc: 0xA2,
    crtc: crtc(H_80_PIXELS, V_350, 0x40, [0, 0], 0x28, 0x0F, 0xE3),
    attribute: attribute(MONO_GRAPHICS, 0x0B, 0x05, 0x00),
    graphics: graphics(0x00, 0x05, 0x05),
    ..EGA_640
};

const EGA_350: Parameters = Parameters {
    misc: 0xA3,
    attribute: attribute(RGB_6_BITS, 0x01, 0x0F, 0x00),
    graphics: PLANES,
    ..EGA_MONO
};

const VGA_480: Parameters = Parameters {
    columns: 80,
    last_row: 29,
    character_height: 16,
    page_length: 0xA000,
    sequencer: [0x01, 0x0F, 0x00, 0x06],
    misc: 0xE3,
    crtc: crtc(H_80_PIXELS, V_480, 0x40, [0, 0], 0x28, 0x00, 0xE3),
    attribute: attribute(RGB_6_BITS, 0x01, 0x0F, 0x00),
    graphics: PLANES,
};

const VGA_480_MONO: Parameters = Parameters {
    attribute: attribute(VGA_2, 0x01, 0x0F, 0x00),
    graphics: graphics(0x00, 0x05, 0x01),
    ..VGA_480
};

const VGA_256: Parameters = Parameters {
    columns: 40,
    last_row: 24,
    character_height: 8,
    page_length: 0x2000,
    sequencer: [0x01, 0x0F, 0x00, 0x0E],
    misc: 0x63,
    crtc: crtc(H_80_PIXELS, V_400, 0x41, [0, 0], 0x28, 0x40, 0xA3),
    attribute: attribute(STRAIGHT, 0x41, 0x0F, 0x00),
    graphics: graphics(0x40, 0x05, 0x0F),
};

/// All entries, in the order of the ROM's table. Entries 8 to 0Ch do not belong to a mode; 0Fh and
/// 10h, for cards with 64 KiB, repeat the full ones.
pub(super) const TABLE: [Parameters; 29] = [
    text_200(40),
    text_200(40),
    text_200(80),
    text_200(80),
    CGA_320,
    CGA_320,
    CGA_640,
    MONO_350,
    text_200(40),
    text_200(40),
    text_200(80),
    text_200(80),
    MONO_350,
    EGA_320,
    EGA_640,
    EGA_MONO,
    EGA_350,
    EGA_MONO,
    EGA_350,
    text_350(40),
    text_350(40),
    text_350(80),
    text_350(80),
    text_400(40),
    text_400(80),
    MONO_400,
    VGA_480_MONO,
    VGA_480,
    VGA_256,
];

/// Returns the entries of an adapter's ROM in the same order; `None` for those that do not belong
/// to a mode of a colour display.
pub(super) fn table(adapter: Adapter) -> impl Iterator<Item = Option<Parameters>> {
    (0..TABLE.len()).map(move |index| match (adapter, index as u8) {
        (Adapter::Ega, mode @ (0x04..=0x06 | 0x0D | 0x0E)) => ega::entry(mode),
        (Adapter::Ega, 0x12) => ega::entry(0x10),
        (Adapter::Ega, index @ 0x13..=0x16) => ega::entry(index - 0x13),
        (Adapter::Ega, _) => None,
        _ => TABLE.get(index).copied(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn entries_as_a_vga_rom_has_them() {
        let rows = [
            (
                0x03,
                "50 18 10 00 10 00 03 00 02 67 5F 4F 50 82 55 81 BF 1F 00 4F 0D 0E 00 00 00 00 9C 8E 8F 28 1F 96 B9 A3 FF 00 01 02 03 04 05 14 07 38 39 3A 3B 3C 3D 3E 3F 0C 00 0F 08 00 00 00 00 00 10 0E 00 FF",
            ),
            (
                0x04,
                "28 18 08 00 40 09 03 00 02 63 2D 27 28 90 2B 80 BF 1F 00 C1 00 00 00 00 00 00 9C 8E 8F 14 00 96 B9 A2 FF 00 13 15 17 02 04 06 07 10 11 12 13 14 15 16 17 01 00 03 00 00 00 00 00 00 30 0F 00 FF",
            ),
            (
                0x07,
                "50 18 10 00 10 00 03 00 02 66 5F 4F 50 82 55 81 BF 1F 00 4F 0D 0E 00 00 00 00 9C 8E 8F 28 0F 96 B9 A3 FF 00 08 08 08 08 08 08 08 10 18 18 18 18 18 18 18 0E 00 0F 08 00 00 00 00 00 10 0A 00 FF",
            ),
            (
                0x12,
                "50 1D 10 00 A0 01 0F 00 06 E3 5F 4F 50 82 54 80 0B 3E 00 40 00 00 00 00 00 00 EA 8C DF 28 00 E7 04 E3 FF 00 01 02 03 04 05 14 07 38 39 3A 3B 3C 3D 3E 3F 01 00 0F 00 00 00 00 00 00 00 05 0F FF",
            ),
            (
                0x13,
                "28 18 08 00 20 01 0F 00 0E 63 5F 4F 50 82 54 80 BF 1F 00 41 00 00 00 00 00 00 9C 8E 8F 28 40 96 B9 A3 FF 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 41 00 0F 00 00 00 00 00 00 40 05 0F FF",
            ),
        ];
        for (mode, expected) in rows {
            let entry = &TABLE[index(mode, 400).unwrap()];
            assert_eq!(hex(&entry.bytes()), expected, "mode {mode:02X}");
        }
    }

    #[test]
    fn modes_that_do_not_exist() {
        for mode in [0x08, 0x0C, 0x14, 0x6A, 0x7F] {
            assert_eq!(index(mode, 400), None, "mode {mode:02X}");
        }
    }
}
