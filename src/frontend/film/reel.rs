//! What the forms of a film have in common.

use std::io;

use oxbox::machine::Machine;

/// A film that grows beyond this is cut there, in bytes.
pub(super) const LARGEST: usize = 256 << 20;

/// One of the forms.
pub(super) trait Reel {
    /// The screen at a moment of the film, in milliseconds. `settled`: the program waits for a key, or has ended.
    fn show(&mut self, ms: u64, settled: bool, machine: &Machine) -> io::Result<()>;

    /// The film is over at this moment.
    fn finish(&mut self, ms: u64) -> io::Result<()>;
}
