//! A call in progress: the state that is kept while the guest waits or runs one of its handlers
//! during the call.
//!
//! After [`Resume::Wait`] and [`Resume::Call`] the stub traps again with the same SS:SP, and the
//! service runs again from its beginning; the pending call records the completed steps. A
//! handler may call DOS itself: calls nest, and are distinguished by vector and stack.

use super::console::line::Line;
use crate::firmware::{Far, Guest, GuestMemory};
use oxbox_cpu::Registers;
use serde::{Deserialize, Serialize};

/// The state for a function of DOS: the processor, the board, and the progress of the call.
pub(super) type Call<'a> = Guest<'a, PendingCall>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum CtrlCState {
    #[default]
    No,
    /// `^C` is being shown.
    Echo,
    /// INT 23h is running.
    Called,
}

/// The question to a handler of INT 16h.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum KeyQuery {
    Peek,
    Read,
}

/// The progress of a call.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PendingCall {
    pub(super) vector: u8,
    /// The caller's registers, restored each time the service runs again.
    pub(super) caller: Registers,
    /// SP at the next trap: the caller's SP, less the bytes that the service pushed for a handler.
    pub(super) expected_sp: u16,
    /// The caller's return address: the same stack from another address is a different call.
    pub(super) back: Far,
    /// Whether the call waits: the next trap has the same registers.
    pub(super) waits: bool,
    /// Boxed, as the line is: most calls have neither.
    pub(super) returned: Option<Box<Registers>>,
    /// Bytes for the screen, and how many have been shown.
    pub(super) queue: Vec<u8>,
    pub(super) sent: usize,
    /// Whether the queue has been filled.
    pub(super) queued: bool,
    /// A byte of input that has been read.
    pub(super) input: Option<u8>,
    /// Bytes that a read has returned until now.
    pub(super) taken: Vec<u8>,
    pub(super) line: Option<Box<Line>>,
    /// Whether 0Ch has cleared the keyboard buffer.
    pub(super) flushed: bool,
    /// Whether Ctrl-S holds the output until the next key.
    pub(super) paused: bool,
    /// Whether INT 28h has been called since the last wait.
    pub(super) idled: bool,
    pub(super) asked: Option<KeyQuery>,
    pub(super) breaking: CtrlCState,
    /// Whether INT 24h has been called and has not returned.
    pub(super) critical: bool,
}

impl PendingCall {
    pub(super) fn new(vector: u8, caller: Registers) -> Self {
        PendingCall { vector, expected_sp: caller.sp(), caller, ..PendingCall::default() }
    }

    /// Returns about how many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<PendingCall>() + self.queue.len() + self.taken.len()
    }

    /// Discards the progress: the service starts again.
    pub(super) fn restart(&mut self) {
        *self = PendingCall::new(self.vector, self.caller.clone());
    }

    /// Takes over registers that were changed while the call waits.
    pub(super) fn adopt_registers(&mut self, regs: &Registers) {
        if self.waits {
            self.caller.gpr = regs.gpr;
            self.caller.seg = regs.seg;
            self.caller.flags = regs.flags;
        }
    }

    /// Restores the caller's registers, except for CS:IP.
    pub(super) fn restore_caller(&self, regs: &mut Registers) {
        let cs = regs.cs();
        regs.gpr = self.caller.gpr;
        regs.seg = self.caller.seg;
        regs.set_cs(cs);
    }

    /// Whether this trap belongs to this call. A handler of INT 23h may leave its flags on the
    /// stack. A handler that never returns leaves a stale call; a later call with the same stack is
    /// distinguished by its registers or its return address.
    pub(super) fn is_at(&self, vector: u8, g: &mut Guest) -> bool {
        let (ss, sp) = (g.cpu.regs.ss(), g.cpu.regs.sp());
        let left_flags = self.breaking == CtrlCState::Called && sp == self.expected_sp.wrapping_sub(2);
        let frame = Far::new(ss, self.caller.sp());
        self.vector == vector
            && self.caller.ss() == ss
            && (sp == self.expected_sp || left_flags)
            && (!self.waits || self.caller.gpr == g.cpu.regs.gpr)
            && g.hw.far(frame) == self.back
    }
}
