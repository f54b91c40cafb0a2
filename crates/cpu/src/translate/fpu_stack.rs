//! The host's x87 stack during a run of coprocessor instructions, see [`super::fpu_run`].

use iced_x86::Register as R;

use super::emit::Label;
use crate::fpu::Format;

const HOST_REGISTERS: [R; 8] = [R::ST0, R::ST1, R::ST2, R::ST3, R::ST4, R::ST5, R::ST6, R::ST7];

/// A value on the host's stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HostValue {
    /// The register that has this value; `None` if it has another since.
    pub(super) register: Option<u8>,
    /// Whether the state has another value.
    pub(super) changed: bool,
}

/// The condition codes that an instruction sets, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codes {
    /// C1 is cleared.
    Exact,
    /// C1 is that of the host.
    Rounded,
    /// All are those of the host.
    Compared,
}

/// A run up to an instruction, known when it is translated.
#[derive(Debug)]
pub(super) struct Run {
    /// The label of the handler of its first instruction.
    pub(super) handler: Label,
    /// The host's stack, ST(0) last.
    pub(super) held: Vec<HostValue>,
    /// The number of the stack top.
    pub(super) top: u8,
    /// Whether each register is known to hold a value (or none) in the state, and now.
    pub(super) stored_tags: [Option<bool>; 8],
    pub(super) tags: [Option<bool>; 8],
    /// Whether an instruction may have raised an exception.
    pub(super) may_raise: bool,
    /// The codes of the last instruction, and its number.
    pub(super) codes: Codes,
    pub(super) last: usize,
    pub(super) has_operand: bool,
    /// The format of the value in the context that is stored at RSI.
    pub(super) stored: Option<Format>,
    /// The labels that refuse the run with this many values on the host's stack.
    pub(super) refusals: [Option<Label>; 9],
}

impl Run {
    /// Returns the number of ST(i).
    pub(super) fn number(&self, i: u8) -> u8 {
        (self.top + i) & 7
    }

    /// Returns the place of a register in the list of values.
    pub(super) fn place(&self, register: u8) -> Option<usize> {
        self.held.iter().position(|held| held.register == Some(register))
    }

    /// Returns the host's register with the value at a place.
    pub(super) fn host_register(&self, place: usize) -> R {
        HOST_REGISTERS[(self.held.len() - 1 - place) & 7]
    }

    /// Adds the value on top of the host's stack as that of a register.
    pub(super) fn add(&mut self, register: u8) {
        self.forget(register);
        self.tags[usize::from(register)] = Some(true);
        self.held.push(HostValue { register: Some(register), changed: true });
    }

    /// Makes a held value that of no register.
    fn forget(&mut self, register: u8) {
        if let Some(place) = self.place(register) {
            self.held[place] = HostValue { register: None, changed: false };
        }
    }
}
