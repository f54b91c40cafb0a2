//! Instructions added by the 80486 and the Pentium: BSWAP, XADD, CMPXCHG, INVD, WBINVD, INVLPG;
//! CMPXCHG8B, CPUID, RDTSC; and the Pentium Pro's CMOVcc, which belongs to the newest model here.
//! An instruction that is newer than the model raises #UD and a notice.
//!
//! Source: Intel's Pentium Processor Family Developer's Manual, volume 3.

use iced_x86::{Code, Instruction, Mnemonic};

use super::attempt;
use crate::access::Fault;
use crate::alu::{Add, Binary, Cmp};
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::model::Model;
use crate::op::{Flow, Mode, RemainingOps, next, next_after_store};
use crate::operand::*;
use crate::registers::{Flags, Reg};
use crate::size::{Dword, Size, by_size, by_width};
use crate::state::{Cpu, Missed};
use crate::status::Status;

/// Does nothing: caches and page tables are not emulated.
fn flush<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    next(cpu, bus, op, rest)
}

/// BSWAP. A word operand becomes 0, as on the chips.
fn bswap<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = if W::BYTES == 4 { W::get(&cpu.regs.gpr, op.rm).swap_bytes() } else { 0 };
    W::set(cpu, op.rm, value);
    next(cpu, bus, op, rest)
}

/// XADD: stores the sum in the first operand and the first operand's old value in the second.
fn xadd<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = Dynamic::locate(cpu, op);
    let a = attempt!(cpu, bus, op, Dynamic::get::<B, W>(cpu, bus, op, at));
    let b = W::get(&cpu.regs.gpr, op.reg);
    let (sum, status) = Add::apply::<W>(a, b, false);
    if op.mode == Mode::Register {
        W::set(cpu, op.reg, a);
        W::set(cpu, op.rm, sum);
    } else {
        attempt!(cpu, bus, op, Dynamic::set::<B, W>(cpu, bus, op, at, sum));
        W::set(cpu, op.reg, a);
    }
    cpu.status = status;
    next_after_store(cpu, bus, op, rest)
}

/// CMPXCHG: if the accumulator equals the first operand, stores the second there. Otherwise loads
/// the accumulator from it and writes it back unchanged.
fn cmpxchg<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = Dynamic::locate(cpu, op);
    let found = attempt!(cpu, bus, op, Dynamic::get::<B, W>(cpu, bus, op, at));
    let accumulator = W::get(&cpu.regs.gpr, Reg::A);
    let (_, status) = Cmp::apply::<W>(accumulator, found, false);
    let is_equal = accumulator == found;
    let value = if is_equal { W::get(&cpu.regs.gpr, op.reg) } else { found };
    attempt!(cpu, bus, op, Dynamic::set::<B, W>(cpu, bus, op, at, value));
    if !is_equal {
        W::set(cpu, Reg::A, found);
    }
    cpu.status = status;
    next_after_store(cpu, bus, op, rest)
}

/// CMPXCHG8B: compares with EDX:EAX and stores ECX:EBX. Changes ZF only.
fn cmpxchg8b<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let low_at = AnyAddress::offset(cpu, op);
    // All eight bytes must be within the segment.
    let high_at = low_at.wrapping_add(4);
    let low = attempt!(cpu, bus, op, cpu.load::<B, Dword>(bus, op.seg, low_at));
    let high = attempt!(cpu, bus, op, cpu.load::<B, Dword>(bus, op.seg, high_at));
    let [a, c, d, b, ..] = cpu.regs.gpr;
    let is_equal = (a, d) == (low, high);
    let (new_low, new_high) = if is_equal { (b, c) } else { (low, high) };
    attempt!(cpu, bus, op, cpu.store::<B, Dword>(bus, op.seg, low_at, new_low));
    attempt!(cpu, bus, op, cpu.store::<B, Dword>(bus, op.seg, high_at, new_high));
    if !is_equal {
        Dword::set(cpu, Reg::A, low);
        Dword::set(cpu, Reg::D, high);
    }
    let zero = if is_equal { Flags::ZF } else { 0 };
    cpu.status = Status::from_bits(cpu.status.bits() & !Flags::ZF | zero);
    next_after_store(cpu, bus, op, rest)
}

/// CPUID: leaf 0 returns the vendor, leaf 1 the signature and features; higher leaves return 0.
fn cpuid<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let name = |part: &[u8; 4]| u32::from_le_bytes(*part);
    let [a, b, c, d] = match cpu.regs.gpr[0] {
        0 => [1, name(b"Genu"), name(b"ntel"), name(b"ineI")],
        1 => [cpu.model.signature(), 0, 0, cpu.model.features(cpu.fpu.is_some())],
        _ => [0; 4],
    };
    for (reg, value) in [(Reg::A, a), (Reg::B, b), (Reg::C, c), (Reg::D, d)] {
        Dword::set(cpu, reg, value);
    }
    next(cpu, bus, op, rest)
}

/// RDTSC: returns the virtual clock in cycles.
fn rdtsc<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let now = cpu.cycles_before(op);
    bus.clock_was_read();
    Dword::set(cpu, Reg::A, now as u32);
    Dword::set(cpu, Reg::D, (now >> 32) as u32);
    next(cpu, bus, op, rest)
}

/// CMOVcc. `imm` is the condition. A memory operand is read in either case.
fn cmov<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = Dynamic::locate(cpu, op);
    let value = attempt!(cpu, bus, op, Dynamic::get::<B, W>(cpu, bus, op, at));
    if cpu.status.condition(op.imm as u8) {
        W::set(cpu, op.reg, value);
    }
    next(cpu, bus, op, rest)
}

pub(crate) fn is_cmov(instruction: &Instruction) -> bool {
    let number = instruction.code() as u32;
    (Code::Cmovo_r16_rm16 as u32..=Code::Cmovg_r64_rm64 as u32).contains(&number)
}

pub(crate) fn decode_cmov<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let wide = decoded.is_wide();
    decoded.op.imm = decoded.instruction.condition_code() as u32 - 1;
    if decoded.is_on_registers() {
        let op = &mut decoded.op;
        (op.rm, op.reg) = (op.reg, op.rm);
    }
    decoded.run = by_width!(wide, |W| cmov::<B, W>);
    decoded.effect.may_stop = !decoded.is_on_registers();
    Some(())
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let size = decoded.operands.size;
    decoded.run = match decoded.mnemonic() {
        Mnemonic::Bswap => by_width!(size == 4, |W| bswap::<B, W>),
        Mnemonic::Xadd => by_size!(size, |W| xadd::<B, W>),
        Mnemonic::Cmpxchg => by_size!(size, |W| cmpxchg::<B, W>),
        Mnemonic::Cmpxchg8b => cmpxchg8b::<B>,
        Mnemonic::Cpuid => cpuid::<B>,
        Mnemonic::Rdtsc => rdtsc::<B>,
        Mnemonic::Invd | Mnemonic::Wbinvd | Mnemonic::Invlpg => flush::<B>,
        _ => return None,
    };
    Some(())
}

/// Raises #UD for an instruction of a later model.
fn undefined<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    let (segment, offset) = (cpu.regs.cs(), op.ip as u16);
    cpu.missed_instruction.get_or_insert(Missed { segment, offset, code: op.imm });
    cpu.fault(bus, op, Fault::UNDEFINED)
}

/// Creates an operation for an instruction that first appeared in `since`, or in a model that is
/// not emulated. `raise` raises #UD.
pub(crate) fn later<B: Bus>(raise: Decoded<B>, mnemonic: Mnemonic, since: Option<Model>) -> Decoded<B> {
    let mut decoded = raise;
    decoded.run = undefined::<B>;
    decoded.op.imm = (mnemonic as u32) << 8 | since.map_or(0xFF, |model| model as u32);
    decoded
}

impl Cpu {
    /// Returns, once, the first instruction of a later processor: its name, the processor, CS:IP.
    pub fn take_missed_instruction(&mut self) -> Option<(String, Option<Model>, (u16, u16))> {
        let Missed { segment, offset, code } = self.missed_instruction.take()?;
        let mnemonic = Mnemonic::try_from((code >> 8) as usize).ok()?;
        let since = Model::ALL.into_iter().find(|model| *model as u32 == code & 0xFF);
        Some((format!("{mnemonic:?}").to_uppercase(), since, (segment, offset)))
    }
}
