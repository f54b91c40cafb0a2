//! The notices of DOS: calls that it does not have, and texts that cannot be meant, each once.

use crate::notice::Notice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Different notices that are kept.
const MOST_NOTICES: usize = 256;

/// The notices, and which have been given.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Notices {
    /// Not handed over yet.
    fresh: Vec<Notice>,
    /// The names of what was missing, and the places of texts.
    told: BTreeSet<String>,
}

impl Notices {
    /// Adds a notice, unless the same thing was missing before, or the same call has written a text.
    pub(super) fn push(&mut self, notice: Notice) {
        let name = notice.missing().unwrap_or_else(|| format!("{:04X?}", notice.at));
        if self.told.len() < MOST_NOTICES && self.told.insert(name) {
            self.fresh.push(notice);
        }
    }

    /// Returns the notices since the last call.
    pub(super) fn take(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.fresh)
    }
}
