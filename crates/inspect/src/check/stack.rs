//! Checks mismatched calls and returns, stack overflow and underflow, and the direction flag across
//! procedures.

use super::super::program::Program;
use super::kinds::Kind;
use super::sight::{Found, Sight};
use iced_x86::{FlowControl, Mnemonic};
use oxbox_cpu::Flags;
use oxbox_machine::hardware::linear;
use std::collections::HashMap;

/// The deepest nesting of calls that is tracked.
const DEEPEST: usize = 4096;

#[derive(Debug)]
struct Call {
    at: (u16, u16),
    is_far: bool,
    ss: u16,
    /// SP of the return address.
    sp: u16,
    /// CS and IP of the return.
    back: (u16, u16),
}

/// The change of SP between executions of a call.
#[derive(Debug)]
struct Site {
    sp: u16,
    /// The decrease of SP in bytes since the last execution, and the number of such decreases.
    drop: u16,
    times: u32,
    depth: usize,
}

#[derive(Debug)]
pub(super) struct Stack {
    /// The initial SS and SP; `None` after a switch to another stack, or if the stack may wrap.
    start: Option<(u16, u16)>,
    calls: Vec<Call>,
    sites: HashMap<(u16, u16), Site>,
    /// The STD in effect: its address, the call depth, and whether that procedure has returned.
    backwards: Option<((u16, u16), usize, bool)>,
}

impl Stack {
    pub(super) fn new(program: Option<&Program>) -> Stack {
        // The stack of a COM program starts at the end of its segment and may wrap there.
        let start = program.filter(|program| !program.is_com()).map(Program::stack);
        let start = start.filter(|(_, sp)| (1..0xFF00).contains(sp));
        Stack { start, calls: Vec::new(), sites: HashMap::new(), backwards: None }
    }

    pub(super) fn forget(&mut self) {
        self.calls.clear();
        self.backwards = None;
    }

    pub(super) fn instruction(&mut self, sight: &Sight) -> Option<Found> {
        let instruction = &sight.fact.instruction;
        let (ss, sp) = (sight.cpu.regs.ss(), sight.cpu.regs.sp());
        // Calls above SP are complete.
        while self.calls.last().is_some_and(|call| call.ss == ss && call.sp < sp) {
            self.calls.pop();
        }
        if sight.fact.sets_stack {
            self.start = None;
        }
        let found = self.limits(sight).or_else(|| self.direction(sight));
        match instruction.flow_control() {
            FlowControl::Call | FlowControl::IndirectCall => self.call(sight),
            FlowControl::Return => return found.or_else(|| self.ret(sight)),
            _ => {}
        }
        found
    }

    fn call(&mut self, sight: &Sight) {
        let instruction = &sight.fact.instruction;
        let is_far = instruction.is_call_far() || instruction.is_call_far_indirect();
        if !is_far && !instruction.is_call_near() && !instruction.is_call_near_indirect() {
            return;
        }
        let (ss, before) = (sight.cpu.regs.ss(), sight.cpu.regs.sp());
        let depth = self.calls.len();
        let site = self.sites.entry(sight.at).or_insert(Site { sp: before, drop: 0, times: 0, depth });
        let drop = site.sp.wrapping_sub(before);
        let goes_on =
            depth == site.depth && (1..0x100).contains(&drop) && (site.times == 0 || drop == site.drop);
        let times = if goes_on { site.times + 1 } else { 0 };
        *site = Site { sp: before, drop, times, depth };
        let sp = before.wrapping_sub(if is_far { 4 } else { 2 });
        let back = (sight.at.0, instruction.next_ip16());
        if depth < DEEPEST {
            self.calls.push(Call { at: sight.at, is_far, ss, sp, back });
        }
    }

    /// Checks RET after a far call, and RETF after a near call.
    fn ret(&mut self, sight: &Sight) -> Option<Found> {
        let registers = &sight.cpu.regs;
        let word = |n: u16| sight.hw.memory.read16(linear(registers.ss(), registers.sp().wrapping_add(n)));
        let is_far = match sight.fact.instruction.mnemonic() {
            Mnemonic::Ret => false,
            Mnemonic::Retf => true,
            _ => return None,
        };
        let depth = self.calls.len();
        if let Some((_, at, returned)) = &mut self.backwards {
            *returned |= registers.flag(Flags::DF) && *at == depth && depth > 0;
        }
        let call = self.calls.last()?;
        let is_its = call.ss == registers.ss() && call.sp == registers.sp() && word(0) == call.back.1;
        if !is_its || is_far == call.is_far {
            return None;
        }
        let (ret, wanted) = if is_far { ("RETF", "near") } else { ("RET", "far") };
        // PUSH CS before a near CALL makes it a far call; the word after the offset of a far CALL
        // is its CS.
        if is_far && word(2) == call.back.0 || !is_far && word(2) != call.back.0 {
            return None;
        }
        Some(Found {
            kind: Kind::Stack,
            id: "wrong-return",
            at: sight.at,
            text: format!("{ret} does not match the {wanted} CALL at {{place}}"),
            note: Some((call.at, "it was called here")),
            help: "declare the procedure NEAR and end it with RET, or FAR and end it with RETF; call it as declared",
        })
    }

    /// Checks SP against the bounds of the stack.
    fn limits(&mut self, sight: &Sight) -> Option<Found> {
        let (ss, top) = self.start?;
        let (at_ss, sp) = (sight.cpu.regs.ss(), sight.cpu.regs.sp());
        if ss != at_ss {
            self.start = None;
            return None;
        }
        let pushed = u16::try_from(-sight.fact.instruction.stack_pointer_increment()).unwrap_or(0);
        if sp > top {
            self.start = None;
            return Some(Found {
                kind: Kind::Stack,
                id: "stack-above",
                at: sight.at,
                text: format!(
                    "SP is {sp:04X}h, above its initial value {top:04X}h: the program popped more than it pushed"
                ),
                note: None,
                help: "give each POP a PUSH; remove arguments with `ret n` or with `add sp, n`, not with both",
            });
        }
        if pushed == 0 || sp >= pushed {
            return None;
        }
        self.start = None;
        let leak =
            self.sites.iter().filter(|(_, site)| site.times >= 8).max_by_key(|(at, site)| (site.times, **at));
        Some(match leak {
            Some((at, site)) => Found {
                kind: Kind::Stack,
                id: "stack-leak",
                at: *at,
                text: format!(
                    "SP falls by {} bytes each time this CALL is executed; after {} times the stack is full and SP wraps from {sp:04X}h",
                    site.drop, site.times
                ),
                note: None,
                help: "remove all arguments: `ret n` with two bytes for each word that was pushed, or `add sp, n` after the CALL",
            },
            None => Found {
                kind: Kind::Stack,
                id: "stack-overflow",
                at: sight.at,
                text: format!("the stack is full: SP wraps from {sp:04X}h to the end of the segment"),
                note: None,
                help: "give each PUSH a POP, end the recursion, or make the stack larger",
            },
        })
    }

    /// Checks for a string instruction that runs backwards because of a procedure that has
    /// returned.
    fn direction(&mut self, sight: &Sight) -> Option<Found> {
        let instruction = &sight.fact.instruction;
        if instruction.mnemonic() == Mnemonic::Std {
            self.backwards = Some((sight.at, self.calls.len(), false));
            return None;
        }
        if !sight.cpu.regs.flag(Flags::DF) {
            self.backwards = None;
            return None;
        }
        let (std, ..) =
            self.backwards.filter(|(.., returned)| *returned && instruction.is_string_instruction())?;
        Some(Found {
            kind: Kind::Calls,
            id: "direction",
            at: sight.at,
            text: "this instruction runs backwards: the procedure with the STD at {place} returned with the direction flag set"
                .to_owned(),
            note: Some((std, "the direction flag was set here")),
            help: "put `cld` before that procedure's RET",
        })
    }
}
