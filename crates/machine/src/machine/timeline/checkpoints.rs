//! The checkpoints of a timeline, and the pages written between them.
//!
//! Invariant: sorted by position, without gaps. If there are too many, or they take too much
//! memory, the oldest is removed. If the first one must stay, every second one is removed and the
//! distance to the next ones doubles.

use crate::machine::pc::Machine;
use crate::machine::record::Position;
use crate::machine::snapshot::Snapshot;
use oxbox_cpu::Registers;
use std::collections::VecDeque;

/// Instructions between the first checkpoints, if all are kept.
const FIRST_DISTANCE: u64 = 50_000;
/// The maximum number of checkpoints, if all are kept.
const MOST: usize = 2048;

/// Cycles between the last two checkpoints: the host can run them again in a fraction of a second.
const DISTANCE: u64 = 50_000_000;

/// The distance of recent checkpoints: half a second of virtual time in nanoseconds, or this many
/// cycles for a fast guest.
const SHORT_DISTANCE: (u64, u64) = (500_000_000, 5_000_000);
/// The maximum number of recent checkpoints: ten minutes.
const MOST_RECENT: usize = 1200;

/// Pages of memory and video memory that may have been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pages([u64; 6]);

/// Words of [`Pages`] for memory; the rest is for video memory.
const MEMORY_WORDS: usize = 5;

impl Pages {
    pub(super) fn written(machine: &Machine) -> Pages {
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

    /// Whether the page of a byte of memory is in the set.
    pub(super) fn hold_byte(&self, address: u32) -> bool {
        let page = address as usize / 4096;
        self.0[..MEMORY_WORDS].get(page / 64).is_none_or(|word| word >> (page % 64) & 1 != 0)
    }

    /// Whether the page of a plane address of video memory is in the set.
    pub(super) fn hold_plane(&self, address: u16) -> bool {
        self.0[MEMORY_WORDS] >> (address / 1024) & 1 != 0
    }

    fn add(&mut self, others: &Pages) {
        self.0.iter_mut().zip(others.0).for_each(|(mine, other)| *mine |= other);
    }
}

/// Which checkpoints are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// The last two, to show the end of a run again.
    Last,
    /// The latest ones, up to this many bytes, for rewinding.
    Recent(usize),
    /// The first and others at growing distances, up to this many bytes.
    All(usize),
}

#[derive(Debug)]
pub(crate) struct Moment {
    pub(super) position: Position,
    /// Virtual time since power-on, in nanoseconds.
    pub(crate) nanoseconds: u64,
    pub(super) snapshot: Snapshot,
    /// The number of inputs before it.
    pub(super) done: usize,
}

impl Moment {
    pub(super) fn restore(&self, machine: &mut Machine) {
        machine.restore(&self.snapshot);
        if self.position.interrupted {
            machine.interrupted_at = Some(self.position.cycle);
        }
    }
}

/// A state that the timeline keeps, with the pages written since the checkpoint before.
#[derive(Debug)]
pub(super) struct Checkpoint {
    pub(super) moment: Moment,
    /// The number of DAC colours that had been written.
    pub(super) colours: u64,
    /// The number of printed bytes before it.
    pub(super) printed: usize,
    /// Pages written since the checkpoint before.
    pub(super) written: Pages,
    /// Bytes that it takes beyond the checkpoint before.
    bytes: usize,
}

impl Checkpoint {
    pub(super) fn registers(&self) -> &Registers {
        &self.moment.snapshot.cpu.regs
    }

    fn instructions(&self) -> u64 {
        self.moment.snapshot.instructions()
    }
}

#[derive(Debug)]
pub(super) struct Checkpoints {
    list: VecDeque<Checkpoint>,
    /// Instructions between two of them, if all are kept.
    distance: u64,
    keep: Keep,
}

impl Checkpoints {
    pub(super) fn new(keep: Keep) -> Checkpoints {
        Checkpoints { list: VecDeque::new(), distance: FIRST_DISTANCE, keep }
    }

    pub(super) fn keep(&mut self, keep: Keep) {
        self.keep = keep;
    }

    /// Adds the current state after all others. Returns the number of inputs that no checkpoint
    /// needs any more: those before the first one.
    pub(super) fn push(
        &mut self,
        moment: Moment,
        machine: &Machine,
        written: Pages,
        printed: usize,
    ) -> usize {
        let bytes = self.list.back().map_or(0, |last| moment.snapshot.bytes_beyond(&last.moment.snapshot));
        let colours = machine.hardware.vga.colours_written();
        self.list.push_back(Checkpoint { moment, colours, printed, written, bytes });
        while self.is_too_much() {
            match self.keep {
                Keep::All(_) => self.thin_out(),
                Keep::Last | Keep::Recent(_) => _ = self.list.pop_front(),
            }
        }
        let dropped = self.get(0).map_or(0, |first| first.moment.done);
        if dropped > 0 {
            self.list.iter_mut().for_each(|checkpoint| checkpoint.moment.done -= dropped);
        }
        dropped
    }

    fn is_too_much(&self) -> bool {
        let len = self.list.len();
        match self.keep {
            Keep::Last => len > 2,
            Keep::Recent(most) => len > MOST_RECENT || len > 2 && self.bytes() > most,
            Keep::All(most) => len > 3 && (len > MOST || self.bytes() > most),
        }
    }

    pub(super) fn is_due(&self, machine: &Machine) -> bool {
        let Some(last) = self.list.back() else { return true };
        let cycles = machine.now().saturating_sub(last.moment.position.cycle);
        match self.keep {
            Keep::Last => cycles >= DISTANCE,
            Keep::Recent(_) => {
                let (nanoseconds, most_cycles) = SHORT_DISTANCE;
                machine.nanoseconds().saturating_sub(last.moment.nanoseconds) >= nanoseconds
                    || cycles >= most_cycles
            }
            Keep::All(_) => machine.instructions() >= self.next_due(),
        }
    }

    /// Returns the instruction at which a run is interrupted for the next one.
    pub(super) fn next_due(&self) -> u64 {
        match self.keep {
            Keep::All(_) => {
                self.list.back().map_or(0, |last| last.instructions().saturating_add(self.distance))
            }
            Keep::Last | Keep::Recent(_) => u64::MAX,
        }
    }

    /// Removes every second one, except for the first and the last.
    fn thin_out(&mut self) {
        self.distance = self.distance.saturating_mul(2);
        let last = self.list.len() - 1;
        let mut passed: Option<Pages> = None;
        let mut kept: VecDeque<Checkpoint> = VecDeque::with_capacity(self.list.len() / 2 + 2);
        for (index, mut checkpoint) in std::mem::take(&mut self.list).into_iter().enumerate() {
            if let Some(passed) = passed.take() {
                checkpoint.written.add(&passed);
            }
            if index % 2 == 1 && index != last {
                passed = Some(checkpoint.written);
                continue;
            }
            checkpoint.bytes = kept
                .back()
                .map_or(0, |before| checkpoint.moment.snapshot.bytes_beyond(&before.moment.snapshot));
            kept.push_back(checkpoint);
        }
        self.list = kept;
    }

    /// Returns about how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.list.iter().map(|checkpoint| checkpoint.bytes).sum()
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    pub(super) fn truncate(&mut self, position: Position) {
        let kept = self.list.partition_point(|checkpoint| checkpoint.moment.position <= position).max(1);
        self.list.truncate(kept);
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Checkpoint> {
        self.list.get(index)
    }

    pub(super) fn before(&self, position: Position) -> usize {
        self.list.partition_point(|checkpoint| checkpoint.moment.position <= position).saturating_sub(1)
    }

    /// Returns the last one at a cycle before that of a position.
    pub(super) fn earlier_than(&self, position: Position) -> Option<usize> {
        let is_earlier = |checkpoint: &Checkpoint| checkpoint.moment.position.cycle < position.cycle;
        self.list.partition_point(is_earlier).checked_sub(1)
    }

    /// Returns the last one before an instruction is executed.
    pub(super) fn before_instruction(&self, instructions: u64) -> usize {
        self.list.partition_point(|checkpoint| checkpoint.instructions() < instructions).saturating_sub(1)
    }
}
