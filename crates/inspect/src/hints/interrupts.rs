//! Checks whether an interrupt can end a loop, and why none occurs.

use super::super::access::touched;
use super::super::hint::HintId;
use super::super::last::Moment;
use super::CrashContext;
use iced_x86::InstructionInfoFactory;
use oxbox_cpu::Flags;

/// The BIOS data area, which interrupts change.
const BIOS_DATA: std::ops::Range<u32> = 0x400..0x500;

impl CrashContext<'_> {
    /// Returns whether a loop reads data that the BIOS updates: its clock, its keys.
    pub(super) fn reads_bios_data(&self, round: &[&Moment]) -> bool {
        let mut factory = InstructionInfoFactory::new();
        self.registers.flag(Flags::IF)
            && round.iter().any(|moment| {
                let instruction = moment.instruction();
                let touched = touched(&mut factory, &instruction, &moment.registers);
                touched.iter().any(|touched| touched.reads && BIOS_DATA.contains(&touched.bytes.start))
            })
    }

    /// Explains why the program's own routine for a hardware interrupt does not end its loop.
    pub(super) fn interrupted_by_itself(&self) -> Option<(HintId, String)> {
        let own: Vec<(u16, u16)> =
            (0..16).map(|irq| (irq, vector_of(irq))).filter(|(_, vector)| self.is_own(*vector)).collect();
        let in_service = own.iter().find(|(irq, _)| self.in_service >> irq & 1 == 1);
        if !self.registers.flag(Flags::IF) {
            let text = "interrupts are disabled, so the program's own interrupt routine never runs: use STI";
            let has_own = !own.is_empty() || self.is_own(TICK);
            return has_own.then(|| (HintId::InterruptsOff, text.to_owned()));
        }
        if let Some((irq, vector)) = in_service {
            let slave = if *irq < 8 { "" } else { " and out 0A0h, al" };
            let text = format!(
                "the program's own routine of INT {vector:02X}h sends no end of interrupt for IRQ {irq}, so no more arrive: put mov al, 20h and out 20h, al{slave} before its IRET"
            );
            return Some((HintId::NoEndOfInterrupt, text));
        }
        let vector = own.first().map(|(_, vector)| *vector).or(self.is_own(TICK).then_some(TICK))?;
        Some((
            HintId::WaitsForItsHandler,
            format!("only the program's own routine of INT {vector:02X}h can end it"),
        ))
    }

    /// Returns whether a vector points into the program.
    fn is_own(&self, vector: u16) -> bool {
        let word = |at: u16| u16::from_le_bytes([(self.byte)(0, at), (self.byte)(0, at + 1)]);
        self.program.holds(word(vector * 4 + 2), word(vector * 4))
    }
}

/// The vector that the BIOS calls at each clock tick.
const TICK: u16 = 0x1C;

/// Returns the vector of an IRQ on an AT.
fn vector_of(irq: u16) -> u16 {
    if irq < 8 { 0x08 + irq } else { 0x70 + irq - 8 }
}
