//! What the user does to the machine: keys, the mouse, the speed.

use std::path::Path;

use super::hands::Stroke;
use super::{End, Session};
use oxbox::machine::{Action, Key, MouseButton, Typist};
use oxbox::whole_file;

/// How long a stroke is held for a program that watches the keyboard's ports, in milliseconds.
const STROKE_MS: u64 = 50;

impl Session {
    /// Bytes for the program's standard input.
    pub(crate) fn feed_input(&mut self, bytes: &[u8]) {
        self.machine.feed_input(bytes);
    }

    /// The program's standard input ends.
    pub(crate) fn close_input(&mut self) {
        self.machine.close_input();
    }

    /// A key goes down.
    fn press(&mut self, key: Key) {
        self.act(Action::Press(key));
    }

    /// A key goes up.
    fn release(&mut self, key: Key) {
        self.act(Action::Release(key));
    }

    /// The pointer of a program that asks for the mouse goes to a point of the picture, given as its place and how many there are, across and
    /// down.
    pub(crate) fn point(&mut self, across: (u32, u32), down: (u32, u32)) {
        let place = self.machine.mouse_place(across, down);
        if self.machine.program_uses_mouse() && self.hands.pointer != Some(place) {
            self.hands.pointer = Some(place);
            self.act(Action::Mouse(place.0, place.1));
        }
    }

    /// A button of the mouse goes down or up.
    pub(crate) fn button(&mut self, button: MouseButton, down: bool) {
        if self.machine.program_uses_mouse() {
            self.act(Action::Button(button, down));
        }
    }

    /// A key is struck, after the strokes before it: for front ends that do not see keys go up.
    pub(crate) fn strike(&mut self, key: Key) {
        self.hands.strokes.push_back(Stroke::Key(key));
    }

    /// A character is typed, after the strokes before it: by its key, or where no key of a US keyboard types it, as its number in code
    /// page 437. What that has not either is left out.
    pub(crate) fn strike_character(&mut self, character: char) {
        self.hands
            .strokes
            .push_back(Key::typing(character).map_or(Stroke::Character(character), Stroke::Key));
    }

    /// True while keys that were struck have not been read by the program.
    pub(crate) fn has_unread_keys(&self) -> bool {
        !self.hands.strokes.is_empty() || self.hands.held.is_some() || self.machine.has_unread_keys()
    }

    /// Lets the next stroke go down, or the last one up when it has been held for long enough.
    pub(super) fn stroke(&mut self) {
        if let Some((key, until)) = self.hands.held {
            if self.machine.nanoseconds() < until {
                return;
            }
            self.hands.held = None;
            self.release(key);
        }
        match self.hands.strokes.pop_front() {
            Some(Stroke::Key(key)) => {
                self.press(key);
                let hold = if self.machine.program_reads_keyboard() { STROKE_MS * 1_000_000 } else { 0 };
                self.hands.held = Some((key, self.machine.nanoseconds() + hold));
            }
            Some(Stroke::Character(character)) => self.perform(Typist::default().character(character)),
            None => {}
        }
    }

    /// What a keyboard does.
    pub(crate) fn perform(&mut self, actions: Vec<Action>) {
        actions.into_iter().for_each(|action| self.act(action));
    }

    /// Does something at the next whole millisecond, and records it.
    pub(super) fn act(&mut self, action: Action) {
        if self.end.is_some() || self.is_going_back() {
            return;
        }
        let ms = self.reach_whole_millisecond();
        self.hands.times.push(self.machine.nanoseconds());
        match &action {
            Action::Press(key) => self.machine.key_down(*key),
            Action::Release(key) => self.machine.key_up(*key),
            Action::Mouse(x, y) => self.machine.move_mouse(*x, *y),
            Action::Button(button, down) => self.machine.set_mouse_button(*button, *down),
            Action::Speed(speed) => self.machine.set_speed(*speed),
            _ => {}
        }
        self.hands.recording.push(Action::At(ms));
        self.hands.recording.push(action);
    }

    /// What was done after the present has not been done, and what was held then is let go.
    pub(super) fn forget_later_keys(&mut self) {
        self.hands.forget_from(self.machine.nanoseconds());
        self.release_what_is_down();
    }

    /// What the program takes to be held goes up.
    pub(super) fn release_what_is_down(&mut self) {
        for action in self.hands.recording.still_down() {
            self.act(action);
        }
    }

    /// The keys since power-on, as a script.
    pub(super) fn recording(&self) -> String {
        self.hands.recording.to_string()
    }

    /// Writes the keys since power-on as a script.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn save_recording(&self, path: &Path) -> std::io::Result<()> {
        let end = match self.end {
            // Played again, the run ends there by itself.
            Some(End::Exited(_) | End::Crashed(_) | End::Dead(_) | End::KeysRanOut) => String::new(),
            _ => format!("at {}\n", self.machine.nanoseconds().div_ceil(1_000_000)),
        };
        let text = format!("# {}, recorded by oxbox\n{}{end}", self.name, self.recording());
        whole_file::write(path, text.as_bytes())
    }
}
