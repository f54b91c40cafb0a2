//! Checks the use of AL after a call that prints: DOS leaves the last character there.

use super::super::access::interrupt_of;
use super::kinds::Kind;
use super::sight::{Found, Sight};

#[derive(Debug, Clone, Copy)]
struct Printed {
    at: (u16, u16),
    /// CS, IP and SP of the return.
    back: (u16, u16, u16),
    ah: u8,
    /// AL before the call.
    before: u8,
    /// AL after the call, if it changed.
    after: Option<u8>,
}

#[derive(Debug, Default)]
pub(super) struct Registers {
    /// The first call that printed since AL was last set.
    printed: Option<Printed>,
    /// Whether the program or a service has set AL since the last call that printed.
    is_set: bool,
}

impl Registers {
    pub(super) fn forget(&mut self) {
        *self = Registers::default();
    }

    pub(super) fn instruction(&mut self, sight: &Sight) -> Option<Found> {
        let (registers, fact) = (&sight.cpu.regs, &sight.fact);
        if let Some(printed) = &mut self.printed
            && printed.after.is_none()
        {
            let is_back = printed.back == (sight.at.0, sight.at.1, registers.sp());
            if is_back && registers.al() != printed.before {
                printed.after = Some(registers.al());
            } else {
                self.printed = None;
            }
        }
        match interrupt_of(&fact.instruction) {
            Some(0x21) if matches!(registers.ah(), 0x02 | 0x06 | 0x09) => {
                self.print(sight);
                None
            }
            Some(_) => {
                *self = Registers { printed: None, is_set: true };
                None
            }
            None if fact.uses_al => {
                self.is_set |= fact.writes_al;
                self.printed.take().and_then(|printed| told(printed, sight))
            }
            None => {
                if fact.writes_al {
                    *self = Registers { printed: None, is_set: true };
                }
                None
            }
        }
    }

    fn print(&mut self, sight: &Sight) {
        let registers = &sight.cpu.regs;
        let (ah, before) = (registers.ah(), registers.al());
        // MOV AX,0900h does not set AL to a value that matters.
        if std::mem::take(&mut self.is_set) && before != 0 {
            let back = (sight.at.0, sight.fact.instruction.next_ip16(), registers.sp());
            self.printed = Some(Printed { at: sight.at, back, ah, before, after: None });
        }
    }
}

fn told(printed: Printed, sight: &Sight) -> Option<Found> {
    let Printed { at, ah, before, after, .. } = printed;
    let after = after?;
    Some(Found {
        kind: Kind::Calls,
        id: "lost-al",
        at: sight.at,
        text: format!(
            "AL is {after:02X}h here: INT 21h/{ah:02X}h at {{place}} changed it; the program's own value was {before:02X}h"
        ),
        note: Some((at, "AL was changed here")),
        help: "keep AX over the INT: `push ax` before, `pop ax` after it; or use a different register",
    })
}
