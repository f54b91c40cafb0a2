//! The machine in a terminal: text as text, pictures in the best form that the terminal supports,
//! at least half blocks.
//!
//! While a [`TerminalScreen`] exists, the terminal is in raw mode on its alternate screen. It is
//! restored when the screen is dropped, when the process panics and when a signal ends it. Ctrl-C
//! quits oxbox; the help page can pass it to the program.

mod capabilities;
pub(crate) mod canvas;
mod cells;
mod graphics;
mod keys;
mod paint;
pub(super) mod raw;
mod status;
pub(crate) mod still;

use std::io::{IsTerminal, Write, stderr, stdout};
use std::time::{Duration, Instant};

use crossterm::event::{self, KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
    EnterAlternateScreen, LeaveAlternateScreen, SetTitle,
};
use crossterm::{cursor, execute};

pub(crate) use self::keys::{pc_key, type_key};
pub(crate) use self::raw::{RawMode, is_ctrl_c};

use self::canvas::Canvas;
use self::capabilities::ImageProtocol;
use self::cells::{Colour, Grid, View};
use self::paint::ColourDepth;
use super::overlay::{Leave, Overlay, Pressed};
use super::page::{Answer, COLUMNS, Page, PageRenderer, ROWS};
use super::session::LiveSession;
use oxbox::hardware::vga::{Frame, TextScreen};
use oxbox::machine::{MouseButton, Signal};
use oxbox::media::contrast;

const FRAME_TIME: Duration = Duration::from_millis(16);

/// Time between two pictures of a page, parts of which may move.
const PAGE_TIME: Duration = Duration::from_millis(100);

/// Time between two pictures of half blocks, which take many bytes.
const PICTURE_TIME: Duration = Duration::from_millis(50);

/// The maximum width and height of a sixel picture that every terminal accepts; xterm silently
/// drops a larger one.
const LARGEST_SIXEL: usize = 1000;

/// The status line: black on grey.
const STATUS: (Colour, Colour) = (Colour::Text(0), Colour::Text(7));

pub(crate) struct TerminalScreen {
    depth: ColourDepth,
    pictures: ImageProtocol,
    shown: Option<Grid>,
    /// The current picture, if it is not made of cells.
    drawn: Option<Frame>,
    /// The visible part of a screen that is larger than the terminal.
    view: View,
    projector: PageRenderer,
    /// Keys that arrived together with the one that was returned.
    unread: Vec<KeyEvent>,
    raw: RawMode,
}

impl TerminalScreen {
    /// Takes over the terminal and asks for its kinds of pictures. Fails if stdin is no terminal.
    pub(crate) fn open() -> Result<TerminalScreen, String> {
        let mut screen = TerminalScreen::for_cells()?;
        let answer = capabilities::ask();
        (screen.pictures, screen.unread) = (answer.pictures, answer.keys);
        Ok(screen)
    }

    /// Takes over the terminal for cells only. Fails if stdin is not a terminal.
    pub(crate) fn for_cells() -> Result<TerminalScreen, String> {
        let raw = RawMode::enter().map_err(|error| error.to_string())?;
        let depth = ColourDepth::of_environment(|name| std::env::var(name).ok());
        // From here dropping restores everything.
        let screen = TerminalScreen {
            depth,
            pictures: ImageProtocol::HalfBlocks,
            shown: None,
            drawn: None,
            view: View::default(),
            projector: PageRenderer::default(),
            unread: Vec::new(),
            raw,
        };
        raw::alternate_screen(true);
        execute!(stdout(), EnterAlternateScreen, DisableLineWrap, SetTitle("oxbox"))
            .map_err(|e| e.to_string())?;
        Ok(screen)
    }

    /// Passes a canvas of the terminal's size to `draw`, and shows it.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Canvas)) {
        let (columns, rows) = size();
        let mut canvas = Canvas::new(columns, rows);
        draw(&mut canvas);
        self.show(canvas.into_grid());
    }

    /// Returns the keys and mouse events that come within `wait`. `None` after a signal, or if the
    /// terminal has been closed.
    pub(crate) fn input(&mut self, wait: Duration) -> Option<(Vec<KeyEvent>, Vec<MouseEvent>)> {
        raw::report_mouse(true);
        let keys = self.events(wait);
        (!self.raw.told_to_end()).then(|| (keys, self.raw.take_mouse()))
    }

    /// Plays a session until the program has ended and a key was pressed, or the user quits.
    /// Returns false if oxbox should end.
    pub(crate) fn play(&mut self, session: &mut LiveSession) -> bool {
        if stderr().is_terminal()
            && let Some(watch) = &mut session.host.watch
        {
            // stderr is the terminal that shows the program.
            watch.leave_stderr();
        }
        session.keep_past();
        let mut overlay = Overlay::default();
        let mut last = Instant::now();
        let mut drawn: Option<(DisplayInput, Instant)> = None;
        loop {
            let stands = session.is_paused() || overlay.hides_program();
            // A key ends the wait at once.
            let wait = match (stands, session.machine().is_waiting_for_key()) {
                (true, _) => FRAME_TIME * 3,
                (false, true) => FRAME_TIME * 2,
                (false, false) => FRAME_TIME,
            };
            for event in self.events(wait) {
                if !self.scrolls(event, session) {
                    give(event, &mut overlay, session);
                }
            }
            raw::report_mouse(session.machine().program_uses_mouse() && !overlay.hides_program());
            for event in self.raw.take_mouse() {
                give_mouse(event, session, self.view);
            }
            let now = Instant::now();
            if let Some(leave) = overlay.advance(session, now - last, now) {
                return leave == Leave::Session;
            }
            last = now;
            let input = DisplayInput::of(&overlay, session, self.view);
            if self.shown.is_none() || input.differ_from(drawn.as_ref(), now) {
                self.show_session(&overlay, &input, session);
                drawn = Some((input, now));
            }
        }
    }

    /// Shows pages with a status line and waits for a key or a click. `None` if oxbox should end.
    pub(crate) fn ask(&mut self, page: &mut dyn FnMut() -> Option<Page>, status: &str) -> Option<Answer> {
        let mut shown: Option<Page> = None;
        raw::report_mouse(true);
        loop {
            if self.raw.told_to_end() {
                return None;
            }
            let new = page();
            let is_new = new.is_some();
            shown = new.or(shown);
            if let Some(page) = shown.as_ref().filter(|_| is_new || self.shown.is_none()) {
                let grid = self.page_grid(page, status);
                self.show(grid);
            }
            let mut events = self.events(PAGE_TIME).into_iter();
            while let Some(event) = events.next() {
                if is_ctrl_c(event) {
                    return None;
                }
                if let Some(key) = pc_key(event) {
                    self.unread = events.collect();
                    return Some(Answer::Key(key));
                }
            }
            let mouse = self.raw.take_mouse();
            if let Some(answer) = mouse.into_iter().find_map(|event| answer_of(event, shown.as_ref()?)) {
                return Some(answer);
            }
        }
    }

    /// Returns the keys that come within `wait`.
    fn events(&mut self, wait: Duration) -> Vec<KeyEvent> {
        if !self.unread.is_empty() {
            return std::mem::take(&mut self.unread);
        }
        let events = self.raw.events(wait);
        if self.raw.was_resized() {
            self.shown = None;
            self.view = View::default();
        }
        events
    }

    /// Draws a page or the machine's screen, and the status line.
    fn show_session(&mut self, overlay: &Overlay, input: &DisplayInput, session: &LiveSession) {
        if let Some(page) = overlay.page() {
            let grid = self.page_grid(page, &input.status);
            self.take_picture_away();
            return self.show(grid);
        }
        if input.text.is_none() && self.pictures != ImageProtocol::HalfBlocks {
            let frame = frame_of(session);
            self.show(with_status(&input.status, Grid::blank));
            return self.show_picture(frame);
        }
        self.take_picture_away();
        self.show(with_status(&input.status, |columns, rows| {
            machine_grid(session, columns, rows, input.view)
        }));
    }

    /// Draws a picture in the terminal's own format, above the status line.
    fn show_picture(&mut self, frame: Frame) {
        if self.drawn.as_ref() == Some(&frame) {
            return;
        }
        let (columns, rows) = size();
        let rows = rows - 1;
        let (at, bytes) = match self.pictures {
            ImageProtocol::HalfBlocks => return,
            ImageProtocol::Kitty => {
                // Cells are assumed to be twice as high as wide, as for half blocks.
                let (width, height) = frame.size_within(columns, rows * 2);
                let height = height.div_ceil(2).max(1);
                (((columns - width) / 2, (rows - height) / 2), graphics::kitty(&frame, width, height))
            }
            ImageProtocol::Sixel(wide, high) => {
                let most = |pixels: usize| pixels.min(LARGEST_SIXEL);
                let (width, height) = frame.size_within(most(columns * wide), most(rows * high));
                let at = ((columns - width.div_ceil(wide)) / 2, (rows - height.div_ceil(high)) / 2);
                (at, graphics::sixel(&frame, width, height))
            }
        };
        let mut out = stdout().lock();
        let _ = execute!(out, BeginSynchronizedUpdate, cursor::MoveTo(at.0 as u16, at.1 as u16));
        let _ = out.write_all(&bytes);
        let _ = execute!(out, EndSynchronizedUpdate);
        self.drawn = Some(frame);
    }

    /// Removes a picture before cells are drawn.
    fn take_picture_away(&mut self) {
        if self.drawn.take().is_none() {
            return;
        }
        let mut out = stdout().lock();
        if self.pictures == ImageProtocol::Kitty {
            let _ = out.write_all(&graphics::kitty_delete());
        }
        let _ = execute!(out, terminal::Clear(terminal::ClearType::All));
        self.shown = None;
    }

    /// Alt and an arrow key move the visible part of a text screen that is larger than the
    /// terminal. Returns false for other keys.
    fn scrolls(&mut self, event: KeyEvent, session: &LiveSession) -> bool {
        let (columns, rows) = size();
        let Some(text) = session.machine().text() else { return false };
        if event.modifiers != KeyModifiers::ALT || text.columns <= columns && text.rows < rows {
            return false;
        }
        self.view.scroll(&text, (columns, rows - 1), event.code)
    }

    /// Returns the cells of a page with its pictures, and a status line.
    fn page_grid(&mut self, page: &Page, status: &str) -> Grid {
        let text = self.projector.text(page);
        let view = self.view;
        with_status(status, |columns, rows| {
            let Some(text) = &text else { return Grid::blank(columns, rows) };
            let mut grid = cells::from_text(text, columns, rows, view);
            for picture in &page.pictures {
                cells::lay_over(&mut grid, text, view, picture);
            }
            grid
        })
    }

    fn show(&mut self, grid: Grid) {
        if self.shown.is_none() {
            self.drawn = None;
        }
        let changes = paint::difference(self.shown.as_ref(), &grid, self.depth);
        if !changes.is_empty() {
            let mut out = stdout().lock();
            // A closed terminal is detected when keys are read.
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
        self.take_picture_away();
        let _ = execute!(stdout(), EnableLineWrap, LeaveAlternateScreen, cursor::Show);
        raw::alternate_screen(false);
    }
}

/// Returns the machine's picture with the user's colours.
fn frame_of(session: &LiveSession) -> Frame {
    let mut frame = session.machine().frame();
    if session.high_contrast {
        contrast::raise(&mut frame, None);
    }
    frame
}

fn machine_grid(session: &LiveSession, columns: usize, rows: usize, view: View) -> Grid {
    match session.machine().text() {
        Some(text) => {
            let mut grid = cells::from_text(&text, columns, rows, view);
            if session.high_contrast {
                cells::raise_contrast(&mut grid);
            }
            grid
        }
        None => cells::from_frame(&frame_of(session), columns, rows),
    }
}

/// Returns columns and rows of the terminal, at least two rows.
fn size() -> (usize, usize) {
    terminal::size().map_or((80, 26), |(c, r)| (usize::from(c.max(1)), usize::from(r.max(2))))
}

/// Returns a grid of the terminal's size: a picture, and a status line below it.
fn with_status(status: &str, picture: impl FnOnce(usize, usize) -> Grid) -> Grid {
    let (columns, rows) = size();
    let mut grid = picture(columns, rows - 1);
    grid.rows = rows;
    grid.cells.resize(columns * rows, cells::BLANK);
    grid.write(rows - 1, status, STATUS);
    grid
}

/// The input of the terminal's display. Text screens are compared; for pictures, which would take
/// more work, the program's instruction count is compared.
#[derive(PartialEq)]
struct DisplayInput {
    revision: u32,
    status: String,
    high_contrast: bool,
    view: View,
    text: Option<TextScreen>,
    instructions: u64,
}

impl DisplayInput {
    fn of(overlay: &Overlay, session: &LiveSession, view: View) -> DisplayInput {
        let text = session.machine().text();
        let (columns, rows) = size();
        let mut lines = overlay.lines(session);
        if let Some(text) = text.as_ref().filter(|text| text.columns > columns || text.rows >= rows) {
            lines.push(format!("part of {}x{}: Alt+arrows show the rest", text.columns, text.rows));
        }
        DisplayInput {
            revision: overlay.revision(),
            status: status::line(&session.name, &lines, columns),
            view,
            high_contrast: session.high_contrast,
            // A text screen is compared by its content.
            instructions: if text.is_some() { 0 } else { session.machine().instructions() },
            text,
        }
    }

    fn differ_from(&self, drawn: Option<&(DisplayInput, Instant)>, now: Instant) -> bool {
        let Some((old, when)) = drawn else { return true };
        if self.instructions == old.instructions {
            return self != old;
        }
        let same = self.revision == old.revision && self.status == old.status;
        !same || self.text.is_some() || now - *when >= PICTURE_TIME
    }
}

/// Handles a key of the terminal: a hotkey, or a key for the program.
fn give(event: KeyEvent, overlay: &mut Overlay, session: &mut LiveSession) {
    if is_ctrl_c(event) {
        session.interrupt(Signal::Interrupt);
        overlay.leave(Leave::Oxbox);
    } else if !overlay.takes(pressed(event), session, Instant::now()) {
        type_key(event, session);
    }
}

/// Passes mouse events to the program.
fn give_mouse(event: MouseEvent, session: &mut LiveSession, view: View) {
    let (columns, rows) = size();
    let (size, at) = ((columns, rows - 1), (usize::from(event.column), usize::from(event.row)));
    let (across, down) = match session.machine().text() {
        Some(text) => cells::place_in_text(&text, size, view, at),
        None => cells::place_in_frame(&session.machine().frame(), size, at),
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

fn answer_of(event: MouseEvent, page: &Page) -> Option<Answer> {
    let key = |name: &str| name.parse().ok().map(Answer::Key);
    match event.kind {
        MouseEventKind::ScrollUp => key("UP"),
        MouseEventKind::ScrollDown => key("DOWN"),
        MouseEventKind::Down(event::MouseButton::Left) => {
            let (columns, rows) = size();
            let left = columns.saturating_sub(COLUMNS) / 2;
            let top = (rows - 1).saturating_sub(ROWS) / 2;
            let column = usize::from(event.column).checked_sub(left)?;
            page.spot_at(column, usize::from(event.row).checked_sub(top)?).map(Answer::HitArea)
        }
        _ => None,
    }
}

fn pressed(event: KeyEvent) -> Pressed {
    let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    let (function, ctrl) = match event.code {
        // A substitute for F1. Ctrl-] is 1Dh, which crossterm reports as Ctrl-5.
        KeyCode::Char(']' | '5') if ctrl => (Some(1), false),
        // With modifiers F1 is for the program.
        KeyCode::F(1) if !event.modifiers.is_empty() => (None, ctrl),
        KeyCode::F(number) => (Some(number), ctrl),
        _ => (None, ctrl),
    };
    let character = if let KeyCode::Char(character) = event.code { Some(character) } else { None };
    let shift = event.modifiers.contains(KeyModifiers::SHIFT);
    Pressed { function, ctrl, shift, character, key: pc_key(event), is_held: false }
}
