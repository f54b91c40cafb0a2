//! INT 10h and the video ROM: what a VGA's BIOS does, on the chip's registers and memory.
//!
//! State is where a program expects it: in the data area at 0040:0049 (`area`), in the chip and in the vectors 1Dh, 1Fh, 43h.
//! Functions that a plain VGA BIOS lacks (VESA's 4Fh among them) return with all registers as they were.
//! Source: Ralf Brown's interrupt list, IBM's PS/2 BIOS interface reference.

mod area;
mod characters;
mod cursor;
mod fonts;
mod mode_set;
mod palette;
mod parameters;
mod pixels;
mod ports;
mod rom;
mod select;
mod state;

pub use characters::teletype;

use crate::cpu::{Cpu, Registers};
use crate::hardware::{Hardware, linear};

/// Power-on: the ROM at C000:0000, the vectors and the data area that point to it, and mode 3.
pub fn init(hw: &mut Hardware) {
    rom::install(hw);
    hw.memory.write8(area::CONTROL, 0x60);
    hw.memory.write8(area::SWITCHES, 0xF9);
    hw.memory.write8(area::VGA_FLAGS, 0x11);
    hw.memory.write8(area::COMBINATION, rom::COMBINATION_VGA);
    mode_set::set_mode(hw, 3);
}

/// INT 10h; true when the text written holds a BEL that is to be heard.
pub fn serve(cpu: &mut Cpu, hw: &mut Hardware) -> bool {
    let regs = &mut cpu.regs;
    match regs.ah() {
        0x00 => mode_set::set_mode(hw, regs.al()),
        0x01 => cursor::set_shape(hw, regs.ch(), regs.cl()),
        0x02 => cursor::set_position(hw, regs.bh() & 7, regs.dh(), regs.dl()),
        0x03 => {
            let (row, column) = area::cursor(hw, regs.bh());
            regs.set_dx(u16::from_be_bytes([row, column]));
            regs.set_cx(hw.memory.read16(area::CURSOR_SHAPE));
        }
        // No light pen.
        0x04 => regs.set_ah(0),
        0x05 => cursor::select_page(hw, regs.al()),
        0x06 | 0x07 => {
            let window =
                characters::Window { top: regs.ch(), left: regs.cl(), bottom: regs.dh(), right: regs.dl() };
            let page = hw.memory.read8(area::PAGE);
            characters::scroll(hw, page, window, regs.al(), regs.bh(), regs.ah() == 0x06);
        }
        0x08 => {
            let (character, attribute) = characters::read(hw, regs.bh() & 7);
            regs.set_ax(u16::from_be_bytes([attribute, character]));
        }
        0x09 => characters::write(hw, regs.al(), Some(regs.bl()), regs.bh(), regs.cx()),
        0x0A if mode_set::is_text(area::mode(hw)) => {
            characters::write(hw, regs.al(), None, regs.bh(), regs.cx());
        }
        0x0A => characters::write(hw, regs.al(), Some(regs.bl()), regs.bh(), regs.cx()),
        0x0B => palette::cga_palette(hw, regs.bh(), regs.bl()),
        0x0C => pixels::write_pixel(hw, regs.bh(), regs.cx(), regs.dx(), regs.al()),
        0x0D => regs.set_al(pixels::read_pixel(hw, regs.bh(), regs.cx(), regs.dx())),
        0x0E => {
            let page = hw.memory.read8(area::PAGE);
            return teletype(hw, regs.al(), regs.bl(), page);
        }
        0x0F => {
            regs.set_al(hw.memory.read8(area::MODE) | hw.memory.read8(area::CONTROL) & 0x80);
            regs.set_ah(area::columns(hw));
            regs.set_bh(hw.memory.read8(area::PAGE));
        }
        0x10 => _ = palette::service(cpu, hw),
        0x11 => _ = fonts::service(cpu, hw),
        0x12 => select::service(cpu, hw),
        0x13 => {
            let from = linear(regs.es(), regs.bp());
            let place = (regs.bh() & 7, regs.dh(), regs.dl());
            return characters::write_string(hw, from, regs.cx(), regs.al(), regs.bl(), place);
        }
        0x1A => state::display_combination(cpu, hw),
        0x1B => state::functionality(cpu, hw),
        0x1C => state::save_restore(cpu, hw),
        _ => {}
    }
    false
}

/// INT 10h when it is a plain character to be written, as most calls are: true, or false with nothing done.
pub fn serve_at_once(regs: &mut Registers, hw: &mut Hardware) -> bool {
    const BELL: u8 = 0x07;
    let plain = regs.ah() == 0x0E && regs.al() != BELL;
    if plain {
        let page = hw.memory.read8(area::PAGE);
        teletype(hw, regs.al(), regs.bl(), page);
    }
    plain
}
