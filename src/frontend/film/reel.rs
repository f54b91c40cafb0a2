//! The common interface of the recording formats.

use std::io;

use oxbox::machine::Machine;

/// The maximum size of a recording in bytes; it is cut off there.
pub(super) const LARGEST: usize = 256 << 20;

pub(super) trait Reel {
    /// Adds the screen at a time of the recording, in milliseconds. `settled`: the program waits
    /// for a key, or has ended.
    fn show(&mut self, ms: u64, settled: bool, machine: &Machine) -> io::Result<()>;

    /// Ends the recording at this time.
    fn finish(&mut self, ms: u64) -> io::Result<()>;
}
