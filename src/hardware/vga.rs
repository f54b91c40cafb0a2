//! The place of the VGA: until it is there, nothing answers at its addresses and ports.

use serde::{Deserialize, Serialize};

/// No display adapter: an open bus.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Vga {}

impl Vga {
    /// An empty slot.
    pub fn new() -> Self {
        Vga {}
    }
    /// Reads a byte at A0000h to BFFFFh.
    pub fn read8(&mut self, _address: u32) -> u8 {
        0xFF
    }
    /// Writes a byte at A0000h to BFFFFh.
    pub fn write8(&mut self, _address: u32, _value: u8) {}
    /// IN at `ns` nanoseconds.
    pub fn input(&mut self, _port: u16, _ns: u64) -> u8 {
        0xFF
    }
    /// OUT at `ns` nanoseconds.
    pub fn output(&mut self, _port: u16, _value: u8, _ns: u64) {}
}
