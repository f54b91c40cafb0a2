//! The statement at the end of a proof: what it covers, what its merging relies on, and what it
//! does not cover.

use serde::Serialize;
use std::collections::BTreeMap;

/// The coverage of a proof.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Covers {
    /// The tried keys by effect.
    pub keys: Vec<KeyClass>,
    /// The number of tried keys.
    pub key_count: usize,
    /// The number of kinds of keys with equal results in every state, if tried in each state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_kinds: Option<usize>,
    /// Keys that are typed before the program asks for them.
    pub typed_ahead: String,
    /// Consecutive games.
    pub games: Games,
    /// The compared channels, by name.
    pub channels: BTreeMap<&'static str, bool>,
    /// The initial conditions, and the values for which the proof holds.
    pub starts: BTreeMap<&'static str, String>,
    /// The conditions under which two places are merged.
    pub merging: Vec<String>,
    /// Aspects that the twin does not specify.
    pub allowed: Vec<Open>,
    /// Aspects that the proof does not cover.
    pub not: Vec<Open>,
}

/// Keys with the same effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KeyClass {
    /// The keys as named by `--keys`, with ranges.
    pub class: String,
    /// The effects in various states.
    pub effect: String,
}

/// The number of consecutive games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Games {
    /// Any number: each further game returns to a known state.
    #[default]
    Closed,
    /// Up to this number.
    Up(usize),
}

impl Serialize for Games {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Games::Closed => serializer.serialize_str("closed"),
            Games::Up(games) => serializer.serialize_u64(*games as u64),
        }
    }
}

/// An aspect that is not covered, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Open {
    /// The aspect.
    pub what: String,
    /// The reason.
    pub why: String,
}
