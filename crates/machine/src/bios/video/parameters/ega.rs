//! The EGA's modes: the same registers with the timing of its two monitor types, 200 lines at 14.3
//! MHz and 350 at 16.3 MHz.
//!
//! Source: IBM's Options and Adapters Technical Reference, "Enhanced Graphics Adapter", the parameters of its BIOS.

use super::{CGA_2, CGA_4};
use super::{PLANES, Parameters, RGB_6_BITS, RGBI, TEXT, attribute, graphics};

/// Horizontal timing: registers 0 to 5.
const H_40: [u8; 6] = [0x37, 0x27, 0x2D, 0x37, 0x30, 0x14];
const H_80: [u8; 6] = [0x70, 0x4F, 0x59, 0x2D, 0x5E, 0x06];
const H_350_40: [u8; 6] = [0x2D, 0x27, 0x2B, 0x2D, 0x28, 0x6D];
const H_350_80: [u8; 6] = [0x5B, 0x4F, 0x53, 0x37, 0x51, 0x5B];
const H_350_PIXELS: [u8; 6] = [0x5B, 0x4F, 0x53, 0x37, 0x52, 0x00];
/// Vertical timing: registers 6, 7, 10h, 11h, 12h, 15h, 16h.
const V_200: [u8; 7] = [0x04, 0x11, 0xE1, 0x24, 0xC7, 0xE0, 0xF0];
const V_350: [u8; 7] = [0x6C, 0x1F, 0x5E, 0x2B, 0x5D, 0x5E, 0x0A];

/// Returns the entry of a mode with an Enhanced Color Display.
pub(in crate::bios::video) fn entry(mode: u8) -> Option<Parameters> {
    Some(match mode {
        0 | 1 => text(40),
        2 | 3 => text(80),
        4 | 5 => CGA_320,
        6 => CGA_640,
        0x0D => EGA_320,
        0x0E => EGA_640,
        0x10 => EGA_350,
        _ => return None,
    })
}

const fn text(columns: u8) -> Parameters {
    let wide = columns == 80;
    let (horizontal, offset) = if wide { (H_350_80, 0x28) } else { (H_350_40, 0x14) };
    Parameters {
        columns,
        last_row: 24,
        character_height: 14,
        page_length: if wide { 0x1000 } else { 0x0800 },
        sequencer: [if wide { 0x01 } else { 0x0B }, 0x03, 0x00, 0x03],
        misc: 0xA7,
        crtc: super::crtc(horizontal, V_350, 0x0D, [0x0B, 0x0C], offset, 0x0F, 0xA3),
        attribute: attribute(RGB_6_BITS, 0x08, 0x0F, 0x00),
        graphics: TEXT,
    }
}

const CGA_320: Parameters = Parameters {
    columns: 40,
    last_row: 24,
    character_height: 8,
    page_length: 0x4000,
    sequencer: [0x0B, 0x03, 0x00, 0x02],
    misc: 0x23,
    crtc: super::crtc(H_40, V_200, 0x01, [0, 0], 0x14, 0x00, 0xA2),
    attribute: attribute(CGA_4, 0x01, 0x03, 0x00),
    graphics: graphics(0x30, 0x0F, 0x00),
};

const CGA_640: Parameters = Parameters {
    columns: 80,
    sequencer: [0x01, 0x01, 0x00, 0x06],
    crtc: super::crtc(H_80, V_200, 0x01, [0, 0], 0x28, 0x00, 0xC2),
    attribute: attribute(CGA_2, 0x01, 0x01, 0x00),
    graphics: graphics(0x00, 0x0D, 0x00),
    ..CGA_320
};

const EGA_320: Parameters = Parameters {
    columns: 40,
    page_length: 0x2000,
    sequencer: [0x0B, 0x0F, 0x00, 0x06],
    crtc: super::crtc(H_40, V_200, 0x00, [0, 0], 0x14, 0x00, 0xE3),
    attribute: attribute(RGBI, 0x01, 0x0F, 0x00),
    graphics: PLANES,
    ..CGA_320
};

const EGA_640: Parameters = Parameters {
    columns: 80,
    page_length: 0x4000,
    sequencer: [0x01, 0x0F, 0x00, 0x06],
    crtc: super::crtc(H_80, V_200, 0x00, [0, 0], 0x28, 0x00, 0xE3),
    ..EGA_320
};

const EGA_350: Parameters = Parameters {
    character_height: 14,
    page_length: 0x8000,
    misc: 0xA7,
    crtc: super::crtc(H_350_PIXELS, V_350, 0x00, [0, 0], 0x28, 0x0F, 0xE3),
    attribute: attribute(RGB_6_BITS, 0x01, 0x0F, 0x00),
    ..EGA_640
};
