//! A session behind a page: its picture, its sound, and its states.
//!
//! A saved state has the keys since power-on. Where they lead to it once more, the whole past comes back with it; where they do not, since
//! it was saved in a machine of another make, the run begins there.

use oxbox_inspect::{Program, Symbols, Transcript};
use oxbox_machine::dos::PutFileError;
use oxbox_machine::hardware::disk::{FIRST_FIXED, Image, ImageError};
use oxbox_machine::hardware::speaker::Synth;
use oxbox_machine::hardware::vga::Frame;
use oxbox_machine::machine::{
    Action, Config, End, Limits, Machine, ParseScriptError, Polls, SavedState, SavedStateError, Script,
    Session, Settings, StartError, Stop, Timeline, Typist, Until,
};
use thiserror::Error;

/// Bytes that checkpoints may hold.
const MOST_BYTES: usize = 48 << 20;

/// The most cycles of a call of [`Player::arrive`]: a guest that sleeps takes no instructions.
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

/// Why a run cannot go on from a state.
#[derive(Debug, Error)]
pub(super) enum StateError {
    #[error(transparent)]
    Saved(#[from] SavedStateError),
    #[error(transparent)]
    Play(#[from] PlayError),
}

/// What is played: a program, or a disk.
#[derive(Debug, Clone, Default)]
pub(super) struct Cartridge {
    /// Its name, `GAME.EXE`.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// More files for drive C:, with their paths.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// COMMAND.COM, for drive Z:.
    pub(super) command_com: &'static [u8],
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

    /// The machine at power-on, before the script.
    fn timeline(&self) -> Result<Timeline, PlayError> {
        let mut timeline = Timeline::new(self.power_on()?, MOST_BYTES);
        timeline.keep_sound();
        Ok(timeline)
    }

    /// The millisecond at which the script ends, where it says so.
    fn end_ms(&self) -> Option<u64> {
        match self.script.steps.last()?.action {
            Action::At(ms) => Some(ms),
            _ => None,
        }
    }
}

/// A machine in play.
#[derive(Debug)]
pub(super) struct Player {
    cartridge: Cartridge,
    /// Where it was loaded, and what is known of its source.
    program: Program,
    session: Session,
    /// A saved state that has been requested but not reached yet.
    state: Option<SavedState>,
    typist: Typist,
    synth: Synth,
    transcript: Transcript,
    shown: Option<Frame>,
    /// The script's end was found by the program's asking for keys in vain, which leaves a trace in the machine's state.
    found_by_polls: bool,
}

impl Player {
    /// Switches the machine on; samples are made at a rate in Hz.
    ///
    /// # Errors
    /// Why the program does not start.
    pub(super) fn new(mut cartridge: Cartridge, rate: u32) -> Result<Player, PlayError> {
        // A recording names its clock, so that it plays the same where another is the usual one.
        cartridge.script.settings = cartridge.script.settings.or(Settings::of(&Config::default()));
        let timeline = cartridge.timeline()?;
        let registers = &timeline.machine().cpu().regs;
        Ok(Player {
            program: Program::new(cartridge.symbols.clone(), registers, cartridge.bytes.len()),
            session: Session::new(timeline, cartridge.script.clone(), Limits::NONE, ()),
            cartridge,
            state: None,
            typist: Typist::default(),
            synth: Synth::new(rate),
            transcript: Transcript::default(),
            shown: None,
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

    /// The keys of a state have been played, as far as anybody wanted to wait: if that is not the state, the run begins there.
    ///
    /// # Errors
    /// When the state cannot be restored.
    pub(super) fn settle(&mut self) -> Result<(), StateError> {
        let Some(state) = self.state.take() else { return Ok(()) };
        let snapshot = state.snapshot()?;
        let mut machine = self.cartridge.power_on()?;
        machine.restore(&snapshot);
        if machine.state_hash() != self.machine().state_hash() {
            self.timeline().restart_at(&snapshot);
            self.land();
        }
        self.session.release_all();
        Ok(())
    }

    /// The state at the next whole millisecond; `saved_at` is the host's hour, in seconds since 1970.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn save(&mut self, saved_at: u64) -> Result<SavedState, SavedStateError> {
        self.play_as_written();
        self.session.save(self.cartridge.identity(), &self.cartridge.name, saved_at)
    }

    /// Whether the keys since power-on lead to the present.
    pub(super) fn is_whole(&self) -> bool {
        self.session.timeline.is_whole()
    }

    pub(super) fn cartridge(&self) -> &Cartridge {
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
            polls: Polls::Rests,
        };
        let stop = self.timeline().run(&until, &mut ());
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
        self.session.land();
        self.timeline().take_sound();
        self.synth.continue_at(self.session.machine().timer_ticks());
    }

    /// Lets virtual time pass, in nanoseconds, and gives the samples that it makes.
    pub(super) fn advance(&mut self, nanoseconds: u64) -> Vec<f32> {
        self.session.advance(nanoseconds, |_| true);
        let segments = self.timeline().take_sound();
        self.synth.render(&segments)
    }

    /// The picture, unless it is the one that was given last.
    pub(super) fn picture(&mut self) -> Option<&Frame> {
        let frame = self.session.machine().frame();
        if self.shown.as_ref() == Some(&frame) {
            return None;
        }
        self.shown = Some(frame);
        self.shown.as_ref()
    }

    /// What somebody who listens is to be told now.
    pub(super) fn news(&mut self) -> Vec<String> {
        let machine = self.session.machine();
        let settled = machine.is_waiting_for_key() || self.session.end().is_some();
        self.transcript.look(machine.nanoseconds() / 1_000_000, settled, machine)
    }

    /// How it ended, if the present is its end.
    pub(super) fn end(&self) -> Option<String> {
        Some(match self.session.end()? {
            End::Exited(code) => format!("The program has ended with code {code}."),
            End::Crashed(crash) => format!("The program has crashed, {crash}: {}.", crash.hint()),
            end => format!("The machine has stopped: {}.", end.detail()?),
        })
    }

    /// What the host's keyboard does.
    pub(super) fn type_by(&mut self, strokes: impl FnOnce(&mut Typist) -> Vec<Action>) {
        strokes(&mut self.typist).into_iter().for_each(|action| self.act(action));
    }

    /// Does something at the next whole millisecond, and keeps it. In the past it begins a new branch.
    pub(super) fn act(&mut self, action: Action) {
        if self.session.end().is_none() {
            self.play_as_written();
            self.session.act(action);
        }
    }

    /// Plays the run so far once more, as a script has it whose next step is at an instant: without looking for the wait at its end.
    fn play_as_written(&mut self) {
        if !std::mem::take(&mut self.found_by_polls) {
            return;
        }
        let now = self.machine().now();
        if let Ok(mut timeline) = self.cartridge.timeline() {
            timeline.set_script(self.cartridge.script.clone());
            timeline.run(&Until::cycle(now), &mut ());
            *self.timeline() = timeline;
            self.land();
        }
    }

    /// All that was done to the machine since power-on, up to the present, which is brought to a whole millisecond.
    pub(super) fn recording(&mut self) -> Script {
        self.play_as_written();
        let ms = self.session.reach_whole_millisecond();
        let mut script = self.session.script();
        script.push(Action::At(ms));
        script
    }

    /// Goes to a moment of the past, or back, in milliseconds.
    pub(super) fn go_to(&mut self, ms: u64) {
        self.session.go_to(ms);
        self.land();
    }

    /// The furthest moment that was reached, in milliseconds.
    pub(super) fn end_ms(&self) -> u64 {
        let (end, now) = (self.session.timeline.end().cycle, self.machine().now());
        let ahead = end.saturating_sub(now) / u64::from(self.machine().speed().max(1));
        self.machine().nanoseconds() / 1_000_000 + ahead
    }
}
