//! A hash of a search's inputs, by which its shards recognise each other.

use super::choices::Choices;
use super::program::Setup;
use super::search_stats::Bounds;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// Returns the hash of a search over programs, without the files in their folders and the observed
/// categories. `how` describes further options.
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
