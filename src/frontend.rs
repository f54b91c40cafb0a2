//! How a user meets the machine: window, terminal, console, headless.
//!
//! The only part of oxbox that knows the wall clock, the screen and the sound card of the host. Everything here goes through
//! the public API of [`crate::machine`] and knows no program by name.

#[cfg(feature = "audio")]
pub mod audio;
mod help;
pub mod hotkeys;
pub mod launcher;
pub mod page;
pub mod picture;
pub mod scale;
pub mod session;
pub mod tape;
#[cfg(feature = "terminal")]
pub mod terminal;
#[cfg(feature = "window")]
pub mod window;

use std::io::{self, Write};
use std::path::Path;

use page::Page;
use session::Session;

use crate::machine::Key;

/// Where a user wants to see the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a window; without a display in the terminal.
    Window,
    /// In the terminal; without one nowhere.
    Terminal,
}

/// A place that is there: where a session is played.
#[allow(clippy::large_enum_variant)] // there is one of it, and it is never moved about
pub enum Screen {
    /// A window.
    #[cfg(feature = "window")]
    Window(window::Screen),
    /// The terminal.
    #[cfg(feature = "terminal")]
    Terminal(terminal::Screen),
}

impl Screen {
    /// Opens the wanted place, or the next best. Every step down is one line on stderr; None when there is neither.
    pub fn open(place: Place, scale: u8) -> Option<Screen> {
        if place == Place::Window {
            match open_window(scale) {
                Ok(screen) => return Some(screen),
                Err(why) => notice(&format!("no window ({why}), using the terminal")),
            }
        }
        match open_terminal() {
            Ok(screen) => Some(screen),
            Err(why) => {
                notice(&format!("no terminal ({why}), running headless"));
                None
            }
        }
    }

    /// Plays a session until its end has been seen or the user leaves. False when oxbox is to end.
    pub fn play(&mut self, session: &mut Session) -> bool {
        match self {
            #[cfg(feature = "window")]
            Screen::Window(screen) => screen.play(session),
            #[cfg(feature = "terminal")]
            Screen::Terminal(screen) => screen.play(session),
            #[cfg(not(any(feature = "window", feature = "terminal")))]
            _ => {
                let _ = session;
                false
            }
        }
    }

    /// Shows a page and waits for a key. None when oxbox is to end.
    pub fn ask(&mut self, page: &Page, status: &str) -> Option<Key> {
        let _ = status;
        match self {
            #[cfg(feature = "window")]
            Screen::Window(screen) => screen.ask(page),
            #[cfg(feature = "terminal")]
            Screen::Terminal(screen) => screen.ask(page, status),
            #[cfg(not(any(feature = "window", feature = "terminal")))]
            _ => {
                let _ = page;
                None
            }
        }
    }
}

fn open_window(scale: u8) -> Result<Screen, String> {
    #[cfg(feature = "window")]
    return window::Screen::open("oxbox", scale).map(Screen::Window);
    #[cfg(not(feature = "window"))]
    {
        let _ = scale;
        Err("this oxbox was built without windows".to_owned())
    }
}

fn open_terminal() -> Result<Screen, String> {
    #[cfg(feature = "terminal")]
    return terminal::Screen::open().map(Screen::Terminal);
    #[cfg(not(feature = "terminal"))]
    Err("this oxbox was built without the terminal".to_owned())
}

/// Lets a session be heard; without a sound card one line on stderr, and silence.
pub fn add_sound(session: &mut Session) {
    #[cfg(feature = "audio")]
    match audio::Audio::open() {
        Ok(audio) => session.set_audio(audio),
        Err(why) => notice(&format!("no sound ({why}), playing in silence")),
    }
    #[cfg(not(feature = "audio"))]
    let _ = session;
}

/// A line about what had to be done otherwise than wanted. That stderr is closed is no reason to fail.
fn notice(line: &str) {
    let _ = writeln!(io::stderr(), "oxbox: {line}");
}

/// Writes text to a file; `-` is stdout.
///
/// # Errors
/// When the file cannot be written.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    if path == Path::new("-") {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        return out.flush();
    }
    std::fs::write(path, text)
}
