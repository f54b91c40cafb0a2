//! Register access for the BIOS: index and data through the ports, with the CRTC's address in
//! 0040:0063.

use crate::bios::data;
use crate::hardware::Hardware;

pub(super) fn output(hw: &mut Hardware, port: u16, value: u8) {
    hw.output_to_display(port, value);
}

// Only the status depends on the time, and no caller needs the beam's position.
pub(super) fn input(hw: &mut Hardware, port: u16) -> u8 {
    hw.vga.read_back(port, 0)
}

/// Writes a register through an index port and the data port above it.
fn indexed(hw: &mut Hardware, port: u16, index: u8, value: u8) {
    output(hw, port, index);
    output(hw, port + 1, value);
}

/// Reads a register through an index port and the data port above it.
fn read_indexed(hw: &mut Hardware, port: u16, index: u8) -> u8 {
    output(hw, port, index);
    input(hw, port + 1)
}

pub(super) fn sequencer(hw: &mut Hardware, index: u8, value: u8) {
    indexed(hw, 0x3C4, index, value);
}

pub(super) fn read_sequencer(hw: &mut Hardware, index: u8) -> u8 {
    read_indexed(hw, 0x3C4, index)
}

pub(super) fn graphics(hw: &mut Hardware, index: u8, value: u8) {
    indexed(hw, 0x3CE, index, value);
}

pub(super) fn read_graphics(hw: &mut Hardware, index: u8) -> u8 {
    read_indexed(hw, 0x3CE, index)
}

fn crtc_port(hw: &Hardware) -> u16 {
    hw.memory.read16(data::CRTC_PORT)
}

pub(super) fn crtc(hw: &mut Hardware, index: u8, value: u8) {
    indexed(hw, crtc_port(hw), index, value);
}

/// A register pair, high byte at the lower index.
pub(super) fn crtc_word(hw: &mut Hardware, index: u8, value: u16) {
    let [high, low] = value.to_be_bytes();
    crtc(hw, index, high);
    crtc(hw, index + 1, low);
}

pub(super) fn read_crtc(hw: &mut Hardware, index: u8) -> u8 {
    read_indexed(hw, crtc_port(hw), index)
}

/// Reads input status 1; after that the next write to 3C0h is an index.
pub(super) fn status(hw: &mut Hardware) -> u8 {
    input(hw, crtc_port(hw) + 6)
}

/// Writes an attribute controller register and returns the palette to the display.
pub(super) fn attribute(hw: &mut Hardware, index: u8, value: u8) {
    status(hw);
    output(hw, 0x3C0, index);
    output(hw, 0x3C0, value);
    output(hw, 0x3C0, 0x20);
}

pub(super) fn read_attribute(hw: &mut Hardware, index: u8) -> u8 {
    status(hw);
    output(hw, 0x3C0, index);
    let value = input(hw, 0x3C1);
    status(hw);
    output(hw, 0x3C0, 0x20);
    value
}
