//! Communication with the desktop beyond minifb, through a separate connection to the X server.
//!
//! It follows ICCCM (WM_CLASS) and EWMH (icon, full screen, space left by panels). Without an X
//! server or a window manager it has no effect.

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

/// The window's class (WM_CLASS), with its instance first.
const CLASS: &[u8] = b"oxbox\0Oxbox\0";

/// `_NET_WM_STATE_TOGGLE`.
const TOGGLE: u32 = 2;

/// The events that the connection selects: exposure, and input that ends a pause. Only minifb can
/// select button events, but a pointer usually moves before a button is pressed.
fn heard() -> EventMask {
    EventMask::EXPOSURE
        | EventMask::KEY_PRESS
        | EventMask::POINTER_MOTION
        | EventMask::ENTER_WINDOW
        | EventMask::FOCUS_CHANGE
        | EventMask::STRUCTURE_NOTIFY
}

pub(super) struct Desktop {
    connection: RustConnection,
    root: u32,
    /// Width and height of the screen.
    screen: (usize, usize),
    window: u32,
}

impl Desktop {
    pub(super) fn connect() -> Option<Desktop> {
        let (connection, number) = x11rb::connect(None).ok()?;
        let screen = connection.setup().roots.get(number)?;
        let (root, size) =
            (screen.root, (usize::from(screen.width_in_pixels), usize::from(screen.height_in_pixels)));
        Some(Desktop { connection, root, screen: size, window: 0 })
    }

    /// Returns the part of the screen that panels leave to windows, in pixels.
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

    /// Sets the window to manage, and its class and icon.
    pub(super) fn adopt(&mut self, window: u32) {
        self.window = window;
        // The desktop shows the window even if it accepts neither.
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

    /// Switches between full screen and window.
    pub(super) fn toggle_fullscreen(&self) {
        let _ = self.try_to_toggle();
    }

    fn try_to_toggle(&self) -> Result<(), ReplyError> {
        let (state, fullscreen) = (self.atom(b"_NET_WM_STATE")?, self.atom(b"_NET_WM_STATE_FULLSCREEN")?);
        // The last number identifies the sender as an application, not a pager.
        let message = ClientMessageEvent::new(32, self.window, state, [TOGGLE, fullscreen, 0, 1, 0]);
        let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.connection.send_event(false, self.root, to, message)?;
        self.connection.flush()?;
        Ok(())
    }

    /// Returns the events since the last call.
    pub(super) fn news(&self) -> News {
        let mut news = News::default();
        while let Ok(Some(event)) = self.connection.poll_for_event() {
            news.any = true;
            news.exposed |= matches!(event, Event::Expose(_));
        }
        news
    }

    /// Sleeps for this long, or until an event.
    pub(super) fn sleep(&self, time: Duration) {
        let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
        let mut watched = [PollFd::new(self.connection.stream(), PollFlags::IN)];
        // The caller checks for a signal that interrupts it.
        let _ = poll(&mut watched, Some(&time));
    }
}
