//! `oxbox` without arguments: the launcher, or without any screen a demonstration of every game.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use crate::frontend::demo::Demo;
use crate::frontend::launcher::{self, Choice, Item, Menu, Section};
use crate::frontend::page::{Answer, Page};
use crate::frontend::signals;
use crate::frontend::{Display, Place, Sound, recent};
use oxbox::games::{GAMES, Game};
use oxbox::hardware::vga::Frame;
use oxbox::machine::{Key, Signal};

use super::arguments::{FrontOptions, GuestOptions, Run};
use super::failure::Failure;
use super::{guest, play, program};

/// The line below the menu in the terminal.
const STATUS: &str = " oxbox | arrows, Enter: open | type to search | Esc, Ctrl-C: leave";

/// Shows the menu if there is a screen, otherwise every game once.
pub(super) fn run(front: &FrontOptions, folder: Option<&Path>) -> Result<u8, Failure> {
    let place = if front.terminal { Place::Terminal } else { Place::Window };
    if front.headless {
        return showing();
    }
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Failure::Usage(format!("--folder: {} is not a folder", folder.display())));
    }
    match Display::open(place, &front.wanted()) {
        Some((mut screen, sound)) => {
            let _orderly = signals::watch();
            menu(&mut screen, sound, front, folder)
        }
        None => showing(),
    }
}

/// Runs the menu and the chosen items, until the user quits.
fn menu(
    screen: &mut Display,
    mut sound: Option<Sound>,
    front: &FrontOptions,
    folder: Option<&Path>,
) -> Result<u8, Failure> {
    let mut menu = Menu::new(sections(folder));
    let mut demo: Option<Demo> = None;
    let mut picture: Option<Frame> = None;
    let enter = Key::new(0x1C, false);
    let mut again = false;
    loop {
        let mut is_new = true;
        let answer = if again {
            Some(Answer::Key(enter))
        } else {
            screen.ask(&mut || next_page(&menu, &mut demo, &mut picture, &mut is_new), STATUS)
        };
        let Some(answer) = answer else { break };
        match menu.answer(answer) {
            Choice::Stay => {}
            Choice::Leave => break,
            Choice::Open => {
                let Some(item) = menu.chosen().cloned() else { continue };
                match open(screen, &item, &mut sound, front) {
                    Ok(Opened::Seen) => again = false,
                    Ok(Opened::Left) => break,
                    Err(failure) => match screen.ask(&mut trouble(&item, &failure), STATUS) {
                        None => break,
                        Some(answer) => again = answer == Answer::Key(enter),
                    },
                }
                menu.set_sections(sections(folder));
            }
        }
    }
    Ok(signals::received().map_or(0, Signal::exit_code))
}

enum Opened {
    Seen,
    /// The user has seen it, and quits oxbox.
    Left,
}

/// Returns the menu's page if it has changed: the selected game moves.
fn next_page(
    menu: &Menu,
    demo: &mut Option<Demo>,
    picture: &mut Option<Frame>,
    is_new: &mut bool,
) -> Option<Page> {
    match menu.chosen() {
        Some(Item::Game(game)) => {
            if demo.as_ref().is_none_or(|demo| demo.name() != game.name) {
                (*demo, *picture) = (Some(Demo::new(game)), None);
            }
            if let Some(frame) = demo.as_mut().and_then(|demo| demo.picture(Instant::now())) {
                (*picture, *is_new) = (Some(frame), true);
            }
        }
        _ => (*demo, *picture) = (None, None),
    }
    std::mem::take(is_new).then(|| menu.page(picture.as_ref()))
}

/// Returns a page that states once why something could not be opened.
fn trouble(item: &Item, failure: &Failure) -> impl FnMut() -> Option<Page> {
    let title = match item {
        Item::Game(game) => game.title.to_owned(),
        Item::Program(path) => path.display().to_string(),
    };
    let mut page = Some(launcher::trouble(&title, &failure.to_string()));
    move || page.take()
}

/// Returns the games, the recently opened items, and the folder's programs.
fn sections(folder: Option<&Path>) -> Vec<Section> {
    let section = |title: &str, items: Vec<Item>| Section { title: title.to_owned(), items };
    let mut sections = vec![section("Games", GAMES.iter().map(Item::Game).collect())];
    if let Some(folder) = folder {
        sections.push(section(&folder.display().to_string(), launcher::programs_in(folder)));
    }
    sections.push(section("Opened last", recent::programs().into_iter().map(Item::Program).collect()));
    sections
}

fn open(
    screen: &mut Display,
    item: &Item,
    sound: &mut Option<Sound>,
    front: &FrontOptions,
) -> Result<Opened, Failure> {
    let options = GuestOptions { front: front.clone(), ..GuestOptions::default() };
    let guest = match item {
        Item::Game(game) => play::guest_of(game),
        Item::Program(path) => {
            recent::add(path);
            program::guest_of(&Run::of(path, options.clone()))?
        }
    };
    let mut session = guest::prepare(&guest, &options)?.session;
    guest::set_looks(&mut session, front);
    sound.take().into_iter().for_each(|sound| session.set_sound(sound, front.speaker_response()));
    let goes_on = screen.play(&mut session);
    *sound = session.take_sound();
    session.machine_mut().flush_files().map_err(|error| Failure::host("its output is lost", error))?;
    Ok(if goes_on { Opened::Seen } else { Opened::Left })
}

/// Plays every game once with its sample keys, prints how to play, and each proof when done.
fn showing() -> Result<u8, Failure> {
    let orderly = signals::watch();
    for game in GAMES {
        show(game)?;
        if let Some(signal) = signals::received() {
            return Ok(signal.exit_code());
        }
    }
    // A proof has nothing to store: from here a signal ends it at once.
    drop(orderly);
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "Play one: 'oxbox play NAME' on a machine with a display, 'oxbox play NAME --terminal' in a terminal."
    )?;
    writeln!(out, "\nEvery line of play, emulated against native:")?;
    super::verify::show_all(&mut out)?;
    Ok(0)
}

/// Plays a game's sample and prints the last screen.
fn show(game: &Game) -> Result<(), Failure> {
    let options = GuestOptions { keys: Some(game.sample.to_owned()), ..GuestOptions::default() };
    let mut session = guest::prepare(&play::guest_of(game), &options)?.session;
    session.run_through();
    let mut out = std::io::stdout().lock();
    writeln!(out, "== {} ({}, {}), keys {}", game.title, game.author, game.year, game.sample)?;
    writeln!(out, "{}", guest::screen_text(session.machine()).trim_end())?;
    writeln!(out)?;
    Ok(())
}
