//! The display adapters that a PC can have, and their differences.
//!
//! Source: IBM's Options and Adapters Technical Reference, "Color/Graphics Monitor Adapter" and "Enhanced Graphics Adapter".

use serde::{Deserialize, Serialize};

/// A display adapter with its colour monitor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Adapter {
    /// The Color/Graphics Adapter of 1981: a 6845, 16 KiB, 640x200.
    Cga,
    /// The Enhanced Graphics Adapter of 1984 with 256 KiB and the Enhanced Color Display: 640x350 in 16 of 64 colours.
    Ega,
    /// The Video Graphics Array of 1987.
    #[default]
    Vga,
}

impl Adapter {
    /// Returns its name, as in `--machine`.
    pub fn name(self) -> &'static str {
        match self {
            Adapter::Cga => "cga",
            Adapter::Ega => "ega",
            Adapter::Vga => "vga",
        }
    }

    /// Returns the adapter with this name.
    pub fn named(name: &str) -> Option<Adapter> {
        [Adapter::Cga, Adapter::Ega, Adapter::Vga].into_iter().find(|adapter| adapter.name() == name)
    }

    /// Whether a palette of 262,144 colours is between attribute controller and monitor.
    pub(crate) fn has_dac(self) -> bool {
        self == Adapter::Vga
    }

    /// Whether a display register can be read. On an EGA only the cursor and the start address can.
    pub(super) fn reads(self, port: u16, crtc_index: u8) -> bool {
        match port {
            _ if self == Adapter::Vga => true,
            0x3C2 | 0x3DA => true,
            0x3D5 => (0x0C..=0x0F).contains(&crtc_index),
            _ => false,
        }
    }

    /// Returns the master clocks in kHz by miscellaneous output bits 2 and 3. An unconnected clock
    /// counts as the first.
    pub(super) fn clocks_khz(self) -> [u64; 4] {
        match self {
            Adapter::Cga => [14_318; 4],
            Adapter::Ega => [14_318, 16_257, 14_318, 14_318],
            Adapter::Vga => [25_175, 28_322, 25_175, 25_175],
        }
    }

    /// Returns the characters that the chip adds to the CRTC's first register for a line's total.
    pub(super) fn beyond_horizontal_total(self) -> u32 {
        match self {
            Adapter::Cga => 1,
            Adapter::Ega => 2,
            Adapter::Vga => 5,
        }
    }

    /// Returns the dots that fill the width of the monitor, and the scan lines that fill its
    /// height, by miscellaneous output.
    pub(super) fn screen(self, misc: u8) -> (u32, u32) {
        let lines = match (self, misc >> 6) {
            (_, 2) => 350,
            (Adapter::Vga, 3) => 480,
            (Adapter::Vga, _) => 400,
            _ => 200,
        };
        (if self == Adapter::Vga && misc >> 2 & 3 == 1 { 720 } else { 640 }, lines)
    }

    /// Returns the bits of a byte that a write to a port changes in its register. `None` if the
    /// adapter does not have the register.
    pub(super) fn written(self, port: u16, index: u8, attribute: Option<u8>) -> Option<u8> {
        if self == Adapter::Vga {
            return Some(0xFF);
        }
        match (port, index) {
            // Sleep, PEL mask and DAC.
            (0x3C3 | 0x3C6..=0x3C9, _) => None,
            (0x3C0, _) => match attribute {
                // No panning that ends at a split, no 256 colours, no colour select.
                Some(0x10) => Some(0x0F),
                Some(0x14) => None,
                _ => Some(0xFF),
            },
            // Neither "picture off" nor four chained shift registers; no chain-4.
            (0x3C5, 1) => Some(0x0F),
            (0x3C5, 4) => Some(0x07),
            // No 256 colours.
            (0x3CF, 5) => Some(0x3F),
            // No split beyond line 511, no byte panning, no double scan, no protection, no
            // doublewords.
            (0x3D5, 7 | 9 | 8 | 0x14) => Some(0x1F),
            (0x3D5, 0x11) => Some(0x3F),
            _ => Some(0xFF),
        }
    }
}
