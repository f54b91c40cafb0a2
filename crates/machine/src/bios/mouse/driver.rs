//! Handling of the mouse's reports.

use super::state::{Driver, Strokes, WIDTH};
use crate::bios::{chips, video::pointer};
use crate::hardware::{Hardware, IRQ_AUX, MouseReport};

impl Driver {
    pub(crate) fn is_used(&self) -> bool {
        self.used
    }

    /// Whether a program has set a handler, so that it need not poll.
    pub(crate) fn has_listener(&self) -> bool {
        self.used && [&self.listener].into_iter().chain(&self.alternates).any(|handler| handler.mask != 0)
    }

    pub(crate) fn forget_presses(&mut self) {
        self.presses = Default::default();
    }

    pub(crate) fn forget_releases(&mut self) {
        self.releases = Default::default();
    }

    /// Converts a position in the picture (from 0, with the picture's width and height) to driver
    /// coordinates. A range that starts at 0 counts as the whole screen.
    pub(crate) fn place(&self, hw: &Hardware, (x, width): (u32, u32), (y, height): (u32, u32)) -> (u16, u16) {
        let scaled = |at: u32, of: u32, range: (u16, u16), all: u16| {
            let all = if range.0 == 0 { u32::from(range.1) + 1 } else { u32::from(all) };
            (at.min(of.saturating_sub(1)) * all / of.max(1)) as u16
        };
        (scaled(x, width, self.range_x, WIDTH), scaled(y, height, self.range_y, pointer::height(hw)))
    }

    /// Functions 00h and 21h.
    pub(super) fn reset(&mut self, hw: &mut Hardware) {
        self.hide(hw);
        hw.forget_mouse();
        self.begin(hw);
    }

    /// Resets the driver for a program that never does so itself. Earlier reports are kept.
    pub(super) fn begin_unless_used(&mut self, hw: &mut Hardware) {
        if !self.used {
            self.begin(hw);
        }
    }

    fn begin(&mut self, hw: &mut Hardware) {
        let y = pointer::height(hw);
        *self = Driver { used: true, range_y: (0, y - 1), y: y / 2, ..Driver::default() };
        chips::unmask(hw, IRQ_AUX);
    }

    /// The video mode changes: discards the saved cells and pixels.
    pub(in crate::bios) fn mode_changes(&mut self) {
        self.drawn = None;
    }

    /// Returns the pointer's position as programs receive it.
    pub(super) fn told(&self, hw: &Hardware) -> (u16, u16) {
        match pointer::cells(hw) {
            Some((columns, _)) => {
                let cell = (WIDTH / u16::from(columns).max(1)).max(1);
                (self.x / cell * cell, self.y & !7)
            }
            None => (self.x, self.y),
        }
    }

    pub(super) fn move_to(&mut self, hw: &mut Hardware, x: u16, y: u16) {
        self.hide(hw);
        self.x = x.clamp(self.range_x.0, self.range_x.1);
        self.y = y.clamp(self.range_y.0, self.range_y.1);
        self.show(hw);
    }

    /// Processes a report. Returns the events as bits of a handler's mask.
    pub(super) fn take(&mut self, hw: &mut Hardware, report: MouseReport) -> u16 {
        match report {
            MouseReport::Place { x, y } => {
                let before = (self.x, self.y);
                self.move_to(hw, x, y);
                let mickeys = |from: u16, to: u16, ratio: u16| {
                    ((i32::from(to) - i32::from(from)) * i32::from(ratio) / 8) as i16
                };
                self.moved.0 = self.moved.0.wrapping_add(mickeys(before.0, self.x, self.ratio.0));
                self.moved.1 = self.moved.1.wrapping_add(mickeys(before.1, self.y, self.ratio.1));
                u16::from(before != (self.x, self.y))
            }
            MouseReport::Button { number, down } => {
                let (bit, (x, y)) = (1 << number, self.told(hw));
                if (self.buttons & bit != 0) == down {
                    return 0;
                }
                self.buttons ^= bit;
                let strokes = if down { &mut self.presses } else { &mut self.releases };
                if let Some(strokes) = strokes.get_mut(usize::from(number)) {
                    *strokes = Strokes { count: strokes.count.saturating_add(1), x, y };
                }
                2 << (u16::from(number) * 2 + u16::from(!down))
            }
        }
    }
}
