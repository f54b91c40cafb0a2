//! Nested calls: finds the call that a trap continues, and keeps it while the guest waits or runs a
//! handler.

use super::{
    pending::{Call, PendingCall},
    state::Dos,
    sysvars,
};
use crate::{
    firmware::{Far, Guest, GuestMemory},
    hardware::Hardware,
};

/// The maximum number of nested calls. A program with more leaves its handlers without returning;
/// the oldest are dropped.
pub(super) const MOST_NESTED: usize = 64;

impl Dos {
    /// Returns the call of this trap: a suspended one, or a new one.
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
        // Calls below the current stack have been abandoned.
        while calls.last().is_some_and(|call| call.caller.ss() == ss && call.caller.sp() < sp) {
            calls.pop();
        }
        let pending = match calls.pop() {
            Some(mut call) if call.is_at(vector, g) => {
                let returned = g.cpu.regs.clone();
                call.restore_caller(&mut g.cpu.regs);
                call.returned = Some(Box::new(returned));
                call
            }
            other => {
                // Another call within the one that waits; or, at the same stack, after one that was
                // abandoned.
                calls.extend(other.filter(|call| call.caller.ss() != ss || call.caller.sp() != sp));
                PendingCall::new(vector, g.cpu.regs.clone())
            }
        };
        self.show_in_dos(g.hw);
        pending
    }

    /// Keeps the call for the next trap. After a wait the registers of the call are restored.
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
}
