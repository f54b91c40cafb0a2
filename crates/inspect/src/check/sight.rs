//! What each part of the checker sees, and what it gives back.

use super::facts::Fact;
use super::kinds::Kind;
use oxbox_cpu::Cpu;
use oxbox_machine::hardware::Hardware;

/// What a part of the checker has found, before its place is looked up.
pub(super) struct Found {
    pub(super) kind: Kind,
    /// Which mistake of its kind it is.
    pub(super) id: &'static str,
    pub(super) at: (u16, u16),
    /// `{place}` in it stands for the place of the note.
    pub(super) text: String,
    /// CS and IP of another instruction that has to do with it, and what it has done.
    pub(super) note: Option<((u16, u16), &'static str)>,
    pub(super) help: &'static str,
}

/// What each part of the checker sees before an instruction.
pub(super) struct Sight<'a> {
    pub(super) fact: Fact,
    pub(super) cpu: &'a Cpu,
    pub(super) hw: &'a Hardware,
    /// CS and IP.
    pub(super) at: (u16, u16),
}
