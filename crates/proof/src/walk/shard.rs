//! A shard: one of several parts of a search that different processes do.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The I-th of N shards, with I from 1.
///
/// ```
/// use oxbox_proof::walk::Shard;
///
/// assert_eq!("2/3".parse::<Shard>().map(|shard| shard.to_string()).as_deref(), Ok("2/3"));
/// assert!("4/3".parse::<Shard>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    number: u16,
    of: u16,
}

/// The error for a text that is not `I/N`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a part: I/N, as 1/4 to 4/4, at most {MOST_SHARDS}")]
pub struct ShardError(String);

const MOST_SHARDS: u16 = 10_000;

/// A search is divided at the first level with this number of states per shard, but not before the
/// minimum.
const PLACES_FOR_EACH: usize = 16;
const LEAST_PLACES: usize = 64;

impl Shard {
    /// The only shard: everything.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Returns the number of the shard, from 1.
    pub fn number(self) -> usize {
        usize::from(self.number)
    }

    /// Returns the number of shards.
    pub fn of(self) -> usize {
        usize::from(self.of)
    }

    /// Returns the number of states at which a search is divided.
    pub(crate) fn top(self) -> usize {
        (PLACES_FOR_EACH * self.of()).max(LEAST_PLACES)
    }

    /// Returns whether a state, given by its index among `of`, belongs to this shard. Consecutive
    /// states belong together, because their successors have the most in common.
    pub(crate) fn has(self, place: usize, of: usize) -> bool {
        place * self.of() / of.max(1) == self.number() - 1
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let fits = |&(number, of): &(u16, u16)| (1..=of).contains(&number) && of <= MOST_SHARDS;
        let (number, of) = numbers.filter(fits).ok_or_else(|| ShardError(text.to_owned()))?;
        Ok(Shard { number, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_belongs_to_one_part() {
        for (of, len) in [(1, 5), (3, 10), (4, 64), (7, 5)] {
            let share = |number| (0..len).filter(move |&place| Shard { number, of }.has(place, len));
            assert!((1..=of).flat_map(share).eq(0..len), "{len} places for {of} parts");
        }
    }

    #[test]
    fn words() {
        let rows = ["", "1", "0/3", "4/3", "1/0", "1/10001", "-1/3", "a/b", "1/2/3"];
        assert!(rows.iter().all(|words| words.parse::<Shard>().is_err()));
        assert_eq!("3/3".parse(), Ok(Shard { number: 3, of: 3 }));
    }
}
