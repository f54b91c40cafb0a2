//! Compares single instructions of 16-bit code on the host's own processor and on the emulated 386:
//! registers, flags, memory and faults.
//!
//! Differences between protected and real mode are left out: segment registers, ports, interrupts,
//! and flags that the manuals leave undefined. Hosts without such segments are reported.
//! `OXBOX_SILICON=N` runs N instructions.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

mod processor;

use oxbox::cpu::flat::Flat;
use oxbox::cpu::{Blocks, Bus, Cpu, Exit, Flags, Model};
use oxbox::inspect::disassemble;
use std::collections::BTreeMap;

use processor::{End, Processor, Registers, SEGMENT};

/// The number of instructions for `cargo test`.
const COUNT: u64 = 20_000;

/// The emulated segment, and the one that the vectors point to.
const BASE: u32 = 0x1_0000;
const HANDLERS: u16 = 0x3000;

const INT3: u8 = 0xCC;
const STATUS: u32 = Flags::CF | Flags::PF | Flags::AF | Flags::ZF | Flags::SF | Flags::OF;

/// Ranges of opcodes, with or without a preceding 0F.
const OPCODES: [(u8, u8); 31] = [
    (0x00, 0x05),
    (0x08, 0x0D),
    (0x10, 0x15),
    (0x18, 0x1D),
    (0x20, 0x25),
    (0x27, 0x2D),
    (0x2F, 0x35),
    (0x37, 0x3D),
    (0x3F, 0x61),
    (0x68, 0x6B),
    (0x70, 0x81),
    (0x83, 0x8B),
    (0x8D, 0x8D),
    (0x8F, 0x99),
    (0x9C, 0xC3),
    (0xC6, 0xC9),
    (0xD0, 0xD5),
    (0xD7, 0xD7),
    (0xE0, 0xE3),
    (0xE8, 0xE9),
    (0xEB, 0xEB),
    (0xF5, 0xF9),
    (0xFC, 0xFF),
    (0xF6, 0xF7),
    (0xA4, 0xAF),
    (0xC0, 0xC1),
    (0xD0, 0xD3),
    (0xF6, 0xF7),
    (0xFE, 0xFF),
    (0x60, 0x61),
    (0xC8, 0xC9),
];
const OPCODES_0F: [(u8, u8); 8] = [
    (0x80, 0x9F),
    (0xA3, 0xA5),
    (0xAB, 0xAD),
    (0xAF, 0xAF),
    (0xB3, 0xB3),
    (0xB6, 0xB7),
    (0xBA, 0xBF),
    (0x80, 0x8F),
];

/// A generator of numbers that are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 16) % bound
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// Returns a value that is often a limit.
    fn value(&mut self) -> u32 {
        const LIMITS: [u32; 8] = [0, 1, 0x7F, 0x80, 0xFFFF, 0x8000, 0x7FFF_FFFF, 0xFFFF_FFFF];
        if self.one_in(3) { LIMITS[self.below(8) as usize] } else { self.next() as u32 }
    }

    fn instruction(&mut self) -> Vec<u8> {
        const PREFIXES: [u8; 5] = [0x66, 0x67, 0x26, 0x36, 0x3E];
        let mut bytes = Vec::new();
        while self.one_in(3) && bytes.len() < 2 {
            bytes.push(PREFIXES[self.below(5) as usize]);
        }
        let (first, last) = if self.one_in(5) {
            bytes.push(0x0F);
            OPCODES_0F[self.below(OPCODES_0F.len() as u64) as usize]
        } else {
            OPCODES[self.below(OPCODES.len() as u64) as usize]
        };
        let opcode = first + self.below(u64::from(last - first) + 1) as u8;
        if bytes.last() != Some(&0x0F) && matches!(opcode, 0xA4..=0xA7 | 0xAA..=0xAF) && self.one_in(2) {
            bytes.push(0xF2 | self.below(2) as u8);
        }
        bytes.push(opcode);
        bytes.extend(std::iter::repeat_with(|| self.next() as u8).take(12));
        bytes
    }
}

/// Returns the defined flags of an instruction; `None` if it cannot be compared.
fn defined(bytes: &[u8], text: &str, before: &Registers) -> Option<u32> {
    const LEFT_OUT: [&str; 14] = [
        "esp", "pushad", "popad", "(bad)", "bound", "cs:", "fs", "gs", "enterd", ",ss", ",ds", ",es", "far",
        "retf",
    ];
    let names_segment = |name: &str| text.split([' ', ',']).any(|word| word == name);
    if LEFT_OUT.iter().any(|word| text.contains(word))
        || ["es", "cs", "ss", "ds"].into_iter().any(names_segment)
    {
        return None;
    }
    let mut opcode = bytes.iter().skip_while(|byte| matches!(byte, 0x66 | 0x67 | 0x26 | 0x36 | 0x3E));
    let (opcode, reg) = (opcode.next(), opcode.next().map_or(0, |modrm| modrm >> 3 & 7));
    // Far calls and jumps through memory; opcodes that have become instructions since.
    if opcode == Some(&0xFF) && matches!(reg, 3 | 5) || matches!(opcode, Some(0xC6 | 0xC7)) && reg != 0 {
        return None;
    }
    let name = text.split(' ').find(|word| !word.starts_with("rep")).unwrap_or_default();
    // ES is not a wide register.
    let operands = text.replace("es:", "");
    let is_wide = ["dword", " e", ",e"].into_iter().any(|wide| operands.contains(wide));
    let count = match bytes.iter().find(|byte| !matches!(byte, 0x66 | 0x67 | 0x26 | 0x36 | 0x3E)) {
        Some(0xD0 | 0xD1) => 1,
        _ if text.ends_with(",cl") => before.gpr[1] & 31,
        _ => 31,
    };
    let counted = |flags: u32| if count == 0 { STATUS } else { flags };
    let of = if count == 1 { 0 } else { Flags::OF };
    Some(match name {
        "rol" | "ror" | "rcl" | "rcr" => counted(STATUS & !of),
        // CF is the last bit shifted out, unless the count exceeds the width.
        "shl" | "sal" | "shr" => {
            let cf = if count < 8 { 0 } else { Flags::CF };
            counted(STATUS & !of & !Flags::AF & !cf)
        }
        "sar" => counted(STATUS & !of & !Flags::AF),
        "shld" | "shrd" if is_wide || count <= 16 && text.ends_with(",cl") => {
            counted(STATUS & !of & !Flags::AF & if is_wide { STATUS } else { !Flags::CF })
        }
        "shld" | "shrd" => return None,
        "mul" | "imul" => Flags::CF | Flags::OF,
        "div" | "idiv" => 0,
        "and" | "or" | "xor" | "test" => STATUS & !Flags::AF,
        "aaa" | "aas" => Flags::CF | Flags::AF,
        "daa" | "das" => STATUS & !Flags::OF,
        "aam" | "aad" => Flags::SF | Flags::ZF | Flags::PF,
        "bt" | "bts" | "btr" | "btc" => Flags::CF | Flags::ZF,
        "bsf" | "bsr" => Flags::ZF,
        "in" | "out" | "ins" | "outs" | "int" | "into" | "int3" | "iret" | "hlt" | "cli" | "sti" | "salc" => {
            return None;
        }
        _ => STATUS,
    })
}

struct Emulated {
    cpu: Cpu,
    bus: Flat,
    blocks: Blocks<Flat>,
}

impl Emulated {
    fn new(blocks: Blocks<Flat>) -> Emulated {
        let mut bus = Flat::new();
        for vector in 0..=0xFF_u32 {
            bus.write16(vector * 4, (vector * 16) as u16);
            bus.write16(vector * 4 + 2, HANDLERS);
        }
        Emulated { cpu: Cpu::new(Model::I386), bus, blocks }
    }

    fn memory(&self) -> &[u8] {
        &self.bus.bytes()[BASE as usize..BASE as usize + SEGMENT]
    }

    fn write(&mut self, at: u16, bytes: &[u8]) {
        for (offset, &byte) in bytes.iter().enumerate() {
            self.bus.write8(BASE + u32::from(at.wrapping_add(offset as u16)), byte);
        }
    }

    /// Makes the segment equal to the processor's.
    fn restore(&mut self, segment: &[u8]) {
        const PART: usize = 256;
        for (number, bytes) in segment.chunks_exact(PART).enumerate() {
            let at = number * PART;
            if self.memory()[at..at + PART] != *bytes {
                self.write(at as u16, bytes);
            }
        }
    }

    /// Executes one instruction with all iterations of a REP. `None` if a fault has no room on the
    /// stack: real mode shuts down then.
    fn execute(&mut self, registers: &mut Registers) -> Option<End> {
        self.cpu = Cpu::new(Model::I386);
        self.cpu.regs.gpr = registers.gpr;
        self.cpu.regs.seg = [(BASE >> 4) as u16; 6];
        self.cpu.regs.flags = registers.flags;
        self.cpu.regs.ip = u32::from(registers.ip);
        let retired = self.cpu.retired;
        let exit = loop {
            let exit = self.cpu.run(&mut self.blocks, &mut self.bus, self.cpu.cycles + 1);
            if self.cpu.retired != retired || exit != Exit::Deadline {
                break exit;
            }
        };
        registers.gpr = self.cpu.regs.gpr;
        registers.flags = self.cpu.regs.flags;
        registers.ip = self.cpu.regs.ip as u16;
        if exit == Exit::Shutdown {
            return None;
        }
        if self.cpu.regs.cs() != HANDLERS {
            return Some(End::Done);
        }
        Some(match registers.ip / 16 {
            0 => End::Divide,
            6 => End::Opcode,
            _ => End::Protection,
        })
    }
}

/// The first difference of each instruction, by name.
type Differences = BTreeMap<String, String>;

fn agree(
    processor: &mut Processor,
    emulated: &mut Emulated,
    (count, seed): (u64, u64),
    differences: &mut Differences,
) -> u64 {
    let mut numbers = Numbers(seed);
    for byte in processor.memory() {
        *byte = numbers.next() as u8;
    }
    emulated.restore(processor.memory());
    let mut compared = 0;
    for number in 0..count {
        let bytes = numbers.instruction();
        let ip = 0x100 + numbers.below(0xFE00) as u16;
        let mut before = Registers {
            gpr: std::array::from_fn(|_| numbers.value()),
            flags: numbers.next() as u32 & (STATUS | Flags::DF) | Flags::IF | 2,
            ip,
        };
        // Strings are short, so that few of them overlap the instruction itself.
        before.gpr[1] &= if numbers.one_in(2) { 0x1F } else { u32::MAX };
        let shown = disassemble(&bytes, &emulated.cpu.regs, &|_, _| None);
        let is_long_string =
            bytes.iter().take(4).any(|byte| matches!(byte, 0xF2 | 0xF3)) && before.gpr[1] > 0x20;
        let Some(mask) = defined(&bytes, &shown.text, &before).filter(|_| !is_long_string) else { continue };
        let mut code = bytes[..shown.length].to_vec();
        code.push(INT3);
        let what = format!("{number}: {} ({code:02X?}) with {before:08X?}", shown.text);
        place(processor, emulated, ip, &code);

        let mut ours = before;
        let mut ended = emulated.execute(&mut ours);
        let next = ip.wrapping_add(shown.length as u16);
        if ended == Some(End::Done) && ours.ip != next {
            // It jumps: runs it again, with an INT3 at the target.
            let target = ours.ip;
            emulated.restore(processor.memory());
            place(processor, emulated, target, &[INT3]);
            ours = before;
            ended = emulated.execute(&mut ours);
            if ours.ip != target {
                emulated.restore(processor.memory());
                continue;
            }
        }
        let is_done = ended == Some(End::Done);
        let stands = !is_done || emulated.memory()[usize::from(ours.ip)] == INT3;
        let traps = ours.flags & Flags::TF != 0 && is_done;
        let is_whole = processor.memory()[usize::from(ip)..].starts_with(&code[..code.len() - 1]);
        if !stands || traps || !is_whole {
            emulated.restore(processor.memory());
            continue;
        }
        let mut theirs = before;
        let their_end = processor.execute(&mut theirs);
        // Any fault without room on the stack shuts down.
        let end = ended.unwrap_or(if their_end == End::Done { End::Protection } else { their_end });
        compared += 1;
        // ESP's upper half is the host's own, and so is all of SP after a fault.
        let stack = if end == End::Done { 0xFFFF } else { 0 };
        ours.gpr[4] &= stack;
        theirs.gpr[4] &= stack;
        if is_undefined(&shown.text, &theirs, end) {
            ours.gpr = theirs.gpr;
        }
        let mask = mask | Flags::DF;
        let found = if end != their_end {
            Some(format!("{end:?}, and {their_end:?} on the host"))
        } else if ours.gpr != theirs.gpr {
            Some(format!("registers {:08X?}, and {:08X?} on the host", ours.gpr, theirs.gpr))
        } else if end != End::Done {
            None
        } else if ours.ip != theirs.ip {
            Some(format!("IP {:04X}, and {:04X} on the host", ours.ip, theirs.ip))
        } else if (ours.flags ^ theirs.flags) & mask != 0 {
            Some(format!("flags {:03X}, and {:03X} on the host, of {mask:X}", ours.flags, theirs.flags))
        } else {
            let (ours, theirs) = (emulated.memory(), &*processor.memory());
            // The slices are compared first: that is fast even without optimisation.
            let at = if ours == theirs { None } else { (0..SEGMENT).find(|&at| ours[at] != theirs[at]) };
            at.map(|at| format!("[{at:04X}] is {:02X}, and {:02X} on the host", ours[at], theirs[at]))
        };
        if end != End::Done || found.is_some() {
            emulated.restore(processor.memory());
        }
        if let Some(found) = found {
            let name = shown.text.split(' ').find(|word| !word.starts_with("rep")).unwrap_or_default();
            differences.entry(name.to_owned()).or_insert_with(|| format!("{what}: {found}"));
        }
    }
    compared
}

/// Whether the destination is undefined in the manuals.
fn is_undefined(text: &str, after: &Registers, end: End) -> bool {
    (text.starts_with("bsf") || text.starts_with("bsr")) && (end != End::Done || after.flags & Flags::ZF != 0)
}

fn place(processor: &mut Processor, emulated: &mut Emulated, at: u16, bytes: &[u8]) {
    emulated.write(at, bytes);
    for (offset, &byte) in bytes.iter().enumerate() {
        processor.memory()[usize::from(at.wrapping_add(offset as u16))] = byte;
    }
}

/// Returns blocks of one instruction, each translated at once if there is a translator.
fn translated() -> Blocks<Flat> {
    let mut blocks = Blocks::new();
    blocks.instructions_a_block(1);
    blocks.translate_after(Some(0));
    blocks
}

#[test]
fn the_386_is_as_the_host_s_processor() {
    let Some(mut processor) = Processor::new() else {
        eprintln!("left out: this host gives no segments of 16 bits");
        return;
    };
    let count = std::env::var("OXBOX_SILICON").ok().and_then(|count| count.parse().ok()).unwrap_or(COUNT);
    let (mut compared, mut differences) = (0, Differences::new());
    for (blocks, seed) in [(Blocks::uncached(), 0x9E37_79B9_7F4A_7C15), (translated(), 0x0123_4567_89AB_CDEF)]
    {
        let run = (count / 2, seed);
        compared += agree(&mut processor, &mut Emulated::new(blocks), run, &mut differences);
    }
    let differences: Vec<String> = differences.into_values().collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    println!("{compared} instructions agree");
    assert!(compared > count / 4, "{compared} of {count} instructions could be compared");
}
