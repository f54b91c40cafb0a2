//! IN and OUT.
//!
//! A port access may move the machine's next event. The processor then asks for it and stops
//! earlier if it must.

use iced_x86::{Mnemonic, OpKind};

use crate::bus::{Bus, Width};
use crate::decoded::Decoded;
use crate::form::general;
use crate::op::{Flow, Op, RemainingOps, next};
use crate::registers::Reg;
use crate::size::{Size, by_size};
use crate::state::Cpu;

fn width<W: Size>() -> Width {
    match W::BYTES {
        1 => Width::Byte,
        2 => Width::Word,
        _ => Width::Dword,
    }
}

/// Returns the port number: DX, or the immediate.
fn port<B: Bus, const BY_DX: bool>(cpu: &Cpu, op: &Op<B>) -> u16 {
    if BY_DX { cpu.regs.dx() } else { op.imm as u16 }
}

fn input<B: Bus, W: Size, const BY_DX: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = cpu.port_in::<B, W>(bus, op, port::<B, BY_DX>(cpu, op));
    W::set(cpu, Reg::A, value);
    after_port(cpu, bus, op, rest)
}

fn output<B: Bus, W: Size, const BY_DX: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = W::get(&cpu.regs.gpr, Reg::A);
    if bus.fast_output(port::<B, BY_DX>(cpu, op), width::<W>(), value, cpu.cycles_before(op)) {
        return next(cpu, bus, op, rest);
    }
    slow_output::<B, W, BY_DX>(cpu, bus, ops)
}

#[inline(never)]
fn slow_output<B: Bus, W: Size, const BY_DX: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = W::get(&cpu.regs.gpr, Reg::A);
    cpu.port_out::<B, W>(bus, op, port::<B, BY_DX>(cpu, op), value);
    after_port(cpu, bus, op, rest)
}

fn after_port<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: RemainingOps<B>) -> Flow {
    let event = bus.next_event();
    if event < cpu.limit {
        cpu.limit = event;
        return cpu.stop(op);
    }
    if bus.code_written() {
        return cpu.stop(op);
    }
    next(cpu, bus, op, rest)
}

impl Cpu {
    pub(super) fn port_in<B: Bus, W: Size>(&mut self, bus: &mut B, op: &Op<B>, port: u16) -> u32 {
        bus.input(port, width::<W>(), self.cycles_before(op)) & W::MASK
    }

    pub(super) fn port_out<B: Bus, W: Size>(&mut self, bus: &mut B, op: &Op<B>, port: u16, value: u32) {
        bus.output(port, width::<W>(), value, self.cycles_before(op));
    }
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let is_input = decoded.mnemonic() == Mnemonic::In;
    let (accumulator, port) = if is_input { (0, 1) } else { (1, 0) };
    let (_, size) = general(decoded.instruction.op_register(accumulator))?;
    let by_dx = decoded.instruction.op_kind(port) == OpKind::Register;
    decoded.op.imm = u32::from(decoded.instruction.immediate8());
    decoded.run = by_size!(size, |W| match (is_input, by_dx) {
        (true, false) => input::<B, W, false>,
        (true, true) => input::<B, W, true>,
        (false, false) => output::<B, W, false>,
        (false, true) => output::<B, W, true>,
    });
    Some(())
}
