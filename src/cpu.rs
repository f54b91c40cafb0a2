//! The processor: 8086 to 80386 in real mode, over any [`Bus`].
//!
//! Code is decoded once into blocks of small operations (`block`, `decode`), which `run` executes. A deadline cuts a
//! run at an exact instruction boundary, the same whether blocks are cached or every instruction is decoded anew.

mod access;
mod alu;
mod arithmetic;
mod block;
mod bus;
mod decode;
mod exception;
mod fetch;
#[expect(dead_code, reason = "the ESC instructions do not reach it yet")]
mod fpu;
mod model;
mod operand;
mod ops;
mod registers;
mod run;
mod shift;
mod status;
mod system;
#[cfg(test)]
mod tests;

pub use block::Blocks;
pub use bus::{Bus, Width};
pub use model::Model;
pub use registers::{Flags, Registers, Segment};

use operand::Keep;
use serde::{Deserialize, Serialize};
use status::Status;
use system::System;

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
    /// An exception during the delivery of an exception with no way on (IVT outside the limit, no room on the stack):
    /// the processor has shut down.
    Shutdown,
}

/// The processor's state. Decoded blocks are kept outside, in [`Blocks`], since they are derived.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cpu {
    /// General, segment, instruction pointer and flags registers.
    pub regs: Registers,
    /// Which processor this is.
    pub model: Model,
    /// Virtual time in cycles: one an instruction, one a turn of a REP, and what HLT has let pass.
    pub cycles: u64,
    /// Instructions executed; a repeated string instruction counts once.
    pub retired: u64,
    /// Level of the INTR pin, set by the machine before `run`.
    pub intr: bool,
    /// CR0 and other registers that only the system uses.
    system: System,
    /// The next instruction is executed before any interrupt (after MOV SS, POP SS, STI).
    shadow: bool,

    // What follows is only used during a run.
    /// Status flags; `regs.flags` has them between runs.
    #[serde(skip)]
    status: Status,
    /// The run ends when `cycles` gets here.
    #[serde(skip)]
    limit: u64,
    /// Cycles of this run that were turns of a REP and not instructions.
    #[serde(skip)]
    extra: u64,
    /// Why the run ends, when an instruction says so.
    #[serde(skip)]
    exit: Option<Exit>,
    /// An interrupt or exception has been delivered.
    #[serde(skip)]
    interrupted: bool,
    #[serde(skip)]
    keep: Keep,
}

impl Cpu {
    /// A processor after reset.
    pub fn new(model: Model) -> Self {
        let mut regs = Registers { flags: model.fixed_flags(), ..Registers::default() };
        regs.set_cs(0xF000);
        regs.ip = 0xFFF0;
        Cpu {
            regs,
            model,
            cycles: 0,
            retired: 0,
            intr: false,
            system: System::new(model),
            shadow: false,
            status: Status::default(),
            limit: 0,
            extra: 0,
            exit: None,
            interrupted: false,
            keep: Keep::default(),
        }
    }

    /// True when a maskable interrupt may be taken here: IF is set and no interrupt shadow is in force.
    pub fn interruptible(&self) -> bool {
        self.regs.flag(Flags::IF) && !self.shadow
    }

    /// Delivers a hardware interrupt: FLAGS, CS, IP pushed, IF and TF cleared, vector fetched.
    pub fn interrupt<B: Bus>(&mut self, bus: &mut B, vector: u8) {
        self.status = Status::from_bits(self.regs.flags);
        self.shadow = false;
        self.deliver(bus, vector);
        self.regs.flags = self.flags_image();
    }
}
