//! Watched runs: blocks and instructions are checked before they are executed.

use super::at_once::print_at_once;
use super::pc::Machine;
use crate::hardware::Hardware;
use oxbox_cpu::{Cpu, Exit, Served};

impl Machine {
    /// Executes until the machine has to check something, or no closer check is needed. `serves`:
    /// services may be done without leaving the processor.
    pub(super) fn execute_watched(&mut self, deadline: u64, serves: bool) -> Exit {
        // After a key, each service can be a choice point.
        let serves = serves && !self.places.follow_a_key();
        loop {
            let follows_keys = self.follows_keys();
            if follows_keys {
                // Other keys are compared after each instruction.
                self.execute_for_other_keys();
            } else if self.watch.tries_blocks() {
                let before = self.cpu.cycles;
                if let Some(exit) = self.run_observed(deadline, serves) {
                    return exit;
                }
                self.watch.tried_blocks(self.cpu.cycles > before);
            }
            if !self.looks_closely() {
                return Exit::Deadline;
            }
            let end = deadline.min(self.hardware.next_event());
            let is_quiet = self.watch.before(&self.cpu, &self.hardware);
            let step = self.step_processor(deadline);
            self.watch.after(&self.cpu);
            if follows_keys {
                self.compare_other_keys(step.interrupted);
            }
            let goes_on = is_quiet && step.exit.is_none() && !step.interrupted && self.cpu.cycles < end;
            if !goes_on || !self.looks_closely() || self.hardware.next_event() < end {
                return step.exit.unwrap_or(Exit::Deadline);
            }
        }
    }

    /// Whether blocks or instructions must be checked.
    pub(super) fn looks_closely(&self) -> bool {
        self.follows_keys() || self.watch.looks_closely()
    }

    fn follows_keys(&self) -> bool {
        self.key_class.as_ref().is_some_and(|class| class.is_following())
    }

    #[inline(never)]
    fn run_observed(&mut self, deadline: u64, serves: bool) -> Option<Exit> {
        let Machine { cpu, blocks, hardware, watch, dos, keys, .. } = self;
        let serve = |cpu: &mut Cpu, hardware: &mut Hardware, vector| {
            if serves { print_at_once(dos, keys, cpu, hardware, vector) } else { Served::No }
        };
        cpu.run_observed(blocks, hardware, deadline, watch, serve)
    }
}
