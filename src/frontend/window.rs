//! The machine in a window of the host's desktop.
//!
//! Sixty times a second: keys in, virtual time on, picture out if it has changed. Keys come by callback in the order in which they
//! were struck, so that none is lost however quickly it is tapped.

mod keys;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use minifb::{
    InputCallback, Key as HostKey, MouseButton as HostButton, MouseMode, ScaleMode, Window, WindowOptions,
};

use self::keys::KeyEvent;
use super::overlay::{Leave, Overlay, Pressed};
use super::page::{Page, Projector};
use super::session::Session;
use super::signals;
use super::{help, scale};
use oxbox::hardware::vga::Frame;
use oxbox::machine::{Key, MouseButton};

/// Time from one picture to the next.
const FRAME_TIME: Duration = Duration::from_nanos(16_666_667);

/// What another window has covered is drawn again after this time at the latest.
const REDRAW_TIME: Duration = Duration::from_millis(500);

/// While the program stands still the picture is still looked at this often: cursors blink.
const BLINK_TIME: Duration = Duration::from_millis(60);

/// The buttons of the mouse, as minifb and as the machine call them.
const BUTTONS: [(HostButton, MouseButton); 3] = [
    (HostButton::Left, MouseButton::Left),
    (HostButton::Right, MouseButton::Right),
    (HostButton::Middle, MouseButton::Middle),
];

/// Collects the window's keys.
struct Collector(Sender<Input>);

/// What minifb tells, as it comes.
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

/// An open window.
pub(crate) struct WindowScreen {
    window: Window,
    input: Receiver<Input>,
    /// The picture that is shown, and when and at what size it was drawn.
    shown: Option<(Frame, Instant, (usize, usize))>,
    pixels: Vec<u32>,
    title: String,
    next_frame: Instant,
    projector: Projector,
}

impl WindowScreen {
    /// Opens a window in which a text screen has `scale` window pixels a guest pixel.
    ///
    /// # Errors
    /// Why there is no window: most often there is no display.
    pub(crate) fn open(title: &str, scale: u8) -> Result<WindowScreen, String> {
        let mut projector = Projector::default();
        let first = projector.frame(&Page::new(title)).ok_or("the machine does not start")?;
        let (width, height) = scale::window_size(&first, usize::from(scale.max(1)));
        let options =
            WindowOptions { resize: true, scale_mode: ScaleMode::UpperLeft, ..WindowOptions::default() };
        let mut window = Window::new(title, width, height, options).map_err(|error| error.to_string())?;
        window.set_target_fps(0); // the pace is ours
        let (sender, input) = channel();
        window.set_input_callback(Box::new(Collector(sender)));
        Ok(WindowScreen {
            window,
            input,
            shown: None,
            pixels: Vec::new(),
            title: title.to_owned(),
            next_frame: Instant::now(),
            projector,
        })
    }

    /// Plays a session until the program has ended and a key was struck, or the user leaves. False when the window is closed.
    pub(crate) fn play(&mut self, session: &mut Session) -> bool {
        let mut overlay = Overlay::default();
        let mut keyboard = Keyboard::default();
        let mut buttons = [false; BUTTONS.len()];
        let mut looked: Option<(u64, Instant)> = None;
        let mut last = Instant::now();
        let mut was_active = false;
        while self.window.is_open() {
            for event in self.events() {
                keyboard.key(event, &mut overlay, session);
            }
            // Without a window manager a window is never active: only losing the keyboard means something.
            let active = self.window.is_active();
            if was_active && !active {
                keyboard.release_all(session);
            }
            was_active = active;
            if !overlay.shows_help() {
                self.pass_mouse_on(session, &mut buttons);
            }
            let now = Instant::now();
            if let Some(leave) = overlay.advance(session, now - last, now) {
                return leave == Leave::Session;
            }
            last = now;
            self.set_title(&format!("{} - oxbox - {} - F1: keys", session.name, overlay.status(session)));
            let done = session.machine.instructions();
            if overlay.shows_help() {
                self.show_page(&help::page());
            } else if looked.is_none_or(|(before, when)| before != done || now - when > BLINK_TIME) {
                looked = Some((done, now));
                let frame = session.machine.frame();
                self.show(frame);
            }
            self.wait();
        }
        session.leave();
        false
    }

    /// Shows a page and waits for keys. None when the window is closed, or a signal says that it is time to end.
    pub(crate) fn ask(&mut self, page: &Page) -> Option<Key> {
        self.set_title("oxbox");
        while self.window.is_open() && signals::received().is_none() {
            self.show_page(page);
            self.wait();
            let stroke = self.events().into_iter().find_map(|event| match event {
                KeyEvent::Down(key, typed) if !keys::is_modifier(key) => {
                    keys::keypad_character(key).or(typed).and_then(Key::typing).or_else(|| keys::pc_key(key))
                }
                KeyEvent::Typed(character) => Key::typing(character),
                _ => None,
            });
            if stroke.is_some() {
                return stroke;
            }
        }
        None
    }

    /// The key events since the last call, each key with what it typed.
    fn events(&mut self) -> Vec<KeyEvent> {
        let mut events = Vec::new();
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

    /// Where the pointer is on the picture, and what its buttons do; `before` is what they did last.
    fn pass_mouse_on(&mut self, session: &mut Session, before: &mut [bool; BUTTONS.len()]) {
        let Some((frame, ..)) = &self.shown else { return };
        if !session.machine.program_uses_mouse() {
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

    fn show_page(&mut self, page: &Page) {
        if let Some(frame) = self.projector.frame(page) {
            self.show(frame);
        }
    }

    /// Draws the picture unless it stands there already.
    fn show(&mut self, frame: Frame) {
        let size = self.window.get_size();
        let stands = self.shown.as_ref().is_some_and(|(shown, when, at_size)| {
            *at_size == size && when.elapsed() < REDRAW_TIME && *shown == frame
        });
        if stands || size.0 == 0 || size.1 == 0 {
            return;
        }
        scale::draw(&frame, size.0, size.1, &mut self.pixels);
        // A buffer of the window's own size is always accepted.
        let _ = self.window.update_with_buffer(&self.pixels, size.0, size.1);
        self.shown = Some((frame, Instant::now(), size));
    }

    /// Waits for the next frame's time and takes in what the desktop has to say.
    fn wait(&mut self) {
        self.next_frame += FRAME_TIME;
        let now = Instant::now();
        match self.next_frame.checked_duration_since(now) {
            Some(rest) => std::thread::sleep(rest),
            None => self.next_frame = now,
        }
        self.window.update();
    }
}

/// The host's keyboard: what is held, and for whom.
#[derive(Default)]
struct Keyboard {
    down: Vec<HostKey>,
    /// Keys whose release is not for the program.
    ours: Vec<HostKey>,
}

impl Keyboard {
    fn key(&mut self, event: KeyEvent, overlay: &mut Overlay, session: &mut Session) {
        match event {
            KeyEvent::Down(key, typed) => self.key_down(key, typed, overlay, session),
            KeyEvent::Up(key) => self.key_up(key, session),
            KeyEvent::Typed(character) => {
                let pressed = Pressed { character: Some(character), ..Pressed::default() };
                if !overlay.takes(pressed, session, Instant::now()) {
                    self.type_character(character, session);
                }
            }
        }
    }

    fn key_down(&mut self, key: HostKey, typed: Option<char>, overlay: &mut Overlay, session: &mut Session) {
        if keys::is_modifier(key) {
            self.modifier_down(key, overlay, session);
            return;
        }
        let ctrl = self.down.iter().any(|key| matches!(key, HostKey::LeftCtrl | HostKey::RightCtrl));
        let pressed = Pressed { function: function_key(key), ctrl, character: typed };
        let shown = overlay.shows_help();
        if !overlay.takes(pressed, session, Instant::now()) {
            self.guest_key_down(key, typed, session);
            return;
        }
        self.ours.push(key);
        if overlay.shows_help() && !shown {
            self.release_all(session);
        }
    }

    /// Shift, Ctrl and Alt are the program's, but on the help page; what is held is always known.
    fn modifier_down(&mut self, key: HostKey, overlay: &Overlay, session: &mut Session) {
        if !self.down.contains(&key) {
            self.down.push(key);
        }
        if overlay.shows_help() {
            self.ours.push(key);
        } else if let Some(key) = keys::pc_key(key) {
            session.press(key);
        }
    }

    fn key_up(&mut self, key: HostKey, session: &mut Session) {
        self.down.retain(|&down| down != key);
        if self.ours.contains(&key) {
            self.ours.retain(|&own| own != key);
        } else if let Some(key) = keys::pc_key(key) {
            session.release(key);
        }
    }

    /// A key of the program goes down (or repeats).
    fn guest_key_down(&mut self, key: HostKey, typed: Option<char>, session: &mut Session) {
        let Some(pc_key) = keys::pc_key(key) else {
            if let Some(character) = typed {
                self.type_character(character, session);
            }
            return;
        };
        let typed = keys::keypad_character(key).or(typed);
        if let Some(stroke) = typed.and_then(|c| keys::layout_stroke(pc_key, self.shift_is_down(), c)) {
            self.ours.push(key);
            self.type_in_place(stroke, session);
            return;
        }
        if let Some(character) = typed.filter(|c| !c.is_ascii()) {
            self.ours.push(key);
            self.type_character(character, session);
            return;
        }
        if !self.down.contains(&key) {
            self.down.push(key);
        }
        session.press(pc_key);
    }

    /// Types a character by the stroke that a US keyboard has for it, or with Alt by its number in the code page.
    fn type_character(&self, character: char, session: &mut Session) {
        match Key::typing(character) {
            Some(stroke) => self.type_in_place(stroke, session),
            None => session.strike_character(character),
        }
    }

    /// Types a stroke with the Shift that it needs, whatever is held; what is held is held again afterwards.
    fn type_in_place(&self, stroke: Key, session: &mut Session) {
        let held: Vec<Key> = self.shifts().filter_map(keys::pc_key).collect();
        if held.is_empty() || stroke.shift {
            let stroke = Key { shift: stroke.shift && held.is_empty(), ..stroke };
            session.press(stroke);
            session.release(stroke);
            return;
        }
        held.iter().for_each(|&shift| session.release(shift));
        session.press(stroke);
        session.release(stroke);
        held.iter().for_each(|&shift| session.press(shift));
    }

    fn shifts(&self) -> impl Iterator<Item = HostKey> {
        self.down.iter().copied().filter(|key| matches!(key, HostKey::LeftShift | HostKey::RightShift))
    }

    fn shift_is_down(&self) -> bool {
        self.shifts().next().is_some()
    }

    /// The program no longer gets the keys: it must not see one held for ever.
    fn release_all(&mut self, session: &mut Session) {
        for key in self.down.drain(..).filter_map(keys::pc_key) {
            session.release(key);
        }
    }
}

/// The number of a function key.
fn function_key(key: HostKey) -> Option<u8> {
    use HostKey as K;
    let keys = [K::F1, K::F2, K::F3, K::F4, K::F5, K::F6, K::F7, K::F8, K::F9, K::F10, K::F11, K::F12];
    keys.iter().position(|&k| k == key).map(|index| index as u8 + 1)
}
