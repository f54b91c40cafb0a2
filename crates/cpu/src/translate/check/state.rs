//! The facts about the host's registers at one instruction of a translated block.

use iced_x86::Register as R;

use crate::registers::Segment;

/// The register that holds the offset of a memory operand.
pub(super) const OFFSET: R = R::RDI;
/// The register that holds the host address of its segment.
pub(super) const HOST: R = R::RSI;

/// The register that holds ESP, and the number of its segment.
pub(super) const STACK: R = R::R9;
pub(super) const SS: usize = Segment::Ss as usize;

/// The fact about a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// A number from `least` to `most` whose lowest `zeros` bits are 0.
    Number {
        least: u64,
        most: u64,
        zeros: u32,
    },
    /// The context, and the field in it for a value in transit.
    Context,
    Scratch,
    /// The granule flags.
    GranuleFlags,
    /// The host address of a segment's first byte, and its linear address.
    Segment(usize),
    Base(usize),
    /// The linear address of the offset in RDI, which is in plain memory; its granule; the same if its
    /// flag says that the granule contains decoded code.
    Linear,
    Granule,
    CodeGranule,
    /// The host address of an offset: at least `before` bytes are before it in plain memory, and `reach`
    /// from it on. Bits of `marks` are set for the bytes from it on that may be written.
    Address {
        before: u64,
        reach: u64,
        marks: u32,
    },
    /// ESP and this number, in 32 bits.
    Stack(i64),
    /// A slot of the table of computed jumps, and one whose key is that of the jump.
    Slot,
    Target,
    /// The display adapter's mapping, cells, and page flags.
    Mapping,
    Planes,
    PagesWritten,
    /// An offset in the area of text cells; the plane address of that cell; the same after the cell was
    /// written; its page then.
    Text,
    Cell,
    WrittenCell,
    Page,
    /// The coprocessor's state; the same or 0; the same if the host's x87 is prepared, otherwise 0.
    State,
    StateOrZero,
    StateIfReady,
}

impl Value {
    pub(super) const ANY: Value = Value::Number { least: 0, most: u64::MAX, zeros: 0 };

    pub(super) fn number(value: u64) -> Value {
        Value::Number { least: value, most: value, zeros: value.trailing_zeros() }
    }

    pub(super) fn up_to(most: u64) -> Value {
        Value::Number { least: 0, most, zeros: 0 }
    }

    /// Returns the least and the greatest number that it can be.
    pub(super) fn range(self) -> (u64, u64) {
        match self {
            Value::Number { least, most, .. } => (least, most),
            _ => (0, u64::MAX),
        }
    }

    /// Returns the only number that it can be.
    pub(super) fn only(self) -> Option<u64> {
        let (least, most) = self.range();
        (least == most).then_some(least)
    }

    fn joined(self, other: Value) -> Value {
        match (self, other) {
            (a, b) if a == b => a,
            (
                Value::Number { least: a, most: b, zeros },
                Value::Number { least: c, most: d, zeros: others },
            ) => Value::Number { least: a.min(c), most: b.max(d), zeros: zeros.min(others) },
            (
                Value::Address { before, reach, marks },
                Value::Address { before: others, reach: other, marks: more },
            ) => Value::Address { before: before.min(others), reach: reach.min(other), marks: marks & more },
            _ => Value::ANY,
        }
    }
}

/// The checks that the offset in RDI has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checked {
    pub(super) segment: usize,
    /// The number of bytes from the offset on that are in plain memory.
    pub(super) reach: u64,
    /// If not, the offset may have wrapped below 0 instead.
    pub(super) is_sure: bool,
    /// Bits are set for the bytes from the offset on that may be written.
    pub(super) marks: u32,
}

impl Checked {
    fn joined(self, other: Checked) -> Option<Checked> {
        (self.segment == other.segment).then_some(Checked {
            segment: self.segment,
            reach: self.reach.min(other.reach),
            is_sure: self.is_sure && other.is_sure,
            marks: self.marks & other.marks,
        })
    }
}

/// The bytes of the stack that were checked, relative to ESP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// Those from `low` to `high` may be read, and from `low` to `top` written.
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) top: i64,
}

impl Window {
    /// Returns the same bytes after a number was added to ESP; `None` if ESP is outside of them then, so that it
    /// may have wrapped.
    pub(super) fn moved(self, by: i64) -> Option<Window> {
        let Window { low, high, top } = self;
        (low..=high).contains(&by).then_some(Window { low: low - by, high: high - by, top: top - by })
    }

    fn joined(self, other: Window) -> Window {
        Window { low: self.low.max(other.low), high: self.high.min(other.high), top: self.top.min(other.top) }
    }
}

/// The comparison that set the host's flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    Nothing,
    /// RDI with the bounds of a segment, for this many bytes.
    Bounds {
        segment: usize,
        bytes: u64,
    },
    /// The low 32 bits of a register with a number.
    Number {
        register: R,
        number: u64,
    },
    /// The flag of the granule in RAX with 0, and with that of a granule that contains decoded code.
    Granule,
    CodeGranule,
    /// The answer of a routine about a write of this many bytes.
    Permitted {
        bytes: u64,
    },
    /// The answer of a routine about a window of the stack.
    Window(Window),
    /// Whether plain memory is where it was, the answer of a routine that may call the bus.
    Answer,
    /// ESI with the size of the area of text cells.
    Text,
    /// The key of a computed jump with that of its slot.
    Key,
    /// The address of the coprocessor's state with 0.
    State,
    /// ESI with EDI.
    Less,
}

/// The upper half of the dividend of DIV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Bh,
    Dx,
    Edx,
}

/// The facts about a division that comes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Division {
    /// ESI is this part of the guest's registers.
    pub(super) upper: Option<Half>,
    /// EAX is the guest's.
    pub(super) has_lower: bool,
    /// ESI is less than EDI.
    pub(super) is_less: bool,
    /// ESI is EDI + 1.
    pub(super) has_next: bool,
    /// EDI is neither 0 nor -1.
    pub(super) is_safe: bool,
    /// The size of the register into which EAX or RAX was extended by its sign.
    pub(super) extended: usize,
}

impl Division {
    fn joined(self, other: Division) -> Division {
        Division {
            upper: self.upper.filter(|_| self.upper == other.upper),
            has_lower: self.has_lower && other.has_lower,
            is_less: self.is_less && other.is_less,
            has_next: self.has_next && other.has_next,
            is_safe: self.is_safe && other.is_safe,
            extended: if self.extended == other.extended { self.extended } else { 0 },
        }
    }
}

/// The facts at one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    registers: [Value; 16],
    pub(super) checked: Option<Checked>,
    /// The access that is permitted at RSI + RDI: the number of bytes, and bits for those that may be
    /// written.
    operand: Option<(u64, u32)>,
    pub(super) window: Option<Window>,
    pub(super) compared: Compared,
    pub(super) division: Division,
    /// Whether the host's x87 is prepared.
    pub(super) is_ready: bool,
    /// The number of values on the x87's stack, and of quadwords on the host's.
    pub(super) values: i32,
    pub(super) pushed: i32,
    /// Whether a cell was written whose page is not marked yet.
    pub(super) is_unmarked: bool,
    /// Whether a routine was called that may have moved plain memory, and its answer was not tested yet.
    pub(super) is_unanswered: bool,
}

impl State {
    /// Returns the state at an entry point.
    pub(super) fn at_entry() -> State {
        let mut state = State {
            registers: [Value::ANY; 16],
            checked: None,
            operand: None,
            window: None,
            compared: Compared::Nothing,
            division: Division::default(),
            is_ready: false,
            values: 0,
            pushed: 0,
            is_unmarked: false,
            is_unanswered: false,
        };
        state.registers[R::R15.number()] = Value::Context;
        state.registers[R::R14.number()] = Value::GranuleFlags;
        state
    }

    pub(super) fn get(&self, register: R) -> Value {
        self.registers[register.number()]
    }

    /// Sets a 64-bit register, and forgets the earlier facts about it.
    pub(super) fn set(&mut self, register: R, value: Value) {
        self.forget(register);
        self.registers[register.number()] = value;
    }

    /// Forgets everything about registers that a routine changes.
    pub(super) fn lose(&mut self, registers: &[R]) {
        registers.iter().for_each(|&register| self.set(register, Value::ANY));
    }

    /// Adds a fact about a register that does not change.
    pub(super) fn narrow(&mut self, register: R, value: Value) {
        self.registers[register.number()] = value;
    }

    fn forget(&mut self, register: R) {
        let division = &mut self.division;
        match register {
            R::RAX => (division.has_lower, division.extended) = (false, 0),
            R::RBX => {
                division.has_lower = false;
                division.upper = division.upper.filter(|half| *half != Half::Bh);
            }
            R::RDX => {
                division.upper = division.upper.filter(|half| *half == Half::Bh);
                division.extended = 0;
            }
            HOST => (division.upper, division.is_less, division.has_next) = (None, false, false),
            OFFSET => (division.is_less, division.has_next, division.is_safe) = (false, false, false),
            _ => {}
        }
        if register == OFFSET {
            self.checked = None;
            self.forget_all(|value| matches!(value, Value::Linear | Value::Granule | Value::CodeGranule));
        }
        if register == STACK {
            self.window = None;
            self.forget_all(|value| matches!(value, Value::Stack(_)));
        }
        if matches!(register, HOST | OFFSET) {
            self.operand = None;
        }
        // Instructions that keep the flags may still change a compared register.
        self.compared = Compared::Nothing;
    }

    /// Forgets everything that depends on the segment registers.
    pub(super) fn forget_segments(&mut self) {
        self.window = None;
        self.lose(&[OFFSET]);
        self.forget_all(|value| matches!(value, Value::Segment(_) | Value::Base(_)));
    }

    /// Forgets the facts about registers with such a value.
    pub(super) fn forget_all(&mut self, is_such: impl Fn(Value) -> bool) {
        for value in self.registers.iter_mut().filter(|value| is_such(**value)) {
            *value = Value::ANY;
        }
    }

    /// Returns the access that is permitted at RSI + RDI: the number of bytes, and bits for those that may be
    /// written.
    pub(super) fn operand(&self) -> Option<(u64, u32)> {
        match (self.get(HOST), self.checked) {
            (Value::Segment(segment), Some(checked)) if checked.is_sure && checked.segment == segment => {
                Some((checked.reach, checked.marks))
            }
            (Value::Scratch, _) if self.get(OFFSET).only() == Some(0) => Some((8, 0xFF)),
            _ => self.operand,
        }
    }

    /// Returns the facts that hold in both states; `None` if the depths of the stacks differ.
    pub(super) fn joined(&self, other: &State) -> Option<State> {
        if (self.values, self.pushed) != (other.values, other.pushed) {
            return None;
        }
        let mut registers = self.registers;
        for (value, other) in registers.iter_mut().zip(other.registers) {
            *value = value.joined(other);
        }
        let operand = self.operand().zip(other.operand());
        let is_same = self.compared == other.compared;
        Some(State {
            registers,
            checked: self.checked.zip(other.checked).and_then(|(a, b)| a.joined(b)),
            operand: operand.map(|((a, marks), (b, others))| (a.min(b), marks & others)),
            window: self.window.zip(other.window).map(|(a, b)| a.joined(b)),
            compared: if is_same { self.compared } else { Compared::Nothing },
            division: self.division.joined(other.division),
            is_ready: self.is_ready && other.is_ready,
            values: self.values,
            pushed: self.pushed,
            is_unmarked: self.is_unmarked || other.is_unmarked,
            is_unanswered: self.is_unanswered || other.is_unanswered,
        })
    }
}
