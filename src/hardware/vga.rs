//! The VGA: 256 KiB in four planes behind sequencer, graphics controller, CRTC, attribute controller and DAC.
//!
//! The picture is a function of the registers and the memory ([`Vga::frame`], [`Vga::text`]); no video mode is known here.
//! Derived data (how the processor's accesses reach the planes) is recomputed from the registers and never serialised.
//! Source: IBM VGA technical reference; the ports are in [`Vga::input`] and [`Vga::output`].

mod attribute;
pub mod cp437;
mod crtc;
mod dac;
mod graphics;
mod planes;
mod raster;
mod render;
mod runs;
mod sequencer;
mod text;

#[cfg(test)]
mod tests;

pub use render::Frame;
pub use text::{Cursor, TextScreen};

use attribute::Attribute;
use crtc::Crtc;
use dac::Dac;
use graphics::Graphics;
use planes::{Access, Planes};
use sequencer::Sequencer;
use serde::{Deserialize, Serialize};

/// The chip and its memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Vga {
    /// Miscellaneous output (3C2h): ports, clock, sync polarity.
    misc: u8,
    /// Feature control (3xAh).
    feature: u8,
    /// Port 3C3h bit 0: the chip answers at all.
    enabled: bool,
    sequencer: Sequencer,
    graphics: Graphics,
    crtc: Crtc,
    attribute: Attribute,
    dac: Dac,
    planes: Planes,
    /// The four bytes of the last read.
    latch: u32,
    #[serde(skip)]
    access: Access,
}

impl Default for Vga {
    fn default() -> Self {
        Vga::new()
    }
}

impl Vga {
    /// After power-on: all registers zero, no picture, nothing answers at A0000h until the BIOS has set a mode.
    pub fn new() -> Self {
        Vga {
            misc: 0,
            feature: 0,
            enabled: true,
            sequencer: Sequencer::default(),
            graphics: Graphics::default(),
            crtc: Crtc::default(),
            attribute: Attribute::default(),
            dac: Dac::new(),
            planes: Planes::new(),
            latch: 0,
            access: Access::default(),
        }
    }

    /// Miscellaneous output bit 0: CRTC and input status 1 answer at 3Dxh, otherwise at 3Bxh.
    fn at_colour_ports(&self) -> bool {
        self.misc & 0x01 != 0
    }

    /// IN of one byte from a port 3B0h to 3DFh, `now_ns` nanoseconds after power-on. FFh where nothing answers.
    pub fn input(&mut self, port: u16, now_ns: u64) -> u8 {
        if !self.enabled && port != 0x3C3 {
            return 0xFF;
        }
        match self.relocated(port) {
            0x3C0 => self.attribute.index(),
            0x3C1 => self.attribute.read(),
            // Input status 0: the sense line of a colour monitor; no vertical interrupt is ever pending.
            0x3C2 => 0x10,
            0x3C3 => u8::from(self.enabled),
            0x3C4 => self.sequencer.index,
            0x3C5 => self.sequencer.read(),
            0x3C6 => self.dac.mask,
            0x3C7 => self.dac.state(),
            0x3C8 => self.dac.write_index(),
            0x3C9 => self.dac.read(),
            0x3CA => self.feature,
            0x3CC => self.misc,
            0x3CE => self.graphics.index,
            0x3CF => self.graphics.read(),
            0x3D4 => self.crtc.index,
            0x3D5 => self.crtc_read(),
            0x3DA => {
                self.attribute.reset_flip_flop();
                self.raster().status(now_ns)
            }
            _ => 0xFF,
        }
    }

    /// OUT of one byte to a port 3B0h to 3DFh. It takes effect at once, whatever the time.
    pub fn output(&mut self, port: u16, value: u8) {
        if !self.enabled && port != 0x3C3 {
            return;
        }
        match self.relocated(port) {
            0x3C0 => self.attribute.write(value),
            0x3C2 => self.misc = value,
            0x3C3 => self.enabled = value & 1 != 0,
            0x3C4 => self.sequencer.index = value & 0x07,
            0x3C5 => self.sequencer.write(value),
            0x3C6 => self.dac.mask = value,
            0x3C7 => self.dac.set_read_index(value),
            0x3C8 => self.dac.set_write_index(value),
            0x3C9 => self.dac.write(value),
            0x3CE => self.graphics.index = value & 0x0F,
            0x3CF => self.graphics.write(value),
            0x3D4 => self.crtc.index = value & 0x3F,
            0x3D5 => self.crtc.write(value),
            0x3DA => self.feature = value & 0x03,
            _ => {}
        }
        if let 0x3C2 | 0x3C3 | 0x3C5 | 0x3CF = port {
            self.forget_access(port);
        }
    }

    /// OUT of a word: two bytes to two ports, which mostly are the index and the value of a register.
    pub fn output_word(&mut self, port: u16, value: u16) {
        let [index, data] = value.to_le_bytes();
        match port {
            0x3C4 if self.enabled => {
                self.sequencer.index = index & 0x07;
                self.sequencer.write(data);
                self.forget_access(0x3C5);
            }
            0x3CE if self.enabled => {
                self.graphics.index = index & 0x0F;
                self.graphics.write(data);
                self.forget_access(0x3CF);
            }
            _ => self.output_pair(port, [index, data]),
        }
    }

    #[inline(never)]
    fn output_pair(&mut self, port: u16, [low, high]: [u8; 2]) {
        self.output(port, low);
        self.output(port + 1, high);
    }

    /// The CRTC's ports as if they were at 3Dxh; FFFFh, where nothing answers, for the group that is not selected.
    fn relocated(&self, port: u16) -> u16 {
        match port {
            0x3B0..=0x3BF if !self.at_colour_ports() => port + 0x20,
            0x3B0..=0x3BF => 0xFFFF,
            0x3D0..=0x3DF if !self.at_colour_ports() => 0xFFFF,
            // The CRTC decodes one address line only: 3D0h to 3D7h are four pairs of the same two ports.
            0x3D0..=0x3D7 => 0x3D4 | port & 1,
            _ => port,
        }
    }

    /// Registers 22h and 24h are not in IBM's book, but in its chip: the latch of the plane that reads are set to, and the flip-flop.
    fn crtc_read(&self) -> u8 {
        match self.crtc.index {
            0x22 => self.latch.to_le_bytes()[usize::from(self.graphics.read_map())],
            0x24 => u8::from(self.attribute.data_next) << 7,
            _ => self.crtc.read(),
        }
    }

    /// What writing CRTC registers 0Eh and 0Fh does, index included: the console moves the cursor for every character.
    #[inline]
    pub(crate) fn set_cursor_address(&mut self, address: u16) {
        self.crtc.set_cursor_address(address);
    }

    /// True when a graphics picture is shown, false for text.
    pub fn is_graphics(&self) -> bool {
        self.graphics.is_graphics()
    }
}
