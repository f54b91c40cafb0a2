//! Finds the last instruction that wrote a byte, a register, a character of the text screen, a
//! pixel, or a colour.
//!
//! The intervals between the checkpoints of a [`Timeline`] are searched, the latest first. An
//! interval in which the page was not written is skipped. Memory is watched at full speed; only the
//! interval with the write is single-stepped. For a byte the last write is found, for the screen
//! the last change. For a register the last write is found in the two latest intervals; before
//! these, in the last interval that changed the register, so that no long interval is
//! single-stepped without result.

use super::access;
use super::disassembly::{LONGEST, bytes_at, decode};
use iced_x86::{Code, InstructionInfoFactory, InstructionInfoOptions, Register};
use oxbox_cpu::directions::is_written;
use oxbox_cpu::{Cpu, Registers};
use oxbox_machine::hardware::Hardware;
use oxbox_machine::hardware::vga::PlaneBits;
use oxbox_machine::machine::{Observer, Position, Timeline};
use std::str::FromStr;

/// A register, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterPart(pub(super) Register);

const NAMES: [(&str, Register); 30] = [
    ("al", Register::AL),
    ("cl", Register::CL),
    ("dl", Register::DL),
    ("bl", Register::BL),
    ("ah", Register::AH),
    ("ch", Register::CH),
    ("dh", Register::DH),
    ("bh", Register::BH),
    ("ax", Register::AX),
    ("cx", Register::CX),
    ("dx", Register::DX),
    ("bx", Register::BX),
    ("sp", Register::SP),
    ("bp", Register::BP),
    ("si", Register::SI),
    ("di", Register::DI),
    ("eax", Register::EAX),
    ("ecx", Register::ECX),
    ("edx", Register::EDX),
    ("ebx", Register::EBX),
    ("esp", Register::ESP),
    ("ebp", Register::EBP),
    ("esi", Register::ESI),
    ("edi", Register::EDI),
    ("es", Register::ES),
    ("cs", Register::CS),
    ("ss", Register::SS),
    ("ds", Register::DS),
    ("fs", Register::FS),
    ("gs", Register::GS),
];

impl RegisterPart {
    /// Returns its value.
    ///
    /// ```
    /// use oxbox_cpu::Registers;
    /// use oxbox_inspect::RegisterPart;
    ///
    /// let mut registers = Registers::default();
    /// registers.set_ax(0x1234);
    /// let ah: RegisterPart = "AH".parse().unwrap();
    /// assert_eq!((ah.value(&registers), ah.name()), (0x12, "ah"));
    /// ah.set(&mut registers, 0xAB);
    /// assert_eq!(registers.ax(), 0xAB34);
    /// ```
    pub fn value(self, registers: &Registers) -> u32 {
        access::value_of(self.0, registers)
    }

    /// Sets its value. Other parts of the register keep theirs.
    pub fn set(self, registers: &mut Registers, value: u32) {
        if self.0.is_segment_register() {
            registers.seg[self.0.number().min(5)] = value as u16;
            return;
        }
        let whole = &mut registers.gpr[self.0.full_register32().number() & 7];
        let (mask, shift) = match self.0.size() {
            1 if access::is_high(self.0) => (0xFF00, 8),
            1 => (0xFF, 0),
            2 => (0xFFFF, 0),
            _ => (u32::MAX, 0),
        };
        *whole = *whole & !mask | value << shift & mask;
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, register)| *register == self.0).map_or("?", |(name, _)| name)
    }

    /// Returns its width in bits.
    pub fn bits(self) -> u32 {
        self.0.size() as u32 * 8
    }
}

/// The error for an unknown register.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown register '{0}'")]
pub struct ParseRegisterError(String);

impl FromStr for RegisterPart {
    type Err = ParseRegisterError;

    fn from_str(name: &str) -> Result<Self, ParseRegisterError> {
        let found = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|&(_, register)| RegisterPart(register)).ok_or_else(|| ParseRegisterError(name.to_owned()))
    }
}

/// The target of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteTarget {
    /// A byte of memory, by linear address. Above A0000h use a character, pixel or colour instead.
    Byte(u32),
    /// A register.
    Register(RegisterPart),
    /// A character of the text screen, from 0, or its attribute if the character has not changed.
    Cell {
        /// The row, from the top.
        row: usize,
        /// The column, from the left.
        column: usize,
    },
    /// A pixel of the frame.
    Pixel {
        /// The column, from the left.
        x: usize,
        /// The row, from the top.
        y: usize,
    },
    /// A colour of the DAC.
    Colour(u8),
}

/// A write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writer {
    /// The position before it.
    pub position: Position,
    /// The hardware interrupt that wrote by pushing FLAGS, CS and IP; `None` for an instruction.
    pub interrupt: Option<u8>,
}

/// Finds the last write before the current position; `None` if the target has not been written
/// since the beginning of the timeline, or does not exist. The timeline is then at the writer's
/// position, or at its beginning. For a register that was not written since the last checkpoint but
/// one, finds the last lasting change instead.
///
/// ```
/// use oxbox_inspect::{WriteTarget, last_write};
/// use oxbox_machine::machine::{Config, Timeline, Machine, Until};
///
/// let mut machine = Machine::new(&Config::default())?;
/// // mov ah, 2; mov dl, 'A'; int 21h; mov dl, 'B'; int 21h; int 20h
/// machine.load(b"\xB4\x02\xB2A\xCD\x21\xB2B\xCD\x21\xCD\x20", "AB.COM", "")?;
/// let mut timeline = Timeline::new(machine, 1 << 20);
/// timeline.run(&Until::KEY_WAIT, &mut ());
///
/// // The second character was written by a service, called by the second INT 21h.
/// assert!(last_write(&mut timeline, WriteTarget::Cell { row: 0, column: 1 }).is_some());
/// assert_eq!(timeline.machine().position().1, 0x10A);
/// // And DL by the instruction before it.
/// assert!(last_write(&mut timeline, WriteTarget::Register("dl".parse()?)).is_some());
/// assert_eq!(timeline.machine().position().1, 0x106);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn last_write(timeline: &mut Timeline, written: WriteTarget) -> Option<Writer> {
    let now = timeline.position();
    let vga = &timeline.machine().hardware().vga;
    let found = match written {
        WriteTarget::Byte(address) => last_write_of_byte(timeline, now, address),
        WriteTarget::Register(part) => {
            let probe = |cpu: &Cpu, _: &Hardware| u64::from(part.value(&cpu.regs));
            let latest = timeline.stretch_of(now);
            let may = |timeline: &mut Timeline, number: usize| {
                number + 1 >= latest
                    || timeline
                        .registers_around(number)
                        .is_none_or(|(first, last)| part.value(first) != part.value(last))
            };
            search(timeline, now, may, probe, Some(part))
        }
        WriteTarget::Cell { row, column } => {
            let bits = vga.bits_of_cell(row, column);
            // First the character; if it has not changed, the attribute.
            let halves = bits.map(PlaneBits::halves_of_cell).into_iter().flatten();
            halves.into_iter().find_map(|bits| last_change_of_bits(timeline, now, bits))
        }
        WriteTarget::Pixel { x, y } => {
            let bits = vga.bits_of_pixel(x, y);
            bits.and_then(|bits| last_change_of_bits(timeline, now, bits))
        }
        WriteTarget::Colour(index) => search(
            timeline,
            now,
            |timeline, number| {
                timeline.stretch(number).is_some_and(|stretch| timeline.may_write_colour(&stretch))
            },
            |_: &Cpu, hw: &Hardware| u64::from(hw.vga.colour(index)),
            None,
        ),
    };
    timeline.go_to(found.map_or(timeline.start(), |writer| writer.position));
    found
}

fn last_write_of_byte(timeline: &mut Timeline, now: Position, address: u32) -> Option<Writer> {
    let bytes = address..address + 1;
    timeline.machine_mut().watch_writes(&[bytes]);
    let found = search(
        timeline,
        now,
        |timeline, number| {
            let Some(stretch) = timeline.stretch(number) else { return false };
            if !timeline.may_write_byte(&stretch, address) {
                return false;
            }
            let before = timeline.machine().watched_writes();
            timeline.restore(number);
            timeline.replay_to(stretch.to.min(now), &mut ());
            timeline.machine().watched_writes() != before
        },
        |_: &Cpu, hw: &Hardware| hw.memory.watched_writes(),
        None,
    );
    timeline.machine_mut().watch_writes(&[]);
    found
}

fn last_change_of_bits(timeline: &mut Timeline, now: Position, bits: PlaneBits) -> Option<Writer> {
    search(
        timeline,
        now,
        |timeline, number| {
            timeline.stretch(number).is_some_and(|stretch| timeline.may_write_plane(&stretch, bits.address))
        },
        |_: &Cpu, hw: &Hardware| u64::from(hw.vga.plane_bits(bits)),
        None,
    )
}

/// Searches the intervals before `now`, the latest first. Those that `may` contain the write are
/// single-stepped, for the last change of the result of `probe`, or the last instruction that
/// writes `part`.
fn search(
    timeline: &mut Timeline,
    now: Position,
    mut may: impl FnMut(&mut Timeline, usize) -> bool,
    probe: impl Fn(&Cpu, &Hardware) -> u64,
    part: Option<RegisterPart>,
) -> Option<Writer> {
    let mut number = timeline.stretch_of(now);
    loop {
        if may(timeline, number) {
            let stretch = timeline.stretch(number)?;
            timeline.restore(number);
            let mut scan = Scan::new(timeline, &probe, part);
            timeline.replay_to(stretch.to.min(now), &mut scan);
            let machine = timeline.machine();
            scan.look(machine.cpu(), machine.hardware());
            if scan.found.is_some() {
                return scan.found;
            }
        }
        number = number.checked_sub(1)?;
    }
}

/// Seeks to the last instruction before the current position at which a condition on registers and
/// memory (by linear addresses) holds. Returns `None` and keeps the position if there is no such
/// instruction.
///
/// ```
/// use oxbox_inspect::last_moment;
/// use oxbox_machine::machine::{Config, Timeline, Machine, Until};
///
/// let mut machine = Machine::new(&Config::default())?;
/// // mov cx, 9; again: loop again; int 20h
/// machine.load(b"\xB9\x09\x00\xE2\xFE\xCD\x20", "LOOP.COM", "")?;
/// let mut timeline = Timeline::new(machine, 1 << 20);
/// timeline.run(&Until::KEY_WAIT, &mut ());
/// assert!(last_moment(&mut timeline, |registers, _| registers.cx() == 4).is_some());
/// assert_eq!(timeline.machine().cpu().regs.cx(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn last_moment(
    timeline: &mut Timeline,
    mut holds: impl FnMut(&Registers, &dyn Fn(u32) -> u8) -> bool,
) -> Option<Position> {
    let now = timeline.position();
    let mut number = timeline.stretch_of(now);
    loop {
        let stretch = timeline.stretch(number)?;
        timeline.restore(number);
        let mut moments = Moments { holds: &mut holds, found: None, interrupted_at: None };
        timeline.replay_to(stretch.to.min(now), &mut moments);
        if let Some(position) = moments.found {
            timeline.go_to(position);
            return Some(position);
        }
        let Some(before) = number.checked_sub(1) else {
            timeline.go_to(now);
            return None;
        };
        number = before;
    }
}

/// An observer that records the last position at which a condition holds.
struct Moments<'a, F> {
    holds: &'a mut F,
    found: Option<Position>,
    interrupted_at: Option<u64>,
}

impl<F: FnMut(&Registers, &dyn Fn(u32) -> u8) -> bool> Observer for Moments<'_, F> {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        if (self.holds)(&cpu.regs, &|address| hw.memory.read8(address)) {
            let interrupted = self.interrupted_at == Some(cpu.cycles);
            self.found = Some(Position { cycle: cpu.cycles, interrupted });
        }
    }

    fn interrupt(&mut self, _: u8, cpu: &Cpu, _: &Hardware) {
        self.interrupted_at = Some(cpu.cycles);
    }
}

/// An observer that records the last step that changed a value.
struct Scan<'a, F> {
    probe: &'a F,
    value: u64,
    /// The last such step.
    step: Option<Writer>,
    found: Option<Writer>,
    interrupted_at: Option<u64>,
    part: Option<Writes>,
}

impl<'a, F: Fn(&Cpu, &Hardware) -> u64> Scan<'a, F> {
    fn new(timeline: &Timeline, probe: &'a F, part: Option<RegisterPart>) -> Self {
        let machine = timeline.machine();
        Scan {
            value: probe(machine.cpu(), machine.hardware()),
            probe,
            step: None,
            found: None,
            interrupted_at: None,
            part: part.map(Writes::new),
        }
    }

    fn look(&mut self, cpu: &Cpu, hw: &Hardware) {
        let value = (self.probe)(cpu, hw);
        if value != self.value {
            self.value = value;
            self.found = self.step;
        }
    }
}

impl<F: Fn(&Cpu, &Hardware) -> u64> Observer for Scan<'_, F> {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        self.look(cpu, hw);
        let interrupted = self.interrupted_at == Some(cpu.cycles);
        let position = Position { cycle: cpu.cycles, interrupted };
        self.step = Some(Writer { position, interrupt: None });
        if let Some(writes) = &mut self.part
            && writes.at(cpu, hw)
        {
            self.found = self.step;
        }
    }

    fn interrupt(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        self.look(cpu, hw);
        self.interrupted_at = Some(cpu.cycles);
        let position = Position { cycle: cpu.cycles, interrupted: false };
        self.step = Some(Writer { position, interrupt: Some(vector) });
    }
}

/// Determines whether instructions write a register, even with its old value. The effect of
/// services shows in the value.
struct Writes {
    part: RegisterPart,
    factory: InstructionInfoFactory,
    /// A cache for the last instructions by the low bits of IP, because loops repeat.
    known: Vec<([u8; LONGEST], bool)>,
}

impl Writes {
    const KNOWN: usize = 256;

    fn new(part: RegisterPart) -> Writes {
        // Zeros are ADD [BX+SI],AL, which does not write a register.
        let known = vec![([0; LONGEST], false); Self::KNOWN];
        Writes { part, factory: InstructionInfoFactory::new(), known }
    }

    /// Returns whether the instruction at CS:IP writes the register.
    fn at(&mut self, cpu: &Cpu, hw: &Hardware) -> bool {
        let (cs, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        let bytes = bytes_at(hw, cs, ip);
        let slot = usize::from(ip) % Self::KNOWN;
        if self.known[slot].0 != bytes {
            self.known[slot] = (bytes, self.look(&bytes, ip));
        }
        self.known[slot].1
    }

    fn look(&mut self, bytes: &[u8], ip: u16) -> bool {
        let instruction = decode(bytes, ip);
        if instruction.code() == Code::INVALID {
            return false;
        }
        let info = self.factory.info_options(&instruction, InstructionInfoOptions::NO_MEMORY_USAGE);
        info.used_registers()
            .iter()
            .any(|used| is_written(used.access()) && overlap(used.register(), self.part.0))
    }
}

fn overlap(a: Register, b: Register) -> bool {
    if !(a.is_gpr() && b.is_gpr()) {
        return a == b;
    }
    let halves = a.size() == 1 && b.size() == 1 && access::is_high(a) != access::is_high(b);
    a.full_register32() == b.full_register32() && !halves
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox_machine::machine::{Config, Machine, Until};

    fn timeline(program: &[u8]) -> Timeline {
        let mut machine = Machine::new(&Config::default()).expect("a machine");
        machine.load(program, "P.COM", "").expect("a program");
        let mut timeline = Timeline::new(machine, 1 << 20);
        timeline.run(&Until { cycle: 3_000_000, ..Until::KEY_WAIT }, &mut ());
        timeline
    }

    #[test]
    fn finds_the_last_writer() {
        // 100 mov al, 5 / 102 mov [0200h], al / 105 mov [0200h], al / 108 mov di, 201h / 10B mov cx, 10h / 10E rep stosb /
        // 110 xchg al, ah / 112 mov ax, 13h / 115 int 10h / 117 mov ax, A000h / 11A mov es, ax / 11C mov byte es:[5], 3 /
        // 122 mov dx, 3C8h / 125 mov al, 7 / 127 out dx, al / 128 inc dx / 129 out dx, al / 12A out dx, al / 12B out dx, al /
        // 12C push ax / 12D mov ah, 4Ch / 12F int 21h
        let program = b"\xB0\x05\xA2\x00\x02\xA2\x00\x02\xBF\x01\x02\xB9\x10\x00\xF3\xAA\x86\xC4\xB8\x13\x00\xCD\x10\xB8\x00\xA0\x8E\xC0\x26\xC6\x06\x05\x00\x03\xBA\xC8\x03\xB0\x07\xEE\x42\xEE\xEE\xEE\x50\xB4\x4C\xCD\x21";
        let mut timeline = timeline(program);
        timeline.go_to(timeline.start());
        let base = u32::from(timeline.machine().cpu().regs.ds()) * 16;
        let end = Position { cycle: timeline.end().cycle - 2, interrupted: false };
        let register = |name: &str| WriteTarget::Register(name.parse().expect("a register"));
        let rows = [
            (WriteTarget::Byte(base + 0x200), Some(0x105)),
            (WriteTarget::Byte(base + 0x208), Some(0x10E)),
            (WriteTarget::Byte(base + 0x300), None),
            (WriteTarget::Pixel { x: 5, y: 0 }, Some(0x11C)),
            (WriteTarget::Colour(7), Some(0x12B)),
            (register("es"), Some(0x11A)),
            (register("cl"), Some(0x10E)),
            (register("al"), Some(0x125)),
            (register("bx"), None),
        ];
        for (written, expected) in rows {
            timeline.go_to(end);
            let found = last_write(&mut timeline, written).map(|_| timeline.machine().cpu().regs.ip);
            assert_eq!(found, expected, "{written:?}");
        }
    }
}
