//! The two 8237 DMA controllers and the page registers, as far as programs can read them.
//!
//! Registers read back as on the chip. No device on this board requests a transfer, so none is
//! made. Sources: Intel's data sheet of the 8237A (231466), IBM AT Technical Reference, "DMA".

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Channel {
    base_address: u16,
    base_count: u16,
    current_address: u16,
    current_count: u16,
    mode: u8,
}

/// One 8237A. Register numbers are those of its address lines A0 to A3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Controller {
    channels: [Channel; 4],
    /// The byte pointer flip-flop: whether the next access is to the high byte.
    high_next: bool,
    command: u8,
    mask: u8,
    /// Software requests, bits 0 to 3.
    requests: u8,
    /// Terminal counts reached, bits 0 to 3, cleared by a read of the status.
    terminal_counts: u8,
    temporary: u8,
}

impl Controller {
    /// After reset: all channels masked.
    pub(crate) fn new() -> Self {
        Controller {
            channels: [Channel::default(); 4],
            high_next: false,
            command: 0,
            mask: 0x0F,
            requests: 0,
            terminal_counts: 0,
            temporary: 0,
        }
    }

    /// Reads register 0 to 15.
    pub(crate) fn read(&mut self, register: u8) -> u8 {
        match register & 0xF {
            register @ 0..=7 => {
                let channel = self.channels[usize::from(register >> 1)];
                let word = if register & 1 == 0 { channel.current_address } else { channel.current_count };
                word.to_le_bytes()[usize::from(self.flip())]
            }
            8 => std::mem::take(&mut self.terminal_counts) | self.requests << 4,
            0xD => self.temporary,
            // Later chips read back the mask; the rest cannot be read.
            0xF => self.mask | 0xF0,
            _ => 0xFF,
        }
    }

    /// Writes register 0 to 15.
    pub(crate) fn write(&mut self, register: u8, value: u8) {
        let channel = usize::from(value & 3);
        match register & 0xF {
            register @ 0..=7 => self.write_word(register, value),
            8 => self.command = value,
            9 => self.requests = with_bit(self.requests, channel, value & 4 != 0),
            0xA => self.mask = with_bit(self.mask, channel, value & 4 != 0),
            0xB => self.channels[channel].mode = value,
            0xC => self.high_next = false,
            0xD => self.master_clear(),
            0xE => self.mask = 0,
            _ => self.mask = value & 0x0F,
        }
    }

    fn write_word(&mut self, register: u8, value: u8) {
        let high = self.flip();
        let channel = &mut self.channels[usize::from(register >> 1)];
        let (base, current) = if register & 1 == 0 {
            (&mut channel.base_address, &mut channel.current_address)
        } else {
            (&mut channel.base_count, &mut channel.current_count)
        };
        let mut bytes = base.to_le_bytes();
        bytes[usize::from(high)] = value;
        *base = u16::from_le_bytes(bytes);
        *current = *base;
    }

    fn master_clear(&mut self) {
        let channels = self.channels;
        *self = Controller { channels, ..Controller::new() };
    }

    /// Returns whether this access is to the high byte, and selects the other byte for the next.
    fn flip(&mut self) -> bool {
        self.high_next = !self.high_next;
        !self.high_next
    }
}

impl Default for Controller {
    fn default() -> Self {
        Controller::new()
    }
}

fn with_bit(bits: u8, bit: usize, on: bool) -> u8 {
    if on { bits | 1 << bit } else { bits & !(1 << bit) }
}

/// The two controllers and the page registers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dma {
    /// Channels 0 to 3 at ports 00h to 0Fh, channels 4 to 7 at the even ports C0h to DEh.
    controllers: [Controller; 2],
    /// Ports 81h to 8Fh: address lines from 16 or 17 up. Those without a channel are storage.
    pages: [u8; 16],
}

impl Dma {
    /// After reset.
    pub(crate) fn new() -> Self {
        Dma::default()
    }

    /// IN from 00h to 0Fh, 81h to 8Fh or C0h to DFh.
    pub(crate) fn input(&mut self, port: u16) -> u8 {
        match port {
            0x80..=0x8F => self.pages[usize::from(port & 0xF)],
            0xC0..=0xDF => self.controllers[1].read((port >> 1) as u8),
            _ => self.controllers[0].read(port as u8),
        }
    }

    /// OUT to 00h to 0Fh, 81h to 8Fh or C0h to DFh.
    pub(crate) fn output(&mut self, port: u16, value: u8) {
        match port {
            0x80..=0x8F => self.pages[usize::from(port & 0xF)] = value,
            0xC0..=0xDF => self.controllers[1].write((port >> 1) as u8, value),
            _ => self.controllers[0].write(port as u8, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers() {
        // Steps: `w0=34` writes 34h to port 00h, `r0=34` reads and compares.
        let rows = [
            ("address low then high", "w0C=00 w00=34 w00=12 w0C=00 r00=34 r00=12"),
            ("count of channel 3", "w0C=00 w07=FF w07=03 w0C=00 r07=FF r07=03"),
            (
                "the flip-flop is one for all channels",
                "w0C=00 w00=11 w02=22 w0C=00 r02=00 r02=22 w0C=00 r00=11 r00=00",
            ),
            ("second controller at even ports", "wD8=00 wC4=55 wC4=AA wD8=00 rC4=55 rC4=AA"),
            ("the two do not touch", "w0C=00 w00=34 w00=12 wD8=00 rC0=00 rC0=00"),
            ("mask by channel", "w0D=00 w0A=02 r0F=FB w0A=06 r0F=FF"),
            ("mask all and clear", "w0F=05 r0F=F5 w0E=00 r0F=F0"),
            ("software request shows in the status", "w09=06 r08=40 w09=02 r08=00"),
            ("master clear masks all", "w0E=00 w0D=00 r0F=FF"),
            ("pages read back", "w81=12 w8F=34 r81=12 r8F=34 r83=00"),
        ];
        for (name, steps) in rows {
            let mut dma = Dma::new();
            for step in steps.split(' ') {
                let port = u16::from_str_radix(&step[1..3], 16).unwrap();
                let value = u8::from_str_radix(&step[4..6], 16).unwrap();
                if step.starts_with('w') {
                    dma.output(port, value);
                } else {
                    assert_eq!(format!("{:02X}", dma.input(port)), format!("{value:02X}"), "{name}: {step}");
                }
            }
        }
    }
}
