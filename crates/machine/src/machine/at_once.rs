//! Services that are done without leaving the processor: those that most programs print with.

use super::wait::KeyWaitDetector;
use crate::bios::video;
use crate::dos::Dos;
use crate::firmware::Resume;
use crate::hardware::Hardware;
use oxbox_cpu::Registers;

/// Returns a function that serves a trap at once if it can, with exactly the effect of
/// [`Machine::trap`](super::Machine). It is called with the cycle.
pub(super) fn serve_at_once<'a>(
    dos: &'a mut Dos,
    keys: &'a mut KeyWaitDetector,
) -> impl FnMut(&mut Registers, &mut Hardware, u8, u64) -> bool + 'a {
    |regs, hardware, vector, now| {
        hardware.pass(now);
        let done = match vector {
            0x10 => video::serve_at_once(regs, hardware),
            0x21 if dos.is_there() => dos.serve_at_once(regs, hardware),
            _ => false,
        };
        if done {
            keys.served(vector, Resume::Return, dos);
        }
        done
    }
}
