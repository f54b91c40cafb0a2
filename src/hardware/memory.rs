//! RAM, ROM, the A20 gate, and which bytes have been decoded.

use serde::{Deserialize, Serialize};

/// The linear address of `segment:offset`.
pub fn linear(segment: u16, offset: u16) -> u32 {
    u32::from(segment) * 16 + u32::from(offset)
}

/// 1 MiB and the HMA. Host code (BIOS, DOS, loader) uses these methods too, so that a write to decoded code is
/// noticed whoever makes it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Memory {
    ram: Vec<u8>,
}

impl Memory {
    /// All zero, A20 open.
    pub fn new() -> Self {
        Memory { ram: vec![0; 0x11_0000] }
    }
    /// Reads a byte of RAM or ROM (not of video memory).
    pub fn read8(&self, address: u32) -> u8 {
        self.ram[address as usize]
    }
    /// Reads a word, low byte first.
    pub fn read16(&self, address: u32) -> u16 {
        u16::from(self.read8(address)) | u16::from(self.read8(address + 1)) << 8
    }
    /// Writes a byte of RAM.
    pub fn write8(&mut self, address: u32, value: u8) {
        self.ram[address as usize] = value;
    }
    /// Writes a word, low byte first.
    pub fn write16(&mut self, address: u32, value: u16) {
        self.write8(address, value as u8);
        self.write8(address + 1, (value >> 8) as u8);
    }
    /// Copies bytes out.
    pub fn read_bytes(&self, address: u32, len: usize) -> Vec<u8> {
        (0..len).map(|i| self.read8(address + i as u32)).collect()
    }
    /// Copies bytes in.
    pub fn write_bytes(&mut self, address: u32, bytes: &[u8]) {
        for (i, &b) in bytes.iter().enumerate() {
            self.write8(address + i as u32, b);
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}
