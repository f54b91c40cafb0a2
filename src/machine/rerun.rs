//! The last stretches of a run, once more: checkpoints, and all that was done to the machine between them.
//!
//! A run is deterministic, so nothing is recorded while it goes on but what comes from outside. What is looked for when something
//! has happened is found by running the stretch again with an observer, and what lies between two checkpoints by noting moments of
//! it. The host's files are read in that second run, and left as they are.

use super::{
    allowance::Allowance,
    observer::Observer,
    pc::Machine,
    record::Recorded,
    snapshot::Snapshot,
    stop::{Stop, Until},
};
use crate::cpu::Registers;
use crate::hardware::speaker::Segment;
use std::collections::VecDeque;
use std::ops::Range;

/// Cycles between two checkpoints: a fraction of a second for the host to run again.
const DISTANCE: u64 = 50_000_000;

/// The distance where there are many, to go back by: half a second of virtual time, or so many cycles where the guest is set fast.
const SHORT_DISTANCE: (u64, u64) = (500_000_000, 5_000_000);

/// Checkpoints that are kept at most to go back by: ten minutes.
const MOST: usize = 1200;

#[derive(Debug)]
struct Checkpoint {
    machine: Snapshot,
    /// In cycles, and in nanoseconds.
    cycle: u64,
    nanoseconds: u64,
    interrupted_at: Option<u64>,
    /// What was done from here to the next one; of the last one the machine's own record tells.
    inputs: Vec<Recorded>,
    /// Bytes that it holds and the one before does not.
    bytes: usize,
}

/// Checkpoints, and what was done since the oldest one.
#[derive(Debug, Default)]
pub struct Rerun {
    checkpoints: VecDeque<Checkpoint>,
    /// To go back by: what the checkpoints may hold, in bytes. Otherwise there are two.
    most_bytes: Option<usize>,
}

/// A moment between two checkpoints.
#[derive(Debug)]
pub struct Moment {
    /// Virtual time since power-on, in nanoseconds.
    pub nanoseconds: u64,
    machine: Snapshot,
    interrupted_at: Option<u64>,
    /// Inputs before it, since the checkpoint.
    done: usize,
}

/// What lies between the last checkpoint and the present.
#[derive(Debug)]
pub struct Recalled {
    /// Moments of it, the earliest first: that of the checkpoint.
    pub moments: Vec<Moment>,
    /// What the speaker did in it.
    pub sound: Vec<Segment>,
}

impl Rerun {
    /// Nothing yet.
    pub fn new() -> Rerun {
        Rerun::default()
    }

    /// Nothing yet; from now on so much is kept of a run that it can be gone back by, minutes of it where `most_bytes` allow it.
    ///
    /// ```
    /// use oxbox::machine::{Config, Machine, Rerun, Until};
    ///
    /// // again: inc ax; jmp again
    /// let mut machine = Machine::start(&Config::default(), b"\x40\xEB\xFD", "COUNT.COM", "")?;
    /// let mut rerun = Rerun::reaching_back(64 << 20);
    /// rerun.follow(&mut machine);
    /// machine.run(&Until::cycle(machine.cycle_at_ms(100)), &mut ());
    /// let hash = machine.state_hash();
    /// machine.run(&Until::cycle(machine.cycle_at_ms(400)), &mut ());
    ///
    /// let past = rerun.recall(&mut machine, 50_000_000);
    /// let then = past.moments.iter().find(|moment| moment.nanoseconds >= 100_000_000).ok_or("no such moment")?;
    /// rerun.go_to(&mut machine, then);
    /// assert_eq!(machine.nanoseconds() / 1_000_000, 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reaching_back(most_bytes: usize) -> Rerun {
        Rerun { checkpoints: VecDeque::new(), most_bytes: Some(most_bytes) }
    }

    /// Nothing yet again, to keep as much as this.
    #[must_use]
    pub fn afresh(&self) -> Rerun {
        Rerun { checkpoints: VecDeque::new(), most_bytes: self.most_bytes }
    }

    /// Goes along with a run: to be called before each stretch of it. From the first call on the machine records what is done to it.
    pub fn follow(&mut self, machine: &mut Machine) {
        let is_far = |last: &Checkpoint| {
            let cycles = machine.now().saturating_sub(last.cycle);
            match self.most_bytes {
                None => cycles >= DISTANCE,
                Some(_) => {
                    let (nanoseconds, most_cycles) = SHORT_DISTANCE;
                    machine.nanoseconds().saturating_sub(last.nanoseconds) >= nanoseconds
                        || cycles >= most_cycles
                }
            }
        };
        if self.checkpoints.back().is_none_or(is_far) {
            self.mark(machine);
        }
    }

    /// A checkpoint here: the end is known to be near.
    pub fn mark(&mut self, machine: &mut Machine) {
        let inputs = machine.record.replace(Vec::new()).unwrap_or_default();
        if let Some(last) = self.checkpoints.back_mut() {
            last.inputs = inputs;
        }
        let snapshot = machine.snapshot();
        let bytes = self.checkpoints.back().map_or(0, |last| snapshot.bytes_beyond(&last.machine));
        self.checkpoints.push_back(Checkpoint {
            machine: snapshot,
            cycle: machine.now(),
            nanoseconds: machine.nanoseconds(),
            interrupted_at: machine.interrupted_at,
            inputs: Vec::new(),
            bytes,
        });
        while self.is_too_much() {
            self.checkpoints.pop_front();
        }
    }

    fn is_too_much(&self) -> bool {
        match self.most_bytes {
            None => self.checkpoints.len() > 2,
            Some(most) => {
                let held: usize = self.checkpoints.iter().map(|checkpoint| checkpoint.bytes).sum();
                self.checkpoints.len() > MOST || self.checkpoints.len() > 2 && held > most
            }
        }
    }

    /// Runs what lies between the last checkpoint and the present once more and notes moments of it, `distance` nanoseconds apart. The
    /// machine is afterwards as it was; what it has to say, sound and print, must have been taken before. When the second run does not
    /// go as the first, as when files on the host have changed, the checkpoint is the only moment.
    pub fn recall(&self, machine: &mut Machine, distance: u64) -> Recalled {
        let mut recalled = Recalled { moments: Vec::new(), sound: Vec::new() };
        let Some(last) = self.checkpoints.back() else { return recalled };
        let present = Present::leave(machine);
        last.restore(machine);
        machine.take_sound();
        recalled.note(machine, 0);
        for (done, recorded) in present.record.iter().enumerate() {
            recalled.run_noting(machine, recorded.position.cycle, distance, done);
            machine.do_again(recorded);
        }
        recalled.run_noting(machine, present.cycle, distance, present.record.len());
        if !present.come_back(machine) {
            recalled.moments.truncate(1);
            recalled.sound.clear();
        }
        recalled
    }

    /// Goes to a moment of what [`Rerun::recall`] has just noted: what came after it is forgotten.
    pub fn go_to(&mut self, machine: &mut Machine, moment: &Moment) {
        machine.restore(&moment.machine);
        machine.interrupted_at = moment.interrupted_at;
        machine.take_sound();
        machine.take_printout();
        if let Some(record) = &mut machine.record {
            record.truncate(moment.done);
        }
    }

    /// Forgets the last checkpoint, so that [`Rerun::recall`] reaches back to the one before; to be called when the machine is there. False when
    /// there is none before.
    pub fn forget_last(&mut self, machine: &mut Machine) -> bool {
        if self.checkpoints.len() < 2 {
            return false;
        }
        self.checkpoints.pop_back();
        machine.record = self.checkpoints.back_mut().map(|last| std::mem::take(&mut last.inputs));
        true
    }

    /// Shows an observer the last instructions once more, `most` of them, or as many as there are. The machine is afterwards as it
    /// was; what it has to say, sound and print, must have been taken before. False when the second run did not go as the
    /// first, as when files on the host have changed: then the observer has seen something else.
    pub fn show_last(&self, machine: &mut Machine, most: u64, observer: &mut impl Observer) -> bool {
        let from = machine.cpu.retired.saturating_sub(most);
        let is_before = |checkpoint: &Checkpoint| checkpoint.machine.instructions() <= from;
        let number = self.checkpoints.iter().rposition(is_before).unwrap_or_default();
        let Some(first) = self.checkpoints.get(number) else { return false };
        let present = Present::leave(machine);
        let shown = from..present.retired;
        machine.restore(&first.machine);
        let earlier = self.checkpoints.iter().skip(number).flat_map(|checkpoint| &checkpoint.inputs);
        for recorded in earlier.chain(&present.record) {
            run_showing(machine, recorded.position.cycle, &shown, observer);
            machine.do_again(recorded);
        }
        run_showing(machine, present.cycle, &shown, observer);
        let same = present.is_reached(machine);
        show_what_cannot_be_done(machine, observer);
        present.come_back(machine);
        same
    }
}

impl Checkpoint {
    fn restore(&self, machine: &mut Machine) {
        machine.restore(&self.machine);
        machine.interrupted_at = self.interrupted_at;
    }
}

impl Recalled {
    /// Runs to a cycle, and notes moments.
    fn run_noting(&mut self, machine: &mut Machine, cycle: u64, distance: u64, done: usize) {
        while machine.now() < cycle {
            let last = self.moments.last().map_or(0, |moment| moment.nanoseconds);
            let next = machine.cycle_at_nanoseconds(last + distance).max(machine.now() + 1);
            let stop = machine.run(&Until::cycle(cycle.min(next)), &mut ());
            self.sound.extend(machine.take_sound());
            if stop != Stop::Cycle {
                return;
            }
            if machine.now() >= next {
                self.note(machine, done);
            }
        }
    }

    fn note(&mut self, machine: &mut Machine, done: usize) {
        self.moments.push(Moment {
            nanoseconds: machine.nanoseconds(),
            machine: machine.snapshot(),
            interrupted_at: machine.interrupted_at,
            done,
        });
    }
}

/// The present, while the machine is made to go through its past.
struct Present {
    machine: Snapshot,
    interrupted_at: Option<u64>,
    registers: Registers,
    retired: u64,
    cycle: u64,
    /// The first run may have come to the end of its allowance.
    allowance: Allowance,
    record: Vec<Recorded>,
    records: bool,
}

impl Present {
    /// Keeps it; the host's files stay as they are from now on.
    fn leave(machine: &mut Machine) -> Present {
        let record = machine.record.take();
        machine.dos.rehearse(true);
        Present {
            machine: machine.snapshot(),
            interrupted_at: machine.interrupted_at,
            registers: machine.cpu.regs.clone(),
            retired: machine.cpu.retired,
            cycle: machine.now(),
            allowance: std::mem::replace(&mut machine.allowance, Allowance::UNBOUNDED),
            records: record.is_some(),
            record: record.unwrap_or_default(),
        }
    }

    /// Whether the machine has come to it again.
    fn is_reached(&self, machine: &Machine) -> bool {
        machine.cpu.retired == self.retired && machine.cpu.regs == self.registers
    }

    /// Goes back to it, and says whether the machine had come to it by itself.
    fn come_back(self, machine: &mut Machine) -> bool {
        let same = self.is_reached(machine);
        machine.allowance = self.allowance;
        machine.dos.rehearse(false);
        machine.restore(&self.machine);
        machine.interrupted_at = self.interrupted_at;
        machine.record = self.records.then_some(self.record);
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
    /// Counts in AX, and in BX the keys that come through INT 16h.
    const COUNT: &[u8] = b"\x40\x50\xB4\x01\xCD\x16\x74\x05\xB4\x00\xCD\x16\x43\x58\xEB\xF0";

    /// The machine at every tenth of a second of two seconds, with a key after the first.
    fn run_counting(rerun: &mut Rerun, machine: &mut Machine) -> Vec<(u64, u64)> {
        let mut states = Vec::new();
        for tenth in 0..20 {
            rerun.follow(machine);
            states.push((machine.nanoseconds(), machine.state_hash()));
            if tenth == 10 {
                machine.type_key("A".parse().expect("a key"));
            }
            machine.run(&Until::cycle(machine.cycle_at_ms((tenth + 1) * 100)), &mut ());
        }
        states
    }

    #[test]
    fn a_run_is_gone_back_by_and_goes_on_otherwise() {
        let mut machine = Machine::start(&Config::default(), COUNT, "C.COM", "").expect("a machine");
        let mut rerun = Rerun::reaching_back(64 << 20);
        let states = run_counting(&mut rerun, &mut machine);
        let mut seen = Vec::new();
        loop {
            let recalled = rerun.recall(&mut machine, 20_000_000);
            for moment in recalled.moments.iter().rev() {
                rerun.go_to(&mut machine, moment);
                seen.push((machine.nanoseconds(), machine.state_hash()));
            }
            if !rerun.forget_last(&mut machine) {
                break;
            }
        }
        assert!(seen.windows(2).all(|pair| pair[0].0 >= pair[1].0), "backwards");
        assert!(seen.len() > 80, "{} moments of two seconds", seen.len());
        let both: Vec<_> = states.iter().filter(|(then, _)| seen.iter().any(|(at, _)| at == then)).collect();
        assert!(both.len() >= 3 && both.iter().all(|state| seen.contains(state)), "{both:?}");
        // From the beginning on the run can be another one.
        assert_eq!(machine.cpu.regs.bx(), 0);
        machine.run(&Until::cycle(machine.cycle_at_ms(2000)), &mut ());
        assert_eq!(machine.cpu.regs.bx(), 0, "the key has not been typed in this past");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let config = Config { speed: 100, ..Config::default() };
        let mut machine = Machine::start(&config, COUNT, "C.COM", "").expect("a machine");
        let mut rerun = Rerun::reaching_back(100_000);
        for second in 1..30 {
            rerun.follow(&mut machine);
            machine.run(&Until::cycle(machine.cycle_at_ms(second * 1000)), &mut ());
        }
        let held: usize = rerun.checkpoints.iter().map(|checkpoint| checkpoint.bytes).sum();
        assert!(held <= 100_000 && rerun.checkpoints.len() >= 2, "{held} in {}", rerun.checkpoints.len());
    }
}
