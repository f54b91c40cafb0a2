//! Steps backwards: to where the same step forwards would have begun.
//!
//! A line may have many instructions, such as a macro with a delay of millions: its beginning is
//! searched for, not stepped to.

use iced_x86::{Decoder, DecoderOptions, FlowControl};
use oxbox::hardware::linear;
use oxbox::inspect::last_moment;

use super::{Kind, Step};
use crate::debug::debuggee::{Debuggee, ROM, StopReason};
use std::ops::Range;

impl Debuggee {
    /// Steps back by a line, or an instruction if no line is known.
    pub(crate) fn step_back(&mut self, step: Step) -> StopReason {
        let halted = self.step_back_instruction(step);
        if halted != StopReason::Step || step == Step::Out {
            return halted;
        }
        let line = self.code_of_line(self.pc());
        if self.pc() == line.start {
            return StopReason::Step;
        }
        self.back_to_start(&line, step)
    }

    fn step_back_instruction(&mut self, step: Step) -> StopReason {
        if self.timeline.position() <= self.timeline.start() {
            return StopReason::Beginning;
        }
        let registers = self.registers().clone();
        let (ss, sp, now) = (registers.ss(), registers.sp(), self.timeline.position());
        let found = match step {
            Step::Into => last_moment(&mut self.timeline, |registers, _| registers.cs() != ROM),
            Step::Over => {
                let before = last_moment(&mut self.timeline, |registers, _| registers.cs() != ROM);
                let returned = before
                    .is_some_and(|_| self.registers().sp() < sp || self.registers().ss() != ss)
                    && matches!(self.read(self.pc(), 1)[..], [0xC2 | 0xC3 | 0xCA | 0xCB | 0xCF]);
                if returned {
                    // It has returned from a call: to before that.
                    self.timeline.go_to(now);
                    let next = self.pc();
                    last_moment(&mut self.timeline, |registers, read| {
                        let here = linear(registers.cs(), registers.ip as u16);
                        registers.ss() == ss && registers.sp() <= sp && {
                            let kind = Kind::at(here, read);
                            kind.calls && here + u32::from(kind.length) == next
                        }
                    })
                } else {
                    before
                }
            }
            Step::Out => last_moment(&mut self.timeline, |registers, read| {
                let here = linear(registers.cs(), registers.ip as u16);
                registers.ss() == ss && registers.sp() > sp && registers.cs() != ROM && {
                    let kind = Kind::at(here, read);
                    kind.calls && !kind.is_interrupt
                }
            }),
        };
        self.at_found(found.is_some())
    }

    fn at_found(&mut self, found: bool) -> StopReason {
        if found {
            return StopReason::Step;
        }
        self.timeline.go_to(self.timeline.start());
        StopReason::Beginning
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
    fn back_to_start(&mut self, line: &Range<u32>, step: Step) -> StopReason {
        let (ss, sp, start) = (self.registers().ss(), self.registers().sp(), line.start);
        let found = match step {
            // Code that the line calls belongs to another line, and so does the code after the
            // return from there.
            Step::Into => last_moment(&mut self.timeline, |registers, _| {
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
        let halted = self.at_found(found.is_some());
        if halted == StopReason::Step && self.pc() != start {
            self.step_instruction(Step::Into)
        } else {
            halted
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
