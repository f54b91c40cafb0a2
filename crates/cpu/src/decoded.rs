//! One decoded instruction: its operation, and the properties that block building needs.
//!
//! A family sets the properties. Block building then asks for a variant of the handler.

use iced_x86::{Instruction, Mnemonic, RflagsBits};

use super::bus::Bus;
use super::form::{self, Form, Operands};
use super::op::{Handler, Mode, Op};
use super::registers::Flags;
use super::status::Status;

#[derive(Debug)]
pub(super) struct Decoded<B> {
    pub(super) op: Op<B>,
    pub(super) run: Handler<B>,
    pub(super) instruction: Instruction,
    pub(super) operands: Operands,
    pub(super) ends: bool,
    /// The condition of a Jcc that can be fused with the instruction that sets its flags.
    pub(super) condition: Option<u8>,
    pub(super) effect: Effect,
    pub(super) immediate: Option<Immediate>,
    /// The handler's effect beyond the instruction alone.
    pub(super) special: Option<Special>,
    pub(super) variants: Option<fn(&Decoded<B>, Variant) -> Option<Handler<B>>>,
}

/// An effect of a handler beyond its instruction alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    /// Expects the operand in device memory.
    Device,
    /// Reads its immediate from memory at CS:`target`.
    Live,
    /// Executes a whole loop.
    Loop,
    /// Executes an instruction of the coprocessor, whose opcode is in `imm`.
    Coprocessor,
}

/// A context within a block for which a special handler exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// No instruction reads the flags before they are written again.
    Quiet,
    /// The following Jcc with this condition is part of the operation.
    Fused(u8),
    /// A jump, call or return inside a block, which continues at the target.
    Through,
    /// The memory operand is probably device memory: the handler does not try plain memory first.
    Device,
    /// The program changes the immediate, which the handler therefore reads from CS:`target` at
    /// each execution. `extended`: it is a byte that is sign-extended to the operand size.
    Live { extended: bool },
}

/// The position of an instruction's immediate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Immediate {
    /// Offset from the first byte of the instruction.
    pub(super) offset: u8,
    pub(super) size: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) reads: u32,
    /// The flags that it always writes.
    pub(super) writes: u32,
    /// Whether it may fault, store over code or otherwise end the block: all flags are observed.
    pub(super) may_stop: bool,
}

impl Effect {
    /// The effect of an unknown instruction: it may observe all flags.
    const ANYTHING: Effect = Effect { reads: Status::MASK, writes: 0, may_stop: true };

    /// Returns the effect by iced-x86's tables, which follow Intel's. Flags that they call
    /// undefined after logic and shifts are written by this processor, as by the chips; after other
    /// instructions they keep their values.
    fn of(instruction: &Instruction) -> Effect {
        use Mnemonic as M;
        let defined = instruction.rflags_written() | instruction.rflags_cleared() | instruction.rflags_set();
        let writes = match instruction.mnemonic() {
            M::And | M::Or | M::Xor | M::Test => instruction.rflags_modified(),
            M::Shl | M::Sal | M::Shr | M::Sar => instruction.rflags_modified(),
            _ => defined,
        };
        // If the count rotates operand and CF by a whole turn, RCL keeps CF and computes OF from
        // it.
        let turns = matches!(instruction.mnemonic(), M::Rcl | M::Rcr);
        Effect {
            reads: status_flags(instruction.rflags_read()) | if turns { Flags::CF } else { 0 },
            writes: status_flags(writes),
            may_stop: true,
        }
    }
}

/// Converts iced-x86's flag bits to bits of FLAGS.
fn status_flags(bits: u32) -> u32 {
    const PAIRS: [(u32, u32); 6] = [
        (RflagsBits::CF, Flags::CF),
        (RflagsBits::PF, Flags::PF),
        (RflagsBits::AF, Flags::AF),
        (RflagsBits::ZF, Flags::ZF),
        (RflagsBits::SF, Flags::SF),
        (RflagsBits::OF, Flags::OF),
    ];
    PAIRS.iter().filter(|(bit, _)| bits & bit != 0).fold(0, |flags, (_, flag)| flags | flag)
}

impl<B: Bus> Decoded<B> {
    /// Creates an instruction unknown to iced-x86: handler `run`, `len` bytes at `ip`, no operands.
    pub(super) fn plain(run: Handler<B>, ip: u32, len: usize) -> Self {
        Decoded {
            op: Op::new(ip, len),
            run,
            instruction: Instruction::default(),
            operands: Operands { size: 2, form: Form::RmImm(Mode::Register) },
            ends: false,
            condition: None,
            effect: Effect::ANYTHING,
            immediate: None,
            special: None,
            variants: None,
        }
    }

    /// Creates an instruction with resolved operands. Its family replaces the handler `run`.
    pub(super) fn new(run: Handler<B>, ip: u32, len: usize, instruction: Instruction) -> Self {
        let mut decoded = Decoded::plain(run, ip, len);
        decoded.operands = form::resolve_operands(&mut decoded.op, &instruction);
        decoded.op.imm = form::immediate(&instruction, decoded.operands.size).unwrap_or(0);
        decoded.effect = Effect::of(&instruction);
        decoded.instruction = instruction;
        decoded
    }

    pub(super) fn mnemonic(&self) -> Mnemonic {
        self.instruction.mnemonic()
    }

    /// Returns whether the operands are doublewords.
    pub(super) fn is_wide(&self) -> bool {
        self.operands.size == 4
    }

    /// Returns whether no operand is in memory.
    pub(super) fn is_on_registers(&self) -> bool {
        self.operands.form.mode() == Mode::Register
    }

    pub(super) fn variant(&self, variant: Variant) -> Option<Handler<B>> {
        self.variants.and_then(|variants| variants(self, variant))
    }
}
