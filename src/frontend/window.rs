//! The machine in a desktop window.
//!
//! Sixty times per second it reads keys, advances virtual time, and draws the picture if it has
//! changed. Keys arrive through a callback in their order, so that none is lost however short the
//! key press is.

#[cfg_attr(all(unix, not(target_os = "macos")), path = "window/desktop.rs")]
#[cfg_attr(not(all(unix, not(target_os = "macos"))), path = "window/no_desktop.rs")]
mod desktop;
#[cfg(all(unix, not(target_os = "macos")))]
mod icon;
mod keys;
mod redraw_throttle;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use minifb::{
    InputCallback, Key as HostKey, MouseButton as HostButton, MouseMode, ScaleMode, Window, WindowOptions,
};

use self::desktop::Desktop;
use self::keys::KeyEvent;
use self::redraw_throttle::{Activity, RedrawThrottle};
use super::overlay::{Leave, Overlay, Pressed};
use super::page::{Answer, COLUMNS, Page, PageRenderer, ROWS};
use super::session::LiveSession;
use super::signals;
use super::{DisplayOptions, caption};
use oxbox::hardware::vga::Frame;
use oxbox::machine::{Key, KeyboardMapper, MouseButton};
use oxbox::media::scale;

const FRAME_TIME: Duration = Duration::from_nanos(16_666_667);

/// Time between pictures while nothing moves: user input ends it early if the desktop reports it.
const REST_TIME: Duration = Duration::from_millis(40);

/// The window stays active for this long after user input.
const AWAKE: Duration = Duration::from_secs(1);

/// The longest time until a covered window is redrawn, if the desktop does not report it.
const REDRAW_TIME: Duration = Duration::from_millis(500);

/// The default part of the desktop's height for a window, in percent.
const USUAL_PART: usize = 85;

/// The buttons of the mouse for minifb and for the machine.
const BUTTONS: [(HostButton, MouseButton); 3] = [
    (HostButton::Left, MouseButton::Left),
    (HostButton::Right, MouseButton::Right),
    (HostButton::Middle, MouseButton::Middle),
];

/// Collects the window's keys.
struct Collector(Sender<Input>);

#[derive(Debug, Clone, Copy)]
enum Input {
    Key(HostKey, bool),
    Character(char),
}

impl InputCallback for Collector {
    fn add_char(&mut self, character: u32) {
        if let Some(character) = char::from_u32(character) {
            let _ = self.0.send(Input::Character(character));
        }
    }

    fn set_key_state(&mut self, key: HostKey, down: bool) {
        let _ = self.0.send(Input::Key(key, down));
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct News {
    /// Whether there was an event: a key, the pointer, its size.
    any: bool,
    /// Whether a part of it has become visible.
    exposed: bool,
}

struct Shown {
    frame: Frame,
    lines: Vec<String>,
    size: (usize, usize),
    when: Instant,
}

pub(crate) struct WindowScreen {
    window: Window,
    desktop: Option<Desktop>,
    input: Receiver<Input>,
    /// Events that arrived together with the one that was returned.
    unread: Vec<KeyEvent>,
    shown: Option<Shown>,
    pixels: Vec<u32>,
    title: String,
    next_frame: Instant,
    /// The time of the last event from the desktop.
    last_activity: Instant,
    projector: PageRenderer,
}

impl WindowScreen {
    /// Opens a window. `scale`: window pixels per guest pixel in text modes; otherwise it is as
    /// large as fits the desktop well. Fails without a window, usually because the display is
    /// missing.
    pub(crate) fn open(title: &str, wanted: &DisplayOptions) -> Result<WindowScreen, String> {
        let mut projector = PageRenderer::default();
        let first = projector.frame(&Page::new(title)).ok_or("the machine does not start")?;
        let mut desktop = Desktop::connect();
        let (width, height) = match (wanted.scale, &desktop) {
            (None, Some(desktop)) => usual_size(&first, desktop.room()),
            (scale, _) => scale::window_size(&first, usize::from(scale.unwrap_or(1).max(1))),
        };
        let options =
            WindowOptions { resize: true, scale_mode: ScaleMode::UpperLeft, ..WindowOptions::default() };
        let mut window = Window::new(title, width, height, options).map_err(|error| error.to_string())?;
        window.set_target_fps(0); // oxbox controls the pace
        let (sender, input) = channel();
        window.set_input_callback(Box::new(Collector(sender)));
        if let Some(desktop) = &mut desktop {
            desktop.adopt(window.get_window_handle() as usize as u32);
            if wanted.fullscreen {
                desktop.toggle_fullscreen();
            }
        }
        Ok(WindowScreen {
            window,
            desktop,
            input,
            unread: Vec::new(),
            shown: None,
            pixels: Vec::new(),
            title: title.to_owned(),
            next_frame: Instant::now(),
            last_activity: Instant::now(),
            projector,
        })
    }

    /// Plays a session until the program has ended and a key was pressed, or the user quits.
    /// Returns false if the window is closed.
    pub(crate) fn play(&mut self, session: &mut LiveSession) -> bool {
        session.keep_past();
        let mut overlay = Overlay::default();
        let mut keyboard = Keyboard::default();
        let mut buttons = [false; BUTTONS.len()];
        let mut redraw_throttle = RedrawThrottle::default();
        let mut last = Instant::now();
        let mut was_active = false;
        while self.window.is_open() {
            for event in self.events() {
                keyboard.key(event, &mut overlay, session);
                redraw_throttle.disturb();
            }
            // Without a window manager a window is never active: only losing the keyboard focus
            // matters.
            let active = self.window.is_active();
            if was_active && !active {
                overlay.released(session);
                keyboard.release_all(session);
            }
            was_active = active;
            if !overlay.hides_program() {
                self.pass_mouse_on(session, &mut buttons);
            }
            let now = Instant::now();
            if let Some(leave) = overlay.advance(session, now - last, now) {
                return leave == Leave::Session;
            }
            last = now;
            if overlay.take_fullscreen_command() {
                self.toggle_fullscreen();
            }
            self.set_title(&format!("{} - oxbox - {} - F1: keys", session.name, overlay.status(session)));
            self.show_session(&overlay, session, &mut redraw_throttle);
            let can_sleep = self.sleeps() || !active;
            self.wait(if redraw_throttle.rest() == Activity::Still && can_sleep {
                REST_TIME
            } else {
                FRAME_TIME
            });
        }
        session.leave();
        false
    }

    /// Draws a session's screen, unless it is already shown.
    fn show_session(
        &mut self,
        overlay: &Overlay,
        session: &LiveSession,
        redraw_throttle: &mut RedrawThrottle,
    ) {
        let lines = overlay.lines(session);
        if let Some(page) = overlay.page() {
            if redraw_throttle.is_new_page(overlay.revision()) {
                let frame = self.projector.frame(page);
                self.show(frame, lines);
            } else {
                self.show(None, lines);
            }
            return;
        }
        let frame = redraw_throttle.new_frame(session, Instant::now());
        self.show(frame, lines);
    }

    /// Shows pages and waits for a key or click. `None` if the window is closed, or on a signal.
    pub(crate) fn ask(&mut self, page: &mut dyn FnMut() -> Option<Page>) -> Option<Answer> {
        self.set_title("oxbox");
        let mut shown: Option<Page> = None;
        // A button that is already held was pressed for another page.
        let mut was_down = true;
        while self.window.is_open() && signals::received().is_none() {
            let new = page();
            let frame = new.as_ref().and_then(|page| self.projector.frame(page));
            shown = new.or(shown);
            self.show(frame, Vec::new());
            self.wait(if self.sleeps() { REST_TIME } else { FRAME_TIME });
            let mut events = self.events().into_iter();
            let stroke = events.by_ref().find_map(|event| match event {
                KeyEvent::Down(host, typed) => {
                    let key = keys::pc_key(host);
                    let character = key.and_then(Key::keypad_character).or(typed);
                    character.and_then(Key::typing).or(key).filter(|key| !key.is_modifier())
                }
                KeyEvent::Typed(character) => Key::typing(character),
                _ => None,
            });
            self.unread = events.collect();
            match stroke {
                Some(key) if key == F11 => self.toggle_fullscreen(),
                Some(key) => return Some(Answer::Key(key)),
                None => {}
            }
            let is_down = self.window.get_mouse_down(HostButton::Left);
            let is_pressed = !std::mem::replace(&mut was_down, is_down) && is_down;
            if let Some(spot) = shown.as_ref().filter(|_| is_pressed).and_then(|page| self.spot(page)) {
                return Some(Answer::HitArea(spot));
            }
            if let Some((_, turned)) = self.window.get_scroll_wheel().filter(|(_, turned)| *turned != 0.0) {
                return (if turned > 0.0 { "UP" } else { "DOWN" }).parse().ok().map(Answer::Key);
            }
        }
        None
    }

    fn spot(&self, page: &Page) -> Option<usize> {
        let Shown { frame, size, .. } = self.shown.as_ref()?;
        let place = scale::place(frame, size.0, size.1);
        let (x, y) = self.window.get_mouse_pos(MouseMode::Discard)?;
        let column = (x as usize).checked_sub(place.left)? * COLUMNS / place.width.max(1);
        let row = (y as usize).checked_sub(place.top)? * ROWS / place.height.max(1);
        page.spot_at(column, row)
    }

    fn toggle_fullscreen(&self) {
        if let Some(desktop) = &self.desktop {
            desktop.toggle_fullscreen();
        }
    }

    /// Returns the key events since the last call, each key with the character it typed.
    fn events(&mut self) -> Vec<KeyEvent> {
        let mut events = std::mem::take(&mut self.unread);
        for input in self.input.try_iter() {
            match (input, events.last_mut()) {
                (Input::Key(key, true), _) => events.push(KeyEvent::Down(key, None)),
                (Input::Key(key, false), _) => events.push(KeyEvent::Up(key)),
                (Input::Character(c), Some(KeyEvent::Down(_, typed @ None))) => *typed = Some(c),
                (Input::Character(c), _) => events.push(KeyEvent::Typed(c)),
            }
        }
        events
    }

    /// Passes the pointer's position on the picture and the state of its buttons to the program;
    /// `before` is their last state.
    fn pass_mouse_on(&mut self, session: &mut LiveSession, before: &mut [bool; BUTTONS.len()]) {
        let Some(Shown { frame, .. }) = &self.shown else { return };
        if !session.machine().program_uses_mouse() {
            return;
        }
        let (width, height) = self.window.get_size();
        let place = scale::place(frame, width, height);
        let Some((x, y)) = self.window.get_mouse_pos(MouseMode::Clamp) else { return };
        let within = |at: f32, start: usize, size: usize| {
            let at = (at.max(0.0) as usize).saturating_sub(start).min(size.saturating_sub(1));
            (at as u32, size as u32)
        };
        session.point(within(x, place.left, place.width), within(y, place.top, place.height));
        for ((host, button), before) in BUTTONS.into_iter().zip(before) {
            let down = self.window.get_mouse_down(host);
            if std::mem::replace(before, down) != down {
                session.button(button, down);
            }
        }
    }

    fn set_title(&mut self, title: &str) {
        if self.title != title {
            self.window.set_title(title);
            title.clone_into(&mut self.title);
        }
    }

    /// Draws a picture (by default the current one) and lines over it, unless already shown.
    fn show(&mut self, frame: Option<Frame>, lines: Vec<String>) {
        let size = self.window.get_size();
        let news = self.desktop.as_ref().map(Desktop::news);
        if news.is_some_and(|news| news.any) {
            self.last_activity = Instant::now();
        }
        let exposed = news.map(|news| news.exposed);
        let (frame, before) = match (frame, self.shown.take()) {
            (None, None) => return,
            (None, Some(shown)) => {
                if shown.size == size && shown.lines == lines {
                    let is_due = exposed.unwrap_or_else(|| shown.when.elapsed() >= REDRAW_TIME);
                    self.shown = Some(shown);
                    if is_due {
                        self.put(size);
                    }
                    return;
                }
                (shown.frame, None)
            }
            (Some(frame), Some(shown))
                if shown.size == size
                    && shown.lines == lines
                    && shown.frame == frame
                    && exposed != Some(true) =>
            {
                self.shown = Some(shown);
                return;
            }
            (Some(frame), shown) => {
                let bare = shown.filter(|shown| shown.size == size && shown.lines.is_empty());
                (frame, bare.map(|shown| shown.frame))
            }
        };
        if size.0 > 0 && size.1 > 0 {
            scale::draw(&frame, before.as_ref(), size.0, size.1, &mut self.pixels);
            caption::draw(&lines, size.0, size.1, &mut self.pixels);
            self.put(size);
        }
        self.shown = Some(Shown { frame, lines, size, when: Instant::now() });
    }

    fn put(&mut self, size: (usize, usize)) {
        // A buffer of the window's own size is always accepted.
        let _ = self.window.update_with_buffer(&self.pixels, size.0, size.1);
        if let Some(shown) = &mut self.shown {
            shown.when = Instant::now();
        }
    }

    /// Waits for the time of the next frame and reads the desktop's events.
    fn wait(&mut self, time: Duration) {
        self.next_frame += time;
        let now = Instant::now();
        match (self.next_frame.checked_duration_since(now), &self.desktop) {
            (Some(rest), Some(desktop)) if time == REST_TIME => {
                desktop.sleep(rest);
                self.next_frame = Instant::now();
            }
            (Some(rest), _) => std::thread::sleep(rest),
            (None, _) => self.next_frame = now,
        }
        self.window.update();
    }

    /// Whether user input is absent, and the desktop will report it.
    fn sleeps(&self) -> bool {
        self.desktop.is_some() && self.last_activity.elapsed() > AWAKE
    }
}

/// The key for full screen, as passed to a page.
const F11: Key = Key::new(0x57, false);

/// Returns the size of a window on a desktop with this much space: 4:3, most of the height.
fn usual_size(frame: &Frame, (width, height): (usize, usize)) -> (usize, usize) {
    let size = frame.size_within(width * USUAL_PART / 100, height * USUAL_PART / 100);
    if size.0 == 0 { scale::window_size(frame, 1) } else { size }
}

/// The host's keyboard, and the receiver of its keys.
#[derive(Default)]
struct Keyboard {
    mapper: KeyboardMapper,
    /// The held Shift, Ctrl and Alt keys, including those not passed to the program.
    modifiers: Vec<HostKey>,
}

impl Keyboard {
    fn key(&mut self, event: KeyEvent, overlay: &mut Overlay, session: &mut LiveSession) {
        match event {
            KeyEvent::Down(key, typed) => self.key_down(key, typed, overlay, session),
            KeyEvent::Up(key) => {
                if function_key(key).is_some() {
                    overlay.released(session);
                }
                self.modifiers.retain(|&held| held != key);
                if let Some(key) = keys::pc_key(key) {
                    session.perform(self.mapper.key_up(key));
                }
            }
            KeyEvent::Typed(character) => {
                let pressed = Pressed { character: Some(character), ..Pressed::default() };
                if !overlay.takes(pressed, session, Instant::now()) {
                    session.perform(self.mapper.character(character));
                }
            }
        }
    }

    fn key_down(
        &mut self,
        host: HostKey,
        typed: Option<char>,
        overlay: &mut Overlay,
        session: &mut LiveSession,
    ) {
        let key = keys::pc_key(host);
        if key.is_none() && typed.is_none() {
            return;
        }
        if let Some(key) = key.filter(|key| key.is_modifier()) {
            self.modifier_down(host, key, overlay, session);
            return;
        }
        let holds = |keys: [HostKey; 2]| self.modifiers.iter().any(|key| keys.contains(key));
        let ctrl = holds([HostKey::LeftCtrl, HostKey::RightCtrl]);
        let alt = holds([HostKey::LeftAlt, HostKey::RightAlt]);
        let shift = holds([HostKey::LeftShift, HostKey::RightShift]);
        let function = function_key(host);
        if function == Some(11) && !ctrl && !alt && !shift || host == HostKey::Enter && alt {
            overlay.want_fullscreen();
            return;
        }
        let pressed = Pressed { function, ctrl, shift, character: typed, key, is_held: true };
        let shown = overlay.hides_program();
        if overlay.takes(pressed, session, Instant::now()) {
            if overlay.hides_program() && !shown {
                self.release_all(session);
            }
            return;
        }
        // Keys of the keypad type their characters; keys that a PC keyboard lacks type theirs.
        let typed = key.and_then(Key::keypad_character).or(typed);
        let actions = match (key, typed) {
            (Some(key), typed) => self.mapper.key_down(key, typed),
            (None, Some(character)) => self.mapper.character(character),
            (None, None) => Vec::new(),
        };
        session.perform(actions);
    }

    /// Shift, Ctrl and Alt go to the program, except on the help page; held keys are known.
    fn modifier_down(&mut self, host: HostKey, key: Key, overlay: &Overlay, session: &mut LiveSession) {
        if !self.modifiers.contains(&host) {
            self.modifiers.push(host);
            if !overlay.hides_program() {
                session.perform(self.mapper.key_down(key, None));
            }
        }
    }

    /// The program no longer receives keys: releases all of them, so that none is held indefinitely.
    fn release_all(&mut self, session: &mut LiveSession) {
        self.modifiers.clear();
        session.perform(self.mapper.release_all());
    }
}

fn function_key(key: HostKey) -> Option<u8> {
    use HostKey as K;
    let keys = [K::F1, K::F2, K::F3, K::F4, K::F5, K::F6, K::F7, K::F8, K::F9, K::F10, K::F11, K::F12];
    keys.iter().position(|&k| k == key).map(|index| index as u8 + 1)
}
