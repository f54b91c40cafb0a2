//! A host without X: communication with the desktop has no effect.

use std::time::Duration;

use super::News;

pub(super) enum Desktop {}

impl Desktop {
    pub(super) fn connect() -> Option<Desktop> {
        None
    }

    /// The space left by panels, in pixels.
    pub(super) fn room(&self) -> (usize, usize) {
        match *self {}
    }

    pub(super) fn adopt(&mut self, _window: u32) {
        match *self {}
    }

    /// Switches between full screen and window.
    pub(super) fn toggle_fullscreen(&self) {
        match *self {}
    }

    /// Returns the events since the last call.
    pub(super) fn news(&self) -> News {
        match *self {}
    }

    /// Sleeps for this long, or until an event.
    pub(super) fn sleep(&self, _time: Duration) {
        match *self {}
    }
}
