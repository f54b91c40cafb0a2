//! The plan for each operation of a block: its kind, its access to memory, its effect on the host's
//! flags, and which flags are live after it.

use iced_x86::{Instruction, Mnemonic as M, OpKind, Register as R};

use super::fpu_kind::FpuOp;
use super::kind::{Kind, has_memory, is_memory, kind, live, stack_bytes};
use super::repeated::Repeated;
use super::window::{self, Window};
use crate::bus::Bus;
use crate::decoded::{Decoded, Special};
use crate::form::memory_bytes;
use crate::model::Model;
use crate::status::Status;

/// The effect of an instruction on the host's flags, compared with the guest's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    None,
    /// Writes all six, as on the guest.
    Sets,
    /// Writes all six, but AF, which the guest clears, is undefined on the host.
    SetsWithoutAdjust,
    /// Writes all except CF.
    KeepsCarry,
    /// Writes CF, or CF and OF.
    SetsCarry,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) kind: Kind,
    pub(super) action: Action,
    /// Size in bytes of the memory operand, or of the value pushed or popped; 0 without either.
    pub(super) bytes: u32,
    pub(super) writes: bool,
    pub(super) live: u32,
    /// The window that begins with the operation.
    pub(super) window: Option<Window>,
    /// Whether its access to the stack is checked with a window.
    pub(super) in_window: bool,
}

impl Plan {
    /// Returns whether the block continues after the operation's handler.
    pub(super) fn may_resume(&self) -> bool {
        matches!(self.kind, Kind::Leave | Kind::Repeat(_) | Kind::Interrupt)
    }

    /// Returns whether the operation may be left to its handler, which needs all flags.
    pub(super) fn may_leave(&self) -> bool {
        let refuses = matches!(
            self.kind,
            Kind::Leave
                | Kind::Divide { .. }
                | Kind::Input(_)
                | Kind::Output(_)
                | Kind::Sti
                | Kind::Coprocessor(_)
                | Kind::Wait
        );
        let is_checked = self.in_window && self.window.is_none() && self.kind != Kind::PushMemory;
        self.bytes != 0 && !is_checked || refuses
    }
}

pub(super) fn of<B: Bus>(model: Model, decoded: &[Decoded<B>]) -> Vec<Plan> {
    let mut plans: Vec<Plan> = decoded.iter().map(|decoded| plan(model, decoded)).collect();
    if let Some((last, decoded)) = plans.last_mut().zip(decoded.last())
        && loads_stack_segment(&decoded.instruction)
    {
        // The interpreter delays interrupts by an instruction.
        *last = Plan { kind: Kind::Leave, bytes: 0, writes: false, ..*last };
    }
    window::plan(&mut plans, decoded);
    let mut live = Status::MASK;
    for (plan, decoded) in plans.iter_mut().zip(decoded).rev() {
        if decoded.condition.is_some() {
            // The jump, which is the last part of the operation, may leave the block.
            live = Status::MASK;
        }
        plan.live = live;
        if live != 0 && has_other_flags(&decoded.instruction) {
            plan.kind = double_shift_with_flags(plan.kind, &decoded.instruction);
        }
        live = match plan.kind {
            _ if plan.may_leave() => Status::MASK,
            Kind::Loop | Kind::LoopWhile { .. } | Kind::JumpIfZero => Status::MASK,
            Kind::Return | Kind::JumpComputed | Kind::JumpFar => Status::MASK,
            _ => live & !decoded.effect.writes | decoded.effect.reads,
        };
    }
    plans
}

fn loads_stack_segment(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), M::Mov | M::Pop) && instruction.op0_register() == R::SS
}

fn plan<B: Bus>(model: Model, decoded: &Decoded<B>) -> Plan {
    let instruction = &decoded.instruction;
    let known = match decoded.special {
        None | Some(Special::Device) => kind(model, decoded),
        Some(Special::Live) => live(instruction),
        Some(Special::Coprocessor) => FpuOp::of(decoded.op.imm as u16).map(Kind::Coprocessor),
        Some(Special::Loop) => None,
    };
    let kind = known.unwrap_or(Kind::Leave);
    let on_stack = stack_bytes(instruction);
    let (bytes, writes) = match kind {
        Kind::Leave | Kind::Nothing | Kind::Lea => (0, false),
        Kind::Coprocessor(op) => (op.memory_bytes(), op.writes_memory()),
        Kind::Push | Kind::PushMemory | Kind::PushSegment | Kind::PushAll | Kind::PushFlags => {
            (on_stack, true)
        }
        Kind::PopMemory | Kind::EnterFrame | Kind::Call | Kind::CallComputed => (on_stack, true),
        Kind::Pop | Kind::PopSegment | Kind::PopAll | Kind::PopFlags => (on_stack, false),
        Kind::LeaveFrame | Kind::Return => (on_stack, false),
        Kind::StoreSegment => (2, true),
        Kind::CallFar | Kind::Interrupt => (4, true),
        Kind::LoadPointer | Kind::ReturnFar | Kind::InterruptReturn => (4, false),
        Kind::JumpFar => (if has_memory(instruction) { 4 } else { 0 }, false),
        Kind::Xlat => (1, false),
        Kind::LiveImmediate(_) => (decoded.immediate.map_or(0, |immediate| immediate.size.into()), false),
        Kind::StoreString | Kind::MoveString => (memory_bytes(instruction.memory_size()), true),
        Kind::Repeat(Repeated::Move | Repeated::Store) => (memory_bytes(instruction.memory_size()), true),
        Kind::LoadString | Kind::ScanString | Kind::CompareStrings | Kind::Repeat(_) => {
            (memory_bytes(instruction.memory_size()), false)
        }
        _ if has_memory(instruction) => (memory_bytes(instruction.memory_size()), writes_memory(instruction)),
        _ => (0, false),
    };
    Plan {
        kind,
        action: action(kind, instruction),
        bytes,
        writes,
        live: Status::MASK,
        window: None,
        in_window: false,
    }
}

fn writes_memory(instruction: &Instruction) -> bool {
    let first = is_memory(instruction.op0_kind());
    match instruction.mnemonic() {
        M::Cmp | M::Test | M::Bt | M::Mul | M::Imul | M::Div | M::Idiv | M::Jmp => false,
        M::Xchg => true,
        _ => first,
    }
}

fn action(kind: Kind, instruction: &Instruction) -> Action {
    match (kind, instruction.mnemonic()) {
        (Kind::Shift(..) | Kind::ShiftByCl(_), M::Shl | M::Sal | M::Shr | M::Sar) => {
            Action::SetsWithoutAdjust
        }
        (Kind::Shift(..) | Kind::ShiftByCl(_), _) => Action::SetsCarry,
        (Kind::Same(_) | Kind::LiveImmediate(_), M::Add | M::Adc | M::Sub | M::Sbb | M::Cmp) => Action::Sets,
        (Kind::Same(_), M::Neg | M::Shld | M::Shrd) => Action::Sets,
        (Kind::ScanString | Kind::CompareStrings, _) => Action::Sets,
        (Kind::Same(_) | Kind::LiveImmediate(_), M::And | M::Or | M::Xor | M::Test) => {
            Action::SetsWithoutAdjust
        }
        (Kind::Same(_), M::Inc | M::Dec) => Action::KeepsCarry,
        (Kind::Same(_), M::Clc | M::Stc | M::Cmc) => Action::SetsCarry,
        _ => Action::None,
    }
}

/// Returns the kind of SHLD or SHRD whose flags are live: its result must be in a register, and its count known.
fn double_shift_with_flags(kind: Kind, instruction: &Instruction) -> Kind {
    let is_known = instruction.op2_kind() == OpKind::Immediate8 && instruction.immediate8() & 31 != 0;
    match kind {
        Kind::Same(code) if is_known && !has_memory(instruction) => Kind::DoubleShift(code),
        _ => Kind::Leave,
    }
}

/// Returns whether an instruction leaves flags different on the host.
fn has_other_flags(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), M::Shld | M::Shrd)
}
