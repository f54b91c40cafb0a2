//! ESC, the coprocessor's instructions D8 to DF, on a machine without a coprocessor.

use iced_x86::{Instruction, OpKind};

use super::attempt;
use crate::cpu::access::Fault;
use crate::cpu::bus::Bus;
use crate::cpu::decoded::Decoded;
use crate::cpu::form::resolve_memory;
use crate::cpu::op::{Flow, Mode, Op, next};
use crate::cpu::operand::*;
use crate::cpu::size::Word;
use crate::cpu::state::Cpu;
use crate::cpu::system::Msw;

/// The processor fetches the operand for the coprocessor, and drops it.
fn escape<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    if cpu.system.msw_has(Msw::EM) || cpu.system.msw_has(Msw::TS) {
        return cpu.fault(bus, op, Fault::NO_COPROCESSOR);
    }
    if op.mode != Mode::Register {
        attempt!(cpu, bus, op, Dynamic::value::<B, Word>(cpu, bus, op));
    }
    next(cpu, bus, rest)
}

/// ESC, `len` bytes at `ip`; `instruction` is one of the processor's own with the same operands.
pub(in crate::cpu) fn decode<B: Bus>(ip: u32, len: usize, instruction: &Instruction) -> Decoded<B> {
    let mut decoded = Decoded::plain(escape::<B>, ip, len);
    if instruction.op1_kind() == OpKind::Memory {
        resolve_memory(&mut decoded.op, instruction);
    }
    decoded
}
