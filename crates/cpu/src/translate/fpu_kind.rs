//! The coprocessor instructions that are translated.

use iced_x86::Code as C;

/// The operand of an instruction, other than ST(0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    Memory(Format),
    /// ST(i).
    Register(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Single,
    Double,
    Extended,
    Integer16,
    Integer32,
    Integer64,
}

impl Format {
    pub(super) fn bytes(self) -> u32 {
        match self {
            Format::Integer16 => 2,
            Format::Single | Format::Integer32 => 4,
            Format::Double | Format::Integer64 => 8,
            Format::Extended => 10,
        }
    }

    /// Returns the host's instruction that loads this format.
    pub(super) fn load(self) -> C {
        match self {
            Format::Single => C::Fld_m32fp,
            Format::Double => C::Fld_m64fp,
            Format::Extended => C::Fld_m80fp,
            Format::Integer16 => C::Fild_m16int,
            Format::Integer32 => C::Fild_m32int,
            Format::Integer64 => C::Fild_m64int,
        }
    }

    /// Returns the host's instruction that stores this format and pops.
    pub(super) fn store(self) -> C {
        match self {
            Format::Single => C::Fstp_m32fp,
            Format::Double => C::Fstp_m64fp,
            Format::Extended => C::Fstp_m80fp,
            Format::Integer16 => C::Fistp_m16int,
            Format::Integer32 => C::Fistp_m32int,
            Format::Integer64 => C::Fistp_m64int,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FpuOp {
    /// FADD to FDIVR by the number in their encoding, and FADDP to FDIVRP.
    Arithmetic {
        row: u8,
        with: Operand,
        /// The register that receives the result.
        to: u8,
        pops: bool,
    },
    /// FCOM and FUCOM, and those that pop once or twice.
    Compare {
        with: Operand,
        pops: u8,
        ordered: bool,
    },
    /// FTST.
    Test,
    Load(Operand),
    /// FLDZ or FLD1: the host's instruction.
    LoadConstant(C),
    Store {
        format: Format,
        pops: bool,
    },
    StoreRegister {
        to: u8,
        pops: bool,
    },
    Exchange(u8),
    /// FCHS, FABS, FSQRT or FRNDINT: the host's instruction.
    Unary(C),
    /// FNSTSW AX.
    StatusToAx,
}

impl FpuOp {
    /// Returns the operation of an opcode: the lower three bits of the first byte, and the second byte.
    pub(super) fn of(opcode: u16) -> Option<FpuOp> {
        let (group, row, i) = ((opcode >> 8 & 7) as u8, (opcode >> 3 & 7) as u8, (opcode & 7) as u8);
        if opcode & 0xC0 == 0xC0 { on_registers(group, row, i) } else { on_memory(group, row) }
    }

    /// Returns the number of bytes of its memory operand; 0 without one.
    pub(super) fn memory_bytes(self) -> u32 {
        match self {
            FpuOp::Arithmetic { with: Operand::Memory(format), .. }
            | FpuOp::Compare { with: Operand::Memory(format), .. }
            | FpuOp::Load(Operand::Memory(format))
            | FpuOp::Store { format, .. } => format.bytes(),
            _ => 0,
        }
    }

    pub(super) fn writes_memory(self) -> bool {
        matches!(self, FpuOp::Store { .. })
    }
}

fn on_memory(group: u8, row: u8) -> Option<FpuOp> {
    use Format::{Double, Extended, Integer16, Integer32, Integer64, Single};
    let format =
        [Single, Single, Integer32, Integer32, Double, Double, Integer16, Integer16][usize::from(group)];
    Some(match (group, row) {
        (0 | 2 | 4 | 6, _) => arithmetic(row, Operand::Memory(format), 0, false),
        (1 | 3 | 5 | 7, 0) => FpuOp::Load(Operand::Memory(format)),
        (1 | 3 | 5 | 7, 2) => FpuOp::Store { format, pops: false },
        (1 | 3 | 5 | 7, 3) => FpuOp::Store { format, pops: true },
        (3, 5) => FpuOp::Load(Operand::Memory(Extended)),
        (3, 7) => FpuOp::Store { format: Extended, pops: true },
        (7, 5) => FpuOp::Load(Operand::Memory(Integer64)),
        (7, 7) => FpuOp::Store { format: Integer64, pops: true },
        _ => return None,
    })
}

fn on_registers(group: u8, row: u8, i: u8) -> Option<FpuOp> {
    let with = Operand::Register(i);
    let unordered = |pops| FpuOp::Compare { with, pops, ordered: false };
    Some(match (group, row, i) {
        (0, ..) => arithmetic(row, with, 0, false),
        (4, 0..=1 | 4..=7, _) => arithmetic(row, with, i, false),
        (6, 0..=1 | 4..=7, _) => arithmetic(row, with, i, true),
        (6, 3, 1) => FpuOp::Compare { with, pops: 2, ordered: true },
        (1, 0, _) => FpuOp::Load(with),
        (1, 1, _) => FpuOp::Exchange(i),
        (1, 4, 0) => FpuOp::Unary(C::Fchs),
        (1, 4, 1) => FpuOp::Unary(C::Fabs),
        (1, 4, 4) => FpuOp::Test,
        (1, 5, 0) => FpuOp::LoadConstant(C::Fld1),
        (1, 5, 6) => FpuOp::LoadConstant(C::Fldz),
        (1, 7, 2) => FpuOp::Unary(C::Fsqrt),
        (1, 7, 4) => FpuOp::Unary(C::Frndint),
        (2, 5, 1) => unordered(2),
        (5, 2 | 3, _) => FpuOp::StoreRegister { to: i, pops: row == 3 },
        (5, 4, _) => unordered(0),
        (5, 5, _) => unordered(1),
        (7, 4, 0) => FpuOp::StatusToAx,
        _ => return None,
    })
}

/// Returns the operation with a number from FADD to FDIVR, of which two are comparisons.
fn arithmetic(row: u8, with: Operand, to: u8, pops: bool) -> FpuOp {
    match row {
        2 => FpuOp::Compare { with, pops: 0, ordered: true },
        3 => FpuOp::Compare { with, pops: 1, ordered: true },
        _ => FpuOp::Arithmetic { row, with, to, pops },
    }
}

/// Returns the host's instruction for ST(0) and memory of this format.
pub(super) fn with_memory(row: u8, format: Format) -> C {
    let [single, double, integer32, integer16] = match row {
        0 => [C::Fadd_m32fp, C::Fadd_m64fp, C::Fiadd_m32int, C::Fiadd_m16int],
        1 => [C::Fmul_m32fp, C::Fmul_m64fp, C::Fimul_m32int, C::Fimul_m16int],
        2 => [C::Fcom_m32fp, C::Fcom_m64fp, C::Ficom_m32int, C::Ficom_m16int],
        4 => [C::Fsub_m32fp, C::Fsub_m64fp, C::Fisub_m32int, C::Fisub_m16int],
        5 => [C::Fsubr_m32fp, C::Fsubr_m64fp, C::Fisubr_m32int, C::Fisubr_m16int],
        6 => [C::Fdiv_m32fp, C::Fdiv_m64fp, C::Fidiv_m32int, C::Fidiv_m16int],
        _ => [C::Fdivr_m32fp, C::Fdivr_m64fp, C::Fidivr_m32int, C::Fidivr_m16int],
    };
    match format {
        Format::Single => single,
        Format::Integer32 => integer32,
        Format::Integer16 => integer16,
        _ => double,
    }
}

/// Returns the host's instruction for ST(0), which receives the result, and another register.
pub(super) fn by_st0(row: u8) -> C {
    match row {
        0 => C::Fadd_st0_sti,
        1 => C::Fmul_st0_sti,
        4 => C::Fsub_st0_sti,
        5 => C::Fsubr_st0_sti,
        6 => C::Fdiv_st0_sti,
        _ => C::Fdivr_st0_sti,
    }
}

/// Returns the host's instruction for ST(0) and another register, which receives the result.
pub(super) fn to_register(row: u8) -> C {
    match row {
        0 => C::Fadd_sti_st0,
        1 => C::Fmul_sti_st0,
        4 => C::Fsubr_sti_st0,
        5 => C::Fsub_sti_st0,
        6 => C::Fdivr_sti_st0,
        _ => C::Fdiv_sti_st0,
    }
}
