//! The guest's state for services: its memory by segment and offset, its registers, and the caller
//! of the trap.
//!
//! Offsets wrap within their segment, as for the program itself. Accesses cannot fail: every
//! address that a segment and an offset can express exists on the board.

use crate::hardware::{Hardware, linear};
use oxbox_cpu::{Bus, Cpu, Flags};
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Far {
    pub(crate) segment: u16,
    pub(crate) offset: u16,
}

impl Far {
    pub(crate) const fn new(segment: u16, offset: u16) -> Self {
        Far { segment, offset }
    }

    /// Returns the address `count` bytes after this one in the same segment; wraps at 64 KiB.
    pub(crate) const fn plus(self, count: u16) -> Self {
        Far { segment: self.segment, offset: self.offset.wrapping_add(count) }
    }

    pub(crate) const fn linear(self) -> u32 {
        linear(self.segment, self.offset)
    }

    /// Returns an address below 10FFF0h with the smallest offset: a range from there does not wrap.
    pub(crate) const fn of_linear(address: u32) -> Self {
        let segment = if address >> 4 > 0xFFFF { 0xFFFF } else { address >> 4 };
        Far { segment: segment as u16, offset: (address - (segment << 4)) as u16 }
    }

    /// Converts a doubleword from memory: offset low, segment high.
    pub(crate) const fn from_dword(value: u32) -> Self {
        Far { segment: (value >> 16) as u16, offset: value as u16 }
    }

    pub(crate) const fn to_dword(self) -> u32 {
        (self.segment as u32) << 16 | self.offset as u32
    }
}

/// Memory as `segment:offset`. Implemented for [`Hardware`], so that the loader, which runs outside
/// of any trap, can use the same methods as the services.
pub(crate) trait GuestMemory {
    fn byte(&mut self, at: Far) -> u8;
    fn set_byte(&mut self, at: Far, value: u8);

    fn word(&mut self, at: Far) -> u16;
    fn set_word(&mut self, at: Far, value: u16);
    fn dword(&mut self, at: Far) -> u32;
    fn set_dword(&mut self, at: Far, value: u32);
    fn far(&mut self, at: Far) -> Far {
        Far::from_dword(self.dword(at))
    }
    fn set_far(&mut self, at: Far, value: Far) {
        self.set_dword(at, value.to_dword());
    }
    fn bytes(&mut self, at: Far, len: usize) -> Vec<u8>;
    fn set_bytes(&mut self, at: Far, bytes: &[u8]) {
        for (i, &byte) in bytes.iter().enumerate() {
            self.set_byte(at.plus(i as u16), byte);
        }
    }
    /// Returns the bytes before the next `end`, up to `max` of them.
    fn text(&mut self, at: Far, end: u8, max: usize) -> Vec<u8> {
        (0..max).map(|i| self.byte(at.plus(i as u16))).take_while(|&byte| byte != end).collect()
    }
    fn vector(&mut self, number: u8) -> Far {
        self.far(Far::new(0, u16::from(number) * 4))
    }
    fn set_vector(&mut self, number: u8, to: Far) {
        self.set_far(Far::new(0, u16::from(number) * 4), to);
    }
}

impl GuestMemory for Hardware {
    fn byte(&mut self, at: Far) -> u8 {
        self.read8(at.linear())
    }
    fn set_byte(&mut self, at: Far, value: u8) {
        self.write8(at.linear(), value);
    }
    fn word(&mut self, at: Far) -> u16 {
        match at.offset {
            0xFFFF => u16::from(self.byte(at)) | u16::from(self.byte(at.plus(1))) << 8,
            _ => self.read16(at.linear()),
        }
    }
    fn set_word(&mut self, at: Far, value: u16) {
        match at.offset {
            0xFFFF => {
                self.set_byte(at, value as u8);
                self.set_byte(at.plus(1), (value >> 8) as u8);
            }
            _ => self.write16(at.linear(), value),
        }
    }
    fn set_dword(&mut self, at: Far, value: u32) {
        match at.offset {
            0xFFFD.. => {
                self.set_word(at, value as u16);
                self.set_word(at.plus(2), (value >> 16) as u16);
            }
            _ => self.write32(at.linear(), value),
        }
    }
    fn dword(&mut self, at: Far) -> u32 {
        match at.offset {
            0xFFFD.. => u32::from(self.word(at)) | u32::from(self.word(at.plus(2))) << 16,
            _ => self.read32(at.linear()),
        }
    }
    fn bytes(&mut self, at: Far, len: usize) -> Vec<u8> {
        match self.ram(at.linear(), len) {
            Some(ram) if usize::from(at.offset) + len <= 0x1_0000 => ram.to_vec(),
            _ => (0..len).map(|i| self.byte(at.plus(i as u16))).collect(),
        }
    }
    // The vectors are plain memory, without the BIOS data area's record of reads.
    #[inline]
    fn vector(&mut self, number: u8) -> Far {
        Far::from_dword(self.memory.read32(u32::from(number) * 4))
    }
    fn set_bytes(&mut self, at: Far, bytes: &[u8]) {
        if usize::from(at.offset) + bytes.len() <= 0x1_0000
            && let Some(ram) = self.ram_mut(at.linear(), bytes.len())
        {
            ram.copy_from_slice(bytes);
            return;
        }
        for (i, &byte) in bytes.iter().enumerate() {
            self.set_byte(at.plus(i as u16), byte);
        }
    }
}

/// The processor and the board during a service. SS:SP points to the frame (IP, CS, FLAGS) that the
/// caller's INT has pushed.
///
/// `P` is state that a service keeps across its traps; most keep none.
pub(crate) struct Guest<'a, P = ()> {
    pub(crate) cpu: &'a mut Cpu,
    pub(crate) hw: &'a mut Hardware,
    pub(crate) pending: P,
}

impl<'a> Guest<'a> {
    pub(crate) fn new(cpu: &'a mut Cpu, hw: &'a mut Hardware) -> Self {
        Guest { cpu, hw, pending: () }
    }
}

impl<P> Guest<'_, P> {
    pub(crate) fn ds_dx(&self) -> Far {
        Far::new(self.cpu.regs.ds(), self.cpu.regs.dx())
    }
    pub(crate) fn ds_si(&self) -> Far {
        Far::new(self.cpu.regs.ds(), self.cpu.regs.si())
    }
    pub(crate) fn es_di(&self) -> Far {
        Far::new(self.cpu.regs.es(), self.cpu.regs.di())
    }
    pub(crate) fn es_bx(&self) -> Far {
        Far::new(self.cpu.regs.es(), self.cpu.regs.bx())
    }
    pub(crate) fn stack(&self) -> Far {
        Far::new(self.cpu.regs.ss(), self.cpu.regs.sp())
    }

    /// Returns where the interrupted program continues: the CS:IP pushed by INT, after the INT.
    pub(crate) fn caller(&mut self) -> Far {
        let stack = self.stack();
        self.hw.far(stack)
    }

    /// Sets or clears a flag in the FLAGS that INT has pushed and the stub's IRET restores.
    pub(crate) fn set_caller_flag(&mut self, mask: u32, on: bool) {
        let at = self.stack().plus(4);
        let flags = self.hw.word(at);
        let flags = if on { flags | mask as u16 } else { flags & !(mask as u16) };
        self.hw.set_word(at, flags);
    }

    /// Sets or clears CF for the caller: the usual sign of an error.
    pub(crate) fn set_caller_carry(&mut self, on: bool) {
        self.set_caller_flag(Flags::CF, on);
    }

    pub(crate) fn jump(&mut self, to: Far) {
        self.cpu.regs.set_cs(to.segment);
        self.cpu.regs.ip = u32::from(to.offset);
    }

    pub(crate) fn push(&mut self, value: u16) {
        let sp = self.cpu.regs.sp().wrapping_sub(2);
        self.cpu.regs.set_sp(sp);
        self.hw.set_word(self.stack(), value);
    }
}

impl fmt::Display for Far {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04X}:{:04X}", self.segment, self.offset)
    }
}
