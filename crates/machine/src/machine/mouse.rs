//! Input from the host's mouse.

use super::{button::MouseButton, pc::Machine, record::Input};
use crate::hardware::MouseReport;

impl Machine {
    /// Moves the mouse's pointer to a position in the coordinates of INT 33h: 640 across in the
    /// usual modes (8 per character); vertically lines of the picture, or 8 per row of text.
    pub fn move_mouse(&mut self, x: u16, y: u16) {
        self.note(|| Input::MouseMove(x, y));
        self.report_mouse(MouseReport::Place { x, y });
    }

    /// Presses or releases a button of the mouse.
    pub fn set_mouse_button(&mut self, button: MouseButton, down: bool) {
        self.note(|| Input::MouseButton(button, down));
        self.report_mouse(MouseReport::Button { number: button as u8, down });
    }

    fn report_mouse(&mut self, report: MouseReport) {
        let now = self.cpu.cycles;
        self.hardware.advance(now);
        self.hardware.report_mouse(report);
    }

    /// Whether the program has used the mouse driver.
    pub fn program_uses_mouse(&self) -> bool {
        self.bios.mouse.is_used()
    }

    /// Returns the coordinates for [`Machine::move_mouse`] of a point in the picture, given as
    /// position and size, across and down.
    pub fn mouse_place(&self, across: (u32, u32), down: (u32, u32)) -> (u16, u16) {
        self.bios.mouse.place(&self.hardware, across, down)
    }

    /// Whether the program has set a mouse handler, so that it need not poll.
    pub fn program_listens_to_mouse(&self) -> bool {
        self.bios.mouse.has_listener()
    }
}
