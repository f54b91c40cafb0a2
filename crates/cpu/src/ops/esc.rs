//! ESC, the coprocessor instructions D8 to DF.
//!
//! The processor computes the address of a memory operand and transfers its bytes; the coprocessor
//! does the rest. An unmasked exception is reported as soon as its instruction is complete: by NMI
//! on an 8087, otherwise through the machine. Without a coprocessor the operand is fetched and
//! discarded.

use iced_x86::{Instruction, OpKind};

use super::attempt;
use crate::access::Fault;
use crate::bus::Bus;
use crate::decoded::{Decoded, Special};
use crate::form::resolve_memory;
use crate::fpu::{self, Environment, Fpu, LONGEST, Transfer};
use crate::op::{Flow, Mode, Op, RemainingOps, next, next_after_store};
use crate::operand::*;
use crate::registers::Segment;
use crate::size::Word;
use crate::state::Cpu;
use crate::system::Msw;

/// The vector of the non-maskable interrupt.
const NMI: u8 = 2;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Encoding {
    /// The lower three bits of the first byte, and the second byte.
    pub(crate) opcode: u16,
    /// Whether an environment has the 32-bit format.
    pub(crate) is_wide: bool,
    /// The number of bytes before the opcode.
    pub(crate) prefixes: usize,
}

/// Set in `imm`, above the opcode, for the 32-bit environment format.
const WIDE: u32 = 1 << 16;

fn opcode<B>(op: &Op<B>) -> u16 {
    op.imm as u16
}

fn memory_instruction<B>(op: &Op<B>) -> fpu::Memory {
    let form = if op.imm & WIDE == 0 { Environment::Word } else { Environment::Dword };
    fpu::Memory::new(opcode(op), form)
}

pub(crate) fn is_switched_off(cpu: &Cpu) -> bool {
    cpu.system.msw_has(Msw::EM) || cpu.system.msw_has(Msw::TS)
}

/// Returns the coprocessor's instruction pointer as a linear address. `target`: number of prefixes.
fn code_address<B>(cpu: &Cpu, fpu: &Fpu, op: &Op<B>) -> u32 {
    let prefixes = if fpu.points_past_prefixes() { op.target } else { 0 };
    cpu.base(Segment::Cs) + op.ip + prefixes
}

fn on_registers<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if is_switched_off(cpu) {
        return cpu.fault(bus, op, Fault::NO_COPROCESSOR);
    }
    let Some(mut fpu) = cpu.fpu.take() else { return without(cpu, bus, ops) };
    let code = code_address(cpu, &fpu, op);
    let had_error = fpu.has_error();
    if let Some(word) = fpu.execute(opcode(op), code) {
        cpu.regs.set_ax(word);
    }
    let asks = fpu.asks_for_attention(opcode(op), had_error);
    cpu.fpu = Some(fpu);
    if asks {
        return report_error(cpu, bus, op);
    }
    next(cpu, bus, op, rest)
}

fn on_memory<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if is_switched_off(cpu) {
        return cpu.fault(bus, op, Fault::NO_COPROCESSOR);
    }
    let instruction = memory_instruction(op);
    let offset = AnyAddress::offset(cpu, op);
    let transfer = instruction.transfer();
    let (Transfer::Load(bytes) | Transfer::Store(bytes)) = transfer;
    if cpu.fpu.is_none() {
        return without(cpu, bus, ops);
    }
    let range = attempt!(cpu, bus, op, cpu.operand_range(op.seg, offset, bytes));
    let Some(mut fpu) = cpu.fpu.take() else { return next(cpu, bus, op, rest) };
    let code = code_address(cpu, &fpu, op);
    let had_error = fpu.has_error();
    let mut operand = [0; LONGEST];
    let mut stores = false;
    match transfer {
        Transfer::Load(bytes) => {
            range.read(bus, &mut operand[..bytes]);
            fpu.load(instruction, &operand[..bytes], code, range.start());
        }
        Transfer::Store(bytes) => {
            if let Some(stored) = fpu.store(instruction, code, range.start()) {
                range.write(bus, &stored[..bytes]);
                stores = true;
            }
        }
    }
    let asks = fpu.asks_for_attention(opcode(op), had_error);
    cpu.fpu = Some(fpu);
    if asks {
        return report_error(cpu, bus, op);
    }
    if stores { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, op, rest) }
}

/// Executes an instruction without a coprocessor: fetches the operand and discards it.
#[cold]
#[inline(never)]
fn without<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if op.mode != Mode::Register {
        attempt!(cpu, bus, op, Dynamic::value::<B, Word>(cpu, bus, op));
    }
    if cpu.missed_coprocessor.is_none() && !fpu::is_control(opcode(op)) {
        cpu.missed_coprocessor = Some((cpu.regs.cs(), op.ip as u16));
    }
    next(cpu, bus, op, rest)
}

#[cold]
#[inline(never)]
fn report_error<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>) -> Flow {
    if cpu.model.coprocessor_errors_by_nmi() {
        cpu.stop(op);
        cpu.deliver(bus, NMI);
        return Flow::STOP;
    }
    bus.coprocessor_error(cpu.cycles_before(op));
    cpu.limit = cpu.limit.min(bus.next_event());
    cpu.stop(op)
}

/// The address range of an operand.
#[derive(Debug, Clone, Copy)]
struct OperandRange {
    base: u32,
    offset: u32,
}

impl OperandRange {
    fn start(self) -> u32 {
        self.base + self.offset
    }

    /// Returns the address of a byte. On the 8086 and 80186 the offset wraps.
    fn byte(self, i: usize) -> u32 {
        self.base + ((self.offset + i as u32) & 0xFFFF)
    }

    fn wraps(self, bytes: usize) -> bool {
        self.offset as usize + bytes > 0x1_0000
    }

    fn read<B: Bus>(self, bus: &mut B, to: &mut [u8]) {
        match bus.ram(self.start(), to.len()) {
            Some(from) if !self.wraps(to.len()) => to.copy_from_slice(from),
            _ => to.iter_mut().enumerate().for_each(|(i, byte)| *byte = bus.read8(self.byte(i))),
        }
    }

    fn write<B: Bus>(self, bus: &mut B, from: &[u8]) {
        match bus.ram_mut(self.start(), from.len()) {
            Some(to) if !self.wraps(from.len()) => to.copy_from_slice(from),
            _ => from.iter().enumerate().for_each(|(i, byte)| bus.write8(self.byte(i), *byte)),
        }
    }
}

impl Cpu {
    /// Returns the range of an operand of `bytes` bytes, unless it crosses the end of its segment.
    fn operand_range(&self, segment: Segment, offset: u32, bytes: usize) -> Result<OperandRange, Fault> {
        let range = OperandRange { base: self.base(segment), offset };
        if u64::from(offset) + bytes as u64 > 0x1_0000 && !self.model.offsets_wrap() {
            return Err(Fault::overrun(self.model, segment));
        }
        Ok(range)
    }
}

/// Decodes an ESC of `len` bytes at `ip`. `instruction` is one with the same operands.
pub(crate) fn decode<B: Bus>(
    ip: u32,
    len: usize,
    instruction: &Instruction,
    encoding: &Encoding,
) -> Decoded<B> {
    let mut decoded = Decoded::plain(on_registers::<B>, ip, len);
    if instruction.op1_kind() == OpKind::Memory {
        resolve_memory(&mut decoded.op, instruction);
        decoded.run = on_memory::<B>;
    }
    decoded.op.imm = u32::from(encoding.opcode) | if encoding.is_wide { WIDE } else { 0 };
    decoded.op.target = encoding.prefixes as u32;
    decoded.special = Some(Special::Coprocessor);
    decoded
}
