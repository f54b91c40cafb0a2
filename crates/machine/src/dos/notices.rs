//! What DOS tells the user: calls that it does not have, each once.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Different notices that are kept.
const MOST_NOTICES: usize = 256;

/// Lines for the user.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Notices {
    /// Not handed over yet.
    fresh: Vec<String>,
    /// What has been told to be missing.
    missing: BTreeSet<String>,
}

impl Notices {
    pub(super) fn push(&mut self, line: String) {
        self.fresh.push(line);
    }

    /// True for what has not been told to be missing before.
    pub(super) fn is_new(&mut self, what: &str) -> bool {
        self.missing.len() < MOST_NOTICES && self.missing.insert(what.to_owned())
    }

    /// What has come since the last call.
    pub(super) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.fresh)
    }
}
