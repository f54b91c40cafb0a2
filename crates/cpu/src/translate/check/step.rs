//! The effect of an instruction on the state, and the conditions under which it is allowed.

use iced_x86::{
    Code as C, Instruction, InstructionInfoFactory, Mnemonic as M, OpKind, Register as R, UsedRegister,
};

use super::allowed::is_of_coprocessor;
use super::memory::{self, Access};
use super::number::{masked, moved, shifted_left, shifted_right, united};
use super::state::{Checked, Compared, Division, HOST, Half, OFFSET, STACK, State, Value, Window};
use crate::directions::{is_read, is_written};
use crate::memory::PlainMemory;
use crate::translate::context::{GRANULE_BITS, offset};
use crate::translate::host;
use crate::translate::registers::{BUDGET, CONTEXT, GRANULE_FLAGS};
use crate::translate::video_routines::PAGE_BITS;

const BESIDE_CODE: u64 = PlainMemory::BESIDE_CODE as u64;
const SLOT_BITS: u32 = host::SLOT_BITS as u32;
/// The offset of the last slot.
const LAST_SLOT: u64 = (host::TARGETS as u64 - 1) << SLOT_BITS;

/// Executes an instruction that is neither a jump nor a call.
pub(super) fn step(
    factory: &mut InstructionInfoFactory,
    instruction: &Instruction,
    state: &mut State,
) -> Result<(), &'static str> {
    match instruction.mnemonic() {
        M::Pushfq => {
            state.pushed += 1;
            return Ok(());
        }
        M::Popfq => {
            state.pushed -= 1;
            state.compared = Compared::Nothing;
            return if state.pushed < 0 { Err("a value that the block has not pushed") } else { Ok(()) };
        }
        M::Div | M::Idiv => divides(instruction, state)?,
        _ => {}
    }
    coprocessor(instruction, state)?;
    let info = factory.info(instruction);
    for used in info.used_memory() {
        let (reads, writes) = (is_read(used.access()), is_written(used.access()));
        let bytes = used.memory_size().size() as u64;
        memory::check(state, instruction, Access { bytes, reads, writes })?;
    }
    let written: Vec<R> = info
        .used_registers()
        .iter()
        .filter(|used| is_written(used.access()))
        .map(UsedRegister::register)
        .collect();
    let (value, checked) = (result(instruction, state), moved_offset(instruction, state));
    let window = moved_window(instruction, state);
    let compared = compared(instruction, state);
    let division = division(instruction);
    let target = instruction.op0_register().full_register();
    for register in written.into_iter().filter(|register| register.is_gpr()) {
        let register = register.full_register();
        may_write(instruction, register, value)?;
        let value = value.filter(|_| register == target).unwrap_or_else(|| unknown(instruction, register));
        state.set(register, value);
    }
    if checked.is_some() {
        state.checked = checked;
    }
    if window.is_some() {
        state.window = window;
    }
    if instruction.rflags_modified() != 0 {
        state.compared = compared;
    }
    if let Some(set) = division {
        set(&mut state.division);
    }
    Ok(())
}

/// Counts values on the x87's stack.
fn coprocessor(instruction: &Instruction, state: &mut State) -> Result<(), &'static str> {
    if is_of_coprocessor(instruction.mnemonic()) && !state.is_ready {
        return Err("an x87 instruction while the x87 is not prepared");
    }
    let operands = (0..instruction.op_count()).map(|n| instruction.op_register(n));
    let deepest = operands.filter(|register| register.is_st()).map(|register| register.number() as i32).max();
    if deepest.is_some_and(|deepest| deepest >= state.values) {
        return Err("an x87 register that holds no value");
    }
    let change = instruction.fpu_stack_increment_info();
    state.values -= if change.writes_top() { change.increment() } else { 0 };
    if (0..=8).contains(&state.values) { Ok(()) } else { Err("an x87 stack that overflows") }
}

/// Checks that a block may write this 64-bit register so.
fn may_write(instruction: &Instruction, register: R, value: Option<Value>) -> Result<(), &'static str> {
    let is_count = match instruction.code() {
        C::Sub_rm64_imm8 => instruction.op0_register() == BUDGET,
        C::Lea_r64_m => instruction.memory_base() == BUDGET && instruction.memory_index() == R::None,
        _ => false,
    };
    match register {
        CONTEXT => Err("a write to the register of the context"),
        R::RSP => Err("a write to the register of the host's stack"),
        BUDGET if !is_count => Err("a write to the register of the budget"),
        GRANULE_FLAGS if value.is_none() => Err("a write to the register of the granule flags"),
        _ => Ok(()),
    }
}

/// Returns the fact about a register that an instruction has written, if its result is unknown.
fn unknown(instruction: &Instruction, register: R) -> Value {
    let target = instruction.op0_register();
    // Bit scans of 0 change nothing.
    let is_scan = matches!(instruction.mnemonic(), M::Bsf | M::Bsr);
    let is_doubleword = target.full_register() == register && target.size() == 4 && !is_scan;
    if is_doubleword { Value::up_to(u32::MAX.into()) } else { Value::ANY }
}

/// Returns the fact about the first operand after an instruction, if there is one.
fn result(instruction: &Instruction, state: &State) -> Option<Value> {
    let (target, source) = (instruction.op0_register(), instruction.op1_register());
    if instruction.op0_kind() != OpKind::Register || !target.is_gpr() || target.size() < 4 {
        return None;
    }
    let now = operand(state, target);
    let other = (source != R::None && source.is_gpr()).then(|| operand(state, source));
    let of_context = instruction.op1_kind() == OpKind::Memory
        && state.get(instruction.memory_base().full_register()) == Value::Context
        && instruction.memory_index() == R::None;
    let field = of_context.then_some(instruction.memory_displacement64() as i64);
    let is_wide = target.size() == 8;
    let known = match instruction.mnemonic() {
        M::Mov => match (instruction.op1_kind(), other, field) {
            (OpKind::Register, Some(value), _) if is_wide => Some(value),
            (OpKind::Register, Some(value), _) => {
                Some(value).filter(|value| value.range().1 <= u32::MAX.into())
            }
            (OpKind::Memory, _, Some(field)) if is_wide => Some(memory::loaded(field)),
            (OpKind::Memory, _, Some(field)) => memory::segment_of_base(field).map(Value::Base),
            (OpKind::Memory, ..) => None,
            _ => Some(Value::number(immediate(instruction))),
        },
        M::Movzx if source.is_gpr16() && other == Some(Value::Text) => Some(Value::Cell),
        M::Movzx => {
            let most = if source.is_gpr16() || instruction.memory_size().size() == 2 { 0xFFFF } else { 0xFF };
            other.filter(|value| source.is_gpr16() && value.range().1 <= most).or(Some(Value::up_to(most)))
        }
        M::Lea if is_wide => (instruction.memory_base() == CONTEXT
            && instruction.memory_index() == R::None
            && instruction.memory_displacement64() as i64 == offset::VALUE)
            .then_some(Value::Scratch),
        M::Add if is_wide => match (now, other, field) {
            (Value::Segment(segment), Some(_), _) if source == OFFSET => address(segment, state),
            (Value::Number { most, zeros, .. }, None, Some(offset::TARGETS)) => {
                (most <= LAST_SLOT && zeros >= SLOT_BITS).then_some(Value::Slot)
            }
            _ => None,
        },
        M::Add if source.full_register() == OFFSET && source.size() == 4 => match now {
            Value::Base(segment) if is_checked(segment, state) => Some(Value::Linear),
            _ => None,
        },
        M::Lea
            if target.full_register() != STACK
                && step_of(instruction).is_some_and(|(from, _)| from == STACK) =>
        {
            Some(Value::Stack(instruction.memory_displacement64() as i64))
        }
        M::Lea | M::Add | M::Sub => step_of(instruction).map(|(from, by)| {
            let (value, _) = moved(state.get(from), by);
            value
        }),
        M::And => constant(instruction).map(|bits| masked(now, bits)),
        M::Shr => constant(instruction).map(|bits| match now {
            Value::Linear if bits == GRANULE_BITS as u64 => Value::Granule,
            Value::WrittenCell if bits == PAGE_BITS as u64 => Value::Page,
            _ => shifted_right(now, bits),
        }),
        M::Shl => constant(instruction).map(|bits| shifted_left(now, bits, is_wide)),
        M::Xor if source == target => Some(Value::number(0)),
        M::Xor => {
            other.or_else(|| constant(instruction).map(Value::number)).map(|other| united(now, other, 0))
        }
        M::Or => other.or_else(|| constant(instruction).map(Value::number)).map(|other| {
            let least = now.range().0.max(other.range().0);
            united(now, other, least)
        }),
        M::Bts if is_wide => constant(instruction).map(|bit| {
            let bit = 1 << (bit & 63);
            united(now, Value::number(bit), now.range().0.max(bit))
        }),
        _ => None,
    };
    // A doubleword has zeros above it.
    known.filter(|value| is_wide || !matches!(value, Value::Number { most, .. } if *most > u32::MAX.into()))
}

/// Returns the fact about a register operand: of a doubleword, the low 32 bits count.
fn operand(state: &State, register: R) -> Value {
    let value = state.get(register.full_register());
    let is_cut =
        register.size() == 4 && matches!(value, Value::Number { most, .. } if most > u32::MAX.into());
    if is_cut { Value::up_to(u32::MAX.into()) } else { value }
}

/// Returns an immediate operand as the number that the first operand's size permits.
fn immediate(instruction: &Instruction) -> u64 {
    let last = instruction.op_count() - 1;
    let value = instruction.immediate(last);
    if instruction.op0_register().size() == 8 { value } else { value & 0xFFFF_FFFF }
}

fn constant(instruction: &Instruction) -> Option<u64> {
    let is_immediate = !matches!(instruction.op1_kind(), OpKind::Register | OpKind::Memory);
    (instruction.op_count() == 2 && is_immediate).then(|| immediate(instruction))
}

fn is_checked(segment: usize, state: &State) -> bool {
    state.checked.is_some_and(|checked| checked.segment == segment && checked.is_sure && checked.reach > 0)
}

/// Returns the host address of the offset in RDI.
fn address(segment: usize, state: &State) -> Option<Value> {
    let Checked { reach, marks, .. } = state.checked.filter(|_| is_checked(segment, state))?;
    Some(Value::Address { before: state.get(OFFSET).range().0, reach, marks })
}

/// Returns the register and the number that an instruction adds to it, in 32 bits.
fn step_of(instruction: &Instruction) -> Option<(R, i64)> {
    let target = instruction.op0_register();
    if target.size() != 4 {
        return None;
    }
    match instruction.mnemonic() {
        M::Lea if instruction.memory_index() == R::None && instruction.memory_base() != R::None => {
            Some((instruction.memory_base(), instruction.memory_displacement64() as i64))
        }
        M::Add => constant(instruction).map(|by| (target.full_register(), i64::from(by as i32))),
        M::Sub => constant(instruction).map(|by| (target.full_register(), -i64::from(by as i32))),
        _ => None,
    }
}

/// Returns the checks that the offset has passed, after a number was added to it.
fn moved_offset(instruction: &Instruction, state: &State) -> Option<Checked> {
    if instruction.op0_register() != R::EDI {
        return None;
    }
    let (from, by) = step_of(instruction).filter(|(from, _)| *from == OFFSET)?;
    let (_, wraps) = moved(state.get(from), by);
    let checked = state.checked?;
    let distance = u32::try_from(by.unsigned_abs()).ok().filter(|distance| *distance < 32)?;
    if by < 0 {
        let is_sure = checked.is_sure && !wraps;
        let reach = checked.reach + u64::from(distance);
        (checked.is_sure || !wraps).then_some(Checked {
            reach,
            is_sure,
            marks: checked.marks << distance,
            ..checked
        })
    } else {
        let reach = checked.reach.saturating_sub(distance.into());
        (!wraps).then_some(Checked { reach, marks: checked.marks >> distance, ..checked })
    }
}

/// Returns the window of the stack after LEA has moved ESP in it.
fn moved_window(instruction: &Instruction, state: &State) -> Option<Window> {
    let (from, by) = step_of(instruction).filter(|_| instruction.op0_register().full_register() == STACK)?;
    state.window.filter(|_| from == STACK && instruction.mnemonic() == M::Lea)?.moved(by)
}

/// Returns the comparison that an instruction makes.
fn compared(instruction: &Instruction, state: &State) -> Compared {
    let (first, second) = (instruction.op0_register(), instruction.op1_register());
    let is_of_memory = instruction.op1_kind() == OpKind::Memory;
    let displacement = instruction.memory_displacement64() as i64;
    let base = state.get(instruction.memory_base().full_register());
    let plain = instruction.memory_index() == R::None;
    match (instruction.mnemonic(), first) {
        (M::Cmp, R::EDI) if is_of_memory && base == Value::Context && plain => memory::bounds(displacement)
            .map_or(Compared::Nothing, |(segment, bytes)| Compared::Bounds { segment, bytes }),
        (M::Cmp, R::ESI)
            if is_of_memory && base == Value::Mapping && plain && memory::is_text(displacement) =>
        {
            Compared::Text
        }
        (M::Cmp, R::RAX) if is_of_memory && base == Value::Slot && state.get(first).range().0 > 0 => {
            Compared::Key
        }
        (M::Cmp, R::ESI) if second == R::EDI => Compared::Less,
        (M::Cmp, R::None) if base == Value::GranuleFlags => match constant(instruction) {
            Some(0) => Compared::Granule,
            Some(BESIDE_CODE) => Compared::CodeGranule,
            _ => Compared::Nothing,
        },
        (M::Cmp, register) if register.size() == 4 => match constant(instruction) {
            Some(number) => Compared::Number { register: register.full_register(), number },
            None => Compared::Nothing,
        },
        (M::Test, GRANULE_FLAGS) if second == GRANULE_FLAGS => Compared::State,
        _ => Compared::Nothing,
    }
}

type SetDivision = fn(&mut Division);

/// Returns the effect of an instruction on the facts about a division that comes.
fn division(instruction: &Instruction) -> Option<SetDivision> {
    let (first, second) = (instruction.op0_register(), instruction.op1_register());
    match (instruction.mnemonic(), first, second) {
        (M::Movzx, R::ESI, R::BH) => Some(|division| division.upper = Some(Half::Bh)),
        (M::Movzx, R::ESI, R::DX) => Some(|division| division.upper = Some(Half::Dx)),
        (M::Mov, R::ESI, R::EDX) => Some(|division| division.upper = Some(Half::Edx)),
        (M::Mov, R::EAX, R::EBX) => Some(|division| division.has_lower = true),
        (M::Lea, R::ESI, _) if step_of(instruction) == Some((OFFSET, 1)) => {
            Some(|division| division.has_next = true)
        }
        (M::Cdq, ..) => Some(|division| division.extended = 4),
        (M::Cqo, ..) => Some(|division| division.extended = 8),
        _ => None,
    }
}

/// Checks that a division cannot raise #DE.
fn divides(instruction: &Instruction, state: &State) -> Result<(), &'static str> {
    let Division { upper, has_lower, is_less, is_safe, extended, .. } = state.division;
    let (_, most) = state.get(OFFSET).range();
    let is_right = match (instruction.mnemonic(), instruction.op0_register()) {
        (M::Div, R::DIL) => upper == Some(Half::Bh) && has_lower && is_less && most <= 0xFF,
        (M::Div, R::DI) => upper == Some(Half::Dx) && is_less && most <= 0xFFFF,
        (M::Div, R::EDI) => upper == Some(Half::Edx) && is_less && most <= u32::MAX.into(),
        (M::Idiv, divisor @ (R::EDI | R::RDI)) => extended == divisor.size() && is_safe,
        _ => false,
    };
    if is_right { Ok(()) } else { Err("a division that may raise #DE") }
}

/// Adds the facts of a conditional jump to a state: `relation` holds between the compared operands.
pub(super) fn refine(state: &mut State, relation: Relation) {
    match (state.compared, relation) {
        // EDI was compared, and RDI is used.
        (Compared::Bounds { .. }, _) if state.get(OFFSET).range().1 > u32::MAX.into() => {}
        (Compared::Bounds { segment, bytes }, Relation::Below) => {
            let before = state.checked.filter(|checked| checked.segment == segment);
            let reach = before.map_or(0, |checked| checked.reach).max(bytes);
            let marks = before.map_or(0, |checked| checked.marks);
            let (least, most) = state.get(OFFSET).range();
            state.checked = Some(Checked { segment, reach, is_sure: true, marks });
            let most = most.min(0xFFFF);
            state.narrow(OFFSET, Value::Number { least: least.min(most), most, zeros: 0 });
        }
        (Compared::Granule, Relation::Equal) => mark(state, 8),
        (Compared::CodeGranule, Relation::Equal) => state.narrow(R::RAX, Value::CodeGranule),
        (Compared::Permitted { bytes }, Relation::AtLeast) => mark(state, bytes),
        (Compared::Window(window), Relation::AtLeast) => state.window = Some(window),
        (Compared::Text, Relation::Below) => state.narrow(HOST, Value::Text),
        (Compared::Answer, Relation::AtLeast) => state.is_unanswered = false,
        (Compared::Key, Relation::Equal) => state.narrow(HOST, Value::Target),
        (Compared::Less, Relation::Below) => state.division.is_less = true,
        (Compared::State, Relation::NotEqual) => match state.get(GRANULE_FLAGS) {
            Value::StateIfReady => state.is_ready = true,
            Value::StateOrZero => state.narrow(GRANULE_FLAGS, Value::State),
            _ => {}
        },
        (Compared::Number { register, number }, relation) => {
            let is_above = relation == Relation::Above && register == HOST && number == 1;
            state.division.is_safe |= is_above && state.division.has_next;
            narrow(state, register, number, relation);
        }
        _ => {}
    }
}

fn mark(state: &mut State, bytes: u64) {
    if let Some(checked) = state.checked.as_mut().filter(|checked| checked.is_sure) {
        checked.marks |= (1 << bytes) - 1;
    }
}

fn narrow(state: &mut State, register: R, number: u64, relation: Relation) {
    let Value::Number { least, most, zeros } = state.get(register) else { return };
    let most = match relation {
        Relation::AtMost => most.min(number),
        Relation::Below => most.min(number.saturating_sub(1)),
        _ => return,
    };
    // Only the low 32 bits were compared.
    if state.get(register).range().1 <= u32::MAX.into() && least <= most {
        state.narrow(register, Value::Number { least, most, zeros });
    }
}

/// The relation of two operands without signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Below,
    AtLeast,
    Equal,
    NotEqual,
    AtMost,
    Above,
    Other,
}

impl Relation {
    /// Returns the relation for which an instruction jumps.
    pub(super) fn of(instruction: &Instruction) -> Relation {
        use iced_x86::ConditionCode as Condition;
        match instruction.condition_code() {
            Condition::b => Relation::Below,
            Condition::ae => Relation::AtLeast,
            Condition::e => Relation::Equal,
            Condition::ne => Relation::NotEqual,
            Condition::be => Relation::AtMost,
            Condition::a => Relation::Above,
            _ => Relation::Other,
        }
    }

    pub(super) fn negated(self) -> Relation {
        match self {
            Relation::Below => Relation::AtLeast,
            Relation::AtLeast => Relation::Below,
            Relation::Equal => Relation::NotEqual,
            Relation::NotEqual => Relation::Equal,
            Relation::AtMost => Relation::Above,
            Relation::Above => Relation::AtMost,
            Relation::Other => Relation::Other,
        }
    }
}
