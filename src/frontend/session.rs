//! A machine being played: its pace and its end. Its parts: the user's hands, what comes out of it, and what the user wishes.
//!
//! Shared by the window and the terminal. Here alone the wall clock meets virtual time: [`Session::advance`] lets the machine run
//! for as long as has passed outside. Keys take effect at whole milliseconds of virtual time, so that the recording of a session
//! gives the same run to the bit.

mod hands;
mod outputs;
mod past;
mod results;
pub(crate) mod slots;
mod typing;
pub(crate) mod wishes;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::calls::CallLog;
use super::files::Files;
use super::film::Film;
use super::signals::{self, Signal};
use super::watch::{Instructions, Services, Trouble, Watch};

use hands::Hands;
use outputs::Outputs;
use oxbox::hardware::speaker::Speaker;
use oxbox::hardware::vga::Frame;
use oxbox::inspect::{Ending, Explanation, LastInstructions, Lookup, Process, Program, SourcePlace};
use oxbox::machine::{Crash, Machine, Moment, Playback, Played, Rerun, Script, ScriptHost, Stop, Until};

/// Time that is made up for after a late frame; what is beyond it is lost, and the guest just runs on later.
const LONGEST_STEP: Duration = Duration::from_millis(100);

/// Wall time that a step may cost before it is cut short, so that keys are still seen when the guest is set faster than the
/// host can run it.
const PATIENCE: Duration = Duration::from_millis(25);

/// Virtual time between two looks at the wall clock, in nanoseconds.
const SLICE_NS: u64 = 2_000_000;

/// The longest slice of a run that does not wait for the wall clock: a second of virtual time, or so many instructions of it where
/// the guest is set very fast. Where somebody wants the speaker's sound a slice is as long as none is lost.
const SLICE: (u64, u64) = (1_000_000_000, 20_000_000);

/// A program that leaves keys in the buffer for so long may have hung, in nanoseconds.
const DEAF_NS: u64 = 4_000_000_000;

/// Why a session is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// The program has ended with this return code.
    Exited(u8),
    /// No key is left and the program waits for one.
    KeysRanOut,
    /// A limit was reached; which one.
    Limit(&'static str),
    /// The processor has stopped the program.
    Crashed(Box<Crash>),
    /// The machine cannot go on; why.
    Dead(String),
    /// A step of the script failed: its line and what happened.
    ScriptFailed(usize, String),
    /// A file could not be written; which, and why.
    Unwritten(String),
    /// The user left.
    Left,
    /// A signal, or the Ctrl-C that stands for one, broke the run off.
    Signal(Signal),
}

/// How far a run may go, in cycles and instructions since power-on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Last cycle.
    pub(crate) cycle: u64,
    /// Last instruction.
    pub(crate) instructions: u64,
}

/// What a script asks of its host, and the film that is made of it.
struct Host<'a> {
    files: &'a mut Files,
    film: &'a mut Option<Film>,
}

impl ScriptHost for Host<'_> {
    fn shot(&mut self, file: &str, frame: &Frame) -> Result<(), String> {
        self.files.shot(file, frame)
    }

    fn text(&mut self, file: &str, text: &str) -> Result<(), String> {
        self.files.text(file, text)
    }

    fn typing(&mut self, machine: &Machine) {
        if let Some(film) = self.film {
            film.hold(machine);
        }
    }
}

/// A machine in play.
pub(crate) struct Session {
    /// What it plays, for titles and file names.
    pub(crate) name: String,
    /// The machine.
    pub(crate) machine: Machine,
    /// Why it is over, once it is.
    pub(crate) end: Option<End>,
    playback: Playback,
    /// To look at the end of the run once more.
    rerun: Rerun,
    /// What the user wants to be told of the run.
    watch: Option<Watch>,
    /// Tells what the program calls.
    calls: Option<CallLog>,
    limits: Limits,
    hands: Hands,
    outputs: Outputs,
    past: Past,
    /// When the script was over, in nanoseconds, or the present before that.
    script_end_ns: u64,
    /// The program file, as [`SavedState::program`] tells it.
    ///
    /// [`SavedState::program`]: oxbox::machine::SavedState::program
    identity: u64,
    paused: bool,
    /// Since when keys wait that the program does not take, in nanoseconds.
    deaf_since: Option<u64>,
    /// Light on black, whatever colours the program has chosen.
    pub(crate) high_contrast: bool,
    /// Virtual time that the wall clock allows, in nanoseconds.
    due_ns: u64,
    files: Files,
    program: Option<Program>,
    /// Finds those that it executes.
    lookup: Option<Lookup>,
}

/// The way back, while it is gone.
#[derive(Default)]
struct Past {
    /// What lies before the present and has not been shown, the earliest first.
    moments: Vec<Moment>,
    /// For how long the key has been held.
    held: Duration,
    /// What is left of a frame's time, in nanoseconds.
    rest: u64,
    going: bool,
    at_the_beginning: bool,
}

impl Session {
    /// A machine with its program loaded, and a script to play on it.
    pub(crate) fn new(name: &str, mut machine: Machine, script: Script, limits: Limits) -> Session {
        machine.allow_work_of(limits.instructions.min(limits.cycle));
        Session {
            name: name.to_owned(),
            due_ns: machine.nanoseconds(),
            end: None,
            limits,
            hands: Hands::new(&script, machine.speed()),
            outputs: Outputs::default(),
            machine,
            playback: Playback::new(script),
            rerun: Rerun::new(),
            watch: None,
            calls: CallLog::wanted(),
            past: Past::default(),
            script_end_ns: 0,
            identity: 0,
            paused: false,
            deaf_since: None,
            high_contrast: false,
            files: Files::new(PathBuf::new(), Vec::new()),
            program: None,
            lookup: None,
        }
    }

    /// Where its script may write.
    pub(crate) fn set_files(&mut self, files: Files) {
        self.files = files;
    }

    /// The program that it runs, and what is known of its source.
    pub(crate) fn set_program(&mut self, program: Program, lookup: Lookup) {
        self.program = Some(program);
        self.lookup = Some(lookup);
    }

    /// The program that runs: the one that was started, or one that it has executed.
    pub(crate) fn running(&self) -> Option<Cow<'_, Program>> {
        let program = self.program.as_ref()?;
        let process = Process::current(&self.machine).filter(|process| process.psp != program.psp());
        let executed = process.and_then(|process| process.program(self.lookup.as_ref()?));
        Some(executed.map_or(Cow::Borrowed(program), Cow::Owned))
    }

    /// Looks on from now on, and tells of calls in this way instead of by `-v`.
    pub(crate) fn set_watch(&mut self, watch: Option<Watch>) {
        self.watch = watch;
    }

    /// Completes the traces, the coverage and the profile.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn complete_watch(&mut self) -> Result<(), Trouble> {
        self.watch.take().map_or(Ok(()), Watch::complete)
    }

    /// The place in the source that CS:IP belongs to.
    pub(crate) fn place(&self, cs: u16, ip: u16) -> Option<SourcePlace> {
        self.running()?.place(cs, ip)
    }

    /// Why the run ended where it did, unless it ended as programs do, or waits for a key.
    pub(crate) fn explain(&mut self) -> Option<Explanation> {
        self.pass_on();
        let program = self.running()?.into_owned();
        let waits = self.machine.is_waiting_for_key();
        let ending = match self.end.as_ref()? {
            End::Crashed(crash) => Ending::Crashed(crash),
            End::Dead(why) => Ending::Dead(why),
            End::Limit(which) if !waits => Ending::Limit(which),
            End::Signal(_) if !waits => Ending::Broken,
            _ => return None,
        };
        let mut last = LastInstructions::new(Explanation::REACH);
        if !self.rerun.show_last(&mut self.machine, Explanation::REACH as u64, &mut last) {
            last = LastInstructions::new(0);
        }
        Some(Explanation::new(&self.machine, &program, ending, &last))
    }

    /// Tells no calls any more: stderr is the terminal that shows the program.
    #[cfg(feature = "terminal")]
    pub(crate) fn silence_calls(&mut self) {
        self.calls = None;
    }

    /// True while the clock stands.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Lets as much virtual time pass as has passed outside.
    pub(crate) fn advance(&mut self, elapsed: Duration) {
        self.heed_signals();
        if self.paused || self.end.is_some() || self.is_going_back() {
            return;
        }
        let elapsed = elapsed.min(LONGEST_STEP).as_nanos() as f64 * self.outputs.drift();
        self.due_ns += elapsed as u64;
        let started = Instant::now();
        while self.end.is_none() && self.machine.nanoseconds() < self.due_ns {
            if started.elapsed() > PATIENCE {
                self.due_ns = self.machine.nanoseconds();
                break;
            }
            let slice = (self.machine.nanoseconds() + SLICE_NS).min(self.due_ns);
            self.run_to(slice);
            self.pass_on();
        }
        self.listen_for_deafness();
    }

    /// Notes since when the program takes no keys although some wait.
    fn listen_for_deafness(&mut self) {
        let now = self.machine.nanoseconds();
        // Who reads the keyboard's ports may leave the buffer as it is.
        let waits = self.machine.has_unread_keys() && !self.machine.program_reads_keyboard();
        self.deaf_since = waits.then(|| self.deaf_since.unwrap_or(now));
    }

    /// True when keys have waited for so long that somebody may look for the way out.
    fn is_deaf(&self) -> bool {
        self.deaf_since.is_some_and(|since| self.machine.nanoseconds() - since > DEAF_NS)
    }

    /// Runs as fast as the host can to the end of the keys, the program or the limits.
    // benches/callgrind.sh counts from here, by name.
    #[inline(never)]
    pub(crate) fn run_through(&mut self) {
        while self.end.is_none() {
            if self.run_slice().is_some() {
                self.end = Some(End::KeysRanOut);
            }
        }
    }

    /// Runs as fast as the host can, for a second of virtual time at most. The answer is a wait that only the host can end.
    pub(crate) fn run_slice(&mut self) -> Option<Stop> {
        self.heed_signals();
        if self.end.is_some() {
            return None;
        }
        self.stroke();
        let (nanoseconds, cycles) = SLICE;
        let cycles = if self.outputs.is_heard() { cycles.min(Speaker::LOSSLESS) } else { cycles };
        self.due_ns = self.machine.nanoseconds() + nanoseconds;
        let until = self.until(self.due_ns);
        let cycle = until.cycle.min(self.machine.now() + cycles);
        let until = Until { cycle, key_wait: true, ..until };
        let wait = self.step_filmed(&until);
        self.pass_on();
        wait
    }

    fn until(&self, nanoseconds: u64) -> Until {
        let cycle = self.machine.cycle_at_nanoseconds(nanoseconds);
        Until { cycle: cycle.min(self.limits.cycle), instructions: self.limits.instructions, key_wait: false }
    }

    /// Runs to an instant, with strokes going down and up in between.
    fn run_to(&mut self, nanoseconds: u64) {
        self.stroke();
        self.step_filmed(&self.until(nanoseconds));
    }

    /// Runs, and lets the film look wherever it wants to.
    fn step_filmed(&mut self, until: &Until) -> Option<Stop> {
        while let Some(due) = self.outputs.look(&self.machine) {
            let cycle = self.machine.cycle_at_nanoseconds(due).max(self.machine.now() + 1);
            if cycle >= until.cycle {
                break;
            }
            let wait = self.step(&Until { cycle, ..*until });
            if wait.is_some() || self.end.is_some() {
                return wait;
            }
        }
        self.step(until)
    }

    /// Runs and plays the script. The answer is a wait for a key or for input.
    fn step(&mut self, until: &Until) -> Option<Stop> {
        // What comes last before the limit is to be looked at once more without running everything again.
        let near = self.limits.instructions.saturating_sub(Explanation::REACH as u64);
        if self.machine.instructions() < near && near < until.instructions {
            let played = self.play(&Until { instructions: near, ..*until });
            if played != Played::Stopped(Stop::Instructions) {
                return self.settle(played);
            }
            self.rerun.mark(&mut self.machine);
        }
        let played = self.play(until);
        self.settle(played)
    }

    fn play(&mut self, until: &Until) -> Played {
        self.rerun.follow(&mut self.machine);
        let was_over = self.playback.is_over();
        let (machine, playback) = (&mut self.machine, &mut self.playback);
        let host = &mut Host { files: &mut self.files, film: &mut self.outputs.film };
        let played = match (&mut self.watch, &mut self.calls) {
            (Some(watch), _) if watch.needs_instructions() => {
                playback.run(machine, until, host, &mut Instructions(watch))
            }
            (Some(watch), _) => playback.run(machine, until, host, &mut Services(watch)),
            (None, Some(calls)) => playback.run(machine, until, host, calls),
            (None, None) => playback.run(machine, until, host, &mut ()),
        };
        if !was_over {
            self.script_end_ns = self.machine.nanoseconds();
        }
        played
    }

    /// What a stretch of the run has come to.
    fn settle(&mut self, played: Played) -> Option<Stop> {
        self.end = match played {
            Played::Failed(line, message) => Some(End::ScriptFailed(line, message)),
            Played::Unwritten(line, why) => Some(End::Unwritten(format!("script line {line}: {why}"))),
            Played::Stopped(stop) => match stop {
                Stop::Exited(code) => Some(End::Exited(code)),
                Stop::Crashed(crash) => Some(End::Crashed(crash)),
                Stop::Dead(why) => Some(End::Dead(why)),
                Stop::KeyWait | Stop::InputWait => return Some(stop),
                Stop::Cycle if self.machine.now() >= self.limits.cycle => Some(End::Limit("the time limit")),
                Stop::Cycle | Stop::Breakpoint => None,
                Stop::Instructions if self.machine.instructions() < self.limits.instructions => {
                    Some(End::Limit("the work that BIOS and DOS may do within the instruction or time limit"))
                }
                Stop::Instructions => Some(End::Limit("the instruction limit")),
            },
        };
        None
    }

    /// Goes on to the next whole millisecond, which a script can name, and says which that is.
    fn reach_whole_millisecond(&mut self) -> u64 {
        let ms = self.machine.nanoseconds().div_ceil(1_000_000);
        self.step(&self.until(ms * 1_000_000));
        ms
    }

    /// The user leaves: the session is over, unless it was already.
    pub(crate) fn leave(&mut self) {
        if self.end.is_none() {
            self.reach_whole_millisecond();
        }
        self.end.get_or_insert(End::Left);
    }

    /// A signal breaks the run off, unless it is over already.
    pub(crate) fn break_off(&mut self, signal: Signal) {
        if self.end.is_none() {
            self.reach_whole_millisecond();
        }
        self.end.get_or_insert(End::Signal(signal));
    }

    /// Ends the run when a signal has said so.
    fn heed_signals(&mut self) {
        if let Some(signal) = signals::received() {
            self.break_off(signal);
        }
    }
}
