//! BT, BTS, BTR, BTC, BSF, BSR, SETcc.

use iced_x86::Mnemonic;

use super::super::Cpu;
use super::super::block::{Flow, Handler, Op, next, next_after_store};
use super::super::bus::Bus;
use super::super::operand::*;
use super::attempt;

/// What is done to the bit that is tested.
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

/// BT and its kin. A bit number in a register reaches beyond a memory operand.
fn bit_test<B: Bus, C: Change, W: Size, S: Source>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let number = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    let bit = 1u32 << (number & (W::BITS - 1));
    let mut at = Dynamic::locate(cpu, op);
    if op.imm == u32::MAX {
        let units = W::sign_extend(number) >> W::BITS.trailing_zeros();
        at = cpu.pointer_step(at, (units * W::BYTES as i32) as u32, op.mode == Mode::Wide);
    }
    let value = attempt!(cpu, bus, op, Dynamic::get::<B, W>(cpu, bus, op, at));
    if C::WRITES {
        attempt!(cpu, bus, op, Dynamic::set::<B, W>(cpu, bus, op, at, C::apply(value, bit)));
    }
    cpu.status.carry = u32::from(value & bit != 0);
    next_after_store(cpu, bus, op, rest)
}

/// BSF and BSR: a source of 0 sets ZF and leaves the destination alone.
fn bit_scan<B: Bus, W: Size, const REVERSE: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let value = attempt!(cpu, bus, op, Dynamic::value::<B, W>(cpu, bus, op));
    cpu.status.set_result(i32::from(value != 0));
    if value != 0 {
        let number = if REVERSE { 31 - value.leading_zeros() } else { value.trailing_zeros() };
        W::set(cpu, op.reg, number);
    }
    next(cpu, bus, rest)
}

/// SETcc: `imm` is the condition.
fn setcc<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = u32::from(cpu.status.condition(op.imm as u8));
    let at = Dynamic::locate(cpu, op);
    attempt!(cpu, bus, op, Dynamic::set::<B, Byte>(cpu, bus, op, at, value));
    next_after_store(cpu, bus, op, rest)
}

/// The handler of SETcc.
pub(in crate::cpu) fn select_setcc<B: Bus>() -> Handler<B> {
    setcc::<B>
}

fn forms<B: Bus, C: Change>(wide: bool, immediate: bool) -> Handler<B> {
    match (wide, immediate) {
        (false, false) => bit_test::<B, C, Word, Register>,
        (false, true) => bit_test::<B, C, Word, Immediate>,
        (true, false) => bit_test::<B, C, Dword, Register>,
        (true, true) => bit_test::<B, C, Dword, Immediate>,
    }
}

/// The handler of the others. With the bit number in a register, `imm` must be `u32::MAX`.
pub(in crate::cpu) fn select<B: Bus>(mnemonic: Mnemonic, wide: bool, immediate: bool) -> Handler<B> {
    match (mnemonic, wide) {
        (Mnemonic::Bt, _) => forms::<B, Keep>(wide, immediate),
        (Mnemonic::Bts, _) => forms::<B, Set>(wide, immediate),
        (Mnemonic::Btr, _) => forms::<B, Reset>(wide, immediate),
        (Mnemonic::Btc, _) => forms::<B, Complement>(wide, immediate),
        (Mnemonic::Bsf, false) => bit_scan::<B, Word, false>,
        (Mnemonic::Bsf, true) => bit_scan::<B, Dword, false>,
        (_, false) => bit_scan::<B, Word, true>,
        (_, true) => bit_scan::<B, Dword, true>,
    }
}
