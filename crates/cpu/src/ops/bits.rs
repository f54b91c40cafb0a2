//! BT, BTS, BTR, BTC, BSF, BSR, SETcc.

use iced_x86::{Code, Instruction, Mnemonic};

use super::attempt;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::op::{Flow, Handler, Mode, RemainingOps, next, next_after_store};
use crate::operand::*;
use crate::size::{Byte, Size, by_width};
use crate::state::Cpu;

/// The change of the tested bit.
trait Change {
    const WRITES: bool = true;
    fn apply(value: u32, bit: u32) -> u32;
}

#[derive(Debug)]
struct Keep;
#[derive(Debug)]
struct Set;
#[derive(Debug)]
struct Reset;
#[derive(Debug)]
struct Complement;

impl Change for Keep {
    const WRITES: bool = false;
    fn apply(value: u32, _: u32) -> u32 {
        value
    }
}
impl Change for Set {
    fn apply(value: u32, bit: u32) -> u32 {
        value | bit
    }
}
impl Change for Reset {
    fn apply(value: u32, bit: u32) -> u32 {
        value & !bit
    }
}
impl Change for Complement {
    fn apply(value: u32, bit: u32) -> u32 {
        value ^ bit
    }
}

/// BT, BTS, BTR and BTC. A bit number in a register can address bits outside of a memory operand.
fn bit_test<B: Bus, C: Change, W: Size, const BY_IMMEDIATE: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let number = if BY_IMMEDIATE { op.imm } else { W::get(&cpu.regs.gpr, op.reg) };
    let bit = 1u32 << (number & (W::BITS - 1));
    let mut at = Dynamic::locate(cpu, op);
    if !BY_IMMEDIATE && op.mode != Mode::Register {
        let units = W::sign_extend(number) >> W::BITS.trailing_zeros();
        at = cpu.pointer_step(at, (units * W::BYTES as i32) as u32, op.mode == Mode::Wide);
    }
    let value = attempt!(cpu, bus, op, Dynamic::get::<B, W>(cpu, bus, op, at));
    if C::WRITES {
        attempt!(cpu, bus, op, Dynamic::set::<B, W>(cpu, bus, op, at, C::apply(value, bit)));
    }
    cpu.status = cpu.status.with_carry(value & bit != 0);
    next_after_store(cpu, bus, op, rest)
}

/// BSF and BSR. A source of 0 sets ZF and keeps the destination.
fn bit_scan<B: Bus, W: Size, const REVERSE: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = attempt!(cpu, bus, op, Dynamic::value::<B, W>(cpu, bus, op));
    cpu.status = cpu.status.with_result(i32::from(value != 0));
    if value != 0 {
        let number = if REVERSE { 31 - value.leading_zeros() } else { value.trailing_zeros() };
        W::set(cpu, op.reg, number);
    }
    next(cpu, bus, op, rest)
}

/// SETcc. `imm` is the condition.
fn setcc<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = u32::from(cpu.status.condition(op.imm as u8));
    let at = Dynamic::locate(cpu, op);
    attempt!(cpu, bus, op, Dynamic::set::<B, Byte>(cpu, bus, op, at, value));
    next_after_store(cpu, bus, op, rest)
}

fn forms<B: Bus, C: Change>(wide: bool, by_immediate: bool) -> Handler<B> {
    by_width!(wide, |W| match by_immediate {
        false => bit_test::<B, C, W, false>,
        true => bit_test::<B, C, W, true>,
    })
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let wide = decoded.is_wide();
    // Without an immediate, the second operand is the register with the bit number.
    let by_immediate = decoded.instruction.op1_register() == iced_x86::Register::None;
    let is_scan = matches!(decoded.mnemonic(), Mnemonic::Bsf | Mnemonic::Bsr);
    if is_scan && decoded.is_on_registers() {
        let op = &mut decoded.op;
        (op.rm, op.reg) = (op.reg, op.rm);
    }
    decoded.run = match decoded.mnemonic() {
        Mnemonic::Bt => forms::<B, Keep>(wide, by_immediate),
        Mnemonic::Bts => forms::<B, Set>(wide, by_immediate),
        Mnemonic::Btr => forms::<B, Reset>(wide, by_immediate),
        Mnemonic::Btc => forms::<B, Complement>(wide, by_immediate),
        Mnemonic::Bsf => by_width!(wide, |W| bit_scan::<B, W, false>),
        Mnemonic::Bsr => by_width!(wide, |W| bit_scan::<B, W, true>),
        _ => return None,
    };
    decoded.effect.may_stop = !decoded.is_on_registers();
    Some(())
}

pub(crate) fn is_setcc(instruction: &Instruction) -> bool {
    let number = instruction.code() as u32;
    (Code::Seto_rm8 as u32..=Code::Setg_rm8 as u32).contains(&number)
}

pub(crate) fn decode_setcc<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    decoded.op.imm = decoded.instruction.condition_code() as u32 - 1;
    decoded.run = setcc::<B>;
    decoded.effect.may_stop = !decoded.is_on_registers();
    Some(())
}
