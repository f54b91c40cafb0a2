//! A host without X: the desktop is told nothing, and tells nothing.

use std::time::Duration;

use super::News;

/// No connection to a desktop.
pub(super) enum Desktop {}

impl Desktop {
    /// There is none.
    pub(super) fn connect() -> Option<Desktop> {
        None
    }

    /// The room that it leaves to windows, in pixels.
    pub(super) fn room(&self) -> (usize, usize) {
        match *self {}
    }

    /// The window is made known to it.
    pub(super) fn adopt(&mut self, _window: u32) {
        match *self {}
    }

    /// The window takes the whole screen, or no longer.
    pub(super) fn toggle_fullscreen(&self) {
        match *self {}
    }

    /// What has happened since the last call.
    pub(super) fn news(&self) -> News {
        match *self {}
    }

    /// Sleeps so long, or until something happens.
    pub(super) fn sleep(&self, _time: Duration) {
        match *self {}
    }
}
