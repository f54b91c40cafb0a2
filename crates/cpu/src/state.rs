//! The processor's state: registers, time, and the reason why a run ends.
//!
//! The rest of the crate works on this. Decoded blocks are separate, because they are derived data.

use serde::{Deserialize, Serialize};

use super::fpu::Fpu;
use super::model::Model;
use super::registers::{Flags, Registers};
use super::status::Status;
use super::system::{Msw, System};

/// The reason why [`Cpu::run`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// `cycles` has reached the deadline given, or the bus's next event.
    Deadline,
    /// HLT was executed: the processor waits for an interrupt.
    Halt,
    /// IF was set while an interrupt request is pending, and the interrupt shadow is over.
    InterruptWindow,
    /// A firmware trap with this number was executed. CS:IP is after it.
    Trap(u8),
    /// The instruction at CS:IP would set CR0.PE, also by LMSW. oxbox has no protected mode.
    ProtectedMode,
    /// A run reached an instruction at which it stops: only from [`Cpu::run_to_stops`].
    Breakpoint,
    /// The processor has shut down: an exception during the delivery of an exception could not be
    /// delivered either (IVT outside of the limit, or no room on the stack).
    Shutdown,
}

/// The result of serving a firmware trap during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// Nothing: the run returns it.
    No,
    /// The service is done. It has changed general registers, DS, ES, devices, and memory of the BIOS
    /// data area at most.
    Registers,
    /// The service is done, and may have changed anything: the run continues at CS:IP. Cycles that it
    /// added are not instructions.
    Anything,
}

/// The result of [`Cpu::step`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Whether the instruction raised an interrupt or an exception.
    pub interrupted: bool,
    /// The exit, if the instruction caused one.
    pub exit: Option<Exit>,
}

/// An instruction of a later model that was executed: the instruction and its address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Missed {
    pub(super) segment: u16,
    pub(super) offset: u16,
    /// The number of the instruction in `ops::post_386`.
    pub(super) code: u32,
}

/// The processor's state. Decoded blocks, which are derived, are in [`Blocks`](super::Blocks).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cpu {
    /// General, segment, instruction pointer and flags registers.
    pub regs: Registers,
    /// The model of the processor.
    pub model: Model,
    /// Virtual time in cycles: one per instruction and per iteration of a REP, plus time in HLT.
    pub cycles: u64,
    /// Instructions executed. A repeated string instruction counts once.
    pub retired: u64,
    /// The level of the INTR pin. The machine sets it before `run`.
    pub intr: bool,
    pub(super) system: System,
    /// The interrupt shadow: the next instruction runs before any interrupt (MOV SS, POP SS, STI).
    pub(super) shadow: bool,
    pub(super) fpu: Option<Box<Fpu>>,

    // The following is used during a run only.
    /// The status flags. Between runs they are in `regs.flags`.
    #[serde(skip)]
    pub(super) status: Status,
    /// The cycle at which the run ends.
    #[serde(skip)]
    pub(super) limit: u64,
    /// Cycles of this run that were iterations of a REP rather than instructions.
    #[serde(skip)]
    pub(super) extra: u64,
    /// The exit, if an instruction caused one.
    #[serde(skip)]
    pub(super) exit: Option<Exit>,
    /// Whether an interrupt or exception was delivered.
    #[serde(skip)]
    pub(super) interrupted: bool,
    /// Whether INT may also execute the firmware trap that it leads to.
    #[serde(skip)]
    pub(super) joins_traps: bool,
    /// IP, CS and FLAGS (without the status flags) before an INT that has done so.
    #[serde(skip)]
    pub(super) joined: Option<(u32, u16, u32)>,
    /// The first instruction of a later model.
    #[serde(skip)]
    pub(super) missed_instruction: Option<Missed>,
    /// CS:IP of the first coprocessor instruction without a coprocessor.
    #[serde(skip)]
    pub(super) missed_coprocessor: Option<(u16, u16)>,
    #[serde(skip)]
    pub(super) keep: Keep,
}

/// The bits of a register that a partial write keeps.
///
/// These are constants, stored where the compiler cannot see that. Otherwise it would emit a
/// partial store, and a two-byte store followed by a four-byte load stalls the host's processor for
/// some 15 cycles, which halves the guest's speed.
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
    /// Creates a processor in its reset state, without a coprocessor.
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
            joins_traps: false,
            joined: None,
            missed_instruction: None,
            missed_coprocessor: None,
            keep: Keep::default(),
        }
    }

    /// Installs the processor's coprocessor, 8087, 80287 or 80387, in its reset state.
    pub fn install_coprocessor(&mut self) {
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

    /// Returns, once, CS:IP of the first coprocessor instruction without a coprocessor. Detecting a
    /// coprocessor does not count.
    pub fn take_missed_coprocessor(&mut self) -> Option<(u16, u16)> {
        self.missed_coprocessor.take()
    }

    /// Returns whether a maskable interrupt is possible: IF is set, no interrupt shadow is active.
    pub fn interruptible(&self) -> bool {
        self.regs.flag(Flags::IF) && !self.shadow
    }
}
