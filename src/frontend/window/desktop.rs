//! What the desktop is told of the window, and tells of it, beyond what minifb does: through a connection of its own to the X server.
//!
//! By the rules of ICCCM (WM_CLASS) and EWMH (icon, whole screen, the room that panels leave). Where there is no X server, or no window
//! manager, nothing comes of it.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt, EventMask, PropMode,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use super::{News, icon};

/// What a window's class is, first its instance: WM_CLASS.
const CLASS: &[u8] = b"oxbox\0Oxbox\0";

/// `_NET_WM_STATE_TOGGLE`.
const TOGGLE: u32 = 2;

/// What the connection is told of: what has come into sight, and what wakes a window at rest. Buttons belong to minifb alone, but a
/// pointer seldom presses one before it has moved.
fn heard() -> EventMask {
    EventMask::EXPOSURE
        | EventMask::KEY_PRESS
        | EventMask::POINTER_MOTION
        | EventMask::ENTER_WINDOW
        | EventMask::FOCUS_CHANGE
        | EventMask::STRUCTURE_NOTIFY
}

/// A connection to the desktop.
pub(super) struct Desktop {
    connection: RustConnection,
    root: u32,
    /// Width and height of the screen.
    screen: (usize, usize),
    window: u32,
}

impl Desktop {
    /// The desktop that DISPLAY names.
    pub(super) fn connect() -> Option<Desktop> {
        let (connection, number) = x11rb::connect(None).ok()?;
        let screen = connection.setup().roots.get(number)?;
        let (root, size) =
            (screen.root, (usize::from(screen.width_in_pixels), usize::from(screen.height_in_pixels)));
        Some(Desktop { connection, root, screen: size, window: 0 })
    }

    /// The part of the screen that panels leave to windows, in pixels.
    pub(super) fn room(&self) -> (usize, usize) {
        self.work_area().ok().flatten().unwrap_or(self.screen)
    }

    fn work_area(&self) -> Result<Option<(usize, usize)>, ReplyError> {
        let area = self.atom(b"_NET_WORKAREA")?;
        let property =
            self.connection.get_property(false, self.root, area, AtomEnum::CARDINAL, 0, 4)?.reply()?;
        let numbers: Vec<u32> = property.value32().into_iter().flatten().collect();
        Ok(match numbers[..] {
            [_, _, width, height] if width > 0 && height > 0 => Some((width as usize, height as usize)),
            _ => None,
        })
    }

    fn atom(&self, name: &[u8]) -> Result<u32, ReplyError> {
        Ok(self.connection.intern_atom(false, name)?.reply()?.atom)
    }

    /// From now on it is about this window, which gets its class and its icon.
    pub(super) fn adopt(&mut self, window: u32) {
        self.window = window;
        // A desktop that takes neither shows the window all the same.
        let _ = self.introduce();
    }

    fn introduce(&self) -> Result<(), ReplyError> {
        let class = (AtomEnum::WM_CLASS, AtomEnum::STRING);
        self.connection.change_property8(PropMode::REPLACE, self.window, class.0, class.1, CLASS)?;
        let icon = self.atom(b"_NET_WM_ICON")?;
        let picture = icon::argb_with_size();
        self.connection.change_property32(
            PropMode::REPLACE,
            self.window,
            icon,
            AtomEnum::CARDINAL,
            &picture,
        )?;
        let wanted = ChangeWindowAttributesAux::new().event_mask(heard());
        self.connection.change_window_attributes(self.window, &wanted)?;
        self.connection.flush()?;
        Ok(())
    }

    /// The window takes the whole screen, or no longer.
    pub(super) fn toggle_fullscreen(&self) {
        let _ = self.try_to_toggle();
    }

    fn try_to_toggle(&self) -> Result<(), ReplyError> {
        let (state, fullscreen) = (self.atom(b"_NET_WM_STATE")?, self.atom(b"_NET_WM_STATE_FULLSCREEN")?);
        // The last number says that an application asks, no pager.
        let message = ClientMessageEvent::new(32, self.window, state, [TOGGLE, fullscreen, 0, 1, 0]);
        let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.connection.send_event(false, self.root, to, message)?;
        self.connection.flush()?;
        Ok(())
    }

    /// What has happened since the last call.
    pub(super) fn news(&self) -> News {
        let mut news = News::default();
        while let Ok(Some(event)) = self.connection.poll_for_event() {
            news.any = true;
            news.exposed |= matches!(event, Event::Expose(_));
        }
        news
    }

    /// Sleeps so long, or until something happens.
    pub(super) fn sleep(&self, time: Duration) {
        let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
        let mut watched = [PollFd::new(self.connection.stream(), PollFlags::IN)];
        // A signal that breaks it off is looked at by those who wait.
        let _ = poll(&mut watched, Some(&time));
    }
}
