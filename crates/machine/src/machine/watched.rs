//! Watched runs: each instruction is checked before it is executed; instructions that only compute
//! are checked several at a time.

use super::identity::watch::Ahead;
use super::pc::Machine;
use oxbox_cpu::{Exit, Steps};

impl Machine {
    /// Executes until the machine has to check something, or no closer check is needed.
    pub(super) fn execute_watched(&mut self, deadline: u64) -> Exit {
        loop {
            let end = deadline.min(self.hardware.next_event());
            let follows_keys = self.follows_keys();
            if follows_keys {
                self.execute_for_other_keys();
            }
            // Other keys are compared after each instruction.
            let room = if follows_keys { 1 } else { end.saturating_sub(self.cpu.cycles) };
            let Ahead { count, is_quiet } = self.watch.before(&self.cpu, &self.hardware, room);
            let steps = self.step_together(deadline, count);
            let Machine { watch, cpu, .. } = self;
            watch.after(cpu, steps);
            if follows_keys {
                self.compare_other_keys();
            }
            let goes_on = is_quiet && steps.exit.is_none() && !steps.interrupted && self.cpu.cycles < end;
            if !goes_on || !self.looks_closely() || self.hardware.next_event() < end {
                return steps.exit.unwrap_or(Exit::Deadline);
            }
        }
    }

    /// Whether each instruction must be checked.
    pub(super) fn looks_closely(&self) -> bool {
        self.follows_keys() || self.watch.looks_closely(&self.cpu)
    }

    fn follows_keys(&self) -> bool {
        self.key_class.as_ref().is_some_and(|class| class.is_following())
    }

    // The processor does not depend on the watch: it is compiled once.
    #[inline(never)]
    fn step_together(&mut self, deadline: u64, count: u32) -> Steps {
        self.cpu.steps(&mut self.blocks, &mut self.hardware, deadline, count)
    }
}
