//! Detects LOOP with CX = 0, which iterates 65,536 times.

use super::super::access::interrupt_of;
use super::super::disassembly::{bytes_at, decode};
use super::facts::{clears_cx, counter};
use super::kinds::Kind;
use super::sight::{Found, Sight};
use iced_x86::{FlowControl, Mnemonic, OpKind};

#[derive(Debug, Default)]
pub(super) struct Loops {
    /// Whether the program has explicitly set CX to zero: 65,536 iterations may then be intended.
    is_cleared: bool,
}

#[derive(Debug, Default)]
struct Body {
    /// Whether it calls a BIOS or DOS service for input or output.
    serves: bool,
    touches_memory: bool,
}

impl Loops {
    pub(super) fn instruction(&mut self, sight: &Sight) -> Option<Found> {
        let instruction = &sight.fact.instruction;
        if instruction.mnemonic() == Mnemonic::Loop {
            return self.round(sight);
        }
        if clears_cx(instruction) {
            self.is_cleared = true;
        } else if sight.fact.writes_cx && instruction.mnemonic() != Mnemonic::Pop {
            self.is_cleared = false;
        }
        None
    }

    fn round(&mut self, sight: &Sight) -> Option<Found> {
        let is_cleared = std::mem::take(&mut self.is_cleared);
        if counter(&sight.fact, sight.cpu) != 0 {
            return None;
        }
        let body = body(sight)?;
        let is_meant = !body.serves && (is_cleared || !body.touches_memory);
        (!is_meant).then(|| Found {
            kind: Kind::Arithmetic,
            id: "loop-zero",
            at: sight.at,
            text: "LOOP is executed with CX = 0: it counts down from 65,536".to_owned(),
            note: None,
            help: "if the count can be 0, test it with `jcxz` before the loop; if the loop's body changes CX, save it there",
        })
    }
}

/// Analyses a loop from its first instruction to its LOOP; `None` if that is not a straight line.
fn body(sight: &Sight) -> Option<Body> {
    const LONGEST: usize = 128;
    let (cs, end) = sight.at;
    let mut ip = sight.fact.instruction.near_branch16();
    let mut body = Body::default();
    for _ in 0..LONGEST {
        if ip == end {
            return Some(body);
        }
        let instruction = decode(&bytes_at(sight.hw, cs, ip), ip);
        let is_string = instruction.is_string_instruction();
        // INT 16h and INT 1Ah in such a loop wait.
        body.serves |= matches!(interrupt_of(&instruction), Some(0x10 | 0x21));
        body.touches_memory |= is_string
            || instruction.mnemonic() != Mnemonic::Lea
                && (0..instruction.op_count()).any(|n| instruction.op_kind(n) == OpKind::Memory);
        if instruction.is_invalid() || instruction.flow_control() == FlowControl::Return || ip > end {
            return None;
        }
        ip = instruction.next_ip16();
    }
    None
}
