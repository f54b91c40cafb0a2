//! CLC, STC, CMC, CLD, STD, CLI, STI, LAHF, SAHF, SALC.

use iced_x86::Mnemonic;

use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::op::{Flow, RemainingOps, next, next_before_interrupts};
use crate::registers::{Flags, Reg};
use crate::size::{Byte, Size};
use crate::state::Cpu;
use crate::status::Status;

fn set_carry<B: Bus, const CARRY: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    cpu.status = cpu.status.with_carry(CARRY);
    next(cpu, bus, op, rest)
}

fn cmc<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    cpu.status = cpu.status.with_carry(!cpu.status.cf());
    next(cpu, bus, op, rest)
}

fn set_flag<B: Bus, const MASK: u32, const ON: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    cpu.regs.set_flag(MASK, ON);
    next(cpu, bus, op, rest)
}

/// STI. If interrupts were disabled, they are accepted after the next instruction.
fn sti<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let were_disabled = !cpu.regs.flag(Flags::IF);
    cpu.regs.set_flag(Flags::IF, true);
    next_before_interrupts(cpu, bus, op, rest, were_disabled)
}

fn lahf<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let flags = cpu.flags_image() & 0xFF;
    cpu.regs.set_ah(flags as u8);
    next(cpu, bus, op, rest)
}

fn sahf<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let flags = cpu.status.bits() & Flags::OF | u32::from(cpu.regs.ah());
    cpu.status = Status::from_bits(flags);
    next(cpu, bus, op, rest)
}

/// SALC (undocumented): sets AL to FFh if CF is set, otherwise to 0.
fn salc<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    Byte::set(cpu, Reg::A, u32::from(cpu.status.cf()).wrapping_neg());
    next(cpu, bus, op, rest)
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    decoded.run = match decoded.mnemonic() {
        Mnemonic::Clc => set_carry::<B, false>,
        Mnemonic::Stc => set_carry::<B, true>,
        Mnemonic::Cmc => cmc::<B>,
        Mnemonic::Cld => set_flag::<B, { Flags::DF }, false>,
        Mnemonic::Std => set_flag::<B, { Flags::DF }, true>,
        Mnemonic::Cli => set_flag::<B, { Flags::IF }, false>,
        Mnemonic::Sti => sti::<B>,
        Mnemonic::Lahf => lahf::<B>,
        Mnemonic::Sahf => sahf::<B>,
        Mnemonic::Salc => salc::<B>,
        _ => return None,
    };
    decoded.effect.may_stop = decoded.mnemonic() == Mnemonic::Sti;
    Some(())
}
