//! Records the instructions that a submission executes, normalised, and their execution order.

use std::collections::{BTreeMap, HashSet, VecDeque};

use iced_x86::{Decoder, DecoderOptions};

use super::fingerprint::{GRAM, hash};
use super::given::Sources;
use super::instruction::{Normal, ends, normalised};
use oxbox_cpu::Cpu;
use oxbox_inspect::{LONGEST, Program as Loaded, disassemble};
use oxbox_machine::hardware::{Hardware, linear};
use oxbox_machine::machine::Observer;

/// The most instructions of a run, with system code. An endless program repeats itself before.
pub(crate) const MOST_STEPS: u64 = 1 << 20;

/// The most distinct sequences of [`GRAM`] instructions per submission.
const MOST_GRAMS: usize = 1 << 15;

#[derive(Debug)]
pub(super) struct Executed {
    pub(super) normal: Vec<Normal>,
    /// Whether execution cannot continue after it.
    pub(super) ends: bool,
    pub(super) text: String,
}

/// The instructions executed by the runs of a submission, by their address in the program.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(super) executed: BTreeMap<u32, Executed>,
    /// The hashes of distinct instruction sequences, in the order of their first execution.
    pub(super) ways: Vec<u64>,
    seen: HashSet<[u32; GRAM]>,
}

#[derive(Debug)]
pub(crate) struct Recorder<'a> {
    recording: &'a mut Recording,
    program: Loaded,
    /// Distinguishes the author's code from given code.
    sources: &'a Sources,
    last: VecDeque<u32>,
}

impl<'a> Recorder<'a> {
    /// Starts recording a run of a program that has just been loaded.
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
