//! INT, INTO, IRET, BOUND, firmware traps, and undefined opcodes (#UD, #GP).

use iced_x86::Mnemonic;

use super::attempt;
use crate::access::Fault;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::exception::IRET;
use crate::op::{Flow, Mode, Op, RemainingOps, next};
use crate::operand::*;
use crate::registers::{Flags, Segment};
use crate::size::{Dword, Size, Word, by_width};
use crate::state::{Cpu, Exit};

/// Raises the exception `imm`.
fn fault<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    cpu.fault(bus, op, Fault(op.imm as u8))
}

/// Executes the firmware trap `0F FF imm` in ROM.
fn call_firmware<B: Bus>(cpu: &mut Cpu, _: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    cpu.regs.flags = cpu.flags_image();
    cpu.leave(op, Exit::Trap(op.imm as u8));
    Flow::TRAP
}

fn int<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    cpu.software_interrupt(bus, op, op.imm as u8)
}

fn into<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if cpu.status.of() {
        return cpu.software_interrupt(bus, op, 4);
    }
    next(cpu, bus, op, rest)
}

fn iret<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    match cpu.fast_frame(bus) {
        Some(frame) if W::BYTES == Word::BYTES => return_from_interrupt::<B, W>(cpu, op, frame),
        _ => slow_iret::<B, W>(cpu, bus, ops),
    }
}

#[cold]
#[inline(never)]
fn slow_iret<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    let ip = attempt!(cpu, bus, op, cpu.peek::<B, W>(bus, 0));
    let cs = attempt!(cpu, bus, op, cpu.peek::<B, Word>(bus, W::BYTES));
    let flags = attempt!(cpu, bus, op, cpu.peek::<B, W>(bus, 2 * W::BYTES));
    if ip > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    return_from_interrupt::<B, W>(cpu, op, [ip, cs, flags])
}

#[inline(always)]
fn return_from_interrupt<B: Bus, W: Size>(cpu: &mut Cpu, op: &Op<B>, frame: [u32; 3]) -> Flow {
    cpu.stop(op);
    cpu.take_frame::<W>(frame)
}

impl Cpu {
    /// Loads IP, CS and FLAGS from a stack frame.
    #[inline(always)]
    fn take_frame<W: Size>(&mut self, [ip, cs, flags]: [u32; 3]) -> Flow {
        self.set_sp(self.sp_moved(3 * W::BYTES as i32));
        self.load_flags::<W>(flags);
        self.regs.ip = ip;
        self.regs.seg[Segment::Cs as usize] = cs as u16;
        let look = self.regs.flag(Flags::TF) || self.intr && self.interruptible();
        if look { Flow::STOP } else { Flow::JUMP }
    }

    /// Executes an IRET at CS:IP, which follows most firmware traps, without a block. Returns
    /// false, having done nothing, if it would require a check for events.
    #[inline]
    pub(crate) fn iret_at_once<B: Bus>(&mut self, bus: &B) -> bool {
        /// The end of the BIOS data area. Services that are done at once do not change higher frames.
        const FRAMES: u32 = 0x500;
        let joined = self.joined.take();
        if self.cycles >= self.limit {
            return true;
        }
        let sp = self.sp_moved(0);
        if let Some((ip, cs, flags)) = joined.filter(|_| self.base(Segment::Ss) + sp >= FRAMES) {
            self.cycles += 1;
            self.set_sp(self.sp_moved(3 * Word::BYTES as i32));
            (self.regs.ip, self.regs.seg[Segment::Cs as usize], self.regs.flags) = (ip, cs, flags);
            return !(self.intr && self.interruptible());
        }
        let is_next = bus.ram(self.base(Segment::Cs) + self.regs.ip, 1) == Some(&[IRET]);
        let Some(frame) = self.fast_frame(bus).filter(|_| is_next) else { return true };
        self.cycles += 1;
        self.take_frame::<Word>(frame) == Flow::JUMP
    }
}

fn bound<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let index = W::sign_extend(W::get(&cpu.regs.gpr, op.reg));
    let at = AnyAddress::offset(cpu, op);
    let lower = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, op.seg, at));
    let at = cpu.pointer_step(at, W::BYTES, op.mode == Mode::Wide);
    let upper = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, op.seg, at));
    if index < W::sign_extend(lower) || index > W::sign_extend(upper) {
        return cpu.fault(bus, op, Fault::BOUND);
    }
    next(cpu, bus, op, rest)
}

/// Creates an operation that raises `exception` and ends its block. It covers the bytes that
/// decided this, so that a write to them is detected.
pub(crate) fn raise<B: Bus>(ip: u32, exception: Fault) -> Decoded<B> {
    const LONGEST: u32 = 16;
    let len = LONGEST.min(0x1_0000u32.saturating_sub(ip)).max(1);
    let mut decoded = Decoded::plain(fault::<B>, ip, len as usize);
    decoded.op.imm = u32::from(exception.0);
    decoded.ends = true;
    decoded
}

pub(crate) fn trap<B: Bus>(ip: u32, number: u8) -> Decoded<B> {
    let mut decoded = Decoded::plain(call_firmware::<B>, ip, 3);
    decoded.op.imm = u32::from(number);
    decoded.ends = true;
    decoded
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    decoded.ends = true;
    let vector = match decoded.mnemonic() {
        Mnemonic::Int => decoded.instruction.immediate8(),
        Mnemonic::Int1 => 1,
        Mnemonic::Int3 => 3,
        _ => return decode_other(decoded),
    };
    decoded.op.imm = u32::from(vector);
    decoded.run = int::<B>;
    Some(())
}

fn decode_other<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    match decoded.mnemonic() {
        Mnemonic::Iret => decoded.run = iret::<B, Word>,
        Mnemonic::Iretd => decoded.run = iret::<B, Dword>,
        Mnemonic::Into => {
            decoded.run = into::<B>;
            decoded.ends = false;
        }
        Mnemonic::Bound => {
            decoded.run = by_width!(decoded.is_wide(), |W| bound::<B, W>);
            decoded.ends = false;
        }
        _ => return None,
    }
    Some(())
}
