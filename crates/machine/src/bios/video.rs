//! INT 10h and the video ROM: the BIOS of a VGA, an EGA or a CGA, working on the chip's registers
//! and memory.
//!
//! State is where programs expect it: in the BIOS data area, in the chip and in the vectors 1Dh,
//! 1Fh, 43h. Functions that a plain VGA BIOS lacks (VESA's 4Fh among them) return with all
//! registers unchanged.
//! Source: Ralf Brown's interrupt list, IBM's PS/2 BIOS interface reference.

mod area;
mod characters;
pub(crate) mod console;
mod cursor;
mod fonts;
mod mode_set;
mod palette;
mod palette_functions;
mod parameters;
mod pixels;
pub(crate) mod pointer;
mod ports;
mod rom;
mod select;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use area::active_page;
pub(crate) use characters::{teletype, teletype_all};

use super::{
    data,
    state::{Bios, Subfunction},
};
use crate::firmware::{Functions, Guest, ROM_SEGMENT, row};
use crate::hardware::vga::Adapter;
use crate::hardware::{Hardware, SideEffect, linear};
use oxbox_cpu::Registers;

/// Power-on: initialises the ROM at C000:0000, its vectors and data area fields, and mode 3.
pub(crate) fn init(hw: &mut Hardware) {
    let adapter = hw.vga.kind();
    rom::install(hw, adapter);
    if adapter == Adapter::Cga {
        hw.rtc.find_cga();
    } else {
        hw.memory.write8(data::VIDEO_CONTROL, 0x60);
        hw.memory.write8(data::VIDEO_SWITCHES, 0xF9);
    }
    if adapter == Adapter::Vga {
        hw.memory.write8(data::VGA_FLAGS, 0x11);
        hw.memory.write8(data::DISPLAY_COMBINATION, rom::COMBINATION_VGA);
    }
    mode_set::set_mode(hw, 3);
}

/// Whether the BIOS of an adapter has a function of INT 10h.
pub(super) fn has_function(adapter: Adapter, ah: u8) -> bool {
    match adapter {
        Adapter::Cga => matches!(ah, 0x00..=0x0F | 0x13),
        Adapter::Ega => ah < 0x1A,
        Adapter::Vga => true,
    }
}

/// Whether the BIOS of an adapter has a subfunction of the palette (10h) or font (11h) function.
fn has_subfunction(adapter: Adapter, ah: u8, al: u8) -> bool {
    match (adapter, ah) {
        (Adapter::Ega, 0x10) => al <= 0x03,
        // No font of 16 lines.
        (Adapter::Ega, _) => !matches!(al, 0x04 | 0x14 | 0x24),
        _ => true,
    }
}

/// A function of INT 10h: none waits, and none reports errors.
pub(super) type Function = fn(&mut Bios, &mut Guest<'_>);

#[rustfmt::skip]
pub(super) static INT_10: Functions<Function> = Functions::new(&[
    row(0x00, "set video mode",                             |bios, g| { bios.mouse.mode_changes(); mode_set::set_mode(g.hw, g.cpu.regs.al()); }),
    row(0x01, "set text-mode cursor shape",                 |_, g| cursor::set_shape(g.hw, g.cpu.regs.ch(), g.cpu.regs.cl())),
    row(0x02, "set cursor position",                        |_, g| cursor::set_position(g.hw, g.cpu.regs.bh() & 7, g.cpu.regs.dh(), g.cpu.regs.dl())),
    row(0x03, "get cursor position and size",               |_, g| cursor::get_position(g)),
    // No light pen.
    row(0x04, "read light pen position",                    |_, g| g.cpu.regs.set_ah(0)),
    row(0x05, "select active display page",                 |_, g| cursor::select_page(g.hw, g.cpu.regs.al())),
    row(0x06, "scroll up window",                           |_, g| scroll(g, true)),
    row(0x07, "scroll down window",                         |_, g| scroll(g, false)),
    row(0x08, "read character and attribute at cursor",     |_, g| read_character(g)),
    row(0x09, "write character and attribute at cursor",    |_, g| write_character(g, true)),
    row(0x0A, "write character only at cursor",             |_, g| write_character(g, false)),
    row(0x0B, "set background, border or palette",          |_, g| palette::cga_palette(g.hw, g.cpu.regs.bh(), g.cpu.regs.bl())),
    row(0x0C, "write graphics pixel",                       |_, g| write_pixel(g)),
    row(0x0D, "read graphics pixel",                        |_, g| read_pixel(g)),
    row(0x0E, "teletype output",                            |bios, g| ring(bios, g, teletype_output)),
    row(0x0F, "get current video mode",                     |_, g| current_mode(g)),
    row(0x10, "palette registers and DAC",                  |_, g| by_al(&palette_functions::FUNCTIONS, g)),
    row(0x11, "character generator",                        |_, g| by_al(&fonts::FUNCTIONS, g)),
    row(0x12, "alternate function select",                  |_, g| select::service(g)),
    row(0x13, "write string",                               |bios, g| ring(bios, g, write_string)),
    row(0x1A, "display combination code",                   |_, g| state::display_combination(g)),
    row(0x1B, "functionality and state information",        |_, g| state::functionality(g)),
    row(0x1C, "save or restore video state",                |_, g| state::save_restore(g)),
]);

/// Calls the subfunction in AL, if it exists.
fn by_al(functions: &Functions<Subfunction>, g: &mut Guest) {
    let (ah, al) = (g.cpu.regs.ah(), g.cpu.regs.al());
    if let Some(row) = functions.get(al).filter(|_| has_subfunction(g.hw.vga.kind(), ah, al)) {
        (row.handler)(&mut g.cpu.regs, g.hw);
    }
}

/// Returns the name of a subfunction, for functions that have subfunctions by AL.
pub(super) fn subfunction_name(ax: u16) -> Option<&'static str> {
    let [ah, al] = ax.to_be_bytes();
    let functions = match ah {
        0x10 => &palette_functions::FUNCTIONS,
        0x11 => &fonts::FUNCTIONS,
        _ => return None,
    };
    functions.get(al).map(|row| row.name)
}

/// Runs a function that writes text. If it returns true there was a BEL: starts a beep.
fn ring(bios: &mut Bios, g: &mut Guest, write: fn(&mut Guest) -> bool) {
    if write(g) {
        bios.beep(g.hw);
    }
}

/// AH=06h and 07h.
fn scroll(g: &mut Guest, up: bool) {
    let r = &g.cpu.regs;
    let window = characters::Window { top: r.ch(), left: r.cl(), bottom: r.dh(), right: r.dl() };
    let page = active_page(g.hw);
    characters::scroll(g.hw, page, window, r.al(), r.bh(), up);
}

/// AH=08h.
fn read_character(g: &mut Guest) {
    let (character, attribute) = characters::read(g.hw, g.cpu.regs.bh() & 7);
    g.cpu.regs.set_ax(u16::from_be_bytes([attribute, character]));
}

/// AH=09h, and 0Ah, which in text modes has no attribute.
fn write_character(g: &mut Guest, attribute: bool) {
    let r = &g.cpu.regs;
    let attribute = attribute || !mode_set::is_text(area::mode(g.hw));
    characters::write(g.hw, r.al(), attribute.then(|| r.bl()), r.bh(), r.cx());
}

/// AH=0Ch.
fn write_pixel(g: &mut Guest) {
    let r = &g.cpu.regs;
    pixels::write_pixel(g.hw, r.bh(), r.cx(), r.dx(), r.al());
}

/// AH=0Dh.
fn read_pixel(g: &mut Guest) {
    let r = &mut g.cpu.regs;
    r.set_al(pixels::read_pixel(g.hw, r.bh(), r.cx(), r.dx()));
}

/// AH=0Eh. Returns whether the character is a BEL.
fn teletype_output(g: &mut Guest) -> bool {
    note_text(&g.cpu.regs, g.hw);
    let page = active_page(g.hw);
    teletype(g.hw, g.cpu.regs.al(), g.cpu.regs.bl(), page)
}

/// AH=0Fh: mode in AL (bit 7 if its memory was kept), columns in AH, page in BH.
fn current_mode(g: &mut Guest) {
    let r = &mut g.cpu.regs;
    r.set_al(g.hw.memory.read8(data::VIDEO_MODE) | g.hw.memory.read8(data::VIDEO_CONTROL) & 0x80);
    r.set_ah(area::columns(g.hw));
    r.set_bh(active_page(g.hw));
}

/// AH=13h. Returns whether the string contains a BEL.
fn write_string(g: &mut Guest) -> bool {
    let r = &g.cpu.regs;
    note_text(r, g.hw);
    let from = linear(r.es(), r.bp());
    let place = (r.bh() & 7, r.dh(), r.dl());
    characters::write_string(g.hw, from, r.cx(), r.al(), r.bl(), place)
}

/// Records that text is printed without DOS, which itself calls from the ROM.
fn note_text(regs: &Registers, hw: &mut Hardware) {
    let caller = hw.memory.read16(linear(regs.ss(), regs.sp().wrapping_add(2)));
    if caller != ROM_SEGMENT {
        hw.note_side_effect(SideEffect::Text);
    }
}

/// Serves INT 10h at once if it writes a plain character, as most calls do. Returns false, with
/// nothing changed, for other calls.
pub(crate) fn serve_at_once(regs: &mut Registers, hw: &mut Hardware) -> bool {
    const BELL: u8 = 0x07;
    let plain = regs.ah() == 0x0E && regs.al() != BELL;
    if plain {
        note_text(regs, hw);
        let page = active_page(hw);
        teletype(hw, regs.al(), regs.bl(), page);
    }
    plain
}
