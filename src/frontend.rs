//! How a user meets the machine: window, terminal, console, headless.
//!
//! The only part of oxbox that knows the wall clock, the screen and the sound card of the host. Everything here goes through
//! the public API of [`oxbox::machine`] and knows no program by name.

#[cfg(feature = "audio")]
pub(crate) mod audio;
pub(crate) mod by_ear;
mod calls;
pub(crate) mod console;
pub(crate) mod files;
pub(crate) mod film;
#[cfg(any(feature = "window", feature = "terminal"))]
mod help;
pub(crate) mod hotkeys;
pub(crate) mod launcher;
mod notice;
mod overlay;
pub(crate) mod page;
pub(crate) mod picture;
pub(crate) mod scale;
pub(crate) mod session;
pub(crate) mod signals;
mod sound;
#[cfg(feature = "terminal")]
pub(crate) mod terminal;
pub(crate) mod watch;
pub(crate) mod wav;
#[cfg(feature = "window")]
pub(crate) mod window;

#[cfg(feature = "terminal")]
use std::io::{self, IsTerminal};

pub(crate) use sound::{Sound, open_sound, play_sound};

use notice::notice;
use oxbox::machine::Key;
use page::Page;
use session::Session;

/// Where a user wants to see the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a window; without a display in the terminal.
    Window,
    /// In the terminal; without one nowhere.
    Terminal,
}

/// A place that is there: where a session is played.
#[allow(clippy::large_enum_variant)] // there is one of it, and it is never moved about
pub(crate) enum Display {
    /// A window.
    #[cfg(feature = "window")]
    Window(window::WindowScreen),
    /// The terminal.
    #[cfg(feature = "terminal")]
    Terminal(terminal::TerminalScreen),
}

impl Display {
    /// Opens the wanted place, or the next best, and unless `mute` the sound card. Every step down is one line on stderr, before a
    /// terminal is taken over. None when there is no place at all.
    pub(crate) fn open(place: Place, scale: u8, mute: bool) -> Option<(Display, Option<Sound>)> {
        let sound = || if mute { None } else { open_sound() };
        if place == Place::Window {
            match open_window(scale) {
                Ok(screen) => return Some((screen, sound())),
                Err(why) => notice(&format!("no window ({why}), using the terminal")),
            }
        }
        let no_terminal = match open_terminal(sound) {
            Ok(opened) => return Some(opened),
            Err(why) => why,
        };
        notice(&format!("no terminal ({no_terminal}), running headless"));
        None
    }

    /// Plays a session until its end has been seen or the user leaves. False when oxbox is to end.
    pub(crate) fn play(&mut self, session: &mut Session) -> bool {
        match self {
            #[cfg(feature = "window")]
            Display::Window(screen) => screen.play(session),
            #[cfg(feature = "terminal")]
            Display::Terminal(screen) => screen.play(session),
            #[cfg(not(any(feature = "window", feature = "terminal")))]
            _ => {
                let _ = session;
                false
            }
        }
    }

    /// Shows a page and waits for a key. None when oxbox is to end.
    pub(crate) fn ask(&mut self, page: &Page, status: &str) -> Option<Key> {
        let _ = status;
        match self {
            #[cfg(feature = "window")]
            Display::Window(screen) => screen.ask(page),
            #[cfg(feature = "terminal")]
            Display::Terminal(screen) => screen.ask(page, status),
            #[cfg(not(any(feature = "window", feature = "terminal")))]
            _ => {
                let _ = page;
                None
            }
        }
    }
}

fn open_window(scale: u8) -> Result<Display, String> {
    #[cfg(feature = "window")]
    return window::WindowScreen::open("oxbox", scale).map(Display::Window);
    #[cfg(not(feature = "window"))]
    {
        let _ = scale;
        Err("this oxbox was built without windows".to_owned())
    }
}

fn open_terminal(sound: impl FnOnce() -> Option<Sound>) -> Result<(Display, Option<Sound>), String> {
    #[cfg(feature = "terminal")]
    {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err("stdin or stdout is no terminal".to_owned());
        }
        let sound = sound();
        Ok((Display::Terminal(terminal::TerminalScreen::open()?), sound))
    }
    #[cfg(not(feature = "terminal"))]
    {
        let _ = sound;
        Err("this oxbox was built without the terminal".to_owned())
    }
}
