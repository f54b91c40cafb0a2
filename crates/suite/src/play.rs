//! Runs a program for a test: feeds keys, script or input, and collects the end, the position and
//! the screen.
//!
//! Everything is bounded: virtual time by the test's limit, which also bounds the host's work, and
//! output by [`MOST_OUTPUT`].

use std::io;

use serde::Serialize;

use super::difference;
use super::drive::TestDrive;
use super::likeness::{MOST_STEPS, Recorder, Recording, Sources};
use super::model::{Input, Test};
use super::program::Program;
use oxbox_cpu::{Cpu, Registers};
use oxbox_inspect::{Coverage, CrashReport, EndingCall, LastInstructions, Lcov, Program as Loaded, Programs};
use oxbox_machine::dos::DosOptions;
use oxbox_machine::hardware::disk::Image;
use oxbox_machine::hardware::{Hardware, linear, vga};
use oxbox_machine::machine::{
    Config, End, Fault, Limit, Limits, Machine, Observer, Playback, Played, Script, ScriptFailureKind,
    ScriptHost, Session, SessionHost, Stop, Timeline, Until,
};

/// The most bytes of output. A program that prints more is stopped.
pub const MOST_OUTPUT: usize = 1 << 20;

/// Virtual time in milliseconds between two checks of the output.
const SLICE_MS: u64 = 100;

/// Cycles of the test's virtual time per instruction's worth of host work. Few programs of a class
/// use all of it.
const CYCLES_OF_WORK: u64 = 4;

/// The multiple of the test's time limit that a program gets in [`Run::go_on`].
const LONGER: u64 = 2;

/// The position: the instruction that waited, ended the program or crashed, or the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct At {
    /// Code segment.
    pub cs: u16,
    /// Offset.
    pub ip: u16,
    /// Its source file, if known.
    pub file: Option<String>,
    /// Its source line, if known.
    pub line: Option<u32>,
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line} ({:04X}:{:04X})", self.cs, self.ip),
            _ => write!(f, "{:04X}:{:04X}", self.cs, self.ip),
        }
    }
}

#[derive(Debug)]
pub(super) struct Run {
    pub(super) end: End,
    pub(super) at: Option<At>,
    /// Console output in code page 437.
    pub(super) output: Vec<u8>,
    /// The machine at the end, unless the program could not be loaded.
    pub(super) machine: Machine,
    pub(super) registers: Registers,
    /// The linear address from which the program's own addresses count.
    pub(super) base: u32,
    /// The executed source lines, if coverage was requested.
    pub(super) coverage: Option<Lcov>,
    /// The explanation of a bad end.
    pub(super) why: Why,
    /// The remaining script.
    playback: Option<Playback>,
    limit_ms: u64,
}

#[derive(Debug, Default)]
pub(super) struct Why {
    /// The description of a crash: what happened, where, and why.
    pub(super) crash: Option<String>,
    /// The usual cause in one sentence.
    pub(super) hint: Option<String>,
    /// The location of a loop without an end.
    circle: Option<String>,
}

impl Run {
    /// Returns the text screen's lines without blank ones at the end; `None` in a graphics mode.
    pub(super) fn screen(&self) -> Option<Vec<String>> {
        let text = self.machine.text()?;
        Some(difference::used((0..text.rows).map(|row| text.line(row)).collect()))
    }

    pub(super) fn milliseconds(&self) -> u64 {
        self.machine.nanoseconds() / 1_000_000
    }

    pub(super) fn instructions(&self) -> u64 {
        self.machine.instructions()
    }

    /// Continues a program that has reached its limit, and returns whether it is slow or has no end
    /// within [`LONGER`] times its limit. The machine's state is then no longer that of the test.
    pub(super) fn go_on(&mut self) -> Option<String> {
        if self.end != End::Limit(Limit::Time) {
            return None;
        }
        let longer = self.limit_ms.saturating_mul(LONGER);
        let machine = &mut self.machine;
        let limit = machine.cycle_at_ms(longer);
        machine.set_work_budget((limit - machine.now().min(limit)) / CYCLES_OF_WORK);
        let mut playback = self.playback.take().unwrap_or_else(|| Playback::new(Script::default()));
        loop {
            let slice = machine.cycle_at_ms(machine.nanoseconds() / 1_000_000 + SLICE_MS).min(limit);
            let played =
                playback.run(machine, &Until { cycle: slice, ..Until::KEY_WAIT }, &mut NoFiles, &mut ());
            machine.take_printout();
            let end = match played {
                Played::Stopped(Stop::Cycle) if machine.now() < limit => continue,
                Played::Stopped(Stop::Exited(code)) => End::Exited(code),
                Played::Stopped(Stop::KeyWait | Stop::InputWait) => End::Waiting,
                _ => break,
            };
            return Some(format!("it is too slow: it {end} after {} ms", self.milliseconds()));
        }
        let circle = self.why.circle.take().or(self.why.hint.take());
        let circle = circle.map(|circle| format!(": {circle}")).unwrap_or_default();
        Some(format!("it does not end within {longer} ms either{circle}"))
    }
}

/// Runs a program on a drive with a test's input. Fails if the host cannot provide the drive.
pub(super) fn play(
    program: &Program,
    test: &Test,
    drive: &TestDrive,
    config: &Config,
    coverage: bool,
) -> io::Result<Run> {
    let (mut machine, loaded) = start(program, test, drive, config)?;
    if let Err(error) = loaded {
        let end = End::Unloadable(error);
        let (registers, output) = (Registers::default(), Vec::new());
        return Ok(Run {
            end,
            at: None,
            output,
            machine,
            registers,
            base: 0,
            coverage: None,
            why: Why::default(),
            playback: None,
            limit_ms: test.limit_ms,
        });
    }
    let symbols = program.symbols.clone().unwrap_or_default();
    let loaded = Loaded::new(symbols, &machine.cpu().regs, program.bytes.len());
    // A program starts with DS at its PSP.
    let base = program.symbols.as_ref().map_or(0, |symbols| symbols.base(machine.cpu().regs.ds()));
    let script = give_input(&mut machine, test);
    machine.keep_printout();
    let (ran, last, coverage) = if coverage {
        let counted = Counted::new(program, loaded.clone(), &machine);
        let (ran, counted) = run(machine, script, (test.limit_ms, u64::MAX), counted, &loaded);
        let Counted { last, programs, coverage } = counted;
        (ran, last, Some(coverage.report(&programs)))
    } else {
        let (ran, last) = run(machine, script, (test.limit_ms, u64::MAX), EndingCall::default(), &loaded);
        (ran, last, None)
    };
    let Ran { mut machine, end, stood, output, why, playback } = ran;
    // The INT that ended the program has returned to the parent. The observer saw it.
    let ended = last.registers.filter(|_| matches!(end, End::Exited(_)));
    let at = match &ended {
        Some(registers) => Some((registers.cs(), (registers.ip as u16).wrapping_sub(1))),
        None if matches!(end, End::Exited(_)) => None,
        None => Some(stood),
    };
    let registers = ended.unwrap_or_else(|| machine.program_registers());
    // A file that cannot be written is then missing among the expected ones.
    let _ = machine.flush_files();
    let at = at.map(|(cs, ip)| at_line(program, base, cs, ip));
    let limit_ms = test.limit_ms;
    Ok(Run { end, at, output, machine, registers, base, coverage, why, playback, limit_ms })
}

/// Creates a machine with the program loaded. The inner error says why it cannot be loaded.
fn start(
    program: &Program,
    test: &Test,
    drive: &TestDrive,
    config: &Config,
) -> io::Result<(Machine, Result<(), String>)> {
    let folder = Some(drive.path().to_owned());
    let mut config = Config { dos: DosOptions { folder, ..config.dos.clone() }, ..config.clone() };
    test.settings.apply(&mut config);
    if program.boots {
        let disk = Image::in_memory(&program.name, program.bytes.clone()).map_err(io::Error::other)?;
        config.floppies.insert(0, disk);
        config.boot = Some(0);
    }
    let mut machine = Machine::new(&config).map_err(io::Error::other)?;
    let loaded = if program.boots { Ok(()) } else { machine.load(&program.bytes, &program.name, &test.args) };
    Ok((machine, loaded.map_err(|error| error.to_string())))
}

/// Provides a test's input: standard input directly. Returns the part that must be typed.
fn give_input(machine: &mut Machine, test: &Test) -> Script {
    match &test.input {
        Input::Keys(_, script) | Input::Script(_, script) => script.clone(),
        Input::Stdin(bytes) => {
            machine.redirect_input();
            machine.feed_input(bytes);
            machine.close_input();
            Script::default()
        }
        Input::None => Script::default(),
    }
}

/// Runs a program again and records the executed instructions. A program that cannot be loaded
/// records nothing. Fails if the host cannot provide the drive.
pub(super) fn record(
    program: &Program,
    test: &Test,
    drive: &TestDrive,
    config: &Config,
    recording: &mut Recording,
    sources: &Sources,
) -> io::Result<()> {
    let (mut machine, loaded) = start(program, test, drive, config)?;
    if loaded.is_ok() {
        let symbols = program.symbols.clone().unwrap_or_default();
        let loaded = Loaded::new(symbols, &machine.cpu().regs, program.bytes.len());
        let script = give_input(&mut machine, test);
        machine.keep_printout();
        let recorder = Recorder::new(recording, loaded.clone(), sources);
        run(machine, script, (test.limit_ms, MOST_STEPS), recorder, &loaded);
    }
    Ok(())
}

struct Ran {
    machine: Machine,
    end: End,
    /// The position of the program.
    stood: (u16, u16),
    output: Vec<u8>,
    why: Why,
    playback: Option<Playback>,
}

/// Observes a run and collects its output.
struct TestHost<O> {
    observer: O,
    output: Vec<u8>,
}

impl<O: Observer> SessionHost for TestHost<O> {
    fn run(&mut self, timeline: &mut Timeline, until: &Until) -> Played {
        timeline.play(until, &mut NoFiles, &mut self.observer)
    }

    fn drain(&mut self, machine: &mut Machine) -> Result<(), String> {
        self.output.extend(machine.take_printout());
        Ok(())
    }
}

/// Runs to the end. Explains an unexpected end.
fn run<O: Observer>(
    machine: Machine,
    script: Script,
    (limit_ms, instructions): (u64, u64),
    observer: O,
    loaded: &Loaded,
) -> (Ran, O) {
    let cycle = machine.cycle_at_ms(limit_ms);
    let work = (cycle - machine.now().min(cycle)) / CYCLES_OF_WORK;
    let slice = u64::from(machine.speed()) * SLICE_MS;
    let host = TestHost { observer, output: Vec::new() };
    let limits = Limits { cycle, instructions, ..Limits::NONE };
    let mut session = Session::new(Timeline::latest(machine), script, limits, host);
    session.machine_mut().set_work_budget(work);
    let end = loop {
        let wait = session.run_slice(slice);
        if session.host.output.len() > MOST_OUTPUT {
            session.host.output.truncate(MOST_OUTPUT);
            break End::Limit(Limit::Output);
        }
        if wait.is_some() {
            break End::Waiting;
        }
        match session.end() {
            None => {}
            Some(End::Script(failure)) => {
                let mut failure = failure.clone();
                // The report contains the screen anyway.
                if let ScriptFailureKind::Missing { screen, .. } = &mut failure.kind {
                    *screen = None;
                }
                break End::Script(failure);
            }
            // The position is reported with the line.
            Some(End::Dead(fault)) => break End::Dead(Fault { at: None, ..fault.clone() }),
            // It draws while it polls, and has received all of its keys.
            Some(End::Limit(Limit::Time))
                if session.timeline.is_script_over() && session.machine().polls_for_key() =>
            {
                break End::Waiting;
            }
            Some(end) => break end.clone(),
        }
    };
    let Session { host: TestHost { observer, output }, mut timeline, .. } = session;
    let why = explain(&mut timeline, loaded, &end);
    let (machine, playback) = timeline.into_parts();
    let (cs, ip) = machine.position_of(&end);
    // After the HLT: the preceding byte belongs to the same line.
    let stood = (cs, ip.wrapping_sub(u16::from(matches!(end, End::Dead(_)))));
    (Ran { machine, end, stood, output, why, playback }, observer)
}

/// Returns the explanation of a bad end, in the words of `oxbox run`.
fn explain(timeline: &mut Timeline, loaded: &Loaded, end: &End) -> Why {
    if !matches!(end, End::Crashed(_) | End::Dead(_) | End::Limit(Limit::Time)) {
        return Why::default();
    }
    let mut last = LastInstructions::new(CrashReport::REACH);
    if !timeline.show_last(CrashReport::REACH as u64, &mut last) {
        last = LastInstructions::new(0);
    }
    let explanation = CrashReport::new(timeline.machine(), loaded, end, &last);
    let crash = if let End::Crashed(crash) = end { Some(explanation.of_crash(crash)) } else { None };
    Why { crash, hint: explanation.hint.map(|hint| hint.to_string()), circle: explanation.circle }
}

/// The host of a suite's script, which only checks: it writes no pictures or texts.
struct NoFiles;

impl ScriptHost for NoFiles {
    fn shot(&mut self, _: &str, _: &vga::Frame) -> Result<(), String> {
        Ok(())
    }

    fn text(&mut self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}

/// Observes the end of the program, and counts executed lines.
struct Counted {
    last: EndingCall,
    programs: Programs,
    coverage: Coverage,
}

impl Counted {
    fn new(program: &Program, loaded: Loaded, machine: &Machine) -> Counted {
        let programs = Programs::new(&program.name, loaded, machine, Box::new(|_| None));
        Counted { last: EndingCall::default(), programs, coverage: Coverage::new() }
    }
}

impl Observer for Counted {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        self.programs.see(cpu, hw);
        self.coverage.instruction(&mut self.programs, cpu, hw);
    }

    fn interrupt(&mut self, _: u8, cpu: &Cpu, _: &Hardware) {
        self.coverage.interrupt(cpu);
    }

    fn service(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        self.programs.serve(vector, cpu);
        self.last.service(vector, cpu, hw);
    }
}

fn at_line(program: &Program, base: u32, cs: u16, ip: u16) -> At {
    let address = linear(cs, ip).checked_sub(base);
    let line = program.symbols.as_ref().zip(address).and_then(|(symbols, address)| symbols.line_at(address));
    At { cs, ip, file: line.map(|line| line.file.to_owned()), line: line.map(|line| line.line) }
}
