//! Checks a translated block before it becomes executable.
//!
//! An independent reader decodes the encoded bytes and follows every path through them, with the facts
//! about the host's registers (`state`). It refuses the block unless
//!
//! - each memory access has a known address: in plain memory behind its check of bounds, and for a
//!   write behind that of the granule flag; or in the fields, tables and planes that blocks use
//!   (`memory`);
//! - each jump stays in the block, or goes to the epilogue, to a link of the block, or to a slot whose
//!   key was compared; each call goes to a routine, whose conditions are met;
//! - the host's stack, the x87's stack and the registers of the context, the budget and the granule
//!   flags are at each exit as they were;
//! - no division can raise #DE;
//! - no other instruction occurs (`allowed`), whether it is reached or not.
//!
//! The prologue, the epilogue and the routines are the same for all blocks, and are not checked.

mod allowed;
mod memory;
mod number;
mod state;
mod step;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Register as R,
};

use self::state::{Compared, HOST, OFFSET, State, Value, Window};
use self::step::{Relation, refine, step};
use super::context::{VECTOR_BYTES, VECTORS_BYTES};
use super::registers::{GRANULE_FLAGS, IMAGE, address};
use super::routines::Routines;
use super::video_routines::VideoRoutines;
use super::window::MOST_WRITTEN;
use crate::op::Flow;
use crate::registers::Reg;

/// The addresses that a block may refer to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// The number of the block, and the addresses of its first link, of the epilogue, and of the
    /// routines.
    pub(super) id: u32,
    pub(super) links: u64,
    pub(super) leave: u64,
    pub(super) routines: Routines,
}

/// An instruction that a block must not contain where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    /// The offset in the encoded bytes, and those of the instruction.
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) reason: &'static str,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at {:X}h", self.reason, self.offset)?;
        self.bytes.iter().try_for_each(|byte| write!(f, " {byte:02X}"))
    }
}

/// The most times that an instruction is followed.
const MOST_VISITS: u32 = 64;

/// Checks encoded bytes for an address, which are entered at these addresses.
pub(super) fn check(bytes: &[u8], address: u64, entries: &[u64], rules: &Rules) -> Result<(), Mistake> {
    let decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let instructions: Vec<Instruction> = decoder.into_iter().collect();
    let mistake_at = |ip: u64, len, reason| {
        let offset = ip - address;
        let bytes = bytes.iter().skip(offset as usize).take(len).copied().collect();
        Mistake { offset, bytes, reason }
    };
    let mistake = |instruction: &Instruction, reason| mistake_at(instruction.ip(), instruction.len(), reason);
    if let Some(other) = instructions.iter().find(|instruction| !allowed::is_allowed(instruction)) {
        return Err(mistake(other, "not an instruction of translated blocks"));
    }
    let mut paths = Paths {
        places: instructions.iter().zip(0..).map(|(instruction, place)| (instruction.ip(), place)).collect(),
        states: instructions.iter().map(|_| None).collect(),
        waiting: BTreeSet::new(),
    };
    for &entry in entries {
        paths.arrive(entry, &State::at_entry()).map_err(|reason| mistake_at(entry, 0, reason))?;
    }
    let mut factory = InstructionInfoFactory::new();
    let mut visits = vec![0; instructions.len()];
    while let Some(place) = paths.waiting.pop_first() {
        let (instruction, Some(state)) = (&instructions[place], &paths.states[place]) else { continue };
        let mut state = state.clone();
        visits[place] += 1;
        let followed = match visits[place] {
            ..=MOST_VISITS => follow(&mut factory, instruction, &mut state, &mut paths, rules),
            _ => Err("a loop whose state does not settle"),
        };
        followed.map_err(|reason| mistake(instruction, reason))?;
    }
    Ok(())
}

/// The instructions by address, the facts at each, and those that have to be followed again.
struct Paths {
    places: HashMap<u64, usize>,
    states: Vec<Option<State>>,
    waiting: BTreeSet<usize>,
}

impl Paths {
    /// Notes that an instruction is reached in a state.
    fn arrive(&mut self, address: u64, state: &State) -> Result<(), &'static str> {
        let Some(&place) = self.places.get(&address) else {
            return Err("a path that leads out of the block");
        };
        let known = &mut self.states[place];
        let joined = match known {
            Some(known) => known.joined(state).ok_or("paths with different depths of a stack")?,
            None => state.clone(),
        };
        if known.as_ref() != Some(&joined) {
            *known = Some(joined);
            self.waiting.insert(place);
        }
        Ok(())
    }
}

/// Follows an instruction to those after it.
fn follow(
    factory: &mut InstructionInfoFactory,
    instruction: &Instruction,
    state: &mut State,
    paths: &mut Paths,
    rules: &Rules,
) -> Result<(), &'static str> {
    let next = instruction.next_ip();
    if state.is_unmarked && instruction.flow_control() != FlowControl::Next {
        return Err("a jump after a write to a cell whose page is not marked");
    }
    match instruction.flow_control() {
        FlowControl::Next => {
            step(factory, instruction, state)?;
            paths.arrive(next, state)
        }
        FlowControl::UnconditionalBranch if instruction.near_branch_target() == rules.leave => {
            let is_own = state.get(R::RAX).only().is_some_and(|answer| answer >> 8 == rules.id.into());
            if is_own { leaves(state) } else { Err("a return that does not name the block") }
        }
        FlowControl::UnconditionalBranch => paths.arrive(instruction.near_branch_target(), state),
        FlowControl::ConditionalBranch => {
            let relation = Relation::of(instruction);
            let mut taken = state.clone();
            refine(&mut taken, relation);
            refine(state, relation.negated());
            paths.arrive(instruction.near_branch_target(), &taken)?;
            paths.arrive(next, state)
        }
        FlowControl::Call => {
            call(instruction.near_branch_target(), state, &rules.routines)?;
            paths.arrive(next, state)
        }
        FlowControl::IndirectBranch => jump_through(instruction, state, rules),
        _ => Err("another kind of jump"),
    }
}

/// Checks a jump through a link, or through a slot whose key was compared.
fn jump_through(instruction: &Instruction, state: &State, rules: &Rules) -> Result<(), &'static str> {
    let is_plain = instruction.code() == Code::Jmp_rm64
        && instruction.memory_base() == HOST
        && instruction.memory_index() == R::None;
    let displacement = instruction.memory_displacement64();
    let is_known = match state.get(HOST) {
        Value::Target => displacement == 8,
        value => value.only().is_some_and(|link| {
            let distance = link.wrapping_add(displacement).wrapping_sub(rules.links);
            distance.is_multiple_of(8) && distance / 8 < Flow::EXITS as u64
        }),
    };
    if !is_plain || !is_known {
        return Err("a jump through memory that is neither a link nor a slot with the key");
    }
    if state.is_unanswered {
        return Err("a jump to another block after memory may have moved");
    }
    if state.get(GRANULE_FLAGS) != Value::GranuleFlags {
        return Err("a jump to another block without the granule flags");
    }
    leaves(state)
}

fn leaves(state: &State) -> Result<(), &'static str> {
    match (state.values, state.pushed) {
        (0, 0) => Ok(()),
        (0, _) => Err("an exit with values on the host's stack"),
        _ => Err("an exit with values on the x87's stack"),
    }
}

/// Checks the conditions of a routine, and applies its changes.
fn call(target: u64, state: &mut State, routines: &Routines) -> Result<(), &'static str> {
    let VideoRoutines { load, store, load_to_change, store_changed } = routines.video;
    let video = [load, store, load_to_change, store_changed];
    let beside = routines.beside.iter().position(|routine| *routine == target);
    state.compared = Compared::Nothing;
    if state.is_unanswered {
        return Err("a call of a routine after memory may have moved");
    }
    if let Some(width) = beside {
        if state.get(R::RAX) != Value::CodeGranule || state.get(HOST) != Value::Linear {
            return Err("a check of decoded code at another address, or without its flag");
        }
        state.lose(&[R::RAX, HOST]);
        state.compared = Compared::Permitted { bytes: 1 << width };
    } else if let Some(writes) = routines.window.iter().position(|routine| *routine == target) {
        let window = match [OFFSET, HOST, R::RAX].map(|register| state.get(register)) {
            [Value::Stack(low), Value::Stack(high), Value::Stack(last)] if writes == 1 => {
                Window { low, high, top: last + 2 }
            }
            [Value::Stack(low), Value::Stack(high), _] if writes == 0 => Window { low, high, top: low },
            _ => return Err("a check of the stack at another address"),
        };
        let Window { low, high, top } = window;
        if !(low..=high).contains(&0) || !(low..=high).contains(&top) || top - low > MOST_WRITTEN {
            return Err("a check of the stack that is too far from SP");
        }
        if (top - low) % 2 != 0 {
            return Err("a check of the stack that does not end with a whole word");
        }
        state.lose(&[R::RAX, HOST, OFFSET]);
        state.compared = Compared::Window(window);
    } else if target == routines.load_segment {
        let is_segment = state.get(OFFSET).only().is_some_and(|number| number < 6);
        if !is_segment || state.get(R::RAX).range().1 > 0xFFFF {
            return Err("a load of a segment register that does not exist, or with no selector");
        }
        state.forget_segments();
        state.lose(&[R::RAX, HOST]);
    } else if routines.ports.pixels.contains(&target) || target == routines.fpu.load_control {
        state.lose(&[R::RAX, HOST, OFFSET]);
    } else if video.as_flattened().contains(&target) {
        if state.get(GRANULE_FLAGS) != Value::GranuleFlags {
            return Err("a call of the bus without the granule flags");
        }
        state.lose(&[R::RAX, HOST, OFFSET]);
        (state.is_ready, state.is_unanswered) = (false, true);
        state.compared = Compared::Answer;
    } else if routines.ports.input.contains(&target) || routines.ports.output.contains(&target) {
        // The bus may change the memory that translated code may access.
        state.forget_segments();
        state.lose(&[R::RAX, HOST, OFFSET]);
        state.set(GRANULE_FLAGS, Value::GranuleFlags);
        state.is_ready = false;
    } else if target == routines.read_vector {
        if state.get(OFFSET).range().1 > u64::from(VECTORS_BYTES - VECTOR_BYTES) {
            return Err("a read of a vector beyond the last one");
        }
        state.lose(&[R::RAX]);
    } else if routines.repeat.as_flattened().contains(&target) {
        if state.get(OFFSET).only().is_none_or(|number| number >= 6) {
            return Err("a string of a segment register that does not exist");
        }
        state.lose(&[R::RAX, HOST, OFFSET, IMAGE.full_register()]);
        state.lose(&[Reg::C, Reg::Si, Reg::Di].map(address));
    } else if target == routines.fpu.prepare {
        state.lose(&[R::RAX]);
        state.forget_all(|value| value == Value::StateIfReady);
        state.set(GRANULE_FLAGS, Value::StateIfReady);
    } else if target == routines.fpu.execute {
        state.lose(&[R::RAX, HOST, OFFSET]);
        state.set(GRANULE_FLAGS, Value::GranuleFlags);
        state.is_ready = false;
    } else {
        return Err("a call of something that is no routine");
    }
    Ok(())
}
