//! A call in progress: what is kept while the guest waits or runs a handler of its own in the middle of it.
//!
//! After [`Resume::Wait`] and [`Resume::Call`] the stub traps again with the same SS:SP, and the service is done again from its
//! beginning, with the pending call telling what has happened already. A handler may call DOS in its turn: calls nest, and are told
//! apart by the vector and the stack.

use super::console::line::Line;
use crate::firmware::{Far, Guest, GuestMemory};
use oxbox_cpu::Registers;
use serde::{Deserialize, Serialize};

/// What a function of DOS works on: the processor, the board, and how far the call has come.
pub(super) type Call<'a> = Guest<'a, PendingCall>;

/// How far a Ctrl-C has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum Breaking {
    #[default]
    No,
    /// `^C` is being shown.
    Echo,
    /// INT 23h runs.
    Called,
}

/// What a handler of INT 16h was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Asked {
    Peek,
    Read,
}

/// How far a call has come.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PendingCall {
    pub(super) vector: u8,
    /// The caller's registers: what the service sees each time it is done again.
    pub(super) caller: Registers,
    /// SP at the next trap: the caller's, but for what the service has pushed for a handler.
    pub(super) expected_sp: u16,
    /// Where the caller goes on: a call at the same stack from elsewhere is another one.
    pub(super) back: Far,
    /// Left to wait: the next trap comes with the same registers.
    pub(super) waits: bool,
    /// What a handler has left in the registers.
    pub(super) returned: Option<Registers>,
    /// Bytes for the screen, and how many have gone there.
    pub(super) queue: Vec<u8>,
    pub(super) sent: usize,
    /// The queue has been filled.
    pub(super) queued: bool,
    /// A byte of input that has been taken.
    pub(super) input: Option<u8>,
    /// Bytes that a read has taken so far.
    pub(super) taken: Vec<u8>,
    pub(super) line: Option<Line>,
    /// 0Ch has emptied the keyboard.
    pub(super) flushed: bool,
    /// Ctrl-S holds the output until the next key.
    pub(super) paused: bool,
    /// INT 28h has been called since the last wait.
    pub(super) idled: bool,
    pub(super) asked: Option<Asked>,
    pub(super) breaking: Breaking,
    /// INT 24h was called and has not been answered.
    pub(super) critical: bool,
}

impl PendingCall {
    pub(super) fn new(vector: u8, caller: Registers) -> Self {
        PendingCall { vector, expected_sp: caller.sp(), caller, ..PendingCall::default() }
    }

    /// Bytes of memory that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        size_of::<PendingCall>() + self.queue.len() + self.taken.len()
    }

    /// Forgets what has happened: the service begins again.
    pub(super) fn restart(&mut self) {
        *self = PendingCall::new(self.vector, self.caller.clone());
    }

    /// The registers have been changed while the call waits.
    pub(super) fn adopt_registers(&mut self, regs: &Registers) {
        if self.waits {
            self.caller.gpr = regs.gpr;
            self.caller.seg = regs.seg;
            self.caller.flags = regs.flags;
        }
    }

    /// Gives the service the caller's registers again, all but CS:IP.
    pub(super) fn restore_caller(&self, regs: &mut Registers) {
        let cs = regs.cs();
        regs.gpr = self.caller.gpr;
        regs.seg = self.caller.seg;
        regs.set_cs(cs);
    }

    /// True when this trap belongs to this g.pending. A handler of INT 23h may leave its flags on the stack. A handler that never
    /// comes back leaves a stale call, and a later one may come by the same stack: it is told by its registers or its place.
    pub(super) fn is_at(&self, vector: u8, g: &mut Guest) -> bool {
        let (ss, sp) = (g.cpu.regs.ss(), g.cpu.regs.sp());
        let left_flags = self.breaking == Breaking::Called && sp == self.expected_sp.wrapping_sub(2);
        let frame = Far::new(ss, self.caller.sp());
        self.vector == vector
            && self.caller.ss() == ss
            && (sp == self.expected_sp || left_flags)
            && (!self.waits || self.caller.gpr == g.cpu.regs.gpr)
            && g.hw.far(frame) == self.back
    }
}
