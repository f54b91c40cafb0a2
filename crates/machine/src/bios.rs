//! The BIOS: services behind the firmware traps 05h to 1Ch and 70h.
//!
//! Services use the registers, the data area at 0040: and the chips' ports, like the code in a ROM.
//! State that a ROM would keep on its stack or in loops is in `Bios`.

mod chips;
pub mod data;
mod disk;
mod equipment;
mod interrupts;
pub(crate) mod keyboard;
mod mouse;
mod state;
mod system_services;
pub(crate) mod timer;
pub(crate) mod us_keyboard;
pub(crate) mod video;

pub(crate) use interrupts::names_of;
pub(crate) use state::Bios;

use crate::hardware::{Hardware, IRQ_COPROCESSOR};

impl Bios {
    /// Power-on: programs the chips, initialises the data area, sets the video mode.
    pub(crate) fn init(&mut self, hw: &mut Hardware) {
        *self = Bios::default();
        chips::program(hw);
        data::init(hw);
        system_services::init(hw);
        video::init(hw);
        timer::init(hw);
        mouse::init(hw);
    }

    /// Records the size of conventional memory in KiB, as the power-on test does.
    pub(crate) fn set_memory_size(&self, hw: &mut Hardware, kib: u16) {
        data::set_memory_size(hw, kib);
    }

    /// Records the board's drives, as the power-on test does.
    pub(crate) fn add_drives(&self, hw: &mut Hardware) {
        disk::add_drives(hw);
    }

    /// Records a coprocessor in the equipment word and the CMOS memory, and unmasks IRQ 13, as the
    /// power-on test does.
    pub(crate) fn add_coprocessor(&self, hw: &mut Hardware) {
        data::add_coprocessor(hw);
        chips::unmask(hw, IRQ_COPROCESSOR);
    }
}
