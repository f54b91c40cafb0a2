//! From bytes to operations: iced-x86 decodes, this picks the handler and resolves the operands.
//!
//! Nothing here changes the processor's state. What is not an instruction of the model becomes an operation that
//! raises the exception.

mod flow;
mod instruction;
mod select;

use iced_x86::{Instruction, MemorySize, Mnemonic, OpKind, Register as R};

use super::Cpu;
use super::block::{Block, Handler, Op};
use super::bus::Bus;
use super::operand::{Mode, Reg, segment};
use super::ops::alu::{select_fused, select_live};
use super::ops::jump::select_delay;
use super::ops::shift;
use super::registers::Segment;

/// How the operands of a two-operand instruction lie; the mode is that of `rm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    RmImm(Mode),
    RmReg(Mode),
    RegRm(Mode),
}

impl Form {
    pub(super) fn mode(self) -> Mode {
        match self {
            Form::RmImm(mode) | Form::RmReg(mode) | Form::RegRm(mode) => mode,
        }
    }
}

/// Size in bytes and form of the operands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    pub(super) size: u32,
    pub(super) form: Form,
}

/// One decoded instruction.
#[derive(Debug)]
struct Decoded<B> {
    op: Op<B>,
    mnemonic: Mnemonic,
    operands: Operands,
    /// Nothing may follow in the block.
    ends: bool,
    /// The condition of a Jcc that can be fused.
    condition: Option<u8>,
    effect: flow::Effect,
    /// Flags that a handler may leave out.
    flags: u32,
    immediate: Option<Immediate>,
    /// For a jump or call whose target is known: a handler after which the block goes on at the target.
    through: Option<Handler<B>>,
}

/// Where an instruction's immediate stands.
#[derive(Debug, Clone, Copy)]
struct Immediate {
    /// From the instruction's first byte.
    offset: u8,
    size: u8,
}

/// Instructions a block may have.
const MOST_INSTRUCTIONS: usize = 32;

/// The instruction at CS:IP alone.
pub(super) fn single<B: Bus>(cpu: &Cpu, bus: &mut B) -> Op<B> {
    select::decode(cpu, bus, cpu.regs.ip).op
}

/// A block and what of memory it rests on.
pub(super) struct Region<B> {
    pub(super) block: Block<B>,
    /// Linear addresses and lengths of the bytes that must not change.
    pub(super) bytes: Vec<(u32, u32)>,
}

/// The block at CS:IP; nothing where decoded code must not be kept. `patched` says of a physical address that the
/// program has written there over decoded code.
///
/// A block goes on through jumps and calls with a known target, other than back to its own start.
pub(super) fn block<B: Bus>(cpu: &Cpu, bus: &mut B, patched: impl Fn(u32) -> bool) -> Option<Region<B>> {
    let start = cpu.regs.ip;
    let base = cpu.base(Segment::Cs);
    let mut decoded: Vec<Decoded<B>> = Vec::new();
    let mut bytes = Vec::new();
    let mut ip = start;
    loop {
        let mut next = select::decode(cpu, bus, ip);
        let end = next.op.next();
        // Code that wraps at the end of the segment is executed one instruction at a time.
        if end > 0x1_0000 || !bus.is_cacheable(base + ip) || !bus.is_cacheable(base + end - 1) {
            break;
        }
        let is_patched = |ip: u32| patched(bus.physical(base + ip));
        match keep_immediate_live(&mut next, is_patched) {
            Some((at, len)) => {
                bytes.push((base + ip, at - ip));
                bytes.push((base + at + len, end - at - len));
            }
            None => bytes.push((base + ip, end - ip)),
        }
        let is_full = decoded.len() + 1 == MOST_INSTRUCTIONS;
        let through = next.through.filter(|_| next.op.target != start && !is_full);
        ip = match through {
            Some(run) => {
                next.op.run = run;
                next.ends = false;
                next.op.target
            }
            None => end,
        };
        let ends = next.ends || is_full || ip > 0xFFFF;
        decoded.push(next);
        if ends {
            break;
        }
    }
    let count = decoded.len() as u32;
    if count == 0 {
        return None;
    }
    match delay(&decoded, start) {
        Some(delay) => decoded = vec![delay],
        None => {
            fuse_last(&mut decoded);
            flow::drop_dead_flags(&mut decoded);
        }
    }
    let mut after = 0;
    for decoded in decoded.iter_mut().rev() {
        decoded.op.after = after;
        after += decoded.op.count;
    }
    let target = decoded.last().map_or(0, |last| last.op.target);
    let key = |ip: u32| u64::from(cpu.regs.cs()) << 32 | u64::from(ip);
    let block = Block {
        key: key(start),
        ops: decoded.into_iter().map(|decoded| decoded.op).collect(),
        count,
        exits: [key(cpu.model.wrapped_ip(ip)), key(target)],
        links: [0; 3],
        bytes: (0, 0),
    };
    Some(Region { block, bytes })
}

/// Where the program has changed an instruction, but only its immediate, the immediate is read anew each time: IP of
/// the immediate, and its length. Writing it then drops nothing.
fn keep_immediate_live<B: Bus>(
    decoded: &mut Decoded<B>,
    is_patched: impl Fn(u32) -> bool,
) -> Option<(u32, u32)> {
    let Immediate { offset, size } = decoded.immediate?;
    let at = decoded.op.ip + u32::from(offset);
    let field = at..at + u32::from(size);
    let mut written = (decoded.op.ip..decoded.op.next()).filter(|ip| is_patched(*ip)).peekable();
    written.peek()?;
    if !written.all(|ip| field.contains(&ip)) {
        return None;
    }
    let extended = u32::from(size) < decoded.operands.size;
    decoded.op.run = select_live::<B>(decoded.mnemonic, &decoded.operands, extended)?;
    decoded.op.target = at;
    // Neither fused nor without flags: there are no such handlers.
    decoded.mnemonic = Mnemonic::INVALID;
    decoded.flags = 0;
    Some((at, u32::from(size)))
}

/// Makes one operation of the conditional jump at the end and the comparison before it.
fn fuse_last<B: Bus>(decoded: &mut Vec<Decoded<B>>) {
    let [.., first, second] = &mut decoded[..] else { return };
    let Some(condition) = second.condition else { return };
    let run = match first.mnemonic {
        // Of a shift that always sets its flags.
        shift @ (Mnemonic::Shl | Mnemonic::Sal | Mnemonic::Shr) if first.flags != 0 => {
            shift::select_fused::<B>(shift, first.operands.size, condition)
        }
        mnemonic => select_fused::<B>(mnemonic, &first.operands, condition),
    };
    let Some(run) = run else { return };
    first.op.run = run;
    first.op.target = second.op.target;
    first.op.len += second.op.len;
    first.op.count = 2;
    decoded.pop();
}

/// Recognises a block that only counts a register down, with NOPs, and jumps to its own start: one operation does all
/// turns.
fn delay<B: Bus>(decoded: &[Decoded<B>], start: u32) -> Option<Decoded<B>> {
    /// The condition "not zero".
    const NZ: u8 = 5;
    let mut others = decoded.iter().filter(|decoded| decoded.mnemonic != Mnemonic::Nop);
    let (first, second) = (others.next()?, others.next());
    let last = decoded.last()?;
    if last.op.target != start || others.next().is_some() {
        return None;
    }
    let (reg, wide, sets_flags) = match (first.mnemonic, second) {
        (Mnemonic::Loop, None) => (Reg::C, first.op.mode == Mode::Wide, false),
        (Mnemonic::Dec, Some(second)) if second.condition == Some(NZ) => {
            let Operands { size: 2.., form: Form::RmImm(Mode::Register) } = first.operands else {
                return None;
            };
            (first.op.rm, first.operands.size == 4, true)
        }
        _ => return None,
    };
    let op = Op {
        run: select_delay::<B>(wide, sets_flags),
        rm: reg,
        ip: start,
        target: start,
        count: decoded.len() as u8,
        len: (last.op.next() - start) as u8,
        ..last.op
    };
    Some(Decoded { op, ..*last })
}

/// An 8, 16 or 32-bit general register and its size.
fn general(register: R) -> Option<(Reg, u32)> {
    let number = register as usize;
    let at = |first: R| Reg::ALL.get(number.wrapping_sub(first as usize)).copied();
    at(R::AL)
        .map(|reg| (reg, 1))
        .or_else(|| at(R::AX).map(|reg| (reg, 2)))
        .or_else(|| at(R::EAX).map(|reg| (reg, 4)))
}

/// The number of a segment register.
fn segment_number(register: R) -> Option<u32> {
    let number = (register as u32).wrapping_sub(R::ES as u32);
    (number < 6).then_some(number)
}

/// The size in bytes of a memory operand that general instructions have.
fn memory_bytes(size: MemorySize) -> u32 {
    match size {
        MemorySize::UInt8 | MemorySize::Int8 => 1,
        MemorySize::UInt32 | MemorySize::Int32 | MemorySize::DwordOffset | MemorySize::SegPtr32 => 4,
        MemorySize::Bound32_DwordDword => 4,
        _ => 2,
    }
}

/// Puts a memory operand into `op`.
fn resolve_memory<B>(op: &mut Op<B>, instruction: &Instruction) {
    let base = general(instruction.memory_base());
    let index = general(instruction.memory_index());
    op.disp = instruction.memory_displacement32();
    op.seg = segment(segment_number(instruction.memory_segment()).unwrap_or(3) as usize);
    op.base = base.map_or(Reg::A, |(reg, _)| reg);
    op.index = index.map_or(Reg::A, |(reg, _)| reg);
    op.has_base = base.is_some();
    op.has_index = index.is_some();
    op.scale = instruction.memory_index_scale().trailing_zeros() as u8;
    let wide = base.or(index).map_or(instruction.memory_displ_size() == 4, |(_, size)| size == 4);
    op.mode = match (wide, base, index) {
        (true, _, _) => Mode::Wide,
        (false, Some(_), Some(_)) => Mode::Indexed,
        (false, Some(_), None) => Mode::Based,
        (false, _, _) => Mode::Absolute,
    };
}

/// Puts the operands of a general instruction into `op`.
fn resolve_operands<B>(op: &mut Op<B>, instruction: &Instruction) -> Operands {
    let register = |n: u32| general(instruction.op_register(n));
    let mut size = 2;
    let mut form = Form::RmImm(Mode::Register);
    let is_register = |n: u32| instruction.op_count() > n && instruction.op_kind(n) == OpKind::Register;
    let is_memory = |n: u32| instruction.op_count() > n && instruction.op_kind(n) == OpKind::Memory;
    if is_memory(0) || is_memory(1) {
        resolve_memory(op, instruction);
        size = memory_bytes(instruction.memory_size());
        form = Form::RmImm(op.mode);
    }
    match (is_memory(0), is_memory(1)) {
        (true, _) => {
            if let Some((reg, bytes)) = is_register(1).then(|| register(1)).flatten() {
                op.reg = reg;
                // A shift by CL has a byte register that is not the operand.
                if instruction.op1_register() != R::CL || bytes == size {
                    size = bytes;
                }
                form = Form::RmReg(op.mode);
            }
        }
        (_, true) => {
            if let Some((reg, bytes)) = register(0) {
                op.reg = reg;
                size = bytes;
                form = Form::RegRm(op.mode);
            }
        }
        _ => {
            if let Some((reg, bytes)) = is_register(0).then(|| register(0)).flatten() {
                op.rm = reg;
                size = bytes;
            }
            if let Some((reg, _)) = is_register(1).then(|| register(1)).flatten() {
                op.reg = reg;
                form = Form::RmReg(Mode::Register);
            }
        }
    }
    Operands { size, form }
}
