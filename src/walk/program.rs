//! A DOS program in the machine, from wait to wait.
//!
//! Limits count from each key, in instructions and in virtual time: a program that hangs, sleeps or floods the screen is
//! an end like any other.

use std::fmt;
use std::sync::Arc;

use super::choices::{Act, Choices};
use super::extent::Bounds;
use crate::hardware::linear;
use crate::inspect::Symbols;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::machine::{
    Config, Key, Looks, Machine, MouseButton, PackingBase, Snapshot, SnapshotError, Stack, StartError, Stop,
    Until,
};

/// Most instructions between two waits, unless another number is asked for.
pub const INSTRUCTION_LIMIT: u64 = 50_000_000;

/// Most virtual time between two waits, in ms, unless another number is asked for.
pub const TIME_LIMIT_MS: u64 = 60_000;

/// A program that reads the keyboard's ports itself, or is told of the mouse by a handler of its own, never asks: it is taken to
/// wait after so many ms without an end. A key or a button is held down as long as half of that.
const PORT_WAIT_MS: u64 = 100;

/// What to walk over, and from where.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The machine.
    pub config: Config,
    /// The program, an EXE or COM file.
    pub program: Vec<u8>,
    /// Its path on drive C:.
    pub name: String,
    /// Its command tail.
    pub arguments: String,
    /// What is typed first.
    pub opening: Vec<Act>,
    /// Most instructions between two waits.
    pub instruction_limit: u64,
    /// Most virtual time between two waits, in ms.
    pub time_limit_ms: u64,
    /// What is known of its source, to name lines.
    pub symbols: Option<Arc<Symbols>>,
}

impl Setup {
    /// A program in the machine as it is by default, with an empty drive that lives in memory.
    pub fn new(program: Vec<u8>, name: impl Into<String>) -> Setup {
        Setup {
            config: Config::default(),
            program,
            name: name.into(),
            arguments: String::new(),
            opening: Vec::new(),
            instruction_limit: INSTRUCTION_LIMIT,
            time_limit_ms: TIME_LIMIT_MS,
            symbols: None,
        }
    }
}

/// What makes a walk over programs what it is, but for the files in their folders and what it keeps apart; `how` is what it
/// has of its own.
pub(super) fn fingerprint(setups: &[&Setup], choices: &Choices, bounds: Bounds, how: &str) -> u128 {
    let mut hash = Xxh3::new();
    let mut add = |words: &str| hash.update(&xxh3_128(words.as_bytes()).to_le_bytes());
    add(env!("CARGO_PKG_VERSION"));
    add(how);
    add(&format!("{choices:?} {:?}", bounds.of_report()));
    for Setup { config, name, arguments, opening, instruction_limit, time_limit_ms, program, .. } in setups {
        let mut config = config.clone();
        config.dos.folder = None;
        add(&format!("{config:?} {opening:?} {instruction_limit} {time_limit_ms}"));
        add(name);
        add(arguments);
        add(&xxh3_128(program).to_string());
    }
    hash.digest128()
}

/// How a program has ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum End {
    /// With this exit code.
    Exit(u8),
    /// It cannot go on: why and where.
    Crash(String),
    /// It neither waits nor ends within its limits.
    Hang(String),
    /// It restarts the machine.
    Reset,
}

impl End {
    /// Why and where, of a crash or a hang.
    pub fn why(&self) -> Option<&str> {
        match self {
            End::Crash(why) | End::Hang(why) => Some(why),
            End::Exit(_) | End::Reset => None,
        }
    }

    /// What it is counted under: `exit:CODE`, `crash`, `hang` or `reset`.
    pub fn label(&self) -> String {
        match self {
            End::Exit(code) => format!("exit:{code}"),
            End::Crash(_) => "crash".to_owned(),
            End::Hang(_) => "hang".to_owned(),
            End::Reset => "reset".to_owned(),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why() {
            Some(why) => write!(f, "{}: {why}", self.label()),
            None => f.write_str(&self.label()),
        }
    }
}

/// A program at a wait, or ended.
#[derive(Debug)]
pub struct Walked {
    machine: Machine,
    stack: Stack,
    end: Option<End>,
    output: Vec<u8>,
    instruction_limit: u64,
    time_limit_ms: u64,
    instructions: u64,
    symbols: Option<Arc<Symbols>>,
    psp: u16,
}

/// A state to come back to.
#[derive(Debug)]
pub struct Saved {
    snapshot: Snapshot,
    end: Option<End>,
}

impl Walked {
    /// Starts a program, lets it run to its first wait and types the opening.
    ///
    /// # Errors
    /// When the machine cannot be built, or the program not be loaded.
    pub fn start(setup: &Setup) -> Result<Walked, StartError> {
        let mut machine = Machine::start(&setup.config, &setup.program, &setup.name, &setup.arguments)?;
        machine.point_spare_segments_at_program();
        machine.forget_folder();
        let stack = Stack::of_loaded(machine.cpu(), &setup.program);
        let instruction_limit = setup.instruction_limit;
        let mut walked = Walked {
            psp: machine.psp(),
            machine,
            stack,
            end: None,
            output: Vec::new(),
            instruction_limit,
            time_limit_ms: setup.time_limit_ms,
            instructions: 0,
            symbols: setup.symbols.clone(),
        };
        walked.machine.keep_printout();
        walked.run();
        walked.play(&setup.opening);
        Ok(walked)
    }

    /// Starts a program and takes choices, given by their numbers.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_and_take(setup: &Setup, choices: &Choices, path: &[usize]) -> Result<Walked, StartError> {
        let mut walked = Walked::start(setup)?;
        path.iter().filter_map(|&choice| choices.get(choice)).for_each(|choice| walked.play(&choice.acts));
        Ok(walked)
    }

    /// The machine that the program runs in.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// How it has ended; nothing while it waits.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// What it has printed on the console since the last choice, in code page 437.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// Instructions executed so far, over all that was tried.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Types and clicks, each when the program waits for it. Once it has ended, nothing happens.
    pub fn play(&mut self, acts: &[Act]) {
        self.output.clear();
        for &act in acts {
            if self.end.is_some() {
                return;
            }
            match act {
                Act::Key(key) => self.type_key(key),
                Act::Click(button, x, y) => self.click(button, x, y),
                Act::Pause(ms) => self.run_for(ms),
            }
            self.run();
        }
    }

    fn type_key(&mut self, key: Key) {
        if self.machine.program_reads_keyboard() {
            self.machine.key_down(key);
            self.run_for(PORT_WAIT_MS / 2);
            self.machine.key_up(key);
        } else {
            self.machine.type_key(key);
        }
    }

    /// A program that has not asked for the mouse sees nothing of it.
    fn click(&mut self, button: MouseButton, x: u16, y: u16) {
        if self.machine.program_uses_mouse() {
            self.machine.move_mouse(x, y);
            self.machine.set_mouse_button(button, true);
            self.run_for(PORT_WAIT_MS / 2);
            self.machine.set_mouse_button(button, false);
        }
    }

    /// Makes the wait canonical, see [`Machine::make_canonical`].
    pub fn make_canonical(&mut self, kept: &Looks) {
        self.machine.make_canonical(&self.stack, kept);
    }

    /// See [`Machine::identity`].
    pub fn identity(&self, kept: &Looks) -> u128 {
        self.machine.identity(kept)
    }

    /// Watches from here on what the program looks at, see [`Machine::watch`].
    pub fn watch(&mut self, kept: &Looks) {
        self.machine.watch(kept);
    }

    /// What the program has looked at since the last [`watch`](Self::watch).
    pub fn looks(&self) -> Looks {
        self.machine.looks()
    }

    /// The linear address of a symbol of the program's source.
    pub fn address_of(&self, symbol: &str) -> Option<u32> {
        let symbols = self.symbols.as_ref()?;
        Some(symbols.base(self.psp) + symbols.find(symbol)?.address())
    }

    /// The state now.
    pub fn save(&mut self) -> Saved {
        Saved { snapshot: self.machine.snapshot(), end: self.end.clone() }
    }

    /// Goes back to a state, which another walk over the same program may have saved.
    pub fn restore(&mut self, saved: &Saved) {
        self.machine.restore(&saved.snapshot);
        self.end.clone_from(&saved.end);
        self.output.clear();
    }

    /// Runs to the next wait or end.
    fn run(&mut self) {
        let before = self.machine.instructions();
        let last = self.machine.cycle_at_ms(self.machine.nanoseconds() / 1_000_000 + self.time_limit_ms);
        let instructions = before.saturating_add(self.instruction_limit);
        self.machine.allow_work_of(self.instruction_limit);
        self.end = loop {
            let cycle = last.min(self.cycle_in(PORT_WAIT_MS));
            let stop = self.machine.run(&Until { cycle, instructions, key_wait: true }, &mut ());
            if stop != Stop::Cycle || cycle == last {
                break self.end_of(stop);
            }
            if self.machine.program_reads_keyboard() || self.machine.program_listens_to_mouse() {
                break None;
            }
        };
        self.instructions += self.machine.instructions() - before;
        self.output.extend(self.machine.take_printout());
        // Nobody listens: the record would go along in every saved state.
        self.machine.take_sound();
    }

    /// Lets virtual time pass.
    fn run_for(&mut self, ms: u64) {
        let instructions = self.machine.instructions().saturating_add(self.instruction_limit);
        let until = Until { cycle: self.cycle_in(ms), instructions, key_wait: false };
        self.machine.allow_work_of(self.instruction_limit);
        // Whatever ends the run ends the next one at once.
        self.machine.run(&until, &mut ());
    }

    fn cycle_in(&self, ms: u64) -> u64 {
        let end = self.machine.nanoseconds().saturating_add(ms.saturating_mul(1_000_000));
        self.machine.cycle_at_nanoseconds(end)
    }

    fn end_of(&self, stop: Stop) -> Option<End> {
        let (segment, offset) = self.machine.position();
        let here = format!("{segment:04X}:{offset:04X}{}", self.line_at(segment, offset));
        match stop {
            // Nobody sets breakpoints here.
            Stop::KeyWait | Stop::Breakpoint => None,
            Stop::Exited(code) => Some(End::Exit(code)),
            Stop::Cycle => {
                let limit = self.time_limit_ms;
                Some(End::Hang(format!("no wait within {limit} ms of virtual time, at {here}")))
            }
            Stop::Instructions => {
                let limit = self.instruction_limit;
                Some(End::Hang(format!("no wait within {limit} instructions, at {here}")))
            }
            Stop::InputWait => {
                Some(End::Crash(format!("it reads from a redirected standard input, at {here}")))
            }
            Stop::Crashed(crash) => {
                let line = self.line_at(crash.registers.cs(), crash.registers.ip as u16);
                Some(End::Crash(format!("{crash}{line}")))
            }
            Stop::Dead(why) if why.contains("the program re") => Some(End::Reset),
            Stop::Dead(why) => Some(End::Crash(format!("{why}{}", self.line_at(segment, offset)))),
        }
    }

    /// The source line of an address, as `, game.asm:12`.
    fn line_at(&self, segment: u16, offset: u16) -> String {
        let Some(symbols) = &self.symbols else { return String::new() };
        let address = linear(segment, offset).checked_sub(symbols.base(self.psp));
        let line = address.and_then(|address| symbols.line_at(address));
        line.map(|line| format!(", {line}")).unwrap_or_default()
    }
}

impl Saved {
    /// The bytes that this state takes beside another one.
    pub fn bytes_beyond(&self, other: &Saved) -> usize {
        self.snapshot.bytes_beyond(&other.snapshot)
    }

    /// Others are packed beside this state.
    pub fn base(&self) -> PackingBase {
        PackingBase::new(&self.snapshot)
    }

    /// What [`unpacked`](Self::unpacked) makes this state of again; nothing where it cannot be packed.
    pub fn packed(&self, base: &PackingBase) -> Option<Vec<u8>> {
        if self.end.is_some() { None } else { base.pack(&self.snapshot) }
    }

    /// A state that was packed, a wait, beside the same base.
    ///
    /// # Errors
    /// When it was not.
    pub fn unpacked(packed: &[u8], base: &PackingBase) -> Result<Saved, SnapshotError> {
        Ok(Saved { snapshot: base.unpack(packed)?, end: None })
    }
}
