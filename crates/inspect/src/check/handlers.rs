//! Checks interrupt routines: the interrupted program's state must be preserved, and the interrupt
//! controller must be notified.

use super::kinds::Kind;
use super::sight::{Found, Sight};
use oxbox_cpu::{Cpu, Flags, Registers};

#[derive(Debug)]
struct Interrupted {
    vector: u8,
    registers: Registers,
    /// CS and IP of the program's own instruction that was executed last in it.
    last: Option<(u16, u16)>,
}

#[derive(Debug, Default)]
pub(super) struct Handlers {
    interrupted: Option<Interrupted>,
}

/// Flags that an interrupt must preserve.
const KEPT: u32 = Flags::CF | Flags::ZF | Flags::SF | Flags::OF | Flags::DF | Flags::IF;

impl Handlers {
    /// Called before a hardware interrupt is delivered.
    pub(super) fn interrupt(&mut self, vector: u8, cpu: &Cpu) {
        let registers = cpu.regs.clone();
        self.interrupted.get_or_insert(Interrupted { vector, registers, last: None });
    }

    /// Returns whether an interrupt is in service, before an instruction.
    pub(super) fn is_serving(&self, cpu: &Cpu) -> bool {
        self.interrupted.as_ref().is_some_and(|interrupted| {
            let place = |registers: &Registers| (registers.cs(), registers.ip, registers.sp());
            place(&interrupted.registers) != place(&cpu.regs)
        })
    }

    /// Records an instruction of the program's own that serves it.
    pub(super) fn serve(&mut self, at: (u16, u16)) {
        if let Some(interrupted) = &mut self.interrupted {
            interrupted.last = Some(at);
        }
    }

    /// Checks the state that the program's interrupt routine has left. `in_service` has one bit per
    /// IRQ that the interrupt controller still considers in service.
    pub(super) fn end(&mut self, cpu: &Cpu, in_service: u16) -> Option<Found> {
        let Interrupted { vector, registers: before, last } = self.interrupted.take()?;
        let at = last?;
        let found = |text: String, help| {
            Some(Found { kind: Kind::Services, id: "handler", at, text, note: None, help })
        };
        if let Some(name) = changed(&before, &cpu.regs) {
            return found(
                format!(
                    "the routine of interrupt {vector:02X}h changes {name}, which the interrupted program needs unchanged"
                ),
                "push the registers that the routine changes at its beginning, and pop them before its IRET",
            );
        }
        if (before.flags ^ cpu.regs.flags) & KEPT != 0 {
            return found(
                format!(
                    "the routine of interrupt {vector:02X}h does not restore the flags of the interrupted program"
                ),
                "end it with IRET, which restores the flags",
            );
        }
        let irq = irq_of(vector).filter(|irq| in_service >> irq & 1 == 1)?;
        found(
            format!(
                "the routine of interrupt {vector:02X}h returns without an end of interrupt: IRQ {irq} and those of lower priority stay blocked"
            ),
            "before its IRET: mov al, 20h and out 20h, al; for IRQ 8 to 15 out 0A0h, al before that. Or jump to the previous routine",
        )
    }
}

/// Returns the first changed register other than CS, IP and SP.
fn changed(before: &Registers, now: &Registers) -> Option<&'static str> {
    const GENERAL: [&str; 8] = ["AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI"];
    let general = GENERAL.iter().zip(before.gpr.iter().zip(&now.gpr));
    let general = general.filter(|(_, (before, now))| before != now).map(|(name, _)| *name);
    let segments = Registers::SEGMENTS.iter().zip(before.seg.iter().zip(&now.seg));
    let segments = segments.filter(|(_, (before, now))| before != now).map(|(name, _)| *name);
    general.chain(segments).next()
}

/// Returns the IRQ of a vector, as an AT's BIOS programs the interrupt controllers.
fn irq_of(vector: u8) -> Option<u8> {
    match vector {
        0x08..=0x0F => Some(vector - 0x08),
        0x70..=0x77 => Some(vector - 0x68),
        _ => None,
    }
}

/// Checks vectors that point into a program that ends.
#[derive(Debug)]
pub(super) struct Hooks {
    /// The instruction that set each vector by INT 21h/25h.
    set: [Option<(u16, u16)>; 0x100],
}

impl Default for Hooks {
    fn default() -> Self {
        Hooks { set: [None; 0x100] }
    }
}

impl Hooks {
    /// Called before an instruction of the program with this PSP.
    pub(super) fn instruction(&mut self, sight: &Sight, psp: u16) -> Option<Found> {
        /// DOS itself restores 22h, 23h and 24h.
        const RESTORED: std::ops::RangeInclusive<u8> = 0x22..=0x24;
        let registers = &sight.cpu.regs;
        let interrupt = super::super::access::interrupt_of(&sight.fact.instruction)?;
        if (interrupt, registers.ah()) == (0x21, 0x25) {
            self.set[usize::from(registers.al())] = Some(sight.at);
        }
        if !matches!((interrupt, registers.ah()), (0x20, _) | (0x21, 0x00 | 0x4C)) {
            return None;
        }
        let word = |at: u32| sight.hw.memory.read16(at);
        let begin = u32::from(psp) * 16;
        // The size in paragraphs is in the memory control block before the PSP.
        let end = begin + u32::from(word((u32::from(psp) - 1) * 16 + 3)) * 16;
        let is_left = |vector: &u8| {
            let entry = u32::from(*vector) * 4;
            let target = u32::from(word(entry + 2)) * 16 + u32::from(word(entry));
            (begin..end).contains(&target) && !RESTORED.contains(vector)
        };
        let vector = (0..=u8::MAX).find(is_left)?;
        let set = self.set[usize::from(vector)];
        Some(Found {
            kind: Kind::Services,
            id: "hook",
            at: sight.at,
            text: format!(
                "the program ends, and interrupt {vector:02X}h still points into it: the next one executes whatever is loaded there by then"
            ),
            note: set.map(|at| (at, "it was set here")),
            help: "read the old vector with INT 21h/35h at the start, and restore it with INT 21h/25h before the end",
        })
    }
}
