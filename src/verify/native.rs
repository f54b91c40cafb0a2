//! A twin as a program of its own: what the walk is tested with.

use super::{Program, ProgramState, Screen, Twin};

/// A twin as a program.
#[derive(Debug, Clone)]
pub(crate) struct Native<T>(pub(crate) T);

impl<T: Twin> Program for Native<T> {
    type Saved = T;

    fn state(&self) -> ProgramState {
        if self.0.ended() { ProgramState::Ended } else { ProgramState::Waiting }
    }

    fn screen(&mut self) -> Screen {
        self.0.screen()
    }

    fn press(&mut self, keys: &[u8]) {
        keys.iter().for_each(|&key| self.0.press(key));
    }

    fn save(&mut self) -> T {
        self.0.clone()
    }

    fn restore(&mut self, saved: &T) {
        self.0 = saved.clone();
    }
}
