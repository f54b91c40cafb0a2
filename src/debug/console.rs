//! `oxbox debug`: the debugger in the terminal.
//!
//! This file passes keys and mouse events to `app`, which acts on them, and lets the program run in
//! between. `view` draws.

mod app;
#[cfg(test)]
mod tests;
mod view;

use std::time::Duration;

use super::debuggee::Debuggee;
use crate::frontend::signals;
use crate::frontend::terminal::TerminalScreen;
use app::App;

/// Timeout of a wait for a key while nothing runs.
const WAIT: Duration = Duration::from_millis(250);

/// Debugs a program until the user quits, or a signal ends oxbox. The terminal is restored in
/// either case. `watches` are the initial watch expressions. Fails if stdin is not a terminal.
pub(crate) fn run(debuggee: Debuggee, watches: Vec<String>) -> Result<(), String> {
    let _watch = signals::watch();
    let mut app = App::new(debuggee);
    app.watches = watches;
    let mut screen = TerminalScreen::for_cells()?;
    while !app.is_over() {
        screen.draw(|canvas| view::draw(&mut app, canvas));
        let wait = if app.is_running() { Duration::ZERO } else { WAIT };
        let Some((keys, mouse)) = screen.input(wait) else { break };
        keys.into_iter().for_each(|key| app.key(key));
        mouse.into_iter().for_each(|event| app.mouse(event));
        app.advance();
    }
    Ok(())
}
