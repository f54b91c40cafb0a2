//! INT 10h AH=1Ah, 1Bh, 1Ch: the displays, the abilities and state of the video BIOS, and saving
//! and restoring its state.
//!
//! The layout of saved state is private to the BIOS; only its size in blocks of 64 bytes is
//! returned. Source: Ralf Brown's interrupt list.

use super::{area, ports, rom, select};
use crate::bios::data;
use crate::firmware::Guest;
use crate::hardware::{Hardware, linear};
use oxbox_cpu::Bus;

/// Active and other display: a VGA with a colour monitor, and none.
const ACTIVE: u8 = 8;
const ALTERNATE: u8 = 0;

/// AH=1Ah: reads (AL=0) or sets (AL=1) the display combination.
pub(super) fn display_combination(Guest { cpu, hw, .. }: &mut Guest) {
    let regs = &mut cpu.regs;
    match regs.al() {
        0 => {
            let [active, alternate] =
                rom::combination(hw.memory.read8(data::DISPLAY_COMBINATION)).unwrap_or([0xFF, 0xFF]);
            regs.set_bx(u16::from_be_bytes([alternate, active]));
        }
        1 => {
            let index = rom::combination_index([regs.bl(), regs.bh()]);
            hw.memory.write8(data::DISPLAY_COMBINATION, index.unwrap_or(0xFF));
        }
        _ => return,
    }
    regs.set_al(0x1A);
}

/// AH=1Bh: stores 64 bytes of functionality and state at ES:DI.
pub(super) fn functionality(Guest { cpu, hw, .. }: &mut Guest) {
    if cpu.regs.bx() != 0 {
        return;
    }
    let state = state_bytes(hw);
    let to = linear(cpu.regs.es(), cpu.regs.di());
    for (at, byte) in (to..).zip(state) {
        hw.write8(at, byte);
    }
    cpu.regs.set_al(0x1B);
}

fn state_bytes(hw: &mut Hardware) -> [u8; 64] {
    let mut state = [0; 64];
    state[0x00..0x02].copy_from_slice(&rom::FUNCTIONALITY.to_le_bytes());
    state[0x02..0x04].copy_from_slice(&rom::SEGMENT.to_le_bytes());
    // The fields from mode to CGA palette, in the order of the data area.
    state[0x04..0x22].copy_from_slice(&hw.memory.read_bytes(data::VIDEO_MODE, 0x1E));
    state[0x22] = area::last_row(hw).wrapping_add(1);
    state[0x23..0x25].copy_from_slice(&hw.memory.read_bytes(data::CHARACTER_HEIGHT, 2));
    (state[0x25], state[0x26]) = (ACTIVE, ALTERNATE);
    let (colours, pages) = colours_and_pages(area::mode(hw));
    state[0x27..0x29].copy_from_slice(&u16::to_le_bytes(colours));
    state[0x29] = pages;
    state[0x2A] = select::scan_line_code(hw);
    let fonts = ports::read_sequencer(hw, 3);
    state[0x2B] = fonts & 3 | fonts >> 2 & 4;
    state[0x2C] = fonts >> 2 & 3 | fonts >> 3 & 4;
    let flags = hw.memory.read8(data::VGA_FLAGS);
    let emulated = hw.memory.read8(data::VIDEO_CONTROL) & 1 == 0;
    let blink = ports::read_attribute(hw, 0x10) & 0x08 != 0;
    // All modes on all displays; grey; monochrome; palette kept; cursor emulation; blinking.
    state[0x2D] =
        0x01 | flags & 0x02 | flags & 0x04 | flags & 0x08 | u8::from(emulated) << 4 | u8::from(blink) << 5;
    // 256 KiB, and a display combination table in the save pointers.
    (state[0x31], state[0x32]) = (3, 0x10);
    state
}

/// Returns colours (0 for monochrome) and pages of a mode.
fn colours_and_pages(mode: u8) -> (u16, u8) {
    match mode {
        0..=3 => (16, 8),
        4 | 5 => (4, 1),
        6 | 0x11 => (2, 1),
        7 => (0, 8),
        0x0D => (16, 8),
        0x0E => (16, 4),
        0x0F => (0, 2),
        0x10 => (16, 2),
        0x12 => (16, 1),
        _ => (256, 1),
    }
}

/// The size of a block: each part is rounded up to whole blocks.
const BLOCK: u16 = 64;
const HARDWARE_BLOCKS: u16 = 2;
const AREA_BLOCKS: u16 = 1;
const DAC_BLOCKS: u16 = 13;

/// AH=1Ch: size of (AL=0), save (1) or restore (2) the parts in CX: hardware, data area, DAC.
pub(super) fn save_restore(Guest { cpu, hw, .. }: &mut Guest) {
    let regs = &mut cpu.regs;
    let (hardware, data, dac) = (regs.cx() & 1 != 0, regs.cx() & 2 != 0, regs.cx() & 4 != 0);
    let blocks =
        u16::from(hardware) * HARDWARE_BLOCKS + u16::from(data) * AREA_BLOCKS + u16::from(dac) * DAC_BLOCKS;
    let mut at = linear(regs.es(), regs.bx());
    let mut parts: Vec<(u16, Part)> = Vec::new();
    for (wanted, size, part) in [
        (hardware, HARDWARE_BLOCKS, Part::Hardware),
        (data, AREA_BLOCKS, Part::Area),
        (dac, DAC_BLOCKS, Part::Dac),
    ] {
        if wanted {
            parts.push((size * BLOCK, part));
        }
    }
    match regs.al() {
        0 => regs.set_bx(blocks),
        1 => {
            for (size, part) in parts {
                let saved = part.save(hw);
                for (at, byte) in (at..at + u32::from(size)).zip(saved) {
                    hw.write8(at, byte);
                }
                at += u32::from(size);
            }
        }
        2 => {
            for (size, part) in parts {
                let saved: Vec<u8> = (at..at + u32::from(size)).map(|at| hw.read8(at)).collect();
                part.restore(hw, &saved);
                at += u32::from(size);
            }
        }
        _ => return,
    }
    regs.set_al(0x1C);
}

/// A part that can be saved separately.
#[derive(Debug, Clone, Copy)]
enum Part {
    Hardware,
    Area,
    Dac,
}

/// The fields of the data area that belong to video, and the vectors of the fonts: (address, bytes).
const AREA_RANGES: [(u32, usize); 6] = [
    (data::EQUIPMENT, 1),
    (data::VIDEO_MODE, 0x1E),
    (data::LAST_ROW, 7),
    (data::VIDEO_SAVE_POINTER, 4),
    (0x1F * 4, 4),
    (0x43 * 4, 4),
];

impl Part {
    fn save(self, hw: &mut Hardware) -> Vec<u8> {
        match self {
            Part::Hardware => save_registers(hw),
            Part::Area => {
                AREA_RANGES.iter().flat_map(|&(at, length)| hw.memory.read_bytes(at, length)).collect()
            }
            Part::Dac => {
                let mask = ports::input(hw, 0x3C6);
                ports::output(hw, 0x3C7, 0);
                std::iter::once(mask).chain((0..768).map(|_| ports::input(hw, 0x3C9))).collect()
            }
        }
    }

    fn restore(self, hw: &mut Hardware, saved: &[u8]) {
        match self {
            Part::Hardware => restore_registers(hw, saved),
            Part::Area => {
                let mut rest = saved;
                for (at, length) in AREA_RANGES {
                    let (field, behind) = rest.split_at(length.min(rest.len()));
                    hw.memory.write_bytes(at, field);
                    rest = behind;
                }
            }
            Part::Dac => {
                ports::output(hw, 0x3C6, saved.first().copied().unwrap_or(0xFF));
                ports::output(hw, 0x3C8, 0);
                for &component in saved.iter().skip(1).take(768) {
                    ports::output(hw, 0x3C9, component);
                }
            }
        }
    }
}

/// Numbers of registers: sequencer from 1, CRTC, attribute controller, graphics controller.
const SEQUENCER: std::ops::Range<u8> = 1..5;
const CRTC: std::ops::Range<u8> = 0..25;
const ATTRIBUTE: std::ops::Range<u8> = 0..21;
const GRAPHICS: std::ops::Range<u8> = 0..9;

/// Miscellaneous output, then the chips' registers.
fn save_registers(hw: &mut Hardware) -> Vec<u8> {
    let mut saved = vec![ports::input(hw, 0x3CC)];
    saved.extend(SEQUENCER.map(|index| ports::read_sequencer(hw, index)));
    saved.extend(CRTC.map(|index| ports::read_crtc(hw, index)));
    saved.extend(ATTRIBUTE.map(|index| ports::read_attribute(hw, index)));
    saved.extend(GRAPHICS.map(|index| ports::read_graphics(hw, index)));
    saved
}

fn restore_registers(hw: &mut Hardware, saved: &[u8]) {
    let mut values = saved.iter().copied();
    let misc = values.next().unwrap_or(0x67);
    ports::output(hw, 0x3C2, misc);
    // The saved state may use the other CRTC address.
    hw.memory.write16(data::CRTC_PORT, if misc & 1 == 0 { 0x3B4 } else { 0x3D4 });
    for (index, value) in SEQUENCER.zip(values.by_ref()) {
        ports::sequencer(hw, index, value);
    }
    ports::crtc(hw, 0x11, 0);
    for (index, value) in CRTC.zip(values.by_ref()) {
        ports::crtc(hw, index, value);
    }
    for (index, value) in ATTRIBUTE.zip(values.by_ref()) {
        ports::attribute(hw, index, value);
    }
    for (index, value) in GRAPHICS.zip(values) {
        ports::graphics(hw, index, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fit_their_blocks() {
        let area: usize = AREA_RANGES.iter().map(|(_, length)| length).sum();
        assert!(area <= usize::from(AREA_BLOCKS * BLOCK));
        assert!(
            1 + SEQUENCER.len() + CRTC.len() + ATTRIBUTE.len() + GRAPHICS.len()
                <= usize::from(HARDWARE_BLOCKS * BLOCK)
        );
        const { assert!(769 <= DAC_BLOCKS * BLOCK) };
    }
}
