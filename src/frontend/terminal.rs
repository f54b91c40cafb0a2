//! The machine in a terminal: text as text, pictures as half blocks.
//!
//! While a [`TerminalScreen`] lives the terminal is in raw mode on its alternate screen; it is given back when the screen is dropped, when
//! the program panics and when the process is told to end. Ctrl-C leaves oxbox; the program gets its own by the help page.

mod cells;
mod keys;
mod paint;
pub(super) mod raw;

use std::io::{IsTerminal, Write, stderr, stdout};
use std::time::{Duration, Instant};

use crossterm::event::{self, KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
    EnterAlternateScreen, LeaveAlternateScreen, SetTitle,
};
use crossterm::{cursor, execute};

pub(crate) use self::keys::{pc_key, strike};
pub(crate) use self::raw::{RawMode, is_ctrl_c};

use self::cells::{Colour, Grid};
use self::paint::Depth;
use super::help;
use super::overlay::{Leave, Overlay, Pressed};
use super::page::{Page, Projector};
use super::session::Session;
use super::signals::Signal;
use oxbox::machine::{Key, Machine, MouseButton};

/// Time from one picture to the next.
const FRAME_TIME: Duration = Duration::from_millis(16);

/// Pictures of half blocks are many bytes: time from one to the next.
const PICTURE_TIME: Duration = Duration::from_millis(50);

/// The status line: black on grey.
const STATUS: (Colour, Colour) = (Colour::Text(0), Colour::Text(7));

/// The terminal, taken over.
pub(crate) struct TerminalScreen {
    depth: Depth,
    shown: Option<Grid>,
    projector: Projector,
    /// Keys that came together with the one that was asked for.
    unread: Vec<KeyEvent>,
    raw: RawMode,
}

impl TerminalScreen {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// Why that cannot be.
    pub(crate) fn open() -> Result<TerminalScreen, String> {
        let raw = RawMode::enter().map_err(|error| error.to_string())?;
        let depth = Depth::of_environment(|name| std::env::var(name).ok());
        // From here on dropping gives everything back.
        let screen =
            TerminalScreen { depth, shown: None, projector: Projector::default(), unread: Vec::new(), raw };
        raw::alternate_screen(true);
        execute!(stdout(), EnterAlternateScreen, DisableLineWrap, SetTitle("oxbox"))
            .map_err(|e| e.to_string())?;
        Ok(screen)
    }

    /// Plays a session until the program has ended and a key was struck, or the user leaves. False when oxbox is to end.
    pub(crate) fn play(&mut self, session: &mut Session) -> bool {
        if stderr().is_terminal() {
            session.silence_calls();
        }
        let mut overlay = Overlay::default();
        let mut last = Instant::now();
        let mut drawn: Option<(Looks, Instant)> = None;
        loop {
            let stands = session.is_paused() || overlay.shows_help();
            for event in self.events(if stands { FRAME_TIME * 2 } else { FRAME_TIME }) {
                give(event, &mut overlay, session);
            }
            raw::report_mouse(session.machine.program_uses_mouse() && !overlay.shows_help());
            for event in self.raw.take_mouse() {
                give_mouse(event, session);
            }
            let now = Instant::now();
            if let Some(leave) = overlay.advance(session, now - last, now) {
                return leave == Leave::Session;
            }
            last = now;
            let looks = Looks::of(&overlay, session);
            if self.shown.is_none() || looks.differ_from(drawn.as_ref(), now) {
                let grid = self.compose(&looks, session);
                self.show(grid);
                drawn = Some((looks, now));
            }
        }
    }

    /// Shows a page with a line below it and waits for a key. None when oxbox is to end.
    pub(crate) fn ask(&mut self, page: &Page, status: &str) -> Option<Key> {
        loop {
            if self.raw.told_to_end() {
                return None;
            }
            let text = self.projector.text(page);
            let grid = with_status(status, |columns, rows| match &text {
                Some(text) => cells::from_text(text, columns, rows),
                None => Grid::blank(columns, rows),
            });
            self.show(grid);
            let mut events = self.events(Duration::from_millis(500)).into_iter();
            while let Some(event) = events.next() {
                if is_ctrl_c(event) {
                    return None;
                }
                if let Some(key) = pc_key(event) {
                    self.unread = events.collect();
                    return Some(key);
                }
            }
        }
    }

    /// The keys that come within `wait`, and those that are there by then.
    fn events(&mut self, wait: Duration) -> Vec<KeyEvent> {
        if !self.unread.is_empty() {
            return std::mem::take(&mut self.unread);
        }
        let events = self.raw.events(wait);
        if self.raw.was_resized() {
            self.shown = None;
        }
        events
    }

    /// What stands on the terminal now: the machine's screen or the help page, and the status line.
    fn compose(&mut self, looks: &Looks, session: &Session) -> Grid {
        if looks.help {
            let text = self.projector.text(&help::page());
            return with_status(&looks.status, |columns, rows| match &text {
                Some(text) => cells::from_text(text, columns, rows),
                None => Grid::blank(columns, rows),
            });
        }
        with_status(&looks.status, |columns, rows| machine_grid(&session.machine, columns, rows))
    }

    fn show(&mut self, grid: Grid) {
        let changes = paint::difference(self.shown.as_ref(), &grid, self.depth);
        if !changes.is_empty() {
            let mut out = stdout().lock();
            // A terminal that has gone away is noticed when keys are read.
            let _ = execute!(out, BeginSynchronizedUpdate);
            let _ = out.write_all(&changes);
            let _ = execute!(out, EndSynchronizedUpdate);
        }
        self.shown = Some(grid);
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        raw::report_mouse(false);
        let _ = execute!(stdout(), EnableLineWrap, LeaveAlternateScreen, cursor::Show);
        raw::alternate_screen(false);
    }
}

fn machine_grid(machine: &Machine, columns: usize, rows: usize) -> Grid {
    match machine.text() {
        Some(text) => cells::from_text(&text, columns, rows),
        None => cells::from_frame(&machine.frame(), columns, rows),
    }
}

/// A grid of the terminal's size: a picture, and a status line below it.
fn with_status(status: &str, picture: impl FnOnce(usize, usize) -> Grid) -> Grid {
    let (columns, rows) =
        terminal::size().map_or((80, 26), |(c, r)| (usize::from(c.max(1)), usize::from(r.max(1))));
    let mut grid = picture(columns, rows - 1);
    grid.rows = rows;
    grid.cells.resize(columns * rows, cells::BLANK);
    grid.write(rows - 1, status, STATUS);
    grid
}

/// What the looks of the terminal depend on. A text screen is composed afresh each time; a picture, which is more work, only when
/// the program has done something.
struct Looks {
    help: bool,
    status: String,
    graphics: bool,
    instructions: u64,
}

impl Looks {
    fn of(overlay: &Overlay, session: &Session) -> Looks {
        Looks {
            help: overlay.shows_help(),
            status: format!(" {} | {} | F1 keys | Ctrl-C leaves", session.name, overlay.status(session)),
            graphics: session.machine.text().is_none(),
            instructions: session.machine.instructions(),
        }
    }

    fn differ_from(&self, drawn: Option<&(Looks, Instant)>, now: Instant) -> bool {
        let Some((old, when)) = drawn else { return true };
        if !self.graphics || self.help != old.help || self.status != old.status {
            return true;
        }
        self.instructions != old.instructions && now - *when >= PICTURE_TIME
    }
}

/// A key of the terminal: oxbox's own, or the program's.
fn give(event: KeyEvent, overlay: &mut Overlay, session: &mut Session) {
    if is_ctrl_c(event) {
        session.break_off(Signal::Interrupt);
        overlay.leave(Leave::Oxbox);
    } else if !overlay.takes(pressed(event), session, Instant::now()) {
        strike(event, session);
    }
}

/// What the mouse does is the program's.
fn give_mouse(event: MouseEvent, session: &mut Session) {
    let (columns, rows) =
        terminal::size().map_or((80, 26), |(c, r)| (usize::from(c.max(1)), usize::from(r.max(2))));
    let (size, at) = ((columns, rows - 1), (usize::from(event.column), usize::from(event.row)));
    let (across, down) = match session.machine.text() {
        Some(text) => cells::place_in_text(&text, size, at),
        None => cells::place_in_frame(&session.machine.frame(), size, at),
    };
    session.point(across, down);
    let button = |button| match button {
        event::MouseButton::Left => MouseButton::Left,
        event::MouseButton::Right => MouseButton::Right,
        event::MouseButton::Middle => MouseButton::Middle,
    };
    match event.kind {
        MouseEventKind::Down(which) => session.button(button(which), true),
        MouseEventKind::Up(which) => session.button(button(which), false),
        _ => {}
    }
}

/// What the overlay wants to know of a key.
fn pressed(event: KeyEvent) -> Pressed {
    let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    let (function, ctrl) = match event.code {
        // Another way to say F1. Ctrl-] is 1Dh, which crossterm reads as Ctrl-5.
        KeyCode::Char(']' | '5') if ctrl => (Some(1), false),
        // With other keys held F1 is the program's.
        KeyCode::F(1) if !event.modifiers.is_empty() => (None, ctrl),
        KeyCode::F(number) => (Some(number), ctrl),
        _ => (None, ctrl),
    };
    let character = if let KeyCode::Char(character) = event.code { Some(character) } else { None };
    Pressed { function, ctrl, character }
}
