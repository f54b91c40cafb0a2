//! The console: functions 01h to 0Ch, CON, and what stands in for it when the host redirects input or output.
//!
//! Output to CON goes through INT 29h and INT 10h when a program has hooked them, else straight to the screen. Ctrl-C, Ctrl-Break and Ctrl-S
//! are looked for as DOS does it: on all but 06h and 07h. Ctrl-P (echo to the printer) is taken and does nothing: there is no
//! printer.

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

/// Bytes of output that are kept for the host; a program that writes more finds its disk full until the host takes them.
const MOST_CAPTURED: usize = 64 << 20;

/// State of CON and of the redirections.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Console {
    /// Column from 0, modulo 256, for tabs.
    column: u8,
    /// The second byte of a key without a character.
    scan: Option<u8>,
    /// What is left of a line read by handle.
    line: VecDeque<u8>,
    /// The last line read by handle: the next one's template.
    last_line: Vec<u8>,
    /// What ANSI.SYS answers, to be read as if it had been typed.
    replies: VecDeque<u8>,
    pub(super) ansi: Ansi,
    captured: Vec<u8>,
    captured_errors: Vec<u8>,
    fed: VecDeque<u8>,
    fed_end: bool,
    /// How often the program has asked for input after its end. For the host, no state.
    #[serde(skip)]
    asked_at_end: u64,
    /// The service under way has found no fed byte.
    pub(super) input_exhausted: bool,
}

impl Console {
    pub(super) fn forget_line(&mut self) {
        self.line.clear();
        self.replies.clear();
        self.scan = None;
    }

    /// As if the cursor stood at the start of a line.
    pub(super) fn forget_column(&mut self) {
        self.column = 0;
    }

    /// Bytes of memory that input and output take.
    pub(super) fn bytes(&self) -> usize {
        self.captured.len() + self.captured_errors.len() + self.fed.len() + self.line.len()
    }

    /// Keeps output for the host. Returns how many bytes found room.
    pub(super) fn capture(&mut self, bytes: &[u8], errors: bool) -> usize {
        let kept = if errors { &mut self.captured_errors } else { &mut self.captured };
        let len = bytes.len().min(MOST_CAPTURED - kept.len().min(MOST_CAPTURED));
        kept.extend_from_slice(&bytes[..len]);
        len
    }

    /// Up to `len` bytes of what the host has fed. None: nothing yet, more may come.
    pub(super) fn fed(&mut self, len: usize) -> Option<Vec<u8>> {
        if self.fed.is_empty() && !self.fed_end && len > 0 {
            self.input_exhausted = true;
            return None;
        }
        self.asked_at_end += u64::from(self.fed.is_empty() && len > 0);
        let len = len.min(self.fed.len());
        Some(self.fed.drain(..len).collect())
    }

    /// Whether a read of fed input would return at once, with bytes or the end.
    pub(super) fn fed_or_closed(&self) -> bool {
        !self.fed.is_empty() || self.fed_end
    }

    /// Whether fed input is at its end.
    pub(super) fn fed_ended(&self) -> bool {
        self.fed.is_empty() && self.fed_end
    }

    /// The program reads a line of fed input. Returns whether there is none any more.
    pub(super) fn ask_for_line(&mut self) -> bool {
        self.asked_at_end += u64::from(self.fed_ended());
        self.fed_ended()
    }

    /// The program asks whether a read of fed input has bytes.
    pub(super) fn ask_whether_fed(&mut self) -> bool {
        self.asked_at_end += u64::from(self.fed_ended());
        !self.fed.is_empty()
    }

    /// How often the program has asked for fed input after its end.
    pub(super) fn asked_at_end(&self) -> u64 {
        self.asked_at_end
    }
}
