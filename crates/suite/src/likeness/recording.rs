//! What a submission executes: its instructions, normalised, and the ways that its runs take through them.

use std::collections::{BTreeMap, HashSet, VecDeque};

use iced_x86::{Decoder, DecoderOptions};

use super::fingerprint::{GRAM, hash};
use super::given::Sources;
use super::instruction::{Normal, ends, normalised};
use oxbox_cpu::Cpu;
use oxbox_inspect::{LONGEST, Program as Loaded, disassemble};
use oxbox_machine::hardware::{Hardware, linear};
use oxbox_machine::machine::Observer;

/// Instructions of one run, those of the system among them: a program without an end repeats itself long before.
pub(crate) const MOST_STEPS: u64 = 1 << 20;

/// Different sequences of [`GRAM`] instructions that are kept of a submission.
const MOST_GRAMS: usize = 1 << 15;

/// An instruction of the program that was executed.
#[derive(Debug)]
pub(super) struct Executed {
    pub(super) normal: Vec<Normal>,
    /// Whether nothing that follows in memory belongs to it.
    pub(super) ends: bool,
    /// As an assembler takes it.
    pub(super) text: String,
}

/// What the runs of a submission executed. Instructions are known by their addresses in the program.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// By address.
    pub(super) executed: BTreeMap<u32, Executed>,
    /// The hashes of different sequences of instructions, in the order in which they were first executed.
    pub(super) ways: Vec<u64>,
    seen: HashSet<[u32; GRAM]>,
}

/// Records one run of a program.
#[derive(Debug)]
pub(crate) struct Recorder<'a> {
    recording: &'a mut Recording,
    program: Loaded,
    /// Tells the author's own code from what was given to all.
    sources: &'a Sources,
    /// The instructions that were executed last.
    last: VecDeque<u32>,
}

impl<'a> Recorder<'a> {
    /// Begins to record a run of a program that has just been loaded.
    pub(crate) fn new(recording: &'a mut Recording, program: Loaded, sources: &'a Sources) -> Recorder<'a> {
        Recorder { recording, program, sources, last: VecDeque::with_capacity(GRAM) }
    }
}

impl Observer for Recorder<'_> {
    const EVERY_INSTRUCTION: bool = true;
    const EVERY_SERVICE: bool = false;

    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        let (cs, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        let Some(address) = self.program.address(cs, ip).filter(|_| self.program.holds(cs, ip)) else {
            return;
        };
        let executed = self.recording.executed.entry(address).or_insert_with(|| {
            let bytes: [u8; LONGEST] =
                std::array::from_fn(|at| hw.memory.read8(linear(cs, ip.wrapping_add(at as u16))));
            let instruction = Decoder::with_ip(16, &bytes, u64::from(ip), DecoderOptions::NONE).decode();
            let normal = if self.sources.is_own(address) {
                normalised(&instruction, cpu.regs.ah())
            } else {
                Vec::new()
            };
            let names = |segment, offset| self.program.name_at(segment, offset).map(str::to_owned);
            let ends = ends(&instruction, cpu.regs.ah());
            Executed { normal, ends, text: disassemble(&bytes, &cpu.regs, &names).text }
        });
        if executed.normal.is_empty() {
            return;
        }
        if self.last.len() == GRAM {
            self.last.pop_front();
        }
        self.last.push_back(address);
        let Recording { executed, ways, seen } = &mut *self.recording;
        let Some(sequence) = self.last.iter().copied().collect::<Vec<u32>>().try_into().ok() else { return };
        if ways.len() < MOST_GRAMS && seen.insert(sequence) {
            let normals = self.last.iter().filter_map(|address| executed.get(address));
            ways.push(hash(normals.flat_map(|executed| &executed.normal).take(GRAM)));
        }
    }
}
