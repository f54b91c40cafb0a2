//! Ctrl-C during a call: shows `^C`, calls INT 23h, and acts on its handler's decision.

use super::{
    error::{Answer, Pause},
    pending::{Call, CtrlCState},
    process::TerminationReason,
    state::Dos,
};
use crate::firmware::Resume;
use oxbox_cpu::Flags;

impl Dos {
    pub(super) fn show_ctrl_c(&mut self, g: &mut Call) -> Answer {
        g.pending.restart();
        g.pending.queue = b"^C\r\n".to_vec();
        g.pending.queued = true;
        g.pending.breaking = CtrlCState::Echo;
        self.console.forget_line();
        self.finish_break(g)
    }

    /// Continues after INT 23h. If the handler has returned with IRET, the service is repeated. If
    /// it has returned with RETF and carry set, with the flags left on the stack, the program ends.
    pub(super) fn finish_break(&mut self, g: &mut Call) -> Answer {
        match g.pending.breaking {
            CtrlCState::No => Ok(()),
            CtrlCState::Echo => {
                self.drain(g)?;
                g.pending.breaking = CtrlCState::Called;
                if !self.stubs.hooked(g.hw, 0x23) {
                    return self.terminate(g, 0, TerminationReason::Break);
                }
                Err(Pause::Leave(Resume::Call(0x23)))
            }
            CtrlCState::Called => {
                let ends = g
                    .pending
                    .returned
                    .as_ref()
                    .is_some_and(|r| r.sp() != g.pending.expected_sp && r.flag(Flags::CF));
                g.pending.restart();
                if ends { self.terminate(g, 0, TerminationReason::Break) } else { Ok(()) }
            }
        }
    }
}
