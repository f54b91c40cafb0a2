//! `oxbox list`: information about each game.

use std::io::Write;

use oxbox::games::{GAMES, Game};
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
                    "about": game.about, "keys": game.keys, "sounds": sounds(game),
                })
            })
            .collect();
        writeln!(out, "{:#}", json!({ "games": games }))?;
        return Ok(0);
    }
    for game in GAMES {
        writeln!(out, "{:<10} {} ({}, {})", game.name, game.title, game.author, game.year)?;
        writeln!(out, "{:<10} {}", "", game.about)?;
        writeln!(out, "{:<10} Keys: {}", "", game.keys)?;
        match sounds(game).join(", ").as_str() {
            "" => writeln!(out)?,
            sounds => writeln!(out, "{:<10} Sounds: {sounds}\n", "")?,
        }
    }
    writeln!(
        out,
        "Play one with 'oxbox play NAME', hear a sound with 'oxbox tune NAME SOUND', prove it with 'oxbox verify NAME'."
    )?;
    Ok(0)
}

/// Returns the game's sounds for `oxbox tune`, by name.
fn sounds(game: &Game) -> Vec<&'static str> {
    game.sounds.iter().map(|(name, _)| *name).collect()
}
