//! One program alone under search.

use super::choices::Choices;
use super::classes::Classes;
use super::program::{ProgramUnderTest, Saved};
use super::search::{MatchKind, Packed};
use super::search_stats::Sameness;
use super::subject::SystemUnderTest;
use oxbox_machine::machine::{End, PackingBase, ReadSet, SnapshotError};
use xxhash_rust::xxh3::xxh3_128;

/// A program and the function that looks at it.
pub(super) struct Alone<'a, F> {
    pub(super) program: ProgramUnderTest,
    pub(super) choices: &'a Choices,
    pub(super) sameness: Sameness,
    /// `None`: every choice is run.
    pub(super) classes: Option<Classes>,
    /// Returns the matches of a moment.
    pub(super) look: F,
}

/// The moment of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// In a state, once for all ways to it.
    State,
    /// At each arrival, before the state is made canonical.
    Way,
}

impl<N, F> SystemUnderTest for Alone<'_, F>
where
    N: MatchKind,
    F: Fn(&ProgramUnderTest, Moment) -> Vec<N> + Send,
{
    type Saved = Saved;
    type Base = PackingBase;
    type Unserialised = ();
    type MatchKind = N;

    fn choices(&self) -> usize {
        self.program.choices_here(self.choices)
    }

    fn play(&mut self, choice: usize) {
        self.program.take(self.choices, choice);
    }

    fn has_classes(&self) -> bool {
        self.classes.is_some()
    }

    fn play_beside(&mut self, choice: usize, others: &[usize], kept: &ReadSet) {
        match &mut self.classes {
            Some(classes) => classes.play_beside(&mut self.program, self.choices, choice, others, kept),
            None => self.play(choice),
        }
    }

    fn same(&mut self) -> Vec<usize> {
        self.classes.as_mut().map_or_else(Vec::new, |classes| classes.same(&mut self.program))
    }

    fn absent(&self) -> Vec<String> {
        self.program.absent().iter().cloned().collect()
    }

    fn end(&self) -> Option<String> {
        self.program.end().map(End::label)
    }

    fn settle(&mut self, kept: &ReadSet) -> u128 {
        settle(&mut self.program, self.sameness, kept)
    }

    fn read_set(&self) -> ReadSet {
        self.program.read_set()
    }

    fn save(&mut self) -> Saved {
        self.program.save()
    }

    fn restore(&mut self, saved: &Saved, kept: &ReadSet) {
        restore(&mut self.program, saved, self.sameness, kept);
    }

    fn bytes_beyond(saved: &Saved, first: &Saved) -> usize {
        saved.bytes_beyond(first)
    }

    fn base(first: &Saved) -> PackingBase {
        first.base()
    }

    fn pack(saved: &Saved, base: &PackingBase) -> Option<Packed<()>> {
        saved.packed(base).map(|bytes| Packed { bytes, rest: () })
    }

    fn unpack(packed: &Packed<()>, base: &PackingBase) -> Result<Saved, SnapshotError> {
        Saved::unpacked(&packed.bytes, base)
    }

    fn notes(&self) -> Vec<N> {
        (self.look)(&self.program, Moment::State)
    }

    fn path_matches(&self) -> Vec<N> {
        (self.look)(&self.program, Moment::Way)
    }
}

/// Restores a state. If states are not made canonical, nothing needs to be observed.
pub(super) fn restore(program: &mut ProgramUnderTest, saved: &Saved, sameness: Sameness, kept: &ReadSet) {
    program.restore(saved);
    if sameness != Sameness::Screen {
        program.watch(kept);
    }
}

/// Makes a state canonical and returns its identity.
pub(super) fn settle(program: &mut ProgramUnderTest, sameness: Sameness, kept: &ReadSet) -> u128 {
    match sameness {
        Sameness::State | Sameness::Program | Sameness::Memory => {
            program.make_canonical(kept);
            program.identity(kept)
        }
        Sameness::Screen => {
            let frame = program.machine().still_frame();
            let bytes: Vec<u8> = frame.pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
            xxh3_128(&bytes) ^ frame.width as u128
        }
    }
}
