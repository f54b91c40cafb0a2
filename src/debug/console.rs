//! `oxbox debug`: the debugger in the terminal.
//!
//! This file reads keys and the mouse and lets the program run between two looks at them; `app` is what they do, `view` what is seen.

mod app;
#[cfg(test)]
mod tests;
mod view;

use std::io::{self, stdout};
use std::time::Duration;

use crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event, KeyEventKind};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::debuggee::Debuggee;
use app::App;

/// How long a wait for a key lasts while nothing runs.
const WAIT: Duration = Duration::from_millis(250);

/// The terminal as it was, once this is dropped.
struct Raw;

impl Raw {
    fn enter() -> io::Result<Raw> {
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableMouseCapture)?;
        Ok(Raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

/// Debugs a program until the user leaves.
///
/// # Errors
/// When the terminal cannot be used.
pub(crate) fn run(debuggee: Debuggee) -> io::Result<()> {
    let mut app = App::new(debuggee);
    let _raw = Raw::enter()?;
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    while !app.is_over() {
        terminal.draw(|frame| view::draw(&mut app, frame))?;
        let wait = if app.is_running() { Duration::ZERO } else { WAIT };
        if event::poll(wait)? {
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => app.key(key),
                Event::Mouse(mouse) => app.mouse(mouse),
                _ => {}
            }
        }
        app.advance();
    }
    Ok(())
}
