//! A session at the pace of the wall clock, for the window, the terminal and the console, with its
//! sound, recordings, traces and messages.
//!
//! Wall-clock time becomes virtual time only here: [`LiveSession::advance`] runs the machine for
//! the time that has passed outside.

pub(crate) mod commands;
pub(crate) mod outputs;
mod results;
pub(crate) mod slots;

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::files::Files;
use super::film::Film;
use super::signals;
use super::watch::{Instructions, Services, Trouble, Watch};

use outputs::Outputs;
use oxbox::atomic_file;
use oxbox::hardware::speaker::{Segment, Speaker};
use oxbox::hardware::vga::Frame;
use oxbox::inspect::{CrashReport, Finding, LastInstructions, Lookup, Process, Program, SourcePlace};
use oxbox::machine::{
    End, FRAME_NS, Limits, Machine, Played, Script, ScriptHost, Session, SessionHost, Signal, Stop, Timeline,
    Until,
};

/// The longest delay that a session catches up with after a late frame. Beyond it, virtual time
/// falls behind the wall clock.
const LONGEST_STEP: Duration = Duration::from_millis(100);

/// The longest step in wall time. It keeps a guest responsive that is faster than the host can run
/// it. Tests have no limit, because their results must not depend on the speed of the host.
const PATIENCE: Duration = if cfg!(test) { Duration::MAX } else { Duration::from_millis(25) };

/// Cycles of a slice that does not wait for the wall clock.
const SLICE_CYCLES: u64 = 20_000_000;

/// A program that leaves keys in the buffer for this long may hang, in nanoseconds.
const UNRESPONSIVE_NS: u64 = 4_000_000_000;

/// The owner of a session: it observes the run and takes the machine's output.
pub(crate) struct Host {
    pub(crate) files: Files,
    pub(crate) outputs: Outputs,
    /// The observer that the user has requested.
    pub(crate) watch: Option<Watch>,
}

/// The host of a script, and the recording of the run.
struct ScriptFiles<'a> {
    files: &'a mut Files,
    film: &'a mut Option<Film>,
}

impl ScriptHost for ScriptFiles<'_> {
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

impl Host {
    fn play(&mut self, timeline: &mut Timeline, until: &Until) -> Played {
        let host = &mut ScriptFiles { files: &mut self.files, film: &mut self.outputs.film };
        match &mut self.watch {
            Some(watch) if watch.needs_instructions() => timeline.play(until, host, &mut Instructions(watch)),
            Some(watch) => timeline.play(until, host, &mut Services(watch)),
            None => timeline.play(until, host, &mut ()),
        }
    }
}

impl SessionHost for Host {
    /// Runs, and samples the recordings when they are due.
    fn run(&mut self, timeline: &mut Timeline, until: &Until) -> Played {
        while let Some(due) = self.outputs.look(timeline.machine()) {
            let machine = timeline.machine();
            let cycle = machine.cycle_at_nanoseconds(due).max(machine.now() + 1);
            if cycle >= until.cycle {
                break;
            }
            let played = self.play(timeline, &Until { cycle, ..*until });
            if played != Played::Stopped(Stop::Cycle) {
                return played;
            }
        }
        self.play(timeline, until)
    }

    fn drain(&mut self, machine: &mut Machine) -> Result<(), String> {
        self.outputs.take_print(machine);
        self.outputs.take_sound(machine).map_err(|error| format!("cannot continue the WAV file: {error}"))
    }

    fn jumped(&mut self, from: u64, machine: &Machine) {
        self.outputs.cut(from, machine);
    }

    fn recall(&mut self, sound: &[Segment]) {
        self.outputs.recall(sound);
    }

    fn rewound(&mut self, nanoseconds: u64, pace: u64) {
        self.outputs.play_back(nanoseconds, pace);
    }
}

pub(crate) struct LiveSession {
    /// Its name in titles and file names.
    pub(crate) name: String,
    session: Session<Host>,
    /// The program file's hash from [`SavedState::program`].
    ///
    /// [`SavedState::program`]: oxbox::machine::SavedState::program
    pub(crate) identity: u64,
    paused: bool,
    /// The time since which keys are waiting that the program does not read, in nanoseconds.
    unresponsive_since: Option<u64>,
    /// Whether to show light on black, whatever the program's colours are.
    pub(crate) high_contrast: bool,
    pub(crate) program: Option<Program>,
    /// Finds the debug information of programs that it executes.
    pub(crate) lookup: Option<Lookup>,
}

impl Deref for LiveSession {
    type Target = Session<Host>;

    fn deref(&self) -> &Session<Host> {
        &self.session
    }
}

impl DerefMut for LiveSession {
    fn deref_mut(&mut self) -> &mut Session<Host> {
        &mut self.session
    }
}

impl LiveSession {
    pub(crate) fn new(name: &str, machine: Machine, script: Script, limits: Limits) -> LiveSession {
        let files = Files::new(PathBuf::new(), Vec::new());
        let host = Host { files, outputs: Outputs::default(), watch: None };
        LiveSession {
            name: name.to_owned(),
            session: Session::new(Timeline::latest(machine), script, limits, host),
            identity: 0,
            paused: false,
            unresponsive_since: None,
            high_contrast: false,
            program: None,
            lookup: None,
        }
    }

    /// Returns the running program: the one that was started, or one that it has executed.
    pub(crate) fn running(&self) -> Option<Cow<'_, Program>> {
        let program = self.program.as_ref()?;
        let process = Process::current(self.machine()).filter(|process| process.psp != program.psp());
        let executed = process.and_then(|process| process.program(self.lookup.as_ref()?));
        Some(executed.map_or(Cow::Borrowed(program), Cow::Owned))
    }

    /// Returns the mistakes that `--check` has found, if it was requested.
    pub(crate) fn findings(&self) -> Option<Vec<Finding>> {
        self.host.watch.as_ref()?.findings().map(<[Finding]>::to_vec)
    }

    /// Completes the traces, coverage and profile. Errors: the first file that cannot be written.
    pub(crate) fn complete_watch(&mut self) -> Result<(), Trouble> {
        self.host.watch.take().map_or(Ok(()), Watch::complete)
    }

    pub(crate) fn place(&self, cs: u16, ip: u16) -> Option<SourcePlace> {
        self.running()?.place(cs, ip)
    }

    /// Returns why the run ended, unless it ended normally, or waits for a key.
    pub(crate) fn explain(&mut self) -> Option<CrashReport> {
        self.drain();
        let program = self.running()?.into_owned();
        let waits = self.machine().is_waiting_for_key();
        let end = self.end()?.clone();
        match end {
            End::Crashed(_) | End::Dead(_) => {}
            End::Limit(_) | End::Signal(_) if !waits => {}
            _ => return None,
        }
        let mut last = LastInstructions::new(CrashReport::REACH);
        if !self.timeline.show_last(CrashReport::REACH as u64, &mut last) {
            last = LastInstructions::new(0);
        }
        Some(CrashReport::new(self.machine(), &program, &end, &last))
    }

    /// Whether the clock is stopped.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Lets as much virtual time pass as has passed outside.
    pub(crate) fn advance(&mut self, elapsed: Duration) {
        self.poll_signals();
        if self.paused || self.end().is_some() || self.is_rewinding() {
            return;
        }
        let elapsed = elapsed.min(LONGEST_STEP).as_nanos() as f64 * self.host.outputs.drift();
        let started = Instant::now();
        self.session.advance(elapsed as u64, |_| started.elapsed() <= PATIENCE);
        self.check_responsiveness();
    }

    /// Records since when the program reads no keys although some are waiting.
    fn check_responsiveness(&mut self) {
        let now = self.machine().nanoseconds();
        // A program that reads the keyboard's ports may leave the buffer full.
        let waits = self.machine().has_unread_keys() && !self.machine().program_reads_keyboard();
        self.unresponsive_since = waits.then(|| self.unresponsive_since.unwrap_or(now));
    }

    /// Whether keys have waited so long that the user may need a hint how to quit.
    fn is_unresponsive(&self) -> bool {
        self.unresponsive_since.is_some_and(|since| self.machine().nanoseconds() - since > UNRESPONSIVE_NS)
    }

    /// Runs as fast as the host can to the end of the keys, the program or the limits.
    /// `benches/callgrind.sh` counts from here, by this function's name.
    #[inline(never)]
    pub(crate) fn run_through(&mut self) {
        while self.end().is_none() {
            if self.run_slice().is_some() {
                self.finish(End::Waiting);
            }
        }
    }

    /// Runs at full speed for at most a virtual second. Returns a wait that only the host can end.
    pub(crate) fn run_slice(&mut self) -> Option<Stop> {
        self.poll_signals();
        // If the speaker's sound is used, none of it may be lost.
        let cycles = if self.host.outputs.is_heard() { Speaker::LOSSLESS } else { SLICE_CYCLES };
        self.session.run_slice(cycles)
    }

    /// Advances by one picture while paused; pauses first.
    fn step_frame(&mut self) {
        if std::mem::replace(&mut self.paused, true) {
            self.drop_lag();
            self.session.advance(FRAME_NS, |_| true);
        }
    }

    /// Ends the session for the user, unless it has ended.
    pub(crate) fn leave(&mut self) {
        self.session.leave(End::Left);
    }

    /// Ends the run for a signal, unless it has ended.
    pub(crate) fn interrupt(&mut self, signal: Signal) {
        self.session.leave(End::Signal(signal));
    }

    /// Ends the run if a signal has been received.
    fn poll_signals(&mut self) {
        if let Some(signal) = signals::received() {
            self.interrupt(signal);
        }
    }

    /// Writes the keys since power-on as a script. Fails if the file cannot be written.
    pub(crate) fn save_recording(&self, path: &Path) -> std::io::Result<()> {
        let end = match self.end() {
            // Played again, the run ends there by itself.
            Some(End::Exited(_) | End::Crashed(_) | End::Dead(_) | End::Waiting) => String::new(),
            _ => format!("at {}\n", self.machine().nanoseconds().div_ceil(1_000_000)),
        };
        let text = format!("# {}, recorded by oxbox\n{}{end}", self.name, self.script());
        atomic_file::write(path, text.as_bytes())
    }
}

/// A failure of oxbox must not lose the program's files.
impl Drop for LiveSession {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let flush = || drop(self.machine_mut().flush_files());
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(flush));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox::machine::Config;

    /// Writes each key to the screen: mov ah, 0; int 16h; mov ah, 0Eh; int 10h; jmp again.
    const ECHO: &[u8] = b"\xB4\x00\xCD\x16\xB4\x0E\xCD\x10\xEB\xF6";

    const FRAME: Duration = Duration::from_millis(16);

    fn session(keys: &str) -> LiveSession {
        let machine = Machine::start(&Config::default(), ECHO, "ECHO.COM", "").unwrap();
        let mut session = LiveSession::new("ECHO", machine, Script::from_keys(keys).unwrap(), Limits::NONE);
        session.keep_past();
        session
    }

    fn run(session: &mut LiveSession, frames: u32) {
        (0..frames).for_each(|_| session.advance(FRAME));
    }

    fn line(session: &LiveSession) -> String {
        session.machine().text().unwrap().line(0)
    }

    #[test]
    fn keys_are_taken_back_one_after_the_other() {
        let mut session = session("");
        for key in ["a", "b", "c"] {
            session.type_key(key.parse().unwrap());
            run(&mut session, 60);
        }
        assert_eq!(line(&session), "abc");
        let mut seen = vec![line(&session)];
        let mut times = vec![session.machine().nanoseconds()];
        while !session.rewind(FRAME) {
            times.push(session.machine().nanoseconds());
            seen.push(line(&session));
        }
        seen.push(line(&session));
        session.end_rewind();
        seen.dedup();
        assert_eq!(seen, ["abc", "ab", "a", ""]);
        assert!(times.windows(2).all(|pair| pair[0] >= pair[1]));
        assert!(times.windows(2).all(|pair| pair[0] - pair[1] < 120_000_000), "smoothly: {times:?}");
        // A different run from there: its recording must be that of the new run.
        session.type_key("x".parse().unwrap());
        run(&mut session, 30);
        assert_eq!(line(&session), "x");
        assert!(!session.script().to_string().contains('b'), "{}", session.script().to_string());
    }

    #[test]
    fn a_recording_after_rewinding_plays_the_same() {
        let mut session = session("h i");
        run(&mut session, 60);
        for key in ["a", "b"] {
            session.type_key(key.parse().unwrap());
            run(&mut session, 60);
        }
        assert_eq!(line(&session), "hiab");
        for _ in 0..75 {
            session.rewind(FRAME);
        }
        session.end_rewind();
        session.type_key("c".parse().unwrap());
        run(&mut session, 60);
        assert_eq!(line(&session), "hiac");
        session.leave();
        let machine = Machine::start(&Config::default(), ECHO, "ECHO.COM", "").unwrap();
        let mut again =
            LiveSession::new("ECHO", machine, session.script().to_string().parse().unwrap(), Limits::NONE);
        again.run_through();
        assert_eq!(line(&again), "hiac");
    }

    #[test]
    fn the_script_stays_typed() {
        let mut session = session("h i");
        run(&mut session, 60);
        for _ in 0..1000 {
            session.rewind(FRAME);
        }
        session.end_rewind();
        assert_eq!(line(&session), "hi");
    }

    #[test]
    fn paused_it_goes_on_by_pictures() {
        let mut session = session("");
        run(&mut session, 10);
        session.step_frame();
        let before = session.machine().nanoseconds();
        session.step_frame();
        let after = session.machine().nanoseconds();
        assert!((FRAME_NS..FRAME_NS + 1_000_000).contains(&(after - before)), "{before} {after}");
        run(&mut session, 10);
        assert_eq!(session.machine().nanoseconds(), after);
    }
}
