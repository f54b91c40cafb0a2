//! The mouse, as far as its driver sees it: what it has done and the driver has not taken yet. IRQ 12 stands as long as there is something.
//!
//! The host's pointer is a place on the screen and no distance, so the mouse reports places, in the driver's own coordinates.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Reports that wait at most; a driver that is away loses what comes later.
const MOST_WAITING: usize = 64;

/// Something that the mouse has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Report {
    Place { x: u16, y: u16 },
    Button { number: u8, down: bool },
}

/// The mouse.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mouse {
    waiting: VecDeque<Report>,
}

impl Mouse {
    /// The mouse does something. Of places that follow each other the last one counts.
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

    /// Level of IRQ 12.
    pub(super) fn irq(&self) -> bool {
        !self.waiting.is_empty()
    }
}
