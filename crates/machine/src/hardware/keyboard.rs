//! Ports 60h and 64h: the 8042 keyboard controller and its keyboard.
//!
//! The output buffer holds one byte; while it is unread, no further byte arrives. Bytes of the
//! keyboard arrive at the rate of its serial line. Source: IBM AT and PS/2 Technical Reference,
//! "Keyboard Controller". Instants are nanoseconds of virtual time.

mod device;
mod scancode;
mod typematic;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use device::Device;
use serde::{Deserialize, Serialize};

/// Bits of the command byte.
const INTERRUPT: u8 = 0x01;
const AUX_INTERRUPT: u8 = 0x02;
const SYSTEM_FLAG: u8 = 0x04;
const DISABLE_KEYBOARD: u8 = 0x10;
const DISABLE_AUX: u8 = 0x20;
const TRANSLATE: u8 = 0x40;

/// Effect of a write outside the controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// No effect.
    None,
    /// The gate of address line 20 is open (true) or closed.
    A20(bool),
    /// The processor's reset line was pulsed.
    Reset,
}

/// The recipient of the next byte written to port 60h.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Recipient {
    Keyboard,
    /// The controller's memory at this address; 0 is the command byte.
    Ram(u8),
    OutputPort,
    /// The output buffer, as if the keyboard had sent it (command D2h).
    OutputBuffer,
    /// The output buffer, as if a mouse had sent it (command D3h).
    AuxOutputBuffer,
    /// The mouse port, which is not connected (command D4h).
    Aux,
}

/// A byte in the output buffer, or on its way to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Output {
    value: u8,
    aux: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keyboard {
    output: Output,
    output_full: bool,
    /// Answers of the controller, which overtake the bytes of the keyboard.
    answers: VecDeque<Output>,
    /// Whether the last write was to port 64h.
    last_was_command: bool,
    recipient: Recipient,
    ram: [u8; 32],
    a20: bool,
    device: Device,
    guest_reads: u64,
}

/// Most answers waiting for the output buffer. A program that never reads loses later ones.
const ANSWERS: usize = 16;

impl Keyboard {
    /// The state after the power-on self test: interrupts on, translation to scan code set 1, A20
    /// closed. Programs of the 8086 rely on addresses that wrap at 1 MiB (packed EXE files, calls
    /// of CP/M's entry point).
    pub(crate) fn new() -> Self {
        let mut ram = [0; 32];
        ram[0] = INTERRUPT | SYSTEM_FLAG | TRANSLATE;
        Keyboard {
            output: Output { value: 0, aux: false },
            output_full: false,
            answers: VecDeque::new(),
            last_was_command: false,
            recipient: Recipient::Keyboard,
            ram,
            a20: false,
            device: Device::new(),
            guest_reads: 0,
        }
    }

    /// Sends the codes of pressed and released keys in set 1 as translated (make 01h to 58h, break
    /// 80h higher, prefix E0h or E1h). The last pressed key repeats while it is held. Returns false
    /// if codes were lost, because the keyboard's buffer was full or its scanning is off.
    pub(crate) fn send(&mut self, codes: &[u8], ns: u64) -> bool {
        self.advance(ns);
        let translated = self.translates();
        codes.iter().all(|&code| self.device.send(code, translated, ns))
    }

    fn translates(&self) -> bool {
        self.command_byte() & TRANSLATE != 0
    }

    /// Number of further codes that the keyboard's buffer takes.
    #[cfg(test)]
    pub(crate) fn room(&self) -> usize {
        self.device.room()
    }

    /// Whether a code other than that of a released key is on its way.
    pub(crate) fn sends_key(&self) -> bool {
        self.output_full || !self.answers.is_empty() || !self.device.only_releases()
    }

    /// Takes the codes of released keys that wait for the serial line, in set 1. Returns nothing if
    /// any other code is on its way.
    pub(crate) fn take_releases(&mut self) -> Vec<u8> {
        let can_take = !self.sends_key() && self.ram[0] & TRANSLATE != 0;
        if can_take { self.device.take_queue() } else { Vec::new() }
    }

    /// Ends the transmission of the last byte, if no other follows.
    pub(crate) fn free_line(&mut self) {
        self.device.free_line();
    }

    /// Whether no byte of the keyboard is waiting, in its buffer or in the output buffer.
    pub(crate) fn is_idle(&self) -> bool {
        !self.output_full && self.device.is_empty()
    }

    /// Scroll Lock, Num Lock and Caps Lock lights in bits 0 to 2, as the program has set them.
    #[cfg(test)]
    pub(crate) fn lights(&self) -> u8 {
        self.device.lights()
    }

    /// Sets the typematic byte: bits 5 and 6 the delay (250 ms times the value plus one), bits 0 to
    /// 4 the rate.
    pub(crate) fn set_typematic(&mut self, typematic: u8) {
        self.device.set_typematic(typematic);
    }

    #[cfg(test)]
    pub(crate) fn typematic(&self) -> u8 {
        self.device.typematic()
    }

    /// Number of times that the guest has read port 60h by an IN instruction.
    pub(crate) fn guest_reads(&self) -> u64 {
        self.guest_reads
    }

    pub(super) fn count_guest_read(&mut self) {
        self.guest_reads += 1;
    }

    /// Records the state of the gate of address line 20, however it was changed.
    pub(crate) fn set_a20(&mut self, open: bool) {
        self.a20 = open;
    }

    /// State of the gate of address line 20.
    pub(crate) fn a20(&self) -> bool {
        self.a20
    }

    /// Level of IRQ 1.
    pub(crate) fn irq(&self) -> bool {
        self.output_full && !self.output.aux && self.command_byte() & INTERRUPT != 0
    }

    /// Level of IRQ 12.
    pub(crate) fn aux_irq(&self) -> bool {
        self.output_full && self.output.aux && self.command_byte() & AUX_INTERRUPT != 0
    }

    /// The instant at which the next byte reaches the output buffer, unless something changes.
    pub(crate) fn due(&self) -> Option<u64> {
        if self.output_full {
            return None;
        }
        match (self.byte_due(), self.device.repetition_due()) {
            (Some(byte), Some(repetition)) => Some(byte.min(repetition)),
            (byte, repetition) => byte.or(repetition),
        }
    }

    /// The arrival time of the byte in transit.
    fn byte_due(&self) -> Option<u64> {
        if self.output_full {
            None
        } else if !self.answers.is_empty() {
            Some(0)
        } else if self.command_byte() & DISABLE_KEYBOARD != 0 {
            None
        } else {
            self.device.due()
        }
    }

    /// Delivers everything due up to `ns`: bytes into the output buffer, then repeated keys.
    pub(crate) fn advance(&mut self, ns: u64) {
        while let Some(repetition) = self.device.repetition_due().filter(|&due| due <= ns) {
            self.receive(repetition);
            self.device.repeat(self.translates(), ns);
        }
        self.receive(ns);
    }

    /// Moves the byte that is due at `ns` into the output buffer.
    fn receive(&mut self, ns: u64) {
        let Some(due) = self.byte_due().filter(|&due| due <= ns) else { return };
        let output = match self.answers.pop_front() {
            Some(answer) => Some(answer),
            None => self.device.take(due).map(|value| Output { value, aux: false }),
        };
        if let Some(output) = output {
            self.output = output;
            self.output_full = true;
        }
    }

    /// Whether port 60h holds nothing new.
    pub(crate) fn is_read(&mut self, ns: u64) -> bool {
        self.advance(ns);
        !self.output_full
    }

    /// Reads port 60h and empties the output buffer. An empty buffer returns its last byte again.
    pub(crate) fn read_data(&mut self, ns: u64) -> u8 {
        self.advance(ns);
        if self.output_full {
            self.output_full = false;
            self.device.space_from(ns);
        }
        self.output.value
    }

    /// Reads port 64h: bit 0 output buffer full, bit 2 system flag, bit 3 last write was a command,
    /// bit 4 keyboard not locked, bit 5 the output is from the mouse. The input buffer (bit 1) is
    /// always empty.
    pub(crate) fn read_status(&mut self, ns: u64) -> u8 {
        self.advance(ns);
        u8::from(self.output_full)
            | self.command_byte() & SYSTEM_FLAG
            | u8::from(self.last_was_command) << 3
            | 0x10
            | u8::from(self.output_full && self.output.aux) << 5
    }

    /// Writes port 60h.
    pub(crate) fn write_data(&mut self, value: u8, ns: u64) -> Effect {
        self.last_was_command = false;
        let recipient = std::mem::replace(&mut self.recipient, Recipient::Keyboard);
        match recipient {
            Recipient::Keyboard => {
                // The controller enables the keyboard's line before it sends a byte.
                self.ram[0] &= !DISABLE_KEYBOARD;
                self.device.write(value, self.translates(), ns);
            }
            Recipient::Ram(address) => self.ram[usize::from(address & 0x1F)] = value,
            Recipient::OutputBuffer => self.answer(value, false, ns),
            Recipient::AuxOutputBuffer => self.answer(value, true, ns),
            Recipient::Aux => {}
            Recipient::OutputPort if value & 1 == 0 => return Effect::Reset,
            Recipient::OutputPort => return Effect::A20(value & 2 != 0),
        }
        Effect::None
    }

    /// Writes port 64h: a command for the controller.
    pub(crate) fn write_command(&mut self, command: u8, ns: u64) -> Effect {
        self.last_was_command = true;
        self.recipient = Recipient::Keyboard;
        match command {
            0x20..=0x3F => self.answer(self.ram[usize::from(command & 0x1F)], false, ns),
            0x60..=0x7F => self.recipient = Recipient::Ram(command & 0x1F),
            0xA7 => self.ram[0] |= DISABLE_AUX,
            0xA8 => self.ram[0] &= !DISABLE_AUX,
            // Interface tests: no error.
            0xA9 | 0xAB => self.answer(0x00, false, ns),
            0xAA => self.answer(0x55, false, ns),
            0xAD => self.ram[0] |= DISABLE_KEYBOARD,
            0xAE => self.ram[0] &= !DISABLE_KEYBOARD,
            // Input port: not locked, manufacturing jumper open, 512 KiB on the board, colour display.
            0xC0 => self.answer(0xB0, false, ns),
            0xD0 => self.answer(self.output_port(), false, ns),
            0xD1 => self.recipient = Recipient::OutputPort,
            0xD2 => self.recipient = Recipient::OutputBuffer,
            0xD3 => self.recipient = Recipient::AuxOutputBuffer,
            0xD4 => self.recipient = Recipient::Aux,
            // Later controllers move A20 by one command.
            0xDD => return Effect::A20(false),
            0xDF => return Effect::A20(true),
            // Test inputs: clock and data low.
            0xE0 => self.answer(0x00, false, ns),
            // Pulses those of the output port's bits 0 to 3 that are 0 in the command: bit 0 is
            // reset.
            0xF0..=0xFF if command & 1 == 0 => return Effect::Reset,
            _ => {}
        }
        Effect::None
    }

    /// The output port: bit 0 reset (active low), bit 1 A20, bits 4 and 5 the interrupt lines, bits
    /// 6 and 7 the keyboard's clock and data.
    fn output_port(&self) -> u8 {
        0xC1 | u8::from(self.a20) << 1 | u8::from(self.irq()) << 4 | u8::from(self.aux_irq()) << 5
    }

    fn answer(&mut self, value: u8, aux: bool, ns: u64) {
        if self.answers.len() < ANSWERS {
            self.answers.push_back(Output { value, aux });
        }
        self.advance(ns);
    }

    fn command_byte(&self) -> u8 {
        self.ram[0]
    }
}

impl Default for Keyboard {
    fn default() -> Self {
        Keyboard::new()
    }
}
