//! The session of a page: picture, sound, and saved states.
//!
//! A saved state contains the keys since power-on. If replaying them gives the state, the whole
//! history is available. Otherwise, for a state of a different version, the history starts at the
//! state.

use oxbox_inspect::{Program, Symbols, Transcript};
use oxbox_machine::dos::PutFileError;
use oxbox_machine::hardware::disk::{FIRST_FIXED, Image, ImageError};
use oxbox_machine::hardware::speaker::Synth;
use oxbox_machine::hardware::vga::Frame;
use oxbox_machine::machine::{
    Action, Config, End, KeyboardMapper, Limits, Machine, ParseScriptError, Polls, SavedState,
    SavedStateError, Script, Session, Settings, StartError, Stop, Timeline, Until,
};
use thiserror::Error;

/// Memory limit for checkpoints in bytes.
const MOST_BYTES: usize = 48 << 20;

/// The most cycles per call of [`Player::fast_forward`]: a halted guest executes no instructions.
const LONGEST_CALL: u64 = 2_000_000_000;

/// The reason why a program does not start.
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

/// The reason why a run cannot resume from a state.
#[derive(Debug, Error)]
pub(super) enum StateError {
    #[error(transparent)]
    Saved(#[from] SavedStateError),
    #[error(transparent)]
    Play(#[from] PlayError),
}

#[derive(Debug, Clone, Default)]
pub(super) struct LoadedProgram {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Further files for drive C:, with their paths.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// COMMAND.COM for drive Z:.
    pub(super) command_com: &'static [u8],
    pub(super) symbols: Symbols,
    pub(super) script: Script,
}

impl LoadedProgram {
    /// Returns a hash that identifies it in saved states.
    pub(super) fn identity(&self) -> u64 {
        SavedState::program(&self.bytes)
    }

    pub(super) fn power_on(&self) -> Result<Machine, PlayError> {
        let mut config = Config::default();
        self.script.settings.apply(&mut config);
        config.dos.command_com = self.command_com;
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

    /// Returns the machine at power-on, before the script.
    fn timeline(&self) -> Result<Timeline, PlayError> {
        let mut timeline = Timeline::new(self.power_on()?, MOST_BYTES);
        timeline.keep_sound();
        Ok(timeline)
    }

    /// Returns the millisecond at which the script ends, if it says so.
    fn end_ms(&self) -> Option<u64> {
        match self.script.steps.last()?.action {
            Action::At(ms) => Some(ms),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Player {
    cartridge: LoadedProgram,
    /// The program with its load address and symbols.
    program: Program,
    session: Session,
    /// A saved state that has been requested but not reached yet.
    state: Option<SavedState>,
    keyboard: KeyboardMapper,
    synth: Synth,
    transcript: Transcript,
    shown: Option<Frame>,
    /// Whether polling for keys found the end of the script, which changes the machine's state.
    found_by_polls: bool,
}

impl Player {
    /// Switches the machine on. `rate` is the sample rate in Hz. Fails if it does not start.
    pub(super) fn new(mut cartridge: LoadedProgram, rate: u32) -> Result<Player, PlayError> {
        // A recording names its clock, so that it replays identically with a different default.
        cartridge.script.settings = cartridge.script.settings.or(Settings::of(&Config::default()));
        let timeline = cartridge.timeline()?;
        let registers = &timeline.machine().cpu().regs;
        Ok(Player {
            program: Program::new(cartridge.symbols.clone(), registers, cartridge.bytes.len()),
            session: Session::new(timeline, cartridge.script.clone(), Limits::NONE, ()),
            cartridge,
            state: None,
            keyboard: KeyboardMapper::default(),
            synth: Synth::new(rate),
            transcript: Transcript::default(),
            shown: None,
            found_by_polls: false,
        })
    }

    /// Resumes from a state by replaying its keys: call [`Player::fast_forward`], then
    /// [`Player::settle`]. Fails if the program does not start.
    pub(super) fn from_state(
        mut cartridge: LoadedProgram,
        state: SavedState,
        rate: u32,
    ) -> Result<Player, PlayError> {
        cartridge.script = state.keys.parse()?;
        cartridge.script.push(Action::At(state.nanoseconds.div_ceil(1_000_000)));
        Ok(Player { state: Some(state), ..Player::new(cartridge, rate)? })
    }

    /// Ends the replay of a state's keys. If it did not give the state, the history starts at the
    /// state. Fails if the state cannot be restored.
    pub(super) fn settle(&mut self) -> Result<(), StateError> {
        let Some(state) = self.state.take() else { return Ok(()) };
        let snapshot = state.snapshot()?;
        let mut machine = self.cartridge.power_on()?;
        machine.restore(&snapshot);
        if machine.state_hash() != self.machine().state_hash() {
            self.timeline().restart_at(&snapshot);
            self.after_seek();
        }
        self.session.release_all();
        Ok(())
    }

    /// Returns the state at the next whole millisecond. `saved_at` is the host's time in seconds
    /// since 1970. Fails if memory is exhausted.
    pub(super) fn save(&mut self, saved_at: u64) -> Result<SavedState, SavedStateError> {
        self.play_as_written();
        self.session.save(self.cartridge.identity(), &self.cartridge.name, saved_at)
    }

    /// Returns whether the keys since power-on give the current state.
    pub(super) fn is_whole(&self) -> bool {
        self.session.timeline.is_whole()
    }

    pub(super) fn cartridge(&self) -> &LoadedProgram {
        &self.cartridge
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    pub(super) fn timeline(&mut self) -> &mut Timeline {
        &mut self.session.timeline
    }

    pub(super) fn machine(&self) -> &Machine {
        self.session.machine()
    }

    /// Replays the script at full speed, silently, for at most `instructions` instructions. Returns
    /// whether it has ended.
    pub(super) fn fast_forward(&mut self, instructions: u64) -> bool {
        if self.cartridge.script.steps.is_empty() {
            return true;
        }
        let goal = self.cartridge.end_ms().map(|ms| self.machine().cycle_at_ms(ms));
        let until = Until {
            cycle: goal.unwrap_or(u64::MAX).min(self.machine().now() + LONGEST_CALL),
            instructions: self.machine().instructions() + instructions,
            key_wait: goal.is_none(),
            polls: Polls::Rests,
        };
        let stop = self.timeline().run(&until, &mut ());
        // The speed may change during replay: the goal is in milliseconds.
        let goal = self.cartridge.end_ms().map(|ms| self.machine().cycle_at_ms(ms));
        let is_over = match stop {
            Stop::Instructions => false,
            Stop::Cycle => goal.is_some_and(|goal| self.machine().now() >= goal),
            _ => true,
        };
        self.found_by_polls = stop == Stop::KeyWait && !self.machine().is_waiting_for_key();
        self.after_seek();
        is_over
    }

    /// Called after a seek: drops the sound in between.
    pub(super) fn after_seek(&mut self) {
        self.session.after_seek();
        self.timeline().take_sound();
        self.synth.continue_at(self.session.machine().timer_ticks());
    }

    /// Advances virtual time by `nanoseconds`, and returns the samples.
    pub(super) fn advance(&mut self, nanoseconds: u64) -> Vec<f32> {
        self.session.advance(nanoseconds, |_| true);
        let segments = self.timeline().take_sound();
        self.synth.render(&segments)
    }

    /// Returns the picture, unless it equals the previous one.
    pub(super) fn picture(&mut self) -> Option<&Frame> {
        let frame = self.session.machine().frame();
        if self.shown.as_ref() == Some(&frame) {
            return None;
        }
        self.shown = Some(frame);
        self.shown.as_ref()
    }

    /// Returns the new lines for screen readers.
    pub(super) fn news(&mut self) -> Vec<String> {
        let machine = self.session.machine();
        let settled = machine.is_waiting_for_key() || self.session.end().is_some();
        self.transcript.look(machine.nanoseconds() / 1_000_000, settled, machine)
    }

    /// Returns how the run ended, if the current position is its end.
    pub(super) fn end(&self) -> Option<String> {
        Some(match self.session.end()? {
            End::Exited(code) => format!("The program has ended with code {code}."),
            End::Crashed(crash) => format!("The program has crashed, {crash}: {}.", crash.hint()),
            end => format!("The machine has stopped: {}.", end.detail()?),
        })
    }

    /// Handles events of the host's keyboard.
    pub(super) fn type_by(&mut self, strokes: impl FnOnce(&mut KeyboardMapper) -> Vec<Action>) {
        strokes(&mut self.keyboard).into_iter().for_each(|action| self.act(action));
    }

    /// Performs and records an action at the next whole millisecond. In the past it branches.
    pub(super) fn act(&mut self, action: Action) {
        if self.session.end().is_none() {
            self.play_as_written();
            self.session.act(action);
        }
    }

    /// Replays the run up to now as its script does: without waiting for the key wait at its end.
    fn play_as_written(&mut self) {
        if !std::mem::take(&mut self.found_by_polls) {
            return;
        }
        let now = self.machine().now();
        if let Ok(mut timeline) = self.cartridge.timeline() {
            timeline.set_script(self.cartridge.script.clone());
            timeline.run(&Until::cycle(now), &mut ());
            *self.timeline() = timeline;
            self.after_seek();
        }
    }

    /// Returns all input from power-on to the current position, rounded up to a millisecond.
    pub(super) fn recording(&mut self) -> Script {
        self.play_as_written();
        let ms = self.session.reach_whole_millisecond();
        let mut script = self.session.script();
        script.push(Action::At(ms));
        script
    }

    /// Seeks to a time in milliseconds.
    pub(super) fn go_to(&mut self, ms: u64) {
        self.session.go_to(ms);
        self.after_seek();
    }

    /// Returns the latest time reached, in milliseconds.
    pub(super) fn end_ms(&self) -> u64 {
        let (end, now) = (self.session.timeline.end().cycle, self.machine().now());
        let ahead = end.saturating_sub(now) / u64::from(self.machine().speed().max(1));
        self.machine().nanoseconds() / 1_000_000 + ahead
    }
}
