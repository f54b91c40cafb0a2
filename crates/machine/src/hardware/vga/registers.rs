//! The registers of the five parts of the chip, and values that depend on several of them.

use super::attribute::Attribute;
use super::crtc::Crtc;
use super::dac::Dac;
use super::graphics::Graphics;
use super::sequencer::Sequencer;
use oxbox_cpu::PlanarRegisters;
use serde::{Deserialize, Serialize};

/// Everything that ports access, except for the latch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Registers {
    /// Miscellaneous output (3C2h): ports, clock, sync polarity.
    pub(super) misc: u8,
    /// Feature control (3xAh).
    pub(super) feature: u8,
    /// Port 3C3h bit 0: whether the chip answers.
    pub(super) enabled: bool,
    pub(super) sequencer: Sequencer,
    pub(super) graphics: Graphics,
    pub(super) crtc: Crtc,
    pub(super) attribute: Attribute,
    pub(super) dac: Dac,
}

impl Registers {
    /// Returns the registers after power-on: all zero.
    pub(super) fn new() -> Self {
        Registers {
            misc: 0,
            feature: 0,
            enabled: true,
            sequencer: Sequencer::default(),
            graphics: Graphics::default(),
            crtc: Crtc::default(),
            attribute: Attribute::default(),
            dac: Dac::new(),
        }
    }

    /// Returns those that programs write for every pixel.
    #[inline]
    pub(super) fn of_pixels(&mut self) -> PlanarRegisters<'_> {
        let (sequencer_index, map_mask) = self.sequencer.map_mask_mut();
        let (graphics_index, graphics) = self.graphics.all_mut();
        PlanarRegisters { sequencer_index, map_mask, graphics_index, graphics }
    }

    /// Miscellaneous output bit 0: whether CRTC and input status 1 answer at 3Dxh (else 3Bxh).
    fn at_colour_ports(&self) -> bool {
        self.misc & 0x01 != 0
    }

    /// Translates a port of the CRTC to 3Dxh. Returns FFFFh, where nothing answers, for the group
    /// that is not selected.
    pub(super) fn relocated(&self, port: u16) -> u16 {
        match port {
            0x3B0..=0x3BF if !self.at_colour_ports() => port + 0x20,
            0x3B0..=0x3BF => 0xFFFF,
            0x3D0..=0x3DF if !self.at_colour_ports() => 0xFFFF,
            // The CRTC decodes only one address line: 3D0h to 3D7h are four pairs of the same two
            // ports.
            0x3D0..=0x3D7 => 0x3D4 | port & 1,
            _ => port,
        }
    }

    /// Whether a graphics picture is shown (otherwise text).
    pub(super) fn is_graphics(&self) -> bool {
        self.graphics.is_graphics()
    }
}
