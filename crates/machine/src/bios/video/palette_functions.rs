//! INT 10h AH=10h: palette registers, border and DAC, one row per subfunction.
//!
//! Source: Ralf Brown's interrupt list.

use super::{
    palette::{grey_of, read_colour, set_colour},
    ports,
};
use crate::{
    bios::{data, state::Subfunction},
    firmware::{Functions, row},
    hardware::{Hardware, linear},
};
use oxbox_cpu::{Bus, Registers};

/// The attribute controller's registers: mode control, border, colour select.
const MODE: u8 = 0x10;
const BORDER: u8 = 0x11;
const COLOUR_SELECT: u8 = 0x14;
/// Bits of the mode control register: attribute bit 7 blinks; pages of 16 colours instead of 64.
const BLINK: u8 = 0x08;
const SIXTEENS: u8 = 0x80;

/// By AL; other values are ignored.
#[rustfmt::skip]
pub(super) static FUNCTIONS: Functions<Subfunction> = Functions::new(&[
    row(0x00, "set single palette register",         |r, hw| ports::attribute(hw, r.bl() & 0x1F, r.bh())),
    row(0x01, "set border color",                    |r, hw| ports::attribute(hw, BORDER, r.bh())),
    row(0x02, "set all palette registers",           set_all_registers),
    row(0x03, "toggle intensity/blinking bit",       set_blinking),
    row(0x07, "get individual palette register",     |r, hw| r.set_bh(ports::read_attribute(hw, r.bl() & 0x1F))),
    row(0x08, "read border color",                   |r, hw| r.set_bh(ports::read_attribute(hw, BORDER))),
    row(0x09, "read all palette registers and border", read_all_registers),
    row(0x10, "set individual DAC register",         |r, hw| set_colour(hw, r.bl(), [r.dh(), r.ch(), r.cl()])),
    row(0x12, "set block of DAC registers",          set_block),
    row(0x13, "select video DAC color page",         select_page),
    row(0x15, "read individual DAC register",        read_register),
    row(0x17, "read block of DAC registers",         read_block),
    row(0x18, "set PEL mask",                        |r, hw| ports::output(hw, 0x3C6, r.bl())),
    row(0x19, "read PEL mask",                       |r, hw| r.set_bl(ports::input(hw, 0x3C6))),
    row(0x1A, "get video DAC color-page state",      page_state),
    row(0x1B, "perform gray-scale summing",          sum_to_grey),
]);

/// Returns the address of the caller's table at ES:DX.
fn table(regs: &Registers) -> u32 {
    linear(regs.es(), regs.dx())
}

/// Returns the CX DAC registers from BX, each with the address of its bytes in the caller's table.
fn block(regs: &Registers) -> impl Iterator<Item = (u8, u32)> + use<> {
    let (first, table) = (regs.bx(), table(regs));
    (0..regs.cx().min(256)).map(move |i| (first.wrapping_add(i) as u8, table + 3 * u32::from(i)))
}

/// 02h: sixteen palette registers and the border from ES:DX.
fn set_all_registers(regs: &mut Registers, hw: &mut Hardware) {
    for (register, at) in (0..16).chain([BORDER]).zip(table(regs)..) {
        let value = hw.read8(at);
        ports::attribute(hw, register, value);
    }
}

/// 03h: with BL = 1 attributes blink, with 0 there are 16 background colours.
fn set_blinking(regs: &mut Registers, hw: &mut Hardware) {
    let blink = regs.bl() & 1 != 0;
    set_mode_control(hw, BLINK, blink);
    let control = hw.memory.read8(data::MODE_CONTROL) & !0x20;
    hw.memory.write8(data::MODE_CONTROL, control | u8::from(blink) << 5);
}

/// 09h: sixteen palette registers and the border to ES:DX.
fn read_all_registers(regs: &mut Registers, hw: &mut Hardware) {
    for (register, at) in (0..16).chain([BORDER]).zip(table(regs)..) {
        let value = ports::read_attribute(hw, register);
        hw.write8(at, value);
    }
}

/// 12h: sets CX registers from BX, three bytes each at ES:DX.
fn set_block(regs: &mut Registers, hw: &mut Hardware) {
    for (register, at) in block(regs) {
        let colour = [0, 1, 2].map(|component| hw.read8(at + component));
        set_colour(hw, register, colour);
    }
}

/// 13h: BL = 0 selects pages of 64 colours (BH = 0) or 16 (BH = 1); BL = 1 selects the page BH.
fn select_page(regs: &mut Registers, hw: &mut Hardware) {
    if regs.bl() == 0 {
        set_mode_control(hw, SIXTEENS, regs.bh() & 1 != 0);
        return;
    }
    let sixteens = ports::read_attribute(hw, MODE) & SIXTEENS != 0;
    let page = regs.bh();
    ports::attribute(hw, COLOUR_SELECT, if sixteens { page & 0x0F } else { page << 2 & 0x0C });
}

/// 15h: returns the colour of BL in DH, CH and CL.
fn read_register(regs: &mut Registers, hw: &mut Hardware) {
    let [red, green, blue] = read_colour(hw, regs.bl());
    regs.set_dh(red);
    regs.set_ch(green);
    regs.set_cl(blue);
}

/// 17h: stores CX registers from BX, three bytes each, at ES:DX.
fn read_block(regs: &mut Registers, hw: &mut Hardware) {
    for (register, at) in block(regs) {
        for (component, at) in read_colour(hw, register).into_iter().zip(at..) {
            hw.write8(at, component);
        }
    }
}

/// 1Ah: the state of 13h: BL is the size of pages, BH the page.
fn page_state(regs: &mut Registers, hw: &mut Hardware) {
    let sixteens = ports::read_attribute(hw, MODE) & SIXTEENS != 0;
    let select = ports::read_attribute(hw, COLOUR_SELECT);
    regs.set_bl(sixteens.into());
    regs.set_bh(if sixteens { select } else { select >> 2 });
}

/// 1Bh: converts CX registers from BX to grey.
fn sum_to_grey(regs: &mut Registers, hw: &mut Hardware) {
    for (register, _) in block(regs) {
        let grey = grey_of(read_colour(hw, register));
        set_colour(hw, register, grey);
    }
}

fn set_mode_control(hw: &mut Hardware, bit: u8, on: bool) {
    let old = ports::read_attribute(hw, MODE) & !bit;
    ports::attribute(hw, MODE, if on { old | bit } else { old });
}
