//! The operation of one instruction: what the model makes of its bytes, before and after iced-x86 decodes them.

use iced_x86::{CpuidFeature, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register as R};

use super::super::Cpu;
use super::super::access::Fault;
use super::super::block::Op;
use super::super::bus::Bus;
use super::super::fetch::{self, fetch};
use super::super::model::Model;
use super::super::operand::{Mode, Reg};
use super::super::ops::control::{self, Control};
use super::super::ops::shift;
use super::super::ops::stack::{self, Stack};
use super::super::registers::Segment;
use super::flow::Effect;
use super::instruction::by_mnemonic;
use super::{Decoded, Form, Immediate, Operands, resolve_memory};

/// Where a firmware trap may stand: `0F FF ib`.
const TRAP: [u8; 2] = [0x0F, 0xFF];

/// Decodes the instruction at CS:`ip`.
pub(super) fn decode<B: Bus>(cpu: &Cpu, bus: &mut B, ip: u32) -> Decoded<B> {
    if ip > 0xFFFF {
        return raise(ip, Fault::PROTECTION);
    }
    let code = fetch(cpu, bus, ip);
    if code.bytes[..2] == TRAP && bus.is_trap(cpu.base(Segment::Cs) + ip) {
        let mut trap = plain(ip, 3, Control::Trap);
        trap.op.imm = u32::from(code.bytes[2]);
        trap.ends = true;
        return trap;
    }
    let decoded = match by_opcode(cpu, ip, &code) {
        Ok(decoded) => decoded,
        Err(fault) => return raise(ip, fault),
    };
    let len = usize::from(decoded.op.len);
    if len > cpu.model.longest_instruction() {
        return raise(ip, Fault::PROTECTION);
    }
    if ip + len as u32 > 0x1_0000 && !cpu.model.offsets_wrap() {
        return raise(ip, Fault::PROTECTION);
    }
    decoded
}

/// An operation without operands.
fn empty<B: Bus>(ip: u32, len: usize) -> Op<B> {
    Op {
        run: control::select::<B>(Control::Nop, false),
        imm: 0,
        disp: 0,
        target: 0,
        ip,
        len: len as u8,
        after: 0,
        count: 1,
        reg: Reg::A,
        rm: Reg::A,
        base: Reg::A,
        index: Reg::A,
        seg: Segment::Ds,
        mode: Mode::Register,
        scale: 0,
        has_base: false,
        has_index: false,
    }
}

fn plain<B: Bus>(ip: u32, len: usize, what: Control) -> Decoded<B> {
    let mut op = empty(ip, len);
    op.run = control::select::<B>(what, false);
    Decoded {
        op,
        mnemonic: Mnemonic::INVALID,
        operands: Operands { size: 2, form: Form::RmImm(Mode::Register) },
        ends: what == Control::Raise,
        condition: None,
        effect: Effect::ANYTHING,
        flags: 0,
        immediate: None,
        through: None,
    }
}

/// An operation that raises `fault`. It is never gone beyond; its length is that of what the decision rests on, so
/// that a change there is noticed.
fn raise<B: Bus>(ip: u32, fault: Fault) -> Decoded<B> {
    const LONGEST: u32 = 16;
    let len = LONGEST.min(0x1_0000u32.saturating_sub(ip)).max(1);
    let mut decoded = plain(ip, len as usize, Control::Raise);
    decoded.op.imm = u32::from(fault.0);
    decoded
}

fn by_opcode<B: Bus>(cpu: &Cpu, ip: u32, code: &fetch::Code) -> Result<Decoded<B>, Fault> {
    let opcode = code.bytes[code.opcode];
    let modrm = code.bytes.get(code.opcode + 1).copied().unwrap_or(0);
    let prefixes = code.prefixes;
    if cpu.model.executes_every_opcode() && opcode == 0x0F {
        // POP CS.
        let mut decoded = plain(ip, prefixes + 1, Control::Nop);
        decoded.op.run = stack::select_stack::<B>(Stack::PopSegment, false);
        decoded.op.imm = Segment::Cs as u32;
        decoded.ends = true;
        return Ok(decoded);
    }
    let mut bytes = code.bytes;
    let is_escape = matches!(opcode, 0xD8..=0xDF);
    if is_escape {
        // Same operand bytes as MOV r8, r/m8.
        bytes[code.opcode] = 0x8A;
    }
    let Some((instruction, len, immediate)) = by_iced(cpu.model, ip, &bytes, code) else {
        return match cpu.model {
            model if model.executes_every_opcode() => Ok(plain(ip, prefixes + 2, Control::Nop)),
            model if undefined_len(model, ip, code) > model.longest_instruction() => Err(Fault::PROTECTION),
            _ => Err(Fault::UNDEFINED),
        };
    };
    if is_escape {
        let mut decoded = plain(ip, len, Control::Escape);
        if instruction.op1_kind() == OpKind::Memory {
            resolve_memory(&mut decoded.op, &instruction);
        }
        return Ok(decoded);
    }
    let mut decoded = by_mnemonic(&instruction, empty(ip, len)).ok_or(Fault::UNDEFINED)?;
    decoded.immediate = immediate;
    match decoded.mnemonic {
        // D0 to D3 /6: SETMO on the 8086, an alias of SHL later.
        Mnemonic::Sal if cpu.model.has_setmo() && modrm >> 3 & 7 == 6 => {
            decoded.op.run = shift::select_shift::<B>(6, &decoded.operands, opcode & 2 != 0);
            decoded.mnemonic = Mnemonic::INVALID; // it is no SHL: neither to be fused nor to go without flags
            decoded.flags = 0;
        }
        Mnemonic::Idiv => decoded.op.imm = u32::from(code.repeat && cpu.model.rep_negates_idiv()),
        _ => {}
    }
    Ok(decoded)
}

/// Bytes of what the model has no instruction for, as far as it reads them: with a `reg` field that means nothing
/// the others of its group tell the length.
fn undefined_len(model: Model, ip: u32, code: &fetch::Code) -> usize {
    let mut bytes = code.bytes;
    if let [0x8F | 0xC6 | 0xC7 | 0xFE | 0xFF, modrm, ..] = &mut bytes[code.opcode..] {
        *modrm &= !0x38;
    }
    by_iced(model, ip, &bytes, code).map_or(code.prefixes + 1, |(_, len, _)| len)
}

/// The instruction, its length in memory and its immediate, if the model has it.
fn by_iced(
    model: Model,
    ip: u32,
    bytes: &[u8],
    code: &fetch::Code,
) -> Option<(Instruction, usize, Option<Immediate>)> {
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
    Some((instruction, instruction.len() + code.dropped, immediate))
}

/// True when the model has this instruction, and has it in real mode.
fn has(model: Model, instruction: &Instruction) -> bool {
    let since = |feature: &CpuidFeature| match feature {
        CpuidFeature::INTEL8086 => model >= Model::I8086,
        CpuidFeature::INTEL8086_ONLY => model == Model::I8086,
        CpuidFeature::INTEL186 => model >= Model::I186,
        CpuidFeature::INTEL286 => model >= Model::I286,
        CpuidFeature::INTEL386 | CpuidFeature::INTEL386_ONLY => model >= Model::I386,
        _ => false,
    };
    let late = |register: R| matches!(register, R::FS | R::GS) && !model.has_32_bits();
    instruction.cpuid_features().iter().all(since)
        && !late(instruction.op0_register())
        && !late(instruction.op1_register())
}
