//! The machine in a terminal: text as text, pictures as half blocks.
//!
//! While a [`Screen`] lives the terminal is in raw mode on its alternate screen; it is given back when the screen is dropped, when
//! the program panics and when the process is told to end. Ctrl-C leaves oxbox; the program gets its own by the help page.

mod cells;
mod keys;
mod paint;
mod raw;

use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
    EnterAlternateScreen, LeaveAlternateScreen, SetTitle,
};
use crossterm::{cursor, execute};

pub(crate) use self::keys::pc_key;
pub(crate) use self::raw::{RawMode, is_ctrl_c};

use self::cells::{Colour, Grid};
use self::paint::Depth;
use super::help;
use super::hotkeys::{self, Wish};
use super::page::{Page, Projector};
use super::session::Session;
use oxbox::machine::{Key, Machine};

/// Time from one picture to the next.
const FRAME_TIME: Duration = Duration::from_millis(16);

/// Pictures of half blocks are many bytes: time from one to the next.
const PICTURE_TIME: Duration = Duration::from_millis(50);

/// How long a message stays in the status line.
const MESSAGE_TIME: Duration = Duration::from_secs(4);

/// After the end of a program a key leaves, but not one that was meant for the program.
const GRACE_TIME: Duration = Duration::from_millis(700);

/// The status line: black on grey.
const STATUS: (Colour, Colour) = (Colour::Text(0), Colour::Text(7));

/// The terminal, taken over.
pub(crate) struct Screen {
    depth: Depth,
    shown: Option<Grid>,
    projector: Projector,
    /// Keys that came together with the one that was asked for.
    unread: Vec<KeyEvent>,
    raw: RawMode,
}

impl Screen {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// Why that cannot be.
    pub(crate) fn open() -> Result<Screen, String> {
        let raw = RawMode::enter().map_err(|error| error.to_string())?;
        let depth = Depth::of_environment(|name| std::env::var(name).ok());
        // From here on dropping gives everything back.
        let screen = Screen { depth, shown: None, projector: Projector::default(), unread: Vec::new(), raw };
        raw::alternate_screen(true);
        execute!(stdout(), EnterAlternateScreen, DisableLineWrap, SetTitle("oxbox"))
            .map_err(|e| e.to_string())?;
        Ok(screen)
    }

    /// Plays a session until the program has ended and a key was struck, or the user leaves. False when oxbox is to end.
    pub(crate) fn play(&mut self, session: &mut Session) -> bool {
        let mut player = Player::default();
        let mut last = Instant::now();
        let mut drawn: Option<(Looks, Instant)> = None;
        loop {
            let wait = if session.is_paused() || player.help { FRAME_TIME * 2 } else { FRAME_TIME };
            for key in self.events(wait) {
                player.key(key, session);
            }
            let now = Instant::now();
            if !player.help {
                session.advance(now - last);
            }
            last = now;
            if self.raw.told_to_end() {
                player.leave = true;
            }
            if player.wants_to_go_on(session) {
                let looks = Looks::of(&player, session);
                if self.shown.is_none() || looks.differ_from(drawn.as_ref(), now) {
                    let grid = self.compose(&looks, session);
                    self.show(grid);
                    drawn = Some((looks, now));
                }
                continue;
            }
            session.leave();
            return !player.leave;
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

impl Drop for Screen {
    fn drop(&mut self) {
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
    fn of(player: &Player, session: &Session) -> Looks {
        Looks {
            help: player.help,
            status: player.status(session),
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

/// The state of oxbox's own keys during a session.
#[derive(Default)]
struct Player {
    help: bool,
    /// Back to where we came from.
    quit: bool,
    /// Out of oxbox.
    leave: bool,
    message: Option<(String, Instant)>,
    ended: Option<Instant>,
}

impl Player {
    fn key(&mut self, event: KeyEvent, session: &mut Session) {
        if is_ctrl_c(event) {
            self.leave = true;
            return;
        }
        if session.end.is_some() {
            self.quit |= self.ended.is_some_and(|when| when.elapsed() > GRACE_TIME);
            return;
        }
        if let Some(wish) = self.own_key(event) {
            self.fulfil(wish, session);
        } else if self.help {
            self.help = false;
            if event.code == KeyCode::F(1) {
                session.strike(Key::new(0x3B, false));
            }
        } else if let Some(key) = pc_key(event) {
            session.strike(key);
        }
    }

    fn own_key(&self, event: KeyEvent) -> Option<Wish> {
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        match event.code {
            KeyCode::F(1) if !self.help && event.modifiers.is_empty() => Some(Wish::Help),
            // Ctrl-] is 1Dh, which crossterm reads as Ctrl-5.
            KeyCode::Char(']' | '5') if !self.help && ctrl => Some(Wish::Help),
            KeyCode::F(number) if ctrl => hotkeys::of_function_key(number),
            KeyCode::Char(letter) if self.help => hotkeys::of_letter(letter),
            _ => None,
        }
    }

    fn fulfil(&mut self, wish: Wish, session: &mut Session) {
        match wish {
            Wish::Help => self.help = true,
            Wish::Quit => self.quit = true,
            Wish::Faster | Wish::Slower | Wish::Mute => {}
            _ => self.help = false,
        }
        if let Some(message) = session.fulfil(wish) {
            self.message = Some((message, Instant::now()));
        }
    }

    fn wants_to_go_on(&mut self, session: &Session) -> bool {
        if session.end.is_some() {
            self.ended.get_or_insert_with(Instant::now);
        }
        self.message.take_if(|(_, since)| since.elapsed() > MESSAGE_TIME);
        !self.quit && !self.leave
    }

    fn status(&self, session: &Session) -> String {
        let state = match &self.message {
            Some((message, _)) => message.clone(),
            None => session.state(),
        };
        format!(" {} | {state} | F1 keys | Ctrl-C leaves", session.name)
    }
}
