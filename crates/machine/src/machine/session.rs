//! A session: a machine with its script, the user's keys, its limits, and its end.
//!
//! User input takes effect at whole milliseconds of virtual time, which a script can express. So
//! the recording of a session plays back the identical run. A session does not use the wall clock:
//! its owner passes the virtual time to run.

mod input;
mod recording;
mod rewind;
mod states;

use super::end::{End, Limit};
use super::pc::Machine;
use super::playback::Played;
use super::record::Position;
use super::script::{Action, Script};
use super::stop::{Stop, Until};
use super::timeline::Timeline;
use crate::hardware::speaker::Segment;
use input::Strokes;
use recording::Recording;
pub use rewind::FRAME_NS;
use rewind::Rewind;

/// Virtual time between two calls of [`SessionHost::drain`] in nanoseconds, if a session keeps pace
/// with a clock.
const SLICE_NS: u64 = 2_000_000;

/// Virtual time of a slice that does not keep pace with a clock, in nanoseconds.
const FAST_SLICE_NS: u64 = 1_000_000_000;

/// The owner of a session: it observes the run and takes the machine's output.
pub trait SessionHost {
    /// Runs the machine with an observer, and takes the pictures and texts of the script.
    fn run(&mut self, timeline: &mut Timeline, until: &Until) -> Played;

    /// Takes sound and printed text since the last call.
    ///
    /// # Errors
    /// The output that could not be written, and the reason: the session ends.
    fn drain(&mut self, machine: &mut Machine) -> Result<(), String> {
        let _ = machine;
        Ok(())
    }

    /// Called after a jump in time: from a time in nanoseconds to the machine's current time.
    fn jumped(&mut self, from: u64, machine: &Machine) {
        let _ = (from, machine);
    }

    /// The sound of the period that is rewound next.
    fn recall(&mut self, sound: &[Segment]) {
        let _ = sound;
    }

    /// Called after this many nanoseconds of it have been rewound, `pace` times as fast as they
    /// ran.
    fn rewound(&mut self, nanoseconds: u64, pace: u64) {
        let _ = (nanoseconds, pace);
    }
}

/// No observer, and no pictures and texts: a step of the script that needs one ends the script.
impl SessionHost for () {
    fn run(&mut self, timeline: &mut Timeline, until: &Until) -> Played {
        Played::Stopped(timeline.run(until, &mut ()))
    }
}

/// The end of a run, in cycles and instructions since power-on.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The last cycle.
    pub cycle: u64,
    /// The last instruction.
    pub instructions: u64,
    /// Cycles that may follow the last step of the script.
    pub after_script: u64,
}

impl Limits {
    /// No limit.
    pub const NONE: Limits = Limits { cycle: u64::MAX, instructions: u64::MAX, after_script: u64::MAX };
}

/// A machine in play.
///
/// ```
/// use oxbox_machine::machine::{Config, End, Limits, Machine, Script, Session, Timeline};
///
/// // mov ah, 0; int 16h; mov ah, 4Ch; int 21h
/// let program = b"\xB4\x00\xCD\x16\xB4\x4C\xCD\x21";
/// let machine = Machine::start(&Config::default(), program, "KEY.COM", "")?;
/// let mut session = Session::new(Timeline::latest(machine), Script::default(), Limits::NONE, ());
/// session.advance(100_000_000, |_| true);
/// session.type_key("A".parse()?);
/// session.advance(100_000_000, |_| true);
/// assert_eq!(session.end(), Some(&End::Exited(b'A')));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Session<H = ()> {
    /// The session's owner.
    pub host: H,
    /// The machine and its past. Call [`Session::after_seek`] after a jump in time.
    pub timeline: Timeline,
    end: Option<End>,
    limits: Limits,
    recording: Recording,
    strokes: Strokes,
    rewind: Rewind,
    /// Virtual time up to which the machine may run, in nanoseconds.
    due_ns: u64,
    /// The time at which the script ended, in nanoseconds; before that the current time.
    script_end_ns: u64,
}

impl<H: SessionHost> Session<H> {
    /// Instructions before the end of a run that [`Timeline::show_last`] can show without a long
    /// second run.
    pub const LAST_INSTRUCTIONS: u64 = 0x1_0000;

    /// Returns a session of a machine with its program loaded, and a script to play.
    pub fn new(mut timeline: Timeline, script: Script, limits: Limits, host: H) -> Session<H> {
        let machine = timeline.machine_mut();
        machine.set_work_budget(limits.instructions.min(limits.cycle));
        let due_ns = machine.nanoseconds();
        let recording = Recording::new(&script, machine.speed());
        if !script.steps.is_empty() {
            timeline.set_script(script);
        }
        Session {
            host,
            timeline,
            end: None,
            limits,
            recording,
            strokes: Strokes::default(),
            rewind: Rewind::default(),
            due_ns,
            script_end_ns: 0,
        }
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        self.timeline.machine()
    }

    /// Returns the machine, for calls that need `&mut`; see [`Timeline::machine_mut`].
    pub fn machine_mut(&mut self) -> &mut Machine {
        self.timeline.machine_mut()
    }

    /// Returns how the session ended, once it has.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Ends the session, unless it has ended.
    pub fn finish(&mut self, end: End) {
        self.end.get_or_insert(end);
    }

    /// Lets virtual time pass, in nanoseconds. Calls `goes_on` after each slice; if it returns
    /// false, the rest of the time is dropped.
    pub fn advance(&mut self, nanoseconds: u64, mut goes_on: impl FnMut(&mut Self) -> bool) {
        if self.end.is_some() || self.is_rewinding() {
            return;
        }
        self.due_ns += nanoseconds;
        while self.end.is_none() && self.machine().nanoseconds() < self.due_ns {
            self.pump_keystrokes();
            let slice = (self.machine().nanoseconds() + SLICE_NS).min(self.due_ns);
            self.step(&self.until(slice));
            self.drain();
            if !goes_on(self) {
                self.drop_lag();
            }
        }
    }

    /// Counts the time that may pass from the machine's current time.
    pub fn drop_lag(&mut self) {
        self.due_ns = self.machine().nanoseconds();
    }

    /// Runs as fast as the host can, for a second of virtual time and `cycles` at most. Returns a
    /// wait that only the host can end.
    pub fn run_slice(&mut self, cycles: u64) -> Option<Stop> {
        if self.end.is_some() {
            return None;
        }
        self.pump_keystrokes();
        self.due_ns = self.machine().nanoseconds() + FAST_SLICE_NS;
        let until = self.until(self.due_ns);
        let cycle = until.cycle.min(self.machine().now() + cycles);
        let wait = self.step(&Until { cycle, key_wait: true, ..until });
        self.drain();
        wait
    }

    /// Lets the host take the machine's output.
    pub fn drain(&mut self) {
        if let Err(why) = self.host.drain(self.timeline.machine_mut()) {
            self.finish(End::Unwritten(why));
        }
    }

    fn until(&self, nanoseconds: u64) -> Until {
        let cycle = self.machine().cycle_at_nanoseconds(nanoseconds);
        let cycle = cycle.min(self.limits.cycle).min(self.last_after_script());
        Until { instructions: self.limits.instructions, ..Until::cycle(cycle) }
    }

    /// Returns the last cycle that may follow the script.
    fn last_after_script(&self) -> u64 {
        self.timeline.script_end().map_or(u64::MAX, |end| end.saturating_add(self.limits.after_script))
    }

    /// Runs and plays the script. Returns a wait for a key or for input.
    fn step(&mut self, until: &Until) -> Option<Stop> {
        // A checkpoint near the limit allows showing the last instructions without running
        // everything again.
        let near = self.limits.instructions.saturating_sub(Self::LAST_INSTRUCTIONS);
        if self.machine().instructions() < near && near < until.instructions {
            let played = self.play(&Until { instructions: near, ..*until });
            if played != Played::Stopped(Stop::Instructions) {
                return self.conclude(played);
            }
            self.timeline.mark();
        }
        let played = self.play(until);
        self.conclude(played)
    }

    fn play(&mut self, until: &Until) -> Played {
        let was_over = self.timeline.is_script_over();
        let played = self.host.run(&mut self.timeline, until);
        if !was_over {
            self.script_end_ns = self.machine().nanoseconds();
        }
        played
    }

    /// Ends the session if a run has ended it. Returns a wait.
    fn conclude(&mut self, played: Played) -> Option<Stop> {
        let machine = self.timeline.machine();
        self.end = match played {
            Played::Failed(failure) => Some(End::Script(failure)),
            Played::Unwritten(line, why) => Some(End::Unwritten(format!("script line {line}: {why}"))),
            Played::Stopped(stop @ (Stop::KeyWait | Stop::InputWait)) => return Some(stop),
            Played::Stopped(Stop::Cycle) if machine.now() >= self.limits.cycle => {
                Some(End::Limit(Limit::Time))
            }
            Played::Stopped(Stop::Cycle) if machine.now() >= self.last_after_script() => {
                Some(End::Limit(Limit::AfterScript))
            }
            Played::Stopped(Stop::Instructions) if machine.instructions() < self.limits.instructions => {
                Some(End::Limit(Limit::Work))
            }
            Played::Stopped(Stop::Instructions) => Some(End::Limit(Limit::Instructions)),
            Played::Stopped(stop) => End::of(&stop),
        };
        None
    }

    /// Runs to the next whole millisecond, which a script can express, and returns it.
    pub fn reach_whole_millisecond(&mut self) -> u64 {
        let ms = self.machine().nanoseconds().div_ceil(1_000_000);
        let until = self.until(ms * 1_000_000);
        if self.machine().now() < until.cycle {
            self.step(&until);
        }
        ms
    }

    /// Ends the session at a whole millisecond, unless it has ended.
    pub fn leave(&mut self, end: End) {
        if self.end.is_none() {
            self.reach_whole_millisecond();
        }
        self.finish(end);
    }

    /// Moves to a recorded time in milliseconds, or to the nearest one.
    pub fn go_to(&mut self, ms: u64) {
        let cycle = self.machine().cycle_at_ms(ms);
        self.timeline.go_to(Position { cycle, interrupted: false });
        self.after_seek();
    }

    /// Continues from the machine's current time: call this after a jump in time.
    pub fn after_seek(&mut self) {
        self.drop_lag();
        self.end = self.timeline.finale().and_then(End::of);
    }

    /// Performs an action at the next whole millisecond, and records it. In the past this begins a
    /// new branch.
    pub fn act(&mut self, action: Action) {
        if self.end.is_some() || self.is_rewinding() {
            return;
        }
        let ms = self.reach_whole_millisecond();
        if self.end.is_some() {
            return;
        }
        if self.timeline.is_past() {
            self.forget_future();
        }
        if let Some(input) = action.as_input() {
            self.timeline.give(&input);
            self.recording.push(ms, action, &self.timeline);
        }
    }

    /// Discards everything after the current time, and releases keys that are held there.
    fn forget_future(&mut self) {
        self.recording.forget_future(&self.timeline);
        self.strokes.pointer = None;
        self.timeline.forget_future();
        self.release_all();
    }

    /// Releases the keys and buttons that are pressed for the program.
    pub fn release_all(&mut self) {
        for action in self.script().still_down() {
            self.act(action);
        }
    }

    /// Returns the actions from power-on to the current time as a script.
    pub fn script(&self) -> Script {
        self.recording.script(&self.timeline)
    }
}
