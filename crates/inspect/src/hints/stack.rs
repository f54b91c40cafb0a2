//! Explains stack overflows.

use super::super::hint::{Hint, HintId};
use super::super::last::Moment;
use super::CrashContext;
use iced_x86::{FlowControl, Mnemonic};
use oxbox_cpu::Registers;
use std::collections::BTreeMap;

impl CrashContext<'_> {
    /// Explains a full stack. When SP passes 0 it wraps to the top of the segment. In a COM program
    /// that overwrites code.
    pub(super) fn stack_overflow(&self) -> Option<Hint> {
        let (ss, sp) = self.program.stack();
        let is_over = |registers: &Registers| {
            let wrapped = !self.program.is_com() && sp > 2 && registers.sp() > sp;
            registers.ss() == ss
                && (wrapped || self.program.is_com() && self.program.holds(ss, registers.sp()))
        };
        let over = self.last.iter().any(|moment| is_over(&moment.registers)) || is_over(self.registers);
        let shut_down = matches!(self.exception(), Some(0x08 | 0x0C));
        if !(over && self.grows() || shut_down) {
            return None;
        }
        let mut calls: BTreeMap<(u16, u16), (usize, &Moment)> = BTreeMap::new();
        let mut pushes: Option<&Moment> = None;
        for moment in self.last {
            let instruction = moment.instruction();
            match instruction.flow_control() {
                FlowControl::Call | FlowControl::IndirectCall => {
                    calls.entry(moment.at()).or_insert((0, moment)).0 += 1;
                }
                _ if instruction.mnemonic() == Mnemonic::Push => pushes = Some(moment),
                _ => {}
            }
        }
        let size = if self.program.is_com() { String::new() } else { format!(" (it has {sp} bytes)") };
        let most = calls.into_values().max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 2);
        let full = format!("the stack is full{size}");
        Some(match (most, pushes) {
            (Some((_, call)), _) => {
                let place = self.place(call);
                let text = format!("{full}: the call at {place} repeats without a return");
                Hint::new(HintId::Recursion, Some(call.at()), text)
            }
            (None, Some(push)) => {
                let place = self.place(push);
                let text = format!("{full}: the push at {place} repeats without a pop");
                Hint::new(HintId::PushWithoutPop, Some(push.at()), text)
            }
            (None, None) => Hint::new(HintId::StackFull, None, format!("{full}, or SP has a wrong value")),
        })
    }

    /// Returns whether more is pushed than popped.
    fn grows(&self) -> bool {
        let mut down = 0usize;
        let mut up = 0usize;
        for (before, after) in self.last.iter().zip(self.last.iter().skip(1)) {
            let moved = after.registers.sp().wrapping_sub(before.registers.sp()) as i16;
            down += usize::from(moved < 0);
            up += usize::from(moved > 0);
        }
        down > 2 * up
    }
}
