//! Finds keys with the same effect on a program, in one run.
//!
//! One key is typed, and the run is followed. For each other key the machine would differ from this
//! one in few places: at first only in the register in which the service returns the key. Before
//! the program executes an instruction, the same instruction is executed for each other key as
//! well, with its registers and its bytes, on the same processor, and undone. So the differences
//! are known after each instruction:
//! - An instruction that reads no difference has the same effect for the key, and need not be
//!   executed for it.
//! - A key that leads to a different instruction has left the class.
//! - A key without any difference left stays in the class, whatever follows.
//! - Before a service, the differences must be in state that the service does not read, and the
//!   result must be known.
//! - DOS returns an extended code in two reads. Between them the keys differ only in the byte that
//!   DOS keeps, so no instruction is executed for the others.
//! - Before an access to a device, a load of a segment register or an access to video memory, those
//!   keys leave for which the instruction reads a difference. At a hardware interrupt all keys leave
//!   with differences in registers or memory.
//!
//! A key that has left is run separately, so leaving is always correct. At the next wait the state
//! is the same for each key that has stayed: the registers that still differ are made canonical
//! there, see [`Machine::make_canonical`](crate::machine::Machine::make_canonical).
//!
//! The interrupts of a key with other shift keys arrive at other times. The BIOS handles them, saves
//! registers only below the stack pointer, and changes only the keyboard's state, which is the same
//! again when all keys are released. So such a key leaves only if the program reads the shift keys.

use super::decodings::{Decoded, Decodings};
use super::followed::Site;
use super::operands::bytes_of;
use super::other_key::{Other, OtherKey, Summary};
use super::parts::{Kind, Parts, differing, reads_memory, service};
use super::read_set::{ReadSet, StateCategory};
use super::returned_key::{Returned, is_insert, returned};
use super::round::is_high;
use super::stack::Stack;
use crate::firmware;
use crate::hardware::{Hardware, linear};
use iced_x86::OpAccess;
use oxbox_cpu::directions::is_written;
use oxbox_cpu::{Blocks, Cpu, Flags, Model};

/// The end of conventional memory; higher addresses may be devices.
const MEMORY_END: u32 = 0xA_0000;
/// The end of the BIOS data area. Reads below it are watched, but not those for other keys.
const MEMORY_START: u32 = 0x500;

/// The interrupts by which a key gets to DOS.
const FOR_KEYS: [u8; 3] = [0x09, 0x15, 0x16];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The service has not returned the key yet.
    BeforeKey,
    Program,
    Service {
        /// Its return address.
        to: (u16, u16),
        /// The parts that can still differ after it; `None` if that is unknown, so it must end in a
        /// wait.
        survives: Option<Parts>,
    },
}

/// The keys that may lead to the same state as the one that was typed.
#[derive(Debug)]
pub(in crate::machine) struct KeyClass {
    phase: Phase,
    /// The address at which the program continues with the key.
    caller: (u16, u16),
    /// The program's AX at that time, and the bits of it that depend on the key.
    ax: u16,
    of_key: u16,
    /// The second byte of the key that was typed, until DOS has returned it.
    second: Option<u8>,
    /// Number of times that the program had read the keyboard itself when the key was typed.
    key_reads: u64,
    /// Keys with possible differences.
    others: Vec<Other>,
    /// Keys without differences.
    same: Vec<OtherKey>,
    /// The parts that the instruction always writes.
    writes: Parts,
    /// The address of the next instruction, unless an interrupt arrives.
    next: (u16, u16),
    summary: Summary,
}

impl KeyClass {
    /// Returns the keys that may have the same effect as one with this code, typed at a canonical
    /// wait: see [`Machine::follow_keys`].
    ///
    /// [`Machine::follow_keys`]: crate::machine::Machine::follow_keys
    pub(in crate::machine) fn new(
        (code, others): (u16, &[OtherKey]),
        (cpu, hardware, halted): (&Cpu, &Hardware, bool),
        kept: &ReadSet,
        echo_counts: bool,
        key_reads: u64,
    ) -> Option<KeyClass> {
        let categories = kept.categories();
        let site = Site::of(cpu, hardware, halted)?;
        if !halted || categories.has_time() || categories.has_last_key() || cpu.model < Model::I286 {
            return None;
        }
        let vector = site.vector();
        let of_key = match (vector, cpu.regs.ah()) {
            (0x16, 0x00 | 0x10) => 0xFFFF,
            (0x21, 0x07 | 0x08) => 0x00FF,
            (0x21, 0x01) if !echo_counts && !categories.has_cursor() => 0x00FF,
            _ => return None,
        };
        let returned = |code: u16| {
            // Insert changes a flag, which counts as part of the state if the program reads it.
            let has_flag = is_insert(code) && categories.has(StateCategory::Insert);
            if has_flag { None } else { returned(vector, cpu.regs.ah(), code) }
        };
        let own = returned(code)?;
        let (ax, second) = match own {
            Returned::Key(ax, second) => (ax, second),
            Returned::Break if FOR_KEYS.iter().all(|&vector| firmware::unhooked(hardware, vector)) => {
                (0, None)
            }
            Returned::Break => return None,
        };
        let mut same = Vec::new();
        let other = |key: &OtherKey| {
            let sends_alike = key.sends_alike && is_insert(key.code) == is_insert(code);
            let key = OtherKey { sends_alike, ..*key };
            let (ax, second) = match (own, returned(key.code)?) {
                (Returned::Key(..), Returned::Key(ax, other)) if other.is_some() == second.is_some() => {
                    (ax, other)
                }
                (Returned::Break, Returned::Break) => {
                    same.push(key);
                    return None;
                }
                _ => return None,
            };
            let mut registers = cpu.regs.clone();
            registers.set_ax(ax);
            let (bytes, written, is_same_effect) = Default::default();
            Some(Other { key, registers, is_same_effect, parts: Parts::NONE, bytes, written, second })
        };
        let caller = firmware::caller(cpu, hardware);
        let others: Vec<Other> = others.iter().filter_map(other).collect();
        (!others.is_empty() || !same.is_empty()).then(|| KeyClass {
            phase: Phase::BeforeKey,
            caller,
            ax,
            of_key,
            second,
            key_reads,
            others,
            same,
            writes: Parts::NONE,
            next: caller,
            summary: Summary::default(),
        })
    }

    /// Whether each instruction must be checked.
    pub(in crate::machine) fn is_following(&self) -> bool {
        !self.others.is_empty() && !self.is_between_bytes()
    }

    /// Whether the keys differ only in the byte that DOS keeps.
    fn is_between_bytes(&self) -> bool {
        self.phase == Phase::Program && self.second.is_some()
    }

    /// A hardware interrupt is taken. It saves registers on the stack, so none may differ.
    pub(in crate::machine) fn interrupted(&mut self) {
        if self.phase == Phase::Program && self.second.is_none() {
            self.others.clear();
        }
    }

    /// A service is about to be done, from whatever program or interrupt routine.
    pub(in crate::machine) fn service(&mut self, vector: u8, cpu: &Cpu, hardware: &Hardware) {
        if !self.is_between_bytes() {
            return;
        }
        match (vector, cpu.regs.ah()) {
            (0x21, 0x07 | 0x08) => self.read_second(firmware::caller(cpu, hardware)),
            // The BIOS does not read the byte that DOS keeps, and neither do functions for other things
            // than input.
            (0x00..=0x20 | 0x22, _) | (0x21, 0x02 | 0x09 | 0x0E | 0x19 | 0x25..=0x3E | 0x40..=0x43) => {}
            (0x21, 0x47..=0x4A | 0x4C..=0x4F) => {}
            _ => self.others.clear(),
        }
    }

    /// The program reaches an instruction that is not the firmware's.
    fn arrive(&mut self, cpu: &Cpu) {
        let here = (cpu.regs.cs(), cpu.regs.ip as u16);
        match self.phase {
            Phase::BeforeKey
                if here == self.caller && cpu.regs.ax() & self.of_key == self.ax & self.of_key =>
            {
                for other in &mut self.others {
                    let key = other.registers.ax() & self.of_key;
                    other.registers = cpu.regs.clone();
                    other.registers.set_ax(cpu.regs.ax() & !self.of_key | key);
                }
                self.compare(cpu, None);
            }
            Phase::Service { to, survives: Some(survives) } if here == to => {
                for other in &mut self.others {
                    let parts = other.parts.without(other.parts.without(survives));
                    let before = std::mem::replace(&mut other.registers, cpu.regs.clone());
                    parts.copy(&before, &mut other.registers);
                }
                self.compare(cpu, None);
            }
            Phase::Program if here == self.next => {}
            _ => self.others.clear(),
        }
        self.phase = Phase::Program;
    }

    /// Finds the differences after the run has done the same as for each other key. Without memory,
    /// the bytes that differ do not change.
    fn compare(&mut self, cpu: &Cpu, hardware: Option<&Hardware>) {
        self.next = (cpu.regs.cs(), cpu.regs.ip as u16);
        let all_same_effect = std::mem::take(&mut self.summary.is_same_effect);
        if all_same_effect && !self.writes.meets(self.summary.parts) {
            return;
        }
        let same = &mut self.same;
        let writes = self.writes;
        self.others.retain_mut(|other| {
            if std::mem::take(&mut other.is_same_effect) || all_same_effect {
                other.parts = other.parts.without(writes);
                return other.differs() || {
                    same.push(other.key);
                    false
                };
            }
            if let Some(hardware) = hardware {
                other.bytes.extend(other.written.drain(..));
                other.bytes.retain(|&at, byte| hardware.memory.read8(at) != *byte);
            }
            let Some(parts) = differing(&other.registers, &cpu.regs) else { return false };
            other.parts = parts;
            let differs = other.differs();
            if !differs {
                same.push(other.key);
            }
            differs
        });
        self.summary = Summary::of(&self.others);
    }

    /// DOS is about to return the second byte of an extended code to `to`.
    fn read_second(&mut self, to: (u16, u16)) {
        let take = |second: &mut Option<u8>| u16::from(second.take().unwrap_or_default());
        self.phase = Phase::BeforeKey;
        self.caller = to;
        self.ax = take(&mut self.second);
        for other in &mut self.others {
            other.registers.set_ax(take(&mut other.second));
        }
    }

    /// A service is about to be called.
    fn call(&mut self, vector: u8, cpu: &Cpu, hardware: &Hardware, len: u16) {
        let ah = cpu.regs.ah();
        let to = (cpu.regs.cs(), (cpu.regs.ip as u16).wrapping_add(len));
        let known = match (vector, ah) {
            // They change no registers and flags, see the tables of functions in `bios::video`.
            (0x10, 0x01 | 0x02 | 0x05..=0x07 | 0x09..=0x0C | 0x0E) => Some(Some(Parts::ALL)),
            // They always set AL and change nothing else.
            (0x21, 0x02 | 0x09) => Some(Some(Parts::ALL.without(Parts::AL))),
            // They request the next key.
            (0x16, 0x00 | 0x10) | (0x21, 0x01 | 0x07 | 0x08) => Some(None),
            _ => None,
        };
        let Some(survives) = known.filter(|_| firmware::unhooked(hardware, vector)) else {
            return self.others.clear();
        };
        let (reads, _) = service(vector, ah);
        let memory_counts = reads_memory(vector, ah);
        let sp = cpu.regs.sp();
        let pushed = |below: u16| linear(cpu.regs.ss(), sp.wrapping_sub(below));
        self.others.retain_mut(|other| {
            if other.parts.meets(reads.and(Parts::AH)) || memory_counts && !other.bytes.is_empty() {
                return false;
            }
            (1..=6).for_each(|below| {
                other.bytes.remove(&pushed(below));
            });
            if other.parts.meets(Parts::FLAGS) {
                other.complete(&cpu.regs);
                let flags = other.registers.flags as u16;
                other.bytes.extend([(pushed(2), flags as u8), (pushed(1), (flags >> 8) as u8)]);
            }
            true
        });
        self.summary = Summary::of(&self.others);
        self.phase = Phase::Service { to, survives };
    }

    /// The run has reached a wait at which these parts of the registers are made canonical.
    pub(super) fn end(&mut self, canonical: Parts, stack: &Stack, cpu: &Cpu) {
        let pointer = linear(cpu.regs.ss(), cpu.regs.sp());
        let unreliable = stack.unreliable(pointer);
        let flags = linear(cpu.regs.ss(), cpu.regs.sp().wrapping_add(4));
        let is_service = matches!(self.phase, Phase::Service { .. });
        for other in self.others.drain(..).filter(|_| is_service) {
            let flags_count = other.parts.without(canonical).meets(Parts::FLAGS);
            let is_same = other.second.is_none()
                && other.parts.without(canonical).is_empty()
                && other
                    .bytes
                    .keys()
                    .all(|at| unreliable.contains(at) || !flags_count && (flags..flags + 2).contains(at));
            if is_same {
                self.same.push(other.key);
            }
        }
    }

    /// Executes the next instruction for each other key, before it is executed for the key that was
    /// typed. `on_stack` is the result of
    /// [`Watch::follows_stack`](super::watch::Watch::follows_stack).
    pub(in crate::machine) fn execute(
        &mut self,
        cpu: &mut Cpu,
        blocks: &mut Blocks<Hardware>,
        hardware: &mut Hardware,
        decodings: &mut Decodings,
        on_stack: bool,
    ) {
        self.arrive(cpu);
        if !self.is_following() {
            return;
        }
        let KeyClass { others, writes, summary, .. } = &mut *self;
        let decoded = decodings.at(cpu, hardware);
        let start = linear(cpu.regs.cs(), cpu.regs.ip as u16);
        let code = start..start + decoded.instruction.len() as u32;
        if summary.has_bytes {
            others.retain(|other| !other.has_any(&code));
        }
        if let Kind::Interrupt(vector) = decoded.effect.kind {
            let len = decoded.instruction.len() as u16;
            return self.call(vector, cpu, hardware, len);
        }
        if cpu.regs.flag(Flags::TF) {
            return others.clear();
        }
        *writes = decoded.effect.always_writes();
        let depends_on = decoded.depends_on;
        let touches_memory = !decoded.memory.is_empty();
        let is_same_effect =
            |parts: Parts, has_bytes: bool| !(parts.meets(depends_on) || has_bytes && touches_memory);
        summary.is_same_effect = is_same_effect(summary.parts, summary.has_bytes);
        if summary.is_same_effect {
            return;
        }
        for other in &mut *others {
            other.is_same_effect = is_same_effect(other.parts, !other.bytes.is_empty());
        }
        // A register from the wait may be on the stack: a read of it through a different address
        // would be missed.
        let places_may_differ = !on_stack;
        let own = if decoded.is_quiet { places(decoded, cpu) } else { None };
        let Some(own) = own else {
            return others.retain(|other| other.is_same_effect);
        };
        let own_cpu = cpu.clone();
        for other in others.iter_mut().filter(|other| !other.is_same_effect) {
            other.complete(&own_cpu.regs);
        }
        if own.used.is_empty() {
            others.retain_mut(|other| other.is_same_effect || other.step(cpu, blocks, hardware));
            *cpu = own_cpu;
            return;
        }
        let before: Vec<(u32, u8)> = own.written.iter().map(|&at| (at, hardware.memory.read8(at))).collect();
        others.retain_mut(|other| {
            if other.is_same_effect {
                return true;
            }
            cpu.regs.clone_from(&other.registers);
            let found = places(decoded, cpu);
            let Some(found) = found.filter(|found| places_may_differ || *found == own) else { return false };
            let written = found.written;
            // The bytes that differ, and those that will be written, are restored afterwards.
            let touched: Vec<u32> = other.bytes.keys().copied().chain(written.iter().copied()).collect();
            let kept: Vec<(u32, u8)> = touched.iter().map(|&at| (at, hardware.memory.read8(at))).collect();
            for (&at, &byte) in &other.bytes {
                hardware.memory.write8(at, byte);
            }
            let is_done = other.step(cpu, blocks, hardware);
            other.written = written.iter().map(|&at| (at, hardware.memory.read8(at))).collect();
            // If the run writes a byte and this key does not, the byte keeps its value.
            let stays =
                before.iter().filter(|(at, _)| !written.contains(at) && !other.bytes.contains_key(at));
            let stays: Vec<(u32, u8)> = stays.copied().collect();
            other.bytes.extend(stays);
            kept.iter().for_each(|&(at, byte)| hardware.memory.write8(at, byte));
            is_done
        });
        *cpu = own_cpu;
    }

    /// The instruction has been executed for the key that was typed. `interrupted`: it has raised an
    /// exception, which saves registers on the stack.
    pub(in crate::machine) fn executed(&mut self, cpu: &Cpu, hardware: &Hardware, interrupted: bool) {
        if interrupted {
            self.interrupted();
        }
        if self.phase == Phase::Program && self.second.is_none() {
            self.compare(cpu, Some(hardware));
        }
    }

    /// Returns the numbers of the keys that lead to the same state, or to the same end. None if the
    /// program has read the keyboard itself: its port shows which key it was. Keys with other shift
    /// keys are not the same if the program has read those.
    pub(in crate::machine) fn same(
        self,
        key_reads: u64,
        reads_shift_keys: bool,
        has_ended: bool,
    ) -> Vec<usize> {
        if self.key_reads != key_reads {
            return Vec::new();
        }
        // After the end, no program reads the byte that DOS keeps.
        let at_end: &[Other] = if has_ended && self.is_between_bytes() { &self.others } else { &[] };
        let same = self.same.iter().chain(at_end.iter().map(|other| &other.key));
        let same = same.filter(|key| key.sends_alike || !reads_shift_keys);
        same.map(|key| key.number).collect()
    }
}

/// The addresses that an instruction uses and those that it writes.
#[derive(Debug, PartialEq, Eq)]
struct Places {
    used: Vec<u32>,
    written: Vec<u32>,
}

/// Returns the addresses that an instruction uses; `None` beyond conventional memory.
fn places(decoded: &Decoded, cpu: &Cpu) -> Option<Places> {
    let mut places = Places { used: Vec::new(), written: Vec::new() };
    for memory in &decoded.memory {
        let bytes = match memory.access() {
            OpAccess::None | OpAccess::NoMemAccess => continue,
            _ => bytes_of(cpu, &decoded.instruction, memory)?,
        };
        if bytes.start < MEMORY_START || bytes.end > MEMORY_END || is_high(cpu, memory.segment()) {
            return None;
        }
        if is_written(memory.access()) {
            places.written.extend(bytes.clone());
        }
        places.used.extend(bytes);
    }
    Some(places)
}
