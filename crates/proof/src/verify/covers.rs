//! The statement at the end of a proof: what it covers, what its merging rests on, and what it leaves open.

use serde::Serialize;
use std::collections::BTreeMap;

/// What a proof covers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Covers {
    /// The keys that were tried, by what they do.
    pub keys: Vec<KeyClass>,
    /// How many keys that is.
    pub key_count: usize,
    /// How many kinds of keys there are that lead to the same place from every state; told where each key was tried in each state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_kinds: Option<usize>,
    /// Keys that are typed before the program asks for them.
    pub typed_ahead: String,
    /// Games in a row.
    pub games: Games,
    /// What is compared, by name.
    pub channels: BTreeMap<&'static str, bool>,
    /// What holds when the program starts, and for which of its values the proof holds.
    pub starts: BTreeMap<&'static str, String>,
    /// What makes two places one.
    pub merging: Vec<String>,
    /// What the twin leaves open.
    pub allowed: Vec<Open>,
    /// What the proof does not cover.
    pub not: Vec<Open>,
}

/// Keys that do the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KeyClass {
    /// The keys, as `--keys` names them; neighbours as a range.
    pub class: String,
    /// What they do, in one state or another.
    pub effect: String,
}

/// Games in a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Games {
    /// Any number: each further game comes back to a known state.
    #[default]
    Closed,
    /// So many.
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

/// Something that is left open, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Open {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}
