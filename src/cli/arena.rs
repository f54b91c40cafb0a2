//! `oxbox arena`: every engine against every other.

use std::io::Write;

use oxbox::engine::arena::sides_taken;
use oxbox::games;

use super::arguments::Arena;
use super::failure::Failure;
use super::{outputs, pages, paragraph};

/// Characters per line of the introduction.
const WIDTH: usize = 103;

/// Plays all matches and prints the table, or JSON.
pub(super) fn run(options: &Arena) -> Result<u8, Failure> {
    let table = games::arena();
    let counted = format!(
        "Every line of play that two players leave open, as the one who opens sees it. {}.",
        sides_taken(&games::entrants())
    );
    if let Some(path) = &options.html {
        outputs::write(path, pages::arena::page(&table, &counted, options.live.as_ref()))?;
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        let text = serde_json::to_string_pretty(&table).map_err(|error| Failure::Host(error.to_string()))?;
        writeln!(out, "{text}")?;
        return Ok(0);
    }
    let introduction = format!("{counted} Below: both sides, all matches with others.");
    writeln!(out, "{}\n", paragraph::lines(&introduction, WIDTH).join("\n"))?;
    write!(out, "{table}")?;
    Ok(0)
}
