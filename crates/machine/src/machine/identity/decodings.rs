//! Decoded instructions of the program: single ones, and runs that only compute.

use super::parts::{Effect, Kind, Parts};
use crate::hardware::{Hardware, linear};
use iced_x86::{
    CpuidFeature, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpKind,
};
use oxbox_cpu::{Cpu, Model};
use std::collections::{HashMap, hash_map::Entry};
use std::hash::{BuildHasherDefault, Hasher};

/// The length of the longest instruction.
const LONGEST: usize = 15;
/// The maximum length of a run in bytes.
const STRETCH_BYTES: usize = 48;
/// Runs are below video memory, where an address is always RAM.
const STRETCHES_END: u32 = 0xA_0000;

#[derive(Debug, Clone, Copy)]
pub(super) struct Decoded {
    pub(super) instruction: Instruction,
    pub(super) effect: Effect,
    /// Whether it uses neither ports nor interrupts, HLT or an interrupt shadow: checks made before
    /// it need not be repeated after it.
    pub(super) is_quiet: bool,
    bytes: [u8; LONGEST],
}

/// Consecutive instructions with one entry that can only fault by their memory operands. They do
/// not use ports, read segment registers at most, and use the stack only to call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) count: u32,
    /// Parts that are read before they are written.
    pub(super) reads: Parts,
    /// Parts that are always written.
    pub(super) writes: Parts,
    /// Whether they access memory, or the stack.
    pub(super) touches_memory: bool,
    model: Model,
    ip: u16,
    len: usize,
    bytes: [u8; STRETCH_BYTES],
}

#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    fn write_u32(&mut self, address: u32) {
        self.0 = (self.0 ^ u64::from(address)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    }
}

type ByAddress<T> = HashMap<u32, T, BuildHasherDefault<AddressHasher>>;

#[derive(Default)]
pub(in crate::machine) struct Decodings {
    known: ByAddress<Decoded>,
    stretches: ByAddress<Stretch>,
    factory: Option<InstructionInfoFactory>,
}

impl std::fmt::Debug for Decodings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Decodings({})", self.known.len())
    }
}

impl Decodings {
    /// Returns the instruction at CS:IP, and the analyser for instructions.
    pub(super) fn at(&mut self, cpu: &Cpu, hardware: &Hardware) -> (&Decoded, &mut InstructionInfoFactory) {
        let Decodings { known, factory, .. } = self;
        let factory = factory.get_or_insert_with(InstructionInfoFactory::new);
        let (segment, offset) = (cpu.regs.cs(), cpu.regs.ip as u16);
        let start = linear(segment, offset);
        let bytes = hardware.memory.array(start).unwrap_or([0; LONGEST]);
        let decode = |factory: &mut InstructionInfoFactory| {
            let instruction = Decoder::with_ip(16, &bytes, u64::from(offset), DecoderOptions::NONE).decode();
            let effect = Effect::of(&instruction, factory);
            Decoded { instruction, effect, is_quiet: is_quiet(&instruction), bytes }
        };
        let known = known.entry(start).or_insert_with(|| decode(factory));
        let len = known.instruction.len().min(LONGEST);
        // A jump's target depends on its offset.
        if known.bytes[..len] != bytes[..len] || known.instruction.ip() != u64::from(offset) {
            *known = decode(factory);
        }
        (known, factory)
    }

    /// Returns the run at CS:IP; `None` if it has fewer than two instructions.
    pub(super) fn stretch_at(&mut self, cpu: &Cpu, hardware: &Hardware) -> Option<&Stretch> {
        let Decodings { stretches, factory, .. } = self;
        let factory = factory.get_or_insert_with(InstructionInfoFactory::new);
        let (segment, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        let start = linear(segment, ip);
        if start + STRETCH_BYTES as u32 > STRETCHES_END || usize::from(ip) + STRETCH_BYTES > 0xFFFF {
            return None;
        }
        let bytes = hardware.memory.slice(start, STRETCH_BYTES)?;
        let is_as = |known: &Stretch| {
            known.bytes[..known.len] == bytes[..known.len] && (known.ip, known.model) == (ip, cpu.model)
        };
        match stretches.entry(start) {
            Entry::Occupied(known) if is_as(known.get()) => {
                let known: &Stretch = known.into_mut();
                (known.count > 1).then_some(known)
            }
            // It is executed one by one at first. After that the processor reports when its bytes
            // are written.
            entry => {
                entry.insert_entry(Stretch::of(bytes, ip, cpu.model, factory));
                None
            }
        }
    }
}

impl Stretch {
    fn of(code: &[u8], ip: u16, model: Model, factory: &mut InstructionInfoFactory) -> Stretch {
        let mut bytes = [0; STRETCH_BYTES];
        bytes.copy_from_slice(&code[..STRETCH_BYTES]);
        let mut stretch = Stretch {
            count: 0,
            reads: Parts::NONE,
            writes: Parts::NONE,
            touches_memory: false,
            model,
            ip,
            len: 0,
            bytes,
        };
        for instruction in Decoder::with_ip(16, &bytes, u64::from(ip), DecoderOptions::NONE) {
            let end = stretch.len + instruction.len();
            // The bytes after the end count too: that the run ends there depends on them.
            stretch.len = end.min(STRETCH_BYTES);
            if instruction.is_invalid() || !only_computes(&instruction, model) {
                break;
            }
            let Effect { reads, writes, kind } = Effect::of(&instruction, factory);
            if kind != Kind::Plain {
                break;
            }
            stretch.reads = stretch.reads.and(reads.without(stretch.writes));
            stretch.writes = stretch.writes.and(writes);
            let uses_memory = !factory.info(&instruction).used_memory().is_empty();
            stretch.touches_memory |= uses_memory || instruction.is_stack_instruction();
            stretch.count += 1;
            if instruction.flow_control() != FlowControl::Next {
                break;
            }
        }
        stretch
    }

    pub(super) fn effects(&self) -> Vec<Effect> {
        let mut factory = InstructionInfoFactory::new();
        let decoder = Decoder::with_ip(16, &self.bytes, u64::from(self.ip), DecoderOptions::NONE);
        let instructions = decoder.into_iter().take(self.count as usize);
        instructions.map(|instruction| Effect::of(&instruction, &mut factory)).collect()
    }
}

/// Whether an instruction uses neither ports nor the interrupt flag, and loads no segment register.
fn is_quiet(instruction: &Instruction) -> bool {
    use Mnemonic::{Call, Int, Jmp, Pop, Push, Pushf, Ret};
    match instruction.mnemonic() {
        Pop => !instruction.op0_register().is_segment_register(),
        Push | Pushf | Int | Ret | Call | Jmp => true,
        _ => is_computation(instruction),
    }
}

/// Whether an instruction can be part of a run on a processor of this model.
fn only_computes(instruction: &Instruction, model: Model) -> bool {
    let is_known = model >= Model::I386 || instruction.code().cpuid_features() == [CpuidFeature::INTEL8086];
    let has_target = matches!(
        instruction.flow_control(),
        FlowControl::Next
            | FlowControl::ConditionalBranch
            | FlowControl::UnconditionalBranch
            | FlowControl::Call
    );
    let is_simple = is_computation(instruction)
        || matches!(instruction.mnemonic(), Mnemonic::Call | Mnemonic::Jmp)
            && matches!(instruction.op0_kind(), OpKind::NearBranch16);
    is_known && has_target && is_simple
}

/// Whether an instruction computes with general registers and memory, or jumps by a flag or a
/// count.
fn is_computation(instruction: &Instruction) -> bool {
    use Mnemonic::{
        Adc, Add, And, Cbw, Clc, Cld, Cmc, Cmp, Cmpsb, Cmpsw, Cwd, Dec, Imul, Inc, Lahf, Lea, Lodsb, Lodsw,
        Mov, Movsb, Movsw, Movsx, Movzx, Mul, Neg, Nop, Not, Or, Rcl, Rcr, Rol, Ror, Sahf, Sal, Sar, Sbb,
        Scasb, Scasw, Shl, Shr, Stc, Std, Stosb, Stosw, Sub, Test, Xchg, Xlatb, Xor,
    };
    let is_repeated =
        instruction.has_rep_prefix() || instruction.has_repne_prefix() || instruction.has_lock_prefix();
    if is_repeated {
        return false;
    }
    if instruction.flow_control() == FlowControl::ConditionalBranch {
        return instruction.op0_kind() == OpKind::NearBranch16;
    }
    let is_plain = |register: iced_x86::Register| register == iced_x86::Register::None || register.is_gpr();
    match instruction.mnemonic() {
        Mov => {
            let source = instruction.op1_register();
            is_plain(instruction.op0_register()) && (is_plain(source) || source.is_segment_register())
        }
        Adc | Add | And | Cbw | Clc | Cld | Cmc | Cmp | Cmpsb | Cmpsw | Cwd | Dec | Imul | Inc | Lahf
        | Lea | Lodsb | Lodsw | Movsb | Movsw | Movsx | Movzx | Mul | Neg | Nop | Not | Or | Rcl | Rcr
        | Rol | Ror | Sahf | Sal | Sar | Sbb | Scasb | Scasw | Shl | Shr | Stc | Std | Stosb | Stosw
        | Sub | Test | Xchg | Xlatb | Xor => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(code: &[u8], model: Model) -> Stretch {
        let mut bytes = [0xF4; STRETCH_BYTES]; // HLT, which ends any
        bytes[..code.len()].copy_from_slice(code);
        Stretch::of(&bytes, 0x100, model, &mut InstructionInfoFactory::new())
    }

    #[test]
    fn stretches_end_where_more_happens_than_computing() {
        let rows: [(&str, &[u8], u32, u32); 12] = [
            ("mov ax, 1; inc ax; hlt", &[0xB8, 1, 0, 0x40], 2, 2),
            ("nop; jz", &[0x90, 0x74, 0, 0x90], 2, 2),
            ("nop; jmp", &[0x90, 0xEB, 0, 0x90], 2, 2),
            ("nop; call", &[0x90, 0xE8, 0, 0], 2, 2),
            ("nop; ret", &[0x90, 0xC3], 1, 1),
            ("nop; push ax", &[0x90, 0x50], 1, 1),
            ("nop; div bl", &[0x90, 0xF6, 0xF3], 1, 1),
            ("nop; mov es, ax", &[0x90, 0x8E, 0xC0], 1, 1),
            ("nop; in al, 60h", &[0x90, 0xE4, 0x60], 1, 1),
            ("nop; rep movsb", &[0x90, 0xF3, 0xA4], 1, 1),
            ("nop; sti", &[0x90, 0xFB], 1, 1),
            ("nop; mov eax, ebx", &[0x90, 0x66, 0x89, 0xD8, 0x90], 3, 1),
        ];
        for (name, code, on_386, on_8086) in rows {
            assert_eq!(stretch(code, Model::I386).count, on_386, "{name}");
            assert_eq!(stretch(code, Model::I8086).count, on_8086, "{name}");
        }
    }

    #[test]
    fn what_is_written_first_is_not_read() {
        // mov al, bl; add al, cl; mov bl, 1
        let stretch = stretch(&[0x88, 0xD8, 0x00, 0xC8, 0xB3, 1], Model::I386);
        let flags = Parts::FLAGS;
        assert_eq!((stretch.count, stretch.reads), (3, Parts::BL.and(Parts::CL)));
        assert_eq!(stretch.writes, Parts::AL.and(Parts::BL).and(flags));
        assert!(!stretch.touches_memory);
    }
}
