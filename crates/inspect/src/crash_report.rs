//! Crash reports: the place and its source, registers, the last instructions, calls, and a hint.

use super::disassembly::{bytes_at, disassemble};
use super::hint::Hint;
use super::hints::CrashContext;
use super::last::{LastInstructions, Moment};
use super::program::{Program, SourcePlace};
use super::stack::{self, Frame};
use super::symbols::SymbolKind;
use oxbox_cpu::{Flags, Registers};
use oxbox_machine::hardware::linear;
use oxbox_machine::machine::{Crash, End, Machine, Session};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

const MOST_STEPS: usize = 20;

/// The most instructions outside of the program's code in a report.
const STRAY_STEPS: usize = 5;

/// The number of source lines shown before and after the current one.
const LINES_AROUND: u32 = 2;

/// The size limit of displayed sources.
const LARGEST_SOURCE: u64 = 16 << 20;

/// An executed instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// CS and IP.
    pub at: (u16, u16),
    /// Its place in the source.
    pub place: Option<SourcePlace>,
    /// The instruction in assembly language.
    pub text: String,
    /// The changed registers, as `AX=0005`.
    pub changes: Vec<String>,
    /// The number of preceding instructions that are left out.
    pub skipped: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    number: u32,
    text: String,
}

/// A crash report.
#[derive(Debug, Clone)]
pub struct CrashReport {
    /// CS and IP of the instruction.
    pub at: (u16, u16),
    /// Its place in the source.
    pub place: Option<SourcePlace>,
    /// The most likely mistake.
    pub hint: Option<Hint>,
    /// The source place of the instruction that the hint names.
    pub hint_place: Option<SourcePlace>,
    /// The registers before the instruction.
    pub registers: Registers,
    /// The last instructions, in order of execution; empty if unknown.
    pub last: Vec<Step>,
    /// The location of the loop, if all of the last instructions are in one.
    pub circle: Option<String>,
    /// The call stack, the innermost routine first.
    pub calls: Vec<(Frame, Option<SourcePlace>)>,
    segments: BTreeMap<u16, &'static str>,
    source: Vec<Line>,
}

impl CrashReport {
    /// The number of instructions that [`LastInstructions`] must keep: enough to pass once through
    /// a segment of zeros.
    pub const REACH: usize = Session::<()>::LAST_INSTRUCTIONS as usize;

    /// Explains the end of a run. `last` holds the last executed instructions, as far as known.
    pub fn new(machine: &Machine, program: &Program, end: &End, last: &LastInstructions) -> CrashReport {
        let registers = match (end, last.moments().back()) {
            (End::Crashed(crash), _) => crash.registers.clone(),
            (End::Dead(_), Some(moment)) => moment.registers.clone(),
            _ => {
                let mut registers = machine.cpu().regs.clone();
                let (cs, ip) = machine.position();
                registers.set_cs(cs);
                registers.ip = u32::from(ip);
                registers
            }
        };
        let at = (registers.cs(), registers.ip as u16);
        // IP had advanced to 10000h.
        let ran_off = matches!(end, End::Crashed(crash) if crash.exception == 0x0D)
            && at.1 == 0
            && last.moments().back().is_some_and(|moment| moment.at().1 > 0xFFF0);
        let memory = &machine.hardware().memory;
        let byte = |segment: u16, offset: u16| memory.read8(linear(segment, offset));
        let bytes = bytes_at(machine.hardware(), at.0, at.1);
        let model = machine.cpu().model;
        let moments = last.moments();
        let evidence = CrashContext {
            program,
            model,
            end,
            registers: &registers,
            bytes,
            ran_off,
            last: moments,
            byte: &byte,
            in_service: machine.hardware().interrupts_in_service(),
        };
        let place = program.place(at.0, at.1).filter(|_| !ran_off);
        let hint = evidence.hint();
        let hint_place = hint.as_ref().and_then(|hint| hint.at).and_then(|(cs, ip)| program.place(cs, ip));
        let calls = stack::frames(program, &registers, byte).into_iter();
        CrashReport {
            at,
            hint,
            hint_place,
            last: steps(program, moments, evidence.left_at(), &registers),
            circle: circle(program, last).filter(|_| !matches!(end, End::Crashed(_))),
            calls: calls.map(|frame| (frame.clone(), program.place(frame.at.0, frame.at.1))).collect(),
            segments: segments(program),
            source: place.as_ref().map(around).unwrap_or_default(),
            place,
            registers,
        }
    }
}

impl CrashReport {
    /// Describes a crash, for a sentence after the program's name: what happened, where, and why.
    pub fn of_crash(&self, crash: &Crash) -> String {
        let place = self.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        let hint = self.hint.as_ref().map_or_else(|| crash.hint().to_owned(), Hint::to_string);
        format!("crashed: {crash}{place}: {hint}")
    }
}

/// Returns the last instructions; outside the program's code, those before it and the very last.
fn steps(
    program: &Program,
    moments: &VecDeque<Moment>,
    left_at: Option<usize>,
    end: &Registers,
) -> Vec<Step> {
    let count = moments.len();
    let first = count.saturating_sub(MOST_STEPS);
    let told: Vec<usize> = match left_at {
        Some(left) if left + STRAY_STEPS < count => {
            let first = (left + 1).saturating_sub(MOST_STEPS - STRAY_STEPS);
            (first..=left).chain((count - STRAY_STEPS).max(left + 1)..count).collect()
        }
        _ => (first..count).collect(),
    };
    let names = |segment, offset| program.name_at(segment, offset).map(str::to_owned);
    let mut next = told.first().copied().unwrap_or_default();
    let step = |at: usize| {
        let moment = moments.get(at)?;
        let after = moments.get(at + 1).map_or(end, |moment| &moment.registers);
        let skipped = at - next;
        next = at + 1;
        Some(Step {
            at: moment.at(),
            place: program.place(moment.at().0, moment.at().1),
            text: disassemble(&moment.bytes, &moment.registers, &names).text,
            changes: changes(&moment.registers, after),
            skipped,
        })
    };
    told.into_iter().filter_map(step).collect()
}

const WORDS: [&str; 8] = ["AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI"];

/// Returns the changed registers, except SP and CS.
pub(super) fn changes(before: &Registers, after: &Registers) -> Vec<String> {
    let general =
        before.gpr.iter().zip(after.gpr).zip(WORDS).filter(|((old, new), name)| *old != new && *name != "SP");
    let general = general.map(|((old, new), name)| match old >> 16 == new >> 16 {
        true => format!("{name}={:04X}", new as u16),
        false => format!("E{name}={new:08X}"),
    });
    let segments = before.seg.iter().zip(after.seg).zip(Registers::SEGMENTS);
    let segments = segments.filter(|((old, new), name)| *old != new && *name != "CS");
    general.chain(segments.map(|((_, new), name)| format!("{name}={new:04X}"))).collect()
}

/// Returns the location of the last instructions if there are enough of them for a loop.
fn circle(program: &Program, last: &LastInstructions) -> Option<String> {
    const FEW: usize = 500;
    let moments = last.moments();
    let places: BTreeSet<(u16, u16)> = moments.iter().map(Moment::at).collect();
    if places.is_empty() || places.len() > FEW || moments.len() < 20 * places.len() {
        return None;
    }
    let mut lines: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let mut unknown: Option<((u16, u16), (u16, u16))> = None;
    for &(cs, ip) in &places {
        match program.place(cs, ip) {
            Some(SourcePlace { file: Some(file), line: Some(line), .. }) => {
                lines.entry(file).or_default().insert(line);
            }
            _ => unknown = Some((unknown.map_or((cs, ip), |(first, _)| first), (cs, ip))),
        }
    }
    let known = lines.into_iter().map(|(file, lines)| match (lines.first(), lines.last()) {
        (Some(first), Some(last)) if first != last => format!("{file}:{first} to {last}"),
        (Some(first), _) => format!("{file}:{first}"),
        _ => file,
    });
    let unknown = unknown.map(|((cs, first), (_, last))| format!("{cs:04X}:{first:04X} to {last:04X}"));
    let places_text: Vec<String> = known.chain(unknown).collect();
    let (all, count, where_) = (moments.len(), places.len(), places_text.join(", "));
    let s = if count == 1 { "" } else { "s" };
    Some(format!("the last {all} instructions were a loop of {count} instruction{s} in {where_}"))
}

fn segments(program: &Program) -> BTreeMap<u16, &'static str> {
    let mut names = BTreeMap::from([(program.stack().0, "stack"), (program.entry().0, "code")]);
    let data = program.symbols().symbols().iter().find(|symbol| symbol.kind == SymbolKind::Data);
    if let Some(data) = data.filter(|_| !program.is_com()) {
        names.entry((program.base() / 16) as u16 + data.frame).or_insert("data");
    }
    names.insert(program.psp(), "PSP");
    names
}

fn around(place: &SourcePlace) -> Vec<Line> {
    let (Some(file), Some(line)) = (&place.file, place.line) else { return Vec::new() };
    let small = std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() <= LARGEST_SOURCE);
    let Some(bytes) = small.then(|| std::fs::read(file).ok()).flatten() else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    let first = line.saturating_sub(LINES_AROUND).max(1);
    let lines = (1..).zip(text.lines()).skip_while(|(number, _)| *number < first);
    lines
        .take_while(|(number, _)| *number <= line + LINES_AROUND)
        .map(|(number, text)| Line { number, text: shown(text) })
        .collect()
}

/// Removes tabs and control characters.
fn shown(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
    text.trim_end().chars().take(120).collect()
}

/// Formats several lines, the first of them blank, for display below the line that reports the end.
impl fmt::Display for CrashReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.source.is_empty() {
            writeln!(f)?;
        }
        for Line { number, text } in &self.source {
            let mark =
                if Some(*number) == self.place.as_ref().and_then(|place| place.line) { '>' } else { ' ' };
            writeln!(f, "  {mark}{number:>5} | {text}")?;
        }
        if let Some(circle) = &self.circle {
            writeln!(f, "\n{circle}")?;
        }
        self.write_registers(f)?;
        if !self.last.is_empty() {
            writeln!(f, "\nlast instructions, and the registers that they changed")?;
        }
        let width =
            self.last.iter().map(|step| place_text(step.place.as_ref()).chars().count()).max().unwrap_or(0);
        for Step { at: (cs, ip), place, text, changes, skipped } in &self.last {
            if *skipped > 0 {
                writeln!(f, "  ... {skipped} more")?;
            }
            let place = place_text(place.as_ref());
            let line = format!("  {cs:04X}:{ip:04X} {place:<width$}  {text:<32} {}", changes.join(" "));
            writeln!(f, "{}", line.trim_end())?;
        }
        if self.calls.len() > 1 {
            writeln!(f, "\ncalled from")?;
        }
        const SHOWN: usize = 12;
        for (Frame { at: (cs, ip) }, place) in self.calls.iter().skip(1).take(SHOWN) {
            let symbol = place.as_ref().and_then(|place| place.symbol.as_deref()).unwrap_or_default();
            let line = format!("  {cs:04X}:{ip:04X} {:<width$}  {symbol}", place_text(place.as_ref()));
            writeln!(f, "{}", line.trim_end())?;
        }
        match self.calls.len().saturating_sub(1 + SHOWN) {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more"),
        }
    }
}

fn place_text(place: Option<&SourcePlace>) -> String {
    place.map(SourcePlace::to_string).unwrap_or_default()
}

impl CrashReport {
    fn write_registers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ORDER: [[usize; 4]; 2] = [[0, 3, 1, 2], [6, 7, 5, 4]];
        writeln!(f, "\nregisters")?;
        for row in ORDER {
            let mut line = String::from(" ");
            for number in row {
                let (value, name) = (self.registers.gpr[number], WORDS[number]);
                let cell = match value >> 16 {
                    0 => format!(" {name}={value:04X} ({value})"),
                    _ => format!(" E{name}={value:08X}"),
                };
                line.push_str(&format!("{cell:<18}"));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        let mut line = String::from(" ");
        for number in [1, 3, 0, 2] {
            let value = self.registers.seg[number];
            let name = self.segments.get(&value).map(|name| format!(" ({name})")).unwrap_or_default();
            line.push_str(&format!("{:<18}", format!(" {}={value:04X}{name}", Registers::SEGMENTS[number])));
        }
        writeln!(f, "{}", line.trim_end())?;
        const FLAGS: [(u32, &str); 7] = [
            (Flags::CF, "carry"),
            (Flags::ZF, "zero"),
            (Flags::SF, "sign"),
            (Flags::OF, "overflow"),
            (Flags::PF, "parity"),
            (Flags::DF, "direction"),
            (Flags::IF, "interrupts"),
        ];
        let set: Vec<&str> =
            FLAGS.iter().filter(|(flag, _)| self.registers.flag(*flag)).map(|(_, name)| *name).collect();
        writeln!(f, "  flags: {}", if set.is_empty() { "none".to_owned() } else { set.join(", ") })
    }
}
