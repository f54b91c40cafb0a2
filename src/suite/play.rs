//! One run of a program for a test: keys, script or input in; how it ended, where it stood and what it showed out.
//!
//! Everything is bounded: virtual time by the test's limit, and with it the work of the host; output by [`MOST_OUTPUT`].

use std::io;

use serde::Serialize;

use super::difference;
use super::drive::TestDrive;
use super::model::{Input, Test};
use super::program::Program;
use crate::cpu::Cpu;
use crate::dos::DosOptions;
use crate::firmware;
use crate::hardware::{Hardware, linear, vga};
use crate::inspect::{Coverage, Lcov, Program as Loaded, Programs};
use crate::machine::{Config, Machine, Observer, Playback, Played, Script, ScriptHost, Stop, Until};

/// A program that prints more is stopped: it floods its output.
pub const MOST_OUTPUT: usize = 1 << 20;

/// Virtual time between two looks at what was printed, in milliseconds.
const SLICE_MS: u64 = 100;

/// Cycles of the test's virtual time that allow the work of an instruction: few programs of a class use all of it.
const CYCLES_OF_WORK: u64 = 4;

/// How a run came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The program ended with this code.
    Exited(u8),
    /// The keys ran out while it waits for one.
    Waiting,
    /// It crashed; how.
    Crashed(String),
    /// The test's virtual time is over, in milliseconds.
    Limit(u64),
    /// It took more of the host's time than goes with the test's virtual time, in milliseconds.
    Work(u64),
    /// It printed more than [`MOST_OUTPUT`] bytes.
    Flood,
    /// A step of the script was not met: its line, and why.
    Script(usize, String),
    /// It could not be loaded; why.
    Unloadable(String),
}

impl End {
    /// One word, as `run --json` has it.
    pub fn word(&self) -> &'static str {
        match self {
            End::Exited(_) => "exited",
            End::Waiting => "waiting",
            End::Crashed(_) => "crashed",
            End::Limit(_) | End::Work(_) | End::Flood => "limit",
            End::Script(..) | End::Unloadable(_) => "failed",
        }
    }

    /// The guest's exit code, if it came to that.
    pub fn exit_code(&self) -> Option<u8> {
        if let End::Exited(code) = self { Some(*code) } else { None }
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Exited(code) => write!(f, "ended with code {code}"),
            End::Waiting => write!(f, "waits for a key"),
            End::Crashed(why) => write!(f, "crashed: {why}"),
            End::Limit(ms) => write!(f, "still runs after {ms} ms of virtual time"),
            End::Work(ms) => write!(f, "calls BIOS and DOS for more work than {ms} ms of virtual time allow"),
            End::Flood => write!(f, "printed more than {MOST_OUTPUT} bytes"),
            End::Script(line, why) => write!(f, "script line {line}: {why}"),
            End::Unloadable(why) => write!(f, "cannot be loaded: {why}"),
        }
    }
}

/// Where a program stood: the instruction that waited, ended it, crashed or was to be next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct At {
    /// Code segment.
    pub cs: u16,
    /// Offset.
    pub ip: u16,
    /// Its source file, where that is known.
    pub file: Option<String>,
    /// Its source line, where that is known.
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

/// A run that is over.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) end: End,
    pub(super) at: Option<At>,
    /// Console output, in code page 437.
    pub(super) output: Vec<u8>,
    /// The machine as it stood, unless the program could not be loaded.
    pub(super) machine: Machine,
    /// The linear address that the program's own addresses count from.
    pub(super) base: u32,
    /// The source lines that were executed, if they were to be counted.
    pub(super) coverage: Option<Lcov>,
}

impl Run {
    /// The lines of the text screen down to the last that is not blank; none in a graphics mode.
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
}

/// Runs a program on a drive with a test's input.
///
/// # Errors
/// When the host does not give the drive.
pub(super) fn play(program: &Program, test: &Test, drive: &TestDrive, coverage: bool) -> io::Result<Run> {
    let folder = Some(drive.path().to_owned());
    let config = Config { dos: DosOptions { folder, ..DosOptions::default() }, ..Config::default() };
    let mut machine = Machine::new(&config).map_err(io::Error::other)?;
    if let Err(error) = machine.load(&program.bytes, &program.name, &test.args) {
        let end = End::Unloadable(error.to_string());
        return Ok(Run { end, at: None, output: Vec::new(), machine, base: 0, coverage: None });
    }
    // A program begins with DS at its PSP.
    let base = program.symbols.as_ref().map_or(0, |symbols| symbols.base(machine.cpu().regs.ds()));
    let script = match &test.input {
        Input::Keys(_, script) | Input::Script(_, script) => script.clone(),
        Input::Stdin(bytes) => {
            machine.redirect_input();
            machine.feed_input(bytes);
            machine.close_input();
            Script::default()
        }
        Input::None => Script::default(),
    };
    machine.keep_printout();
    let (mut output, mut last) = (Vec::new(), LastService::default());
    let mut counted = coverage.then(|| Counted::new(program, &machine));
    let (end, stood) = match &mut counted {
        Some(counted) => {
            let ended = run(&mut machine, script, test.limit_ms, &mut output, counted);
            last = std::mem::take(&mut counted.last);
            ended
        }
        None => run(&mut machine, script, test.limit_ms, &mut output, &mut last),
    };
    let coverage = counted.map(|counted| counted.coverage.report(&counted.programs));
    let at = match &end {
        // The INT that ended it has gone back to the parent: what it was, the observer saw.
        End::Exited(_) => last.ended,
        _ => Some(stood),
    };
    // What the host refuses now is missing among the expected files.
    let _ = machine.flush_files();
    let at = at.map(|(cs, ip)| at_line(program, base, cs, ip));
    Ok(Run { end, at, output, machine, base, coverage })
}

/// Runs to the end, and says where the program stood.
fn run(
    machine: &mut Machine,
    script: Script,
    limit_ms: u64,
    output: &mut Vec<u8>,
    last: &mut impl Observer,
) -> (End, (u16, u16)) {
    let limit = machine.cycle_at_ms(limit_ms);
    machine.allow_work_of((limit - machine.now().min(limit)) / CYCLES_OF_WORK);
    let mut playback = Playback::new(script);
    let end = loop {
        let slice = machine.cycle_at_ms(machine.nanoseconds() / 1_000_000 + SLICE_MS);
        let until = Until { cycle: slice.min(limit), ..Until::KEY_WAIT };
        let played = playback.run(machine, &until, &mut NoFiles, last);
        output.extend(machine.take_printout());
        if output.len() > MOST_OUTPUT {
            output.truncate(MOST_OUTPUT);
            break End::Flood;
        }
        break match played {
            Played::Failed(line, why) | Played::Unwritten(line, why) => {
                // What the screen is, the report shows anyway.
                let first = why.lines().next().unwrap_or_default().trim_end_matches("; it is:");
                End::Script(line, first.to_owned())
            }
            Played::Stopped(stop) => match stop {
                Stop::Exited(code) => End::Exited(code),
                Stop::KeyWait | Stop::InputWait => End::Waiting,
                Stop::Crashed(crash) => {
                    let why = format!("{} (INT {:02X}h), {}", crash.name(), crash.exception, crash.hint());
                    return (End::Crashed(why), (crash.registers.cs(), crash.registers.ip as u16));
                }
                Stop::Dead(why) => End::Crashed(without_place(&why)),
                Stop::Cycle | Stop::Breakpoint if machine.now() < limit => continue,
                Stop::Cycle | Stop::Breakpoint => End::Limit(limit_ms),
                Stop::Instructions => End::Work(limit_ms),
            },
        };
    };
    let (cs, ip) = machine.position();
    // Behind the INT that waits, or the HLT: their last byte is still of that line.
    let back = u16::from(matches!(end, End::Waiting | End::Crashed(_)));
    (end, (cs, ip.wrapping_sub(back)))
}

/// A stop's reason without the CS:IP at its end, which is told with the line.
fn without_place(why: &str) -> String {
    let is_place = |text: &str| text.len() == 9 && text.chars().all(|c| c.is_ascii_hexdigit() || c == ':');
    why.rsplit_once(" at ").filter(|(_, place)| is_place(place)).map_or(why, |(reason, _)| reason).to_owned()
}

/// A script of a suite expects; its pictures and texts belong to whoever recorded it.
struct NoFiles;

impl ScriptHost for NoFiles {
    fn shot(&mut self, _: &str, _: &vga::Frame) -> Result<(), String> {
        Ok(())
    }

    fn text(&mut self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}

/// Remembers from where the program has ended itself.
#[derive(Default)]
struct LastService {
    ended: Option<(u16, u16)>,
}

impl Observer for LastService {
    fn service(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let ends = match vector {
            0x20 | 0x27 => true,
            0x21 => matches!(cpu.regs.ah(), 0x00 | 0x31 | 0x4C),
            _ => false,
        };
        if ends {
            let (cs, ip) = firmware::caller(cpu, hw);
            self.ended = Some((cs, ip.wrapping_sub(1)));
        }
    }
}

/// The same, and counts what is executed.
struct Counted {
    last: LastService,
    programs: Programs,
    coverage: Coverage,
}

impl Counted {
    fn new(program: &Program, machine: &Machine) -> Counted {
        let symbols = program.symbols.clone().unwrap_or_default();
        let loaded = Loaded::new(symbols, &machine.cpu().regs, program.bytes.len());
        let programs = Programs::new(&program.name, loaded, machine, Box::new(|_| None));
        Counted { last: LastService::default(), programs, coverage: Coverage::new() }
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
