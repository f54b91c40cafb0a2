//! The mouse as its driver sees it: reports that the driver has not read yet. IRQ 12 is high while
//! there are any.
//!
//! The host's pointer has a position and not a distance. So the mouse reports positions, in the
//! driver's coordinates.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The maximum number of waiting reports. Later ones are lost until the driver reads some.
const MOST_WAITING: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Report {
    Place { x: u16, y: u16 },
    Button { number: u8, down: bool },
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mouse {
    waiting: VecDeque<Report>,
}

impl Mouse {
    /// Queues a report. A position replaces a position queued just before it.
    pub(super) fn report(&mut self, report: Report) {
        let is_place = |report: &Report| matches!(report, Report::Place { .. });
        if is_place(&report) && self.waiting.back().is_some_and(is_place) {
            self.waiting.pop_back();
        }
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push_back(report);
        }
    }

    pub(super) fn take(&mut self) -> Option<Report> {
        self.waiting.pop_front()
    }

    pub(super) fn forget(&mut self) {
        self.waiting.clear();
    }

    /// Returns the level of IRQ 12.
    pub(super) fn irq(&self) -> bool {
        !self.waiting.is_empty()
    }
}
