//! The recent changes of registers that affect the picture: needed to draw a picture whose
//! registers change while it is drawn.
//!
//! A monitor shows a change only below the line at which it happens, but the chip's state contains
//! only the last change. A tenth of a second is kept: longer than the last two frames, and enough
//! to distinguish effects from settings. The history is not part of the chip's state: snapshots
//! contain it, state hashes do not.

use super::registers::Registers;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A register, or a colour of the DAC, that affects the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Shown {
    /// A register of the CRTC, by index.
    Crtc(u8),
    /// A register of the attribute controller, by index.
    Attribute(u8),
    /// Bit 5 of the attribute controller's index: the display uses the palette.
    PaletteSource,
    /// A register of the sequencer, by index.
    Sequencer(u8),
    /// A register of the graphics controller, by index.
    Graphics(u8),
    /// Port 3C6h.
    PelMask,
    /// Red, green and blue together: a colour changes as a whole.
    Colour(u8),
    /// A register of a CGA's 6845, by index.
    Motorola(u8),
    /// Port 3D8h of a CGA.
    CgaMode,
    /// Port 3D9h of a CGA.
    CgaColour,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Change {
    /// The time in nanoseconds since power-on.
    pub(super) ns: u64,
    pub(super) register: Shown,
    pub(super) before: u32,
    pub(super) after: u32,
}

/// The changes of the last tenth of a second, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct History(VecDeque<Change>);

/// Duration for which changes are kept: five frames of the slowest monitor.
const KEPT_NS: u64 = 100_000_000;
/// The maximum number of changes. A program that changes a register every other instruction at the
/// default speed fills it in two frames.
const KEPT: usize = 1 << 15;

/// The number of changes of a register within [`EFFECT_HALF_FRAMES`] that make an effect: it
/// changes back and forth in every frame. Settings and fades change a register at most once per
/// frame, and the value then applies to the whole picture.
const EFFECT: usize = 4;
pub(super) const EFFECT_HALF_FRAMES: u64 = 5;

impl History {
    pub(super) fn note(&mut self, change: Change) {
        self.forget_before(change.ns.saturating_sub(KEPT_NS));
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(change);
    }

    pub(super) fn forget_before(&mut self, ns: u64) {
        while self.0.front().is_some_and(|change| change.ns < ns) {
            self.0.pop_front();
        }
    }

    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    pub(super) fn save(&mut self, now_ns: u64) -> History {
        self.forget_before(now_ns.saturating_sub(KEPT_NS));
        self.clone()
    }

    /// Returns all recorded changes of the registers that programs have kept changing since a time.
    /// Empty without any.
    pub(super) fn effects(&self, since_ns: u64) -> Vec<Change> {
        if self.0.back().is_none_or(|last| last.ns < since_ns) {
            return Vec::new();
        }
        let recent = self.0.iter().rev().take_while(|change| change.ns >= since_ns);
        let mut registers: Vec<Shown> = recent.map(|change| change.register).collect();
        registers.sort_unstable();
        let active: Vec<Shown> = registers
            .chunk_by(|a, b| a == b)
            .filter(|same| same.len() >= EFFECT)
            .map(|same| same[0])
            .collect();
        let of_active = |change: &&Change| active.binary_search(&change.register).is_ok();
        self.0.iter().filter(of_active).copied().collect()
    }
}

impl Registers {
    /// Returns the part of the picture's state that a write of a byte to a port may change. The
    /// start of the picture, the cursor and the timing are left out: they apply to the whole
    /// picture.
    pub(super) fn shown_by(&self, port: u16) -> Option<Shown> {
        let shown = match self.relocated(port) {
            0x3C0 if self.attribute.data_next => Shown::Attribute(self.attribute.index() & 0x1F),
            0x3C0 => Shown::PaletteSource,
            0x3C5 => Shown::Sequencer(self.sequencer.index),
            0x3C6 => Shown::PelMask,
            0x3C9 if self.dac.completes_colour() => Shown::Colour(self.dac.write_index()),
            0x3CF => Shown::Graphics(self.graphics.index),
            0x3D5 => Shown::Crtc(self.crtc.index),
            _ => return None,
        };
        (mask(shown) != 0).then_some(shown)
    }

    pub(super) fn shown(&self, register: Shown) -> u32 {
        let value = match register {
            Shown::Crtc(index) => u32::from(self.crtc.value_at(index)),
            Shown::Attribute(index) => u32::from(self.attribute.value_at(index)),
            Shown::PaletteSource => u32::from(self.attribute.index()),
            Shown::Sequencer(index) => u32::from(self.sequencer.value_at(index)),
            Shown::Graphics(index) => u32::from(self.graphics.value_at(index)),
            Shown::PelMask => u32::from(self.dac.mask),
            Shown::Colour(index) => self.dac.components_of(index),
            Shown::Motorola(_) | Shown::CgaMode | Shown::CgaColour => 0,
        };
        value & mask(register)
    }

    pub(super) fn show(&mut self, register: Shown, value: u32) {
        let mask = mask(register);
        let put = |old: u8| old & !(mask as u8) | (value & mask) as u8;
        match register {
            Shown::Crtc(index) => self.crtc.change(index, put),
            Shown::Attribute(index) => self.attribute.change(index, put),
            Shown::PaletteSource => self.attribute.change_index(put),
            Shown::Sequencer(index) => self.sequencer.change(index, put),
            Shown::Graphics(index) => self.graphics.change(index, put),
            Shown::PelMask => self.dac.mask = put(self.dac.mask),
            Shown::Colour(index) => self.dac.set_components(index, value & mask),
            Shown::Motorola(_) | Shown::CgaMode | Shown::CgaColour => {}
        }
    }
}

/// Returns the bits of a register that change the content of a line.
fn mask(register: Shown) -> u32 {
    match register {
        // Characters per line, preset row scan, row height and split, start address, offset,
        // underline, addressing, split.
        Shown::Crtc(0x01 | 0x08 | 0x09 | 0x0C | 0x0D | 0x13 | 0x14 | 0x17 | 0x18) => 0xFF,
        // Bit 8 of the split.
        Shown::Crtc(0x07) => 0x10,
        Shown::Attribute(0..=0x14) => 0xFF,
        Shown::PaletteSource => 0x20,
        // Dots, dot clock, screen off; fonts.
        Shown::Sequencer(1) => 0x29,
        Shown::Sequencer(3) => 0xFF,
        // The shift register; graphics or text.
        Shown::Graphics(5) => 0x60,
        Shown::Graphics(6) => 0x01,
        Shown::PelMask => 0xFF,
        Shown::Colour(_) => 0x3F_3F3F,
        Shown::Crtc(_) | Shown::Attribute(_) | Shown::Sequencer(_) | Shown::Graphics(_) => 0,
        Shown::Motorola(_) | Shown::CgaMode | Shown::CgaColour => 0,
    }
}
