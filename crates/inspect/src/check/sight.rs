//! Input and output of the parts of the checker.

use super::facts::Fact;
use super::kinds::Kind;
use oxbox_cpu::Cpu;
use oxbox_machine::hardware::Hardware;

/// A finding of a part of the checker, before its place is looked up.
pub(super) struct Found {
    pub(super) kind: Kind,
    /// The identifier within the kind.
    pub(super) id: &'static str,
    pub(super) at: (u16, u16),
    /// The text, in which `{place}` is replaced by the place of the note.
    pub(super) text: String,
    /// CS and IP of a related instruction, and its role.
    pub(super) note: Option<((u16, u16), &'static str)>,
    pub(super) help: &'static str,
}

/// The state before an instruction.
pub(super) struct Sight<'a> {
    pub(super) fact: Fact,
    pub(super) cpu: &'a Cpu,
    pub(super) hw: &'a Hardware,
    /// CS and IP.
    pub(super) at: (u16, u16),
}
