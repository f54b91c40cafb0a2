//! Recognises texts for INT 21h AH=09h that the program cannot have intended.

use crate::{
    dos::{pending::Call, state::Dos},
    firmware::{Far, GuestMemory},
    notice::TextMistake,
};
use oxbox_cpu::Flags;

/// The offset of the command tail in a PSP: a program may print from there.
const TAIL: u16 = 0x80;

impl Dos {
    /// Returns the mistake in a text at DS:DX, if the program cannot have intended it.
    pub(super) fn text_mistake(&self, g: &mut Call, text: &[u8]) -> Option<TextMistake> {
        let string = g.ds_dx();
        let at = (string.segment, string.offset);
        let psp = self.psp(g);
        let (is_unended, is_in_psp) = (is_unended(text), string.segment == psp && g.caller().segment != psp);
        if is_in_psp && (is_unended || string.offset < TAIL && text.iter().any(|byte| is_no_text(*byte))) {
            return Some(TextMistake::InPsp { text: at });
        }
        if !is_unended {
            return None;
        }
        Some(match loaded_from(g) {
            Some(variable) => TextMistake::ValueForOffset { variable: (variable.segment, variable.offset) },
            None => TextMistake::Unended { text: at, backwards: g.pending.caller.flag(Flags::DF) },
        })
    }
}

/// Whether a text for 09h has continued past its end into other memory: no program intentionally
/// shows a long run of zeros, each of them a blank.
fn is_unended(text: &[u8]) -> bool {
    const LONG: usize = 256;
    const ZEROS: usize = 16;
    text.len() >= LONG && text.iter().filter(|byte| **byte == 0).count() >= ZEROS
}

/// Whether a byte does not occur in texts for the screen: control characters except bell,
/// backspace, tab, line ends and ESC.
fn is_no_text(byte: u8) -> bool {
    matches!(byte, 0..=6 | 0x0B | 0x0C | 0x0E..=0x1A | 0x1C..=0x1F)
}

/// Returns the variable from which a recent instruction has loaded DX (MOV DX,[address]).
fn loaded_from(g: &mut Call) -> Option<Far> {
    const MOV_DX_MEMORY: [u8; 2] = [0x8B, 0x16];
    /// The size of the MOV, a MOV to AH, and the INT.
    const NEAR: u16 = 10;
    let (call, ds, dx) = (g.caller(), g.cpu.regs.ds(), g.cpu.regs.dx());
    let code = g.hw.bytes(Far::new(call.segment, call.offset.wrapping_sub(NEAR)), usize::from(NEAR));
    code.windows(4).rev().find_map(|bytes| {
        let variable = Far::new(ds, u16::from_le_bytes([bytes[2], bytes[3]]));
        (bytes[..2] == MOV_DX_MEMORY && g.hw.word(variable) == dx).then_some(variable)
    })
}
