//! Texts for 09h that cannot be what the program means: what is wrong with each, for the user.

use crate::{
    dos::{pending::Call, state::Dos},
    firmware::{Far, GuestMemory},
};
use oxbox_cpu::Flags;

/// Where the command tail begins in a PSP: a program may print from there.
const TAIL: u16 = 0x80;

impl Dos {
    /// What is wrong with a text at DS:DX, if it is none.
    pub(super) fn why_garbled(&self, g: &mut Call, text: &[u8]) -> Option<String> {
        let string = g.ds_dx();
        let psp = self.psp(g);
        let (is_unended, is_in_psp) = (is_unended(text), string.segment == psp && g.caller().segment != psp);
        if is_in_psp && (is_unended || string.offset < TAIL && text.iter().any(|byte| is_no_text(*byte))) {
            return Some(format!(
                "{string} is in the PSP: DS still points there, not to the data: begin with mov ax, @data and mov ds, ax"
            ));
        }
        if !is_unended {
            return None;
        }
        if let Some(variable) = loaded_from(g) {
            return Some(format!(
                "DX holds what stands at {variable}, not the address of the text: use mov dx, offset, or LEA"
            ));
        }
        let unended = format!("the string at {string} has no '$' at its end");
        Some(match g.pending.caller.flag(Flags::DF) {
            true => format!(
                "{unended}; the direction flag is set, so that string instructions go down from SI and DI: begin them with CLD"
            ),
            false => unended,
        })
    }

    /// Notes a text for 09h with which something is wrong; each place of a call once.
    pub(super) fn notice_garbled(&mut self, g: &mut Call, length: usize, why: &str) {
        let at = g.caller();
        if self.notices.is_new(&format!("garbled {at}")) {
            let text = format!("INT 21 AH=09 has written {length} bytes: {why}, called before {at}");
            self.notices.push(text);
        }
    }
}

/// Whether a text for 09h has run on through memory that is none of it: no program shows so many zeros, each of them a blank.
fn is_unended(text: &[u8]) -> bool {
    const LONG: usize = 256;
    const ZEROS: usize = 16;
    text.len() >= LONG && text.iter().filter(|byte| **byte == 0).count() >= ZEROS
}

/// Bytes that a text for the screen does not have: control characters besides bell, backspace, tab, line ends and ESC.
fn is_no_text(byte: u8) -> bool {
    matches!(byte, 0..=6 | 0x0B | 0x0C | 0x0E..=0x1A | 0x1C..=0x1F)
}

/// The variable that one of the last instructions before the call has loaded DX from, by MOV DX,[address].
fn loaded_from(g: &mut Call) -> Option<Far> {
    const MOV_DX_MEMORY: [u8; 2] = [0x8B, 0x16];
    /// The MOV, a MOV to AH, and the INT.
    const NEAR: u16 = 10;
    let (call, ds, dx) = (g.caller(), g.cpu.regs.ds(), g.cpu.regs.dx());
    let code = g.hw.bytes(Far::new(call.segment, call.offset.wrapping_sub(NEAR)), usize::from(NEAR));
    code.windows(4).rev().find_map(|bytes| {
        let variable = Far::new(ds, u16::from_le_bytes([bytes[2], bytes[3]]));
        (bytes[..2] == MOV_DX_MEMORY && g.hw.word(variable) == dx).then_some(variable)
    })
}
