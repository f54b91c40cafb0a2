//! Inputs to a machine from outside, with their times: they make a run reproducible.

use super::{button::MouseButton, key::Key, pc::Machine};
use oxbox_cpu::Registers;

/// A position in a run, between two instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Cycles since power-on.
    pub cycle: u64,
    /// Whether the hardware interrupt at this cycle has been taken: CS:IP is at its handler.
    pub interrupted: bool,
}

/// An input to a machine from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key was pressed.
    KeyDown(Key),
    /// A key was released.
    KeyUp(Key),
    /// The mouse was moved to a position.
    MouseMove(u16, u16),
    /// A button of the mouse was pressed or released.
    MouseButton(MouseButton, bool),
    /// The speed was changed, in cycles per millisecond.
    Speed(u32),
    /// Bytes for the redirected standard input.
    Feed(Vec<u8>),
    /// The redirected standard input ended.
    CloseInput,
    /// Memory was changed from a linear address.
    Memory(u32, Vec<u8>),
    /// Registers were changed.
    Registers(Box<Registers>),
    /// A stop has reported that the program polls for a key; polls are counted again from there.
    ForgetPolls,
}

#[derive(Debug, Clone)]
pub(super) struct Recorded {
    pub(super) position: Position,
    pub(super) input: Input,
}

impl Machine {
    pub(super) fn moment(&self) -> Position {
        let cycle = self.cpu.cycles;
        Position { cycle, interrupted: self.interrupted_at == Some(cycle) }
    }

    /// Records an input if inputs are recorded.
    pub(super) fn note(&mut self, input: impl FnOnce() -> Input) {
        let position = self.moment();
        if let Some(record) = &mut self.record {
            record.push(Recorded { position, input: input() });
        }
    }

    /// Repeats an input at its position; the machine has been run to that cycle.
    pub(super) fn do_again(&mut self, recorded: &Recorded) {
        if recorded.position.interrupted && !self.moment().interrupted {
            self.enter_interrupt();
        }
        self.repeat(&recorded.input);
    }

    pub(super) fn repeat(&mut self, input: &Input) {
        match input {
            Input::KeyDown(key) => self.key_down(*key),
            Input::KeyUp(key) => self.key_up(*key),
            Input::MouseMove(x, y) => self.move_mouse(*x, *y),
            Input::MouseButton(button, down) => self.set_mouse_button(*button, *down),
            Input::Speed(speed) => self.set_speed(*speed),
            Input::Feed(bytes) => self.feed_input(bytes),
            Input::CloseInput => self.close_input(),
            Input::Memory(address, bytes) => self.write_memory(*address, bytes),
            Input::Registers(registers) => self.set_registers(registers),
            Input::ForgetPolls => self.keys.forget_polls(),
        }
    }

    /// Takes a hardware interrupt that is due now, as the next run would.
    pub(super) fn enter_interrupt(&mut self) {
        let now = self.cpu.cycles;
        self.hardware.advance(now);
        self.bios.advance(&mut self.hardware, now);
        if self.dos.exit_code().is_none() {
            self.take_interrupt(&mut ());
        }
    }
}
