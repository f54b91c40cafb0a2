//! Ctrl-C in the middle of a call: `^C` on the screen, INT 23h, and what its handler decides.

use super::{
    error::{Answer, Pause},
    pending::{Breaking, Call},
    process::Ending,
    state::Dos,
};
use crate::firmware::Resume;
use oxbox_cpu::Flags;

impl Dos {
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
