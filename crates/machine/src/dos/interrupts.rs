//! The interrupts of DOS by vector, and the handlers of the small ones.

use super::{
    ems,
    error::{Answer, Pause},
    functions, multiplex,
    pending::Call,
    process::TerminationReason,
    state::{Dos, Handler},
    sysvars, xms,
};
use crate::firmware::{EMS_RETURN_TRAP, Functions, GuestMemory, Names, Resume, Selector, XMS_TRAP, row};
use crate::notice::NoticeKind;

/// The return code of a program that a division error has terminated.
const CRASHED: u8 = 122;

/// The highest function of CP/M calls.
const LAST_CPM_FUNCTION: u8 = 0x24;

#[rustfmt::skip]
static INTERRUPTS: Functions<Handler> = Functions::new(&[
    row(0x00, "divide error",                    Dos::divide_error),
    row(0x1B, "Ctrl-Break",                      Dos::note_break),
    row(0x20, "terminate program",               Dos::terminate_by_cs),
    row(0x21, "DOS",                    Dos::function),
    row(0x22, "program termination",             Dos::end),
    row(0x23, "Ctrl-C",                          |dos, g| dos.terminate(g, 0, TerminationReason::Break)),
    row(0x24, "critical error",                  Dos::fail_critical_error),
    row(0x25, "absolute disk read",              Dos::absolute_read),
    row(0x26, "absolute disk write",             Dos::absolute_write),
    row(0x27, "terminate and stay resident",     Dos::stay_resident_by_dx),
    row(0x28, "DOS idle",                        |_, _| Ok(())),
    row(0x29, "fast console output",             Dos::fast_output),
    row(0x2A, "network",                         Dos::network),
    row(0x2E, "execute command",                 Dos::execute_command),
    row(0x2F, "multiplex",                       Dos::multiplex),
    row(0x30, "CP/M function",                   Dos::cpm_call),
    row(0x67, "expanded memory",                 Dos::expanded_memory),
    row(XMS_TRAP, "extended memory",             Dos::extended_memory),
    row(EMS_RETURN_TRAP, "return from an expanded memory call", Dos::return_from_mapped_call),
]);

/// Returns the names of a DOS interrupt, and of function and subfunction in AX if they have any.
pub(crate) fn names_of(vector: u8, ax: u16) -> Option<Names> {
    let interrupt = INTERRUPTS.get(vector)?.name;
    Some(match vector {
        0x21 => functions::names_of(interrupt, ax),
        0x67 | XMS_TRAP => {
            let ah = (ax >> 8) as u8;
            let function = if vector == 0x67 { ems::name_of(ah) } else { xms::name_of(ah) };
            Names { interrupt, selector: Selector::Ah, function, subfunction: None }
        }
        0x2F => {
            let function = multiplex::name_of(ax);
            Names { interrupt, selector: Selector::Ax, function, subfunction: None }
        }
        _ => Names { interrupt, selector: Selector::None, function: None, subfunction: None },
    })
}

impl Dos {
    /// Runs an interrupt's handler. Unused ones do nothing.
    pub(super) fn interrupt(&mut self, vector: u8, g: &mut Call) -> Answer {
        INTERRUPTS.get(vector).map_or(Ok(()), |row| (row.handler)(self, g))
    }

    /// INT 00h if no program has hooked it: shows a message and ends the program. A parent can
    /// distinguish it from Ctrl-C by its code.
    fn divide_error(&mut self, g: &mut Call) -> Answer {
        self.show(g, b"\r\nDivide overflow\r\n", false)?;
        self.terminate(g, CRASHED, TerminationReason::Break)
    }

    /// INT 1Bh: the console detects the break at its next check.
    fn note_break(&mut self, g: &mut Call) -> Answer {
        g.hw.set_byte(sysvars::BREAK_FLAG, 1);
        Ok(())
    }

    /// INT 22h of the shell: the first program has ended.
    fn end(&mut self, g: &mut Call) -> Answer {
        // A refusal by the host is reported when the machine's owner calls `flush`.
        let _ = self.disk.volumes.flush();
        self.status.exit_code = Some(g.hw.byte(sysvars::RETURN_CODE));
        Err(Pause::Leave(Resume::Wait))
    }

    /// INT 24h: fails the call, as COMMAND.COM does if it may not ask.
    fn fail_critical_error(&mut self, g: &mut Call) -> Answer {
        g.cpu.regs.set_al(3);
        Ok(())
    }

    /// INT 2Ah: a network is not installed, which function 00h reports in AH = 0.
    fn network(&mut self, _: &mut Call) -> Answer {
        Ok(())
    }

    /// INT 2Eh: a command interpreter to run a command line is not installed; the result is FFFFh.
    fn execute_command(&mut self, g: &mut Call) -> Answer {
        self.notice(g, NoticeKind::CommandLine);
        g.cpu.regs.set_ax(0xFFFF);
        Ok(())
    }

    /// The entry of CP/M calls, INT 30h: CL is the function. The program has called offset 5 of its
    /// PSP, so the stack contains the far address after that call, and below it the near return
    /// address. They are converted to the frame of an INT.
    fn cpm_call(&mut self, g: &mut Call) -> Answer {
        let stack = g.stack();
        let (segment, near) = (g.hw.word(stack.plus(2)), g.hw.word(stack.plus(4)));
        let flags = g.cpu.regs.flags as u16;
        g.hw.set_word(stack, near);
        g.hw.set_word(stack.plus(2), segment);
        g.hw.set_word(stack.plus(4), flags);
        let function = g.cpu.regs.cl();
        if function > LAST_CPM_FUNCTION {
            // The stub's IRET then uses the current stack.
            g.cpu.regs.set_al(0);
            return Ok(());
        }
        g.cpu.regs.set_ah(function);
        let entry = self.stubs.of(0x21);
        g.jump(entry);
        Err(Pause::Leave(Resume::Jump))
    }
}
