//! A board and a processor whose registers are set by the test, and direct calls of INT 10h.

use crate::bios::{Bios, data, video};
use crate::firmware::Guest;
use crate::hardware::Hardware;
use crate::hardware::vga::cp437;
use oxbox_cpu::{Cpu, Model};

/// The board after power-on, and INT 10h.
pub(crate) struct Screen {
    pub(crate) hw: Hardware,
    pub(crate) cpu: Cpu,
}

impl Screen {
    pub(crate) fn new() -> Self {
        let mut hw = Hardware::new(3000);
        video::init(&mut hw);
        Screen { hw, cpu: Cpu::new(Model::I386) }
    }

    pub(crate) fn mode(mode: u8) -> Self {
        let mut screen = Screen::new();
        screen.int10(u16::from(mode), 0, 0, 0);
        screen
    }

    /// Calls INT 10h with AX, BX, CX, DX.
    pub(crate) fn int10(&mut self, ax: u16, bx: u16, cx: u16, dx: u16) -> &mut Self {
        self.cpu.regs.set_ax(ax);
        self.cpu.regs.set_bx(bx);
        self.cpu.regs.set_cx(cx);
        self.cpu.regs.set_dx(dx);
        Bios::default().service(0x10, &mut Guest::new(&mut self.cpu, &mut self.hw));
        self
    }

    /// Returns AX, BX, CX, DX after INT 10h.
    pub(crate) fn registers(&self) -> [u16; 4] {
        let regs = &self.cpu.regs;
        [regs.ax(), regs.bx(), regs.cx(), regs.dx()]
    }

    /// Returns the text screen's lines, joined by `
    /// `, without empty ones at the end.
    pub(crate) fn lines(&self) -> String {
        let text = self.hw.vga.text().map(|text| text.to_string()).unwrap_or_default();
        text.trim_end().replace('\n', "|")
    }

    /// Returns a byte of the data area at 0040:.
    pub(crate) fn area(&self, offset: u16) -> u8 {
        self.hw.memory.read8(data::at(offset))
    }

    /// Teletype output on page 0.
    pub(crate) fn print(&mut self, text: &str, colour: u8) -> &mut Self {
        for code in text.chars().filter_map(cp437::from_char) {
            video::teletype(&mut self.hw, code, colour, 0);
        }
        self
    }

    pub(crate) fn out(&mut self, port: u16, value: u8) -> &mut Self {
        self.hw.vga.output(port, value);
        self
    }

    /// Writes a word to an index port: index in the low byte.
    pub(crate) fn out_word(&mut self, port: u16, value: u16) -> &mut Self {
        let [index, value] = value.to_le_bytes();
        self.out(port, index).out(port + 1, value)
    }

    /// Writes an attribute controller register; the display keeps the palette.
    pub(crate) fn attribute(&mut self, index: u8, value: u8) -> &mut Self {
        self.hw.vga.input(0x3DA, 0);
        self.out(0x3C0, index | 0x20).out(0x3C0, value)
    }

    /// Reads a CRTC register at 3D4h.
    pub(crate) fn crtc(&mut self, index: u8) -> u8 {
        self.out(0x3D4, index);
        self.hw.vga.input(0x3D5, 0)
    }

    pub(crate) fn peek(&mut self, address: u32) -> u8 {
        self.hw.vga.read8(address)
    }

    pub(crate) fn poke(&mut self, address: u32, value: u8) -> &mut Self {
        self.hw.vga.write8(address, value);
        self
    }
}
