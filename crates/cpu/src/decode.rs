//! From bytes to blocks of operations: iced-x86 decodes, a family of `ops` picks each handler, and here they are put
//! together.
//!
//! Nothing here changes the processor's state. What is not an instruction of the model becomes an operation that
//! raises the exception.

mod family;
mod fetch;
mod flags;
mod instruction;

use std::cell::Cell;

use super::block::{Block, Region};
use super::bus::Bus;
use super::decoded::{Decoded, Immediate, Special, Variant};
use super::op::{Flow, Handler, Op};
use super::ops::delay;
use super::registers::Segment;
use super::state::Cpu;

/// The instruction at CS:IP alone, and what executes it.
pub(super) fn single<B: Bus>(cpu: &Cpu, bus: &mut B) -> (Handler<B>, Op<B>) {
    let Decoded { run, op, .. } = instruction::decode(cpu, bus, cpu.regs.ip);
    (run, op)
}

/// The instruction at CS:IP alone, to be kept; nothing where it must not be, or where the program has written over it before, by
/// which it is soon dropped again.
pub(super) fn alone<B: Bus>(cpu: &Cpu, bus: &mut B, patched: impl Fn(u32) -> bool) -> Option<Region<B>> {
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
        ops: Box::new([op]),
        exits: [Block::<B>::DROPPED; Flow::EXITS],
        links: [u32::MAX; Flow::EXITS],
        bytes: (0, 0),
        heat: Cell::new(u32::MAX),
        given_up: 0,
        code: None,
        resumed: Vec::new(),
    };
    Some(Region { block, bytes: vec![(base + ip, end - ip)] })
}

/// Whether the decoded instruction at these offsets may be kept. Code that wraps at the end of the segment is executed one
/// instruction at a time.
fn may_be_kept<B: Bus>(bus: &B, base: u32, ip: u32, end: u32) -> bool {
    end <= 0x1_0000 && bus.is_cacheable(base + ip) && bus.is_cacheable(base + end - 1)
}

/// The block at CS:IP, of so many instructions at most, and what was decoded for each operation; nothing where decoded code must not
/// be kept. `patched` says of a physical address that the program has written there over decoded code, `is_stop` that no block may
/// hold the instruction there.
pub(super) fn block<B: Bus>(
    cpu: &Cpu,
    bus: &mut B,
    longest: usize,
    patched: impl Fn(u32) -> bool,
    is_stop: impl Fn(u32) -> bool,
) -> Option<(Region<B>, Vec<Decoded<B>>)> {
    let start = cpu.regs.ip;
    let Run { mut decoded, bytes, end } = run(cpu, bus, longest, patched, is_stop);
    match delay::recognise(&decoded, start) {
        Some(delay) => decoded = vec![delay],
        None => flags::drop_dead_flags(&mut decoded),
    }
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
        bytes: (0, 0),
        heat: Cell::new(u32::MAX),
        given_up: 0,
        code: None,
        resumed: Vec::new(),
    };
    Some((Region { block, bytes }, decoded))
}

/// The instructions of a block in the order of their execution.
struct Run<B> {
    decoded: Vec<Decoded<B>>,
    /// Linear addresses and lengths of the bytes that must not change.
    bytes: Vec<(u32, u32)>,
    /// Where it goes on after the last one.
    end: u32,
}

/// The targets of jumps that are nowhere in the block, each once: of its conditional jumps and of its last operation.
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

/// Says of each jump how it goes: to the start of the block, to one of its later operations, or to an exit.
fn set_ways<B: Bus>(decoded: &mut [Decoded<B>], start: u32) {
    let open = open_targets(decoded, start);
    for i in 0..decoded.len() {
        let Op { target, after, .. } = decoded[i].op;
        let later = (i + 1..decoded.len()).find(|&n| decoded[n].op.ip == target);
        let exit = open.iter().position(|&open| open == target);
        let (exit, leaves_out) = match (later, exit) {
            _ if target == start => (Flow::AGAIN, after),
            (Some(n), _) => {
                let op = &decoded[n].op;
                (Flow::within(n), after - op.after - op.count)
            }
            (None, exit) => (Flow::by_exit(exit.map_or(0, |n| n + 1)), after),
        };
        decoded[i].op = Op { exit, leaves_out, ..decoded[i].op };
    }
}

/// The instructions from CS:IP on. They go on through jumps and calls with a known target, other than back to the start,
/// and past conditional jumps forward, which are taken less often than not.
fn run<B: Bus>(
    cpu: &Cpu,
    bus: &mut B,
    longest: usize,
    patched: impl Fn(u32) -> bool,
    is_stop: impl Fn(u32) -> bool,
) -> Run<B> {
    let start = cpu.regs.ip;
    let base = cpu.base(Segment::Cs);
    let mut run = Run { decoded: Vec::new(), bytes: Vec::new(), end: start };
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
        match keep_immediate_live(&mut next, is_patched) {
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
        let is_full = number == longest;
        run.end = end;
        if next.op.target != start
            && !is_full
            && let Some(through) = next.variant(Variant::Through)
        {
            next.run = through;
            next.ends = false;
            run.end = next.op.target;
        }
        let is_jump = next.condition.is_some();
        if is_jump {
            next.ends = next.op.target <= ip;
        }
        let ends = next.ends || is_full || run.end > 0xFFFF;
        push(&mut run.decoded, next);
        if ends || is_jump && open_targets(&run.decoded, start).len() + 1 == Flow::EXITS {
            break;
        }
    }
    run
}

/// True when the segment of the memory operand begins in a device's memory. It may be another one when the code is executed:
/// this chooses between handlers that do the same.
fn is_in_device<B: Bus>(cpu: &Cpu, bus: &B, decoded: &Decoded<B>) -> bool {
    !decoded.is_on_registers() && bus.ram(cpu.base(decoded.op.seg), 1).is_none()
}

/// Adds an instruction: a conditional jump becomes one operation with what sets its flags before it.
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

/// Where the program has changed nothing of an instruction but its immediate, the immediate is read each time the
/// instruction is executed, so that writing it drops nothing: IP of the immediate, and its length.
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
    // No other variant reads the immediate there.
    decoded.variants = None;
    Some((at, u32::from(size)))
}
