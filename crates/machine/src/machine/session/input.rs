//! What the user does to the machine: keys, the mouse, the standard input.

use super::{Session, SessionHost};
use crate::machine::button::MouseButton;
use crate::machine::key::Key;
use crate::machine::record::Input;
use crate::machine::script::Action;
use crate::machine::typing::Typist;
use std::collections::VecDeque;

/// How long a stroke is held for a program that watches the keyboard's ports, in nanoseconds.
const STROKE_NS: u64 = 50_000_000;

/// What a user has typed and the program has not got yet.
#[derive(Debug, Clone, Copy)]
enum Stroke {
    Key(Key),
    /// A character that no key has.
    Character(char),
}

/// The user's strokes and pointer.
#[derive(Debug, Default)]
pub(super) struct Strokes {
    waiting: VecDeque<Stroke>,
    /// The stroke that is down, and when it goes up, in nanoseconds.
    held: Option<(Key, u64)>,
    /// Where the host's pointer was last.
    pub(super) pointer: Option<(u16, u16)>,
}

impl Strokes {
    /// Forgets what the program has not got yet.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.held = None;
    }
}

impl<H: SessionHost> Session<H> {
    /// Moves the pointer of a program that asks for the mouse to a point of the picture: its place and the size, across and down.
    pub fn point(&mut self, across: (u32, u32), down: (u32, u32)) {
        let place = self.machine().mouse_place(across, down);
        if self.machine().program_uses_mouse() && self.strokes.pointer != Some(place) {
            self.strokes.pointer = Some(place);
            self.act(Action::Mouse(place.0, place.1));
        }
    }

    /// Presses or releases a button of the mouse, for a program that asks for the mouse.
    pub fn button(&mut self, button: MouseButton, down: bool) {
        if self.machine().program_uses_mouse() {
            self.act(Action::Button(button, down));
        }
    }

    /// Strikes a key, after the strokes before it: for front ends that do not see keys go up.
    pub fn strike(&mut self, key: Key) {
        self.strokes.waiting.push_back(Stroke::Key(key));
    }

    /// Types a character, after the strokes before it: by its key, or where no key of a US keyboard types it, as its number in code
    /// page 437. A character that has neither is left out.
    pub fn strike_character(&mut self, character: char) {
        let stroke = Key::typing(character).map_or(Stroke::Character(character), Stroke::Key);
        self.strokes.waiting.push_back(stroke);
    }

    /// Whether the program has not read all keys that were struck.
    pub fn has_unread_keys(&self) -> bool {
        !self.strokes.waiting.is_empty() || self.strokes.held.is_some() || self.machine().has_unread_keys()
    }

    /// Presses the next stroke, or releases the last one when it has been held for long enough.
    pub(super) fn stroke(&mut self) {
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
            Some(Stroke::Character(character)) => self.perform(Typist::default().character(character)),
            None => {}
        }
    }

    /// Does what a [`Typist`] has answered.
    pub fn perform(&mut self, actions: Vec<Action>) {
        actions.into_iter().for_each(|action| self.act(action));
    }

    /// Gives the program's standard input bytes.
    pub fn feed_input(&mut self, bytes: &[u8]) {
        self.timeline.give(&Input::Feed(bytes.to_vec()));
    }

    /// Ends the program's standard input.
    pub fn close_input(&mut self) {
        self.timeline.give(&Input::CloseInput);
    }
}

impl Action {
    /// What the action does to the machine, if it is one input.
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
