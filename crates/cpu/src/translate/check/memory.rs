//! The memory that a translated block may access, and the checks that must precede an access.

use std::mem::{offset_of, size_of};

use iced_x86::{Instruction, Register as R};

use super::state::{HOST, OFFSET, SS, STACK, State, Value, Window};
use crate::fpu::{Fpu, field};
use crate::memory::PlanarMapping;
use crate::translate::context::{Context, offset};

/// An access of an instruction to its memory operand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    pub(super) bytes: u64,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// The bytes of a field that begins at an offset: 1 for the length of an address, and so on.
type Field = (i64, u64);

/// The fields of the context that a block may write.
const WRITABLE: [Field; 7] = [
    (offset::OUTPUT_BUDGET, 8),
    (offset::IP, 4),
    (offset::VALUE, 8),
    (offset::PLACE, 4),
    (offset::DIRECTION, 4),
    (offset::OTHER_FLAGS, 4),
    (offset::FPU_SCRATCH, 16),
];

/// The fields of the coprocessor's state that a block may read and write.
const OF_STATE: [Field; 6] = [
    (field::STATUS, 2),
    (field::TOP, 1),
    (field::FILLED, 1),
    (field::CODE, 4),
    (field::DATA, 4),
    (field::OPCODE, 2),
];

const REGISTERS: i64 = 8;
const REGISTER_BYTES: i64 = Fpu::REGISTER_BYTES as i64;

/// Checks an access. Returns the mistake in it.
pub(super) fn check(
    state: &mut State,
    instruction: &Instruction,
    access: Access,
) -> Result<(), &'static str> {
    let (base, index) = (instruction.memory_base(), instruction.memory_index());
    let displacement = instruction.memory_displacement64() as i64;
    if base.size() != 8 || (index != R::None && index.size() != 8) {
        return Err("an address that is not computed with 64-bit registers");
    }
    let by = if index == R::None { None } else { Some((index, instruction.memory_index_scale())) };
    let value = match state.get(base) {
        Value::StateIfReady if state.is_ready => Value::State,
        value => value,
    };
    if state.is_unanswered && !matches!(value, Value::Context | Value::Scratch) {
        return Err("an access to memory that may have moved");
    }
    match (value, by) {
        (Value::Context, None) => of_context(displacement, access),
        (Value::GranuleFlags, Some((index, 1))) => {
            let is_granule = state.get(index) == Value::Granule && displacement == 0;
            check_read(is_granule && access.bytes == 1, access, "a granule flag of an unchecked address")
        }
        (Value::Mapping, None) => {
            let is_inside = is_within((0, size_of::<PlanarMapping>() as u64), displacement, access.bytes);
            check_read(is_inside, access, "memory beyond the display adapter's mapping")
        }
        (Value::Planes, Some((index, 4))) => {
            let is_cell = state.get(index) == Value::Cell && displacement == 0 && access.bytes <= 4;
            if !is_cell {
                return Err("a cell of an unchecked address");
            }
            if access.writes && std::mem::replace(&mut state.is_unmarked, true) {
                return Err("a write to a second cell before the page of the first is marked");
            }
            if access.writes {
                state.narrow(index, Value::WrittenCell);
            }
            Ok(())
        }
        (Value::PagesWritten, Some((index, 1))) => {
            let marks = instruction.op_count() == 2 && instruction.op1_kind() == iced_x86::OpKind::Immediate8;
            let is_mark = marks && instruction.immediate8() == 1 && !access.reads && access.bytes == 1;
            state.is_unmarked = false;
            let is_page = state.get(index) == Value::Page && displacement == 0;
            if is_mark && is_page { Ok(()) } else { Err("the page flag of another page") }
        }
        (Value::State, None) => {
            let is_field = OF_STATE.iter().any(|&field| is_within(field, displacement, access.bytes));
            let is_control = !access.writes && is_within((field::CONTROL, 2), displacement, access.bytes);
            if is_field || is_control { Ok(()) } else { Err("another field of the coprocessor") }
        }
        (Value::State, Some((index, 1))) => {
            let (_, most) = state.get(index).range();
            let last = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(access.bytes as i64);
            let is_register = displacement == field::REGISTERS && last <= REGISTERS * REGISTER_BYTES;
            if is_register { Ok(()) } else { Err("another register of the coprocessor") }
        }
        (Value::Slot, None) => check_read(displacement == 0 && access.bytes == 8, access, "another slot"),
        (Value::Address { before, reach, marks }, None) => {
            let end = displacement.saturating_add(access.bytes as i64);
            let is_inside = displacement >= -(before as i64) && end <= reach as i64;
            let may = !access.writes || displacement >= 0 && is_marked(marks, displacement as u32, access);
            of_guest(is_inside, may)
        }
        (Value::Segment(SS), Some((STACK, 1))) => {
            let Some(Window { low, high, top }) = state.window else { return Err("an unchecked address") };
            let end = displacement.saturating_add(access.bytes as i64);
            of_guest(displacement >= low && end <= high, !access.writes || end <= top)
        }
        _ if base == HOST && by == Some((OFFSET, 1)) => {
            let Some((reach, marks)) = state.operand() else { return Err("an unchecked address") };
            let is_inside = displacement == 0 && access.bytes <= reach;
            of_guest(is_inside, !access.writes || is_marked(marks, 0, access))
        }
        _ => Err("an unknown address"),
    }
}

fn of_guest(is_inside: bool, may: bool) -> Result<(), &'static str> {
    match (is_inside, may) {
        (false, _) => Err("memory beyond the bounds that were checked"),
        (_, false) => Err("a write whose granule was not checked"),
        _ => Ok(()),
    }
}

fn check_read(is_right: bool, access: Access, otherwise: &'static str) -> Result<(), &'static str> {
    if is_right && !access.writes { Ok(()) } else { Err(otherwise) }
}

/// Whether all bytes of an access at a distance from the offset may be written.
fn is_marked(marks: u32, distance: u32, access: Access) -> bool {
    let wanted = (1_u64 << access.bytes.min(32)) - 1;
    let wanted = wanted.checked_shl(distance).unwrap_or(u64::MAX);
    u64::from(marks) & wanted == wanted
}

/// Whether an access is within a field.
fn is_within((first, len): Field, displacement: i64, bytes: u64) -> bool {
    displacement >= first && displacement.saturating_add(bytes as i64) <= first + len as i64
}

fn of_context(displacement: i64, access: Access) -> Result<(), &'static str> {
    let whole = (0, size_of::<Context>() as u64);
    let may = !access.writes || WRITABLE.iter().any(|&field| is_within(field, displacement, access.bytes));
    match (is_within(whole, displacement, access.bytes), may) {
        (false, _) => Err("memory beyond the context"),
        (_, false) => Err("a field of the context that blocks do not write"),
        _ => Ok(()),
    }
}

/// Returns the fact about a register that was loaded from a field of the context.
pub(super) fn loaded(displacement: i64) -> Value {
    let segment = (displacement - offset::segment(0)) / 8;
    match displacement {
        offset::GRANULE_FLAGS => Value::GranuleFlags,
        offset::REACH => Value::Mapping,
        offset::PLANES => Value::Planes,
        offset::PLANES_WRITTEN => Value::PagesWritten,
        offset::FPU => Value::StateOrZero,
        offset::FPU_READY => Value::StateIfReady,
        _ if (0..6).contains(&segment) && displacement == offset::segment(segment as usize) => {
            Value::Segment(segment as usize)
        }
        _ => Value::ANY,
    }
}

/// Returns the segment whose linear address a field of the context is.
pub(super) fn segment_of_base(displacement: i64) -> Option<usize> {
    (0..6).find(|&segment| displacement == offset::base(segment))
}

/// Returns the segment whose bounds a field of the context is, and the size of the access in bytes.
pub(super) fn bounds(displacement: i64) -> Option<(usize, u64)> {
    let all = (0..3).flat_map(|width| (0..6).map(move |segment| (width, segment)));
    let mut found = all.filter(|&(width, segment)| displacement == offset::bounds(width, segment));
    found.next().map(|(width, segment)| (segment, 1 << width))
}

/// Whether a field of the mapping is the size of the area of text cells.
pub(super) fn is_text(displacement: i64) -> bool {
    displacement == offset_of!(PlanarMapping, text) as i64
}
