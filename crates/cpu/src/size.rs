//! Operand sizes as types, over which operations are generic. Values are `u32`, zero-extended.

use super::bus::Bus;
use super::registers::Reg;
use super::state::Cpu;

/// A byte, word or doubleword.
pub(super) trait Size {
    const BYTES: u32;
    const BITS: u32 = Self::BYTES * 8;
    const MASK: u32 = (((1u64) << (Self::BYTES * 8)) - 1) as u32;
    const SIGN: u32 = 1 << (Self::BYTES * 8 - 1);
    fn get(gpr: &[u32; 8], reg: Reg) -> u32;
    fn set(cpu: &mut Cpu, reg: Reg, value: u32);
    fn read<B: Bus>(bus: &mut B, address: u32) -> u32;
    fn write<B: Bus>(bus: &mut B, address: u32, value: u32);
    fn fast_read<B: Bus>(bus: &B, address: u32) -> Option<u32>;
    fn fast_write<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool;
    fn write_beside_code<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool;
    fn device_read<B: Bus>(bus: &mut B, address: u32) -> Option<u32>;
    fn device_write<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool;
    fn sign_extend(value: u32) -> i32;
}

#[derive(Debug)]
pub(super) struct Byte;
/// A byte whose register operands are AL, CL, DL and BL only.
#[derive(Debug)]
pub(super) struct LowByte;
#[derive(Debug)]
pub(super) struct Word;
#[derive(Debug)]
pub(super) struct Dword;

/// Implements the parts of [`Size`] that depend only on the host's integer and the bus's functions.
macro_rules! as_integer {
    ($unsigned:ty, $signed:ty, $read:ident, $write:ident) => {
        const BYTES: u32 = <$unsigned>::BITS / 8;
        #[inline(always)]
        fn read<B: Bus>(bus: &mut B, address: u32) -> u32 {
            u32::from(bus.$read(address))
        }
        #[inline(always)]
        fn write<B: Bus>(bus: &mut B, address: u32, value: u32) {
            bus.$write(address, value as $unsigned);
        }
        #[inline(always)]
        fn fast_read<B: Bus>(bus: &B, address: u32) -> Option<u32> {
            bus.fast_read(address).map(|bytes| u32::from(<$unsigned>::from_le_bytes(bytes)))
        }
        #[inline(always)]
        fn fast_write<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool {
            bus.fast_write(address, (value as $unsigned).to_le_bytes())
        }
        #[inline(always)]
        fn write_beside_code<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool {
            bus.write_beside_code(address, (value as $unsigned).to_le_bytes())
        }
        #[inline(always)]
        fn device_read<B: Bus>(bus: &mut B, address: u32) -> Option<u32> {
            bus.device_read(address).map(|bytes| u32::from(<$unsigned>::from_le_bytes(bytes)))
        }
        #[inline(always)]
        fn device_write<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool {
            bus.device_write(address, (value as $unsigned).to_le_bytes())
        }
        #[inline(always)]
        fn sign_extend(value: u32) -> i32 {
            i32::from(value as $signed)
        }
    };
}

impl Size for Byte {
    as_integer!(u8, i8, read8, write8);

    #[inline(always)]
    fn get(gpr: &[u32; 8], reg: Reg) -> u32 {
        let number = reg as usize;
        (gpr[number & 3] >> ((number & 4) * 2)) & 0xFF
    }
    #[inline(always)]
    fn set(cpu: &mut Cpu, reg: Reg, value: u32) {
        let number = reg as usize;
        let keep = if number < 4 { cpu.keep.low_byte } else { cpu.keep.high_byte };
        let register = &mut cpu.regs.gpr[number & 3];
        *register = *register & keep | (value & 0xFF) << ((number & 4) * 2);
    }
}

impl Size for LowByte {
    as_integer!(u8, i8, read8, write8);

    #[inline(always)]
    fn get(gpr: &[u32; 8], reg: Reg) -> u32 {
        gpr[reg as usize] & 0xFF
    }
    #[inline(always)]
    fn set(cpu: &mut Cpu, reg: Reg, value: u32) {
        let keep = cpu.keep.low_byte;
        let register = &mut cpu.regs.gpr[reg as usize];
        *register = *register & keep | value & 0xFF;
    }
}

impl Size for Word {
    as_integer!(u16, i16, read16, write16);

    #[inline(always)]
    fn get(gpr: &[u32; 8], reg: Reg) -> u32 {
        gpr[reg as usize] & 0xFFFF
    }
    #[inline(always)]
    fn set(cpu: &mut Cpu, reg: Reg, value: u32) {
        let keep = cpu.keep.word;
        let register = &mut cpu.regs.gpr[reg as usize];
        *register = *register & keep | value & 0xFFFF;
    }
}

impl Size for Dword {
    as_integer!(u32, i32, read32, write32);

    #[inline(always)]
    fn get(gpr: &[u32; 8], reg: Reg) -> u32 {
        gpr[reg as usize]
    }
    #[inline(always)]
    fn set(cpu: &mut Cpu, reg: Reg, value: u32) {
        cpu.regs.gpr[reg as usize] = value;
    }
}

/// Instantiates `handler` for the operands of `decoded`: `by_operands!(decoded, |W| handler::<B, W>)`.
macro_rules! by_operands {
    ($decoded:expr, |$w:ident| $handler:expr) => {
        match $decoded.operands.size {
            1 if $decoded.op.has_low_registers() => {
                type $w = crate::size::LowByte;
                $handler
            }
            size => crate::size::by_size!(size, |$w| $handler),
        }
    };
}
pub(super) use by_operands;

/// Instantiates `handler` for operands of `size` bytes: `by_size!(size, |W| handler::<B, W>)`.
macro_rules! by_size {
    ($size:expr, |$w:ident| $handler:expr) => {
        match $size {
            1 => {
                type $w = crate::size::Byte;
                $handler
            }
            2 => {
                type $w = crate::size::Word;
                $handler
            }
            _ => {
                type $w = crate::size::Dword;
                $handler
            }
        }
    };
}
pub(super) use by_size;

/// Instantiates a handler for a word, or a doubleword if `wide`, without a byte form.
macro_rules! by_width {
    ($wide:expr, |$w:ident| $handler:expr) => {
        if $wide {
            type $w = crate::size::Dword;
            $handler
        } else {
            type $w = crate::size::Word;
            $handler
        }
    };
}
pub(super) use by_width;
