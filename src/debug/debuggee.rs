//! A program under a debugger: its history, its symbols, its breakpoints.
//!
//! Shared by the terminal's debugger, gdb and editors.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::loaded_programs::LoadedPrograms;
use oxbox::cpu::Registers;
use oxbox::hardware::linear;
use oxbox::inspect::expression::{self, Expression, ExpressionError, Named, Scope, Value};
use oxbox::inspect::{
    CrashReport, LastInstructions, Lookup, Place, Program, ROM, SourceLine, Stepper, StopReason, Symbols,
};
use oxbox::machine::{Action, End, Machine, Script, Timeline, Until};

/// The most instructions of a step.
const LONGEST_STEP: u64 = 2_000_000_000;

/// The maximum size of checkpoints in bytes.
const MOST_BYTES: usize = 256 << 20;

#[derive(Debug, Clone)]
pub(crate) struct Breakpoint {
    pub(crate) text: String,
    pub(crate) place: Place,
    pub(crate) condition: Option<Expression>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) line: u32,
}

/// A program under a debugger.
#[cfg_attr(
    not(feature = "terminal"),
    allow(dead_code, reason = "only the terminal's debugger shows titles and source lines")
)]
pub(crate) struct Debuggee {
    pub(crate) timeline: Timeline,
    pub(crate) title: String,
    known: LoadedPrograms,
    /// The folder searched for sources, in addition to the current one.
    folder: PathBuf,
    pub(crate) breakpoints: Vec<Breakpoint>,
    sources: HashMap<String, Vec<String>>,
}

/// Stores the program's files, however the debugger ends.
impl Drop for Debuggee {
    fn drop(&mut self) {
        let flush = || drop(self.timeline.machine_mut().flush_files());
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(flush));
    }
}

#[cfg_attr(
    not(feature = "terminal"),
    allow(dead_code, reason = "only the terminal's debugger shows titles and source lines")
)]
impl Debuggee {
    /// Returns a machine with a program that has just been loaded, and the keys that are typed to
    /// it; `lookup` finds symbols of programs that it executes.
    pub(crate) fn new(
        machine: Machine,
        script: Script,
        title: &str,
        symbols: Option<Symbols>,
        size: usize,
        folder: &Path,
        lookup: Lookup,
    ) -> Debuggee {
        let program = Program::new(symbols.unwrap_or_default(), &machine.cpu().regs, size);
        let mut timeline = Timeline::new(machine, MOST_BYTES);
        // Checks of the screen and output files are not supported in a debugger.
        let typed =
            |action: &Action| !matches!(action, Action::Expect(_) | Action::Shot(_) | Action::Text(_));
        let steps = script.steps.into_iter().filter(|step| typed(&step.action)).collect();
        timeline.set_script(Script { steps, ..Script::default() });
        Debuggee {
            timeline,
            title: title.to_owned(),
            known: LoadedPrograms::new(program, lookup),
            folder: folder.to_owned(),
            breakpoints: Vec::new(),
            sources: HashMap::new(),
        }
    }

    pub(crate) fn registers(&self) -> &Registers {
        &self.timeline.machine().cpu().regs
    }

    /// Returns the linear address of CS:IP.
    pub(crate) fn pc(&self) -> u32 {
        linear(self.registers().cs(), self.registers().ip as u16)
    }

    /// Returns CS:IP of the current instruction; during a BIOS or DOS service that of its INT.
    pub(crate) fn place(&mut self) -> (u16, u16) {
        self.timeline.machine().instruction_position()
    }

    /// Returns the source line of the program's current instruction.
    pub(crate) fn line(&mut self) -> Option<Line> {
        let (cs, ip) = self.place();
        self.line_at(linear(cs, ip))
    }

    pub(crate) fn running(&self) -> Rc<Program> {
        self.known.running(self.timeline.machine())
    }

    /// Returns the source line of a linear address.
    pub(crate) fn line_at(&self, address: u32) -> Option<Line> {
        let told = |line: SourceLine| Line { file: line.file.to_owned(), line: line.line };
        self.known.line_at(self.timeline.machine(), address, told)
    }

    /// Returns the name at or before a linear address of a program, such as `start+3`.
    pub(crate) fn name_of(&self, address: u32) -> Option<String> {
        let (name, past) = self.known.symbol_at(self.timeline.machine(), address)?;
        Some(if past == 0 { name } else { format!("{name}+{past:X}h") })
    }

    /// Returns the name at exactly this linear address.
    pub(crate) fn name_at(&self, address: u32) -> Option<String> {
        self.known
            .symbol_at(self.timeline.machine(), address)
            .filter(|(_, past)| *past == 0)
            .map(|(name, _)| name)
    }

    /// Returns `game.asm:12` without its folder, a name, or CS:IP.
    pub(crate) fn describe(&self, cs: u16, ip: u16) -> String {
        let address = linear(cs, ip);
        match (self.line_at(address), self.name_of(address)) {
            (Some(line), _) => {
                let name = line.file.rsplit(['/', '\\']).next().unwrap_or_default();
                format!("{name}:{}", line.line)
            }
            (None, Some(name)) if cs != ROM => name,
            _ => format!("{cs:04X}:{ip:04X}"),
        }
    }

    /// Returns the lines of a source file, if it can be read.
    pub(crate) fn source(&mut self, file: &str) -> &[String] {
        let folder = &self.folder;
        self.sources.entry(file.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(file).or_else(|_| std::fs::read(folder.join(file))).unwrap_or_default();
            String::from_utf8_lossy(&bytes).lines().map(|line| line.replace('\t', "        ")).collect()
        })
    }

    pub(crate) fn read(&mut self, address: u32, len: u32) -> Vec<u8> {
        self.timeline.machine_mut().read_memory(address, len)
    }

    pub(crate) fn evaluate(&mut self, text: &str) -> Result<Value, String> {
        self.with_scope(|scope| text.parse::<Expression>()?.value(scope))
    }

    /// Parses a condition; all its names must be known.
    pub(crate) fn condition(&mut self, text: &str) -> Result<Expression, String> {
        self.with_scope(|scope| {
            let condition: Expression = text.parse()?;
            condition.check(scope)?;
            Ok(condition)
        })
    }

    pub(crate) fn place_of(&mut self, text: &str) -> Result<expression::Place, String> {
        self.with_scope(|scope| text.parse::<Expression>()?.place(scope))
    }

    fn with_scope<T>(
        &mut self,
        told: impl FnOnce(&mut dyn Scope) -> Result<T, ExpressionError>,
    ) -> Result<T, String> {
        let mut scope = Guest { machine: self.timeline.machine_mut(), known: &self.known };
        told(&mut scope).map_err(|error| error.to_string())
    }

    /// Adds a breakpoint: `game.asm:12`, `12`, a name, `1234:0100`, `int 21h ah=9`, `port 3C8h`,
    /// `write board`, `read board 4`, each optionally followed by `if EXPRESSION`.
    pub(crate) fn add_breakpoint(&mut self, text: &str) -> Result<usize, String> {
        let (place, condition) = match text.split_once(" if ") {
            Some((place, condition)) => (place.trim(), Some(self.condition(condition)?)),
            None => (text.trim(), None),
        };
        let place = self.parse_place(place)?;
        self.breakpoints.push(Breakpoint { text: text.trim().to_owned(), place, condition });
        Ok(self.breakpoints.len() - 1)
    }

    fn parse_place(&mut self, text: &str) -> Result<Place, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let hex = |word: &str| {
            let lower = word.to_ascii_lowercase();
            let digits = lower.trim_start_matches("0x").trim_end_matches('h');
            u32::from_str_radix(digits, 16).map_err(|_| format!("'{word}' is not a hexadecimal number"))
        };
        match words[..] {
            ["int", vector, ref rest @ ..] => {
                let vector = u8::try_from(hex(vector)?).map_err(|_| "interrupts go up to FFh".to_owned())?;
                let (mut ah, mut ax) = (None, None);
                for word in rest {
                    match word.to_ascii_lowercase().split_once('=') {
                        Some(("ah", value)) => ah = Some(hex(value)? as u8),
                        Some(("ax", value)) => ax = Some(hex(value)? as u16),
                        _ => return Err(format!("cannot parse '{word}'; use ah= or ax=")),
                    }
                }
                Ok(Place::Interrupt { vector, ah, ax })
            }
            ["port", port] => {
                let port = u16::try_from(hex(port)?).map_err(|_| "ports go up to FFFFh".to_owned())?;
                Ok(Place::Port(port))
            }
            [kind @ ("write" | "read"), at, ref rest @ ..] => {
                let from = self.address_of(at)?;
                let length = match rest {
                    [] => 1,
                    [count] => u32::try_from(self.evaluate(count)?.get()).unwrap_or(1).max(1),
                    _ => return Err("write an address and a number of bytes".to_owned()),
                };
                let bytes = from..from.saturating_add(length);
                Ok(if kind == "write" { Place::Write(bytes) } else { Place::Read(bytes) })
            }
            [place] => self.address_of(place).map(Place::Address),
            _ => Err(format!("'{text}' is not a place: a line, a name, SEG:OFF, int, port, write or read")),
        }
    }

    /// Returns the linear address of a line, or of a place in an expression: a name, `vals[si]`,
    /// `1234:0100`, `ds:bx`, `[bx+2]`.
    pub(crate) fn address_of(&mut self, text: &str) -> Result<u32, String> {
        let here = || {
            let line = self.line_at(self.pc()).map(|line| line.file);
            line.or_else(|| self.running().symbols().files().first().cloned())
        };
        let file_and_line = match text.rsplit_once(':') {
            Some((file, line)) => line.parse::<u32>().ok().map(|line| (file.to_owned(), line)),
            None => text.parse::<u32>().ok().and_then(|line| Some((here()?, line))),
        };
        if let Some((file, line)) = file_and_line {
            if let Some((_, address)) = self.addresses_of_line(&file, line) {
                return Ok(address);
            }
            if !text.contains(':') || file.contains('.') {
                return Err(format!("{file}:{line} has no code, and none below it"));
            }
        }
        // A name may contain characters that expressions do not allow.
        if let Some(Named::Place(segment, offset)) = self.known.named(self.timeline.machine(), text) {
            return Ok(linear(segment, offset));
        }
        self.place_of(text).map(expression::Place::address)
    }

    /// Returns the first line at or after a line that has code, and the code's linear address.
    pub(crate) fn addresses_of_line(&self, file: &str, line: u32) -> Option<(u32, u32)> {
        const FURTHEST: u32 = 20;
        let programs = self.known.all(self.timeline.machine());
        (line..line.saturating_add(FURTHEST)).find_map(|line| {
            let address = |program: &Rc<Program>| {
                let address = program.symbols().addresses_of(file, line).first().copied();
                address.map(|address| program.base() + address)
            };
            programs.iter().find_map(address).map(|address| (line, address))
        })
    }

    /// Continues for up to this much virtual time.
    pub(crate) fn go_on(&mut self, cycles: u64) -> StopReason {
        let until = Until { cycle: self.timeline.position().cycle.saturating_add(cycles), ..Until::KEY_WAIT };
        self.stepper(|stepper| stepper.run(&until))
    }

    /// Runs back to the breakpoint that was passed last.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method has one lifetime, the closure any"
    )]
    pub(crate) fn go_back(&mut self) -> StopReason {
        self.stepper(|stepper| stepper.run_back())
    }

    /// Steps or runs with the breakpoints.
    pub(super) fn stepper<T>(&mut self, run: impl FnOnce(&mut Stepper) -> T) -> T {
        let Debuggee { timeline, known, breakpoints, .. } = self;
        let places: Vec<Place> = breakpoints.iter().map(|breakpoint| breakpoint.place.clone()).collect();
        let holds = |number: usize, machine: &mut Machine| {
            let condition = breakpoints.get(number).and_then(|breakpoint| breakpoint.condition.as_ref());
            condition.is_none_or(|condition| condition.holds(&mut Guest { machine, known }))
        };
        run(&mut Stepper::new(timeline, &places, &holds, LONGEST_STEP))
    }

    /// Returns the call stack: CS:IP of the current instruction, then the return addresses on the
    /// stack that follow calls.
    pub(crate) fn frames(&mut self) -> Vec<(u16, u16)> {
        const WORDS: u16 = 256;
        let registers = self.registers().clone();
        let (cs, ss, sp) = (registers.cs(), registers.ss(), registers.sp());
        let mut frames = vec![(cs, registers.ip as u16)];
        let mut code = cs;
        let stack = self.read(linear(ss, sp), u32::from(WORDS) * 2);
        let words: Vec<u16> =
            stack.chunks_exact(2).map(|word| u16::from_le_bytes([word[0], word[1]])).collect();
        for (index, &word) in words.iter().enumerate() {
            if usize::from(sp) + index * 2 > 0xFFFE || frames.len() > 32 {
                break;
            }
            let far = words.get(index + 1).copied().unwrap_or(0);
            if word >= 5 && self.is_program(far, word) && self.read(linear(far, word - 5), 1) == [0x9A] {
                code = far;
                frames.push((far, word));
            } else if word >= 3 && self.is_program(code, word) && self.calls_before(code, word) {
                frames.push((code, word));
            }
        }
        frames
    }

    /// Returns why the program has ended abnormally, like `oxbox run`: sentence and details.
    pub(super) fn why(&mut self, end: &End) -> (String, Option<CrashReport>) {
        if !matches!(end, End::Crashed(_) | End::Dead(_)) {
            return (end.detail().unwrap_or_default(), None);
        }
        let mut last = LastInstructions::new(CrashReport::REACH);
        if !self.timeline.show_last(CrashReport::REACH as u64, &mut last) {
            last = LastInstructions::new(0);
        }
        let machine = self.timeline.machine();
        let explanation = CrashReport::new(machine, &self.known.running(machine), end, &last);
        let text = match end {
            End::Crashed(crash) => explanation.of_crash(crash),
            end => explanation.hint.iter().fold(end.to_string(), |text, hint| format!("{text}: {hint}")),
        };
        (text, Some(explanation))
    }

    fn is_program(&self, segment: u16, offset: u16) -> bool {
        self.known.at(self.timeline.machine(), linear(segment, offset)).is_some()
    }

    fn calls_before(&mut self, segment: u16, offset: u16) -> bool {
        let before = self.read(linear(segment, offset).saturating_sub(4), 4);
        matches!(before[..], [_, 0xE8, _, _] | [0xFF, 0x16, _, _])
            || matches!(before[..], [_, _, 0xFF, modrm] if modrm & 0x38 == 0x10)
            || matches!(before[..], [_, 0xFF, modrm, _] if modrm & 0x38 == 0x10 && modrm >> 6 == 1)
    }
}

/// The machine and the symbols of its programs, for expressions.
struct Guest<'a> {
    machine: &'a mut Machine,
    known: &'a LoadedPrograms,
}

impl Scope for Guest<'_> {
    fn registers(&self) -> &Registers {
        &self.machine.cpu().regs
    }

    fn read(&mut self, address: u32) -> Option<u8> {
        self.machine.read_memory(address, 1).first().copied()
    }

    fn symbol(&self, name: &str) -> Option<Named> {
        self.known.named(self.machine, name)
    }
}
