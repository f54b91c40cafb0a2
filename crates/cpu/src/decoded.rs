//! One decoded instruction: its operation, and what a block has to know to put it in its place.
//!
//! A family fills in what is its own; whoever builds a block asks it for the variants it has.

use iced_x86::{Instruction, Mnemonic, RflagsBits};

use super::bus::Bus;
use super::form::{self, Form, Operands};
use super::op::{Handler, Mode, Op};
use super::registers::Flags;
use super::status::Status;

/// One decoded instruction.
#[derive(Debug)]
pub(super) struct Decoded<B> {
    pub(super) op: Op<B>,
    /// Executes the operation.
    pub(super) run: Handler<B>,
    pub(super) instruction: Instruction,
    pub(super) operands: Operands,
    /// Nothing may follow in the block.
    pub(super) ends: bool,
    /// The condition, of a Jcc that can be fused with what sets its flags.
    pub(super) condition: Option<u8>,
    pub(super) effect: Effect,
    pub(super) immediate: Option<Immediate>,
    /// What the handler does that the instruction alone would not.
    pub(super) special: Option<Special>,
    /// The handlers for special places in a block, where the family has any.
    pub(super) variants: Option<fn(&Decoded<B>, Variant) -> Option<Handler<B>>>,
}

/// What a handler does that its instruction alone would not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    /// It expects a device's memory.
    Device,
    /// It reads its immediate where it stands, at CS:`target`.
    Live,
    /// It executes a whole loop.
    Loop,
}

/// A place in a block that another handler than the usual one suits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// Nothing reads the flags before they are written again.
    Quiet,
    /// The Jcc with this condition follows and is part of the operation.
    Fused(u8),
    /// A jump or call in the middle of a block, which goes on at the target.
    Through,
    /// The memory operand is a device's, as it seems: the way for plain memory need not be tried first.
    Device,
    /// The program changes the immediate: it is read each time where it stands, at CS:`target`. It may be a byte that is
    /// `extended` to the operand size.
    Live { extended: bool },
}

/// Where an instruction's immediate stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Immediate {
    /// From the instruction's first byte.
    pub(super) offset: u8,
    pub(super) size: u8,
}

/// What an instruction does to the status flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) reads: u32,
    /// Those it always writes.
    pub(super) writes: u32,
    /// It may fault, store over code or otherwise end the block, which shows all flags.
    pub(super) may_stop: bool,
}

impl Effect {
    /// Nothing is known: it may show all flags.
    const ANYTHING: Effect = Effect { reads: Status::MASK, writes: 0, may_stop: true };

    /// The effect by iced-x86's tables, which are Intel's. They leave flags undefined that our processor writes, as the
    /// chips do, after logic and shifts; after other instructions it leaves those alone.
    fn of(instruction: &Instruction) -> Effect {
        use Mnemonic as M;
        let defined = instruction.rflags_written() | instruction.rflags_cleared() | instruction.rflags_set();
        let writes = match instruction.mnemonic() {
            M::And | M::Or | M::Xor | M::Test => instruction.rflags_modified(),
            M::Shl | M::Sal | M::Shr | M::Sar => instruction.rflags_modified(),
            _ => defined,
        };
        // By a count that turns the operand and CF all the way round, RCL leaves CF as it is, and makes OF of it.
        let turns = matches!(instruction.mnemonic(), M::Rcl | M::Rcr);
        Effect {
            reads: status_flags(instruction.rflags_read()) | if turns { Flags::CF } else { 0 },
            writes: status_flags(writes),
            may_stop: true,
        }
    }
}

/// The status flags among iced-x86's bits, as bits of FLAGS.
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
    /// What is not decoded by iced-x86: `run`, `len` bytes at `ip`, without operands.
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

    /// An instruction with its operands resolved, and `run` until its family has chosen a handler.
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

    /// True when the operands are doublewords.
    pub(super) fn is_wide(&self) -> bool {
        self.operands.size == 4
    }

    /// True when none of the operands is in memory.
    pub(super) fn is_on_registers(&self) -> bool {
        self.operands.form.mode() == Mode::Register
    }

    /// The handler for a special place, if there is one.
    pub(super) fn variant(&self, variant: Variant) -> Option<Handler<B>> {
        self.variants.and_then(|variants| variants(self, variant))
    }
}
