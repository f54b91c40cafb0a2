//! `oxbox arena`: every engine against every other.

use std::io::Write;

use oxbox::engine::arena;

use super::arguments::JsonOption;
use super::failure::Failure;

/// Plays all matches and prints the table, or JSON.
pub(super) fn run(options: &JsonOption) -> Result<u8, Failure> {
    let table = arena::play_all();
    let mut out = std::io::stdout().lock();
    if options.json {
        let text = serde_json::to_string_pretty(&table).map_err(|error| Failure::Host(error.to_string()))?;
        writeln!(out, "{text}")?;
        return Ok(0);
    }
    writeln!(
        out,
        "Every line of play that two players leave open, as the one who opens sees it. oxo only opens, ttt1 and\n\
         eecs2100 only answer, grid18 is people who try everything. Below: both sides, all matches with others.\n"
    )?;
    write!(out, "{table}")?;
    Ok(0)
}
