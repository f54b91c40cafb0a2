//! A program on the host's console: stdin, stdout and stderr, for programs that only print.
//!
//! Between a pipe or a file and the program bytes pass unchanged, except that a bare line feed from
//! the host becomes CR LF, which DOS programs expect as a line end. The wall clock is not used. On
//! a terminal, text is shown as UTF-8 while it is printed, at the guest's pace, until the screen
//! differs from what a teletype would show: then a real screen has to take over.

mod input;
#[cfg(feature = "terminal")]
mod teletype;

use std::io::{self, IsTerminal, Write, stderr, stdin, stdout};

use self::input::Input;
use super::session::LiveSession;
use oxbox::hardware::vga::cp437::{self, Controls};
use oxbox::machine::End;

#[cfg(feature = "terminal")]
pub(crate) use self::teletype::run as run_on_terminal;

/// The part of a program's output that the console has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// It has ended, and all output has been passed on.
    Whole,
    /// It has ended; its standard output has been passed on, but not its other screen output.
    Aside,
    /// It has ended without standard output: any output is on its screen.
    Nothing,
    /// It continues, but a teletype can no longer show it.
    NeedsScreen,
}

/// Whether both ends of the console are a terminal.
pub(crate) fn is_interactive() -> bool {
    cfg!(feature = "terminal") && stdin().is_terminal() && stdout().is_terminal()
}

/// Runs a program with its standard handles connected to the host's, at full speed. Fails if stdout
/// accepts no more, usually because its reader has closed it.
pub(crate) fn run_on_pipes(session: &mut LiveSession) -> io::Result<Shown> {
    let machine = session.machine_mut();
    machine.redirect_output();
    machine.redirect_errors();
    let mut input = if stdin().is_terminal() {
        Input::keyboard()
    } else {
        machine.redirect_input();
        Input::pipe()
    };
    let mut spoken = false;
    while session.end().is_none() {
        let stop = session.run_slice();
        spoken |= flush_outputs(session)?;
        input.poll(session);
        if session.machine().asks_in_vain() || stop.is_some() && !input.supply(session) {
            session.finish(End::Waiting);
        }
    }
    Ok(if spoken { Shown::Aside } else { Shown::Nothing })
}

/// Passes on the program's output. Returns whether there was some on its standard output.
fn flush_outputs(session: &mut LiveSession) -> io::Result<bool> {
    let (output, errors) = (session.machine_mut().take_output(), session.machine_mut().take_errors());
    write_bytes(&mut stdout().lock(), stdout().is_terminal(), &output)?;
    // An unread stderr is not a reason to end.
    let _ = write_bytes(&mut stderr().lock(), stderr().is_terminal(), &errors);
    Ok(!output.is_empty())
}

/// Writes bytes: to a terminal as UTF-8 without characters that command it, to a file or a pipe
/// unchanged.
fn write_bytes(out: &mut impl Write, is_terminal: bool, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    if is_terminal {
        out.write_all(cp437::text(bytes, Controls::Terminal).as_bytes())?;
    } else {
        out.write_all(bytes)?;
    }
    out.flush()
}
