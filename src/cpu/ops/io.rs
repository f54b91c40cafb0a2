//! IN and OUT.
//!
//! A port access may move the machine's next event: the processor asks for it again and stops where it is nearer
//! than what was agreed on.

use super::super::Cpu;
use super::super::block::{Flow, Handler, Op, next};
use super::super::bus::{Bus, Width};
use super::super::operand::*;
use super::by_size;

fn width<W: Size>() -> Width {
    match W::BYTES {
        1 => Width::Byte,
        2 => Width::Word,
        _ => Width::Dword,
    }
}

/// The port: DX, or the immediate.
fn port<B: Bus, const BY_DX: bool>(cpu: &Cpu, op: &Op<B>) -> u16 {
    if BY_DX { cpu.regs.dx() } else { op.imm as u16 }
}

fn input<B: Bus, W: Size, const BY_DX: bool>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = cpu.port_in::<B, W>(bus, op, port::<B, BY_DX>(cpu, op));
    W::set(cpu, Reg::A, value);
    after_port(cpu, bus, op, rest)
}

fn output<B: Bus, W: Size, const BY_DX: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let value = W::get(&cpu.regs.gpr, Reg::A);
    cpu.port_out::<B, W>(bus, op, port::<B, BY_DX>(cpu, op), value);
    after_port(cpu, bus, op, rest)
}

fn after_port<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let event = bus.next_event();
    if event < cpu.limit {
        cpu.limit = event;
        return cpu.stop(op);
    }
    if bus.code_written() {
        return cpu.stop(op);
    }
    next(cpu, bus, rest)
}

impl Cpu {
    pub(in crate::cpu) fn port_in<B: Bus, W: Size>(&mut self, bus: &mut B, op: &Op<B>, port: u16) -> u32 {
        bus.input(port, width::<W>(), self.cycles_before(op)) & W::MASK
    }

    pub(in crate::cpu) fn port_out<B: Bus, W: Size>(
        &mut self,
        bus: &mut B,
        op: &Op<B>,
        port: u16,
        value: u32,
    ) {
        bus.output(port, width::<W>(), value, self.cycles_before(op));
    }
}

/// The handler of IN or OUT.
pub(in crate::cpu) fn select<B: Bus>(is_input: bool, size: u32, by_dx: bool) -> Handler<B> {
    by_size!(size, |W| match (is_input, by_dx) {
        (true, false) => input::<B, W, false>,
        (true, true) => input::<B, W, true>,
        (false, false) => output::<B, W, false>,
        (false, true) => output::<B, W, true>,
    })
}
