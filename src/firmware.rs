//! The vectors and the guest stubs behind them.
//!
//! Each interrupt that oxbox answers has a stub in ROM: a trap, then an IRET. The trap's handler says by its
//! [`Outcome`] how the guest goes on; nothing waits on the host.

/// How the guest goes on after a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The service is done: go on at the stub's IRET. Flags for the caller have been set in the pushed FLAGS.
    Return,
    /// Nothing to give yet: the stub enables interrupts, halts until the next one, and traps again with the same
    /// registers.
    Wait,
    /// The guest's handler of this vector runs first (the registers are set for it); then the stub traps again.
    Call(u8),
    /// The service has set CS:IP itself (a program started or ended).
    Jump,
}
