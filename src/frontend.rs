//! How a user meets the machine: window, terminal, console, headless.
//!
//! The only part of oxbox that knows the wall clock, the screen and the sound card of the host. Everything here goes through
//! the public API of [`oxbox::machine`] and knows no program by name.

#[cfg(feature = "audio")]
pub(crate) mod audio;
pub(crate) mod by_ear;
mod calls;
#[cfg(feature = "window")]
mod caption;
pub(crate) mod console;
pub(crate) mod demo;
pub(crate) mod files;
pub(crate) mod film;
mod folders;
#[cfg(any(feature = "window", feature = "terminal"))]
mod help;
pub(crate) mod hotkeys;
pub(crate) mod launcher;
mod notice;
#[cfg(any(feature = "window", feature = "terminal"))]
mod overlay;
pub(crate) mod page;
pub(crate) mod picture;
pub(crate) mod recent;
pub(crate) mod session;
pub(crate) mod signals;
#[cfg(any(feature = "window", feature = "terminal"))]
mod slots;
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
pub(crate) use notice::visible;
use page::{Answer, Page};
use session::LiveSession;

/// Where a user wants to see the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a window; without a display in the terminal.
    Window,
    /// In the terminal; without one nowhere.
    Terminal,
}

/// How the user wants it there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// Window pixels a pixel of a text screen; as many as fit well unless something is said.
    pub(crate) scale: Option<u8>,
    /// A window takes the whole screen.
    pub(crate) fullscreen: bool,
    /// No sound card is opened.
    pub(crate) mute: bool,
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
    /// Opens the wanted place, or the next best, and unless it is unwanted the sound card. Every step down is one line on stderr, before a
    /// terminal is taken over. None when there is no place at all.
    pub(crate) fn open(place: Place, wanted: &Wanted) -> Option<(Display, Option<Sound>)> {
        let sound = || if wanted.mute { None } else { open_sound() };
        if place == Place::Window {
            match open_window(wanted) {
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
    pub(crate) fn play(&mut self, session: &mut LiveSession) -> bool {
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

    /// Shows pages as `page` brings new ones, the first time in any case, and waits for what the user does. None when oxbox is to end.
    pub(crate) fn ask(&mut self, page: &mut dyn FnMut() -> Option<Page>, status: &str) -> Option<Answer> {
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

fn open_window(wanted: &Wanted) -> Result<Display, String> {
    #[cfg(feature = "window")]
    return window::WindowScreen::open("oxbox", wanted).map(Display::Window);
    #[cfg(not(feature = "window"))]
    {
        let _ = wanted;
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
