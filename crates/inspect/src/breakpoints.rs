//! Breakpoints for runs forwards and backwards.
//!
//! Instruction addresses and memory writes are detected at full speed; ports, interrupts and reads
//! by observing each instruction. A forward run stops before the instruction, but after a write. A
//! backward run always stops before.

use super::access;
use iced_x86::InstructionInfoFactory;
use oxbox_cpu::Cpu;
use oxbox_machine::hardware::{Hardware, linear};
use oxbox_machine::machine::{End, Machine, Observer, Position, Stop, Timeline, Until};
use std::ops::Range;

/// The start of video memory, in which writes are found by observing each instruction.
const VIDEO: u32 = 0xA_0000;

/// Instructions run at full speed between two checks for writes.
const SLICE: u64 = 20_000;

/// The place of a breakpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The instruction at a linear address.
    Address(u32),
    /// An INT instruction with this number, and with this AH or AX.
    Interrupt {
        /// The interrupt number.
        vector: u8,
        /// The function in AH; `None` for any.
        ah: Option<u8>,
        /// The function in AX; `None` for any.
        ax: Option<u16>,
    },
    /// An IN or OUT that includes this port.
    Port(u16),
    /// A write to one of these bytes (linear addresses).
    Write(Range<u32>),
    /// A read of one of these bytes.
    Read(Range<u32>),
}

impl Place {
    fn needs_every_instruction(&self) -> bool {
        match self {
            Place::Address(_) => false,
            Place::Write(bytes) => bytes.end > VIDEO,
            Place::Interrupt { .. } | Place::Port(_) | Place::Read(_) => true,
        }
    }
}

/// Evaluates the condition of a breakpoint, for [`Breakpoints::run`].
pub type Holds<'a> = &'a dyn Fn(usize, &mut Machine) -> bool;

/// The reason why a run under a debugger stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// A step is complete, or the limit of instructions was reached.
    Step,
    /// The breakpoint with this number, from 0.
    Breakpoint(usize),
    /// The program waits for a key or for input.
    KeyWait,
    /// The time for the run is over; the program continues.
    Running,
    /// The beginning of the history, for a backward run.
    Beginning,
    /// The program has ended.
    Ended(End),
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> Self {
        match (End::of(&stop), stop) {
            (Some(end), _) => StopReason::Ended(end),
            (None, Stop::KeyWait | Stop::InputWait) => StopReason::KeyWait,
            (None, Stop::Cycle) => StopReason::Running,
            (None, _) => StopReason::Step,
        }
    }
}

/// A set of breakpoints.
///
/// ```
/// use oxbox_inspect::{Breakpoints, Place, StopReason};
/// use oxbox_machine::machine::{Config, Timeline, Machine, Until};
///
/// let mut machine = Machine::new(&Config::default())?;
/// // mov cx, 3; again: inc byte [200h]; loop again; int 20h
/// machine.load(b"\xB9\x03\x00\xFE\x06\x00\x02\xE2\xFA\xCD\x20", "COUNT.COM", "")?;
/// let base = u32::from(machine.cpu().regs.ds()) * 16;
/// let mut timeline = Timeline::new(machine, 1 << 20);
///
/// let breakpoints = Breakpoints::new(vec![Place::Write(base + 0x200..base + 0x201)]);
/// let always = &|_, _: &mut Machine| true;
/// assert_eq!(breakpoints.run(&mut timeline, &Until::KEY_WAIT, always), StopReason::Breakpoint(0));
/// assert_eq!(timeline.machine_mut().read_memory(base + 0x200, 1), [1]);
/// breakpoints.run(&mut timeline, &Until::KEY_WAIT, always);
/// assert_eq!(timeline.machine_mut().read_memory(base + 0x200, 1), [2]);
/// // Backwards it stops before the write.
/// assert_eq!(breakpoints.run_back(&mut timeline, always), StopReason::Breakpoint(0));
/// assert_eq!(timeline.machine_mut().read_memory(base + 0x200, 1), [1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Breakpoints {
    places: Vec<Place>,
}

/// An observer that stops before the machine's stops.
struct Stops;

impl Observer for Stops {
    const STOPS: bool = true;
}

struct Look<'a> {
    places: &'a [Place],
    factory: InstructionInfoFactory,
    /// The position at which the run has already stopped, where nothing is reported.
    past: Option<Position>,
    interrupted_at: Option<u64>,
    found: Option<(Position, usize)>,
    /// Whether to stop at the first match.
    stops: bool,
}

impl<'a> Look<'a> {
    fn new(places: &'a [Place], stops: bool) -> Self {
        let factory = InstructionInfoFactory::new();
        Look { places, factory, past: None, interrupted_at: None, found: None, stops }
    }

    fn matches(&mut self, cpu: &Cpu, hw: &Hardware) -> Option<usize> {
        let registers = &cpu.regs;
        let here = linear(registers.cs(), registers.ip as u16);
        let instruction = access::instruction_at(registers, hw);
        let mut touched = None;
        self.places.iter().position(|place| match place {
            Place::Address(address) => *address == here,
            // Detected by the contents of memory, whatever wrote it.
            Place::Write(bytes) if bytes.end <= VIDEO => false,
            Place::Interrupt { vector, ah, ax } => {
                access::interrupt_of(&instruction) == Some(*vector)
                    && ah.is_none_or(|ah| ah == registers.ah())
                    && ax.is_none_or(|ax| ax == registers.ax())
            }
            Place::Port(port) => access::ports_of(&instruction, registers)
                .is_some_and(|ports| ports.contains(&u32::from(*port))),
            Place::Write(bytes) | Place::Read(bytes) => {
                let touched = touched
                    .get_or_insert_with(|| access::touched(&mut self.factory, &instruction, registers));
                let writes = matches!(place, Place::Write(_));
                touched.iter().any(|touched| {
                    (if writes { touched.writes } else { touched.reads })
                        && touched.bytes.start < bytes.end
                        && bytes.start < touched.bytes.end
                })
            }
        })
    }
}

impl Observer for Look<'_> {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        let interrupted = self.interrupted_at == Some(cpu.cycles);
        let position = Position { cycle: cpu.cycles, interrupted };
        if self.past.take() == Some(position) {
            return;
        }
        if let Some(index) = self.matches(cpu, hw) {
            self.found = Some((position, index));
        }
    }

    fn interrupt(&mut self, _: u8, cpu: &Cpu, _: &Hardware) {
        self.interrupted_at = Some(cpu.cycles);
    }

    fn wants_stop(&self) -> bool {
        self.stops && self.found.is_some()
    }
}

impl Breakpoints {
    /// Creates breakpoints at these places.
    pub fn new(places: Vec<Place>) -> Breakpoints {
        Breakpoints { places }
    }

    /// Returns the places.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    fn looks_at_all(&self) -> bool {
        self.places.iter().any(Place::needs_every_instruction)
    }

    fn addresses(&self) -> Vec<u32> {
        let address = |place: &Place| if let Place::Address(address) = place { Some(*address) } else { None };
        self.places.iter().filter_map(address).collect()
    }

    /// Returns the writes that are detected at full speed.
    fn writes(&self) -> Vec<(usize, Range<u32>)> {
        let numbered = self.places.iter().enumerate();
        numbered
            .filter(|(_, place)| !place.needs_every_instruction())
            .filter_map(|(number, place)| match place {
                Place::Write(bytes) => Some((number, bytes.clone())),
                _ => None,
            })
            .collect()
    }

    /// Returns the breakpoint at the current instruction.
    fn at_address(&self, machine: &Machine) -> Option<usize> {
        let registers = &machine.cpu().regs;
        let here = linear(registers.cs(), registers.ip as u16);
        self.places.iter().position(|place| *place == Place::Address(here))
    }

    fn arm(&self, timeline: &mut Timeline) {
        let bytes: Vec<Range<u32>> = self.writes().into_iter().map(|(_, bytes)| bytes).collect();
        timeline.machine_mut().set_stops(&self.addresses());
        timeline.machine_mut().watch_writes(&bytes);
    }

    fn disarm(timeline: &mut Timeline) {
        timeline.machine_mut().set_stops(&[]);
        timeline.machine_mut().watch_writes(&[]);
    }

    /// Runs to the next breakpoint whose condition holds, except one at the current instruction.
    pub fn run(&self, timeline: &mut Timeline, until: &Until, holds: Holds) -> StopReason {
        self.arm(timeline);
        let reached = self.forwards(timeline, until, holds);
        Self::disarm(timeline);
        reached
    }

    fn forwards(&self, timeline: &mut Timeline, until: &Until, holds: Holds) -> StopReason {
        let before = timeline.position();
        timeline.enter_interrupt();
        if timeline.position() != before
            && let Some(number) = self.at_address(timeline.machine())
            && holds(number, timeline.machine_mut())
        {
            return StopReason::Breakpoint(number);
        }
        let mut skip = true;
        loop {
            let from = timeline.position();
            let writes = timeline.machine().watched_writes();
            let stop = self.run_slice(timeline, until, skip);
            skip = false;
            if timeline.machine().watched_writes() != writes {
                let to = timeline.position();
                timeline.go_to(from);
                if let Some(number) = self.step_to_write(timeline, to, holds) {
                    return StopReason::Breakpoint(number);
                }
                timeline.go_to(to);
            }
            match stop {
                (Stop::Breakpoint, Some(number)) => {
                    if holds(number, timeline.machine_mut()) {
                        if matches!(self.places[number], Place::Write(_)) {
                            timeline.step();
                        }
                        return StopReason::Breakpoint(number);
                    }
                    skip = true;
                }
                (Stop::Instructions, _) if timeline.machine().instructions() < until.instructions => {}
                (stop, _) => return stop.into(),
            }
        }
    }

    /// Runs until a breakpoint may have been reached. Returns the stop and the breakpoint. If
    /// `skip` is set, first leaves the current instruction.
    fn run_slice(&self, timeline: &mut Timeline, until: &Until, skip: bool) -> (Stop, Option<usize>) {
        let done = timeline.machine().instructions();
        if self.looks_at_all() {
            let mut look = Look::new(&self.places, true);
            look.interrupted_at =
                Some(timeline.position()).filter(|now| now.interrupted).map(|now| now.cycle);
            look.past = skip.then(|| timeline.position());
            let until = Until { instructions: until.instructions.min(done + SLICE), ..*until };
            let stop = timeline.run(&until, &mut look);
            return (stop, look.found.map(|(_, number)| number));
        }
        if skip {
            let until = Until { instructions: until.instructions.min(done + 1), ..*until };
            return (timeline.run(&until, &mut ()), None);
        }
        let slice = if self.writes().is_empty() { u64::MAX } else { done + SLICE };
        let until = Until { instructions: until.instructions.min(slice), ..*until };
        let stop = timeline.run(&until, &mut Stops);
        (stop, self.at_address(timeline.machine()))
    }

    /// Steps up to `to` until a write whose condition holds.
    fn step_to_write(&self, timeline: &mut Timeline, to: Position, holds: Holds) -> Option<usize> {
        while timeline.position() < to {
            let from = timeline.position();
            let writes = timeline.machine().watched_writes();
            timeline.step();
            if timeline.position() == from {
                return None;
            }
            if timeline.machine().watched_writes() != writes {
                let after = timeline.position();
                let number = self.which_write(timeline, from, after);
                if let Some(number) = number.filter(|&number| holds(number, timeline.machine_mut())) {
                    return Some(number);
                }
            }
        }
        None
    }

    /// Returns which of the watched writes a step has made.
    fn which_write(&self, timeline: &mut Timeline, from: Position, after: Position) -> Option<usize> {
        let writes = self.writes();
        if let [(number, _)] = &writes[..] {
            return Some(*number);
        }
        let mut found = None;
        for (number, bytes) in writes {
            timeline.go_to(from);
            timeline.machine_mut().watch_writes(&[bytes]);
            timeline.replay_to(after, &mut ());
            if timeline.machine().watched_writes() > 0 {
                found = Some(number);
                break;
            }
        }
        self.arm(timeline);
        found
    }

    /// Runs backwards to the last breakpoint that was passed.
    pub fn run_back(&self, timeline: &mut Timeline, holds: Holds) -> StopReason {
        let now = timeline.position();
        let mut number = timeline.stretch_of(now);
        let found = loop {
            let Some(stretch) = timeline.stretch(number) else { break None };
            timeline.restore(number);
            self.arm(timeline);
            let found = self.last_before(timeline, stretch.to.min(now), holds);
            Self::disarm(timeline);
            match (found, number.checked_sub(1)) {
                (None, Some(before)) => number = before,
                (found, _) => break found,
            }
        };
        timeline.go_to(found.map_or(timeline.start(), |(position, _)| position));
        found.map_or(StopReason::Beginning, |(_, number)| StopReason::Breakpoint(number))
    }

    fn last_before(&self, timeline: &mut Timeline, to: Position, holds: Holds) -> Option<(Position, usize)> {
        let until = Until::cycle(to.cycle);
        let mut found = None;
        let mut written: Vec<(Position, Position)> = Vec::new();
        let mut skip = false;
        loop {
            let from = timeline.position();
            let writes = timeline.machine().watched_writes();
            let (stop, number) = self.run_slice(timeline, &until, skip);
            let here = timeline.position();
            if timeline.machine().watched_writes() != writes {
                written.push((from, here));
            }
            skip = false;
            match (stop, number) {
                (Stop::Breakpoint, Some(number)) => {
                    if here < to && holds(number, timeline.machine_mut()) {
                        found = Some((here, number));
                    }
                    skip = true;
                }
                (Stop::Instructions, _) => {}
                _ => break,
            }
            if here >= to {
                break;
            }
        }
        let last_write = written
            .into_iter()
            .rev()
            .take_while(|(_, to)| found.is_none_or(|(position, _)| *to > position))
            .find_map(|(from, to)| self.last_write_between(timeline, from, to, holds));
        match (found, last_write) {
            (Some(found), Some(write)) => Some(if write.0 > found.0 { write } else { found }),
            (found, write) => found.or(write),
        }
    }

    /// Finds the last matching write by stepping. Returns the position before it.
    fn last_write_between(
        &self,
        timeline: &mut Timeline,
        from: Position,
        to: Position,
        holds: Holds,
    ) -> Option<(Position, usize)> {
        timeline.go_to(from);
        let mut found = None;
        while timeline.position() < to {
            let before = timeline.position();
            let writes = timeline.machine().watched_writes();
            timeline.step();
            let after = timeline.position();
            if after == before || after > to {
                break;
            }
            if timeline.machine().watched_writes() != writes
                && let Some(number) = self.which_write(timeline, before, after)
            {
                if holds(number, timeline.machine_mut()) {
                    found = Some((before, number));
                }
                timeline.go_to(after);
            }
        }
        found
    }
}
