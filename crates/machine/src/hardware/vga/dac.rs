//! The DAC (ports 3C6h to 3C9h): 256 colours of 6 bits per component, a mask for the index, and the
//! read and write sequences.
//!
//! Source: IBM VGA technical reference, video digital-to-analog converter.

use serde::{Deserialize, Serialize};

/// Colours, PEL mask, and the state of the processor's transfer of a colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Dac {
    /// Red, green and blue of each colour in one vector, three bytes per colour.
    #[serde(with = "serde_bytes")]
    components: Vec<u8>,
    /// ANDed with every index from the attribute controller (port 3C6h).
    pub(super) mask: u8,
    read_index: u8,
    write_index: u8,
    /// The number of components of the current colour that have been transferred: 0, 1 or 2.
    component: u8,
    /// Red and green of a colour being written: all three components take effect with blue.
    pending: [u8; 2],
    /// Whether the last index was set for reading.
    reading: bool,
    /// The number of colours written since power-on, to detect writes. Not part of the state.
    #[serde(skip)]
    pub(super) written: u64,
}

impl Dac {
    pub(super) fn new() -> Self {
        Dac {
            components: vec![0; 768],
            mask: 0xFF,
            read_index: 0,
            write_index: 0,
            component: 0,
            pending: [0; 2],
            reading: false,
            written: 0,
        }
    }

    fn component_of(&self, colour: u8, component: u8) -> u8 {
        self.components.get(usize::from(colour) * 3 + usize::from(component)).copied().unwrap_or(0)
    }

    /// Returns a colour's components as one number, one byte each, red highest.
    pub(super) fn components_of(&self, colour: u8) -> u32 {
        (0..3).fold(0, |all, component| all << 8 | u32::from(self.component_of(colour, component)))
    }

    pub(super) fn set_components(&mut self, colour: u8, components: u32) {
        let at = usize::from(colour) * 3;
        if let Some(slot) = self.components.get_mut(at..at + 3) {
            slot.copy_from_slice(&components.to_be_bytes()[1..]);
        }
    }

    /// OUT to port 3C7h: the next reads of 3C9h return this colour and the following ones.
    pub(super) fn set_read_index(&mut self, index: u8) {
        (self.read_index, self.component, self.reading) = (index, 0, true);
    }

    /// OUT to port 3C8h: the next writes to 3C9h set this colour and the following ones.
    pub(super) fn set_write_index(&mut self, index: u8) {
        (self.write_index, self.component, self.reading) = (index, 0, false);
    }

    /// IN from port 3C7h: 3 after the start of a read sequence, 0 after that of a write sequence.
    pub(super) fn state(&self) -> u8 {
        if self.reading { 3 } else { 0 }
    }

    /// IN from port 3C8h.
    pub(super) fn write_index(&self) -> u8 {
        self.write_index
    }

    /// IN from port 3C9h: the next component, 0 to 63.
    pub(super) fn read(&mut self) -> u8 {
        let value = self.component_of(self.read_index, self.component);
        self.component += 1;
        if self.component >= 3 {
            self.component = 0;
            self.read_index = self.read_index.wrapping_add(1);
        }
        value
    }

    /// Whether the next write to port 3C9h completes a colour.
    pub(super) fn completes_colour(&self) -> bool {
        self.component >= 2
    }

    /// OUT to port 3C9h: the next component.
    pub(super) fn write(&mut self, value: u8) {
        let value = value & 0x3F;
        match self.component {
            0 | 1 => {
                self.pending[usize::from(self.component)] = value;
                self.component += 1;
            }
            _ => {
                let colour = [self.pending[0], self.pending[1], value];
                let at = usize::from(self.write_index) * 3;
                if let Some(slot) = self.components.get_mut(at..at + 3) {
                    slot.copy_from_slice(&colour);
                }
                self.component = 0;
                self.write_index = self.write_index.wrapping_add(1);
                self.written += 1;
            }
        }
    }

    /// Returns an index's colour as 00RRGGBB with 8 bits per component (63 becomes FFh).
    pub(super) fn rgb(&self, index: u8) -> u32 {
        self.colour(index & self.mask)
    }

    pub(super) fn colour(&self, index: u8) -> u32 {
        (0..3).fold(0, |rgb, component| {
            let v = u32::from(self.component_of(index, component));
            rgb << 8 | v << 2 | v >> 4
        })
    }
}
