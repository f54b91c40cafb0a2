//! Operands as types: registers, memory and immediates, over which operations are generic.
//!
//! A [`Place`] can be read and written; a [`Source`] only read. Properties that are known at
//! decoding (kind of operand, size, addressing form) are types, so that operations need no branches
//! for them. [`Dynamic`] is the exception, for rare families.

use super::access::Fault;
use super::bus::Bus;
use super::op::{Mode, Op};
use super::registers::Segment;
use super::size::Size;
use super::state::Cpu;

pub(super) trait Address {
    fn offset<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32;
}

#[derive(Debug)]
pub(super) struct Absolute;
#[derive(Debug)]
pub(super) struct Based;
#[derive(Debug)]
pub(super) struct Indexed;
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

impl Address for Indexed {
    #[inline(always)]
    fn offset<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32 {
        let gpr = &cpu.regs.gpr;
        gpr[op.base as usize].wrapping_add(gpr[op.index as usize]).wrapping_add(op.disp) & 0xFFFF
    }
}

impl Address for AnyAddress {
    #[inline(always)]
    fn offset<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32 {
        let gpr = &cpu.regs.gpr;
        match op.mode {
            Mode::Indexed => Indexed::offset(cpu, op),
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

/// A readable operand.
///
/// The `fast_` functions of [`Source`] and [`Place`] handle registers and plain RAM. If they fail,
/// nothing has changed.
pub(super) trait Source {
    fn value<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>) -> Result<u32, Fault>;
    fn fast_value<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>) -> Option<u32>;
}

/// An operand that an instruction reads and writes.
pub(super) trait Place {
    const MEMORY: bool;
    /// Returns the offset of a memory operand.
    fn locate<B: Bus>(cpu: &Cpu, op: &Op<B>) -> u32;
    fn get<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32) -> Result<u32, Fault>;
    fn set<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32, value: u32)
    -> Result<(), Fault>;
    fn fast_get<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>, at: u32) -> Option<u32>;
    fn fast_set<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32, value: u32) -> bool;
    /// Like `fast_set` for memory in a granule that holds decoded code.
    #[inline(always)]
    fn set_beside_code<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32, value: u32) -> bool {
        Self::MEMORY && cpu.store_beside_code::<B, W>(bus, op.seg, at, value)
    }
}

/// The register in `op.reg`.
#[derive(Debug)]
pub(super) struct Register;
#[derive(Debug)]
pub(super) struct RmRegister;
/// Memory with addressing form `A`.
#[derive(Debug)]
pub(super) struct Memory<A>(std::marker::PhantomData<A>);
/// The immediate, extended to the operand size.
#[derive(Debug)]
pub(super) struct Immediate;
/// An immediate that the program changes: read from CS:`op.target`, sign-extended from size `F`.
#[derive(Debug)]
pub(super) struct Live<F>(std::marker::PhantomData<F>);
/// A register or memory, depending on `op.mode`.
#[derive(Debug)]
pub(super) struct Dynamic;

impl Source for Immediate {
    #[inline(always)]
    fn value<B: Bus, W: Size>(_: &mut Cpu, _: &mut B, op: &Op<B>) -> Result<u32, Fault> {
        Ok(op.imm)
    }
    #[inline(always)]
    fn fast_value<B: Bus, W: Size>(_: &Cpu, _: &B, op: &Op<B>) -> Option<u32> {
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
    fn fast_value<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>) -> Option<u32> {
        let value = F::fast_read(bus, cpu.base(Segment::Cs) + op.target)?;
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
    fn fast_value<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>) -> Option<u32> {
        P::fast_get::<B, W>(cpu, bus, op, P::locate(cpu, op))
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
    fn fast_get<B: Bus, W: Size>(cpu: &Cpu, _: &B, op: &Op<B>, _: u32) -> Option<u32> {
        Some(W::get(&cpu.regs.gpr, op.reg))
    }
    #[inline(always)]
    fn fast_set<B: Bus, W: Size>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: u32, value: u32) -> bool {
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
    fn fast_get<B: Bus, W: Size>(cpu: &Cpu, _: &B, op: &Op<B>, _: u32) -> Option<u32> {
        Some(W::get(&cpu.regs.gpr, op.rm))
    }
    #[inline(always)]
    fn fast_set<B: Bus, W: Size>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: u32, value: u32) -> bool {
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
    fn fast_get<B: Bus, W: Size>(cpu: &Cpu, bus: &B, op: &Op<B>, at: u32) -> Option<u32> {
        cpu.fast_load::<B, W>(bus, op.seg, at)
    }
    #[inline(always)]
    fn fast_set<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, at: u32, value: u32) -> bool {
        cpu.fast_store::<B, W>(bus, op.seg, at, value)
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
    fn fast_get<B: Bus, W: Size>(_: &Cpu, _: &B, _: &Op<B>, _: u32) -> Option<u32> {
        None
    }
    #[inline(always)]
    fn fast_set<B: Bus, W: Size>(_: &mut Cpu, _: &mut B, _: &Op<B>, _: u32, _: u32) -> bool {
        false
    }
    #[inline(always)]
    fn set_beside_code<B: Bus, W: Size>(_: &mut Cpu, _: &mut B, _: &Op<B>, _: u32, _: u32) -> bool {
        false
    }
}
