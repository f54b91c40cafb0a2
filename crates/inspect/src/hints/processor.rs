//! Explains instructions of other processors, and of protected mode.

use super::super::disassembly::decode;
use super::super::hint::{Hint, HintId};
use super::super::last::Moment;
use super::CrashContext;
use iced_x86::{CpuidFeature, Instruction, Mnemonic};
use oxbox_cpu::Model;
use oxbox_machine::machine::{End, Fault, FaultKind};

impl CrashContext<'_> {
    pub(super) fn protected_mode(&self) -> Option<Hint> {
        use Mnemonic::{Arpl, Lar, Lldt, Lsl, Ltr, Sldt, Str, Verr, Verw};
        let instruction = self.instruction();
        let only_there =
            matches!(instruction.mnemonic(), Arpl | Lar | Lldt | Lsl | Ltr | Sldt | Str | Verr | Verw);
        let switches = matches!(self.end, End::Dead(Fault { kind: FaultKind::ProtectedMode(_), .. }));
        if switches {
            let text = "setting CR0.PE enters protected mode, which oxbox does not have: stay in real mode";
            return Some(Hint::new(HintId::ProtectedMode, Some(self.at()), text));
        }
        // Text also decodes to such instructions.
        let is_code =
            self.left_at().is_none() && self.program.is_code(self.registers.cs(), self.registers.ip as u16);
        (self.exception() == Some(6) && only_there && is_code).then(|| {
            let name = name_of(&instruction);
            let text = format!(
                "{name} is an instruction of protected mode, which oxbox does not have: stay in real mode"
            );
            Hint::new(HintId::ProtectedMode, Some(self.at()), text)
        })
    }

    pub(super) fn newer_processor(&self) -> Option<Hint> {
        use CpuidFeature::{INTEL186, INTEL286, INTEL386, INTEL486, INTEL8086};
        let instruction = self.instruction();
        // UD0, UD1 and UD2 are invalid on every processor.
        let is_none = instruction.is_invalid() || is_undefined(&instruction);
        if self.exception() != Some(6) || is_none {
            return None;
        }
        let of = match *instruction.cpuid_features().first()? {
            INTEL8086 => return None,
            INTEL186 => "the 80186",
            INTEL286 => "the 80286",
            INTEL386 => "the 80386",
            INTEL486 => "the 80486",
            _ => "the Pentium or a later processor",
        };
        let name = name_of(&instruction);
        let text = format!("{name} needs {of}; this run has {} (--cpu)", named(self.model));
        Some(Hint::new(HintId::LaterProcessor, Some(self.at()), text))
    }

    /// Checks for instructions of the 8086 that later processors reject.
    pub(super) fn older_processor(&self) -> Option<Hint> {
        if self.exception() != Some(6) || self.model == Model::I8086 {
            return None;
        }
        let pushed = || {
            // The instruction itself may be the last one recorded.
            let before = self.last.iter().rev().find(|moment| moment.registers.ip != self.registers.ip);
            let before = before.map(Moment::instruction);
            before.is_some_and(|instruction| instruction.mnemonic() == Mnemonic::Push)
        };
        let is_none = self.instruction().is_invalid() || is_undefined(&self.instruction());
        let (name, bytes) = match self.bytes {
            // 0Fh is the first byte of other instructions on later processors.
            [0x0F, ..] if is_none && pushed() => ("POP CS", "0Fh".to_owned()),
            [0x8E, second, ..] if second >> 3 & 7 == 1 => ("MOV to CS", format!("8Eh {second:02X}h")),
            [0xF0, ref locked @ ..] if !decode(locked, self.registers.ip as u16).is_invalid() => {
                ("LOCK before an instruction that cannot be locked", format!("F0h {:02X}h", locked[0]))
            }
            _ => return None,
        };
        let text = format!("{name} ({bytes}) works on an 8086, not on {}: --cpu 8086", named(self.model));
        Some(Hint::new(HintId::EarlierProcessor, Some(self.at()), text))
    }
}

/// Returns a processor's name with its article.
fn named(model: Model) -> String {
    match model {
        Model::I8086 => "an 8086".to_owned(),
        Model::I586 => "a Pentium".to_owned(),
        _ => format!("an {model}"),
    }
}

/// Returns an instruction's mnemonic in capital letters.
fn name_of(instruction: &Instruction) -> String {
    format!("{:?}", instruction.mnemonic()).to_uppercase()
}

/// Returns whether an instruction is one of those that are defined as invalid.
fn is_undefined(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Ud0 | Mnemonic::Ud1 | Mnemonic::Ud2)
}
