//! Normalised instructions, which are invariant under common disguises.
//!
//! Assembling removes names, comments and layout. This form also hides which register or address is
//! used (see [`Gram`](super::fingerprint)), and gives instructions with the same effect one form:
//! `xor ax, ax` as `mov ax, 0`, `inc bx` as `add bx, 1`, `loop` as a decrement and a conditional
//! jump. Jumps, calls, returns and no-ops are left out.

use iced_x86::{ConditionCode, Instruction, Mnemonic, OpKind, Register};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Normal {
    /// The operation: a mnemonic, or an interrupt with its service.
    pub(super) what: What,
    pub(super) operands: Vec<Operand>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Plain(Mnemonic),
    /// A conditional jump. A condition and its negation are equal.
    Branch(u8),
    /// The vector, and AH at the first execution.
    Interrupt(u8, u8),
}

/// An operand. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    /// A general register, exchangeable for another: the whole register's number, and the size.
    General(u8, u8),
    /// SP, a segment register or the like.
    Fixed(u16),
    /// A number that is kept.
    Value(u32),
    /// An address, or a number that may be one.
    Place(u32),
    /// Memory addressed by registers: base, index, whether a displacement is added, and size.
    Indexed {
        base: Option<u8>,
        index: Option<u8>,
        displaced: bool,
        size: u8,
    },
    Direct(u32, u8),
}

impl Normal {
    fn new(mnemonic: Mnemonic, operands: Vec<Operand>) -> Normal {
        Normal { what: What::Plain(mnemonic), operands }
    }

    fn branch(group: u8) -> Normal {
        Normal { what: What::Branch(group), operands: Vec::new() }
    }
}

/// The largest number that is kept: characters, digits, counts. A larger one may be an address.
const LARGEST_VALUE: u32 = 0xFF;

/// Normalises an instruction to none, one or two. `ah` is AH at its execution.
pub(super) fn normalised(instruction: &Instruction, ah: u8) -> Vec<Normal> {
    use Mnemonic as M;
    let operands: Vec<Operand> =
        (0..instruction.op_count()).filter_map(|number| operand(instruction, number)).collect();
    let one = |mnemonic, operands| vec![Normal::new(mnemonic, operands)];
    let first = operands.first().copied();
    let same = operands.len() == 2 && operands[0] == operands[1];
    let number = match operands.get(1) {
        Some(Operand::Value(value)) => Some(*value),
        _ => None,
    };
    let zero = |first| vec![first, Operand::Value(0)];
    let compared = |first| vec![first, first];
    match (instruction.mnemonic(), first) {
        (M::Int, _) => {
            vec![Normal { what: What::Interrupt(instruction.immediate8(), ah), operands: Vec::new() }]
        }
        (M::Jmp | M::Call | M::Ret | M::Retf | M::Nop | M::Cld, _) => Vec::new(),
        // The result of a procedure, which vanishes if the procedure is inlined.
        (M::Clc | M::Stc, _) => Vec::new(),
        // The service is part of the interrupt, however AH is loaded.
        (M::Mov, _) if instruction.op0_register() == Register::AH && number.is_some() => Vec::new(),
        (M::Mov | M::Xchg, _) if same => Vec::new(),
        (M::Xor | M::Sub, Some(first)) if same => one(M::Mov, zero(first)),
        (M::And, Some(first)) if number == Some(0) => one(M::Mov, zero(first)),
        (M::Or | M::And | M::Test, Some(first)) if same => one(M::Test, compared(first)),
        (M::Cmp, Some(first)) if number == Some(0) => one(M::Test, compared(first)),
        (M::Inc, Some(first)) => one(M::Add, vec![first, Operand::Value(1)]),
        (M::Dec, Some(first)) => one(M::Sub, vec![first, Operand::Value(1)]),
        (M::Shl | M::Sal, Some(first)) if number == Some(1) => one(M::Add, compared(first)),
        (M::Lea, Some(first)) => match operands.get(1) {
            Some(Operand::Direct(address, _)) => one(M::Mov, vec![first, Operand::Place(*address)]),
            _ => one(M::Lea, operands),
        },
        (M::Mov, _) if instruction.op0_register() == Register::AX && is_large(operands.get(1)) => Vec::new(),
        (M::Cmp, Some(first @ (Operand::Indexed { .. } | Operand::Direct(..)))) => match operands.get(1) {
            Some(register @ Operand::General(..)) => one(M::Cmp, vec![*register, first]),
            _ => one(M::Cmp, operands),
        },
        // A 16-bit number may be an address, even a small one in an EXE.
        (M::Mov, Some(first @ Operand::General(_, 2..))) => match number {
            Some(value @ 1..) => one(M::Mov, vec![first, Operand::Place(value)]),
            _ => one(M::Mov, operands),
        },
        (M::Loop, _) => vec![counter(M::Sub, Operand::Value(1)), Normal::branch(group(ConditionCode::ne))],
        (M::Jcxz | M::Jecxz, _) => {
            vec![counter(M::Test, COUNTER), Normal::branch(group(ConditionCode::e))]
        }
        (mnemonic, _) => match instruction.condition_code() {
            ConditionCode::None => one(mnemonic, operands),
            condition if instruction.is_jcc_short_or_near() => vec![Normal::branch(group(condition))],
            _ => one(mnemonic, operands),
        },
    }
}

/// Returns whether an instruction ends execution: a return, or a DOS call that ends the program.
pub(super) fn ends(instruction: &Instruction, ah: u8) -> bool {
    match instruction.mnemonic() {
        Mnemonic::Ret | Mnemonic::Retf | Mnemonic::Iret => true,
        Mnemonic::Int => {
            matches!((instruction.immediate8(), ah), (0x20 | 0x27, _) | (0x21, 0 | 0x31 | 0x4C))
        }
        _ => false,
    }
}

/// Returns whether an operand is a number that does not fit into AL: a service with its first
/// argument, or a segment.
fn is_large(operand: Option<&Operand>) -> bool {
    matches!(operand, Some(Operand::Place(_)))
}

/// CX, the counter of LOOP.
const COUNTER: Operand = Operand::General(1, 2);

fn counter(mnemonic: Mnemonic, operand: Operand) -> Normal {
    Normal::new(mnemonic, vec![COUNTER, operand])
}

/// Returns a condition's number without its lowest bit: a condition and its negation are equal.
fn group(condition: ConditionCode) -> u8 {
    match condition {
        ConditionCode::o | ConditionCode::no => 0,
        ConditionCode::b | ConditionCode::ae => 2,
        ConditionCode::e | ConditionCode::ne => 4,
        ConditionCode::be | ConditionCode::a => 6,
        ConditionCode::s | ConditionCode::ns => 8,
        ConditionCode::p | ConditionCode::np => 10,
        ConditionCode::l | ConditionCode::ge => 12,
        _ => 14,
    }
}

fn operand(instruction: &Instruction, number: u32) -> Option<Operand> {
    Some(match instruction.op_kind(number) {
        OpKind::Register => register(instruction.op_register(number)),
        OpKind::Memory => memory(instruction),
        // Implicit operands of string instructions, equal in all of them.
        OpKind::NearBranch16
        | OpKind::NearBranch32
        | OpKind::FarBranch16
        | OpKind::FarBranch32
        | OpKind::MemorySegSI
        | OpKind::MemorySegESI
        | OpKind::MemoryESDI
        | OpKind::MemoryESEDI => return None,
        kind => {
            let value = instruction.try_immediate(number).unwrap_or_default() as u32;
            let byte = matches!(kind, OpKind::Immediate8 | OpKind::Immediate8_2nd);
            match value {
                _ if byte => Operand::Value(value & 0xFF),
                0..=LARGEST_VALUE => Operand::Value(value),
                _ if matches!(kind, OpKind::Immediate8to16) => Operand::Value(value & 0xFFFF),
                _ => Operand::Place(value),
            }
        }
    })
}

fn register(register: Register) -> Operand {
    let full = register.full_register32();
    match full {
        Register::ESP => Operand::Fixed(full as u16),
        _ if register.is_gpr() => Operand::General(family(register), register.size() as u8),
        _ => Operand::Fixed(register as u16),
    }
}

/// Returns the number of the whole register: that of AX for AL, AH and EAX.
fn family(register: Register) -> u8 {
    register.full_register32().number() as u8
}

fn memory(instruction: &Instruction) -> Operand {
    let size = instruction.memory_size().size() as u8;
    let part = |register: Register| (register != Register::None).then(|| family(register));
    let (base, index) = (part(instruction.memory_base()), part(instruction.memory_index()));
    let displacement = instruction.memory_displacement32();
    match (base, index) {
        (None, None) => Operand::Direct(displacement, size),
        _ => Operand::Indexed { base, index, displaced: displacement != 0, size },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    fn read(bytes: &[u8]) -> Vec<Normal> {
        normalised(&Decoder::with_ip(16, bytes, 0x100, DecoderOptions::NONE).decode(), 9)
    }

    #[test]
    fn equivalent_instructions_are_one() {
        let rows: [(&[u8], &[u8]); 10] = [
            (b"\x31\xC0", b"\xB8\x00\x00"),         // xor ax, ax; mov ax, 0
            (b"\x29\xDB", b"\xBB\x00\x00"),         // sub bx, bx; mov bx, 0
            (b"\x40", b"\x83\xC0\x01"),             // inc ax; add ax, 1
            (b"\x4E", b"\x83\xEE\x01"),             // dec si; sub si, 1
            (b"\x08\xC0", b"\x3C\x00"),             // or al, al; cmp al, 0
            (b"\x85\xC9", b"\x83\xF9\x00"),         // test cx, cx; cmp cx, 0
            (b"\x8D\x16\x34\x12", b"\xBA\x34\x12"), // lea dx, [1234h]; mov dx, 1234h
            (b"\xD1\xE3", b"\x01\xDB"),             // shl bx, 1; add bx, bx
            (b"\x74\x05", b"\x75\x05"),             // jz; jnz
            (b"\x3A\x04", b"\x38\x04"),             // cmp al, [si]; cmp [si], al
        ];
        for (one, other) in rows {
            assert_eq!(read(one), read(other), "{one:02X?} {other:02X?}");
            assert_eq!(read(one).len(), 1);
        }
        assert_eq!(read(b"\xE2\xFE"), [read(b"\x49"), read(b"\x75\xFE")].concat()); // loop; dec cx and jnz
    }

    #[test]
    fn what_differs_stays_apart() {
        let rows: [(&[u8], &[u8]); 5] = [
            (b"\x04\x30", b"\x04\x37"),         // add al, '0'; add al, '7'
            (b"\x01\xD8", b"\x29\xD8"),         // add ax, bx; sub ax, bx
            (b"\x8A\x07", b"\x8B\x07"),         // mov al, [bx]; mov ax, [bx]
            (b"\x72\x05", b"\x74\x05"),         // jb; jz
            (b"\xA1\x34\x12", b"\xB8\x34\x12"), // mov ax, [1234h]; mov ax, 1234h
        ];
        for (one, other) in rows {
            assert_ne!(read(one), read(other), "{one:02X?} {other:02X?}");
        }
        assert_eq!(read(b"\xCD\x21")[0].what, What::Interrupt(0x21, 9));
        let nothing: [&[u8]; 7] =
            [b"\x90", b"\xEB\x00", b"\xC3", b"\xE8\x00\x00", b"\xB4\x09", b"\xB8\x00\x4C", b"\x89\xC0"];
        for bytes in nothing {
            assert_eq!(read(bytes), [], "{bytes:02X?}");
        }
    }
}
