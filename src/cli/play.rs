//! `oxbox play`: plays one of the games.

use crate::frontend::{Place, signals};
use oxbox::games::{self, GAMES, Game};

use super::arguments::Play;
use super::failure::Failure;
use super::guest::{self, DisplayMode, Guest};
use super::sandbox::Confined;
use super::{needs, outputs};

/// Plays a game, by default in a window.
pub(super) fn run(options: &Play) -> Result<u8, Failure> {
    let game = find(&options.game)?;
    outputs::check_guest(&options.guest, &[])?;
    let guest = guest_of(game);
    let mut session = guest::prepare(&guest, &options.guest)?.session;
    let front = &options.guest.front;
    let mode = guest::wanted(&options.guest);
    // By default a game has a window.
    let _confined = match mode {
        DisplayMode::Default => Confined::default(),
        _ => needs::confine_guest(&guest, &options.guest)?,
    };
    let _orderly = signals::watch();
    let seen = match mode {
        DisplayMode::Screen(place) => guest::play(&mut session, Some(place), front),
        DisplayMode::Default => guest::play(&mut session, Some(Place::Window), front),
        DisplayMode::Headless => guest::play(&mut session, None, front),
        DisplayMode::ScreenReader => guest::screen_reader(&mut session),
    };
    guest::conclude(session, &options.guest, seen)
}

/// Returns the game as a program to run: it has no folder, its drive is in memory.
pub(super) fn guest_of(game: &Game) -> Guest {
    Guest {
        title: game.name.to_owned(),
        name: game.file.to_owned(),
        bytes: game.program.to_vec(),
        ..Guest::default()
    }
}

pub(super) fn find(name: &str) -> Result<&'static Game, Failure> {
    games::find(name).ok_or_else(|| {
        let known: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
        Failure::Usage(format!("unknown game '{name}' (there are {})", known.join(", ")))
    })
}
