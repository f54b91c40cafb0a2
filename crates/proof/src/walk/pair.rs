//! A program and its counterpart with the same input: a second program, or a native model. A
//! difference is an end.

use super::alone::{restore, settle};
use super::choices::{Choice, Choices};
use super::disk::DiskError;
use super::explore::{keys, screen};
use super::predicate::printed;
use super::program::{ProgramUnderTest, Saved, told};
use super::search::{Enough, Match, MatchKind, Outcome, Packed, Plan, search};
use super::search_stats::{Bounds, Progress, Sameness, SearchStats};
use super::shard::Shard;
use super::subject::{Subjects, SystemUnderTest};
use oxbox_machine::machine::{End, PackingBase, ReadSet, SnapshotError};
use serde::{Deserialize, Serialize};

/// The compared output at each wait and each end, in addition to the kind of end and the exit code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compare {
    /// The characters of the text screen, or the picture in graphics modes.
    #[default]
    Text,
    /// The picture, also of text screens: colours, cursor shape and fonts matter.
    Screen,
    /// The console output since the last choice.
    Output,
}

/// Options of a comparison.
#[derive(Debug, Clone, Default)]
pub struct SameOptions {
    /// The compared output.
    pub compare: Compare,
    /// The equivalence of states. [`Sameness::Program`] becomes [`Sameness::State`] if screens are
    /// compared.
    pub sameness: Sameness,
    /// The bounds of the search.
    pub bounds: Bounds,
    /// The number of worker threads; at least one.
    pub threads: usize,
    /// State categories that are observed from the start, as other shards do.
    pub keep: ReadSet,
}

/// One of the two programs at a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Its end; `None` while it waits.
    pub end: Option<End>,
    /// The reason and position of a crash or a hang.
    pub why: Option<String>,
    /// Its screen.
    pub screen: Vec<String>,
    /// The output since the last choice.
    pub output: String,
}

impl Side {
    /// Returns its end with reason and position: `exit:0`, `crash: divide error (INT 00h) at
    /// 1000:0120, game.asm:17`.
    pub fn ending(&self) -> Option<String> {
        Some(told(self.end.as_ref()?, self.why.as_deref()))
    }
}

/// A difference between the programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The shortest keys in the form of `--keys`, after the initial inputs.
    pub keys: String,
    /// The difference in one line.
    pub what: String,
    /// The first program.
    pub a: Side,
    /// The second program.
    pub b: Side,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The statistics of the search.
    pub stats: SearchStats,
    /// The difference; `None` if the programs are equal.
    pub difference: Option<Difference>,
}

/// A state in which the programs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    what: String,
    pub(super) a: Side,
    pub(super) b: Side,
}

impl MatchKind for Mismatch {
    fn what(&self) -> usize {
        0
    }
}

pub(super) trait Counterpart: Send {
    /// Whether it has a screen and no output, so that screens are always compared.
    const IS_A_SCREEN: bool;

    type Saved: Send + Sync;

    /// Like [`SystemUnderTest::Base`].
    type Base: Send + Sync;

    /// Like [`SystemUnderTest::Unserialised`].
    type Unserialised: Send + Sync;

    fn take(&mut self, choice: &Choice);

    /// Returns whether it continues without input.
    fn goes_on(&self) -> bool {
        false
    }

    /// Continues without input.
    fn do_nothing(&mut self) {}

    /// Returns the missing features that it used.
    fn absent(&self) -> Vec<String> {
        Vec::new()
    }

    fn end(&self) -> Option<End>;

    /// Returns the difference of the visible output in one line; `None` if they are equal.
    fn differs(&self, program: &ProgramUnderTest, compare: Compare) -> Option<String>;

    fn side(&self) -> Side;

    /// Like [`SystemUnderTest::settle`].
    fn settle(&mut self, sameness: Sameness, kept: &ReadSet) -> u128;

    /// Like [`SystemUnderTest::read_set`].
    fn read_set(&self) -> ReadSet;

    fn save(&mut self) -> Self::Saved;

    /// Like [`SystemUnderTest::restore`].
    fn restore(&mut self, saved: &Self::Saved, sameness: Sameness, kept: &ReadSet);

    /// Like [`SystemUnderTest::bytes_beyond`].
    fn bytes_beyond(saved: &Self::Saved, first: &Self::Saved) -> usize;

    /// Like [`SystemUnderTest::base`].
    fn base(first: &Self::Saved) -> Self::Base;

    /// Like [`SystemUnderTest::pack`].
    fn pack(saved: &Self::Saved, base: &Self::Base) -> Option<Packed<Self::Unserialised>>;

    /// Like [`SystemUnderTest::unpack`], from its bytes and its rest.
    fn unpack(
        bytes: &[u8],
        rest: &Self::Unserialised,
        base: &Self::Base,
    ) -> Result<Self::Saved, SnapshotError>;
}

impl Counterpart for ProgramUnderTest {
    const IS_A_SCREEN: bool = false;
    type Saved = Saved;
    type Base = PackingBase;
    type Unserialised = ();

    fn take(&mut self, choice: &Choice) {
        self.play(&choice.acts);
    }

    fn goes_on(&self) -> bool {
        ProgramUnderTest::goes_on(self)
    }

    fn do_nothing(&mut self) {
        ProgramUnderTest::do_nothing(self);
    }

    fn absent(&self) -> Vec<String> {
        ProgramUnderTest::absent(self).iter().cloned().collect()
    }

    fn end(&self) -> Option<End> {
        ProgramUnderTest::end(self).cloned()
    }

    fn differs(&self, program: &ProgramUnderTest, compare: Compare) -> Option<String> {
        let (a, b) = (program.machine(), self.machine());
        let pictures = || (a.still_frame() != b.still_frame()).then(|| "the pictures differ".to_owned());
        match compare {
            Compare::Text => match (a.text(), b.text()) {
                (Some(a), Some(b)) => {
                    let line = first_difference(&a.to_string(), &b.to_string())?;
                    Some(format!("the screens differ, first in line {line}"))
                }
                (None, None) => pictures(),
                _ => Some("one shows text, the other a picture".to_owned()),
            },
            Compare::Screen => pictures(),
            Compare::Output => {
                (program.output() != self.output()).then(|| "what they print differs".to_owned())
            }
        }
    }

    fn side(&self) -> Side {
        Side {
            end: ProgramUnderTest::end(self).cloned(),
            why: self.why(),
            screen: screen(self),
            output: printed(self.output()),
        }
    }

    fn settle(&mut self, sameness: Sameness, kept: &ReadSet) -> u128 {
        settle(self, sameness, kept)
    }

    fn read_set(&self) -> ReadSet {
        ProgramUnderTest::read_set(self)
    }

    fn save(&mut self) -> Saved {
        ProgramUnderTest::save(self)
    }

    fn restore(&mut self, saved: &Saved, sameness: Sameness, kept: &ReadSet) {
        restore(self, saved, sameness, kept);
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

    fn unpack(bytes: &[u8], (): &(), base: &PackingBase) -> Result<Saved, SnapshotError> {
        Saved::unpacked(bytes, base)
    }
}

/// Returns the first line, from 1, that differs between two texts.
fn first_difference(a: &str, b: &str) -> Option<usize> {
    let (mut a, mut b) = (a.trim_end().lines(), b.trim_end().lines());
    for number in 1.. {
        match (a.next(), b.next()) {
            (None, None) => return None,
            (a, b) if a.unwrap_or_default() != b.unwrap_or_default() => return Some(number),
            _ => {}
        }
    }
    None
}

pub(super) struct Pair<'a, C> {
    program: ProgramUnderTest,
    counterpart: C,
    /// The difference; `None` if they agree.
    difference: Option<String>,
    choices: &'a Choices,
    compare: Compare,
    sameness: Sameness,
}

pub(super) struct SavedPair<C> {
    program: Saved,
    counterpart: C,
    difference: Option<String>,
}

impl SameOptions {
    /// Returns the equivalence of states with a counterpart of this kind.
    pub(super) fn sameness_beside<C: Counterpart>(&self) -> Sameness {
        match self.sameness {
            Sameness::Program if C::IS_A_SCREEN || self.compare != Compare::Output => Sameness::State,
            sameness => sameness,
        }
    }
}

impl<'a, C: Counterpart> Pair<'a, C> {
    /// Creates the pair at the start.
    pub(super) fn new(
        program: ProgramUnderTest,
        counterpart: C,
        choices: &'a Choices,
        options: &'a SameOptions,
    ) -> Self {
        let (compare, sameness) = (options.compare, options.sameness_beside::<C>());
        let mut pair = Pair { program, counterpart, difference: None, choices, compare, sameness };
        pair.difference = pair.compared();
        pair
    }

    /// Returns the difference; `None` if they agree.
    fn compared(&self) -> Option<String> {
        let ends = [self.program.end().map(End::label), self.counterpart.end().map(|end| end.label())];
        if ends[0] != ends[1] {
            let [a, b] = ends.map(|end| end.map_or("waits".to_owned(), |end| format!("ends: {end}")));
            return Some(format!("the first program {a}, the second {b}"));
        }
        self.counterpart.differs(&self.program, self.compare)
    }
}

impl<C: Counterpart> SystemUnderTest for Pair<'_, C> {
    type Saved = SavedPair<C::Saved>;
    type Base = (PackingBase, C::Base);
    type Unserialised = C::Unserialised;
    type MatchKind = Mismatch;

    fn choices(&self) -> usize {
        self.choices.len() + usize::from(self.program.goes_on() || self.counterpart.goes_on())
    }

    fn play(&mut self, choice: usize) {
        self.program.take(self.choices, choice);
        match self.choices.get(choice) {
            Some(choice) => self.counterpart.take(choice),
            None => self.counterpart.do_nothing(),
        }
        self.difference = self.compared();
    }

    fn absent(&self) -> Vec<String> {
        self.program.absent().iter().cloned().chain(self.counterpart.absent()).collect()
    }

    fn end(&self) -> Option<String> {
        if self.difference.is_some() {
            return Some("difference".to_owned());
        }
        self.program.end().map(End::label)
    }

    fn settle(&mut self, kept: &ReadSet) -> u128 {
        let program = settle(&mut self.program, self.sameness, kept);
        // Combined asymmetrically, so that a pair and its mirror image have different identities.
        program.rotate_left(1) ^ self.counterpart.settle(self.sameness, kept)
    }

    fn read_set(&self) -> ReadSet {
        let mut read_set = self.program.read_set();
        read_set.extend(&self.counterpart.read_set());
        read_set
    }

    fn save(&mut self) -> Self::Saved {
        let (program, counterpart) = (self.program.save(), self.counterpart.save());
        SavedPair { program, counterpart, difference: self.difference.clone() }
    }

    fn restore(&mut self, saved: &Self::Saved, kept: &ReadSet) {
        restore(&mut self.program, &saved.program, self.sameness, kept);
        self.counterpart.restore(&saved.counterpart, self.sameness, kept);
        self.difference.clone_from(&saved.difference);
    }

    fn bytes_beyond(saved: &Self::Saved, first: &Self::Saved) -> usize {
        saved.program.bytes_beyond(&first.program) + C::bytes_beyond(&saved.counterpart, &first.counterpart)
    }

    fn base(first: &Self::Saved) -> Self::Base {
        (first.program.base(), C::base(&first.counterpart))
    }

    fn pack(saved: &Self::Saved, (program, counterpart): &Self::Base) -> Option<Packed<C::Unserialised>> {
        // A difference is an end and not a pending state.
        let program = saved.program.packed(program).filter(|_| saved.difference.is_none())?;
        let Packed { bytes, rest } = C::pack(&saved.counterpart, counterpart)?;
        Some(Packed { bytes: postcard::to_stdvec(&(program, bytes)).ok()?, rest })
    }

    fn unpack(
        Packed { bytes, rest }: &Packed<C::Unserialised>,
        (program, counterpart): &Self::Base,
    ) -> Result<Self::Saved, SnapshotError> {
        let (of_program, of_companion): (&[u8], &[u8]) = postcard::from_bytes(bytes)?;
        Ok(SavedPair {
            program: Saved::unpacked(of_program, program)?,
            counterpart: C::unpack(of_companion, rest, counterpart)?,
            difference: None,
        })
    }

    fn notes(&self) -> Vec<Mismatch> {
        let mismatch = |what: &String| Mismatch {
            what: what.clone(),
            a: Counterpart::side(&self.program),
            b: self.counterpart.side(),
        };
        self.difference.as_ref().map(mismatch).into_iter().collect()
    }

    fn path_matches(&self) -> Vec<Mismatch> {
        Vec::new()
    }
}

/// Searches for a difference. All pairs are at the start.
pub(super) fn searched<C: Counterpart>(
    pairs: Vec<Pair<'_, C>>,
    options: &SameOptions,
    shard: Option<Shard>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Outcome<Mismatch>, DiskError> {
    let plan = Plan {
        bounds: options.bounds,
        sameness: options.sameness_beside::<C>(),
        once: 1,
        enough: Enough::AllOnce,
        shard,
        progress,
    };
    let mut pairs = Subjects::new(pairs);
    let mut outcome = search(&mut pairs, &plan, options.keep.clone())?;
    outcome.stats.absent = pairs.absent();
    Ok(outcome)
}

pub(super) fn report(outcome: Outcome<Mismatch>, choices: &[String]) -> Comparison {
    let first = outcome.sightings.into_iter().next();
    let difference = first.map(|Match { path, note: Mismatch { what, a, b } }| Difference {
        keys: keys(choices, &path),
        what,
        a,
        b,
    });
    Comparison { stats: outcome.stats, difference }
}
