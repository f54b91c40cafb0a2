//! A machine being played: its pace, its keys, its sound, and what the user wishes of it.
//!
//! Shared by the window and the terminal. Here alone the wall clock meets virtual time: [`Session::advance`] lets the machine run
//! for as long as has passed outside. Keys take effect at whole milliseconds of virtual time, so that the recording of a session
//! gives the same run to the bit.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::calls::CallLog;
use super::files::Files;
use super::film::Film;
use super::hotkeys::{self, Wish};
use super::picture;
use super::signals::{self, Signal};
use super::sound::Sound;
use super::watch::{Instructions, Services, Trouble, Watch};
use super::wav::WavWriter;
use oxbox::hardware::DEFAULT_SPEED;
use oxbox::hardware::speaker::Segment;
#[cfg(feature = "audio")]
use oxbox::hardware::speaker::Synth;
use oxbox::hardware::vga::Frame;
use oxbox::hardware::vga::cp437;
use oxbox::inspect::{Ending, Explanation, LastInstructions, Program, SourcePlace};
use oxbox::machine::{
    Action, Crash, Key, Machine, MouseButton, Playback, Played, Rerun, Script, ScriptHost, Step, Stop, Until,
};
use oxbox::whole_file;

/// Time that is made up for after a late frame; what is beyond it is lost, and the guest just runs on later.
const LONGEST_STEP: Duration = Duration::from_millis(100);

/// Wall time that a step may cost before it is cut short, so that keys are still seen when the guest is set faster than the
/// host can run it.
const PATIENCE: Duration = Duration::from_millis(25);

/// Virtual time between two looks at the wall clock, in nanoseconds.
const SLICE_NS: u64 = 2_000_000;

/// The longest slice of a run that does not wait for the wall clock: a second of virtual time, or so many instructions of it where
/// the guest is set very fast. What the speaker does in a slice is kept in memory.
const SLICE: (u64, u64) = (1_000_000_000, 20_000_000);

/// Bytes of printed text that are kept for the end of a run, about.
const MOST_OUTPUT: usize = 16 << 20;

/// How long a stroke is held for a program that watches the keyboard's ports, in milliseconds.
const STROKE_MS: u64 = 50;

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

/// A script that begins with setting the speed, where that is not the usual one.
fn with_speed(script: &Script, speed: u32) -> Script {
    let mut recording = Script::default();
    if speed != DEFAULT_SPEED && !matches!(script.steps.first(), Some(Step { action: Action::Speed(_), .. }))
    {
        recording.push(Action::Speed(speed));
    }
    recording.steps.extend(script.steps.iter().cloned());
    recording
}

/// How far a run may go, in cycles and instructions since power-on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Last cycle.
    pub(crate) cycle: u64,
    /// Last instruction.
    pub(crate) instructions: u64,
}

/// What a user has typed and the program has not got yet.
enum Stroke {
    Key(Key),
    /// A character that no key has, by its code.
    Code(u8),
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
    /// The script, and what the user has done after it.
    recording: Script,
    strokes: VecDeque<Stroke>,
    held: Option<(Key, u64)>,
    /// Where the host's pointer was last.
    pointer: Option<(u16, u16)>,
    paused: bool,
    muted: bool,
    /// Virtual time that the wall clock allows, in nanoseconds.
    due_ns: u64,
    wav: Option<WavWriter>,
    film: Option<Film>,
    /// What the speaker has done, for somebody who asks for it at the end.
    kept: Option<Vec<Segment>>,
    /// What was printed, as text, for somebody who asks for it at the end.
    output: Option<String>,
    files: Files,
    program: Option<Program>,
    #[cfg(feature = "audio")]
    live: Option<(Sound, Synth)>,
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
            recording: with_speed(&script, machine.speed()),
            machine,
            playback: Playback::new(script),
            rerun: Rerun::new(),
            watch: None,
            calls: CallLog::wanted(),
            strokes: VecDeque::new(),
            held: None,
            pointer: None,
            paused: false,
            muted: false,
            wav: None,
            film: None,
            kept: None,
            output: None,
            files: Files::new(PathBuf::new(), Vec::new()),
            program: None,
            #[cfg(feature = "audio")]
            live: None,
        }
    }

    /// Writes the speaker to a file from now on.
    pub(crate) fn set_wav(&mut self, wav: WavWriter) {
        self.wav = Some(wav);
    }

    /// Films the run from now on.
    pub(crate) fn set_film(&mut self, film: Option<Film>) {
        self.film = film;
    }

    /// Completes the films.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn complete_film(&mut self) -> Result<(), Trouble> {
        self.film.take().map_or(Ok(()), |film| film.finish(&self.machine))
    }

    /// Where its script may write.
    pub(crate) fn set_files(&mut self, files: Files) {
        self.files = files;
    }

    /// The program that it runs, and what is known of its source.
    pub(crate) fn set_program(&mut self, program: Program) {
        self.program = Some(program);
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
        self.program.as_ref()?.place(cs, ip)
    }

    /// Bytes for the program's standard input.
    pub(crate) fn feed_input(&mut self, bytes: &[u8]) {
        self.machine.feed_input(bytes);
    }

    /// The program's standard input ends.
    pub(crate) fn close_input(&mut self) {
        self.machine.close_input();
    }

    /// Why the run ended where it did, unless it ended as programs do, or waits for a key.
    pub(crate) fn explain(&mut self) -> Option<Explanation> {
        self.pass_sound_on();
        self.pass_output_on();
        let program = self.program.as_ref()?;
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
        Some(Explanation::new(&self.machine, program, ending, &last))
    }

    /// Keeps what the program prints from now on.
    pub(crate) fn keep_output(&mut self) {
        self.machine.keep_printout();
        self.output = Some(String::new());
    }

    /// What was printed since [`Session::keep_output`].
    pub(crate) fn take_kept_output(&mut self) -> String {
        self.pass_output_on();
        self.output.take().unwrap_or_default()
    }

    /// Takes over what has been printed, up to a bound: a program can print for ever.
    fn pass_output_on(&mut self) {
        let Some(output) = &mut self.output else { return };
        let printed = self.machine.take_printout();
        if output.len() < MOST_OUTPUT {
            output.extend(printed.iter().map(|&byte| match byte {
                b'\n' | b'\r' | b'\t' | 0x07 | 0x08 => char::from(byte),
                _ => cp437::glyph(byte),
            }));
        }
    }

    /// Keeps what the speaker does from now on.
    pub(crate) fn keep_sound(&mut self) {
        self.kept = Some(Vec::new());
    }

    /// What the speaker has done since [`Session::keep_sound`].
    pub(crate) fn take_kept_sound(&mut self) -> Vec<Segment> {
        self.kept.take().unwrap_or_default()
    }

    /// Lets the speaker be heard from now on.
    pub(crate) fn set_sound(&mut self, sound: Sound) {
        #[cfg(feature = "audio")]
        {
            let tick = self.machine.timer_ticks();
            let synth = Synth::starting_at(sound.rate(), tick);
            sound.set_muted(self.muted);
            self.live = Some((sound, synth));
        }
        #[cfg(not(feature = "audio"))]
        match sound {}
    }

    /// Gives the sound card back, for the next session.
    pub(crate) fn take_sound(&mut self) -> Option<Sound> {
        #[cfg(feature = "audio")]
        return self.live.take().map(|(audio, _)| audio);
        #[cfg(not(feature = "audio"))]
        None
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
        if self.paused || self.end.is_some() {
            return;
        }
        let elapsed = elapsed.min(LONGEST_STEP).as_nanos() as f64 * self.drift();
        self.due_ns += elapsed as u64;
        let started = Instant::now();
        while self.end.is_none() && self.machine.nanoseconds() < self.due_ns {
            if started.elapsed() > PATIENCE {
                self.due_ns = self.machine.nanoseconds();
                break;
            }
            let slice = (self.machine.nanoseconds() + SLICE_NS).min(self.due_ns);
            self.run_to(slice);
        }
        self.pass_sound_on();
        self.pass_output_on();
    }

    /// Runs as fast as the host can to the end of the keys, the program or the limits.
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
        self.due_ns = self.machine.nanoseconds() + nanoseconds;
        let until = self.until(self.due_ns);
        let cycle = until.cycle.min(self.machine.now() + cycles);
        let until = Until { cycle, key_wait: true, ..until };
        let wait = self.step_filmed(&until);
        self.pass_sound_on();
        self.pass_output_on();
        wait
    }

    /// The pace that the sound card's ring asks for.
    fn drift(&self) -> f64 {
        #[cfg(feature = "audio")]
        if let Some((audio, _)) = &self.live {
            return audio.drift();
        }
        1.0
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
        while let Some(film) = &mut self.film {
            film.look(&self.machine);
            let cycle = self.machine.cycle_at_nanoseconds(film.due()).max(self.machine.now() + 1);
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

    /// What is on the screen stays for a moment of the film: the program waits for a key.
    pub(crate) fn hold_film(&mut self) {
        if let Some(film) = &mut self.film {
            film.hold(&self.machine);
        }
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
        let (machine, playback) = (&mut self.machine, &mut self.playback);
        let host = &mut Host { files: &mut self.files, film: &mut self.film };
        match (&mut self.watch, &mut self.calls) {
            (Some(watch), _) if watch.needs_instructions() => {
                playback.run(machine, until, host, &mut Instructions(watch))
            }
            (Some(watch), _) => playback.run(machine, until, host, &mut Services(watch)),
            (None, Some(calls)) => playback.run(machine, until, host, calls),
            (None, None) => playback.run(machine, until, host, &mut ()),
        }
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

    /// Lets the next stroke go down, or the last one up when it has been held for long enough.
    fn stroke(&mut self) {
        if let Some((key, until)) = self.held {
            if self.machine.nanoseconds() < until {
                return;
            }
            self.held = None;
            self.release(key);
        }
        match self.strokes.pop_front() {
            Some(Stroke::Key(key)) => {
                self.press(key);
                let hold = if self.machine.program_reads_keyboard() { STROKE_MS * 1_000_000 } else { 0 };
                self.held = Some((key, self.machine.nanoseconds() + hold));
            }
            Some(Stroke::Code(code)) => self.type_code(code),
            None => {}
        }
    }

    /// A key goes down.
    pub(crate) fn press(&mut self, key: Key) {
        self.act(Action::Press(key));
    }

    /// A key goes up.
    pub(crate) fn release(&mut self, key: Key) {
        self.act(Action::Release(key));
    }

    /// The pointer of a program that asks for the mouse goes to a point of the picture, given as its place and how many there are, across and
    /// down.
    pub(crate) fn point(&mut self, across: (u32, u32), down: (u32, u32)) {
        let place = self.machine.mouse_place(across, down);
        if self.machine.program_uses_mouse() && self.pointer != Some(place) {
            self.pointer = Some(place);
            self.act(Action::Mouse(place.0, place.1));
        }
    }

    /// A button of the mouse goes down or up.
    pub(crate) fn button(&mut self, button: MouseButton, down: bool) {
        if self.machine.program_uses_mouse() {
            self.act(Action::Button(button, down));
        }
    }

    /// A key is struck, after the strokes before it: for front ends that do not see keys go up.
    pub(crate) fn strike(&mut self, key: Key) {
        self.strokes.push_back(Stroke::Key(key));
    }

    /// A character is typed, after the strokes before it: by its key, or where no key of a US keyboard types it, as its number in code
    /// page 437. What that has not either is left out.
    pub(crate) fn strike_character(&mut self, character: char) {
        match (Key::typing(character), cp437::from_text(character)) {
            (Some(key), _) => self.strike(key),
            (None, Some(code)) => self.strokes.push_back(Stroke::Code(code)),
            (None, None) => {}
        }
    }

    /// Alt is held while the digits of a number are typed on the keypad: the BIOS makes a character of it.
    fn type_code(&mut self, code: u8) {
        let Ok(alt) = "LALT".parse::<Key>() else { return };
        self.press(alt);
        for digit in code.to_string().chars() {
            if let Ok(key) = format!("KP{digit}").parse::<Key>() {
                self.press(key);
                self.release(key);
            }
        }
        self.release(alt);
    }

    /// Does something at the next whole millisecond, and records it.
    fn act(&mut self, action: Action) {
        if self.end.is_some() {
            return;
        }
        let ms = self.reach_whole_millisecond();
        match &action {
            Action::Press(key) => self.machine.key_down(*key),
            Action::Release(key) => self.machine.key_up(*key),
            Action::Mouse(x, y) => self.machine.move_mouse(*x, *y),
            Action::Button(button, down) => self.machine.set_mouse_button(*button, *down),
            Action::Speed(speed) => self.machine.set_speed(*speed),
            _ => {}
        }
        self.recording.push(Action::At(ms));
        self.recording.push(action);
    }

    fn pass_sound_on(&mut self) {
        let segments = self.machine.take_sound();
        if let Some(wav) = &mut self.wav
            && let Err(error) = wav.write(&segments)
        {
            self.end.get_or_insert(End::Unwritten(format!("cannot go on with the WAV file: {error}")));
            self.wav = None;
        }
        if let Some(kept) = &mut self.kept {
            kept.extend(&segments);
        }
        #[cfg(feature = "audio")]
        if let Some((audio, synth)) = &mut self.live {
            audio.push(&synth.render(&segments));
        }
    }

    /// Fulfils a wish; the answer is a line for the user.
    pub(crate) fn fulfil(&mut self, wish: Wish) -> Option<String> {
        match wish {
            Wish::Help => None,
            Wish::Pause => {
                self.paused = !self.paused;
                None
            }
            Wish::Faster | Wish::Slower => {
                let speed = hotkeys::next_speed(self.machine.speed(), wish);
                self.act(Action::Speed(speed));
                Some(format!("{speed} instructions a millisecond"))
            }
            Wish::Mute => {
                self.set_muted(!self.muted);
                Some(if self.muted { "sound off".to_owned() } else { "sound on".to_owned() })
            }
            Wish::Shot => Some(self.save_shot()),
            Wish::Record => Some(self.save_recording_somewhere()),
            Wish::CtrlC => {
                if let Some(key) = Key::typing('\x03') {
                    self.strike(key);
                }
                None
            }
            Wish::Quit => {
                self.leave();
                None
            }
        }
    }

    /// Sound off or on.
    pub(crate) fn set_muted(&mut self, muted: bool) {
        self.muted = muted;
        #[cfg(feature = "audio")]
        if let Some((audio, _)) = &self.live {
            audio.set_muted(muted);
        }
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

    /// True while keys that were struck have not been read by the program.
    pub(crate) fn has_unread_keys(&self) -> bool {
        !self.strokes.is_empty() || self.held.is_some() || self.machine.has_unread_keys()
    }

    fn save_shot(&self) -> String {
        let path = picture::free_name(&self.name, "png");
        match picture::save(&self.machine.frame(), &path) {
            Ok(()) => format!("the picture is in {}", path.display()),
            Err(error) => format!("cannot write {}: {error}", path.display()),
        }
    }

    fn save_recording_somewhere(&self) -> String {
        let path = picture::free_name(&self.name, "script");
        match self.save_recording(&path) {
            Ok(()) => format!("the keys since the start are in {}", path.display()),
            Err(error) => format!("cannot write {}: {error}", path.display()),
        }
    }

    /// Writes the keys since power-on as a script.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn save_recording(&self, path: &Path) -> std::io::Result<()> {
        let end = match self.end {
            // Played again, the run ends there by itself.
            Some(End::Exited(_) | End::Crashed(_) | End::Dead(_) | End::KeysRanOut) => String::new(),
            _ => format!("at {}\n", self.machine.nanoseconds().div_ceil(1_000_000)),
        };
        let text = format!("# {}, recorded by oxbox\n{}{end}", self.name, self.recording);
        whole_file::write(path, text.as_bytes())
    }

    /// What the session is doing, for a title or a status line.
    pub(crate) fn state(&self) -> String {
        let speed = self.machine.speed();
        match &self.end {
            Some(End::Exited(code)) => format!("ended (code {code}), press a key"),
            Some(End::Crashed(crash)) => format!("crashed: {crash}, press a key"),
            Some(End::Dead(why)) => format!("stopped: {why}, press a key"),
            Some(_) => "over, press a key".to_owned(),
            None if self.paused => "paused".to_owned(),
            None if self.muted => format!("{speed}/ms, sound off"),
            None => format!("{speed}/ms"),
        }
    }

    /// Completes the WAV file.
    ///
    /// # Errors
    /// When that cannot be.
    pub(crate) fn complete_wav(&mut self) -> Result<(), hound::Error> {
        self.pass_sound_on();
        self.wav.take().map_or(Ok(()), WavWriter::finish)
    }
}
