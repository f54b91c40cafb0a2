//! NOP, WAIT and HLT.

use iced_x86::Mnemonic;

use crate::access::Fault;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::op::{Flow, Handler, RemainingOps, next};
use crate::state::{Cpu, Exit};
use crate::system::Msw;

fn do_nothing<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    next(cpu, bus, op, rest)
}

fn wait<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if cpu.system.msw_has(Msw::MP) && cpu.system.msw_has(Msw::TS) {
        return cpu.fault(bus, op, Fault::NO_COPROCESSOR);
    }
    next(cpu, bus, op, rest)
}

fn hlt<B: Bus>(cpu: &mut Cpu, _: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    cpu.leave(op, Exit::Halt)
}

pub(crate) fn handler<B: Bus>() -> Handler<B> {
    do_nothing::<B>
}

/// Creates an instruction of `len` bytes at `ip` that does nothing.
pub(crate) fn nop<B: Bus>(ip: u32, len: usize) -> Decoded<B> {
    Decoded::plain(do_nothing::<B>, ip, len)
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    match decoded.mnemonic() {
        Mnemonic::Nop => {
            decoded.run = do_nothing::<B>;
            decoded.effect.may_stop = false;
        }
        Mnemonic::Wait => decoded.run = wait::<B>,
        Mnemonic::Hlt => {
            decoded.run = hlt::<B>;
            decoded.ends = true;
        }
        _ => return None,
    }
    Some(())
}
