//! Explains returns to a wrong address: without a call, with an overwritten address, or that do not
//! belong to a call.

use super::super::access::touched;
use super::super::hint::{Hint, HintId};
use super::super::symbols::{Symbol, SymbolKind};
use super::{CrashContext, HOW_TO_END};
use iced_x86::{FlowControl, InstructionInfoFactory, Mnemonic};
use oxbox_machine::hardware::linear;

impl CrashContext<'_> {
    /// Checks for a return from a procedure that was not called: the preceding one has no RET.
    pub(super) fn ran_into(&self, left: usize) -> Option<Hint> {
        let moment = self.last.get(left)?;
        let procedure = |(cs, ip): (u16, u16)| -> Option<&Symbol> {
            self.program.routine(cs, ip).filter(|symbol| symbol.kind == SymbolKind::Procedure)
        };
        let running = procedure(moment.at())?;
        let begins = |(cs, ip): (u16, u16)| self.program.address(cs, ip) == Some(running.address());
        let entered = (1..=left).rev().find(|&at| begins(self.last[at].at()))?;
        let before = &self.last[entered - 1];
        use FlowControl::{Call, ConditionalBranch, IndirectBranch, IndirectCall, UnconditionalBranch};
        let flow = before.instruction().flow_control();
        if matches!(flow, Call | IndirectCall | UnconditionalBranch | ConditionalBranch | IndirectBranch) {
            return None;
        }
        let (cs, ip) = self.last[entered].at();
        let end = (cs, ip.checked_sub(1)?);
        let other = procedure(end)?;
        let place = self.program.place(end.0, end.1)?;
        let text = format!(
            "{} does not exit: after {place} the program falls through into {}, whose RET at {} has no return address: {HOW_TO_END}",
            other.name,
            running.name,
            self.place(moment)
        );
        Some(Hint::new(HintId::FallsIntoProcedure, Some(end), text))
    }

    /// Checks for RETF after a near CALL or RET after a far one: this return, or an earlier one.
    pub(super) fn mixed_return(&self, left: usize) -> Option<Hint> {
        // Per active call: its index, whether it is far, and SP of its return address.
        let mut calls: Vec<(usize, bool, u16)> = Vec::new();
        let mut found = None;
        for (at, moment) in self.last.iter().enumerate().take(left + 1) {
            let instruction = moment.instruction();
            let sp = moment.registers.sp();
            calls.retain(|(.., top)| *top >= sp);
            let far_call = instruction.is_call_far() || instruction.is_call_far_indirect();
            if far_call || instruction.is_call_near() || instruction.is_call_near_indirect() {
                // PUSH CS before a near CALL makes it a far call.
                const PUSH_CS: u8 = 0x0E;
                let pushed = at.checked_sub(1).is_some_and(|before| self.last[before].bytes[0] == PUSH_CS);
                calls.push((at, far_call || pushed, sp.wrapping_sub(if far_call { 4 } else { 2 })));
            }
            let is_far = match instruction.mnemonic() {
                Mnemonic::Ret => false,
                Mnemonic::Retf => true,
                _ => continue,
            };
            if let Some((call, called_far, _)) = calls.pop_if(|(.., top)| *top == sp)
                && called_far != is_far
            {
                found = Some((at, call, is_far));
            }
        }
        let (ret, call, is_far) = found?;
        let (name, wanted, advice) = match is_far {
            true => (
                "RETF",
                "near",
                "RETF also pops a segment, which the near CALL did not push: declare the procedure NEAR, or call it as FAR",
            ),
            false => (
                "RET",
                "far",
                "RET leaves the segment on the stack: declare the procedure FAR, or call it as NEAR",
            ),
        };
        let text = format!(
            "the {name} at {} returns from the {wanted} CALL at {}: {advice}",
            self.place(&self.last[ret]),
            self.place(&self.last[call])
        );
        Some(Hint::new(HintId::NearFarMismatch, Some(self.last[ret].at()), text))
    }

    /// Checks for a write over the return address while the stack is balanced.
    pub(super) fn overwritten(&self, left: usize) -> Option<Hint> {
        let ret = self.last.get(left)?;
        let (ss, sp) = (ret.registers.ss(), ret.registers.sp());
        let mut written_at = None;
        let mut factory = InstructionInfoFactory::new();
        let slot = linear(ss, sp);
        for at in (0..left).rev() {
            let moment = &self.last[at];
            let instruction = moment.instruction();
            if moment.registers.ss() != ss {
                return None;
            }
            if moment.registers.sp() > sp {
                // The frame starts here, or it is a later one in the same place.
                let size = moment.registers.sp() - sp;
                let is_call =
                    matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
                let writer: &super::Moment =
                    &self.last[written_at.filter(|_| is_call && matches!(size, 2 | 4))?];
                let text = format!(
                    "the return address of the call at {} was overwritten by the {} at {}: it writes more than fits there, or to a wrong address",
                    self.place(moment),
                    self.text(writer),
                    self.place(writer)
                );
                return Some(Hint::new(HintId::ReturnAddressOverwritten, Some(writer.at()), text));
            }
            let mut hits = || {
                touched(&mut factory, &instruction, &moment.registers).into_iter().any(|touched| {
                    touched.writes && touched.bytes.start < slot + 2 && slot < touched.bytes.end
                })
            };
            if written_at.is_none() && hits() {
                written_at = Some(at);
            }
        }
        None
    }

    /// Checks for an interrupt routine that returns like a procedure.
    pub(super) fn handler(&self, left: usize) -> Option<Hint> {
        let ret = self.last.get(left)?;
        let word = |at: u16| u16::from_le_bytes([(self.byte)(0, at), (self.byte)(0, at + 1)]);
        let vectors: Vec<(u16, (u16, u16))> =
            (0..256).map(|vector| (vector, (word(vector * 4 + 2), word(vector * 4)))).collect();
        let same_stack = |at: &usize| {
            let registers = &self.last[*at].registers;
            registers.ss() == ret.registers.ss() && registers.sp() == ret.registers.sp()
        };
        (0..=left).rev().filter(same_stack).find_map(|at| {
            let entry = self.last[at].at();
            let (vector, _) = vectors.iter().find(|(_, target)| *target == entry)?;
            let text = format!(
                "the routine of INT {vector:02X}h that begins at {} ends with the {} at {}: end it with IRET",
                self.place(&self.last[at]),
                self.text(ret),
                self.place(ret)
            );
            Some(Hint::new(HintId::HandlerWithoutIret, Some(ret.at()), text))
        })
    }
}
