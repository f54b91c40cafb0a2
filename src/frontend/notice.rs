//! Lines about what had to be done otherwise than wanted.

use std::io::{self, Write};

/// A line about what had to be done otherwise than wanted. That stderr is closed is no reason to fail.
pub(super) fn notice(line: &str) {
    let _ = writeln!(io::stderr(), "oxbox: {line}");
}
