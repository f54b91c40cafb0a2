//! DAA, DAS, AAA, AAS, AAM, AAD.

use iced_x86::Mnemonic;

use crate::alu;
use crate::arithmetic;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::op::{Flow, RemainingOps, next};
use crate::registers::Reg;
use crate::size::{Byte, Size, Word};
use crate::state::Cpu;

fn adjust_packed<B: Bus, const SUBTRACT: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let al = Byte::get(&cpu.regs.gpr, Reg::A);
    let (al, status) = arithmetic::decimal_adjust(cpu.model, al, cpu.status, SUBTRACT);
    Byte::set(cpu, Reg::A, al);
    cpu.status = status;
    next(cpu, bus, op, rest)
}

fn adjust_unpacked<B: Bus, const SIGN: i32>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let ax = Word::get(&cpu.regs.gpr, Reg::A);
    let (ax, status) = arithmetic::ascii_adjust(cpu.model, ax, cpu.status, SIGN);
    Word::set(cpu, Reg::A, ax);
    cpu.status = status;
    next(cpu, bus, op, rest)
}

/// AAM. `imm` is the divisor.
fn aam<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let al = Byte::get(&cpu.regs.gpr, Reg::A);
    let Some((ax, status)) = arithmetic::aam(al, op.imm) else {
        if let Some(result) = cpu.model.aam_by_zero_leaves(al) {
            cpu.status = alu::logic::<Byte>(result).1;
        }
        return cpu.divide_error(bus, op);
    };
    Word::set(cpu, Reg::A, ax);
    cpu.status = status;
    next(cpu, bus, op, rest)
}

/// AAD. `imm` is the factor.
fn aad<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let ax = Word::get(&cpu.regs.gpr, Reg::A);
    let (ax, status) = arithmetic::aad(ax, op.imm);
    Word::set(cpu, Reg::A, ax);
    cpu.status = status;
    next(cpu, bus, op, rest)
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    decoded.run = match decoded.mnemonic() {
        Mnemonic::Daa => adjust_packed::<B, false>,
        Mnemonic::Das => adjust_packed::<B, true>,
        Mnemonic::Aaa => adjust_unpacked::<B, 1>,
        Mnemonic::Aas => adjust_unpacked::<B, -1>,
        Mnemonic::Aam => aam::<B>,
        Mnemonic::Aad => aad::<B>,
        _ => return None,
    };
    Some(())
}
