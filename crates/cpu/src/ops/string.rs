//! MOVS, CMPS, STOS, LODS, SCAS, INS, OUTS, with and without a repeat prefix.
//!
//! A repeated instruction takes one cycle per iteration. At the deadline it stops between
//! iterations with IP at the instruction, so that an interrupt can occur.

mod bulk;

use bulk::Bulk;
use iced_x86::{Mnemonic, OpKind};

use crate::access::Fault;
use crate::alu::{self, Binary};
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::form::memory_segment;
use crate::op::{Flow, Handler, Mode, Op, RemainingOps, next, next_after_store};
use crate::registers::{Flags, Reg, Segment};
use crate::size::{Dword, Size, Word, by_size};
use crate::state::Cpu;

/// No repeat prefix; the value of `Op::imm`.
const ONCE: u32 = 0;
/// REP or REPE.
const REPEAT_EQUAL: u32 = 1;
/// REPNE (for instructions that set no flags: REP).
const REPEAT_NOT_EQUAL: u32 = 2;

/// A fault in an iteration, and the change of CX at that moment. When a write fails, the chip has
/// already started the next iteration; when the first read of CMPS fails, it has not counted the
/// current one. Recorded on the 80286.
struct Broken {
    fault: Fault,
    counted: u32,
}

/// One iteration of a string instruction.
trait Turn {
    /// Whether ZF can end the repetition.
    const COMPARES: bool = false;
    /// Whether an iteration may move the machine's next event.
    const PORT: bool = false;
    /// The bulk form, for several upward iterations in plain RAM.
    const BULK: Option<Bulk> = None;
    fn turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> Result<(), Broken>;
    /// Executes an iteration in plain memory. Otherwise returns false, having done nothing.
    #[inline(always)]
    fn fast_turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> bool {
        let _ = (cpu, bus, op, wide);
        false
    }
}

#[derive(Debug)]
struct Movs;
#[derive(Debug)]
struct Cmps;
#[derive(Debug)]
struct Stos;
#[derive(Debug)]
struct Lods;
#[derive(Debug)]
struct Scas;
#[derive(Debug)]
struct Ins;
#[derive(Debug)]
struct Outs;

/// Returns SI, DI or CX in the instruction's address size.
#[inline(always)]
fn index(cpu: &Cpu, reg: Reg, wide: bool) -> u32 {
    if wide { Dword::get(&cpu.regs.gpr, reg) } else { Word::get(&cpu.regs.gpr, reg) }
}

#[inline(always)]
fn set_index(cpu: &mut Cpu, reg: Reg, wide: bool, value: u32) {
    if wide { Dword::set(cpu, reg, value) } else { Word::set(cpu, reg, value) }
}

/// Advances SI or DI by one element in the direction of DF.
#[inline(always)]
fn advance<W: Size>(cpu: &mut Cpu, reg: Reg, wide: bool) {
    let by = if cpu.regs.flag(Flags::DF) { W::BYTES.wrapping_neg() } else { W::BYTES };
    let value = index(cpu, reg, wide).wrapping_add(by);
    set_index(cpu, reg, wide, value);
}

/// Reads the element at DS:SI (or with another segment) and advances SI, even if the read faults.
#[inline(always)]
fn source<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> Result<u32, Broken> {
    let at = index(cpu, Reg::Si, wide);
    advance::<W>(cpu, Reg::Si, wide);
    cpu.load::<B, W>(bus, op.seg, at).map_err(|fault| Broken { fault, counted: 1 })
}

/// Reads the element at ES:DI and advances DI. `counted` is the change of CX if the read faults.
#[inline(always)]
fn destination<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, wide: bool, counted: u32) -> Result<u32, Broken> {
    let at = index(cpu, Reg::Di, wide);
    advance::<W>(cpu, Reg::Di, wide);
    cpu.load::<B, W>(bus, Segment::Es, at).map_err(|fault| Broken { fault, counted })
}

/// Writes the element at ES:DI and advances DI.
#[inline(always)]
fn store<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, wide: bool, value: u32) -> Result<(), Broken> {
    let at = index(cpu, Reg::Di, wide);
    advance::<W>(cpu, Reg::Di, wide);
    cpu.store::<B, W>(bus, Segment::Es, at, value).map_err(|fault| Broken { fault, counted: 2 })
}

/// Writes the element at ES:DI in plain memory and advances DI. Returns false, having done nothing,
/// if the memory is not plain.
#[inline(always)]
fn fast_store<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, wide: bool, value: u32) -> bool {
    let at = index(cpu, Reg::Di, wide);
    let done = cpu.fast_store::<B, W>(bus, Segment::Es, at, value)
        || cpu.store_beside_code::<B, W>(bus, Segment::Es, at, value);
    if done {
        advance::<W>(cpu, Reg::Di, wide);
    }
    done
}

impl Turn for Movs {
    const BULK: Option<Bulk> = Some(Bulk::Copy);
    fn turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> Result<(), Broken> {
        let value = source::<B, W>(cpu, bus, op, wide)?;
        store::<B, W>(cpu, bus, wide, value)
    }
    #[inline(always)]
    fn fast_turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> bool {
        let Some(value) = cpu.fast_load::<B, W>(bus, op.seg, index(cpu, Reg::Si, wide)) else {
            return false;
        };
        let done = fast_store::<B, W>(cpu, bus, wide, value);
        if done {
            advance::<W>(cpu, Reg::Si, wide);
        }
        done
    }
}

impl Turn for Cmps {
    const BULK: Option<Bulk> = Some(Bulk::Compare);
    const COMPARES: bool = true;
    fn turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> Result<(), Broken> {
        let b = destination::<B, W>(cpu, bus, wide, 0)?;
        let a = source::<B, W>(cpu, bus, op, wide)?;
        cpu.status = alu::Cmp::apply::<W>(a, b, false).1;
        Ok(())
    }
}

impl Turn for Stos {
    const BULK: Option<Bulk> = Some(Bulk::Fill);
    fn turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, _: &Op<B>, wide: bool) -> Result<(), Broken> {
        let value = W::get(&cpu.regs.gpr, Reg::A);
        store::<B, W>(cpu, bus, wide, value)
    }
    #[inline(always)]
    fn fast_turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, _: &Op<B>, wide: bool) -> bool {
        fast_store::<B, W>(cpu, bus, wide, W::get(&cpu.regs.gpr, Reg::A))
    }
}

impl Turn for Lods {
    fn turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> Result<(), Broken> {
        let value = source::<B, W>(cpu, bus, op, wide)?;
        W::set(cpu, Reg::A, value);
        Ok(())
    }
    #[inline(always)]
    fn fast_turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> bool {
        let Some(value) = cpu.fast_load::<B, W>(bus, op.seg, index(cpu, Reg::Si, wide)) else {
            return false;
        };
        advance::<W>(cpu, Reg::Si, wide);
        W::set(cpu, Reg::A, value);
        true
    }
}

impl Turn for Scas {
    const BULK: Option<Bulk> = Some(Bulk::Scan);
    const COMPARES: bool = true;
    fn turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, _: &Op<B>, wide: bool) -> Result<(), Broken> {
        let b = destination::<B, W>(cpu, bus, wide, 1)?;
        let a = W::get(&cpu.regs.gpr, Reg::A);
        cpu.status = alu::Cmp::apply::<W>(a, b, false).1;
        Ok(())
    }
}

impl Turn for Ins {
    const PORT: bool = true;
    fn turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> Result<(), Broken> {
        let value = cpu.port_in::<B, W>(bus, op, cpu.regs.dx());
        store::<B, W>(cpu, bus, wide, value)
    }
}

impl Turn for Outs {
    const PORT: bool = true;
    fn turn<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> Result<(), Broken> {
        let value = source::<B, W>(cpu, bus, op, wide)?;
        cpu.port_out::<B, W>(bus, op, cpu.regs.dx(), value);
        Ok(())
    }
}

/// Executes an iteration. On models that restart it after a fault, a fault restores SI, DI and CX.
#[inline(always)]
fn try_turn<B: Bus, T: Turn, W: Size>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    wide: bool,
) -> Result<(), Broken> {
    const SI: usize = Reg::Si as usize;
    const DI: usize = Reg::Di as usize;
    let (si, di) = (cpu.regs.gpr[SI], cpu.regs.gpr[DI]);
    let result = T::turn::<B, W>(cpu, bus, op, wide);
    match result {
        Err(Broken { fault, .. }) if cpu.model.restarts_strings() => {
            (cpu.regs.gpr[SI], cpu.regs.gpr[DI]) = (si, di);
            Err(Broken { fault, counted: 0 })
        }
        result => result,
    }
}

fn once<B: Bus, T: Turn, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if T::fast_turn::<B, W>(cpu, bus, op, op.mode == Mode::Wide) {
        return next(cpu, bus, op, rest);
    }
    slow_once::<B, T, W>(cpu, bus, ops)
}

#[cold]
#[inline(never)]
fn slow_once<B: Bus, T: Turn, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if let Err(broken) = try_turn::<B, T, W>(cpu, bus, op, op.mode == Mode::Wide) {
        return cpu.fault(bus, op, broken.fault);
    }
    if T::PORT && bus.next_event() < cpu.limit {
        cpu.limit = bus.next_event();
        return cpu.stop(op);
    }
    next_after_store(cpu, bus, op, rest)
}

fn repeated<B: Bus, T: Turn, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let wide = op.mode == Mode::Wide;
    if index(cpu, Reg::C, wide) == 0 {
        return finished::<B, T>(cpu, bus, op, rest);
    }
    // `cycles` advances with each iteration, so that ports see the time. The first iteration is
    // counted as the instruction.
    let mut is_overwritten = false;
    loop {
        let turns = match T::BULK.filter(|_| !is_overwritten) {
            Some(bulk) => bulk::turns::<B, W>(bulk, cpu, bus, op, wide),
            None => 0,
        };
        if turns == 0
            && let Err(Broken { fault, counted }) = try_turn::<B, T, W>(cpu, bus, op, wide)
        {
            let count = index(cpu, Reg::C, wide).wrapping_sub(counted);
            set_index(cpu, Reg::C, wide, count);
            return cpu.fault(bus, op, fault);
        }
        let turns = turns.max(1);
        let count = index(cpu, Reg::C, wide).wrapping_sub(turns);
        set_index(cpu, Reg::C, wide, count);
        cpu.cycles += u64::from(turns) - 1;
        cpu.extra += u64::from(turns) - 1;
        let is_over = T::COMPARES && cpu.status.zf() != (op.imm == REPEAT_EQUAL);
        if is_over || index(cpu, Reg::C, wide) == 0 {
            return finished::<B, T>(cpu, bus, op, rest);
        }
        cpu.cycles += 1;
        cpu.extra += 1;
        if T::PORT {
            cpu.limit = cpu.limit.min(bus.next_event());
        }
        if cpu.cycles_before(op) >= cpu.limit && !is_overwritten {
            is_overwritten = !is_still_there(cpu, bus, op);
            if !is_overwritten {
                return cpu.stop_before(op);
            }
        }
    }
}

/// Continues after a repeated instruction, unless its iterations have reached the deadline or may have
/// moved the next event.
#[inline(always)]
fn finished<B: Bus, T: Turn>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: RemainingOps<B>) -> Flow {
    if T::PORT || cpu.cycles > cpu.limit {
        return cpu.stop(op);
    }
    next_after_store(cpu, bus, op, rest)
}

/// Returns whether the bytes of a repeated instruction are still one. If it has overwritten itself,
/// it executes all its iterations, as without an interrupt: it could not be continued, and the
/// result would depend on the instant of a stop.
#[cold]
fn is_still_there<B: Bus>(cpu: &Cpu, bus: &mut B, op: &Op<B>) -> bool {
    let start = cpu.base(Segment::Cs) + op.ip;
    let is_prefix = |byte: u8| matches!(byte, 0x26 | 0x2E | 0x36 | 0x3E | 0x64..=0x67 | 0xF0 | 0xF2 | 0xF3);
    let last = start + u32::from(op.len) - 1;
    (start..last).all(|at| is_prefix(bus.read8(at)))
        && matches!(bus.read8(last), 0x6C..=0x6F | 0xA4..=0xA7 | 0xAA..=0xAF)
}

fn forms<B: Bus, T: Turn, W: Size>(repeat: u32) -> Handler<B> {
    if repeat == ONCE { once::<B, T, W> } else { repeated::<B, T, W> }
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    use Mnemonic as M;
    let instruction = &decoded.instruction;
    let size = match instruction.mnemonic() {
        M::Movsb | M::Cmpsb | M::Stosb | M::Lodsb | M::Scasb | M::Insb | M::Outsb => 1,
        M::Movsw | M::Cmpsw | M::Stosw | M::Lodsw | M::Scasw | M::Insw | M::Outsw => 2,
        _ => 4,
    };
    let repeat = match (instruction.has_rep_prefix(), instruction.has_repne_prefix()) {
        (true, _) => REPEAT_EQUAL,
        (_, true) => REPEAT_NOT_EQUAL,
        _ => ONCE,
    };
    let is_wide = |kind: OpKind| matches!(kind, OpKind::MemorySegESI | OpKind::MemoryESEDI);
    let is_wide = (0..instruction.op_count()).any(|n| is_wide(instruction.op_kind(n)));
    decoded.op.mode = if is_wide { Mode::Wide } else { Mode::Based };
    decoded.op.seg = memory_segment(instruction);
    decoded.op.imm = repeat;
    decoded.ends = repeat != ONCE;
    decoded.run = by_size!(size, |W| match decoded.mnemonic() {
        M::Movsb | M::Movsw | M::Movsd => forms::<B, Movs, W>(repeat),
        M::Cmpsb | M::Cmpsw | M::Cmpsd => forms::<B, Cmps, W>(repeat),
        M::Stosb | M::Stosw | M::Stosd => forms::<B, Stos, W>(repeat),
        M::Lodsb | M::Lodsw | M::Lodsd => forms::<B, Lods, W>(repeat),
        M::Scasb | M::Scasw | M::Scasd => forms::<B, Scas, W>(repeat),
        M::Insb | M::Insw | M::Insd => forms::<B, Ins, W>(repeat),
        M::Outsb | M::Outsw | M::Outsd => forms::<B, Outs, W>(repeat),
        _ => return None,
    });
    Some(())
}
