//! A hash of what is walked over, by which parts of one walk know each other.

use super::choices::Choices;
use super::extent::Bounds;
use super::program::Setup;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// What makes a walk over programs what it is, but for the files in their folders and what it keeps apart; `how` is what it
/// has of its own.
pub(crate) fn fingerprint(setups: &[&Setup], choices: &Choices, bounds: Bounds, how: &str) -> u128 {
    let mut hash = Xxh3::new();
    let mut add = |words: &str| hash.update(&xxh3_128(words.as_bytes()).to_le_bytes());
    add(env!("CARGO_PKG_VERSION"));
    add(how);
    add(&format!("{choices:?} {:?}", bounds.of_report()));
    for Setup {
        config, name, arguments, opening, filling, instruction_limit, time_limit_ms, program, ..
    } in setups
    {
        let mut config = config.clone();
        config.dos.folder = None;
        add(&format!("{config:?} {opening:?} {filling:?} {instruction_limit} {time_limit_ms}"));
        add(name);
        add(arguments);
        add(&xxh3_128(program).to_string());
    }
    hash.digest128()
}
