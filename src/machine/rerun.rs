//! The last stretch of a run, once more: a checkpoint, and all that was done to the machine since.
//!
//! A run is deterministic, so nothing is recorded while it goes on but what comes from outside. What is looked for when something
//! has happened is found by running the stretch again with an observer. The host's files are read in that second run, and left as
//! they are.

use super::{
    allowance::Allowance,
    observer::Observer,
    pc::Machine,
    record::Recorded,
    snapshot::Snapshot,
    stop::{Stop, Until},
};
use std::collections::VecDeque;
use std::ops::Range;

/// Cycles between two checkpoints: a fraction of a second for the host to run again.
const DISTANCE: u64 = 50_000_000;

#[derive(Debug)]
struct Checkpoint {
    machine: Snapshot,
    cycle: u64,
    /// What was done from here to the next one; of the last one the machine's own record tells.
    inputs: Vec<Recorded>,
}

/// Two checkpoints, and what was done since the older one.
#[derive(Debug, Default)]
pub struct Rerun {
    checkpoints: VecDeque<Checkpoint>,
}

impl Rerun {
    /// Nothing yet.
    pub fn new() -> Rerun {
        Rerun::default()
    }

    /// Goes along with a run: to be called before each stretch of it. From the first call on the machine records what is done to it.
    pub fn follow(&mut self, machine: &mut Machine) {
        if self.checkpoints.back().is_none_or(|last| machine.now() - last.cycle >= DISTANCE) {
            self.mark(machine);
        }
    }

    /// A checkpoint here: the end is known to be near.
    pub fn mark(&mut self, machine: &mut Machine) {
        let inputs = machine.record.replace(Vec::new()).unwrap_or_default();
        if let Some(last) = self.checkpoints.back_mut() {
            last.inputs = inputs;
        }
        if self.checkpoints.len() == 2 {
            self.checkpoints.pop_front();
        }
        let (cycle, snapshot) = (machine.now(), machine.snapshot());
        self.checkpoints.push_back(Checkpoint { machine: snapshot, cycle, inputs: Vec::new() });
    }

    /// Shows an observer the last instructions once more, `most` of them, or as many as there are. The machine is afterwards as it
    /// was; what it has to say, sound and print, must have been taken before. False when the second run did not go as the
    /// first, as when files on the host have changed: then the observer has seen something else.
    pub fn show_last(&self, machine: &mut Machine, most: u64, observer: &mut impl Observer) -> bool {
        let from = machine.cpu.retired.saturating_sub(most);
        let is_before = |checkpoint: &Checkpoint| checkpoint.machine.instructions() <= from;
        let number = self.checkpoints.iter().rposition(is_before).unwrap_or_default();
        let Some(first) = self.checkpoints.get(number) else { return false };
        let end = machine.snapshot();
        let (registers, retired, cycle) = (machine.cpu.regs.clone(), machine.cpu.retired, machine.now());
        // The first run may have come to the end of its allowance.
        let allowance = std::mem::replace(&mut machine.allowance, Allowance::UNBOUNDED);
        let shown = from..retired;
        let record = machine.record.take();
        machine.dos.rehearse(true);
        machine.restore(&first.machine);
        let earlier = self.checkpoints.iter().skip(number).flat_map(|checkpoint| &checkpoint.inputs);
        for recorded in earlier.chain(record.iter().flatten()) {
            run_showing(machine, recorded.position.cycle, &shown, observer);
            machine.do_again(recorded);
        }
        run_showing(machine, cycle, &shown, observer);
        machine.allowance = allowance;
        let same = machine.cpu.retired == retired && machine.cpu.regs == registers;
        show_what_cannot_be_done(machine, observer);
        machine.dos.rehearse(false);
        machine.restore(&end);
        machine.record = record;
        machine.take_sound();
        machine.take_printout();
        same
    }
}

/// Runs to a cycle or to the last instruction that is shown; those before the first one are not.
fn run_showing(machine: &mut Machine, cycle: u64, shown: &Range<u64>, observer: &mut impl Observer) {
    let until = |instructions: u64| Until { instructions, ..Until::cycle(cycle) };
    if machine.cpu.retired < shown.start {
        machine.run(&until(shown.start), &mut ());
    }
    if machine.cpu.retired >= shown.start {
        machine.run(&until(shown.end), observer);
    }
}

/// An instruction that the machine cannot execute has not been done, but it is the last one that was tried.
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
    use crate::cpu::Cpu;
    use crate::hardware::Hardware;
    use crate::machine::{Config, Key};

    /// Notes where instructions of the program stand.
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
        let mut machine = Machine::new(&Config::default()).expect("a machine");
        machine.load(program, "P.COM", "").expect("a program");
        let mut rerun = Rerun::new();
        rerun.follow(&mut machine);
        assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
        let key: Key = "A".parse().expect("a key");
        machine.type_key(key);
        rerun.follow(&mut machine);
        let stop = machine.run(&Until::KEY_WAIT, &mut ());
        assert!(matches!(stop, Stop::Crashed(_)), "{stop:?}");
        let hash = machine.state_hash();
        let mut places = Places::default();
        assert!(rerun.show_last(&mut machine, 1000, &mut places));
        assert!(places.0.ends_with(&[0x107, 0x107, 0x109, 0x10A]), "{:X?}", places.0);
        assert!(places.0.len() > 990 && places.0.len() <= 1000, "{}", places.0.len());
        assert_eq!(machine.state_hash(), hash);
    }
}
