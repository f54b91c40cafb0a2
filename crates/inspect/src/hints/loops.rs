//! Explains endless loops.

use super::super::hint::{Hint, HintId};
use super::super::last::Moment;
use super::CrashContext;
use iced_x86::{FlowControl, Instruction, Mnemonic};
use oxbox_machine::machine::End;
use std::collections::BTreeMap;

impl CrashContext<'_> {
    /// Checks for a LOOP that finds the same count in each iteration.
    fn same_count(&self) -> Option<Hint> {
        const ENOUGH: usize = 3;
        let mut loops: BTreeMap<(u16, u16), (u16, usize, &Moment)> = BTreeMap::new();
        for moment in self.last {
            // E0h to E2h: LOOPNE, LOOPE, LOOP.
            if !matches!(moment.bytes[0], 0xE0..=0xE2) {
                continue;
            }
            let cx = moment.registers.cx();
            let found = loops.entry(moment.at()).or_insert((cx, 0, moment));
            found.1 = if found.0 == cx { found.1 + 1 } else { 1 };
            found.0 = cx;
        }
        let (_, (cx, _, moment)) =
            loops.into_iter().find(|(_, (cx, count, _))| *count >= ENOUGH && *cx != 1)?;
        let text = format!(
            "CX is {cx} each time the LOOP at {} is executed: something within the loop changes CX (put PUSH CX and POP CX around an inner loop)",
            self.place(moment)
        );
        Some(Hint::new(HintId::CountSetAgain, Some(moment.at()), text))
    }

    pub(super) fn endless_loop(&self) -> Option<Hint> {
        if !matches!(self.end, End::Limit(_) | End::Signal(_)) {
            return None;
        }
        let last = self.last.back()?;
        let rounds: Vec<&Moment> =
            self.last.iter().rev().filter(|moment| moment.at() == last.at()).take(100).collect();
        let [newer, older, ..] = rounds[..] else { return None };
        let instruction = last.instruction();
        if instruction.near_branch_target() == u64::from(last.registers.ip as u16) && is_jump(&instruction) {
            let text = format!("the jump at {} jumps to itself", self.place(last));
            return Some(Hint::new(HintId::JumpToItself, Some(last.at()), text));
        }
        let from = self.last.iter().rposition(|moment| std::ptr::eq(moment, older))?;
        let round: Vec<&Moment> =
            self.last.iter().skip(from).take_while(|moment| !std::ptr::eq(*moment, newer)).collect();
        if let Some(hint) = self.same_count() {
            return Some(hint);
        }
        let same = rounds.len() > 3
            && rounds.iter().all(|moment| {
                moment.registers.gpr == last.registers.gpr && moment.registers.flags == last.registers.flags
            });
        let asks = round.iter().any(|moment| {
            let instruction = moment.instruction();
            matches!(instruction.mnemonic(), Mnemonic::In | Mnemonic::Int | Mnemonic::Hlt)
        });
        if !same || asks || self.reads_bios_data(&round) {
            return None;
        }
        let (id, why) = self
            .interrupted_by_itself()
            .unwrap_or_else(|| (HintId::EndlessLoop, "nothing in it can end it".to_owned()));
        let text = format!("no iteration of the loop changes a register: {why}");
        Some(Hint::new(id, Some(last.at()), text))
    }
}

fn is_jump(instruction: &Instruction) -> bool {
    matches!(instruction.flow_control(), FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch)
}
