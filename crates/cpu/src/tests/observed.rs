//! Observed runs: the same as others, in blocks that the observer permits.

use super::boundaries::{PROGRAM, memory_differs, state};
use super::program::{Machine, hex};
use crate::flat::Flat;
use crate::{BlockEnd, BlockObserver, Blocks, Cpu, Exit, Model, Note, Served};
use iced_x86::{FlowControl, Instruction, Mnemonic};

/// Counts the instructions in the blocks that it permits, two of three.
#[derive(Default)]
struct Counter {
    asked: u32,
    executed: u64,
    stopped: u32,
}

impl BlockObserver<Flat> for Counter {
    fn admits(&self, _: &Cpu, instruction: &Instruction) -> bool {
        !matches!(instruction.mnemonic(), Mnemonic::Sti | Mnemonic::Cli | Mnemonic::Hlt)
            && !instruction.has_rep_prefix()
    }

    fn describe(&mut self, _: &Cpu, instructions: &[Instruction]) -> Note {
        let last = instructions.len().saturating_sub(1);
        let jumps = |instruction: &&Instruction| instruction.flow_control() != FlowControl::Next;
        assert!(instructions.iter().take(last).find(jumps).is_none(), "a jump within a block");
        [instructions.len() as u32, 0, 0, 0, 0]
    }

    fn enters(&mut self, note: &Note, _: &Cpu, _: &Flat) -> bool {
        self.asked += 1;
        note[0] > 0 && !self.asked.is_multiple_of(3)
    }

    fn left(&mut self, note: &Note, end: BlockEnd, _: &Cpu) {
        match end {
            BlockEnd::Whole => self.executed += u64::from(note[0]),
            BlockEnd::Stopped => self.stopped += 1,
            BlockEnd::Interrupted => panic!("the program raises no exception"),
        }
    }
}

#[test]
fn every_deadline_of_an_observed_run_stops_at_the_same_instruction() {
    let mut plain = Machine::new(Model::I386, &hex(PROGRAM), Blocks::new());
    for deadline in 1..400 {
        let Machine { mut cpu, mut blocks, mut bus } =
            Machine::new(Model::I386, &hex(PROGRAM), Blocks::new());
        let mut counter = Counter::default();
        let mut alone = 0;
        let exit = loop {
            if let Some(exit) =
                cpu.run_observed(&mut blocks, &mut bus, deadline, &mut counter, |_, _, _| Served::No)
            {
                break exit;
            }
            let retired = cpu.retired;
            if let Some(exit) = cpu.step(&mut blocks, &mut bus, deadline).exit {
                break exit;
            }
            alone += cpu.retired - retired;
        };
        let expected = plain.cpu.run(&mut plain.blocks, &mut plain.bus, deadline);
        assert_eq!((exit, state(&cpu)), (expected, state(&plain.cpu)), "at {deadline}");
        if counter.stopped == 0 && exit != Exit::Halt {
            assert_eq!(counter.executed + alone, cpu.retired, "at {deadline}");
        }
        let observed = Machine { cpu, blocks, bus };
        assert_eq!(memory_differs(&observed, &plain), None, "at {deadline}");
        if exit == Exit::Halt {
            return assert!(counter.executed > alone, "{} in blocks, {alone} alone", counter.executed);
        }
    }
    panic!("the program does not end");
}
