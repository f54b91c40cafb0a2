//! What is done to a machine from outside, and when: with it a run can be had again.

use super::{button::MouseButton, key::Key, pc::Machine};
use oxbox_cpu::Registers;

/// A moment of a run: between two instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Cycles since power-on.
    pub cycle: u64,
    /// The hardware interrupt that came at this cycle has been taken: CS:IP is at its handler.
    pub interrupted: bool,
}

/// Something done to a machine from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key went down.
    KeyDown(Key),
    /// A key went up.
    KeyUp(Key),
    /// The mouse went to a place.
    MouseMove(u16, u16),
    /// A button of the mouse went down or up.
    MouseButton(MouseButton, bool),
    /// Another speed, in cycles a millisecond.
    Speed(u32),
    /// Bytes for the redirected standard input.
    Feed(Vec<u8>),
    /// The redirected standard input ended.
    CloseInput,
    /// Memory was changed, from a linear address on.
    Memory(u32, Vec<u8>),
    /// Registers were changed.
    Registers(Box<Registers>),
    /// A stop told that the program polls for a key; from then on its polls are counted anew.
    ForgetPolls,
}

/// An input and when it came.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    pub(super) position: Position,
    pub(super) input: Input,
}

impl Machine {
    /// The present moment.
    pub(super) fn moment(&self) -> Position {
        let cycle = self.cpu.cycles;
        Position { cycle, interrupted: self.interrupted_at == Some(cycle) }
    }

    /// Keeps an input if somebody wants to know of them.
    pub(super) fn note(&mut self, input: impl FnOnce() -> Input) {
        let position = self.moment();
        if let Some(record) = &mut self.record {
            record.push(Recorded { position, input: input() });
        }
    }

    /// Does something at the moment at which it was done before; the machine has been run to that cycle.
    pub(super) fn do_again(&mut self, recorded: &Recorded) {
        if recorded.position.interrupted && !self.moment().interrupted {
            self.enter_interrupt();
        }
        self.repeat(&recorded.input);
    }

    /// Does what was done to the machine once before.
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

    /// Takes the hardware interrupt of this moment, if one is due, as the next run would.
    pub(super) fn enter_interrupt(&mut self) {
        let now = self.cpu.cycles;
        self.hardware.advance(now);
        self.bios.advance(&mut self.hardware, now);
        if self.dos.exit_code().is_none() {
            self.take_interrupt(&mut ());
        }
    }
}
