//! A DOS program in the machine, from wait to wait.
//!
//! Limits count from each key, in instructions and in virtual time: a program that hangs, sleeps or
//! floods the screen is an end like any other.

mod end;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::choices::{Act, Choices};
use super::performance::{Frames, LOOK_MS, Performance, Recorder, Shot};
pub use super::saved::Saved;
pub use super::setup::{INSTRUCTION_LIMIT, Setup, TIME_LIMIT_MS};
pub(super) use end::told;
use oxbox_cpu::Registers;
use oxbox_inspect::{EndingCall, Symbols, named};
use oxbox_machine::bios::data::TICKS;
use oxbox_machine::expression::Named;
use oxbox_machine::machine::{
    End, Key, Machine, MouseButton, Polls, ReadSet, Stack, StartError, Stop, Stroke, Until,
};
use oxbox_machine::notice::Notice;

/// A program that reads the keyboard ports, or that handles mouse events, never asks for input. It
/// is considered waiting after this time without an end, in ms.
const PORT_WAIT_MS: u64 = 100;

/// A program at a wait, or ended.
///
/// ```
/// use oxbox_proof::walk::{End, ProgramUnderTest, Setup};
///
/// // mov ah, 0; int 16h; cmp al, 'q'; je end; mov ah, 0Eh; int 10h; jmp 100h; end: int 20h
/// let echo = b"\xB4\x00\xCD\x16\x3C\x71\x74\x06\xB4\x0E\xCD\x10\xEB\xF2\xCD\x20";
/// let mut program = ProgramUnderTest::start(&Setup::new(echo.to_vec(), "ECHO.COM"))?;
/// let start = program.save();
/// program.press(b"16");
/// assert!(program.machine().text().is_some_and(|text| text.line(0).starts_with("16")));
/// program.restore(&start);
/// program.press(b"q");
/// assert_eq!(program.end(), Some(&End::Exited(0)));
/// # Ok::<(), oxbox_proof::walk::StartError>(())
/// ```
#[derive(Debug)]
pub struct ProgramUnderTest {
    machine: Machine,
    stack: Stack,
    end: Option<End>,
    ending: EndingCall,
    output: Vec<u8>,
    instruction_limit: u64,
    time_limit_ms: u64,
    instructions: u64,
    symbols: Option<Arc<Symbols>>,
    psp: u16,
    /// Whether it polls and continues without input.
    goes_on: bool,
    /// Whether it waits for the mouse and reads no key.
    takes_no_key: bool,
    /// The observed categories of the restored state, if it is canonical.
    kept: Option<ReadSet>,
    absent: BTreeSet<String>,
    /// Sound and pictures since the last choice, if they are recorded.
    performance: Option<Performance>,
    frames: Frames,
}

/// The longest sound, in ms, that continues while the program waits and is attributed to the last
/// key: the BIOS beep.
const LAST_SOUND_MS: u64 = 500;

impl ProgramUnderTest {
    /// Starts a program, runs it to its first wait and types the initial inputs.
    ///
    /// # Errors
    /// Fails if the machine cannot be built, or if the program cannot be loaded.
    pub fn start(setup: &Setup) -> Result<ProgramUnderTest, StartError> {
        ProgramUnderTest::start_with(setup, None)
    }

    /// Like [`start`](Self::start), and records sound and pictures between waits from the first
    /// instruction on. See [`performance`](Self::performance).
    ///
    /// # Errors
    /// Fails as [`start`](Self::start) does.
    pub fn start_recording(setup: &Setup) -> Result<ProgramUnderTest, StartError> {
        ProgramUnderTest::start_with(setup, Some(Performance::default()))
    }

    fn start_with(setup: &Setup, performance: Option<Performance>) -> Result<ProgramUnderTest, StartError> {
        let mut walked = ProgramUnderTest::loaded(setup, performance)?;
        walked.begin(setup);
        Ok(walked)
    }

    /// Returns the categories that the program observes before its first wait and during the
    /// initial inputs.
    ///
    /// # Errors
    /// Fails as [`start`](Self::start) does.
    pub fn looks_of_start(setup: &Setup) -> Result<ReadSet, StartError> {
        let mut walked = ProgramUnderTest::loaded(setup, None)?;
        walked.machine.watch(&ReadSet::default());
        walked.begin(setup);
        Ok(walked.read_set())
    }

    /// Runs to the first wait and types the initial inputs. Without any, earlier output is kept.
    fn begin(&mut self, setup: &Setup) {
        self.run();
        if !setup.opening.is_empty() {
            self.play(&setup.opening);
        }
    }

    /// Creates a program before its first instruction.
    fn loaded(setup: &Setup, performance: Option<Performance>) -> Result<ProgramUnderTest, StartError> {
        let mut machine = Machine::start(&setup.config, &setup.program, &setup.name, &setup.arguments)?;
        machine.forget_folder();
        let stack = Stack::of_loaded(machine.cpu(), &setup.program);
        let instruction_limit = setup.instruction_limit;
        let mut walked = ProgramUnderTest {
            psp: machine.psp(),
            machine,
            stack,
            end: None,
            ending: EndingCall::default(),
            output: Vec::new(),
            instruction_limit,
            time_limit_ms: setup.time_limit_ms,
            instructions: 0,
            symbols: setup.symbols.clone(),
            goes_on: false,
            takes_no_key: false,
            kept: None,
            absent: BTreeSet::new(),
            performance,
            frames: Frames::default(),
        };
        walked.machine.keep_printout();
        if let Some(filling) = setup.filling {
            filling.fill(&mut walked.machine, &setup.program);
        }
        Ok(walked)
    }

    /// Starts a program and performs choices, given by number.
    ///
    /// # Errors
    /// Fails as [`start`](Self::start) does.
    pub fn start_and_take(
        setup: &Setup,
        choices: &Choices,
        path: &[usize],
    ) -> Result<ProgramUnderTest, StartError> {
        let mut walked = ProgramUnderTest::start(setup)?;
        path.iter().for_each(|&choice| walked.take(choices, choice));
        Ok(walked)
    }

    /// Returns sound and pictures since the last choice, if [recorded](Self::start_recording).
    pub fn performance(&self) -> Option<&Performance> {
        self.performance.as_ref()
    }

    /// Advances virtual time at a wait until the low three bits of the BIOS tick count have just
    /// become `ticks`. Returns the elapsed milliseconds.
    pub fn wait_for_ticks(&mut self, ticks: u8) -> u64 {
        /// Two cycles of the three bits, at less than this number of ms per tick.
        const MOST_MS: u64 = 2 * 8 * 55;
        let count = |machine: &Machine| machine.hardware().memory.read8(TICKS) & 7;
        let mut before = count(&self.machine);
        for waited in 1..=MOST_MS {
            if self.end.is_some() {
                break;
            }
            self.pass(1);
            let after = count(&self.machine);
            if after != before && after == ticks & 7 {
                return waited;
            }
            before = after;
        }
        0
    }

    /// Advances virtual time at a wait by this many milliseconds.
    pub fn wait(&mut self, ms: u64) {
        if ms > 0 && self.end.is_none() {
            self.pass(ms);
        }
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the current screen.
    pub fn shot(&mut self) -> Shot {
        self.frames.shot(&mut self.machine)
    }

    /// Returns the end; `None` while the program waits.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Returns the registers with which the program continues after the wait, or has ended.
    pub fn registers(&self) -> Registers {
        match (&self.end, &self.ending.registers) {
            (Some(End::Exited(_)), Some(registers)) => registers.clone(),
            _ => self.machine.program_registers(),
        }
    }

    /// Returns the console output since the last choice, in code page 437.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// Returns the number of executed instructions over everything that was tried.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Types and clicks, each when the program waits for it. Does nothing after the end.
    pub fn play(&mut self, acts: &[Act]) {
        self.output.clear();
        for &act in acts {
            if self.end.is_some() {
                return;
            }
            self.machine.take_poll(self.goes_on);
            match act {
                Act::Key(key) => self.type_key(key),
                Act::Click(button, x, y) => self.click(button, x, y),
                Act::Press(key) => self.machine.key_down(key),
                Act::Release(key) => self.machine.key_up(key),
                Act::Button(button, down) => self.machine.set_mouse_button(button, down),
                Act::Pause(ms) => self.run_for(ms),
            }
            self.run();
        }
    }

    /// Types characters, each when the program waits. A character that no key types is left out.
    pub fn press(&mut self, characters: &[u8]) {
        let keys = characters.iter().filter_map(|&character| Key::typing(char::from(character)));
        self.play(&keys.map(Act::Key).collect::<Vec<_>>());
    }

    /// Types several keys at once when the program waits, so that it finds the later ones in the
    /// keyboard buffer. Runs until they are read.
    pub fn type_ahead(&mut self, keys: &[Key]) {
        self.output.clear();
        if self.end.is_none() {
            self.machine.take_poll(self.goes_on);
            keys.iter().for_each(|&key| self.type_key(key));
            self.run();
        }
    }

    /// Performs a choice by its number. The number after the last continues without input.
    pub(super) fn take(&mut self, choices: &Choices, choice: usize) {
        match choices.get(choice) {
            Some(choice) => self.play(&choice.acts),
            None => self.do_nothing(),
        }
    }

    /// Returns the number of choices here, including continuing without input if the program polls.
    pub(super) fn choices_here(&self, choices: &Choices) -> usize {
        choices.len() + usize::from(self.goes_on())
    }

    /// Returns whether the program polls here and continues without input.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Continues without input to the next wait, or to a poll in a different state or a tick later.
    pub fn do_nothing(&mut self) {
        self.output.clear();
        if self.end.is_none() {
            self.machine.leave_poll(self.kept.as_ref());
            self.run();
        }
    }

    /// Returns the names of missing features that the program used.
    pub fn absent(&self) -> &BTreeSet<String> {
        &self.absent
    }

    /// A program that waits for the mouse receives no key: unread keys would fill its buffer.
    fn type_key(&mut self, key: Key) {
        if self.takes_no_key {
            return;
        }
        if key.is_modifier() || self.machine.program_reads_keyboard() {
            self.machine.key_down(key);
            self.hold();
            self.machine.key_up(key);
        } else {
            self.machine.type_key(key);
        }
    }

    /// A program that does not use the mouse receives no click.
    fn click(&mut self, button: MouseButton, x: u16, y: u16) {
        if self.machine.program_uses_mouse() {
            self.machine.move_mouse(x, y);
            self.machine.set_mouse_button(button, true);
            self.hold();
            self.machine.set_mouse_button(button, false);
        }
    }

    /// Advances virtual time by the duration of a key press or a mouse click.
    fn hold(&mut self) {
        let mut stroke = Stroke::new(&self.machine);
        loop {
            self.run_for(Stroke::MS);
            if !stroke.is_held(&self.machine) {
                break;
            }
        }
    }

    /// Makes the wait canonical, see [`Machine::make_canonical`].
    pub fn make_canonical(&mut self, kept: &ReadSet) {
        self.machine.make_canonical(&self.stack, kept);
    }

    /// See [`Machine::identity`].
    pub fn identity(&self, kept: &ReadSet) -> u128 {
        self.machine.identity(kept)
    }

    /// Starts observing the categories that the program reads, see [`Machine::watch`].
    pub fn watch(&mut self, kept: &ReadSet) {
        self.kept = Some(kept.clone());
        self.machine.watch(kept);
    }

    /// Returns the categories observed since the last [`watch`](Self::watch).
    pub fn read_set(&self) -> ReadSet {
        self.machine.read_set()
    }

    /// Returns the value of a symbol in an expression.
    pub fn named(&self, name: &str) -> Option<Named> {
        let symbols = self.symbols.as_ref()?;
        named(symbols, symbols.base(self.psp), name)
    }

    /// Returns the machine, to track other keys.
    pub(super) fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Returns the symbol at a linear address, such as `moves+3`, if the program has symbols.
    pub(super) fn name_at(&self, address: u32) -> Option<String> {
        let symbols = self.symbols.as_ref()?;
        let (symbol, beyond) = symbols.symbol_at(address.checked_sub(symbols.base(self.psp))?)?;
        Some(if beyond == 0 { symbol.name.clone() } else { format!("{}+{beyond}", symbol.name) })
    }

    /// Saves the current state.
    pub fn save(&mut self) -> Saved {
        Saved {
            snapshot: self.machine.snapshot(),
            end: self.end.clone(),
            goes_on: self.goes_on,
            takes_no_key: self.takes_no_key,
        }
    }

    /// Restores a state, which another exploration of the same program may have saved.
    pub fn restore(&mut self, saved: &Saved) {
        self.machine.restore(&saved.snapshot);
        self.end.clone_from(&saved.end);
        self.ending = EndingCall::default();
        (self.goes_on, self.takes_no_key) = (saved.goes_on, saved.takes_no_key);
        self.kept = None;
        self.output.clear();
    }

    /// Runs to the next wait or end.
    fn run(&mut self) {
        let before = self.machine.instructions();
        let last = self.machine.cycle_at_ms(self.machine.nanoseconds() / 1_000_000 + self.time_limit_ms);
        let instructions = before.saturating_add(self.instruction_limit);
        self.machine.set_work_budget(self.instruction_limit);
        let mut recorder =
            self.performance.as_ref().map(|_| Recorder::with(std::mem::take(&mut self.frames)));
        let (began, step_ms) =
            (self.machine.nanoseconds(), recorder.as_ref().map_or(PORT_WAIT_MS, |_| LOOK_MS));
        let mut port_wait = self.cycle_in(PORT_WAIT_MS);
        self.end = loop {
            let cycle = last.min(self.cycle_in(step_ms));
            let stop = self.machine.run(
                &Until { cycle, instructions, polls: Polls::Choices, ..Until::KEY_WAIT },
                &mut self.ending,
            );
            if let Some(recorder) = &mut recorder {
                recorder.look(&mut self.machine);
            }
            if stop != Stop::Cycle || cycle == last {
                break self.end_of(stop);
            }
            if cycle < port_wait {
                continue;
            }
            port_wait = self.cycle_in(PORT_WAIT_MS);
            if self.machine.program_reads_keyboard() || self.machine.program_listens_to_mouse() {
                break None;
            }
        };
        self.goes_on = self.end.is_none() && self.machine.is_at_poll();
        self.takes_no_key = self.end.is_none() && self.machine.waits_for_mouse();
        if let Some(recorder) = recorder {
            let (performance, frames) = self.let_sound_end(recorder, began);
            (self.performance, self.frames) = (Some(performance), frames);
        }
        self.instructions += self.machine.instructions() - before;
        self.output.extend(self.machine.take_printout());
        // Places and registers of a notice depend on the order of the search.
        self.absent.extend(self.machine.take_notices().iter().filter_map(Notice::missing));
        // The sound is not used, and would be part of every saved state.
        self.machine.take_sound();
    }

    /// Returns the performance since an instant, including a sound that continues during the wait.
    fn let_sound_end(&mut self, mut recorder: Recorder, began: u64) -> (Performance, Frames) {
        let ms = (self.machine.nanoseconds() - began) / 1_000_000;
        let mut waited = 0;
        while self.end.is_none() && recorder.sounds() && waited < LAST_SOUND_MS {
            self.pass(LOOK_MS);
            recorder.look(&mut self.machine);
            waited += LOOK_MS;
        }
        recorder.performance(ms)
    }

    /// Advances virtual time, also while the program waits for a key.
    fn pass(&mut self, ms: u64) {
        let until = Until { key_wait: false, ..Until::cycle(self.cycle_in(ms)) };
        self.machine.run(&until, &mut self.ending);
    }

    fn run_for(&mut self, ms: u64) {
        let instructions = self.machine.instructions().saturating_add(self.instruction_limit);
        let until = Until { instructions, ..Until::cycle(self.cycle_in(ms)) };
        self.machine.set_work_budget(self.instruction_limit);
        // The reason for an early end also ends the next run immediately.
        self.machine.run(&until, &mut self.ending);
    }

    fn cycle_in(&self, ms: u64) -> u64 {
        let end = self.machine.nanoseconds().saturating_add(ms.saturating_mul(1_000_000));
        self.machine.cycle_at_nanoseconds(end)
    }
}
