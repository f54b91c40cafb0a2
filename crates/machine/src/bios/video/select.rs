//! INT 10h AH=12h: information about the adapter, and settings for later mode sets.
//!
//! AL=12h in the result means that the function exists. Source: Ralf Brown's interrupt list.

use super::{area, mode_set, ports};
use crate::bios::data;
use crate::firmware::Guest;
use crate::hardware::Hardware;
use crate::hardware::vga::Adapter;

/// AH=12h, by BL.
pub(super) fn service(Guest { cpu, hw, .. }: &mut Guest) {
    let regs = &mut cpu.regs;
    let off = regs.al() & 1 != 0;
    match regs.bl() {
        0x11.. if hw.vga.kind() == Adapter::Ega && regs.bl() != 0x20 => return,
        0x10 => {
            let mono = hw.memory.read16(data::CRTC_PORT) == 0x3B4;
            let switches = hw.memory.read8(data::VIDEO_SWITCHES);
            regs.set_bh(u8::from(mono));
            // 256 KiB.
            regs.set_bl(3);
            regs.set_cx(u16::from_be_bytes([switches >> 4, switches & 0x0F]));
            return;
        }
        // INT 5 already prints screens of any number of rows.
        0x20 => return,
        // Scan lines of text modes, used from the next mode set.
        0x30 => {
            let bits = match regs.al() {
                0 => 0x80,
                1 => 0x00,
                2 => 0x10,
                _ => return,
            };
            set_flags(hw, 0x90, bits);
        }
        // Whether mode sets load the palette (AL=0) or keep it.
        0x31 => set_flags(hw, 0x08, u8::from(off) << 3),
        // The processor's access to video memory.
        0x32 => {
            let misc = ports::input(hw, 0x3CC) & !0x02;
            ports::output(hw, 0x3C2, if off { misc } else { misc | 0x02 });
        }
        // Grey instead of colours, used from the next palette load.
        0x33 => set_flags(hw, 0x02, u8::from(!off) << 1),
        0x34 => {
            let control = hw.memory.read8(data::VIDEO_CONTROL) & !0x01;
            hw.memory.write8(data::VIDEO_CONTROL, control | u8::from(off));
        }
        0x36 => {
            let clocking = ports::read_sequencer(hw, 1) & !0x20;
            ports::sequencer(hw, 1, clocking | u8::from(off) << 5);
        }
        _ => return,
    }
    regs.set_al(0x12);
}

fn set_flags(hw: &mut Hardware, mask: u8, bits: u8) {
    let flags = hw.memory.read8(data::VGA_FLAGS) & !mask;
    hw.memory.write8(data::VGA_FLAGS, flags | bits);
}

/// Returns the scan lines of the current mode as AH=1Bh codes them: 200, 350, 400, 480.
pub(super) fn scan_line_code(hw: &Hardware) -> u8 {
    match area::mode(hw) {
        0..=3 | 7 => match mode_set::text_scan_lines(hw) {
            200 => 0,
            350 => 1,
            _ => 2,
        },
        4..=6 | 0x0D | 0x0E | 0x13 => 0,
        0x0F | 0x10 => 1,
        _ => 3,
    }
}
