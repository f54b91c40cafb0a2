//! A DOS program in the machine, as the exploration sees it: keys typed at its key waits, screens,
//! sounds.
//!
//! Limits count from each key, in instructions and in virtual time, so that a program that hangs,
//! floods the screen or waits for something else is reported and never waited for.

use super::compare::text_of_machine;
use super::program::{Program, ProgramState};
use super::screen::{Screen, Shown};
use crate::picture::Picture;
use oxbox_machine::bios::data;
use oxbox_machine::hardware::speaker::{self, Note};
use oxbox_machine::hardware::vga::Source;
use oxbox_machine::machine::{Config, FaultKind, Key, Machine, Snapshot, StartError, Stop, Until};
use std::sync::Arc;

/// The most instructions before the next key wait. The slowest known answer, a lost game of the
/// original EECS-2100 with its tune, takes 23 million.
pub(super) const INSTRUCTION_LIMIT: u64 = 50_000_000;

/// The most virtual time before the next key wait, in ms.
pub(super) const TIME_LIMIT_MS: u64 = 60_000;

/// The most bytes written to files, which are in memory here and part of every saved position.
const MOST_PENDING: u64 = 4 << 20;

/// Upper bound of a tick in ms.
const TICK_MS: u64 = 55;

/// A DOS program at a key wait.
///
/// ```
/// use oxbox_machine::machine::Config;
/// use oxbox_proof::verify::{Emulated, Program, ProgramState};
///
/// // mov ah, 0; int 16h; cmp al, 'q'; je end; mov ah, 0Eh; int 10h; jmp 100h; end: int 20h
/// let echo = b"\xB4\x00\xCD\x16\x3C\x71\x74\x06\xB4\x0E\xCD\x10\xEB\xF2\xCD\x20";
/// let mut program = Emulated::start(&Config::default(), echo, "ECHO.COM")?;
/// let start = program.save();
/// program.press(b"16");
/// assert_eq!(program.screen().lines()[0].trim_end(), "16");
/// program.restore(&start);
/// program.press(b"q");
/// assert_eq!(program.state(), ProgramState::Ended);
/// # Ok::<(), oxbox_proof::verify::StartError>(())
/// ```
#[derive(Debug)]
pub struct Emulated {
    machine: Machine,
    state: ProgramState,
    heard: Vec<Note>,
    instructions: u64,
    waited_ms: u64,
    /// The last picture and its source: most keys that make no move do not change it.
    drawn: Option<(Source, Picture)>,
}

impl Emulated {
    /// Starts a program and runs it to its first key wait.
    ///
    /// # Errors
    /// Fails if the machine cannot be built as `config` says, or if the program cannot be loaded.
    pub fn start(config: &Config, program: &[u8], name: &str) -> Result<Self, StartError> {
        let mut emulated = Emulated {
            machine: Machine::start(config, program, name, "")?,
            state: ProgramState::Waiting,
            heard: Vec::new(),
            instructions: 0,
            waited_ms: 0,
            drawn: None,
        };
        emulated.run();
        Ok(emulated)
    }

    /// Returns a copy of the program at the same position, in a separate machine.
    ///
    /// # Errors
    /// Fails as [`start`](Self::start) does.
    pub fn another(&mut self, config: &Config) -> Result<Self, StartError> {
        let mut machine = Machine::new(config)?;
        machine.restore(&self.machine.snapshot());
        Ok(Emulated {
            machine,
            state: self.state.clone(),
            heard: Vec::new(),
            instructions: 0,
            waited_ms: 0,
            drawn: None,
        })
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Advances virtual time until the low three bits of the tick count have just become `ticks`.
    /// Returns the milliseconds that have passed like this since the program was last started or
    /// restored. Does nothing if the program does not wait.
    pub fn wait_for_ticks(&mut self, ticks: u8) -> u64 {
        let count = |machine: &Machine| machine.hardware().memory.read8(data::TICKS) & 7;
        let mut before = count(&self.machine);
        // Two cycles are more than enough.
        for _ in 0..2 * 8 * TICK_MS {
            if self.state != ProgramState::Waiting {
                break;
            }
            let now = self.machine.nanoseconds();
            let cycle = self.machine.cycle_at_nanoseconds(now + 1_000_000);
            let stop = self.machine.run(&Until { key_wait: false, ..Until::cycle(cycle) }, &mut ());
            if stop != Stop::Cycle {
                self.state = state_at(stop);
            }
            self.waited_ms += 1;
            let after = count(&self.machine);
            if after != before && after == ticks & 7 {
                break;
            }
            before = after;
        }
        self.waited_ms
    }

    pub(super) fn shown(&mut self) -> Shown {
        match self.machine.text() {
            Some(text) => Shown::Text(text),
            None => Shown::Picture(self.picture()),
        }
    }

    fn picture(&mut self) -> Picture {
        let now = self.machine.nanoseconds();
        let vga = &self.machine.hardware().vga;
        if let Some((source, picture)) = &self.drawn
            && vga.shows(source, now)
        {
            return picture.clone();
        }
        let frame = vga.frame(now);
        let picture = Picture { width: frame.width, pixels: Arc::new(frame.pixels) };
        self.drawn = Some((self.machine.picture_source(), picture.clone()));
        picture
    }

    fn run(&mut self) {
        let machine = &mut self.machine;
        let before = machine.instructions();
        let end_ns = machine.nanoseconds() + TIME_LIMIT_MS * 1_000_000;
        let until = Until {
            cycle: machine.cycle_at_nanoseconds(end_ns),
            instructions: before + INSTRUCTION_LIMIT,
            ..Until::KEY_WAIT
        };
        machine.set_work_budget(INSTRUCTION_LIMIT);
        let stop = machine.run(&until, &mut ());
        self.instructions += machine.instructions() - before;
        self.heard.extend(speaker::notes(&machine.take_sound()));
        self.state = state_at(stop);
        if machine.pending_bytes() > MOST_PENDING {
            let limit = MOST_PENDING >> 20;
            let why =
                format!("it has written more than {limit} MiB into files, which are part of every state");
            self.state = ProgramState::Broken(why);
        }
    }
}

fn state_at(stop: Stop) -> ProgramState {
    match stop {
        Stop::KeyWait => ProgramState::Waiting,
        Stop::Exited(_) => ProgramState::Ended,
        Stop::Cycle => ProgramState::Broken(format!("no key wait within {TIME_LIMIT_MS} ms of virtual time")),
        Stop::Instructions => {
            ProgramState::Broken(format!("no key wait within {INSTRUCTION_LIMIT} instructions"))
        }
        Stop::Breakpoint => ProgramState::Broken("it stopped at a breakpoint".to_owned()),
        Stop::InputWait => ProgramState::Broken(FaultKind::RedirectedInput.to_string()),
        Stop::Crashed(crash) => ProgramState::Broken(crash.to_string()),
        Stop::Dead(fault) => ProgramState::Broken(fault.to_string()),
    }
}

impl Program for Emulated {
    type Saved = (Snapshot, ProgramState);

    fn state(&self) -> ProgramState {
        self.state.clone()
    }

    fn screen(&mut self) -> Screen {
        match self.machine.text() {
            Some(text) => Screen::Text(text_of_machine(&text)),
            None => Screen::Pixels(self.picture()),
        }
    }

    fn press(&mut self, keys: &[u8]) {
        self.heard.clear();
        for &key in keys {
            if self.state != ProgramState::Waiting {
                return;
            }
            match Key::typing(char::from(key)) {
                Some(key) => {
                    self.machine.type_key(key);
                    self.run();
                }
                None => self.state = ProgramState::Broken(format!("no key types the character {key:02X}h")),
            }
        }
    }

    fn save(&mut self) -> Self::Saved {
        (self.machine.snapshot(), self.state.clone())
    }

    fn restore(&mut self, (snapshot, state): &Self::Saved) {
        self.machine.restore(snapshot);
        self.state = state.clone();
        self.heard.clear();
        self.waited_ms = 0;
    }

    fn heard(&self) -> Option<&[Note]> {
        Some(&self.heard)
    }

    fn instructions(&self) -> u64 {
        self.instructions
    }
}
