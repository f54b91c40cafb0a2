//! `oxbox list`: what is known of each game.

use std::io::Write;

use oxbox::games::GAMES;
use serde_json::json;

use super::arguments::JsonOption;
use super::failure::Failure;

/// Prints the games, as a table for people or as JSON.
pub(super) fn run(options: &JsonOption) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    if options.json {
        let games: Vec<_> = GAMES
            .iter()
            .map(|game| {
                json!({
                    "name": game.name, "title": game.title, "year": game.year, "author": game.author,
                    "about": game.about, "keys": game.keys,
                })
            })
            .collect();
        writeln!(out, "{:#}", json!({ "games": games }))?;
        return Ok(0);
    }
    for game in GAMES {
        writeln!(out, "{:<10} {} ({}, {})", game.name, game.title, game.author, game.year)?;
        writeln!(out, "{:<10} {}", "", game.about)?;
        writeln!(out, "{:<10} Keys: {}\n", "", game.keys)?;
    }
    writeln!(
        out,
        "Play one with 'oxbox play NAME'; compare it with its native twin by 'oxbox verify NAME'."
    )?;
    Ok(0)
}
