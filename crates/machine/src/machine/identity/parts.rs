//! Parts of the register file, and the parts that an instruction or a service reads and writes.
//!
//! Parts that are listed as written are always written as a whole, and not read for that. Parts
//! that are listed as read may be read: errors are on the side of "read". A flag that an
//! instruction leaves undefined counts as neither.
//! Source of the services' registers: Ralf Brown's interrupt list.

use iced_x86::{Code, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register, RflagsBits};
use oxbox_cpu::{Flags, Registers, Segment};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(in crate::machine) struct Parts(u32);

impl Parts {
    pub(in crate::machine) const NONE: Parts = Parts(0);
    pub(super) const AL: Parts = Parts(1 << 0);
    pub(super) const AH: Parts = Parts(1 << 1);
    pub(super) const CL: Parts = Parts(1 << 2);
    pub(super) const CH: Parts = Parts(1 << 3);
    pub(super) const DL: Parts = Parts(1 << 4);
    pub(super) const DH: Parts = Parts(1 << 5);
    pub(super) const BL: Parts = Parts(1 << 6);
    pub(super) const BH: Parts = Parts(1 << 7);
    pub(super) const SI: Parts = Parts(1 << 8);
    pub(super) const DI: Parts = Parts(1 << 9);
    pub(super) const BP: Parts = Parts(1 << 10);
    pub(super) const ES: Parts = Parts(1 << 11);
    pub(super) const CF: Parts = Parts(1 << 12);
    pub(super) const PF: Parts = Parts(1 << 13);
    pub(super) const AF: Parts = Parts(1 << 14);
    pub(super) const ZF: Parts = Parts(1 << 15);
    pub(super) const SF: Parts = Parts(1 << 16);
    pub(super) const OF: Parts = Parts(1 << 17);

    pub(super) const AX: Parts = Parts::AL.and(Parts::AH);
    pub(super) const BX: Parts = Parts::BL.and(Parts::BH);
    pub(super) const CX: Parts = Parts::CL.and(Parts::CH);
    pub(super) const DX: Parts = Parts::DL.and(Parts::DH);
    /// The general registers except SP.
    pub(super) const GENERAL: Parts = Parts(0x7FF);
    pub(in crate::machine) const FLAGS: Parts = Parts(0x3_F000);
    pub(super) const ALL: Parts = Parts(0x3_FFFF);
    pub(super) const COUNT: usize = 18;

    pub(super) const fn of_bits(bits: u32) -> Parts {
        Parts(bits)
    }

    pub(super) const fn bits(self) -> u32 {
        self.0
    }

    pub(super) const fn and(self, other: Parts) -> Parts {
        Parts(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Parts) -> Parts {
        Parts(self.0 & !other.0)
    }

    pub(in crate::machine) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) const fn has(self, other: Parts) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) const fn meets(self, other: Parts) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn numbers(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let number = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (number < u32::BITS).then_some(number as usize)
        })
    }

    pub(super) const fn of_number(number: usize) -> Parts {
        Parts(1 << number)
    }

    pub(super) fn copy(self, from: &Registers, to: &mut Registers) {
        let mut cleared = to.clone();
        clear(&mut cleared, self);
        let mut rest = from.clone();
        clear(&mut rest, self);
        for (number, register) in to.gpr.iter_mut().enumerate() {
            *register = cleared.gpr[number] | from.gpr[number] & !rest.gpr[number];
        }
        if self.has(Parts::ES) {
            to.seg[Segment::Es as usize] = from.es();
        }
        let kept = clear_flags(to.flags, self);
        to.flags = kept | from.flags & !clear_flags(from.flags, self);
    }

    /// Returns the parts that a register of an instruction covers.
    pub(super) fn of_register(register: Register) -> Parts {
        match register {
            Register::AL => Parts::AL,
            Register::AH => Parts::AH,
            Register::CL => Parts::CL,
            Register::CH => Parts::CH,
            Register::DL => Parts::DL,
            Register::DH => Parts::DH,
            Register::BL => Parts::BL,
            Register::BH => Parts::BH,
            Register::ES => Parts::ES,
            _ => match register.full_register() {
                Register::RAX => Parts::AX,
                Register::RCX => Parts::CX,
                Register::RDX => Parts::DX,
                Register::RBX => Parts::BX,
                Register::RSI => Parts::SI,
                Register::RDI => Parts::DI,
                Register::RBP => Parts::BP,
                _ => Parts::NONE,
            },
        }
    }

    fn of_flags(bits: u32) -> Parts {
        let read = OF_FLAGS.iter().filter(|(.., bit)| bits & bit != 0);
        read.fold(Parts::NONE, |parts, (part, ..)| parts.and(*part))
    }
}

/// The parts of general registers: number of the register, and its bits.
const OF_GENERAL: [(Parts, usize, u32); 11] = [
    (Parts::AL, 0, 0x00FF),
    (Parts::AH, 0, 0xFF00),
    (Parts::CL, 1, 0x00FF),
    (Parts::CH, 1, 0xFF00),
    (Parts::DL, 2, 0x00FF),
    (Parts::DH, 2, 0xFF00),
    (Parts::BL, 3, 0x00FF),
    (Parts::BH, 3, 0xFF00),
    (Parts::SI, 6, 0xFFFF),
    (Parts::DI, 7, 0xFFFF),
    (Parts::BP, 5, 0xFFFF),
];

/// The registers in the order in which PUSHA pushes them. SP is no part.
pub(super) const PUSHED_BY_PUSHA: [Parts; 8] =
    [Parts::AX, Parts::CX, Parts::DX, Parts::BX, Parts::NONE, Parts::BP, Parts::SI, Parts::DI];

/// The parts of FLAGS: their bits there, and those of the instruction analyser.
const OF_FLAGS: [(Parts, u32, u32); 6] = [
    (Parts::CF, Flags::CF, RflagsBits::CF),
    (Parts::PF, Flags::PF, RflagsBits::PF),
    (Parts::AF, Flags::AF, RflagsBits::AF),
    (Parts::ZF, Flags::ZF, RflagsBits::ZF),
    (Parts::SF, Flags::SF, RflagsBits::SF),
    (Parts::OF, Flags::OF, RflagsBits::OF),
];

/// Sets parts of the register file to a fixed value: 0, and for ES that of DS.
pub(in crate::machine) fn clear(regs: &mut Registers, parts: Parts) {
    for (_, register, bits) in OF_GENERAL.iter().filter(|(part, ..)| parts.has(*part)) {
        regs.gpr[*register] &= !bits;
    }
    if parts.has(Parts::ES) {
        regs.seg[Segment::Es as usize] = regs.ds();
    }
}

pub(in crate::machine) fn clear_flags(flags: u32, parts: Parts) -> u32 {
    let bits = OF_FLAGS.iter().filter(|(part, ..)| parts.has(*part));
    bits.fold(flags, |flags, (_, bit, _)| flags & !bit)
}

/// Returns the parts in which registers differ; `None` if parts cannot express the difference.
pub(super) fn differing(a: &Registers, b: &Registers) -> Option<Parts> {
    const ES: usize = Segment::Es as usize;
    if a.ip != b.ip || a.seg[ES + 1..] != b.seg[ES + 1..] {
        return None;
    }
    let mut parts = if a.seg[ES] == b.seg[ES] { Parts::NONE } else { Parts::ES };
    let mut left = a.flags ^ b.flags;
    for (part, bit, _) in OF_FLAGS {
        parts = if left & bit == 0 { parts } else { parts.and(part) };
        left &= !bit;
    }
    if left != 0 {
        return None;
    }
    let mut bits: [u32; 8] = std::array::from_fn(|number| a.gpr[number] ^ b.gpr[number]);
    for (part, register, mask) in OF_GENERAL {
        parts = if bits[register] & mask == 0 { parts } else { parts.and(part) };
        bits[register] &= !mask;
    }
    (bits == [0; 8]).then_some(parts)
}

/// The destination of values, beyond reading and writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// A register is copied to another: destination, source.
    Move(Parts, Parts),
    /// Two registers are exchanged.
    Exchange(Parts, Parts),
    /// A register is pushed unchanged as this number of bytes, the parts in the lowest two.
    Push(Parts, u16),
    /// A register is popped as this number of bytes; the set is empty if it is not followed.
    Pop(Parts, u16),
    PopFlags(u16),
    /// PUSHA and POPA with this number of bytes a register.
    PushAll(u16),
    PopAll(u16),
    /// LEAVE.
    Leave,
    Interrupt(u8),
    InterruptReturn,
}

impl Kind {
    /// Returns the parts whose values are copied to another place, and not read otherwise.
    pub(super) fn moved(self) -> Parts {
        match self {
            Kind::Move(_, from) | Kind::Push(from, _) => from,
            Kind::Exchange(one, other) => one.and(other),
            Kind::PushAll(_) => Parts::GENERAL,
            Kind::Plain
            | Kind::Pop(..)
            | Kind::PopFlags(_)
            | Kind::PopAll(_)
            | Kind::Leave
            | Kind::Interrupt(_)
            | Kind::InterruptReturn => Parts::NONE,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Effect {
    pub(super) reads: Parts,
    pub(super) writes: Parts,
    pub(super) kind: Kind,
}

impl Kind {
    /// Whether it reads its place on the stack only to move a value to registers.
    pub(super) fn pops(self) -> bool {
        matches!(
            self,
            Kind::Pop(..) | Kind::PopFlags(_) | Kind::PopAll(_) | Kind::Leave | Kind::InterruptReturn
        )
    }
}

/// Returns both register operands, if values in both can be followed.
fn two_registers(instruction: &Instruction) -> Option<(Parts, Parts)> {
    let (to, from) = (instruction.op0_register(), instruction.op1_register());
    let (into, out_of) = (Parts::of_register(to), Parts::of_register(from));
    (!into.is_empty() && !out_of.is_empty() && to.size() == from.size()).then_some((into, out_of))
}

impl Effect {
    pub(super) fn of(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> Effect {
        let plain = Effect::by_operands(instruction, factory);
        let operand = || Parts::of_register(instruction.op0_register());
        let bytes = instruction.op0_register().size() as u16;
        let stack = |kind: Kind| Effect { reads: Parts::NONE, writes: Parts::NONE, kind };
        match instruction.mnemonic() {
            // The parts of a register are pushed together. The upper half of a doubleword is in no
            // part.
            Mnemonic::Push if !operand().is_empty() => stack(Kind::Push(operand(), bytes)),
            Mnemonic::Pop if bytes != 0 => stack(Kind::Pop(operand(), bytes)),
            Mnemonic::Pusha => stack(Kind::PushAll(2)),
            Mnemonic::Pushad => stack(Kind::PushAll(4)),
            Mnemonic::Popa => stack(Kind::PopAll(2)),
            Mnemonic::Popad => stack(Kind::PopAll(4)),
            // BP is set to SP.
            Mnemonic::Enter
                if instruction.code() == Code::Enterw_imm16_imm8 && instruction.immediate8_2nd() == 0 =>
            {
                Effect { writes: Parts::BP, ..stack(Kind::Push(Parts::BP, 2)) }
            }
            Mnemonic::Leave if instruction.code() == Code::Leavew => {
                Effect { reads: Parts::BP, ..stack(Kind::Leave) }
            }
            Mnemonic::Mov => match two_registers(instruction) {
                Some((to, from)) => Effect { kind: Kind::Move(to, from), ..plain },
                None => plain,
            },
            Mnemonic::Xchg => match two_registers(instruction) {
                Some((one, other)) => Effect { kind: Kind::Exchange(one, other), ..plain },
                None => plain,
            },
            Mnemonic::Pushf => stack(Kind::Push(Parts::FLAGS, 2)),
            Mnemonic::Pushfd => stack(Kind::Push(Parts::FLAGS, 4)),
            Mnemonic::Popf => stack(Kind::PopFlags(2)),
            Mnemonic::Popfd => stack(Kind::PopFlags(4)),
            Mnemonic::Int => Effect { kind: Kind::Interrupt(instruction.immediate8()), ..plain },
            Mnemonic::Int3 => Effect { kind: Kind::Interrupt(3), ..plain },
            Mnemonic::Iret => Effect { kind: Kind::InterruptReturn, ..plain },
            _ => plain,
        }
    }

    /// Returns the parts that are always written as a whole, also from memory.
    pub(super) fn always_writes(&self) -> Parts {
        self.writes.and(match self.kind {
            Kind::Pop(parts, _) => parts,
            Kind::PopAll(_) => Parts::GENERAL,
            Kind::Leave => Parts::BP,
            _ => Parts::NONE,
        })
    }

    /// Returns the parts that may change what an instruction does, or that it may write or not.
    pub(super) fn depends_on(&self, instruction: &Instruction) -> Parts {
        let has_hidden_effect =
            matches!(self.kind, Kind::PopFlags(_) | Kind::Interrupt(_) | Kind::InterruptReturn);
        if has_hidden_effect || instruction.is_invalid() {
            return Parts::ALL;
        }
        let modified = Parts::of_flags(instruction.rflags_modified());
        self.reads.and(self.kind.moved()).and(modified.without(self.writes))
    }

    fn by_operands(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> Effect {
        let (mut reads, mut writes) = (Parts::NONE, Parts::NONE);
        for used in factory.info(instruction).used_registers() {
            let parts = Parts::of_register(used.register());
            match used.access() {
                OpAccess::Write => writes = writes.and(parts),
                OpAccess::None | OpAccess::NoMemAccess => {}
                _ => reads = reads.and(parts),
            }
        }
        reads = reads.and(Parts::of_flags(instruction.rflags_read()));
        if !may_leave_flags(instruction) {
            let written =
                instruction.rflags_written() | instruction.rflags_cleared() | instruction.rflags_set();
            writes = writes.and(Parts::of_flags(written & !instruction.rflags_undefined()));
        }
        let reads = if instruction.is_invalid() { Parts::ALL } else { reads };
        Effect { reads, writes, kind: Kind::Plain }
    }
}

/// Whether the instruction leaves the flags unchanged with a count of zero.
fn may_leave_flags(instruction: &Instruction) -> bool {
    use Mnemonic::{Rcl, Rcr, Rol, Ror, Sal, Sar, Shl, Shld, Shr, Shrd};
    matches!(instruction.mnemonic(), Rcl | Rcr | Rol | Ror | Sal | Sar | Shl | Shld | Shr | Shrd)
        || instruction.has_rep_prefix()
        || instruction.has_repne_prefix()
}

/// Returns the registers that the services of BIOS and DOS read, and those that they always set. A
/// service that is not in the list reads all.
pub(super) fn service(vector: u8, function: u8) -> (Parts, Parts) {
    const AH: Parts = Parts::AH;
    const AX_CF: Parts = Parts::AX.and(Parts::CF);
    let bx_cx_dx = Parts::BX.and(Parts::CX).and(Parts::DX);
    let (reads, writes) = match (vector, function) {
        (0x10, 0x00 | 0x05) => (Parts::AL, Parts::NONE),
        (0x10, 0x01) => (Parts::CX, Parts::NONE),
        (0x10, 0x02) => (Parts::BH.and(Parts::DX), Parts::NONE),
        (0x10, 0x03) => (Parts::BH, Parts::CX.and(Parts::DX)),
        (0x10, 0x08) => (Parts::BH, Parts::AX),
        (0x10, 0x0E) => (Parts::AL.and(Parts::BX), Parts::NONE),
        (0x10, 0x0F) => (Parts::NONE, Parts::AX.and(Parts::BH)),
        (0x10, 0x09 | 0x0A | 0x06 | 0x07 | 0x0B | 0x0C | 0x0D) => (Parts::AL.and(bx_cx_dx), Parts::NONE),
        (0x11 | 0x12, _) => return (Parts::NONE, Parts::AX),
        (0x16, 0x00 | 0x10) => (Parts::NONE, Parts::AX),
        (0x16, 0x01 | 0x11) => (Parts::NONE, Parts::ZF),
        (0x16, 0x02) => (Parts::NONE, Parts::AL),
        (0x1A, 0x00) => (Parts::NONE, Parts::AL.and(Parts::CX).and(Parts::DX)),
        (0x20, _) => return (Parts::NONE, Parts::NONE),
        (0x21, 0x01 | 0x07 | 0x08 | 0x0B | 0x19) => (Parts::NONE, Parts::AL),
        (0x21, 0x02 | 0x05 | 0x06 | 0x0E) => (Parts::DL, Parts::NONE),
        (0x21, 0x09 | 0x0A | 0x1A) => (Parts::DX, Parts::NONE),
        (0x21, 0x0C | 0x25) => (Parts::AL.and(Parts::DX), Parts::NONE),
        (0x21, 0x30) => (Parts::AL, Parts::AX.and(Parts::BX).and(Parts::CX)),
        (0x21, 0x35) => (Parts::AL, Parts::BX.and(Parts::ES)),
        (0x21, 0x3C) => (Parts::CX.and(Parts::DX), AX_CF),
        (0x21, 0x3D) => (Parts::AL.and(Parts::DX), AX_CF),
        (0x21, 0x3E) => (Parts::BX, Parts::CF),
        (0x21, 0x3F | 0x40) => (bx_cx_dx, AX_CF),
        (0x21, 0x41) => (Parts::DX, Parts::CF),
        (0x21, 0x42) => (Parts::AL.and(bx_cx_dx), Parts::CF),
        (0x21, 0x48) => (Parts::BX, Parts::CF),
        (0x21, 0x4C) => (Parts::AL, Parts::NONE),
        _ => return (Parts::ALL, Parts::NONE),
    };
    (reads.and(AH), writes)
}

/// Whether a service may read memory that the program points at.
pub(super) fn reads_memory(vector: u8, function: u8) -> bool {
    let is_by_registers = match vector {
        0x10 => function < 0x10,
        0x11 | 0x12 | 0x16 | 0x1A | 0x20 => true,
        0x21 => matches!(
            function,
            0x01 | 0x02 | 0x05..=0x08 | 0x0B | 0x0E | 0x19 | 0x25 | 0x30 | 0x35 | 0x3E | 0x48 | 0x4C
        ),
        _ => false,
    };
    !is_by_registers
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    fn names(parts: Parts) -> String {
        const NAMES: [&str; Parts::COUNT] = [
            "AL", "AH", "CL", "CH", "DL", "DH", "BL", "BH", "SI", "DI", "BP", "ES", "CF", "PF", "AF", "ZF",
            "SF", "OF",
        ];
        parts.numbers().map(|number| NAMES[number]).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_instructions_read_and_write() {
        let rows: [(&str, &[u8], &str, &str); 13] = [
            ("mov al, bl", &[0x88, 0xD8], "BL", "AL"),
            ("mov ax, [bx+si]", &[0x8B, 0x00], "BL BH SI", "AL AH"),
            ("xor si, si", &[0x31, 0xF6], "", "SI CF PF ZF SF OF"),
            ("and al, bl: AF is undefined", &[0x20, 0xD8], "AL BL", "CF PF ZF SF OF"),
            ("add ax, 1", &[0x05, 1, 0], "AL AH", "CF PF AF ZF SF OF"),
            ("inc al leaves CF", &[0xFE, 0xC0], "AL", "PF AF ZF SF OF"),
            ("shl al, cl may leave all flags", &[0xD2, 0xE0], "AL CL", ""),
            ("jz", &[0x74, 0], "ZF", ""),
            ("rep stosb may store nothing", &[0xF3, 0xAA], "AL CL CH DI ES", ""),
            ("adc al, 0", &[0x14, 0], "AL CF", "CF PF AF ZF SF OF"),
            ("mov eax, 1 covers AX", &[0x66, 0xB8, 1, 0, 0, 0], "", "AL AH"),
            ("in al, dx", &[0xEC], "DL DH", "AL"),
            ("mov es:[di], al", &[0x26, 0x88, 0x05], "AL DI ES", ""),
        ];
        let mut factory = InstructionInfoFactory::new();
        for (name, code, reads, writes) in rows {
            let instruction = Decoder::new(16, code, DecoderOptions::NONE).decode();
            let effect = Effect::of(&instruction, &mut factory);
            let found = (names(effect.reads), names(effect.writes));
            assert_eq!((found.0.as_str(), found.1.as_str()), (reads, writes), "{name}");
        }
    }
}
