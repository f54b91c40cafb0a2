//! Decodes one instruction: model-specific rules before and after iced-x86.

use iced_x86::{CpuidFeature, Decoder, DecoderError, DecoderOptions, Instruction, Mnemonic, Register as R};

use super::family;
use super::fetch::{self, fetch};
use crate::access::Fault;
use crate::bus::Bus;
use crate::decoded::{Decoded, Immediate};
use crate::exception::TRAP;
use crate::model::Model;
use crate::ops::{control, esc, interrupt, muldiv, post_386, segment, shift};
use crate::registers::Segment;
use crate::state::Cpu;

pub(super) fn decode<B: Bus>(cpu: &Cpu, bus: &mut B, ip: u32) -> Decoded<B> {
    if ip > 0xFFFF {
        return interrupt::raise(ip, Fault::PROTECTION);
    }
    let code = fetch(cpu, bus, ip);
    if code.bytes[..2] == TRAP && bus.is_trap(cpu.base(Segment::Cs) + ip) {
        return interrupt::trap(ip, code.bytes[2]);
    }
    let decoded = match by_opcode(cpu.model, ip, &code) {
        Ok(decoded) => decoded,
        Err(fault) => {
            let mut raise = interrupt::raise(ip, fault);
            if fault != Fault::UNDEFINED {
                return raise;
            }
            if bus.is_cacheable(cpu.base(Segment::Cs) + ip) {
                raise.op.len = raise.op.len.min(deciding(cpu.model, ip, &code));
            }
            // Only the first such instruction is reported. No model defines all forms of these
            // opcodes. Unpopulated addresses read as such opcodes, so a program that has jumped
            // there executes them repeatedly.
            let is_of_none = matches!(code.bytes[code.opcode], 0xFE | 0xFF);
            return if is_of_none || cpu.missed_instruction.is_some() {
                raise
            } else {
                or_later(cpu.model, ip, &code, raise)
            };
        }
    };
    let len = usize::from(decoded.op.len);
    let wraps = ip + len as u32 > 0x1_0000;
    if len > cpu.model.longest_instruction() || wraps && !cpu.model.offsets_wrap() {
        return interrupt::raise(ip, Fault::PROTECTION);
    }
    decoded
}

fn by_opcode<B: Bus>(model: Model, ip: u32, code: &fetch::Code) -> Result<Decoded<B>, Fault> {
    let opcode = code.bytes[code.opcode];
    if model.executes_every_opcode() && opcode == 0x0F {
        return Ok(segment::pop_cs(ip, code.prefixes + 1));
    }
    let is_escape = matches!(opcode, 0xD8..=0xDF);
    let mut bytes = code.bytes;
    if is_escape {
        // The operands are laid out as those of MOV r8, r/m8.
        bytes[code.opcode] = 0x8A;
    }
    match by_iced(model, ip, &bytes, code) {
        Some(found) if is_escape => {
            Ok(esc::decode(ip, found.len, &found.instruction, &encoding(model, code)))
        }
        Some(found) => by_family(model, ip, code, &found),
        None if model.executes_every_opcode() => Ok(control::nop(ip, code.prefixes + 2)),
        None if may_be_too_long(model, code)
            && undefined_len(model, ip, code) > model.longest_instruction() =>
        {
            Err(Fault::PROTECTION)
        }
        None => Err(Fault::UNDEFINED),
    }
}

/// Raises #UD, and adds a notice if the bytes are an instruction of a later model.
fn or_later<B: Bus>(model: Model, ip: u32, code: &fetch::Code, plain: Decoded<B>) -> Decoded<B> {
    let models = Model::ALL.into_iter().filter(|later| *later > model);
    let found = models.filter_map(|later| Some((later, by_iced(later, ip, &code.bytes, code)?.instruction)));
    let known = found.into_iter().find(|(_, instruction)| family::of::<B>(instruction).is_some());
    if let Some((later, instruction)) = known {
        return post_386::later(plain, instruction.mnemonic(), Some(later));
    }
    let mut decoder = Decoder::with_ip(16, &code.bytes, u64::from(ip), DecoderOptions::NO_MPFX_0FBC);
    let instruction = decoder.decode();
    let is_of_none = !instruction.is_invalid() && !has(Model::I586, &instruction);
    if is_of_none { post_386::later(plain, instruction.mnemonic(), None) } else { plain }
}

/// Returns whether an instruction with this many prefixes may exceed the model's length limit.
fn may_be_too_long(model: Model, code: &fetch::Code) -> bool {
    let longest_unprefixed = if model.has_32_bits() { 11 } else { 6 };
    code.prefixes + longest_unprefixed > model.longest_instruction()
}

/// Returns the number of bytes that make the instruction undefined. A write after them, such as the
/// exception frame on a stack that is there, does not make the processor decode again.
fn deciding(model: Model, ip: u32, code: &fetch::Code) -> u8 {
    let is_enough = |len: &usize| {
        let bytes = &code.bytes[..*len];
        let mut decoder = Decoder::with_ip(16, bytes, u64::from(ip), DecoderOptions::NONE);
        let _ = decoder.decode();
        decoder.last_error() != DecoderError::NoMoreBytes
    };
    // The length decides, too, if it may exceed the limit.
    let len = if may_be_too_long(model, code) {
        None
    } else {
        (code.opcode + 1..=code.bytes.len()).find(is_enough)
    };
    (len.unwrap_or(code.bytes.len()) + code.dropped) as u8
}

/// Returns the coprocessor's decoding of an ESC instruction.
fn encoding(model: Model, code: &fetch::Code) -> esc::Encoding {
    let (prefixes, rest) = code.bytes.split_at(code.opcode);
    let byte = |i: usize| rest.get(i).copied().map_or(0, u16::from);
    esc::Encoding {
        opcode: byte(0) << 8 & 0x0700 | byte(1),
        is_wide: model.has_32_bits() && prefixes.contains(&0x66),
        prefixes: code.prefixes,
    }
}

/// An instruction that iced-x86 has decoded, its length in memory and its immediate.
struct Found {
    instruction: Instruction,
    len: usize,
    immediate: Option<Immediate>,
}

fn by_family<B: Bus>(model: Model, ip: u32, code: &fetch::Code, found: &Found) -> Result<Decoded<B>, Fault> {
    let decode_family = family::of(&found.instruction).ok_or(Fault::UNDEFINED)?;
    let mut decoded = Decoded::new(control::handler(), ip, found.len, found.instruction);
    decode_family(&mut decoded).ok_or(Fault::UNDEFINED)?;
    decoded.immediate = found.immediate;
    let modrm = code.bytes.get(code.opcode + 1).copied().unwrap_or(0);
    match decoded.mnemonic() {
        // D0 to D3 /6, which later models decode as an alias of SHL.
        Mnemonic::Sal if model.has_setmo() && modrm >> 3 & 7 == 6 => shift::make_setmo(&mut decoded),
        Mnemonic::Idiv if code.repeat && model.rep_negates_idiv() => muldiv::negate_quotient(&mut decoded),
        _ => {}
    }
    Ok(decoded)
}

/// Returns how many bytes the model reads of an opcode that it does not have. The other
/// instructions of a group give the length if `reg` is undefined.
fn undefined_len(model: Model, ip: u32, code: &fetch::Code) -> usize {
    let mut bytes = code.bytes;
    if let [0x8F | 0xC6 | 0xC7 | 0xFE | 0xFF, modrm, ..] = &mut bytes[code.opcode..] {
        *modrm &= !0x38;
    }
    by_iced(model, ip, &bytes, code).map_or(code.prefixes + 1, |found| found.len)
}

/// Decodes `bytes` with iced-x86; `None` if the model does not have the instruction.
fn by_iced(model: Model, ip: u32, bytes: &[u8], code: &fetch::Code) -> Option<Found> {
    let mut options = DecoderOptions::NO_PAUSE
        | DecoderOptions::NO_MPFX_0FBC
        | DecoderOptions::NO_MPFX_0FBD
        | DecoderOptions::MOV_TR
        | DecoderOptions::NO_WBNOINVD;
    if model.executes_every_opcode() {
        options |= DecoderOptions::NO_INVALID_CHECK;
    }
    let mut decoder = Decoder::with_ip(16, bytes, u64::from(ip) + code.dropped as u64, options);
    let instruction = decoder.decode();
    if instruction.is_invalid() || !has(model, &instruction) {
        return None;
    }
    let offsets = decoder.get_constant_offsets(&instruction);
    let immediate = (offsets.has_immediate() && !offsets.has_immediate2()).then(|| Immediate {
        offset: (offsets.immediate_offset() + code.dropped) as u8,
        size: offsets.immediate_size() as u8,
    });
    Some(Found { instruction, len: instruction.len() + code.dropped, immediate })
}

/// Returns whether the model has this instruction in real mode.
fn has(model: Model, instruction: &Instruction) -> bool {
    let since = |feature: &CpuidFeature| match feature {
        CpuidFeature::INTEL8086 => model >= Model::I8086,
        CpuidFeature::INTEL8086_ONLY => model == Model::I8086,
        CpuidFeature::INTEL186 => model >= Model::I186,
        CpuidFeature::INTEL286 => model >= Model::I286,
        CpuidFeature::INTEL386 | CpuidFeature::INTEL386_ONLY => model >= Model::I386,
        CpuidFeature::INTEL486 => model >= Model::I486,
        CpuidFeature::CPUID | CpuidFeature::CX8 | CpuidFeature::TSC | CpuidFeature::CMOV => {
            model >= Model::I586
        }
        _ => false,
    };
    let late = |register: R| matches!(register, R::FS | R::GS) && !model.has_32_bits();
    instruction.cpuid_features().iter().all(since)
        && !late(instruction.op0_register())
        && !late(instruction.op1_register())
}
