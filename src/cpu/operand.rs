//! Operands: sizes, registers, memory places and immediates, as types that handlers are generic over.
//!
//! Values travel as `u32`, zero-extended. A [`Place`] can be read and written; a [`Source`] only read. What is known
//! when an instruction is decoded (kind of operand, size, form of address) is a type, so handlers have no branches
//! on it. [`Dynamic`] is the exception, for families that are rare enough.

use super::Cpu;
use super::access::Fault;
use super::block::Op;
use super::bus::Bus;
use super::registers::Segment;

/// A general register by its encoding; for bytes 0..4 are AL..BL and 4..8 AH..BH.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub(super) enum Reg {
    #[default]
    A,
    C,
    D,
    B,
    Sp,
    Bp,
    Si,
    Di,
}

impl Reg {
    pub(super) const ALL: [Reg; 8] = [Reg::A, Reg::C, Reg::D, Reg::B, Reg::Sp, Reg::Bp, Reg::Si, Reg::Di];
}

/// The form of an operand's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub(super) enum Mode {
    /// Not memory: the register `rm`.
    #[default]
    Register,
    /// 16 bits: a displacement alone.
    Absolute,
    /// 16 bits: one register and a displacement.
    Based,
    /// 16 bits: two registers and a displacement.
    Indexed,
    /// 32 bits: everything optional, index scaled.
    Wide,
}

/// An operand size.
pub(super) trait Size {
    const BYTES: u32;
    const BITS: u32 = Self::BYTES * 8;
    const MASK: u32 = (((1u64) << (Self::BYTES * 8)) - 1) as u32;
    const SIGN: u32 = 1 << (Self::BYTES * 8 - 1);
    fn get(gpr: &[u32; 8], reg: Reg) -> u32;
    fn set(cpu: &mut Cpu, reg: Reg, value: u32);
    fn read<B: Bus>(bus: &mut B, address: u32) -> u32;
    fn write<B: Bus>(bus: &mut B, address: u32, value: u32);
    fn quick_read<B: Bus>(bus: &B, address: u32) -> Option<u32>;
    fn quick_write<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool;
    fn sign_extend(value: u32) -> i32;
}

/// The bits of a register that writing a part of it keeps.
///
/// These are constants, but kept where the compiler does not see that: it would store a part as such, and a store of
/// two bytes followed by a load of four stalls the host's processor for some 15 cycles, which halves the guest's speed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keep {
    word: u32,
    low_byte: u32,
    high_byte: u32,
}

impl Default for Keep {
    fn default() -> Self {
        Keep { word: 0xFFFF_0000, low_byte: 0xFFFF_FF00, high_byte: 0xFFFF_00FF }
    }
}

#[derive(Debug)]
pub(super) struct Byte;
#[derive(Debug)]
pub(super) struct Word;
#[derive(Debug)]
pub(super) struct Dword;

impl Size for Byte {
    const BYTES: u32 = 1;
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
    #[inline(always)]
    fn read<B: Bus>(bus: &mut B, address: u32) -> u32 {
        u32::from(bus.read8(address))
    }
    #[inline(always)]
    fn quick_read<B: Bus>(bus: &B, address: u32) -> Option<u32> {
        bus.quick_read(address).map(|bytes| u32::from(u8::from_le_bytes(bytes)))
    }
    #[inline(always)]
    fn quick_write<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool {
        bus.quick_write(address, (value as u8).to_le_bytes())
    }
    #[inline(always)]
    fn write<B: Bus>(bus: &mut B, address: u32, value: u32) {
        bus.write8(address, value as u8);
    }
    #[inline(always)]
    fn sign_extend(value: u32) -> i32 {
        i32::from(value as i8)
    }
}

impl Size for Word {
    const BYTES: u32 = 2;
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
    #[inline(always)]
    fn read<B: Bus>(bus: &mut B, address: u32) -> u32 {
        u32::from(bus.read16(address))
    }
    #[inline(always)]
    fn quick_read<B: Bus>(bus: &B, address: u32) -> Option<u32> {
        bus.quick_read(address).map(|bytes| u32::from(u16::from_le_bytes(bytes)))
    }
    #[inline(always)]
    fn quick_write<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool {
        bus.quick_write(address, (value as u16).to_le_bytes())
    }
    #[inline(always)]
    fn write<B: Bus>(bus: &mut B, address: u32, value: u32) {
        bus.write16(address, value as u16);
    }
    #[inline(always)]
    fn sign_extend(value: u32) -> i32 {
        i32::from(value as i16)
    }
}

impl Size for Dword {
    const BYTES: u32 = 4;
    #[inline(always)]
    fn get(gpr: &[u32; 8], reg: Reg) -> u32 {
        gpr[reg as usize]
    }
    #[inline(always)]
    fn set(cpu: &mut Cpu, reg: Reg, value: u32) {
        cpu.regs.gpr[reg as usize] = value;
    }
    #[inline(always)]
    fn read<B: Bus>(bus: &mut B, address: u32) -> u32 {
        bus.read32(address)
    }
    #[inline(always)]
    fn quick_read<B: Bus>(bus: &B, address: u32) -> Option<u32> {
        bus.quick_read(address).map(u32::from_le_bytes)
    }
    #[inline(always)]
    fn quick_write<B: Bus>(bus: &mut B, address: u32, value: u32) -> bool {
        bus.quick_write(address, value.to_le_bytes())
    }
    #[inline(always)]
    fn write<B: Bus>(bus: &mut B, address: u32, value: u32) {
        bus.write32(address, value);
    }
    #[inline(always)]
    fn sign_extend(value: u32) -> i32 {
        value as i32
    }
}

/// A form of address.
pub(super) trait Address {
    fn offset<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32;
}

#[derive(Debug)]
pub(super) struct Absolute;
#[derive(Debug)]
pub(super) struct Based;
#[derive(Debug)]
pub(super) struct AnyAddress;

impl Address for Absolute {
    #[inline(always)]
    fn offset<B: Bus>(_: &Cpu, op: &Op<B>) -> u32 {
        op.disp & 0xFFFF
    }
}

impl Address for Based {
    #[inline(always)]
    fn offset<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32 {
        cpu.regs.gpr[op.base as usize].wrapping_add(op.disp) & 0xFFFF
    }
}

impl Address for AnyAddress {
    #[inline(always)]
    fn offset<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32 {
        let gpr = &cpu.regs.gpr;
        match op.mode {
            Mode::Indexed => {
                gpr[op.base as usize].wrapping_add(gpr[op.index as usize]).wrapping_add(op.disp) & 0xFFFF
            }
            Mode::Based => Based::offset(cpu, op),
            Mode::Wide => {
                let base = if op.has_base { gpr[op.base as usize] } else { 0 };
                let index = if op.has_index { gpr[op.index as usize] << (op.scale & 3) } else { 0 };
                base.wrapping_add(index).wrapping_add(op.disp)
            }
            Mode::Absolute | Mode::Register => op.disp & 0xFFFF,
        }
    }
}

/// Something that an instruction reads.
///
/// The quick ways of [`Source`] and [`Place`] are for registers and plain RAM, and change nothing where they fail.
pub(super) trait Source {
    fn value<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>) -> Result<u32, Fault>;
    fn quick_value<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>) -> Option<u32>;
}

/// Something that an instruction reads and writes at one place.
pub(super) trait Place {
    /// True when writing it writes memory.
    const MEMORY: bool;
    /// Where it is: the offset of a memory operand.
    fn locate<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32;
    fn get<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32) -> Result<u32, Fault>;
    fn set<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32, value: u32)
    -> Result<(), Fault>;
    fn quick_get<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>, at: u32) -> Option<u32>;
    fn quick_set<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32, value: u32) -> bool;
}

/// The register in `op.reg`.
#[derive(Debug)]
pub(super) struct Register;
/// The register in `op.rm`.
#[derive(Debug)]
pub(super) struct RmRegister;
/// Memory at an address of form `A`.
#[derive(Debug)]
pub(super) struct Memory<A>(std::marker::PhantomData<A>);
/// The immediate, already extended to the operand size.
#[derive(Debug)]
pub(super) struct Immediate;
/// An immediate that the program has been seen to change: read where it stands in the code, at CS:`op.target`. `F` is
/// its size in the code, from which it is sign-extended.
#[derive(Debug)]
pub(super) struct Live<F>(std::marker::PhantomData<F>);
/// Register or memory, as `op.mode` says.
#[derive(Debug)]
pub(super) struct Dynamic;

impl Source for Immediate {
    #[inline(always)]
    fn value<B: Bus, W: Size>(_: &mut Cpu, _: &mut B, op: &Op<B>) -> Result<u32, Fault> {
        Ok(op.imm)
    }
    #[inline(always)]
    fn quick_value<B: Bus, W: Size>(_: &Cpu, _: &B, op: &Op<B>) -> Option<u32> {
        Some(op.imm)
    }
}

impl<F: Size> Source for Live<F> {
    #[inline(always)]
    fn value<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>) -> Result<u32, Fault> {
        let value = F::read(bus, cpu.base(Segment::Cs) + op.target);
        Ok(F::sign_extend(value) as u32 & W::MASK)
    }
    #[inline(always)]
    fn quick_value<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>) -> Option<u32> {
        let value = F::quick_read(bus, cpu.base(Segment::Cs) + op.target)?;
        Some(F::sign_extend(value) as u32 & W::MASK)
    }
}

impl<P: Place> Source for P {
    #[inline(always)]
    fn value<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>) -> Result<u32, Fault> {
        let at = P::locate(cpu, op);
        P::get::<B, W>(cpu, bus, op, at)
    }
    #[inline(always)]
    fn quick_value<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>) -> Option<u32> {
        P::quick_get::<B, W>(cpu, bus, op, P::locate(cpu, op))
    }
}

impl Place for Register {
    const MEMORY: bool = false;
    #[inline(always)]
    fn locate<B: Bus>(_: &Cpu, _: &Op<B>) -> u32 {
        0
    }
    #[inline(always)]
    fn get<B: Bus, W: Size>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: u32) -> Result<u32, Fault> {
        Ok(W::get(&cpu.regs.gpr, op.reg))
    }
    #[inline(always)]
    fn set<B: Bus, W: Size>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: u32, value: u32) -> Result<(), Fault> {
        W::set(cpu, op.reg, value);
        Ok(())
    }
    #[inline(always)]
    fn quick_get<B: Bus, W: Size>(cpu: &Cpu, _: &B, op: &Op<B>, _: u32) -> Option<u32> {
        Some(W::get(&cpu.regs.gpr, op.reg))
    }
    #[inline(always)]
    fn quick_set<B: Bus, W: Size>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: u32, value: u32) -> bool {
        W::set(cpu, op.reg, value);
        true
    }
}

impl Place for RmRegister {
    const MEMORY: bool = false;
    #[inline(always)]
    fn locate<B: Bus>(_: &Cpu, _: &Op<B>) -> u32 {
        0
    }
    #[inline(always)]
    fn get<B: Bus, W: Size>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: u32) -> Result<u32, Fault> {
        Ok(W::get(&cpu.regs.gpr, op.rm))
    }
    #[inline(always)]
    fn set<B: Bus, W: Size>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: u32, value: u32) -> Result<(), Fault> {
        W::set(cpu, op.rm, value);
        Ok(())
    }
    #[inline(always)]
    fn quick_get<B: Bus, W: Size>(cpu: &Cpu, _: &B, op: &Op<B>, _: u32) -> Option<u32> {
        Some(W::get(&cpu.regs.gpr, op.rm))
    }
    #[inline(always)]
    fn quick_set<B: Bus, W: Size>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: u32, value: u32) -> bool {
        W::set(cpu, op.rm, value);
        true
    }
}

impl<A: Address> Place for Memory<A> {
    const MEMORY: bool = true;
    #[inline(always)]
    fn locate<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32 {
        A::offset(cpu, op)
    }
    #[inline(always)]
    fn get<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32) -> Result<u32, Fault> {
        cpu.load::<B, W>(bus, op.seg, at)
    }
    #[inline(always)]
    fn set<B: Bus, W: Size>(
        cpu: &mut Cpu,
        bus: &mut B,
        op: &Op<B>,
        at: u32,
        value: u32,
    ) -> Result<(), Fault> {
        cpu.store::<B, W>(bus, op.seg, at, value)
    }
    #[inline(always)]
    fn quick_get<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>, at: u32) -> Option<u32> {
        cpu.quick_load::<B, W>(bus, op.seg, at)
    }
    #[inline(always)]
    fn quick_set<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32, value: u32) -> bool {
        cpu.quick_store::<B, W>(bus, op.seg, at, value)
    }
}

impl Place for Dynamic {
    const MEMORY: bool = true;
    #[inline(always)]
    fn locate<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32 {
        AnyAddress::offset(cpu, op)
    }
    #[inline(always)]
    fn get<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32) -> Result<u32, Fault> {
        if op.mode == Mode::Register {
            Ok(W::get(&cpu.regs.gpr, op.rm))
        } else {
            cpu.load::<B, W>(bus, op.seg, at)
        }
    }
    #[inline(always)]
    fn set<B: Bus, W: Size>(
        cpu: &mut Cpu,
        bus: &mut B,
        op: &Op<B>,
        at: u32,
        value: u32,
    ) -> Result<(), Fault> {
        if op.mode == Mode::Register {
            W::set(cpu, op.rm, value);
            Ok(())
        } else {
            cpu.store::<B, W>(bus, op.seg, at, value)
        }
    }
    #[inline(always)]
    fn quick_get<B: Bus, W: Size>(_: &Cpu, _: &B, _: &Op<B>, _: u32) -> Option<u32> {
        None
    }
    #[inline(always)]
    fn quick_set<B: Bus, W: Size>(_: &mut Cpu, _: &mut B, _: &Op<B>, _: u32, _: u32) -> bool {
        false
    }
}

/// The segment register of the encoding `number`.
pub(super) fn segment(number: usize) -> Segment {
    match number {
        0 => Segment::Es,
        1 => Segment::Cs,
        2 => Segment::Ss,
        4 => Segment::Fs,
        5 => Segment::Gs,
        _ => Segment::Ds,
    }
}
