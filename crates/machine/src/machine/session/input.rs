//! User input: keys, the mouse, the standard input.

use super::{Session, SessionHost};
use crate::machine::button::MouseButton;
use crate::machine::key::Key;
use crate::machine::record::Input;
use crate::machine::script::Action;
use crate::machine::typing::KeyboardMapper;
use std::collections::VecDeque;

/// Duration in nanoseconds for which a key is held for a program that reads the keyboard's ports.
const STROKE_NS: u64 = 50_000_000;

/// A keystroke that the program has not received yet.
#[derive(Debug, Clone, Copy)]
enum Stroke {
    Key(Key),
    /// A character without a key.
    Character(char),
}

/// The user's keystrokes and pointer.
#[derive(Debug, Default)]
pub(super) struct Strokes {
    waiting: VecDeque<Stroke>,
    /// The pressed key, and the time of its release in nanoseconds.
    held: Option<(Key, u64)>,
    /// The last position of the host's pointer.
    pub(super) pointer: Option<(u16, u16)>,
}

impl Strokes {
    /// Discards keystrokes that the program has not received.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.held = None;
    }
}

impl<H: SessionHost> Session<H> {
    /// Moves the pointer to a point of the picture, for a program that uses the mouse: position and
    /// size, across and down.
    pub fn point(&mut self, across: (u32, u32), down: (u32, u32)) {
        let place = self.machine().mouse_place(across, down);
        if self.machine().program_uses_mouse() && self.strokes.pointer != Some(place) {
            self.strokes.pointer = Some(place);
            self.act(Action::Mouse(place.0, place.1));
        }
    }

    /// Presses or releases a button of the mouse, for a program that uses the mouse.
    pub fn button(&mut self, button: MouseButton, down: bool) {
        if self.machine().program_uses_mouse() {
            self.act(Action::Button(button, down));
        }
    }

    /// Types a key after the ones before it: for front ends that are not told of key releases.
    pub fn type_key(&mut self, key: Key) {
        self.strokes.waiting.push_back(Stroke::Key(key));
    }

    /// Types a character after the keys before it: with its key, or with Alt and its number in code
    /// page 437 if no key of a US keyboard types it. A character that has neither is left out.
    pub fn type_character(&mut self, character: char) {
        let stroke = Key::typing(character).map_or(Stroke::Character(character), Stroke::Key);
        self.strokes.waiting.push_back(stroke);
    }

    /// Whether the program has not read all keys that were typed.
    pub fn has_unread_keys(&self) -> bool {
        !self.strokes.waiting.is_empty() || self.strokes.held.is_some() || self.machine().has_unread_keys()
    }

    /// Presses the next key, or releases the last one if it has been held for long enough.
    pub(super) fn pump_keystrokes(&mut self) {
        if let Some((key, until)) = self.strokes.held {
            if self.machine().nanoseconds() < until {
                return;
            }
            self.strokes.held = None;
            self.act(Action::Release(key));
        }
        match self.strokes.waiting.pop_front() {
            Some(Stroke::Key(key)) => {
                self.act(Action::Press(key));
                let hold = if self.machine().program_reads_keyboard() { STROKE_NS } else { 0 };
                self.strokes.held = Some((key, self.machine().nanoseconds() + hold));
            }
            Some(Stroke::Character(character)) => {
                self.perform(KeyboardMapper::default().character(character));
            }
            None => {}
        }
    }

    /// Performs actions returned by a [`KeyboardMapper`].
    pub fn perform(&mut self, actions: Vec<Action>) {
        actions.into_iter().for_each(|action| self.act(action));
    }

    /// Appends bytes to the program's standard input.
    pub fn feed_input(&mut self, bytes: &[u8]) {
        self.timeline.give(&Input::Feed(bytes.to_vec()));
    }

    /// Ends the program's standard input.
    pub fn close_input(&mut self) {
        self.timeline.give(&Input::CloseInput);
    }
}

impl Action {
    pub(super) fn as_input(&self) -> Option<Input> {
        match *self {
            Action::Press(key) => Some(Input::KeyDown(key)),
            Action::Release(key) => Some(Input::KeyUp(key)),
            Action::Mouse(x, y) => Some(Input::MouseMove(x, y)),
            Action::Button(button, down) => Some(Input::MouseButton(button, down)),
            Action::Speed(speed) => Some(Input::Speed(speed)),
            _ => None,
        }
    }
}
