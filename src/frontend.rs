//! Front ends: window, terminal, console, headless.
//!
//! Only the front ends use the wall clock, the screen and the sound card of the host. They use the
//! public API of [`oxbox::machine`] and contain nothing about particular programs.

#[cfg(feature = "audio")]
pub(crate) mod audio;
pub(crate) mod screen_reader;
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

/// The display requested by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A window; without a display the terminal.
    Window,
    /// The terminal; without one nothing.
    Terminal,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DisplayOptions {
    /// Window pixels per pixel of a text screen; by default as many as fit well.
    pub(crate) scale: Option<u8>,
    /// Whether the window takes the whole screen.
    pub(crate) fullscreen: bool,
    /// Whether no sound card is opened.
    pub(crate) mute: bool,
}

#[allow(clippy::large_enum_variant)] // there is one of it, and it is never moved about
pub(crate) enum Display {
    #[cfg(feature = "window")]
    Window(window::WindowScreen),
    #[cfg(feature = "terminal")]
    Terminal(terminal::TerminalScreen),
}

impl Display {
    /// Opens the requested display, or the next best, and the sound card unless muted. Each
    /// fallback prints a line on stderr, before a terminal is taken over. `None` if there is no
    /// display at all.
    pub(crate) fn open(place: Place, wanted: &DisplayOptions) -> Option<(Display, Option<Sound>)> {
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

    /// Plays a session until its end was seen or the user quits. Returns false if oxbox must end.
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

    /// Shows `page`'s pages and waits for the user. `None` if oxbox should end.
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

fn open_window(wanted: &DisplayOptions) -> Result<Display, String> {
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
            return Err("stdin or stdout is not a terminal".to_owned());
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
