//! Samples an unknown program: finds the effective keys, and records memory and screen.
//!
//! All keys are tried in some states. Then games are played with keys from a generator with a fixed
//! seed, so that samples and conclusions are reproducible.

use crate::walk::{Choices, ProgramUnderTest, Setup, StartError};
use oxbox_machine::hardware::linear;
use oxbox_machine::machine::ReadSet;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The number of sampled bytes of memory, from the program's PSP on.
const MEMORY_BYTES: u32 = 0x2_0000;

/// The number of bytes that are compared at once.
const BLOCK: usize = 1024;

/// Addresses from here on are characters of the text screen, in rows.
pub(super) const SCREEN: u32 = 0x1000_0000;

/// The number of states in which all keys are tried.
const EXPANDED: usize = 40;

/// Additional states in which all keys are tried: those in which several keys in sequence had no
/// effect, such as the question for a new game.
const STUCK_EXPANDED: usize = 20;
const STUCK_AFTER: usize = 4;

/// The number of games, and of choices in each.
const GAMES: usize = 90;
const LENGTH: usize = 40;

/// A program reads lines if more than this many keys have different effects at one wait.
const MOST_EFFECTS: usize = 30;

/// Memory and screen at a wait.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// The preceding sample of the same game.
    pub(super) after: Option<usize>,
    /// Bytes that differ from the first sample.
    pub(super) changes: Vec<(u32, u8)>,
}

#[derive(Debug, Default)]
pub(super) struct Samples {
    /// Bytes of the first sample, by address.
    first: HashMap<u32, u8>,
    pub(super) all: Vec<Sample>,
}

/// The facts learned about the keys.
#[derive(Debug)]
pub(super) struct Keys {
    /// Effective keys, one of each kind, in the order of preference.
    pub(super) useful: Vec<usize>,
    /// A key without effect, which represents all of these.
    pub(super) idle: Option<usize>,
    /// Whether the program reads lines: single keys only fill a buffer.
    pub(super) reads_lines: bool,
}

/// A random number generator (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

impl Samples {
    /// Returns the addresses that ever changed, with their values in the order of the samples.
    pub(super) fn columns(&self) -> BTreeMap<u32, Vec<u8>> {
        let mut columns: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for (number, sample) in self.all.iter().enumerate() {
            for &(address, value) in &sample.changes {
                let first = self.first.get(&address).copied().unwrap_or_default();
                columns.entry(address).or_insert_with(|| vec![first; self.all.len()])[number] = value;
            }
        }
        columns
    }

    /// Returns the value of an address in the first sample.
    pub(super) fn first(&self, address: u32) -> u8 {
        self.first.get(&address).copied().unwrap_or_default()
    }

    /// Returns pairs of consecutive samples of a game.
    pub(super) fn steps(&self) -> impl Iterator<Item = (usize, usize)> {
        self.all.iter().enumerate().filter_map(|(number, sample)| Some((sample.after?, number)))
    }

    fn take(
        &mut self,
        walked: &ProgramUnderTest,
        base: u32,
        whole: &mut Vec<u8>,
        after: Option<usize>,
    ) -> usize {
        let machine = walked.machine();
        let memory = machine.hardware().memory.slice(base, MEMORY_BYTES as usize).unwrap_or_default();
        let text = machine.text().filter(|text| text.columns == 80);
        let text: Vec<u8> =
            text.iter().flat_map(|text| text.cells.iter().map(|&(letter, _)| letter)).collect();
        let mut changes = Vec::new();
        if whole.is_empty() {
            whole.extend(memory);
            self.first.extend((base..).zip(memory.iter().copied()));
        }
        // Blocks are compared first: nearly all of them are equal.
        let blocks = whole.chunks(BLOCK).zip(memory.chunks(BLOCK));
        for (start, (was, is)) in (base..).step_by(BLOCK).zip(blocks).filter(|(_, (was, is))| was != is) {
            let bytes = (start..).zip(was.iter().zip(is));
            changes.extend(bytes.filter(|(_, (was, is))| was != is).map(|(address, (_, &is))| (address, is)));
        }
        for (cell, letter) in (SCREEN..).zip(text) {
            if self.first.get(&cell).copied().unwrap_or_default() != letter {
                changes.push((cell, letter));
            }
        }
        self.all.push(Sample { after, changes });
        self.all.len() - 1
    }
}

pub(super) fn sample(setup: &Setup, choices: &Choices) -> Result<(Samples, Keys), StartError> {
    let mut walked = ProgramUnderTest::start(setup)?;
    let mut samples = Samples::default();
    let base = linear(walked.machine().psp(), 0);
    let mut whole = Vec::new();
    let first = samples.take(&walked, base, &mut whole, None);
    let start = walked.save();
    let mut effects: Vec<Vec<Effect>> = Vec::new();
    let mut expanded = HashSet::new();
    let mut numbers = Numbers(9);
    let mut useful: Vec<usize> = Vec::new();
    for game in 0..GAMES {
        walked.restore(&start);
        let mut last = first;
        let look_at = numbers.below(LENGTH / 2);
        let mut before = None;
        let mut stuck = 0;
        for step in 0..LENGTH {
            if walked.end().is_some() {
                break;
            }
            let here = walked.save();
            // The first states of the first games, then one state somewhere in each game.
            let is_early = game < 8 && step < 2;
            let identity = identity(&mut walked);
            walked.restore(&here);
            stuck = if before == Some(identity) { stuck + 1 } else { 0 };
            before = Some(identity);
            let is_stuck = stuck == STUCK_AFTER && effects.len() < EXPANDED + STUCK_EXPANDED;
            let is_asked = is_stuck || effects.len() < EXPANDED && (is_early || step == look_at);
            if is_asked && expanded.insert(identity) {
                let mut row = Vec::new();
                for choice in choices.iter() {
                    walked.restore(&here);
                    walked.play(&choice.acts);
                    samples.take(&walked, base, &mut whole, Some(last));
                    row.push(effect(&mut walked));
                }
                for choice in effective(&row, Some(Effect::Wait(identity))) {
                    if !useful.contains(&choice) {
                        useful.push(choice);
                    }
                }
                effects.push(row);
                walked.restore(&here);
            }
            let choice = match numbers.below(6) {
                0 => numbers.below(choices.len()),
                _ if useful.is_empty() => numbers.below(choices.len()),
                _ => useful[numbers.below(useful.len())],
            };
            if walked.goes_on() && numbers.below(3) == 0 {
                walked.do_nothing();
            } else if let Some(choice) = choices.get(choice) {
                walked.play(&choice.acts);
            }
            last = samples.take(&walked, base, &mut whole, Some(last));
        }
    }
    Ok((samples, keys(&effects, choices.len(), useful)))
}

/// Returns the identity of a wait without its screen.
fn identity(walked: &mut ProgramUnderTest) -> u128 {
    let nothing = ReadSet::default();
    walked.make_canonical(&nothing);
    walked.identity(&nothing)
}

/// The result of a choice: an end with its code, or a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Effect {
    Wait(u128),
    End(&'static str, Option<u8>),
}

fn effect(walked: &mut ProgramUnderTest) -> Effect {
    match walked.end() {
        Some(end) => Effect::End(end.word(), end.exit_code()),
        None => Effect::Wait(identity(walked)),
    }
}

/// Returns the choices whose result is neither the most frequent one at a wait nor no change.
fn effective(row: &[Effect], here: Option<Effect>) -> Vec<usize> {
    let mut counts: HashMap<Effect, usize> = HashMap::new();
    row.iter().for_each(|&effect| *counts.entry(effect).or_default() += 1);
    let most = counts.iter().max_by_key(|(effect, count)| (**count, **effect)).map(|(&effect, _)| effect);
    let is_idle =
        |effect: Effect| Some(effect) == here || Some(effect) == most && counts[&effect] > row.len() / 4;
    (0..row.len()).filter(|&choice| !is_idle(row[choice])).collect()
}

fn keys(effects: &[Vec<Effect>], choices: usize, mut useful: Vec<usize>) -> Keys {
    useful.sort_unstable();
    let column = |choice: usize| effects.iter().map(move |row| row[choice]);
    let mut alike = BTreeMap::new();
    for later in 0..useful.len() {
        let same = useful[..later]
            .iter()
            .find(|earlier| !alike.contains_key(*earlier) && column(**earlier).eq(column(useful[later])));
        if let Some(&earlier) = same {
            alike.insert(useful[later], earlier);
        }
    }
    useful.retain(|choice| !alike.contains_key(choice));
    let idle = (0..choices).find(|choice| !useful.contains(choice) && !alike.contains_key(choice));
    let distinct = |row: &Vec<Effect>| row.iter().collect::<HashSet<_>>().len();
    let reads_lines = effects.iter().any(|row| distinct(row) > MOST_EFFECTS);
    Keys { useful, idle, reads_lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that a crash (key `a` divides by zero) differs from an end with code 0.
    #[test]
    fn a_crash_is_no_end_with_code_0() {
        // mov ah, 0; int 16h; cmp al, 'a'; jne +4; mov bl, 0; div bl; mov ax, 4C00h; int 21h
        let code = b"\xB4\x00\xCD\x16\x3C\x61\x75\x04\xB3\x00\xF6\xF3\xB8\x00\x4C\xCD\x21";
        let setup = Setup::new(code.to_vec(), "A.COM");
        let row = ["b", "c", "d", "a", "e"].map(|key| {
            let mut walked = ProgramUnderTest::start(&setup).expect("it starts");
            walked.play(&crate::walk::choices::acts(key).expect("a key"));
            effect(&mut walked)
        });
        assert_eq!(effective(&row, None), [3], "{row:?}");
    }
}
