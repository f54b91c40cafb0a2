//! The console: functions 01h to 0Ch, CON, and redirected input and output.
//!
//! Output to CON uses INT 29h and INT 10h if a program has hooked them, otherwise it goes directly
//! to the screen. Ctrl-C, Ctrl-Break and Ctrl-S are checked as by DOS: in all functions except 06h
//! and 07h. Ctrl-P (echo to the printer) is accepted without effect, because a printer is not emulated.

mod ansi;
mod control;
mod functions;
mod garbled;
mod input;
pub(super) mod line;
mod output;
mod redirected;
mod screen;

use ansi::Ansi;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The maximum of captured output in bytes. A program that writes more gets "disk full" until the
/// host takes some.
/// The distance of tab stops, in columns; a power of two.
pub(super) const TAB_STOP: u8 = 8;

/// Returns the number of columns from a column to the next tab stop.
fn to_tab_stop(column: usize) -> usize {
    usize::from(TAB_STOP) - column % usize::from(TAB_STOP)
}
const MOST_CAPTURED: usize = 64 << 20;

/// State of CON and of the redirections.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Console {
    /// Column from 0, modulo 256, for tabs. As in DOS, it does not follow the cursor of INT 10h.
    column: u8,
    /// The second byte of a key without a character.
    scan: Option<u8>,
    /// The unread rest of a line read by handle.
    line: VecDeque<u8>,
    /// The last line read by handle: the template of the next one.
    last_line: Vec<u8>,
    /// Replies of ANSI.SYS, read as if they had been typed.
    replies: VecDeque<u8>,
    pub(super) ansi: Ansi,
    captured: Vec<u8>,
    captured_errors: Vec<u8>,
    fed: VecDeque<u8>,
    fed_end: bool,
    /// The number of requests for input after its end. For the host; not part of the state.
    #[serde(skip)]
    asked_at_end: u64,
    /// Whether the current service has found no fed byte.
    pub(super) input_exhausted: bool,
}

impl Console {
    pub(super) fn forget_line(&mut self) {
        self.line.clear();
        self.replies.clear();
        self.scan = None;
    }

    /// Clears bits of the column.
    pub(super) fn mask_column(&mut self, kept: u8) {
        self.column &= kept;
    }

    /// Returns the memory used by input and output in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.captured.len() + self.captured_errors.len() + self.fed.len() + self.line.len()
    }

    /// Keeps output for the host. Returns the number of bytes that fitted.
    pub(super) fn capture(&mut self, bytes: &[u8], errors: bool) -> usize {
        let kept = if errors { &mut self.captured_errors } else { &mut self.captured };
        let len = bytes.len().min(MOST_CAPTURED - kept.len().min(MOST_CAPTURED));
        kept.extend_from_slice(&bytes[..len]);
        len
    }

    /// Returns up to `len` bytes of fed input. `None`: none yet, but more may follow.
    pub(super) fn fed(&mut self, len: usize) -> Option<Vec<u8>> {
        if self.fed.is_empty() && !self.fed_end && len > 0 {
            self.input_exhausted = true;
            return None;
        }
        self.asked_at_end += u64::from(self.fed.is_empty() && len > 0);
        let len = len.min(self.fed.len());
        Some(self.fed.drain(..len).collect())
    }

    /// Whether a read of fed input would return at once, with bytes or the end of file.
    pub(super) fn fed_or_closed(&self) -> bool {
        !self.fed.is_empty() || self.fed_end
    }

    pub(super) fn fed_ended(&self) -> bool {
        self.fed.is_empty() && self.fed_end
    }

    /// Counts a request for a line of fed input. Returns whether the input has ended.
    pub(super) fn ask_for_line(&mut self) -> bool {
        self.asked_at_end += u64::from(self.fed_ended());
        self.fed_ended()
    }

    /// Whether a read of fed input has bytes; counts the question as a request after the end.
    pub(super) fn ask_whether_fed(&mut self) -> bool {
        self.asked_at_end += u64::from(self.fed_ended());
        !self.fed.is_empty()
    }

    /// Returns the number of requests for fed input after its end.
    pub(super) fn asked_at_end(&self) -> u64 {
        self.asked_at_end
    }
}
