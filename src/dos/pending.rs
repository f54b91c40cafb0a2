//! A call in progress: what is kept while the guest waits or runs a handler of its own in the middle of it.
//!
//! After [`Resume::Wait`] and [`Resume::Call`] the stub traps again with the same SS:SP, and the service is done again from its
//! beginning, with the pending call telling what has happened already. A handler may call DOS in its turn: calls nest, and are told
//! apart by the vector and the stack.

use super::{
    Dos,
    console::line::Line,
    error::{Answer, Pause},
    process::Ending,
    sysvars,
};
use crate::{
    cpu::{Flags, Registers},
    firmware::{Far, Guest, GuestMemory, Resume},
    hardware::Hardware,
};
use serde::{Deserialize, Serialize};

/// What a function of DOS works on: the processor, the board, and how far the call has come.
pub(super) type Call<'a> = Guest<'a, PendingCall>;

/// Nested calls; more are a program that leaves its handlers without returning, and the oldest are forgotten.
pub(super) const MOST_NESTED: usize = 64;

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
    vector: u8,
    /// The caller's registers: what the service sees each time it is done again.
    caller: Registers,
    /// SP at the next trap.
    expected_sp: u16,
    /// Where the caller goes on: a call at the same stack from elsewhere is another one.
    back: Far,
    /// Left to wait: the next trap comes with the same registers.
    waits: bool,
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
    fn new(vector: u8, caller: Registers) -> Self {
        PendingCall { vector, expected_sp: caller.sp(), caller, ..PendingCall::default() }
    }

    /// Forgets what has happened: the service begins again.
    fn restart(&mut self) {
        *self = PendingCall::new(self.vector, self.caller.clone());
    }

    /// Gives the service the caller's registers again, all but CS:IP.
    fn restore_caller(&self, regs: &mut Registers) {
        let cs = regs.cs();
        regs.gpr = self.caller.gpr;
        regs.seg = self.caller.seg;
        regs.set_cs(cs);
    }

    /// SP at the next trap, when the service has pushed something for a handler.
    pub(super) fn expect_sp(&mut self, sp: u16) {
        self.expected_sp = sp;
    }

    /// True when this trap belongs to this g.pending. A handler of INT 23h may leave its flags on the stack. A handler that never
    /// comes back leaves a stale call, and a later one may come by the same stack: it is told by its registers or its place.
    fn is_at(&self, vector: u8, g: &mut Guest) -> bool {
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

impl Dos {
    /// The call of this trap: the one that was left, or a new one.
    pub(super) fn take_up<'a>(&mut self, vector: u8, guest: &'a mut Guest) -> Call<'a> {
        let pending = self.pending_call(vector, guest);
        Call { cpu: guest.cpu, hw: guest.hw, pending }
    }

    fn pending_call(&mut self, vector: u8, g: &mut Guest) -> PendingCall {
        let calls = &mut self.running.calls;
        if calls.is_empty() {
            return PendingCall::new(vector, g.cpu.regs.clone());
        }
        let (ss, sp) = (g.cpu.regs.ss(), g.cpu.regs.sp());
        // What lies below the stack now in use has been left for good.
        while calls.last().is_some_and(|call| call.caller.ss() == ss && call.caller.sp() < sp) {
            calls.pop();
        }
        let pending = match calls.pop() {
            Some(mut call) if call.is_at(vector, g) => {
                let returned = g.cpu.regs.clone();
                call.restore_caller(&mut g.cpu.regs);
                call.returned = Some(returned);
                call
            }
            other => {
                // Another call within the one that waits; or, at the very same stack, after one that was left for good.
                calls.extend(other.filter(|call| call.caller.ss() != ss || call.caller.sp() != sp));
                PendingCall::new(vector, g.cpu.regs.clone())
            }
        };
        self.show_in_dos(g.hw);
        pending
    }

    /// Keeps the call for the next trap. A wait comes back with the registers of the call.
    pub(super) fn suspend(&mut self, g: Call, waits: bool) {
        let Call { cpu, hw, mut pending } = g;
        pending.returned = None;
        pending.waits = waits;
        pending.back = hw.far(Far::new(pending.caller.ss(), pending.caller.sp()));
        if waits {
            pending.restore_caller(&mut cpu.regs);
            pending.expected_sp = pending.caller.sp();
        }
        let calls = &mut self.running.calls;
        if calls.len() >= MOST_NESTED {
            calls.remove(0);
        }
        calls.push(pending);
        self.show_in_dos(hw);
    }

    fn show_in_dos(&mut self, hw: &mut Hardware) {
        hw.set_byte(sysvars::IN_DOS, self.running.calls.len() as u8);
    }

    /// Ctrl-C was typed: shows it and calls INT 23h.
    pub(super) fn break_off(&mut self, g: &mut Call) -> Answer {
        g.pending.restart();
        g.pending.queue = b"^C\r\n".to_vec();
        g.pending.queued = true;
        g.pending.breaking = Breaking::Echo;
        self.console.forget_line();
        self.finish_break(g)
    }

    /// Goes on with a Ctrl-C. The handler says what becomes of the program: IRET does the service again; RETF with carry, the flags
    /// left on the stack, ends the program.
    pub(super) fn finish_break(&mut self, g: &mut Call) -> Answer {
        match g.pending.breaking {
            Breaking::No => Ok(()),
            Breaking::Echo => {
                self.drain(g)?;
                g.pending.breaking = Breaking::Called;
                if !self.stubs.hooked(g.hw, 0x23) {
                    return self.terminate(g, 0, Ending::Break);
                }
                Err(Pause::Leave(Resume::Call(0x23)))
            }
            Breaking::Called => {
                let ends = g
                    .pending
                    .returned
                    .as_ref()
                    .is_some_and(|r| r.sp() != g.pending.expected_sp && r.flag(Flags::CF));
                g.pending.restart();
                if ends { self.terminate(g, 0, Ending::Break) } else { Ok(()) }
            }
        }
    }
}
