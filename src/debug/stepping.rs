//! Source-level steps: lines of the program in place of instructions, forwards and backwards.
//!
//! A line may have many instructions, such as a macro with a delay of millions: its beginning is
//! searched for, not stepped to.

use iced_x86::{Decoder, DecoderOptions, FlowControl};
use oxbox::hardware::linear;
use oxbox::inspect::{ROM, StepKind, StopReason, last_moment};

use super::debuggee::Debuggee;
use std::ops::Range;

impl Debuggee {
    /// Executes a line, or an instruction if no line is known.
    pub(crate) fn step(&mut self, kind: StepKind) -> StopReason {
        let from = self.line_at(self.pc());
        let start = self.pc();
        loop {
            let halted = self.stepper(|stepper| stepper.step(kind));
            if halted != StopReason::Step || kind == StepKind::Out {
                return halted;
            }
            let here = self.line_at(self.pc());
            // The next instruction of the same line, such as a macro's, is skipped; a loop to its
            // own start is not.
            if from.is_none() || here != from || self.pc() == start {
                return StopReason::Step;
            }
        }
    }

    /// Steps back by a line, or an instruction if no line is known.
    pub(crate) fn step_back(&mut self, kind: StepKind) -> StopReason {
        if self.timeline.position() <= self.timeline.start() {
            return StopReason::Beginning;
        }
        let halted = self.stepper(|stepper| stepper.step_back(kind));
        if halted != StopReason::Step || kind == StepKind::Out {
            return halted;
        }
        let line = self.code_of_line(self.pc());
        if self.pc() == line.start {
            return StopReason::Step;
        }
        self.back_to_start(&line, kind)
    }

    /// Returns the code around an address that belongs to its source line, or one byte.
    fn code_of_line(&self, address: u32) -> Range<u32> {
        let Some(line) = self.line_at(address) else { return address..address + 1 };
        let same = |address: &u32| self.line_at(*address).as_ref() == Some(&line);
        let start = (0..address).rev().take_while(same).last().unwrap_or(address);
        let end = (address + 1..).take_while(same).last().unwrap_or(address) + 1;
        start..end
    }

    /// Moves from within a line's code to where the program entered it.
    fn back_to_start(&mut self, line: &Range<u32>, kind: StepKind) -> StopReason {
        let (ss, sp, start) = (self.registers().ss(), self.registers().sp(), line.start);
        let found = match kind {
            // Code that the line calls belongs to another line, and so does the code after the
            // return from there.
            StepKind::Into => last_moment(&mut self.timeline, |registers, _| {
                let here = linear(registers.cs(), registers.ip as u16);
                registers.cs() != ROM && (here == start || !line.contains(&here))
            }),
            _ => {
                // An iteration of a recursive procedure has less stack than the line can have
                // removed.
                let least = sp.wrapping_sub(self.taken_off(start..self.pc()));
                last_moment(&mut self.timeline, |registers, _| {
                    let here = linear(registers.cs(), registers.ip as u16);
                    here == start && registers.ss() == ss && registers.sp() >= least
                })
            }
        };
        if found.is_none() {
            self.timeline.go_to(self.timeline.start());
            StopReason::Beginning
        } else if self.pc() != start {
            self.stepper(|stepper| stepper.step(StepKind::Into))
        } else {
            StopReason::Step
        }
    }

    /// Returns the bytes that the instructions in a range of code remove from the stack.
    fn taken_off(&mut self, code: Range<u32>) -> u16 {
        let bytes = self.read(code.start, code.end - code.start);
        let popped = Decoder::new(16, &bytes, DecoderOptions::NONE)
            .into_iter()
            .filter(|instruction| instruction.flow_control() == FlowControl::Next)
            .map(|instruction| instruction.stack_pointer_increment().max(0))
            .sum::<i32>();
        u16::try_from(popped).unwrap_or(u16::MAX)
    }
}
