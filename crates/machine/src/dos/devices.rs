//! The character devices of DOS: names and driver attributes.

use super::names::Name;
use crate::hardware::SideEffect;
use serde::{Deserialize, Serialize};

/// The kind of a device, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Device {
    Con,
    Nul,
    Aux,
    Prn,
    Clock,
    Ems,
}

/// Name, kind, and the attributes in the header: 8000h character, 0008h clock, 0004h NUL, 0003h
/// stdin and stdout, 0010h INT 29h, 2000h output until busy, 0040h generic IOCTL, 0800h open and
/// close. NUL is the first; the others are in the order of their chain.
pub(super) const DEVICES: [(&[u8; 8], Device, u16); 12] = [
    (b"NUL     ", Device::Nul, 0x8004),
    (b"CON     ", Device::Con, 0x8013),
    (b"AUX     ", Device::Aux, 0x8000),
    (b"PRN     ", Device::Prn, 0xA0C0),
    (b"CLOCK$  ", Device::Clock, 0x8008),
    (b"COM1    ", Device::Aux, 0x8000),
    (b"LPT1    ", Device::Prn, 0xA0C0),
    (b"LPT2    ", Device::Prn, 0xA0C0),
    (b"LPT3    ", Device::Prn, 0xA0C0),
    (b"COM2    ", Device::Aux, 0x8000),
    (b"COM3    ", Device::Aux, 0x8000),
    (b"COM4    ", Device::Aux, 0x8000),
];

/// The device name of the expanded memory manager, by which programs detect it.
pub(super) const EXPANDED_MEMORY: &[u8; 8] = b"EMMXXXX0";

/// The attributes in its header: a character device with control strings.
const EXPANDED_MEMORY_ATTRIBUTES: u16 = 0xC000;

impl Device {
    /// Returns the device with this name; the extension is ignored.
    pub(super) fn named(name: &Name) -> Option<Device> {
        if name[..8] == *EXPANDED_MEMORY {
            return Some(Device::Ems);
        }
        DEVICES.iter().find(|(device, ..)| name[..8] == device[..]).map(|&(_, device, _)| device)
    }

    /// Returns the effect of writing to it.
    pub(super) fn side_effect(self) -> Option<SideEffect> {
        match self {
            Device::Prn => Some(SideEffect::Printer),
            Device::Aux => Some(SideEffect::SerialPort),
            Device::Clock => Some(SideEffect::Clock),
            Device::Con | Device::Nul | Device::Ems => None,
        }
    }

    /// Returns the attributes in the device's header.
    pub(super) fn attributes(self) -> u16 {
        DEVICES.iter().find(|&&(_, device, _)| device == self).map_or(EXPANDED_MEMORY_ATTRIBUTES, |row| row.2)
    }

    /// Returns the low byte of the device information (IOCTL 00) after opening, which MS-DOS
    /// derives from the attributes: bit 7 device, 6 input has not ended, 4 INT 29h, 3 clock, 2 NUL,
    /// 1 stdout, 0 stdin.
    pub(super) fn flags(self) -> u8 {
        (self.attributes() as u8 | 0xC0) & 0xDF
    }
}
