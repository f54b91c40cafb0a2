//! Compares two programs over all possible input: they are equal, or the result has the shortest
//! keys after which they differ.

use super::choices::Choices;
use super::error::WalkError;
use super::explore::screen;
use super::fingerprint::fingerprint;
use super::pair::{Comparison, Mismatch, Pair, SameOptions, report, searched};
use super::part::{self, About, MergeError, Part, PartError};
use super::program::{ProgramUnderTest, Setup};
use super::search::{Enough, Match, Outcome};
use super::search_stats::{Progress, Sameness};
use super::shard::Shard;
use oxbox_machine::machine::StartError;

/// Compares two programs.
///
/// ```
/// use oxbox_proof::walk::{Choices, SameOptions, Setup, same};
///
/// // mov ah, 1; int 21h; mov ah, 4Ch; int 21h: both end with the key's code, but the second with 0 after a 7.
/// let a = b"\xB4\x01\xCD\x21\xB4\x4C\xCD\x21";
/// let b = b"\xB4\x01\xCD\x21\x3C\x37\x75\x02\xB0\x00\xB4\x4C\xCD\x21";
/// let [a, b] = [&a[..], &b[..]].map(|program| Setup::new(program.to_vec(), "A.COM"));
/// let comparison = same(&a, &b, &Choices::from_words("0-9")?, &SameOptions::default(), &|_| {})?;
/// assert_eq!(comparison.difference.map(|difference| difference.keys).as_deref(), Some("7"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if one of them cannot be started, or if the disk is full.
pub fn same(
    a: &Setup,
    b: &Setup,
    choices: &Choices,
    options: &SameOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Comparison, WalkError> {
    Ok(report(compared([a, b], choices, options, None, progress)?, &choices.names()))
}

/// Does one shard of a comparison. Other processes may do the others; [`merge_comparisons`]
/// combines all of them to the result of [`same`].
///
/// # Errors
/// Fails as [`explore_part`](super::explore_part) does.
pub fn same_part(
    a: &Setup,
    b: &Setup,
    choices: &Choices,
    options: &SameOptions,
    shard: Shard,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Part<Mismatch>, PartError> {
    let sameness = options.sameness_beside::<ProgramUnderTest>();
    if !sameness.is_exact() {
        return Err(PartError::Inexact);
    }
    let about = About {
        walk: fingerprint(
            &[a, b],
            choices,
            options.bounds,
            &format!("same {sameness:?} {:?}", options.compare),
        ),
        choices: choices.names(),
        bounds: options.bounds,
        asked: 1,
        enough: Enough::AllOnce,
    };
    Ok(about.part_with(sameness, shard, compared([a, b], choices, options, Some(shard), progress)?)?)
}

fn compared(
    [a, b]: [&Setup; 2],
    choices: &Choices,
    options: &SameOptions,
    shard: Option<Shard>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Outcome<Mismatch>, WalkError> {
    let mut outcome = searched(pairs([a, b], choices, options)?, options, shard, progress)?;
    if options.sameness_beside::<ProgramUnderTest>() == Sameness::Program {
        // Each state was examined with only its own screen output.
        for Match { path, note } in &mut outcome.sightings {
            note.a.screen = screen(&ProgramUnderTest::start_and_take(a, choices, path)?);
            note.b.screen = screen(&ProgramUnderTest::start_and_take(b, choices, path)?);
        }
    }
    Ok(outcome)
}

/// Combines all shards of a comparison to the result of [`same`]. Each has a name for messages.
///
/// # Errors
/// Fails if they are not all the shards of one comparison.
pub fn merge_comparisons(parts: &[(String, Part<Mismatch>)]) -> Result<Comparison, MergeError> {
    let (_, first) = parts.first().ok_or(MergeError::None)?;
    Ok(report(part::merge(parts)?, &first.choices))
}

/// Returns one pair at the start for each worker.
fn pairs<'a>(
    [a, b]: [&Setup; 2],
    choices: &'a Choices,
    options: &'a SameOptions,
) -> Result<Vec<Pair<'a, ProgramUnderTest>>, StartError> {
    let pair = |_| Ok(Pair::new(ProgramUnderTest::start(a)?, ProgramUnderTest::start(b)?, choices, options));
    (0..options.threads.max(1)).map(pair).collect()
}
