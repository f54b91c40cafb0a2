//! The processor: 8086 to 80386 in real mode, over any [`Bus`].

mod bus;
mod model;
mod registers;

pub use bus::{Bus, Width};
pub use model::Model;
pub use registers::{Flags, Registers, Segment};

use serde::{Deserialize, Serialize};

/// Why [`Cpu::run`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// `cycles` has reached the deadline given, or the bus's next event.
    Deadline,
    /// HLT was executed: nothing happens until an interrupt.
    Halt,
    /// IF has become set while an interrupt request is pending, and the interrupt shadow is over.
    InterruptWindow,
    /// A firmware trap with this number was executed; IP is behind it.
    Trap(u8),
    /// The program tried to set CR0.PE (or loaded it by LMSW): oxbox has no protected mode. CS:IP is at the instruction.
    ProtectedMode,
    /// An exception during the delivery of an exception with no way on (IVT outside the limit): the processor has shut down.
    Shutdown,
}

/// The processor's state. Decoded blocks are kept outside, in `Blocks`, since they are derived.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cpu {
    /// General, segment, instruction pointer and flags registers.
    pub regs: Registers,
    /// Which processor this is.
    pub model: Model,
    /// Virtual time in cycles: one an instruction, one a turn of a REP, and what HLT has let pass.
    pub cycles: u64,
    /// Level of the INTR pin, set by the machine before `run`.
    pub intr: bool,
}

impl Cpu {
    /// A processor after reset.
    pub fn new(model: Model) -> Self {
        Cpu { regs: Registers::default(), model, cycles: 0, intr: false }
    }

    /// Runs until `cycles >= deadline` or another reason of [`Exit`].
    pub fn run<B: Bus>(&mut self, blocks: &mut Blocks, bus: &mut B, deadline: u64) -> Exit {
        let _ = (blocks, bus, deadline);
        todo!()
    }

    /// Executes one instruction (with prefixes and all REP turns).
    pub fn step<B: Bus>(&mut self, blocks: &mut Blocks, bus: &mut B) -> Option<Exit> {
        let _ = (blocks, bus);
        todo!()
    }

    /// Delivers a hardware interrupt: FLAGS, CS, IP pushed, IF and TF cleared, vector fetched.
    pub fn interrupt<B: Bus>(&mut self, bus: &mut B, vector: u8) {
        let _ = (bus, vector);
        todo!()
    }

    /// True when a maskable interrupt may be taken here: IF is set and no interrupt shadow is in force.
    pub fn interruptible(&self) -> bool {
        todo!()
    }
}

/// The cache of decoded blocks: derived data, never part of a snapshot.
#[derive(Debug, Default)]
pub struct Blocks {}
