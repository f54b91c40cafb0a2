//! Compares a program with a native model over all possible input: a proof in some twenty lines of
//! Rust.

use super::choices::{Choice, Choices};
use super::error::WalkError;
use super::pair::{Compare, Comparison, Counterpart, Pair, SameOptions, Side, report, searched};
use super::program::{ProgramUnderTest, Setup};
use super::search::Packed;
use super::search_stats::{Progress, Sameness};
use oxbox_machine::machine::{End, ReadSet, SnapshotError, StartError};
use std::hash::Hash;
use xxhash_rust::xxh3::Xxh3;

/// A model of a program in Rust: choices in, text screens out. Equal models must hash equally and
/// continue equally.
///
/// ```
/// use oxbox_proof::walk::{Choices, Model, SameOptions, Setup, prove};
///
/// /// Shows how often a key was typed, modulo four; Q ends it.
/// #[derive(Clone, Hash)]
/// struct Counter(u8, bool);
///
/// impl Model for Counter {
///     fn take(&mut self, choice: &str) {
///         match choice {
///             "q" => self.1 = true,
///             _ => self.0 = (self.0 + 1) % 4,
///         }
///     }
///     fn screen(&self) -> String {
///         self.0.to_string()
///     }
///     fn exit(&self) -> Option<u8> {
///         self.1.then_some(0)
///     }
/// }
///
/// // again: mov ah, 2; mov dl, 13; int 21h; mov dl, bl; add dl, '0'; int 21h; mov ah, 8; int 21h; cmp al, 'q'; je out;
/// // inc bx; and bx, 3; jmp again; out: ret
/// let program = b"\x31\xDB\xB4\x02\xB2\x0D\xCD\x21\x88\xDA\x80\xC2\x30\xCD\x21\xB4\x08\xCD\x21\x3C\x71\x74\x06\x43\x83\xE3\x03\xEB\xE5\xC3";
/// let setup = Setup::new(program.to_vec(), "COUNT.COM");
/// let choices = Choices::from_words("+ q")?;
/// let proof = prove(&setup, &Counter(0, false), &choices, &SameOptions::default(), &|_| {})?;
/// assert_eq!((proof.difference, proof.stats.states), (None, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Model: Clone + Hash + Send + Sync {
    /// Performs a choice by its name: `5`, `ENTER`, or a line of a file of choices, `5 ENTER`.
    fn take(&mut self, choice: &str);

    /// Returns the text screen. Blanks at the end of a line and empty lines at the end are ignored.
    fn screen(&self) -> String;

    /// Returns the exit code after the end; `None` while it waits.
    fn exit(&self) -> Option<u8> {
        None
    }
}

/// Compares a program with its model over all possible input. Returns the shortest keys after which
/// they differ, if any. In the difference `a` is the program and `b` the model.
///
/// # Errors
/// Fails if the program cannot be started, or if the disk is full.
pub fn prove<M: Model>(
    setup: &Setup,
    model: &M,
    choices: &Choices,
    options: &SameOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Comparison, WalkError> {
    let pair = |_| Ok(Pair::new(ProgramUnderTest::start(setup)?, Native(model.clone()), choices, options));
    let pairs: Result<Vec<_>, StartError> = (0..options.threads.max(1)).map(pair).collect();
    Ok(report(searched(pairs?, options, None, progress)?, &choices.names()))
}

/// A model beside its program.
struct Native<M>(M);

impl<M: Model> Native<M> {
    fn lines(&self) -> Vec<String> {
        let screen = self.0.screen();
        screen.trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

impl<M: Model> Counterpart for Native<M> {
    const IS_A_SCREEN: bool = true;
    type Saved = M;
    type Base = ();
    type Unserialised = M;

    fn take(&mut self, choice: &Choice) {
        if self.0.exit().is_none() {
            self.0.take(&choice.name);
        }
    }

    fn end(&self) -> Option<End> {
        self.0.exit().map(End::Exited)
    }

    fn differs(&self, program: &ProgramUnderTest, _: Compare) -> Option<String> {
        let found = Counterpart::side(program).screen;
        let expected = self.lines();
        let last = found.len().max(expected.len());
        let line = |lines: &[String], number: usize| lines.get(number).cloned().unwrap_or_default();
        let number = (0..last).find(|&number| line(&found, number) != line(&expected, number))?;
        let (found, expected) = (line(&found, number), line(&expected, number));
        Some(format!("line {} is {found:?}, not {expected:?}", number + 1))
    }

    fn side(&self) -> Side {
        Side { end: self.end(), why: None, screen: self.lines(), output: String::new() }
    }

    fn settle(&mut self, _: Sameness, _: &ReadSet) -> u128 {
        let mut hash = Xxh3::new();
        self.0.hash(&mut hash);
        hash.digest128()
    }

    fn read_set(&self) -> ReadSet {
        ReadSet::default()
    }

    fn save(&mut self) -> M {
        self.0.clone()
    }

    fn restore(&mut self, saved: &M, _: Sameness, _: &ReadSet) {
        self.0.clone_from(saved);
    }

    fn bytes_beyond(_: &M, _: &M) -> usize {
        size_of::<M>()
    }

    fn base(_: &M) {}

    fn pack(saved: &M, (): &()) -> Option<Packed<M>> {
        Some(Packed { bytes: Vec::new(), rest: saved.clone() })
    }

    fn unpack(_: &[u8], rest: &M, (): &()) -> Result<M, SnapshotError> {
        Ok(rest.clone())
    }
}
