//! The coprocessor instructions that are translated.

use iced_x86::Code as C;

use crate::fpu::{Binary, Environment, Format, Memory, MemoryKind, Pop};

/// The operand of an instruction, other than ST(0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    Memory(Format),
    /// ST(i).
    Register(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FpuOp {
    /// FADD to FDIVR, and FADDP to FDIVRP.
    Arithmetic {
        binary: Binary,
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
    /// FLDZ, FLD1 or another constant: the host's instruction.
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
    /// FNSTSW and FNSTCW to memory, and FLDCW.
    StoreStatus,
    StoreControl,
    LoadControl,
    /// Any other instruction without a memory operand: as the interpreter executes it.
    Other,
}

impl FpuOp {
    /// Returns the operation of an opcode: the lower three bits of the first byte, and the second byte.
    pub(super) fn of(opcode: u16) -> Option<FpuOp> {
        let (group, row, i) = ((opcode >> 8 & 7) as u8, (opcode >> 3 & 7) as u8, (opcode & 7) as u8);
        if opcode & 0xC0 == 0xC0 { Some(on_registers(group, row, i)) } else { on_memory(opcode) }
    }

    /// Returns the number of bytes of its memory operand; 0 without one.
    pub(super) fn memory_bytes(self) -> u32 {
        match self {
            FpuOp::Arithmetic { with: Operand::Memory(format), .. }
            | FpuOp::Compare { with: Operand::Memory(format), .. }
            | FpuOp::Load(Operand::Memory(format))
            | FpuOp::Store { format, .. } => format.bytes() as u32,
            FpuOp::StoreStatus | FpuOp::StoreControl | FpuOp::LoadControl => 2,
            _ => 0,
        }
    }

    pub(super) fn writes_memory(self) -> bool {
        matches!(self, FpuOp::Store { .. } | FpuOp::StoreStatus | FpuOp::StoreControl)
    }

    /// Returns whether it is executed in a run, on the host's x87.
    pub(super) fn is_calculation(self) -> bool {
        !matches!(
            self,
            FpuOp::StatusToAx | FpuOp::StoreStatus | FpuOp::StoreControl | FpuOp::LoadControl | FpuOp::Other
        )
    }
}

fn on_memory(opcode: u16) -> Option<FpuOp> {
    // Only environments depend on the form.
    Some(match Memory::new(opcode, Environment::Word).kind {
        MemoryKind::Load(Format::Decimal) | MemoryKind::Store(Format::Decimal, _) => return None,
        MemoryKind::Binary(binary, format) => arithmetic(binary, Operand::Memory(format), 0, false),
        MemoryKind::Load(format) => FpuOp::Load(Operand::Memory(format)),
        MemoryKind::Store(format, pop) => FpuOp::Store { format, pops: pop == Pop::Yes },
        MemoryKind::LoadControl => FpuOp::LoadControl,
        MemoryKind::StoreControl => FpuOp::StoreControl,
        MemoryKind::StoreStatus => FpuOp::StoreStatus,
        _ => return None,
    })
}

fn on_registers(group: u8, row: u8, i: u8) -> FpuOp {
    let (with, binary) = (Operand::Register(i), Binary::new(row));
    let unordered = |pops| FpuOp::Compare { with, pops, ordered: false };
    match (group, row, i) {
        (0, ..) => arithmetic(binary, with, 0, false),
        (4, 0..=1 | 4..=7, _) => arithmetic(binary, with, i, false),
        (6, 0..=1 | 4..=7, _) => arithmetic(binary, with, i, true),
        (6, 3, 1) => FpuOp::Compare { with, pops: 2, ordered: true },
        (1, 0, _) => FpuOp::Load(with),
        (1, 1, _) => FpuOp::Exchange(i),
        (1, 4, 0) => FpuOp::Unary(C::Fchs),
        (1, 4, 1) => FpuOp::Unary(C::Fabs),
        (1, 4, 4) => FpuOp::Test,
        (1, 5, 0) => FpuOp::LoadConstant(C::Fld1),
        (1, 5, 1) => FpuOp::LoadConstant(C::Fldl2t),
        (1, 5, 2) => FpuOp::LoadConstant(C::Fldl2e),
        (1, 5, 3) => FpuOp::LoadConstant(C::Fldpi),
        (1, 5, 4) => FpuOp::LoadConstant(C::Fldlg2),
        (1, 5, 5) => FpuOp::LoadConstant(C::Fldln2),
        (1, 5, 6) => FpuOp::LoadConstant(C::Fldz),
        (1, 7, 2) => FpuOp::Unary(C::Fsqrt),
        (1, 7, 4) => FpuOp::Unary(C::Frndint),
        (2, 5, 1) => unordered(2),
        (5, 2 | 3, _) => FpuOp::StoreRegister { to: i, pops: row == 3 },
        (5, 4, _) => unordered(0),
        (5, 5, _) => unordered(1),
        (7, 4, 0) => FpuOp::StatusToAx,
        _ => FpuOp::Other,
    }
}

/// Returns the operation from FADD to FDIVR, of which two are comparisons.
fn arithmetic(binary: Binary, with: Operand, to: u8, pops: bool) -> FpuOp {
    match binary {
        Binary::Compare => FpuOp::Compare { with, pops: 0, ordered: true },
        Binary::ComparePop => FpuOp::Compare { with, pops: 1, ordered: true },
        _ => FpuOp::Arithmetic { binary, with, to, pops },
    }
}

/// Returns the host's instruction that loads a format.
pub(super) fn load(format: Format) -> C {
    match format {
        Format::Single => C::Fld_m32fp,
        Format::Double => C::Fld_m64fp,
        Format::Extended => C::Fld_m80fp,
        Format::Integer16 => C::Fild_m16int,
        Format::Integer32 => C::Fild_m32int,
        Format::Integer64 => C::Fild_m64int,
        Format::Decimal => C::Fbld_m80bcd,
    }
}

/// Returns the host's instruction that stores a format and pops.
pub(super) fn store(format: Format) -> C {
    match format {
        Format::Single => C::Fstp_m32fp,
        Format::Double => C::Fstp_m64fp,
        Format::Extended => C::Fstp_m80fp,
        Format::Integer16 => C::Fistp_m16int,
        Format::Integer32 => C::Fistp_m32int,
        Format::Integer64 => C::Fistp_m64int,
        Format::Decimal => C::Fbstp_m80bcd,
    }
}

/// Returns the host's instruction for ST(0) and memory of a format that arithmetic has. Comparisons do
/// not pop.
pub(super) fn with_memory(binary: Binary, format: Format) -> C {
    let [single, double, integer32, integer16] = match binary {
        Binary::Add => [C::Fadd_m32fp, C::Fadd_m64fp, C::Fiadd_m32int, C::Fiadd_m16int],
        Binary::Multiply => [C::Fmul_m32fp, C::Fmul_m64fp, C::Fimul_m32int, C::Fimul_m16int],
        Binary::Compare | Binary::ComparePop => {
            [C::Fcom_m32fp, C::Fcom_m64fp, C::Ficom_m32int, C::Ficom_m16int]
        }
        Binary::Subtract => [C::Fsub_m32fp, C::Fsub_m64fp, C::Fisub_m32int, C::Fisub_m16int],
        Binary::SubtractReversed => [C::Fsubr_m32fp, C::Fsubr_m64fp, C::Fisubr_m32int, C::Fisubr_m16int],
        Binary::Divide => [C::Fdiv_m32fp, C::Fdiv_m64fp, C::Fidiv_m32int, C::Fidiv_m16int],
        Binary::DivideReversed => [C::Fdivr_m32fp, C::Fdivr_m64fp, C::Fidivr_m32int, C::Fidivr_m16int],
    };
    match format {
        Format::Single => single,
        Format::Integer32 => integer32,
        Format::Integer16 => integer16,
        _ => double,
    }
}

/// Returns the host's instruction for ST(0), which receives the result, and another register.
pub(super) fn by_st0(binary: Binary) -> C {
    match binary {
        Binary::Add => C::Fadd_st0_sti,
        Binary::Multiply => C::Fmul_st0_sti,
        Binary::Compare | Binary::ComparePop => C::Fcom_st0_sti,
        Binary::Subtract => C::Fsub_st0_sti,
        Binary::SubtractReversed => C::Fsubr_st0_sti,
        Binary::Divide => C::Fdiv_st0_sti,
        Binary::DivideReversed => C::Fdivr_st0_sti,
    }
}

/// Returns the host's instruction for ST(0) and another register, which receives the result.
pub(super) fn to_register(binary: Binary) -> C {
    match binary {
        Binary::Add => C::Fadd_sti_st0,
        Binary::Multiply => C::Fmul_sti_st0,
        Binary::Subtract => C::Fsubr_sti_st0,
        Binary::SubtractReversed => C::Fsub_sti_st0,
        Binary::Divide => C::Fdivr_sti_st0,
        Binary::DivideReversed => C::Fdiv_sti_st0,
        // They have no result.
        Binary::Compare | Binary::ComparePop => C::Fcom_st0_sti_DCD0,
    }
}
