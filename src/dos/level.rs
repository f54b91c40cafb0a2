//! A service in progress: what is kept while the guest waits or runs a handler of its own in the middle of it.
//!
//! After [`Outcome::Wait`] and [`Outcome::Call`] the stub traps again with the same SS:SP, and the service is done again from its
//! beginning, with the level telling what has happened already. A handler may call DOS in its turn: levels nest, and are told apart by
//! the vector and the stack.

use super::{
    Dos, MOST_LEVELS,
    console::line::Line,
    error::{Answer, Pause},
    guest::{Far, Guest, GuestMemory},
    layout,
    process::Ending,
};
use crate::{
    cpu::{Flags, Registers},
    firmware::Outcome,
};
use serde::{Deserialize, Serialize};

/// How far a Ctrl-C has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum Breaking {
    #[default]
    No,
    /// `^C` is being shown.
    Echo,
    /// INT 23h runs.
    Called,
}

/// What a handler of INT 16h was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Asked {
    Peek,
    Read,
}

/// A service in progress.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Level {
    vector: u8,
    /// The caller's registers: what the service sees each time it is done again.
    caller: Registers,
    /// SP at the next trap.
    expected_sp: u16,
    /// Where the caller goes on: a call at the same stack from elsewhere is another one.
    back: Far,
    /// Left to wait: the next trap comes with the same registers.
    waits: bool,
    /// What a handler has left in the registers.
    pub(super) returned: Option<Registers>,
    /// Bytes for the screen, and how many have gone there.
    pub(super) queue: Vec<u8>,
    pub(super) sent: usize,
    /// The queue has been filled.
    pub(super) queued: bool,
    /// A byte of input that has been taken.
    pub(super) input: Option<u8>,
    /// Bytes that a read has taken so far.
    pub(super) taken: Vec<u8>,
    pub(super) line: Option<Line>,
    /// 0Ch has emptied the keyboard.
    pub(super) flushed: bool,
    /// Ctrl-S holds the output until the next key.
    pub(super) paused: bool,
    /// INT 28h has been called since the last wait.
    pub(super) idled: bool,
    pub(super) asked: Option<Asked>,
    pub(super) breaking: Breaking,
    /// INT 24h was called and has not been answered.
    pub(super) critical: bool,
}

impl Level {
    fn new(vector: u8, caller: Registers) -> Self {
        Level { vector, expected_sp: caller.sp(), caller, ..Level::default() }
    }

    /// Forgets what has happened: the service begins again.
    fn restart(&mut self) {
        *self = Level::new(self.vector, self.caller.clone());
    }

    /// SP at the next trap, when the service has pushed something for a handler.
    pub(super) fn expect_sp(&mut self, sp: u16) {
        self.expected_sp = sp;
    }

    /// True when this trap belongs to this level. A handler of INT 23h may leave its flags on the stack. A handler that never
    /// comes back leaves a level behind, and a later call may come by the same stack: it is told by its registers or its place.
    fn is_at(&self, vector: u8, g: &mut Guest) -> bool {
        let (ss, sp) = (g.cpu.regs.ss(), g.cpu.regs.sp());
        let left_flags = self.breaking == Breaking::Called && sp == self.expected_sp.wrapping_sub(2);
        let frame = Far::new(ss, self.caller.sp());
        self.vector == vector
            && self.caller.ss() == ss
            && (sp == self.expected_sp || left_flags)
            && (!self.waits || self.caller.gpr == g.cpu.regs.gpr)
            && g.hw.far(frame) == self.back
    }
}

impl Dos {
    /// The level of this trap: the one that was left, or a new one.
    pub(super) fn resume(&mut self, vector: u8, g: &mut Guest) -> Level {
        if self.levels.is_empty() {
            return Level::new(vector, g.cpu.regs.clone());
        }
        let (ss, sp) = (g.cpu.regs.ss(), g.cpu.regs.sp());
        // What lies below the stack now in use has been left for good.
        while self.levels.last().is_some_and(|l| l.caller.ss() == ss && l.caller.sp() < sp) {
            self.levels.pop();
        }
        let level = match self.levels.pop() {
            Some(mut level) if level.is_at(vector, g) => {
                let returned = g.cpu.regs.clone();
                g.cpu.regs.gpr = level.caller.gpr;
                let cs = g.cpu.regs.cs();
                g.cpu.regs.seg = level.caller.seg;
                g.cpu.regs.set_cs(cs);
                level.returned = Some(returned);
                level
            }
            other => {
                // Another call within the one that waits; or, at the very same stack, after one that was left for good.
                self.levels.extend(other.filter(|l| l.caller.ss() != ss || l.caller.sp() != sp));
                Level::new(vector, g.cpu.regs.clone())
            }
        };
        self.show_in_dos(g);
        level
    }

    /// Keeps the level for the next trap. A wait comes back with the registers of the call.
    pub(super) fn suspend(&mut self, g: &mut Guest, mut level: Level, waits: bool) {
        level.returned = None;
        level.waits = waits;
        level.back = g.hw.far(Far::new(level.caller.ss(), level.caller.sp()));
        if waits {
            g.cpu.regs.gpr = level.caller.gpr;
            let cs = g.cpu.regs.cs();
            g.cpu.regs.seg = level.caller.seg;
            g.cpu.regs.set_cs(cs);
            level.expected_sp = level.caller.sp();
        }
        if self.levels.len() >= MOST_LEVELS {
            self.levels.remove(0);
        }
        self.levels.push(level);
        self.show_in_dos(g);
    }

    fn show_in_dos(&mut self, g: &mut Guest) {
        g.hw.set_byte(layout::IN_DOS, self.levels.len() as u8);
    }

    /// Ctrl-C was typed: shows it and calls INT 23h.
    pub(super) fn break_off(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        level.restart();
        level.queue = b"^C\r\n".to_vec();
        level.queued = true;
        level.breaking = Breaking::Echo;
        self.console.forget_line();
        self.finish_break(g, level)
    }

    /// Goes on with a Ctrl-C. The handler says what becomes of the program: IRET does the service again; RETF with carry, the flags
    /// left on the stack, ends the program.
    pub(super) fn finish_break(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        match level.breaking {
            Breaking::No => Ok(()),
            Breaking::Echo => {
                self.drain(g, level)?;
                level.breaking = Breaking::Called;
                if !self.stubs.hooked(g.hw, 0x23) {
                    return self.terminate(g, 0, Ending::Break);
                }
                Err(Pause::Leave(Outcome::Call(0x23)))
            }
            Breaking::Called => {
                let ends =
                    level.returned.as_ref().is_some_and(|r| r.sp() != level.expected_sp && r.flag(Flags::CF));
                level.restart();
                if ends { self.terminate(g, 0, Ending::Break) } else { Ok(()) }
            }
        }
    }
}
