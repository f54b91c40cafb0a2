//! What DOS tells the user: calls that it does not have, each once.

use super::{Dos, pending::Call};
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
}

impl Dos {
    /// Hands over what DOS has to tell the user: calls that it does not know, each once, with number and CS:IP.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices.fresh)
    }

    /// Notes something that is not there; each once.
    pub(super) fn notice(&mut self, g: &mut Call, what: &str) {
        let missing = &mut self.notices.missing;
        if missing.len() < MOST_NOTICES && missing.insert(what.to_owned()) {
            let at = g.caller();
            self.notices.push(format!("not there: {what}, called before {at}"));
        }
    }

    /// Notes a function that is not there.
    pub(super) fn notice_function(&mut self, g: &mut Call) {
        let ah = g.cpu.regs.ah();
        self.notice(g, &format!("INT 21 AH={ah:02X}"));
    }

    /// Notes a subfunction that is not there.
    pub(super) fn notice_subfunction(&mut self, g: &mut Call) {
        let ax = g.cpu.regs.ax();
        self.notice(g, &format!("INT 21 AX={ax:04X}"));
    }
}
