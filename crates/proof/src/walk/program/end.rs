//! The end of a program under test, and its text in reports.

use super::ProgramUnderTest;
use oxbox_machine::hardware::linear;
use oxbox_machine::machine::{End, Fault, FaultKind, Limit, Stop};

/// Formats an end for reports: `exit:0`, `crash: divide error (INT 00h) at 1000:0120, game.asm:17`.
pub(in crate::walk) fn told(end: &End, why: Option<&str>) -> String {
    why.map_or_else(|| end.label(), |why| format!("{}: {why}", end.label()))
}

impl ProgramUnderTest {
    /// Returns the reason and position of a crash or a hang.
    pub fn why(&self) -> Option<String> {
        let end = self.end.as_ref()?;
        let (cs, ip) = self.machine.position_of(end);
        let line = self.line_at(cs, ip);
        let (ms, instructions) = (self.time_limit_ms, self.instruction_limit);
        Some(match end {
            End::Hang(Limit::Time) => {
                format!("no wait within {ms} ms of virtual time, at {cs:04X}:{ip:04X}{line}")
            }
            End::Hang(_) => format!("no wait within {instructions} instructions, at {cs:04X}:{ip:04X}{line}"),
            end => format!("{}{line}", end.detail()?),
        })
    }

    /// Returns the end with reason and position, for reports.
    pub(in crate::walk) fn ending(&self) -> Option<String> {
        Some(told(self.end.as_ref()?, self.why().as_deref()))
    }

    pub(super) fn end_of(&self, stop: Stop) -> Option<End> {
        match stop {
            // No breakpoints are set here.
            Stop::KeyWait | Stop::Breakpoint => None,
            Stop::Cycle => Some(End::Hang(Limit::Time)),
            Stop::Instructions => Some(End::Hang(Limit::Instructions)),
            Stop::InputWait => {
                let at = Some(self.machine.position());
                Some(End::Dead(Fault { kind: FaultKind::RedirectedInput, at }))
            }
            Stop::Dead(Fault { kind: FaultKind::Reset | FaultKind::Reboot, .. }) => Some(End::Reset),
            stop => End::of(&stop),
        }
    }

    /// Returns the source line of an address in the form `, game.asm:12`.
    fn line_at(&self, segment: u16, offset: u16) -> String {
        let Some(symbols) = &self.symbols else { return String::new() };
        let address = linear(segment, offset).checked_sub(symbols.base(self.psp));
        let line = address.and_then(|address| symbols.line_at(address));
        line.map(|line| format!(", {line}")).unwrap_or_default()
    }
}
