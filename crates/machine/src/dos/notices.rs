//! The notices of DOS: unsupported calls, and texts that the program cannot have intended. Each
//! appears once.

use crate::notice::Notice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The maximum number of different notices.
const MOST_NOTICES: usize = 256;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Notices {
    /// Not taken yet.
    fresh: Vec<Notice>,
    /// The names of unsupported calls, and the addresses of texts.
    told: BTreeSet<String>,
}

impl Notices {
    /// Adds a notice, unless the same call has already been reported.
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
