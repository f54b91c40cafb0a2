//! The effect of a block of the program on followed registers, see [`super::followed`].
//!
//! A block is a straight line of instructions that compute with general registers and memory, and
//! push, pop, call, return, jump, or request a service. It uses no ports and loads no segment
//! register.

use super::block_reads;
use super::parts::{Effect, Kind, Parts};
use crate::firmware;
use iced_x86::{CpuidFeature, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpKind};
use oxbox_cpu::{Model, Note};

// The last word but one of a note.
const COUNT: u32 = 0xFF;
const FIRMWARE: u32 = 1 << 9;
const INTERRUPT: u32 = 1 << 10;
const VECTOR_SHIFT: u32 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockEffect {
    /// The instruction has to be followed alone.
    Unknown,
    /// Code in the ROM: its effect is that of the service.
    Firmware,
    Program(ProgramEffect),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProgramEffect {
    pub(super) count: u32,
    /// Parts that are read before they are written.
    pub(super) reads: Parts,
    /// Parts that are always written, if no followed value is on the stack.
    pub(super) writes: Parts,
    /// Parts that are pushed, or copied to others.
    pub(super) moves: Parts,
    /// The number of its reads, see [`super::block_reads`].
    pub(super) reads_at: u32,
    /// The vector of an INT at its end.
    pub(super) interrupt: Option<u8>,
}

impl BlockEffect {
    /// Whether an instruction may be part of a block.
    pub(super) fn admits(cs: u16, instruction: &Instruction, model: Model) -> bool {
        cs == firmware::ROM_SEGMENT || is_in_blocks(instruction, model)
    }

    pub(super) fn of(cs: u16, instructions: &[Instruction]) -> BlockEffect {
        if cs == firmware::ROM_SEGMENT {
            return BlockEffect::Firmware;
        }
        if instructions.is_empty() {
            return BlockEffect::Unknown;
        }
        let mut factory = InstructionInfoFactory::new();
        let mut whole = ProgramEffect {
            count: instructions.len() as u32,
            reads: Parts::NONE,
            writes: Parts::NONE,
            moves: Parts::NONE,
            reads_at: block_reads::UNKNOWN,
            interrupt: None,
        };
        for instruction in instructions {
            let effect = Effect::of(instruction, &mut factory);
            let moved = effect.kind.moved();
            let exchanged = if let Kind::Exchange(..) = effect.kind { moved } else { Parts::NONE };
            if let Kind::Interrupt(vector) = effect.kind {
                whole.interrupt = Some(vector);
            }
            whole.moves = whole.moves.and(moved.without(whole.writes));
            whole.reads = whole.reads.and(effect.reads.without(moved).without(whole.writes));
            whole.writes = whole.writes.and(effect.always_writes()).and(exchanged);
        }
        BlockEffect::Program(whole)
    }

    /// Whether the block of this note is code in the ROM.
    #[inline]
    pub(super) fn is_firmware(note: &Note) -> bool {
        note[3] == FIRMWARE
    }

    /// Returns the number of instructions of a block of the program that reads, writes and moves
    /// none of these parts, and requests no service.
    #[inline]
    pub(super) fn leaves_alone(&[reads, writes, moves, rest, _]: &Note, parts: Parts) -> Option<u32> {
        let used = Parts::of_bits(reads | writes | moves);
        let count = rest & COUNT;
        (count != 0 && rest & INTERRUPT == 0 && !used.meets(parts)).then_some(count)
    }

    pub(super) fn to_note(self) -> Note {
        let BlockEffect::Program(of) = self else {
            return [0, 0, 0, if self == BlockEffect::Firmware { FIRMWARE } else { 0 }, 0];
        };
        let interrupt = of.interrupt.map_or(0, |vector| INTERRUPT | u32::from(vector) << VECTOR_SHIFT);
        [of.reads.bits(), of.writes.bits(), of.moves.bits(), of.count | interrupt, of.reads_at]
    }

    pub(super) fn of_note(&[reads, writes, moves, rest, reads_at]: &Note) -> BlockEffect {
        let count = rest & COUNT;
        if count == 0 {
            return if rest == FIRMWARE { BlockEffect::Firmware } else { BlockEffect::Unknown };
        }
        BlockEffect::Program(ProgramEffect {
            count,
            reads: Parts::of_bits(reads),
            writes: Parts::of_bits(writes),
            moves: Parts::of_bits(moves),
            reads_at,
            interrupt: (rest & INTERRUPT != 0).then_some((rest >> VECTOR_SHIFT) as u8),
        })
    }
}

/// Whether an instruction can be part of a block on a processor of this model: it can only fault by
/// its memory operands, and does not use ports, the interrupt flag, or other segments of code.
fn is_in_blocks(instruction: &Instruction, model: Model) -> bool {
    use Mnemonic::{Call, Int, Jmp, Ret};
    let is_known = model >= Model::I386 || instruction.code().cpuid_features() == [CpuidFeature::INTEL8086];
    is_known
        && match instruction.mnemonic() {
            Int | Ret => true,
            Call | Jmp => {
                instruction.op0_kind() == OpKind::NearBranch16
                    || instruction.is_jmp_near_indirect()
                    || instruction.is_call_near_indirect()
            }
            _ => is_stack_operation(instruction) || is_computation(instruction),
        }
}

/// Whether an instruction pushes or pops, except for a POP of a segment register.
pub(super) fn is_stack_operation(instruction: &Instruction) -> bool {
    use Mnemonic::{Enter, Leave, Pop, Popa, Popad, Push, Pusha, Pushad, Pushf, Pushfd};
    match instruction.mnemonic() {
        Pop => !instruction.op0_register().is_segment_register(),
        Push | Pushf | Pushfd | Pusha | Pushad | Popa | Popad | Enter | Leave => true,
        _ => false,
    }
}

/// Whether an instruction computes with general registers and memory, or jumps by a flag or a
/// count.
pub(super) fn is_computation(instruction: &Instruction) -> bool {
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
    use iced_x86::{Decoder, DecoderOptions};

    fn effect(code: &[u8], model: Model) -> BlockEffect {
        const PROGRAM: u16 = 0x100;
        let decoder = Decoder::with_ip(16, code, 0x100, DecoderOptions::NONE).into_iter();
        let admitted: Vec<Instruction> =
            decoder.take_while(|instruction| BlockEffect::admits(PROGRAM, instruction, model)).collect();
        BlockEffect::of(PROGRAM, &admitted)
    }

    fn count(code: &[u8], model: Model) -> u32 {
        match effect(code, model) {
            BlockEffect::Program(effect) => effect.count,
            _ => 0,
        }
    }

    #[test]
    fn blocks_end_before_what_is_followed_alone() {
        let rows: [(&str, &[u8], u32, u32); 16] = [
            ("mov ax, 1; inc ax; hlt", &[0xB8, 1, 0, 0x40, 0xF4], 2, 2),
            ("nop; jz", &[0x90, 0x74, 0], 2, 2),
            ("nop; jmp", &[0x90, 0xEB, 0], 2, 2),
            ("nop; call", &[0x90, 0xE8, 0, 0], 2, 2),
            ("nop; ret", &[0x90, 0xC3], 2, 2),
            ("nop; push ax", &[0x90, 0x50], 2, 2),
            ("nop; pusha; popa", &[0x90, 0x60, 0x61], 3, 1),
            ("nop; leave", &[0x90, 0xC9], 2, 1),
            ("nop; int 21h", &[0x90, 0xCD, 0x21], 2, 2),
            ("nop; retf", &[0x90, 0xCB], 1, 1),
            ("nop; div bl", &[0x90, 0xF6, 0xF3], 1, 1),
            ("nop; mov es, ax", &[0x90, 0x8E, 0xC0], 1, 1),
            ("nop; in al, 60h", &[0x90, 0xE4, 0x60], 1, 1),
            ("nop; rep movsb", &[0x90, 0xF3, 0xA4], 1, 1),
            ("nop; sti", &[0x90, 0xFB], 1, 1),
            ("nop; mov eax, ebx", &[0x90, 0x66, 0x89, 0xD8], 2, 1),
        ];
        for (name, code, on_386, on_8086) in rows {
            assert_eq!(count(code, Model::I386), on_386, "{name}");
            assert_eq!(count(code, Model::I8086), on_8086, "{name}");
        }
    }

    #[test]
    fn pusha_moves_and_popa_writes() {
        // mov si, 1; pusha; popa; leave
        let BlockEffect::Program(effect) = effect(&[0xBE, 1, 0, 0x60, 0x61, 0xC9], Model::I386) else {
            panic!("no block");
        };
        assert_eq!(effect.moves, Parts::GENERAL.without(Parts::SI));
        assert_eq!((effect.reads, effect.writes), (Parts::NONE, Parts::GENERAL));
    }

    #[test]
    fn what_is_written_first_is_not_read() {
        // mov al, bl; add al, cl; push dx; push ax; mov bl, 1; pop si; int 16h
        let code = [0x88, 0xD8, 0x00, 0xC8, 0x52, 0x50, 0xB3, 1, 0x5E, 0xCD, 0x16];
        let effect = effect(&code, Model::I386);
        let expected = ProgramEffect {
            count: 7,
            reads: Parts::CL,
            writes: Parts::AL.and(Parts::BL).and(Parts::SI).and(Parts::FLAGS),
            moves: Parts::BL.and(Parts::DX).and(Parts::AH),
            reads_at: block_reads::UNKNOWN,
            interrupt: Some(0x16),
        };
        assert_eq!(effect, BlockEffect::Program(expected));
        for effect in [effect, BlockEffect::Firmware, BlockEffect::Unknown] {
            assert_eq!(BlockEffect::of_note(&effect.to_note()), effect);
        }
    }
}
