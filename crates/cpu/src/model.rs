//! The differences between the 8086, 80186, 80286, 80386, 80486 and Pentium.
//!
//! Sources: Intel's 80286 and 80386 programmer's reference manuals (appendices on compatibility),
//! and recordings of the chips where the manuals are silent.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::fpu;

/// The processor model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Model {
    /// Intel 8086.
    I8086,
    /// Intel 80186.
    I186,
    /// Intel 80286 in real mode.
    I286,
    /// Intel 80386 in real mode.
    #[default]
    I386,
    /// Intel 80486 in real mode.
    I486,
    /// Intel Pentium in real mode.
    I586,
}

use Model::{I186, I286, I386, I486, I586, I8086};

impl Model {
    /// All models, in chronological order.
    pub(super) const ALL: [Model; 6] = [I8086, I186, I286, I386, I486, I586];

    /// Returns the model with a number in the form of `--cpu`: `386` or `80386`.
    pub fn named(name: &str) -> Option<Model> {
        let number = name.strip_prefix("80").filter(|rest| rest.len() == 3).unwrap_or(name);
        Model::ALL.into_iter().find(|model| model.name() == number)
    }

    /// Returns the number in the form of `--cpu`.
    pub fn name(self) -> &'static str {
        match self {
            I8086 => "8086",
            I186 => "186",
            I286 => "286",
            I386 => "386",
            I486 => "486",
            I586 => "586",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            I8086 => f.write_str("8086"),
            I586 => f.write_str("Pentium"),
            _ => write!(f, "80{}", self.name()),
        }
    }
}

/// Identification.
impl Model {
    /// Returns the CPUID signature: family 5, model 2, stepping 5.
    pub(super) fn signature(self) -> u32 {
        0x0525
    }

    /// Returns the CPUID feature flags: FPU (bit 0), TSC (4), CMPXCHG8B (8), CMOVcc (15).
    pub(super) fn features(self, fpu: bool) -> u32 {
        0x8110 | u32::from(fpu)
    }
}

/// Addresses.
impl Model {
    /// The number of address lines. With more than 20 the second megabyte is accessible.
    pub fn address_lines(self) -> u32 {
        match self {
            I8086 | I186 => 20,
            I286 => 24,
            I386 | I486 | I586 => 32,
        }
    }

    /// Whether offsets wrap at FFFFh. Otherwise an access across the end of a segment faults.
    #[inline(always)]
    pub(super) fn offsets_wrap(self) -> bool {
        self <= I186
    }

    /// Whether an access across the end of the stack segment raises #SS. The 80286 has only #GP.
    pub(super) fn has_stack_fault(self) -> bool {
        self >= I386
    }

    /// Returns IP after an instruction that ends at FFFFh. Only the 80386's wider IP then faults.
    pub(super) fn wrapped_ip(self, ip: u32) -> u32 {
        if self < I386 { ip & 0xFFFF } else { ip }
    }
}

/// Decoding.
impl Model {
    /// Whether undefined opcodes are aliases of others, `0F` being POP CS. Later models raise #UD.
    pub(super) fn executes_every_opcode(self) -> bool {
        self == I8086
    }

    /// Whether 64h to 67h are prefixes for FS, GS, operand and address size, and FS and GS exist.
    pub(super) fn has_32_bits(self) -> bool {
        self >= I386
    }

    /// Whether F1h is an alias of LOCK.
    pub(super) fn has_second_lock(self) -> bool {
        self == I8086
    }

    /// Whether LOCK is valid before any instruction. The 80386 raises #UD where it has no meaning.
    pub(super) fn locks_anything(self) -> bool {
        self <= I286
    }

    /// The most bytes of an instruction, prefixes included. A longer one raises #GP. The 8086 and
    /// 80186 have no limit.
    pub(super) fn longest_instruction(self) -> usize {
        match self {
            I8086 | I186 => usize::MAX,
            I286 => 10,
            I386 | I486 | I586 => 15,
        }
    }

    /// Whether `8F` is POP for any `reg` field. The 80286 raises #UD unless it is 0.
    pub(super) fn pop_ignores_reg(self) -> bool {
        self != I286
    }

    /// Whether `D0` to `D3` with `reg` 6 is SETMO, which sets all bits. Later models execute SHL.
    pub(super) fn has_setmo(self) -> bool {
        self == I8086
    }
}

/// Arithmetic.
impl Model {
    #[inline(always)]
    pub(super) fn shift_count_mask(self) -> u32 {
        if self == I8086 { 0xFF } else { 0x1F }
    }

    /// Whether IDIV accepts the most negative quotient, 80h or 8000h.
    #[inline(always)]
    pub(super) fn idiv_takes_minimum(self) -> bool {
        self >= I286
    }

    /// Whether a REP prefix before IDIV negates the quotient: the microcode shares the flag.
    #[inline(always)]
    pub(super) fn rep_negates_idiv(self) -> bool {
        self <= I186
    }

    /// Whether IDIV misses the overflow of some quotients: a step of the division loses its carry.
    #[inline(always)]
    pub(super) fn idiv_loses_carry(self) -> bool {
        self == I286
    }

    /// Returns the value that determines SF, ZF and PF when AAM 0 raises #DE: 0 on the 8086 and
    /// 80186, AL after the first step of the division on the 80286. Later models keep the flags.
    pub(super) fn aam_by_zero_leaves(self, al: u32) -> Option<u32> {
        match self {
            I8086 | I186 => Some(0),
            I286 => Some(al >> 1),
            I386 | I486 | I586 => None,
        }
    }

    /// Whether AAA and AAS add or subtract 6 from AX (80186) or AL with a carry into AH (80286 and
    /// later). The 8086 corrects AL alone, and AH by exactly one.
    #[inline(always)]
    pub(super) fn ascii_adjust_carries(self) -> bool {
        self >= I286
    }

    /// Returns the largest AL whose high digit DAA and DAS do not correct.
    pub(super) fn decimal_limit(self, af: bool) -> u32 {
        if self <= I186 && af { 0x9F } else { 0x99 }
    }

    /// Whether DAS sets CF if only the correction of the low digit borrows.
    pub(super) fn das_low_digit_borrows(self) -> bool {
        self >= I286
    }
}

/// The stack, flags and exceptions.
impl Model {
    /// Whether PUSH SP stores the value after the push rather than the one before.
    #[inline(always)]
    pub(super) fn pushes_sp_after(self) -> bool {
        self <= I186
    }

    /// The bits of FLAGS that can be loaded. Bits 12 to 15 always read 1 on the 8086, and 0 on the
    /// 80286 in real mode.
    #[inline(always)]
    pub(super) fn loadable_flags(self) -> u32 {
        match self {
            I8086 | I186 | I286 => 0x0FD5,
            I386 | I486 | I586 => 0x7FD5,
        }
    }

    /// The flags above bit 15: AC (bit 18) from the 80486 on, ID (bit 21) on the Pentium.
    #[inline(always)]
    pub(super) fn wide_flags(self) -> u32 {
        match self {
            I8086 | I186 | I286 | I386 => 0,
            I486 => 1 << 18,
            I586 => 1 << 18 | 1 << 21,
        }
    }

    /// The bits of EFLAGS that always read 1.
    #[inline(always)]
    pub(super) fn fixed_flags(self) -> u32 {
        match self {
            I8086 | I186 => 0xF002,
            I286 | I386 | I486 | I586 => 0x0002,
        }
    }

    /// Whether a string instruction that faults restores SI, DI and CX as before the iteration.
    pub(super) fn restarts_strings(self) -> bool {
        self >= I386
    }

    /// Whether #DE pushes the address of the next instruction. Later models push the division's.
    pub(super) fn divide_error_goes_on(self) -> bool {
        self <= I186
    }

    /// Whether the vector table has a base and a limit (IDTR).
    pub(super) fn has_idtr(self) -> bool {
        self >= I286
    }

    /// The machine status word after reset: unused bits are 1 on the 80286, ET from the 80486 on.
    pub(super) fn reset_status_word(self) -> u32 {
        match self {
            I286 => 0xFFF0,
            I486 | I586 => 0x0010,
            I8086 | I186 | I386 => 0,
        }
    }

    /// The byte that SGDT and SIDT store after the 24-bit base, as the top byte of a doubleword.
    pub(super) fn table_filler(self) -> u32 {
        if self == I286 { 0xFF00_0000 } else { 0 }
    }
}

/// The coprocessor.
impl Model {
    pub(super) fn coprocessor(self) -> fpu::Model {
        match self {
            I8086 | I186 => fpu::Model::I8087,
            I286 => fpu::Model::I80287,
            I386 | I486 | I586 => fpu::Model::I80387,
        }
    }

    /// Whether coprocessor errors are non-maskable interrupts. On later models they are IRQ 13.
    pub(super) fn coprocessor_errors_by_nmi(self) -> bool {
        self <= I186
    }

    /// Whether CR0.ET reports the coprocessor.
    pub(super) fn has_extension_type(self) -> bool {
        self >= I386
    }
}
