//! The state of the mouse driver.

use super::shapes::{Drawn, Graphic, TextCursor};
use crate::firmware::Far;
use serde::{Deserialize, Serialize};

pub(super) const WIDTH: u16 = 640;

/// Left, right, middle.
pub(super) const BUTTONS: usize = 3;

/// Presses or releases of a button since the last query, and the position of the last one.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Strokes {
    pub(super) count: u16,
    pub(super) x: u16,
    pub(super) y: u16,
}

/// The events for which a program's handler is called, and its address.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Listener {
    /// Bit 0 movement, bits 1 to 6 press and release of the buttons.
    pub(super) mask: u16,
    pub(super) at: Far,
}

/// The driver's state. It is created when a program first calls the driver.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Driver {
    pub(super) used: bool,
    pub(super) x: u16,
    pub(super) y: u16,
    pub(super) buttons: u16,
    pub(super) range_x: (u16, u16),
    pub(super) range_y: (u16, u16),
    /// Mickeys per 8 units.
    pub(super) ratio: (u16, u16),
    pub(super) moved: (i16, i16),
    pub(super) presses: [Strokes; BUTTONS],
    pub(super) releases: [Strokes; BUTTONS],
    pub(super) listener: Listener,
    /// The handlers for events with shift keys.
    pub(super) alternates: [Listener; 3],
    pub(super) sensitivity: (u16, u16, u16),
    pub(super) threshold: u16,
    pub(super) page: u8,
    /// The selected acceleration profile, 1 to 4.
    pub(super) curve: u16,
    /// The cursor is hidden while this is below 0.
    pub(super) shown: i16,
    /// The cursor is hidden within: left, top, right, bottom.
    pub(super) exclusion: Option<(u16, u16, u16, u16)>,
    pub(super) text: TextCursor,
    pub(super) graphic: Graphic,
    pub(super) drawn: Option<Drawn>,
}

impl Default for Driver {
    fn default() -> Self {
        Driver {
            used: false,
            x: WIDTH / 2,
            y: 100,
            buttons: 0,
            range_x: (0, WIDTH - 1),
            range_y: (0, 199),
            ratio: (8, 16),
            moved: (0, 0),
            presses: Default::default(),
            releases: Default::default(),
            listener: Listener::default(),
            alternates: Default::default(),
            sensitivity: (50, 50, 50),
            threshold: 64,
            page: 0,
            curve: 2,
            shown: -1,
            exclusion: None,
            text: TextCursor::default(),
            graphic: Graphic::default(),
            drawn: None,
        }
    }
}
