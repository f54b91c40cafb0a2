//! Builds blocks of operations: iced-x86 decodes each instruction, a family of `ops` chooses its
//! handler, and this module combines them.
//!
//! Nothing here changes the processor's state. An opcode that the model does not have becomes an
//! operation that raises the exception.

mod family;
mod fetch;
mod flags;
mod instruction;

use iced_x86::{FlowControl, Instruction, Mnemonic};
use std::cell::Cell;

use super::block::Block;
use super::bus::Bus;
use super::decoded::{Decoded, Immediate, Special, Variant};
use super::known::{self, KnownInstructions};
use super::observer::{BlockObserver, Note};
use super::op::{Flow, Handler, Op};
use super::ops::delay;
use super::overwritten::Source;
use super::registers::Segment;
use super::state::Cpu;

/// Returns the single instruction at CS:IP and its handler.
pub(super) fn single<B: Bus>(cpu: &Cpu, bus: &mut B) -> (Handler<B>, Op<B>) {
    let Decoded { run, op, .. } = instruction::decode(cpu, bus, cpu.regs.ip);
    (run, op)
}

/// Returns the bytes at CS:IP by which an instruction is known, if they are in memory without side effects.
#[inline]
pub(super) fn bytes_here<B: Bus>(cpu: &Cpu, bus: &B) -> Option<u64> {
    let ip = cpu.regs.ip;
    let ends_in_segment = ip <= 0x1_0000 - known::LONGEST as u32;
    let bytes = bus.ram(cpu.base(Segment::Cs) + ip, known::LONGEST).filter(|_| ends_in_segment)?;
    bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Returns the single instruction at CS:IP and its handler, as [`single`] does, and keeps it by its bytes,
/// if it has any.
#[inline(never)]
pub(super) fn single_to_keep<B: Bus>(
    cpu: &Cpu,
    bus: &mut B,
    bytes: Option<u64>,
    known: &mut KnownInstructions<B>,
) -> (Handler<B>, Op<B>) {
    let decoded = instruction::decode(cpu, bus, cpu.regs.ip);
    if let Some(bytes) = bytes {
        known.keep(bytes, &decoded);
    }
    (decoded.run, decoded.op)
}

/// Returns the single instruction at CS:IP as a cacheable block. `None` if it must not be cached,
/// or if the program has written over it before, so that it would soon be dropped again.
pub(super) fn alone<B: Bus>(cpu: &Cpu, bus: &mut B, patched: impl Fn(u32) -> bool) -> Option<Block<B>> {
    let ip = cpu.regs.ip;
    let base = cpu.base(Segment::Cs);
    if !bus.is_cacheable(base + ip) {
        return None;
    }
    let Decoded { run, op, .. } = instruction::decode(cpu, bus, ip);
    let end = op.next();
    if !may_be_kept(bus, base, ip, end) || (ip..end).any(|ip| patched(bus.physical(base + ip))) {
        return None;
    }
    let block = Block {
        key: u64::from(cpu.regs.cs()) << 32 | u64::from(ip) | Block::<B>::ALONE,
        run,
        count: op.count.into(),
        note: Note::default(),
        ops: Box::new([op]),
        exits: [Block::<B>::DROPPED; Flow::EXITS],
        links: [u32::MAX; Flow::EXITS],
        bytes: (0, 0),
        source: Source::of(vec![(base + ip, end - ip)]),
        hotness: Cell::new(u32::MAX),
        discarded: 0,
        code: None,
        resumed: Vec::new(),
    };
    Some(block)
}

/// Returns whether the instruction at these offsets may be cached. Code that wraps at the end of
/// the segment is executed one instruction at a time.
fn may_be_kept<B: Bus>(bus: &B, base: u32, ip: u32, end: u32) -> bool {
    end <= 0x1_0000 && bus.is_cacheable(base + ip) && bus.is_cacheable(base + end - 1)
}

/// Returns the block at CS:IP, of at most `most` instructions, and the decoded form of each
/// operation; `None` if the code must not be cached. `patched` returns whether the program has
/// written a physical address over decoded code; `is_stop` whether a run stops before the
/// instruction there, which then may not be inside a block.
pub(super) fn block<B: Bus>(
    cpu: &Cpu,
    bus: &mut B,
    longest: usize,
    patched: impl Fn(u32) -> bool,
    is_stop: impl Fn(u32) -> bool,
) -> Option<(Block<B>, Vec<Decoded<B>>)> {
    let mut run = run(cpu, bus, longest, patched, is_stop, Through::Jumps);
    match delay::recognise(&run.decoded, cpu.regs.ip) {
        Some(delay) => run.decoded = vec![delay],
        None => flags::drop_dead_flags(&mut run.decoded),
    }
    link(cpu, run)
}

/// Returns the block of an observed run at CS:IP: instructions in a straight line that the observer
/// admits. If it does not admit the first one, that is the block. `None` if it must not be cached,
/// or would soon be dropped again.
pub(super) fn observed<B: Bus>(
    cpu: &Cpu,
    bus: &mut B,
    longest: usize,
    patched: impl Fn(u32) -> bool,
    observer: &mut impl BlockObserver<B>,
) -> Option<Block<B>> {
    let admits = |instruction: &Instruction| observer.admits(cpu, instruction);
    let mut run = run(cpu, bus, longest, patched, |_| false, Through::Nothing(&admits));
    let admitted = std::mem::take(&mut run.admitted);
    flags::drop_dead_flags(&mut run.decoded);
    let (mut block, _) = link(cpu, run)?;
    block.note = observer.describe(cpu, &admitted);
    block.key |= Block::<B>::OBSERVED;
    Some(block)
}

/// Makes a block of decoded instructions; `None` without any.
fn link<B: Bus>(cpu: &Cpu, run: Run<B>) -> Option<(Block<B>, Vec<Decoded<B>>)> {
    let start = cpu.regs.ip;
    let Run { mut decoded, bytes, end, .. } = run;
    let key = |ip: u32| u64::from(cpu.regs.cs()) << 32 | u64::from(ip);
    let mut count = 0;
    let mut run = decoded.last()?.op.then;
    for Decoded { op, run: this, .. } in decoded.iter_mut().rev() {
        op.after = count;
        count += op.count;
        op.then = std::mem::replace(&mut run, *this);
    }
    let mut exits = [key(cpu.model.wrapped_ip(end)); Flow::EXITS];
    for (exit, target) in exits.iter_mut().skip(1).zip(open_targets(&decoded, start)) {
        *exit = key(target);
    }
    set_ways(&mut decoded, start);
    let block = Block {
        key: key(start),
        run,
        ops: decoded.iter().map(|decoded| decoded.op).collect(),
        exits,
        links: [u32::MAX; Flow::EXITS],
        count: count.into(),
        note: Note::default(),
        bytes: (0, 0),
        source: Source::of(bytes),
        hotness: Cell::new(u32::MAX),
        discarded: 0,
        code: None,
        resumed: Vec::new(),
    };
    Some((block, decoded))
}

/// The instructions of a block in the order of their execution.
struct Run<B> {
    decoded: Vec<Decoded<B>>,
    /// Those that an observer has admitted, before pairs are fused.
    admitted: Vec<Instruction>,
    /// Linear addresses and lengths of the bytes that must not change.
    bytes: Vec<(u32, u32)>,
    /// The offset at which execution continues after the last instruction.
    end: u32,
}

/// Returns the jump targets outside the block, each once: of its conditional jumps and of its last
/// operation.
fn open_targets<B: Bus>(decoded: &[Decoded<B>], start: u32) -> Vec<u32> {
    let mut targets = Vec::new();
    for (i, jump) in decoded.iter().enumerate() {
        let later = &decoded[i + 1..];
        let target = jump.op.target;
        let may_leave = (jump.condition.is_some() || later.is_empty()) && target != start;
        if may_leave && !targets.contains(&target) && !later.iter().any(|decoded| decoded.op.ip == target) {
            targets.push(target);
        }
    }
    targets
}

/// Resolves each jump: to the start of the block, to a later operation of it, or to an exit.
fn set_ways<B: Bus>(decoded: &mut [Decoded<B>], start: u32) {
    let open = open_targets(decoded, start);
    for i in 0..decoded.len() {
        let Op { target, after, .. } = decoded[i].op;
        let later = (i + 1..decoded.len()).find(|&n| decoded[n].op.ip == target);
        let exit = open.iter().position(|&open| open == target);
        let (exit, skipped) = match (later, exit) {
            _ if target == start => (Flow::AGAIN, after),
            (Some(n), _) => {
                let op = &decoded[n].op;
                (Flow::within(n), after - op.after - op.count)
            }
            (None, exit) => (Flow::by_exit(exit.map_or(0, |n| n + 1)), after),
        };
        decoded[i].op = Op { exit, skipped, ..decoded[i].op };
    }
}

/// The places at which a block continues after a jump.
#[derive(Clone, Copy)]
enum Through<'a> {
    /// The targets of jumps and calls, the instructions after conditional jumps, and after calls of
    /// routines that return in the block.
    Jumps,
    /// None. It also ends before an instruction that the program has written over, and before one
    /// that is not admitted, unless that is the first.
    Nothing(&'a dyn Fn(&Instruction) -> bool),
}

/// Collects the instructions from CS:IP on. Follows jumps and calls with a known target, and the returns
/// of these calls, except back to the start. Continues past forward conditional jumps, which are usually
/// not taken.
fn run<B: Bus>(
    cpu: &Cpu,
    bus: &mut B,
    longest: usize,
    patched: impl Fn(u32) -> bool,
    is_stop: impl Fn(u32) -> bool,
    through: Through<'_>,
) -> Run<B> {
    let start = cpu.regs.ip;
    let base = cpu.base(Segment::Cs);
    let mut run = Run { decoded: Vec::new(), admitted: Vec::new(), bytes: Vec::new(), end: start };
    // The return addresses of the calls that the block is in.
    let mut returns = Vec::new();
    for number in 1..=longest {
        let ip = run.end;
        if is_stop(bus.physical(base + ip)) {
            return run;
        }
        if !bus.is_cacheable(base + ip) {
            break;
        }
        let mut next = instruction::decode(cpu, bus, ip);
        let end = next.op.next();
        if !may_be_kept(bus, base, ip, end) {
            break;
        }
        let is_patched = |ip: u32| patched(bus.physical(base + ip));
        let mut is_last = number == longest;
        if let Through::Nothing(admits) = through {
            let is_admitted = admits(&next.instruction);
            if (ip..end).any(is_patched) || !is_admitted && number > 1 {
                break;
            }
            run.admitted.extend(is_admitted.then_some(next.instruction));
            is_last |= !is_admitted || next.instruction.flow_control() != FlowControl::Next;
        }
        match keep_immediate_live(&mut next, is_patched) {
            None if (ip..end).any(is_patched) => break,
            Some((at, len)) => {
                run.bytes.push((base + ip, at - ip));
                run.bytes.push((base + at + len, end - at - len));
            }
            None => run.bytes.push((base + ip, end - ip)),
        }
        if is_in_device(cpu, bus, &next)
            && let Some(run) = next.variant(Variant::Device)
        {
            next.run = run;
            next.special = Some(Special::Device);
        }
        run.end = end;
        let is_known = match next.mnemonic() {
            Mnemonic::Ret => returns.pop().inspect(|back| next.op.target = *back).is_some(),
            Mnemonic::Jmp => next.op.target > ip,
            _ => true,
        };
        if is_known
            && next.op.target != start
            && !is_last
            && let Some(through) = next.variant(Variant::Through)
        {
            next.run = through;
            next.ends = false;
            run.end = next.op.target;
            if next.mnemonic() == Mnemonic::Call {
                returns.push(end);
            }
        }
        let is_jump = next.condition.is_some();
        if is_jump {
            next.ends = next.op.target <= ip;
        }
        let ends = next.ends || is_last || run.end > 0xFFFF;
        push(&mut run.decoded, next);
        if ends || is_jump && open_targets(&run.decoded, start).len() + 1 == Flow::EXITS {
            break;
        }
    }
    run
}

/// Returns whether the memory operand's segment currently starts in device memory. This may change
/// before the code runs; it only chooses between handlers with the same effect.
fn is_in_device<B: Bus>(cpu: &Cpu, bus: &B, decoded: &Decoded<B>) -> bool {
    !decoded.is_on_registers() && bus.ram(cpu.base(decoded.op.seg), 1).is_none()
}

/// Adds an instruction. A conditional jump joins the preceding instruction that sets its flags.
fn push<B: Bus>(decoded: &mut Vec<Decoded<B>>, next: Decoded<B>) {
    let is_target = decoded.iter().any(|before| before.condition.is_some() && before.op.target == next.op.ip);
    if let Some(condition) = next.condition
        && !is_target
        && let Some(last) = decoded.last_mut()
        && let Some(run) = last.variant(Variant::Fused(condition))
    {
        last.run = run;
        last.op = Op { target: next.op.target, len: last.op.len + next.op.len, count: 2, ..last.op };
        last.condition = next.condition;
        last.variants = None;
    } else {
        decoded.push(next);
    }
}

/// If the program has changed only the immediate of an instruction, makes the handler read it at
/// each execution, so that writing it drops no block. Records the immediate's IP and length.
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
    decoded.run = decoded.variant(Variant::Live { extended })?;
    decoded.special = Some(Special::Live);
    decoded.op.target = at;
    // No other variant reads the immediate from memory.
    decoded.variants = None;
    Some((at, u32::from(size)))
}
