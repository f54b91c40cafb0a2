//! Watches whether the program reads volatile state or its own screen: ports, services, hooked
//! interrupts, bytes of the BIOS data area, video memory.
//!
//! A run that is not watched has no additional cost. A watched run has full speed too, except while
//! registers of the last wait are followed, mostly block by block, and while a segment register can
//! address the BIOS data area: then code is not translated where it accesses memory through it.
//!
//! Port 61h needs a closer check, because every program that beeps reads it, changes two bits and
//! writes it back. Its bits for the refresh request and the output of counter 2 change thousands of
//! times per second. If the program writes the port back, it reads both bits as low: a key typed
//! some microseconds later would give this value. Any other read of the port counts as reading the
//! clock.

use super::block_effect::BlockEffect;
use super::block_reads::BlockReads;
use super::decodings::Decodings;
use super::followed::{Followed, Site};
use super::parts::Parts;
use super::read_set::{Question, ReadSet, StateCategory};
use super::stack::Stack;
use crate::bios::data::{ALL_CURSORS, CLOCK, RING_HEAD, SHIFT_FLAGS, SHIFT_STATES};
use crate::firmware;
use crate::hardware::{Hardware, linear};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use oxbox_cpu::{BlockEnd, BlockObserver, Cpu, Note};
use std::ops::Range;

/// Bytes of the BIOS data area by what they tell. The keyboard's ring follows its head and tail.
const BIOS_DATA: [(Range<u32>, StateCategory); 5] = [
    (CLOCK, StateCategory::Ticks),
    (SHIFT_FLAGS..SHIFT_FLAGS + 1, StateCategory::Insert),
    (RING_HEAD..RING_HEAD + 4, StateCategory::Position),
    (RING_HEAD + 4..RING_HEAD + 4 + 32, StateCategory::Keyboard),
    (ALL_CURSORS, StateCategory::Cursor),
];
/// Interrupts of the system timer, and of the real-time clock.
const OF_TICKS: [u8; 2] = [0x08, 0x1C];
const OF_ALARMS: [u8; 2] = [0x4A, 0x70];
/// Interrupts through which a program receives keys itself.
const OF_KEYS: [u8; 2] = [0x09, 0x16];
/// Bits of port 61h: refresh request and the output of counter 2.
const CHANGING_BITS: u8 = 0x30;
/// The maximum number of instructions between a program's read of port 61h and writing it back.
const NEAR: usize = 12;

#[derive(Debug, Default)]
pub(crate) struct Watch {
    keeps_cursor: bool,
    seen: ReadSet,
    /// The registers of the wait at which the run began.
    followed: Option<(Site, Followed)>,
    decodings: Decodings,
    block_reads: BlockReads,
    /// The number of instructions before blocks are tried again.
    alone: u8,
}

impl Watch {
    /// Whether the program has read the time from a service, or from the BIOS data area since
    /// [`Hardware::watch_bios_data`].
    pub(in crate::machine) fn has_seen_time(&self, hardware: &Hardware) -> bool {
        self.seen.categories().has_time() || hardware.bios_data_read(&CLOCK)
    }

    /// Whether a service has returned the time since the last call.
    pub(in crate::machine) fn take_time(&mut self) -> bool {
        std::mem::take(&mut self.seen).categories().has_time()
    }

    /// Begins at a wait, or at another point, where no registers are followed.
    pub(super) fn begin(&mut self, kept: &ReadSet, cpu: &Cpu, hardware: &mut Hardware, halted: bool) {
        let site = Site::of(cpu, hardware, halted);
        self.keeps_cursor = kept.categories().has_cursor();
        self.seen = ReadSet::default();
        self.followed = site.map(|site| (site, Followed::at(site, cpu, kept.registers(site))));
        hardware.watch_reads(!kept.categories().has(StateCategory::Screen));
    }

    /// Returns the registers of the wait that the program has read since then; `None` if it has not.
    pub(super) fn registers_read(&self) -> Option<ReadSet> {
        let (site, followed) = self.followed.as_ref()?;
        let mut read_set = ReadSet::default();
        read_set.add_registers(*site, followed.looked_at());
        (!followed.looked_at().is_empty()).then_some(read_set)
    }

    /// Returns the other state that the program has read since then.
    pub(super) fn read_set(&self, hardware: &Hardware) -> ReadSet {
        let mut read_set = self.seen.clone();
        for (bytes, category) in BIOS_DATA {
            if hardware.bios_data_read(&bytes) {
                read_set.add(category);
            }
        }
        if SHIFT_STATES.iter().any(|bytes| hardware.bios_data_read(bytes)) {
            read_set.ask(Question::ShiftKeys);
        }
        if is_hooked(&OF_TICKS, hardware) || hardware.timer_read() {
            read_set.add(StateCategory::Timer);
        }
        if is_hooked(&OF_ALARMS, hardware) || hardware.clock_read() {
            read_set.add(StateCategory::Clock);
        }
        if self.keeps_cursor && hardware.column_read() {
            read_set.add(StateCategory::Column);
        }
        if hardware.stale_key_read() {
            read_set.add(StateCategory::LastByte);
        }
        if read_set.categories().has_position()
            || OF_KEYS.iter().any(|&vector| !firmware::unhooked(hardware, vector))
        {
            read_set.ask(Question::KeysAhead);
            read_set.ask(Question::ShiftKeys);
        }
        if hardware.screen_read() {
            read_set.add(StateCategory::Screen);
        }
        read_set
    }

    /// Ends at the next wait, which is about to be made canonical.
    pub(super) fn end(
        &mut self,
        stack: &Stack,
        kept: &ReadSet,
        cpu: &Cpu,
        hardware: &Hardware,
        halted: bool,
    ) {
        let Some((_, followed)) = &mut self.followed else { return };
        let site = Site::of(cpu, hardware, halted);
        let canonical = site.map_or(Parts::NONE, |site| site.canonical(cpu, kept.registers(site)));
        followed.end(canonical, stack, cpu);
    }

    /// A service of BIOS or DOS is about to be executed.
    pub(in crate::machine) fn service(&mut self, vector: u8, cpu: &Cpu) {
        let time = match (vector, cpu.regs.ah()) {
            (0x1A, 0x00) | (0x21, 0x2C) => Some(StateCategory::Ticks),
            (0x1A, _) => Some(StateCategory::Clock),
            (0x21, 0x2A | 0x2B) => Some(StateCategory::Date),
            // A change of the time, a file's stamps.
            (0x21, 0x2D | 0x57) => Some(StateCategory::Clock),
            (0x21, 0x25 | 0x35) if OF_TICKS.contains(&cpu.regs.al()) => Some(StateCategory::Timer),
            (0x21, 0x25 | 0x35) if OF_ALARMS.contains(&cpu.regs.al()) => Some(StateCategory::Clock),
            // An event that sets a flag later.
            (0x15, 0x83) => Some(StateCategory::Clock),
            _ => None,
        };
        time.into_iter().for_each(|category| self.seen.add(category));
        match (vector, cpu.regs.ah()) {
            (0x16, 0x02 | 0x12) => {
                self.seen.ask(Question::ShiftKeys);
                self.seen.add(StateCategory::Insert);
            }
            (0x16, 0x01 | 0x05 | 0x11) | (0x21, 0x0B | 0x0C) => self.seen.ask(Question::KeysAhead),
            (0x21, 0x06) if cpu.regs.dl() == 0xFF => self.seen.ask(Question::KeysAhead),
            // Whether a handle has input.
            (0x21, 0x44) if cpu.regs.al() == 0x06 => self.seen.ask(Question::KeysAhead),
            _ => {}
        }
        let display = match (vector, cpu.regs.ah()) {
            // Print screen.
            (0x05, _) => Some(StateCategory::Screen),
            (0x10, 0x03) => Some(StateCategory::Cursor),
            (0x10, 0x00..=0x02 | 0x05..=0x07 | 0x09..=0x0C | 0x0E..=0x13 | 0x1A) => None,
            (0x10, _) => Some(StateCategory::Screen),
            _ => None,
        };
        display.into_iter().for_each(|category| self.seen.add(category));
        if vector == 0x33 {
            // Or the driver's whole state.
            let asked = match cpu.regs.ax() {
                0x05 => &[StateCategory::Presses][..],
                0x06 => &[StateCategory::Releases],
                0x16 => &[StateCategory::Presses, StateCategory::Releases],
                _ => &[],
            };
            asked.iter().for_each(|&category| self.seen.add(category));
        }
    }

    /// The processor has returned.
    pub(in crate::machine) fn after_run(&mut self, cpu: &mut Cpu, hardware: &mut Hardware) {
        // The BIOS reads the port itself when it beeps: then the processor is in its stub.
        if hardware.take_speaker_port_read() && cpu.regs.cs() != firmware::ROM_SEGMENT {
            if is_written_back(cpu, hardware) {
                cpu.regs.set_al(cpu.regs.al() & !CHANGING_BITS);
            } else {
                self.seen.add(StateCategory::Timer);
            }
        }
    }

    /// Returns the decoded instructions of the program.
    pub(in crate::machine) fn decodings(&mut self) -> &mut Decodings {
        &mut self.decodings
    }

    /// Whether blocks or instructions must be checked.
    pub(in crate::machine) fn looks_closely(&self) -> bool {
        self.followed.as_ref().is_some_and(|(_, followed)| !followed.is_over())
    }

    /// Whether registers of the last wait may be on the stack.
    pub(in crate::machine) fn follows_stack(&self) -> bool {
        self.followed.as_ref().is_some_and(|(_, followed)| followed.is_on_stack())
    }

    /// Whether the next instructions can be checked by blocks.
    pub(in crate::machine) fn tries_blocks(&mut self) -> bool {
        self.alone = self.alone.saturating_sub(1);
        self.alone == 0
    }

    /// The program was executed by blocks, or there was none at its next instruction: then there is
    /// often none at the following ones, and looking for them costs more than executing them.
    pub(in crate::machine) fn tried_blocks(&mut self, found: bool) {
        const MORE: u8 = 4;
        self.alone = if found { 0 } else { MORE };
    }

    /// Checks the instruction at CS:IP before it is executed. Returns whether the machine need not
    /// check anything after it.
    pub(in crate::machine) fn before(&mut self, cpu: &Cpu, hardware: &Hardware) -> bool {
        if cpu.regs.cs() == firmware::ROM_SEGMENT {
            return false;
        }
        let decoded = self.decodings.at(cpu, hardware);
        if let Some((_, followed)) = &mut self.followed {
            followed.before(decoded, cpu, hardware);
        }
        decoded.is_quiet
    }

    /// Follows the instruction after it has been executed.
    pub(in crate::machine) fn after(&mut self, cpu: &Cpu) {
        if let Some((_, followed)) = &mut self.followed {
            followed.after(cpu);
        }
    }
}

impl BlockObserver<Hardware> for Watch {
    fn admits(&self, cpu: &Cpu, instruction: &Instruction) -> bool {
        BlockEffect::admits(cpu.regs.cs(), instruction, cpu.model)
    }

    fn describe(&mut self, cpu: &Cpu, instructions: &[Instruction]) -> Note {
        let mut effect = BlockEffect::of(cpu.regs.cs(), instructions);
        if let BlockEffect::Program(program) = &mut effect {
            program.reads_at = self.block_reads.describe(instructions);
        }
        effect.to_note()
    }

    #[inline]
    fn enters(&mut self, note: &Note, cpu: &Cpu, hardware: &Hardware) -> bool {
        match &mut self.followed {
            Some((_, followed)) if !BlockEffect::is_firmware(note) => {
                followed.passes(note) || followed.may_enter(note, &self.block_reads, cpu, hardware)
            }
            _ => BlockEffect::is_firmware(note),
        }
    }

    #[inline]
    fn left(&mut self, note: &Note, end: BlockEnd, cpu: &Cpu) {
        if let Some((_, followed)) = &mut self.followed
            && !BlockEffect::is_firmware(note)
        {
            followed.left(note, end, cpu);
        }
    }
}

/// Whether the program has hooked an interrupt that depends on the time.
pub(in crate::machine) fn timer_is_hooked(hardware: &Hardware) -> bool {
    is_hooked(&OF_TICKS, hardware) || is_hooked(&OF_ALARMS, hardware)
}

fn is_hooked(vectors: &[u8], hardware: &Hardware) -> bool {
    vectors.iter().any(|&vector| !firmware::unhooked(hardware, vector))
}

/// Returns the instructions from an offset in the code segment.
fn code_at(cpu: &Cpu, hardware: &mut Hardware, ip: u16) -> impl Iterator<Item = Instruction> + use<> {
    const LONGEST: usize = 15;
    let start = linear(cpu.regs.cs(), ip);
    let code = hardware.memory.read_bytes(start, NEAR * LONGEST);
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut decoder =
            Decoder::with_ip(16, code.get(at..)?, u64::from(ip) + at as u64, DecoderOptions::NONE);
        let instruction = decoder.decode();
        at += instruction.len();
        (!instruction.is_invalid()).then_some(instruction)
    })
}

/// Whether the program writes AL, which it has just read from port 61h, back to it, without a
/// decision that depends on it.
fn is_written_back(cpu: &Cpu, hardware: &mut Hardware) -> bool {
    for instruction in code_at(cpu, hardware, cpu.regs.ip as u16).take(NEAR) {
        match instruction.mnemonic() {
            Mnemonic::Out => {
                let immediate =
                    instruction.op0_kind() == OpKind::Immediate8 && instruction.immediate8() == 0x61;
                if immediate || instruction.op0_kind() == OpKind::Register && cpu.regs.dx() == 0x61 {
                    return true;
                }
            }
            Mnemonic::Test | Mnemonic::Cmp | Mnemonic::In | Mnemonic::Int => return false,
            // A jump to the next instruction, as a delay between port accesses.
            Mnemonic::Jmp if instruction.near_branch_target() == instruction.next_ip() => {}
            _ if instruction.flow_control() != iced_x86::FlowControl::Next => return false,
            _ => {}
        }
    }
    false
}
