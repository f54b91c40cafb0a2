//! Fetches the bytes of one instruction and prepares them for the decoder.
//!
//! iced-x86 decodes as the 80386 does. Differences of earlier processors are translated here: the
//! 8086 accepts any number of prefixes and executes every opcode; an undefined opcode is an alias
//! of another.

use crate::bus::Bus;
use crate::model::Model;
use crate::registers::Segment;
use crate::state::Cpu;

/// The number of bytes fetched: the longest instruction that the decoder accepts, plus one.
const WINDOW: usize = 16;
/// The prefixes followed before an 8086 instruction is treated as a no-op. The chip would continue.
const MOST_PREFIXES: usize = 256;

/// The bytes of one instruction in the form that the decoder expects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Code {
    pub(super) bytes: [u8; WINDOW],
    /// Index of the opcode in `bytes`.
    pub(super) opcode: usize,
    /// The number of prefix bytes in memory.
    pub(super) prefixes: usize,
    /// The number of prefix bytes that are not in `bytes`.
    pub(super) dropped: usize,
    /// Whether a LOCK prefix precedes the opcode.
    pub(super) lock: bool,
    /// Whether a REP or REPNE prefix precedes the opcode.
    pub(super) repeat: bool,
}

/// The meaning of a byte as a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Segment,
    Repeat,
    Lock,
    Size,
}

fn prefix(model: Model, byte: u8) -> Option<Prefix> {
    match byte {
        0x26 | 0x2E | 0x36 | 0x3E => Some(Prefix::Segment),
        0x64..=0x65 if model.has_32_bits() => Some(Prefix::Segment),
        0x66..=0x67 if model.has_32_bits() => Some(Prefix::Size),
        0xF2 | 0xF3 => Some(Prefix::Repeat),
        0xF0 => Some(Prefix::Lock),
        0xF1 if model.has_second_lock() => Some(Prefix::Lock),
        _ => None,
    }
}

/// Fetches the instruction at CS:`ip`.
pub(super) fn fetch<B: Bus>(cpu: &Cpu, bus: &mut B, ip: u32) -> Code {
    let base = cpu.base(Segment::Cs);
    let mut code =
        Code { bytes: [0; WINDOW], opcode: 0, prefixes: 0, dropped: 0, lock: false, repeat: false };
    match bus.ram(base + ip, WINDOW) {
        Some(bytes) if ip <= 0x1_0000 - WINDOW as u32 => code.bytes.copy_from_slice(bytes),
        _ => fill(bus, base, ip, &mut code.bytes),
    }
    let bytes = code.bytes;
    let mut kept: [Option<u8>; 2] = [None; 2];
    let mut at = 0;
    loop {
        let byte = if at < WINDOW { bytes[at] } else { bus.fetch8(base + ((ip + at as u32) & 0xFFFF)) };
        match prefix(cpu.model, byte) {
            Some(Prefix::Segment) => kept[0] = Some(byte),
            Some(Prefix::Repeat) => {
                kept[1] = Some(byte);
                code.repeat = true;
            }
            Some(Prefix::Lock) => code.lock = true,
            Some(Prefix::Size) => {}
            None => break,
        }
        at += 1;
        if at >= MOST_PREFIXES || (at >= WINDOW && !cpu.model.offsets_wrap()) {
            break;
        }
    }
    code.prefixes = at;
    code.opcode = at.min(WINDOW - 2);
    if cpu.model.locks_anything() && at > 0 {
        // Only the last prefix of a kind counts. The caller checks LOCK.
        let mut place = 0;
        for byte in kept.into_iter().flatten() {
            code.bytes[place] = byte;
            place += 1;
        }
        fill(bus, base, ip + at as u32, &mut code.bytes[place..]);
        code.dropped = at - place;
        code.opcode = place;
    }
    if cpu.model.pop_ignores_reg() && code.bytes[code.opcode] == 0x8F {
        code.bytes[code.opcode + 1] &= !0x38;
    }
    if cpu.model.executes_every_opcode() {
        resolve_alias(&mut code.bytes[code.opcode..]);
    }
    code
}

fn fill<B: Bus>(bus: &mut B, base: u32, ip: u32, bytes: &mut [u8]) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = bus.fetch8(base + (ip.wrapping_add(i as u32) & 0xFFFF));
    }
}

/// Replaces an opcode that the 8086 decodes incompletely by the one that it executes.
fn resolve_alias(code: &mut [u8]) {
    let Some((opcode, operands)) = code.split_first_mut() else { return };
    let set_reg = |modrm: Option<&mut u8>, reg: fn(u8) -> u8| {
        if let Some(modrm) = modrm {
            *modrm = *modrm & 0xC7 | reg(*modrm >> 3 & 7) << 3;
        }
    };
    match *opcode {
        0x60..=0x6F => *opcode += 0x10,
        0xC0 | 0xC1 | 0xC8 | 0xC9 => *opcode += 2,
        // Two bits choose the segment register.
        0x8C | 0x8E => set_reg(operands.first_mut(), |reg| reg & 3),
        0xC6 | 0xC7 => set_reg(operands.first_mut(), |_| 0),
        0xFF => set_reg(operands.first_mut(), |reg| if reg == 7 { 6 } else { reg }),
        _ => {}
    }
}
