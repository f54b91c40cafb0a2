//! Traces executed instructions with their source lines and changes.

use super::crash_report::changes;
use super::disassembly::{bytes_at, disassemble};
use super::programs::Programs;
use oxbox_cpu::{Cpu, Registers};
use oxbox_machine::firmware::ROM_SEGMENT;
use oxbox_machine::hardware::Hardware;

/// Converts instructions to lines. A line is complete when the next instruction shows the changes.
#[derive(Debug, Default)]
pub struct CodeTrace {
    before: Option<(Registers, String)>,
}

impl CodeTrace {
    /// Called before an instruction.
    pub fn instruction(
        &mut self,
        programs: &mut Programs,
        cpu: &Cpu,
        hw: &Hardware,
        write: &mut dyn FnMut(&str),
    ) {
        let (cs, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        if cs == ROM_SEGMENT {
            return;
        }
        self.finish(Some(&cpu.regs), write);
        let place = programs.place(cs, ip).map(|place| place.to_string()).unwrap_or_default();
        let program = programs.program(cs, ip);
        let names =
            |segment, offset| program.and_then(|program| program.name_at(segment, offset)).map(str::to_owned);
        let text = disassemble(&bytes_at(hw, cs, ip), &cpu.regs, &names).text;
        let line = format!("{cs:04X}:{ip:04X} {place:<20} {text:<32}");
        self.before = Some((cpu.regs.clone(), line));
    }

    /// Returns the pending line with the changes since; `None` for `now` at the end of the run.
    pub fn finish(&mut self, now: Option<&Registers>, write: &mut dyn FnMut(&str)) {
        let Some((registers, line)) = self.before.take() else { return };
        let changes = now.map(|now| changes(&registers, now).join(" ")).unwrap_or_default();
        write(format!("{line} {changes}").trim_end());
    }
}
