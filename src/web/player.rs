//! A machine in play: the script it began with, what the user has done since, its picture and its sound.
//!
//! The machine is a [`History`], so that every moment of it can be gone back to. What the user does takes effect at whole
//! milliseconds of virtual time, which a script can name: so the recording of a session is the session, to the bit.

use crate::dos::PutFileError;
use crate::hardware::disk::{FIRST_FIXED, Image, ImageError};
use crate::hardware::speaker::Synth;
use crate::hardware::vga::Frame;
use crate::inspect::{Program, Symbols, Transcript};
use crate::machine::{
    Action, Config, History, Input, Machine, ParseScriptError, Position, SavedState, Script, StartError,
    Step, Stop, Typist, Until,
};
use thiserror::Error;

/// Bytes that checkpoints may hold.
const MOST_BYTES: usize = 48 << 20;

/// Cycles of a call of [`Player::arrive`] at most: a guest that sleeps takes no instructions.
const LONGEST_CALL: u64 = 2_000_000_000;

/// Why a program does not start.
#[derive(Debug, Error)]
pub(super) enum PlayError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Disk(#[from] ImageError),
    #[error(transparent)]
    File(#[from] PutFileError),
    #[error("the keys of the state: {0}")]
    Keys(#[from] ParseScriptError),
}

/// What is played: a program, or a disk.
#[derive(Debug, Clone, Default)]
pub(super) struct Cartridge {
    /// Its name, `GAME.EXE`.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// More files for drive C:, with their paths.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// Its names and lines.
    pub(super) symbols: Symbols,
    /// What is typed first.
    pub(super) script: Script,
}

impl Cartridge {
    /// What tells it from others in saved states.
    pub(super) fn identity(&self) -> u64 {
        SavedState::program(&self.bytes)
    }

    pub(super) fn power_on(&self) -> Result<Machine, PlayError> {
        let mut config = Config::default();
        if Image::is_disk(&self.name, self.bytes.len() as u64, &self.bytes) {
            let image = Image::in_memory(&self.name, self.bytes.clone())?;
            config.boot = Some(if image.is_floppy() { 0 } else { FIRST_FIXED });
            if image.is_floppy() { &mut config.floppies } else { &mut config.disks }.push(image);
            return Ok(Machine::start(&config, &[], &self.name, "")?);
        }
        let mut machine = Machine::new(&config).map_err(StartError::from)?;
        for (path, bytes) in &self.files {
            machine.put_file(path, bytes)?;
        }
        machine.load(&self.bytes, &self.name, "").map_err(StartError::from)?;
        Ok(machine)
    }

    fn history(&self) -> Result<History, PlayError> {
        let mut history = history_of(self.power_on()?);
        if !self.script.steps.is_empty() {
            history.set_script(self.script.clone());
        }
        Ok(history)
    }

    /// The millisecond at which the script ends, where it says so.
    fn end_ms(&self) -> Option<u64> {
        match self.script.steps.last()?.action {
            Action::At(ms) => Some(ms),
            _ => None,
        }
    }
}

/// A past that begins with a machine's present.
pub(super) fn history_of(machine: Machine) -> History {
    let mut history = History::new(machine, MOST_BYTES);
    history.keep_sound();
    history
}

/// A machine in play.
#[derive(Debug)]
pub(super) struct Player {
    cartridge: Cartridge,
    /// Where it was loaded, and what is known of its source.
    program: Program,
    history: History,
    /// The state that is to be gone on from, until that is done.
    state: Option<SavedState>,
    /// Whether the past begins at power-on: so the keys lead here.
    is_whole: bool,
    /// What the user has done, and at which millisecond.
    done: Vec<(u64, Action)>,
    typist: Typist,
    synth: Synth,
    transcript: Transcript,
    shown: Option<Frame>,
    /// Virtual time that the page allows, in nanoseconds.
    due_ns: u64,
    /// The script's end was found by the program's asking for keys in vain, which leaves a trace in the machine's state.
    found_by_polls: bool,
}

impl Player {
    /// Switches the machine on; samples are made at a rate in Hz.
    ///
    /// # Errors
    /// Why the program does not start.
    pub(super) fn new(cartridge: Cartridge, rate: u32) -> Result<Player, PlayError> {
        let history = cartridge.history()?;
        let registers = &history.machine().cpu().regs;
        Ok(Player {
            program: Program::new(cartridge.symbols.clone(), registers, cartridge.bytes.len()),
            history,
            cartridge,
            state: None,
            is_whole: true,
            done: Vec::new(),
            typist: Typist::default(),
            synth: Synth::new(rate),
            transcript: Transcript::default(),
            shown: None,
            due_ns: 0,
            found_by_polls: false,
        })
    }

    /// Goes on from a state, whose keys are played now: [`Player::arrive`], then [`Player::settle`].
    ///
    /// # Errors
    /// Why the program does not start.
    pub(super) fn from_state(
        mut cartridge: Cartridge,
        state: SavedState,
        rate: u32,
    ) -> Result<Player, PlayError> {
        cartridge.script = state.keys.parse()?;
        cartridge.script.push(Action::At(state.nanoseconds.div_ceil(1_000_000)));
        Ok(Player { state: Some(state), ..Player::new(cartridge, rate)? })
    }

    pub(super) fn take_state(&mut self) -> Option<SavedState> {
        self.state.take()
    }

    /// The run begins elsewhere than with the keys.
    pub(super) fn begin_at(&mut self, history: History) {
        self.history = history;
        self.is_whole = false;
        self.land();
    }

    /// Whether the keys since power-on lead to the present.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(super) fn cartridge(&self) -> &Cartridge {
        &self.cartridge
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    pub(super) fn history(&mut self) -> &mut History {
        &mut self.history
    }

    pub(super) fn machine(&self) -> &Machine {
        self.history.machine()
    }

    /// Plays the script as fast as it goes, for so many instructions at most: true when it is over. Nothing of it is heard.
    pub(super) fn arrive(&mut self, instructions: u64) -> bool {
        if self.cartridge.script.steps.is_empty() {
            return true;
        }
        let goal = self.cartridge.end_ms().map(|ms| self.machine().cycle_at_ms(ms));
        let until = Until {
            cycle: goal.unwrap_or(u64::MAX).min(self.machine().now() + LONGEST_CALL),
            instructions: self.machine().instructions() + instructions,
            key_wait: goal.is_none(),
        };
        let stop = self.history.run(&until, &mut ());
        // The speed may have changed on the way: the goal is in milliseconds.
        let goal = self.cartridge.end_ms().map(|ms| self.machine().cycle_at_ms(ms));
        let is_over = match stop {
            Stop::Instructions => false,
            Stop::Cycle => goal.is_some_and(|goal| self.machine().now() >= goal),
            _ => true,
        };
        self.found_by_polls = stop == Stop::KeyWait && !self.machine().is_waiting_for_key();
        self.land();
        is_over
    }

    /// After a jump in time: what lies between is not heard.
    pub(super) fn land(&mut self) {
        self.history.take_sound();
        self.synth.continue_at(self.history.machine().timer_ticks());
        self.due_ns = self.machine().nanoseconds();
    }

    /// Lets virtual time pass, in nanoseconds, and gives the samples that it makes.
    pub(super) fn advance(&mut self, nanoseconds: u64) -> Vec<f32> {
        self.due_ns += nanoseconds;
        if self.machine().nanoseconds() < self.due_ns {
            let cycle = self.machine().cycle_at_nanoseconds(self.due_ns);
            self.history.run(&Until::cycle(cycle), &mut ());
        }
        let segments = self.history.take_sound();
        self.synth.render(&segments)
    }

    /// The picture, unless it is the one that was given last.
    pub(super) fn picture(&mut self) -> Option<&Frame> {
        let frame = self.history.machine().frame();
        if self.shown.as_ref() == Some(&frame) {
            return None;
        }
        self.shown = Some(frame);
        self.shown.as_ref()
    }

    /// What somebody who listens is to be told now.
    pub(super) fn news(&mut self) -> Vec<String> {
        let machine = self.history.machine();
        let settled = machine.is_waiting_for_key() || self.history.finale().is_some();
        self.transcript.look(machine.nanoseconds() / 1_000_000, settled, machine)
    }

    /// How it ended, if the present is its end.
    pub(super) fn end(&self) -> Option<String> {
        Some(match self.history.finale()? {
            Stop::Exited(code) => format!("The program has ended with code {code}."),
            Stop::Crashed(crash) => format!("The program has crashed, {crash}: {}.", crash.hint()),
            Stop::Dead(why) => format!("The machine has stopped: {why}."),
            _ => return None,
        })
    }

    /// What the host's keyboard does.
    pub(super) fn type_by(&mut self, strokes: impl FnOnce(&mut Typist) -> Vec<Action>) {
        strokes(&mut self.typist).into_iter().for_each(|action| self.act(action));
    }

    /// Does something at the next whole millisecond, and keeps it. In the past it begins a new branch.
    pub(super) fn act(&mut self, action: Action) {
        if self.history.finale().is_some() {
            return;
        }
        if self.found_by_polls {
            self.play_as_written();
        }
        let ms = self.reach_whole_millisecond();
        if self.history.finale().is_some() {
            return;
        }
        if self.history.is_past() {
            self.forget_future();
            self.let_go();
        }
        self.apply(ms, action);
    }

    /// What the program takes to be held goes up: nobody holds it now.
    pub(super) fn let_go(&mut self) {
        for action in self.script_so_far().still_down() {
            let ms = self.reach_whole_millisecond();
            self.apply(ms, action);
        }
    }

    fn apply(&mut self, ms: u64, action: Action) {
        let history = &mut self.history;
        match action {
            Action::Press(key) => history.key_down(key),
            Action::Release(key) => history.key_up(key),
            Action::Mouse(x, y) => history.move_mouse(x, y),
            Action::Button(button, down) => history.set_mouse_button(button, down),
            Action::Speed(speed) => history.set_speed(speed),
            _ => return,
        }
        self.done.push((ms, action));
    }

    /// Goes on to the next whole millisecond, which a script can name, and says which that is.
    fn reach_whole_millisecond(&mut self) -> u64 {
        let ms = self.machine().nanoseconds().div_ceil(1_000_000);
        let cycle = self.machine().cycle_at_ms(ms);
        if self.machine().now() < cycle {
            self.history.run(&Until::cycle(cycle), &mut ());
        }
        ms
    }

    /// The run so far once more, as a script has it whose next step is at an instant: without looking for the wait at its end.
    fn play_as_written(&mut self) {
        self.found_by_polls = false;
        let now = self.machine().now();
        if let Ok(mut history) = self.cartridge.history() {
            history.run(&Until::cycle(now), &mut ());
            self.history = history;
            self.land();
        }
    }

    /// What was done after the present is forgotten: something else is done now.
    fn forget_future(&mut self) {
        let machine = self.history.machine();
        self.done.retain(|(ms, _)| machine.cycle_at_ms(*ms) <= machine.now());
        if self.done.is_empty() && self.is_whole {
            let given = self.history.inputs().filter(|input| !matches!(input, Input::ForgetPolls)).count();
            keep_given(&mut self.cartridge.script, given);
        }
    }

    /// All that was done to the machine since power-on, up to the present, which is brought to a whole millisecond.
    pub(super) fn recording(&mut self) -> Script {
        if self.found_by_polls {
            self.play_as_written();
        }
        let ms = self.reach_whole_millisecond();
        let mut script = self.script_so_far();
        script.push(Action::At(ms));
        script
    }

    /// All that was done before the present.
    fn script_so_far(&self) -> Script {
        let machine = self.history.machine();
        let mut script = self.cartridge.script.clone();
        if self.done.is_empty() && self.is_whole && self.history.is_past() {
            let given = self.history.inputs().filter(|input| !matches!(input, Input::ForgetPolls)).count();
            keep_given(&mut script, given);
        }
        let before = self.done.iter().filter(|(ms, _)| machine.cycle_at_ms(*ms) <= machine.now());
        let mut last = None;
        for (at, action) in before {
            if last.replace(*at) != Some(*at) {
                script.push(Action::At(*at));
            }
            script.push(action.clone());
        }
        script
    }

    /// Goes to a moment of the past, or back, in milliseconds.
    pub(super) fn go_to(&mut self, ms: u64) {
        let cycle = self.machine().cycle_at_ms(ms);
        self.history.go_to(Position { cycle, interrupted: false });
        self.land();
    }

    /// The furthest moment that was reached, in milliseconds.
    pub(super) fn end_ms(&self) -> u64 {
        let (end, now) = (self.history.end().cycle, self.machine().now());
        let ahead = end.saturating_sub(now) / u64::from(self.machine().speed().max(1));
        self.machine().nanoseconds() / 1_000_000 + ahead
    }
}

/// Cuts a script behind the steps that have done so many things to the machine.
fn keep_given(script: &mut Script, given: usize) {
    let does = |step: &Step| match step.action {
        Action::Key(_) | Action::Click(_) => 2,
        Action::Press(_) | Action::Release(_) | Action::Mouse(..) | Action::Button(..) | Action::Speed(_) => {
            1
        }
        _ => 0,
    };
    let mut left = given;
    let mut kept = 0;
    for (index, step) in script.steps.iter().enumerate() {
        match does(step) {
            0 => continue,
            count if count <= left => left -= count,
            _ => break,
        }
        kept = index + 1;
    }
    script.steps.truncate(kept);
}
