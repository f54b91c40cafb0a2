//! The checkpoints of a history: where it can be entered, and what was written between them.
//!
//! Invariant: by position, without gaps; the first is the beginning. When there are too many, or they hold too much, every second
//! one goes and the distance to the next ones doubles.

use crate::cpu::Registers;
use crate::machine::pc::Machine;
use crate::machine::record::Position;
use crate::machine::snapshot::Snapshot;

/// Instructions between the first checkpoints.
const FIRST_DISTANCE: u64 = 50_000;
/// Checkpoints that are kept at most.
const MOST: usize = 2048;

/// Pages of memory and video memory that may have been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pages([u64; 6]);

/// Words of [`Pages`] for memory; the rest is for video memory.
const MEMORY_WORDS: usize = 5;

impl Pages {
    const ALL: Pages = Pages([u64::MAX; 6]);

    fn written(machine: &Machine) -> Pages {
        let mut pages = Pages([0; 6]);
        let mut note = |first: usize, written: &[bool]| {
            for at in (0..written.len()).filter(|&page| written[page]) {
                pages.0[first + at / 64] |= 1 << (at % 64);
            }
        };
        note(0, machine.hardware.memory.written_pages());
        note(MEMORY_WORDS, machine.hardware.vga.written_pages());
        pages
    }

    /// Whether the page of a byte of memory is among them.
    pub(super) fn hold_byte(&self, address: u32) -> bool {
        let page = address as usize / 4096;
        self.0[..MEMORY_WORDS].get(page / 64).is_none_or(|word| word >> (page % 64) & 1 != 0)
    }

    /// Whether the page of a plane address of video memory is among them.
    pub(super) fn hold_plane(&self, address: u16) -> bool {
        self.0[MEMORY_WORDS] >> (address / 1024) & 1 != 0
    }

    fn add(&mut self, others: &Pages) {
        self.0.iter_mut().zip(others.0).for_each(|(mine, other)| *mine |= other);
    }
}

/// A moment that can be gone back to.
#[derive(Debug)]
pub(super) struct Checkpoint {
    pub(super) position: Position,
    pub(super) instructions: u64,
    pub(super) snapshot: Snapshot,
    pub(super) registers: Registers,
    /// Colours of the DAC that had been written.
    pub(super) colours: u64,
    /// Inputs and printed bytes before it.
    pub(super) inputs: usize,
    pub(super) printed: usize,
    /// What was written since the one before.
    pub(super) written: Pages,
    /// Bytes that it holds and the one before does not.
    bytes: usize,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Checkpoints {
    list: Vec<Checkpoint>,
    distance: u64,
    most_bytes: usize,
}

impl Checkpoints {
    /// The beginning alone.
    pub(super) fn new(machine: &mut Machine, most_bytes: usize) -> Checkpoints {
        let mut checkpoints = Checkpoints { list: Vec::new(), distance: FIRST_DISTANCE, most_bytes };
        checkpoints.push(machine, 0, 0);
        checkpoints
    }

    /// The moment now, behind all others.
    pub(super) fn push(&mut self, machine: &mut Machine, inputs: usize, printed: usize) {
        let written = if self.list.is_empty() { Pages::ALL } else { Pages::written(machine) };
        let snapshot = machine.snapshot();
        let bytes = self.list.last().map_or(0, |last| snapshot.bytes_beyond(&last.snapshot));
        self.list.push(Checkpoint {
            position: machine.moment(),
            instructions: machine.instructions(),
            snapshot,
            registers: machine.cpu().regs.clone(),
            colours: machine.hardware.vga.colours_written(),
            inputs,
            printed,
            written,
            bytes,
        });
        while self.list.len() > 3 && (self.list.len() > MOST || self.bytes() > self.most_bytes) {
            self.thin_out();
        }
    }

    /// Every second one goes, but for the first and the last.
    fn thin_out(&mut self) {
        self.distance = self.distance.saturating_mul(2);
        let last = self.list.len() - 1;
        let mut passed: Option<Pages> = None;
        let mut kept: Vec<Checkpoint> = Vec::with_capacity(self.list.len() / 2 + 2);
        for (index, mut checkpoint) in std::mem::take(&mut self.list).into_iter().enumerate() {
            if let Some(passed) = passed.take() {
                checkpoint.written.add(&passed);
            }
            if index % 2 == 1 && index != last {
                passed = Some(checkpoint.written);
                continue;
            }
            checkpoint.bytes =
                kept.last().map_or(0, |before| checkpoint.snapshot.bytes_beyond(&before.snapshot));
            kept.push(checkpoint);
        }
        self.list = kept;
    }

    /// What they hold, about.
    pub(super) fn bytes(&self) -> usize {
        self.list.iter().map(|checkpoint| checkpoint.bytes).sum()
    }

    /// The instruction at which the next one is due.
    pub(super) fn next_due(&self) -> u64 {
        self.list.last().map_or(0, |last| last.instructions.saturating_add(self.distance))
    }

    /// Forgets what comes after a position.
    pub(super) fn truncate(&mut self, position: Position) {
        let kept = self.list.partition_point(|checkpoint| checkpoint.position <= position).max(1);
        self.list.truncate(kept);
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Checkpoint> {
        self.list.get(index)
    }

    /// The last one at or before a position.
    pub(super) fn before(&self, position: Position) -> usize {
        self.list.partition_point(|checkpoint| checkpoint.position <= position).saturating_sub(1)
    }

    /// The last one before an instruction is done.
    pub(super) fn before_instruction(&self, instructions: u64) -> usize {
        self.list.partition_point(|checkpoint| checkpoint.instructions < instructions).saturating_sub(1)
    }
}
