//! The last stretch of a run, once more: a checkpoint, and all that was done to the machine since.
//!
//! A run is deterministic, so nothing is recorded while it goes on but what comes from outside: keys, input, how far to run.
//! What is looked for when something has happened is found by running the stretch again with an observer. The host's files
//! are read in that second run, and left as they are.

use super::{
    allowance::Allowance,
    observer::Observer,
    pc::Machine,
    playback::{Playback, Played, ScriptHost},
    script::Action,
    snapshot::Snapshot,
    stop::{Stop, Until},
};
use crate::hardware::vga::Frame;
use std::collections::VecDeque;

/// Cycles between two checkpoints: a fraction of a second for the host to run again.
const DISTANCE: u64 = 50_000_000;

/// What is done to a machine from outside.
#[derive(Debug, Clone)]
pub enum Deed {
    /// It runs, and the script is played.
    Run(Until),
    /// A key goes down or up, or the speed changes; the other actions are the script's own.
    Act(Action),
    /// Bytes for the standard input.
    Feed(Vec<u8>),
    /// The standard input ends.
    CloseInput,
}

#[derive(Debug)]
struct Checkpoint {
    machine: Snapshot,
    playback: Playback,
    cycle: u64,
    deeds: Vec<Deed>,
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

    /// Does something to the machine, and notes it.
    pub fn act(&mut self, machine: &mut Machine, deed: Deed) {
        machine.suffer(&deed);
        // Before the first run there is no checkpoint to count from: that one has seen it.
        if let Some(checkpoint) = self.checkpoints.back_mut() {
            checkpoint.deeds.push(deed);
        }
    }

    /// A checkpoint here: the end is known to be near.
    pub fn mark(&mut self, machine: &mut Machine, playback: &Playback) {
        if self.checkpoints.len() == 2 {
            self.checkpoints.pop_front();
        }
        let (cycle, snapshot) = (machine.now(), machine.snapshot());
        let playback = playback.clone();
        self.checkpoints.push_back(Checkpoint { machine: snapshot, playback, cycle, deeds: Vec::new() });
    }

    /// Runs and plays, and notes it.
    pub fn run(
        &mut self,
        machine: &mut Machine,
        playback: &mut Playback,
        until: &Until,
        host: &mut impl ScriptHost,
        observer: &mut impl Observer,
    ) -> Played {
        if self.checkpoints.back().is_none_or(|last| machine.now() - last.cycle >= DISTANCE) {
            self.mark(machine, playback);
        }
        if let Some(checkpoint) = self.checkpoints.back_mut() {
            checkpoint.deeds.push(Deed::Run(*until));
        }
        playback.run(machine, until, host, observer)
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
        let (registers, retired, allowance) =
            (machine.cpu.regs.clone(), machine.cpu.retired, machine.allowance);
        machine.allowance = Allowance::UNBOUNDED;
        machine.restore(&first.machine);
        machine.rehearse(true);
        let mut playback = first.playback.clone();
        for deed in self.checkpoints.iter().skip(number).flat_map(|checkpoint| &checkpoint.deeds) {
            let Deed::Run(until) = deed else {
                machine.suffer(deed);
                continue;
            };
            if machine.cpu.retired < from {
                let instructions = until.instructions.min(from);
                let before = Until { instructions, ..*until };
                let played = playback.run(machine, &before, &mut Nowhere, &mut ());
                if played != Played::Stopped(Stop::Instructions) || machine.cpu.retired < from {
                    continue;
                }
            }
            // The first run may have come to the end of its allowance.
            let whole = Until { instructions: until.instructions.min(retired), ..*until };
            playback.run(machine, &whole, &mut Nowhere, observer);
        }
        machine.allowance = allowance;
        let same = machine.cpu.retired == retired && machine.cpu.regs == registers;
        machine.rehearse(false);
        machine.restore(&end);
        machine.take_sound();
        machine.take_printout();
        same
    }
}

/// Shots and texts of the script have been written by the first run.
struct Nowhere;

impl ScriptHost for Nowhere {
    fn shot(&mut self, _: &str, _: &Frame) -> Result<(), String> {
        Ok(())
    }

    fn text(&mut self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}

impl Machine {
    fn suffer(&mut self, deed: &Deed) {
        match deed {
            Deed::Run(_) => {}
            Deed::Act(Action::Press(key)) => self.key_down(*key),
            Deed::Act(Action::Release(key)) => self.key_up(*key),
            Deed::Act(Action::Speed(speed)) => self.set_speed(*speed),
            Deed::Act(_) => {}
            Deed::Feed(bytes) => self.feed_input(bytes),
            Deed::CloseInput => self.close_input(),
        }
    }

    /// From now on changes of files stay in guest state, or reach the host again.
    fn rehearse(&mut self, rehearsal: bool) {
        self.dos.rehearse(rehearsal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;
    use crate::hardware::Hardware;
    use crate::machine::{Config, Key, Script};

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
        let (mut rerun, mut playback) = (Rerun::new(), Playback::new(Script::default()));
        let run = |machine: &mut Machine, rerun: &mut Rerun, playback: &mut Playback| {
            rerun.run(machine, playback, &Until::KEY_WAIT, &mut Nowhere, &mut ())
        };
        assert_eq!(run(&mut machine, &mut rerun, &mut playback), Played::Stopped(Stop::KeyWait));
        let key: Key = "A".parse().expect("a key");
        rerun.act(&mut machine, Deed::Act(Action::Press(key)));
        rerun.act(&mut machine, Deed::Act(Action::Release(key)));
        let played = run(&mut machine, &mut rerun, &mut playback);
        assert!(matches!(played, Played::Stopped(Stop::Crashed(_))), "{played:?}");
        let hash = machine.state_hash();
        let mut places = Places::default();
        assert!(rerun.show_last(&mut machine, 1000, &mut places));
        assert!(places.0.ends_with(&[0x107, 0x107, 0x109, 0x10A]), "{:X?}", places.0);
        assert!(places.0.len() > 990 && places.0.len() <= 1000, "{}", places.0.len());
        assert_eq!(machine.state_hash(), hash);
    }
}
