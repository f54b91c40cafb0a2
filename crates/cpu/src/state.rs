//! The processor's state: registers, time, and why a run ends.
//!
//! Everything else of `cpu` works on this. Decoded blocks are kept outside, since they are derived.

use serde::{Deserialize, Serialize};

use super::fpu::Fpu;
use super::model::Model;
use super::registers::{Flags, Registers};
use super::status::Status;
use super::system::{Msw, System};

/// Why [`Cpu::run`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// `cycles` has reached the deadline given, or the bus's next event.
    Deadline,
    /// HLT was executed: nothing happens until an interrupt.
    Halt,
    /// IF has become set while an interrupt request is pending, and the interrupt shadow is over.
    InterruptWindow,
    /// A firmware trap with this number was executed; CS:IP is past it.
    Trap(u8),
    /// The program tried to set CR0.PE (or loaded it by LMSW): oxbox has no protected mode. CS:IP is at the instruction.
    ProtectedMode,
    /// The instruction at CS:IP is one to stop before: only in [`Cpu::run_to_stops`].
    Breakpoint,
    /// An exception during the delivery of an exception with no way on (IVT outside the limit, no room on the stack):
    /// the processor has shut down.
    Shutdown,
}

/// What [`Cpu::steps`] has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    /// Instructions executed, with one that has raised an exception.
    pub executed: u32,
    /// The last one has raised an interrupt or an exception.
    pub interrupted: bool,
    /// Why it came back, when an instruction says so.
    pub exit: Option<Exit>,
}

/// An instruction of a later model that was met: which one, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Missed {
    pub(super) segment: u16,
    pub(super) offset: u16,
    /// As `ops::newer` has numbered it.
    pub(super) code: u32,
}

/// The processor's state. Decoded blocks are kept outside, in [`Blocks`](super::Blocks), since they are derived.
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
    pub(super) system: System,
    /// The next instruction is executed before any interrupt (after MOV SS, POP SS, STI).
    pub(super) shadow: bool,
    /// The coprocessor, if there is one.
    pub(super) fpu: Option<Box<Fpu>>,

    // What follows is only used during a run.
    /// Status flags; `regs.flags` has them between runs.
    #[serde(skip)]
    pub(super) status: Status,
    /// The run ends when `cycles` gets here.
    #[serde(skip)]
    pub(super) limit: u64,
    /// Cycles of this run that were turns of a REP and not instructions.
    #[serde(skip)]
    pub(super) extra: u64,
    /// Why the run ends, when an instruction says so.
    #[serde(skip)]
    pub(super) exit: Option<Exit>,
    /// An interrupt or exception has been delivered.
    #[serde(skip)]
    pub(super) interrupted: bool,
    /// The first instruction of a later model.
    #[serde(skip)]
    pub(super) missed_instruction: Option<Missed>,
    /// CS:IP of the first instruction that had work for a coprocessor which is not there.
    #[serde(skip)]
    pub(super) missed_coprocessor: Option<(u16, u16)>,
    #[serde(skip)]
    pub(super) keep: Keep,
    /// A run ends after a segment register was loaded with less than this: whoever watches the first bytes of memory
    /// looks closer then. 0, as it is by default, watches nothing.
    #[serde(skip)]
    pub watched_below: u16,
}

/// The bits of a register that writing a part of it keeps.
///
/// These are constants, but kept where the compiler does not see that: it would store a part as such, and a store of
/// two bytes followed by a load of four stalls the host's processor for some 15 cycles, which halves the guest's speed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keep {
    pub(super) word: u32,
    pub(super) low_byte: u32,
    pub(super) high_byte: u32,
}

impl Default for Keep {
    fn default() -> Self {
        Keep { word: 0xFFFF_0000, low_byte: 0xFFFF_FF00, high_byte: 0xFFFF_00FF }
    }
}

impl Cpu {
    /// A processor after reset, without a coprocessor.
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
            fpu: None,
            status: Status::default(),
            limit: 0,
            extra: 0,
            exit: None,
            interrupted: false,
            missed_instruction: None,
            missed_coprocessor: None,
            keep: Keep::default(),
            watched_below: 0,
        }
    }

    /// Adds the coprocessor that belongs to the processor: 8087, 80287 or 80387, after reset.
    pub fn fit_coprocessor(&mut self) {
        self.fpu = Some(Box::new(Fpu::new(self.model.coprocessor())));
        if self.model.has_extension_type() {
            self.system.cr[0] |= Msw::ET;
        }
    }

    /// Pulses the coprocessor's reset line, if there is a coprocessor.
    pub fn reset_coprocessor(&mut self) {
        if let Some(fpu) = &mut self.fpu {
            **fpu = Fpu::new(self.model.coprocessor());
        }
    }

    /// CS:IP of the first instruction that had work for a coprocessor which is not there; told once. Looking for a
    /// coprocessor is no work.
    pub fn take_missed_coprocessor(&mut self) -> Option<(u16, u16)> {
        self.missed_coprocessor.take()
    }

    /// True when a maskable interrupt may be taken here: IF is set and no interrupt shadow is in force.
    pub fn interruptible(&self) -> bool {
        self.regs.flag(Flags::IF) && !self.shadow
    }
}
