//! Explains division errors.

use super::super::disassembly::segment;
use super::super::hint::{Hint, HintId};
use super::{CrashContext, without_size};
use iced_x86::{Instruction, Mnemonic, OpKind};
use oxbox_cpu::Registers;

impl CrashContext<'_> {
    /// Checks whether the divisor may have been read through a wrong DS.
    pub(super) fn division_and_ds(&self) -> Option<Hint> {
        let division = self.division()?;
        Some(match self.ds_is_psp() {
            Some(cause) => division.because(&cause),
            None => division,
        })
    }

    fn division(&self) -> Option<Hint> {
        if self.exception() != Some(0) {
            return None;
        }
        // On an 8086 the reported address is after the division.
        let moment = self.last.back()?;
        let instruction = moment.instruction();
        let registers = &moment.registers;
        let signed = instruction.mnemonic() == Mnemonic::Idiv;
        let hint = |id, text| Hint::new(id, Some(moment.at()), text);
        if instruction.mnemonic() == Mnemonic::Aam {
            return Some(hint(HintId::DivideByZero, "AAM with a base of 0 divides by zero".to_owned()));
        }
        let (size, divisor) = self.operand(&instruction, registers)?;
        let text = self.text(moment);
        let (name, operand) = text.split_once(' ').unwrap_or((text.as_str(), ""));
        let operand = without_size(operand);
        if divisor == 0 {
            let text = format!("{operand} is 0: {} divides by zero", name.to_uppercase());
            return Some(hint(HintId::DivideByZero, text));
        }
        let (ax, dx) = (registers.ax(), registers.dx());
        let (dividend, whole, part) = match size {
            1 => (if signed { i64::from(ax as i16) } else { i64::from(ax) }, "AX", "AL"),
            2 => {
                let value = u32::from(dx) << 16 | u32::from(ax);
                (if signed { i64::from(value as i32) } else { i64::from(value) }, "DX:AX", "AX")
            }
            _ => {
                let text = "the quotient of EDX:EAX does not fit in EAX: clear EDX before DIV, or use CDQ before IDIV";
                return Some(hint(HintId::QuotientTooLarge, text.to_owned()));
            }
        };
        let quotient = dividend / divisor;
        let stale = size == 1 && self.ah_is_stale();
        let advice = match (size, signed) {
            (1, false) if stale => "AH still holds an earlier value: clear it before DIV (xor ah, ah)",
            (1, true) if stale => "AH still holds an earlier value: use CBW before IDIV",
            (1, _) => "use a 16-bit divisor, with DX cleared",
            (_, false) => "clear DX before DIV (xor dx, dx)",
            (_, true) => "use CWD before IDIV",
        };
        let text = format!(
            "{whole} = {dividend} divided by {operand} = {divisor} is {quotient}, which does not fit in {part}: {advice}"
        );
        Some(hint(HintId::QuotientTooLarge, text))
    }

    /// Returns size and value of the divisor.
    fn operand(&self, instruction: &Instruction, registers: &Registers) -> Option<(usize, i64)> {
        let signed = instruction.mnemonic() == Mnemonic::Idiv;
        let (size, value) = if instruction.op0_kind() == OpKind::Register {
            let register = instruction.op0_register();
            let number = register.number();
            match register.size() {
                1 if number >= 4 => (1, registers.gpr[number - 4] >> 8 & 0xFF),
                1 => (1, registers.gpr[number] & 0xFF),
                2 => (2, registers.gpr[number] & 0xFFFF),
                _ => (4, registers.gpr[number]),
            }
        } else {
            let general = |register: iced_x86::Register| match register {
                iced_x86::Register::None => 0,
                register => registers.gpr[register.number()],
            };
            let base = general(instruction.memory_base()).wrapping_add(general(instruction.memory_index()));
            let offset = base.wrapping_add(instruction.memory_displacement32()) as u16;
            let at = segment(registers, instruction.memory_segment());
            let size = instruction.memory_size().size();
            let bytes = (0..size.min(4) as u16).rev();
            (size, bytes.fold(0, |value, n| value << 8 | u32::from((self.byte)(at, offset.wrapping_add(n)))))
        };
        let signed_value = match size {
            1 => i64::from(value as u8 as i8),
            2 => i64::from(value as u16 as i16),
            _ => i64::from(value as i32),
        };
        Some((size, if signed { signed_value } else { i64::from(value) }))
    }
}
