//! Runs the last part of the timeline again: to show its states backwards, or its last instructions
//! to an observer.
//!
//! The machine is restored afterwards. Drain pending sound and output before calling this. A file
//! that has changed on the host meanwhile can make the second run differ from the first; both
//! functions detect that.

use super::{Moment, Timeline};
use crate::hardware::speaker::Segment;
use crate::machine::observer::Observer;
use crate::machine::pc::Machine;
use crate::machine::record::Recorded;
use crate::machine::stop::{Stop, Until};
use crate::machine::work_budget::WorkBudget;

/// The part between the last checkpoint and the current position.
#[derive(Debug, Default)]
pub(crate) struct Recalled {
    /// States, the earliest first: that of the checkpoint.
    pub(crate) moments: Vec<Moment>,
    /// The speaker's record between them.
    pub(crate) sound: Vec<Segment>,
}

/// The current state, while the machine runs through its past.
struct Present {
    moment: Moment,
    /// The first run may have used up its budget for host work.
    work_budget: WorkBudget,
    record: Option<Vec<Recorded>>,
}

impl Timeline {
    pub(super) fn moment(&mut self) -> Moment {
        Moment {
            position: self.position(),
            nanoseconds: self.machine.nanoseconds(),
            snapshot: self.machine.snapshot(),
            done: self.done,
        }
    }

    /// Runs from the last checkpoint to the current position again and returns states of that part,
    /// `distance` nanoseconds apart. If the second run differs from the first, the checkpoint is
    /// the only one. At the first checkpoint the list is empty.
    pub(crate) fn recall(&mut self, distance: u64) -> Recalled {
        let mut recalled = Recalled::default();
        let Some(index) = self.checkpoints.earlier_than(self.position()) else { return recalled };
        let present = self.leave();
        let end = present.moment.position.cycle;
        if let Some(checkpoint) = self.checkpoints.get(index) {
            // Inputs of its cycle follow the first state.
            checkpoint.moment.restore(&mut self.machine);
            self.done = checkpoint.moment.done;
        }
        self.machine.take_sound();
        let mut next = self.machine.nanoseconds();
        let mut stop = Stop::Cycle;
        while stop == Stop::Cycle && self.machine.now() < end {
            if self.machine.nanoseconds() >= next {
                recalled.moments.push(self.moment());
                next = self.machine.nanoseconds() + distance;
            }
            let cycle = self.machine.cycle_at_nanoseconds(next).max(self.machine.now() + 1);
            stop = self.replay(&Until::cycle(end.min(cycle)), &mut ());
            recalled.sound.extend(self.machine.take_sound());
        }
        if !self.come_back(present) {
            recalled.moments.truncate(1);
            recalled.sound.clear();
        }
        recalled
    }

    /// Moves to a state that [`Timeline::recall`] has returned.
    pub(crate) fn rewind_to(&mut self, moment: &Moment) {
        moment.restore(&mut self.machine);
        self.done = moment.done;
        if !self.keeps_output {
            self.machine.take_sound();
            self.machine.take_printout();
        }
    }

    /// Shows an observer the last instructions again, `most` of them or as many as the timeline
    /// has. Returns false if the second run differed from the first, for example after a change of
    /// the host's files: the observer has then seen a different run.
    pub fn show_last(&mut self, most: u64, observer: &mut impl Observer) -> bool {
        let retired = self.machine.cpu.retired;
        let from = retired.saturating_sub(most);
        let present = self.leave();
        self.restore(self.checkpoints.before_instruction(from + 1));
        let end = present.moment.position.cycle;
        while self.machine.now() < end {
            let until = |instructions| Until { instructions, ..Until::cycle(end) };
            let is_before = self.machine.cpu.retired < from;
            let stop = match is_before {
                true => self.replay(&until(from), &mut ()),
                false => self.replay(&until(retired), observer),
            };
            let is_start = is_before && stop == Stop::Instructions;
            if stop != Stop::Cycle && !is_start {
                break;
            }
        }
        let same = present.is_reached(&self.machine);
        show_what_cannot_be_done(&mut self.machine, observer);
        self.come_back(present);
        same
    }

    fn leave(&mut self) -> Present {
        self.set_dry_run(true);
        Present {
            moment: self.moment(),
            work_budget: std::mem::replace(&mut self.machine.work_budget, WorkBudget::UNBOUNDED),
            record: self.machine.record.take(),
        }
    }

    /// Returns to the current position. The result is whether the second run had reached it.
    fn come_back(&mut self, present: Present) -> bool {
        let same = present.is_reached(&self.machine);
        self.rewind_to(&present.moment);
        self.set_dry_run(false);
        self.machine.work_budget = present.work_budget;
        self.machine.record = present.record;
        same
    }
}

impl Present {
    fn is_reached(&self, machine: &Machine) -> bool {
        let cpu = &self.moment.snapshot.cpu;
        machine.cpu.retired == cpu.retired && machine.cpu.regs == cpu.regs
    }
}

/// Reports an instruction that the machine cannot execute: it has not been executed, but it is the
/// last one that was tried.
fn show_what_cannot_be_done(machine: &mut Machine, observer: &mut impl Observer) {
    let here = machine.snapshot();
    let next = Until { instructions: machine.cpu.retired + 1, ..Until::cycle(machine.now() + 1) };
    if matches!(machine.run(&next, &mut ()), Stop::Dead(_)) {
        machine.restore(&here);
        machine.run(&next, observer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::Hardware;
    use crate::machine::{Config, Key};
    use oxbox_cpu::Cpu;

    /// Records the addresses of the program's instructions.
    #[derive(Default)]
    struct Places(Vec<u16>);

    impl Observer for Places {
        const EVERY_INSTRUCTION: bool = true;

        fn instruction(&mut self, cpu: &Cpu, _: &Hardware) {
            if cpu.regs.cs() != 0xF000 {
                self.0.push(cpu.regs.ip as u16);
            }
        }
    }

    #[test]
    fn the_last_instructions_are_shown_again() {
        // Waits for a key, then: mov cx, 0FFFFh / loop $ / int3 / ud2
        let program = b"\xB4\x00\xCD\x16\xB9\xFF\xFF\xE2\xFE\xCC\x0F\x0B";
        let machine = Machine::start(&Config::default(), program, "P.COM", "").expect("a program");
        let mut timeline = Timeline::latest(machine);
        assert_eq!(timeline.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
        let key: Key = "A".parse().expect("a key");
        timeline.type_key(key);
        let stop = timeline.run(&Until::KEY_WAIT, &mut ());
        assert!(matches!(stop, Stop::Crashed(_)), "{stop:?}");
        let hash = timeline.machine().state_hash();
        let mut places = Places::default();
        assert!(timeline.show_last(1000, &mut places));
        assert!(places.0.ends_with(&[0x107, 0x107, 0x109, 0x10A]), "{:X?}", places.0);
        assert!(places.0.len() > 990 && places.0.len() <= 1000, "{}", places.0.len());
        assert_eq!(timeline.machine().state_hash(), hash);
    }

    /// Counts in AX, and counts keys from INT 16h in BX.
    const COUNT: &[u8] = b"\x40\x50\xB4\x01\xCD\x16\x74\x05\xB4\x00\xCD\x16\x43\x58\xEB\xF0";

    /// Returns the machine at every tenth of a second of two seconds, with a key after the first.
    fn run_counting(timeline: &mut Timeline) -> Vec<(u64, u64)> {
        let mut states = Vec::new();
        for tenth in 0..20 {
            // Between checkpoints a state follows the inputs of its cycle.
            if tenth == 11 {
                timeline.type_key("A".parse().expect("a key"));
            }
            let machine = timeline.machine();
            states.push((machine.nanoseconds(), machine.state_hash()));
            let until = Until::cycle(machine.cycle_at_ms((tenth + 1) * 100));
            timeline.run(&until, &mut ());
        }
        states
    }

    #[test]
    fn a_rewound_run_can_go_another_way() {
        let machine = Machine::start(&Config::default(), COUNT, "C.COM", "").expect("a machine");
        let mut timeline = Timeline::latest(machine);
        timeline.keep_recent(64 << 20);
        let states = run_counting(&mut timeline);
        let mut seen = Vec::new();
        loop {
            let recalled = timeline.recall(20_000_000);
            if recalled.moments.is_empty() {
                break;
            }
            for moment in recalled.moments.iter().rev() {
                timeline.rewind_to(moment);
                seen.push((moment.nanoseconds, timeline.machine().state_hash()));
            }
        }
        assert!(seen.windows(2).all(|pair| pair[0].0 >= pair[1].0), "backwards");
        assert!(seen.len() > 80, "{} moments of two seconds", seen.len());
        let both: Vec<_> = states.iter().filter(|(then, _)| seen.iter().any(|(at, _)| at == then)).collect();
        assert!(both.len() >= 12 && both.iter().all(|state| seen.contains(state)), "{both:?}");
        // After rewinding to the beginning, the run can be different.
        timeline.forget_future();
        assert_eq!(timeline.machine().cpu.regs.bx(), 0);
        timeline.run(&Until::cycle(timeline.machine().cycle_at_ms(2000)), &mut ());
        assert_eq!(timeline.machine().cpu.regs.bx(), 0, "the key has not been typed in this past");
    }

    #[test]
    fn recent_checkpoints_keep_to_their_bound() {
        let config = Config { speed: 100, ..Config::default() };
        let machine = Machine::start(&config, COUNT, "C.COM", "").expect("a machine");
        let mut timeline = Timeline::latest(machine);
        timeline.keep_recent(100_000);
        for second in 1..30 {
            timeline.type_key("A".parse().expect("a key"));
            timeline.run(&Until::cycle(timeline.machine().cycle_at_ms(second * 1000)), &mut ());
        }
        let (count, bytes) = timeline.checkpoints();
        assert!(bytes <= 100_000 && count >= 2, "{bytes} in {count}");
        assert!(timeline.inputs.len() < 29 * 2, "inputs before the first checkpoint are forgotten");
    }
}
