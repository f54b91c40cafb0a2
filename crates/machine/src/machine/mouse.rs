//! The mouse, as the host moves it.

use super::{button::MouseButton, pc::Machine, record::Input};
use crate::hardware::MouseReport;

impl Machine {
    /// The mouse's pointer goes to a place, in the coordinates that programs get from INT 33h: 640 across in the usual modes, 8 for
    /// a character; lines down, 8 for a row of text.
    pub fn move_mouse(&mut self, x: u16, y: u16) {
        self.note(|| Input::MouseMove(x, y));
        self.report_mouse(MouseReport::Place { x, y });
    }

    /// A button of the mouse goes down or up.
    pub fn set_mouse_button(&mut self, button: MouseButton, down: bool) {
        self.note(|| Input::MouseButton(button, down));
        self.report_mouse(MouseReport::Button { number: button as u8, down });
    }

    fn report_mouse(&mut self, report: MouseReport) {
        let now = self.cpu.cycles;
        self.hardware.advance(now);
        self.hardware.report_mouse(report);
    }

    /// True when the program has asked for the mouse.
    pub fn program_uses_mouse(&self) -> bool {
        self.bios.mouse.is_used()
    }

    /// Where [`Machine::move_mouse`] is to go for a point of the picture, given as its place and how many there are, across and down.
    pub fn mouse_place(&self, across: (u32, u32), down: (u32, u32)) -> (u16, u16) {
        self.bios.mouse.place(&self.hardware, across, down)
    }

    /// True when the program is told of the mouse by a handler of its own, so that it need not ask.
    pub fn program_listens_to_mouse(&self) -> bool {
        self.bios.mouse.has_listener()
    }
}
