//! The modes of a CGA: the 6845 from the table that INT 1Dh points to, and ports 3D8h and 3D9h.
//!
//! Source: IBM PC/AT Technical Reference, the BIOS's INT 10h AH=00h.

use super::super::{parameters, ports};
use super::{clear, mode_control, set_area};
use crate::bios::data;
use crate::hardware::{Hardware, linear};

/// Registers of the 6845 in an entry of the table: 40 columns, 80 columns, graphics, monochrome.
const ENTRY: u8 = 16;
/// The last mode; all before it exist.
pub(super) const LAST_MODE: u8 = 6;
const VIDEO_ON: u8 = 0x08;

pub(super) fn set(hw: &mut Hardware, mode: u8, keep_memory: bool) {
    let (entry, control) = match mode {
        0 | 1 => (0, mode_control(mode)),
        2 | 3 => (1, mode_control(mode)),
        4..=6 => (2, mode_control(mode)),
        _ => return,
    };
    set_area(hw, mode, keep_memory, &parameters::TABLE[usize::from(mode)]);
    ports::output(hw, 0x3D8, control & !VIDEO_ON);
    let table = linear(hw.memory.read16(0x1D * 4 + 2), hw.memory.read16(0x1D * 4));
    for index in 0..ENTRY {
        let value = hw.memory.read8(table + u32::from(entry * ENTRY + index));
        ports::crtc(hw, index, value);
    }
    if !keep_memory {
        clear(hw, mode);
    }
    let colour = hw.memory.read8(data::CGA_PALETTE);
    ports::output(hw, 0x3D9, colour);
    ports::output(hw, 0x3D8, control);
}
