//! `oxbox` alone: the launcher, or without any screen a showing of every game.

use std::io::Write;

use crate::frontend::launcher::{self, Choice};
use crate::frontend::signals::{self, Signal};
use crate::frontend::{Display, Place, Sound};
use oxbox::games::{GAMES, Game};

use super::arguments::{FrontOptions, GuestOptions};
use super::failure::Failure;
use super::{guest, play};

/// The line below the menu in the terminal.
const STATUS: &str = " oxbox | arrows, Enter: play | Esc, Ctrl-C: leave";

/// Shows the menu where there is a screen, and every game once where there is none.
pub(super) fn run(front: &FrontOptions) -> Result<u8, Failure> {
    let place = if front.terminal { Place::Terminal } else { Place::Window };
    if front.headless {
        return showing();
    }
    match Display::open(place, front.scale.unwrap_or(1), front.mute) {
        Some((mut screen, sound)) => {
            let _orderly = signals::watch();
            menu(&mut screen, sound)
        }
        None => showing(),
    }
}

/// The menu, and the games that are chosen from it, until the user leaves.
fn menu(screen: &mut Display, mut sound: Option<Sound>) -> Result<u8, Failure> {
    let mut chosen = 0;
    while let Some(key) = screen.ask(&launcher::menu(GAMES, chosen), STATUS) {
        match launcher::choose(key, chosen, GAMES.len()) {
            Choice::Line(line) => chosen = line,
            Choice::Leave => break,
            Choice::Play(line) => {
                chosen = line;
                let mut session = guest::prepare(&play::guest_of(&GAMES[line]), &GuestOptions::default())?;
                sound.take().into_iter().for_each(|sound| session.set_sound(sound));
                let goes_on = screen.play(&mut session);
                sound = session.take_sound();
                if !goes_on {
                    break;
                }
            }
        }
    }
    Ok(signals::received().map_or(0, Signal::exit_code))
}

/// Every game once with its sample of keys, and a line on how to play.
fn showing() -> Result<u8, Failure> {
    let orderly = signals::watch();
    for game in GAMES {
        show(game)?;
        if let Some(signal) = signals::received() {
            return Ok(signal.exit_code());
        }
    }
    // A walk has nothing to write in order: from here on a signal ends it at once.
    drop(orderly);
    let mut out = std::io::stdout().lock();
    writeln!(out, "Every line of play, emulated against native:")?;
    super::verify::show_all(&mut out)?;
    writeln!(
        out,
        "\nPlay one: 'oxbox play NAME' on a machine with a display, 'oxbox play NAME --terminal' in a terminal."
    )?;
    Ok(0)
}

/// Plays a game's sample and prints the last screen.
fn show(game: &Game) -> Result<(), Failure> {
    let options = GuestOptions { keys: Some(game.sample.to_owned()), ..GuestOptions::default() };
    let mut session = guest::prepare(&play::guest_of(game), &options)?;
    session.run_through();
    let mut out = std::io::stdout().lock();
    writeln!(out, "== {} ({}, {}), keys {}", game.title, game.author, game.year, game.sample)?;
    writeln!(out, "{}", guest::screen_text(&session.machine).trim_end())?;
    writeln!(out)?;
    Ok(())
}
