//! Explains how a program left its code: past its end, by a return, by a jump, or through a vector.

use super::super::access::value_of;
use super::super::hint::{Hint, HintId};
use super::super::last::Moment;
use super::{CrashContext, HOW_TO_END};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind};
use oxbox_machine::hardware::linear;

impl CrashContext<'_> {
    /// Returns the last instruction in the program's code, by index, if the run ended outside.
    pub(crate) fn left_at(&self) -> Option<usize> {
        let is_code = |(cs, ip): (u16, u16)| {
            let zeros = (self.byte)(cs, ip) == 0 && (self.byte)(cs, ip.wrapping_add(1)) == 0;
            self.program.is_code(cs, ip) && !zeros
        };
        let end = (self.registers.cs(), self.registers.ip as u16);
        if is_code(end)
            && !self.ran_off
            && self.last.back().is_none_or(|last| is_code(last.at()))
            && !self.is_in_zeros()
        {
            return None;
        }
        let places: Vec<(u16, u16)> = self.last.iter().map(Moment::at).chain([end]).collect();
        let left = (1..places.len()).rev().find(|&at| is_code(places[at - 1]) && !is_code(places[at]))?;
        Some(left - 1)
    }

    /// Explains how the program left its code.
    pub(super) fn wild_branch(&self) -> Option<Hint> {
        if let Some(hint) = self.begins_with_data() {
            return Some(hint);
        }
        let left = self.left_at()?;
        let moment = self.last.get(left)?;
        let to = self.last.get(left + 1).map_or((self.registers.cs(), self.registers.ip as u16), Moment::at);
        Some(self.how_it_left(left, moment, to))
    }

    /// Checks for data at the start of a COM program that were executed.
    fn begins_with_data(&self) -> Option<Hint> {
        let (cs, ip) = self.program.entry();
        let name = self.program.variable_at(cs, ip).filter(|_| self.program.is_com())?;
        let is_executed = self.last.front().is_some_and(|moment| moment.at() == (cs, ip));
        let knows_lines = !self.program.symbols().files().is_empty();
        (is_executed && knows_lines && !self.program.is_code(cs, ip)).then(|| {
            let text = format!(
                "a COM program starts at its first byte, which is the variable {name}: put the variables after the code, or jump over them"
            );
            Hint::new(HintId::BeginsWithData, Some((cs, ip)), text)
        })
    }

    fn how_it_left(&self, left: usize, moment: &Moment, to: (u16, u16)) -> Hint {
        let instruction = moment.instruction();
        // A BIOS or DOS service also returns to the instruction after the INT.
        if to.0 == moment.registers.cs() && u64::from(to.1) == instruction.next_ip() {
            return self.ran_on(&instruction, moment, to);
        }
        match instruction.flow_control() {
            FlowControl::Return => self.bad_return(left, &instruction, moment, to),
            FlowControl::Interrupt => self.bad_interrupt(&instruction, moment),
            _ => self.bad_jump(left, &instruction, moment, to),
        }
    }

    /// Explains execution past the program's last instruction.
    fn ran_on(&self, instruction: &Instruction, moment: &Moment, (cs, ip): (u16, u16)) -> Hint {
        let place = self.place(moment);
        // 4Ch with INT 15h is 4Ch with INT 21h without the h.
        let is_decimal = instruction.mnemonic() == Mnemonic::Int
            && instruction.immediate8() == 21
            && moment.registers.ah() == 0x4C;
        if is_decimal {
            let text = format!(
                "the {} at {place} was written as int 21, which is decimal: write int 21h, and end the program with mov ax, 4C00h and int 21h",
                self.text(moment)
            );
            return Hint::new(HintId::DecimalInterrupt, Some(moment.at()), text);
        }
        let into = match self.program.variable_at(cs, ip) {
            Some(name) => format!("the data of {name}"),
            None if cs == self.program.psp() && ip < 0x100 => "the PSP".to_owned(),
            None => "bytes that are not code".to_owned(),
        };
        let text = format!("the program does not end after {place} and executes {into}: {HOW_TO_END}");
        Hint::new(HintId::NoExit, Some(moment.at()), text)
    }

    fn bad_return(
        &self,
        left: usize,
        instruction: &Instruction,
        moment: &Moment,
        (cs, ip): (u16, u16),
    ) -> Hint {
        let place = self.place(moment);
        let is_iret = instruction.mnemonic() == Mnemonic::Iret;
        let (ss, sp) = self.program.stack();
        if moment.registers.ss() == ss && moment.registers.sp() >= sp {
            let name = if is_iret { "IRET" } else { "RET" };
            return self.ran_into(left).unwrap_or_else(|| {
                let text = format!(
                    "the {name} at {place} has no return address on the stack; a main program must not return: {HOW_TO_END}"
                );
                Hint::new(HintId::ReturnWithoutCall, Some(moment.at()), text)
            });
        }
        let handler = self.handler(left).filter(|_| !is_iret);
        handler.or_else(|| self.mixed_return(left)).or_else(|| self.overwritten(left)).unwrap_or_else(|| {
            let text = self.text(moment);
            let slot = linear(moment.registers.ss(), moment.registers.sp());
            // The instruction that has pushed the word shows which of both mistakes it is.
            let pushed = self.writer(slot..slot + 2, left).filter(|writer| {
                is_push(writer) && !self.is_called_after(writer, left, moment.registers.sp())
            });
            let why = match pushed {
                Some(push) => format!("the {} at {} has no POP", self.text(push), self.place(push)),
                None => "the procedure has a PUSH without a POP, or a POP without a PUSH".to_owned(),
            };
            let text =
                format!("the {text} at {place} pops {cs:04X}:{ip:04X}, which is not a return address: {why}");
            Hint::new(HintId::StackUnbalanced, Some(moment.at()), text)
        })
    }

    /// Whether a call with this SP follows a push: then the procedure may have popped its own return
    /// address, and the push was its caller's.
    fn is_called_after(&self, push: &Moment, left: usize, sp: u16) -> bool {
        let mut since = self.last.iter().take(left).rev().take_while(|moment| !std::ptr::eq(*moment, push));
        since.any(|moment| {
            let flow = moment.instruction().flow_control();
            matches!(flow, FlowControl::Call | FlowControl::IndirectCall) && moment.registers.sp() == sp
        })
    }

    fn bad_interrupt(&self, instruction: &Instruction, moment: &Moment) -> Hint {
        let (id, why) = match moment.registers.al() {
            _ if !self.ends_as_com(instruction, moment) => (
                HintId::VectorNotSet,
                "has no interrupt routine: its vector was never set, or was overwritten",
            ),
            0x4C => (HintId::ExitInAl, "has AH = 0 and AL = 4Ch: use mov ah, 4Ch or mov ax, 4C00h"),
            _ => (
                HintId::ExitNeedsPsp,
                "ends a program only if CS is its PSP, as in a COM program: use mov ax, 4C00h and int 21h",
            ),
        };
        let text = format!("the {} at {} {why}", self.text(moment), self.place(moment));
        Hint::new(id, Some(moment.at()), text)
    }

    fn bad_jump(
        &self,
        left: usize,
        instruction: &Instruction,
        moment: &Moment,
        (cs, ip): (u16, u16),
    ) -> Hint {
        let odd = instruction.op0_kind() == OpKind::Memory && self.takes_half_an_entry(moment);
        let (id, advice) = match self.writer_of_target(left, moment) {
            Some(writer) => (HintId::JumpOverwritten, format!(": {writer}")),
            None if odd => (
                HintId::JumpByHalfEntry,
                ": each entry of a table of words has 2 bytes, so double the index".to_owned(),
            ),
            None => (HintId::JumpAstray, String::new()),
        };
        let text = format!(
            "{} at {} branches to {cs:04X}:{ip:04X}, where there is no code{advice}",
            self.text(moment),
            self.place(moment)
        );
        Hint::new(id, Some(moment.at()), text)
    }

    /// Returns whether the instruction is a DOS call that ends a COM program with CS not its PSP.
    fn ends_as_com(&self, instruction: &Instruction, moment: &Moment) -> bool {
        let vector = if instruction.mnemonic() == Mnemonic::Int { instruction.immediate8() } else { 0 };
        let ends = vector == 0x20 || vector == 0x21 && moment.registers.ah() == 0;
        ends && moment.registers.cs() != self.program.psp()
    }

    /// Returns whether an indirect branch has an odd index.
    fn takes_half_an_entry(&self, moment: &Moment) -> bool {
        let instruction = moment.instruction();
        let index = |register| value_of(register, &moment.registers);
        index(instruction.memory_base()).wrapping_add(index(instruction.memory_index())) & 1 == 1
    }
}

fn is_push(moment: &Moment) -> bool {
    use Mnemonic::{Push, Pusha, Pushf};
    matches!(moment.instruction().mnemonic(), Push | Pusha | Pushf)
}
