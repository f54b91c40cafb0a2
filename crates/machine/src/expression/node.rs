//! The syntax tree of an expression.

use oxbox_cpu::{Flags, Registers};
use std::fmt;

/// A fact about a run, which only a search over a program knows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fact {
    /// `text("...")`: a line of the text screen contains this text.
    Text(String),
    /// `output("...")`: the output since the last choice contains this text.
    Output(String),
    /// `exit(N)`: the program has ended with this code.
    Exit(u8),
    /// `crash`: the program has crashed.
    Crash,
    /// `hang`: the program neither waits nor ends.
    Hang,
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Text(text) => write!(f, "text({text:?})"),
            Fact::Output(text) => write!(f, "output({text:?})"),
            Fact::Exit(code) => write!(f, "exit({code})"),
            Fact::Crash => f.write_str("crash"),
            Fact::Hang => f.write_str("hang"),
        }
    }
}

/// A register, by its number in the order of its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Register {
    Low(usize),
    High(usize),
    Word(usize),
    Dword(usize),
    Segment(usize),
    Ip,
    Eip,
    Flags,
    Eflags,
}

const SEGMENTS: [&str; 6] = ["es", "cs", "ss", "ds", "fs", "gs"];
const WORDS: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
const BYTES: [&str; 8] = ["al", "cl", "dl", "bl", "ah", "ch", "dh", "bh"];
const SP: usize = 4;
const BP: usize = 5;

/// The flags' names in expressions, from bit 0, each with its mask.
pub const FLAGS: [(&str, u32); 9] = [
    ("cf", Flags::CF),
    ("pf", Flags::PF),
    ("af", Flags::AF),
    ("zf", Flags::ZF),
    ("sf", Flags::SF),
    ("tf", Flags::TF),
    ("if", Flags::IF),
    ("df", Flags::DF),
    ("of", Flags::OF),
];

impl Register {
    pub(super) fn named(name: &str) -> Option<Register> {
        let name = name.to_ascii_lowercase();
        let at = |names: &[&str], name: &str| names.iter().position(|known| *known == name);
        match name.as_str() {
            "ip" => return Some(Register::Ip),
            "eip" => return Some(Register::Eip),
            "flags" => return Some(Register::Flags),
            "eflags" => return Some(Register::Eflags),
            _ => {}
        }
        if let Some(number) = at(&BYTES, &name) {
            return Some(if number < 4 { Register::Low(number) } else { Register::High(number - 4) });
        }
        let word = at(&WORDS, &name).map(Register::Word);
        let dword = || name.strip_prefix('e').and_then(|name| at(&WORDS, name)).map(Register::Dword);
        word.or_else(dword).or_else(|| at(&SEGMENTS, &name).map(Register::Segment))
    }

    /// Returns the bits of its value.
    pub(super) fn bits(self) -> u32 {
        match self {
            Register::Low(_) | Register::High(_) => 8,
            Register::Word(_) | Register::Segment(_) | Register::Ip | Register::Flags => 16,
            Register::Dword(_) | Register::Eip | Register::Eflags => 32,
        }
    }

    pub(super) fn value(self, registers: &Registers) -> u32 {
        match self {
            Register::Low(number) => registers.gpr[number] & 0xFF,
            Register::High(number) => registers.gpr[number] >> 8 & 0xFF,
            Register::Word(number) => registers.gpr[number] & 0xFFFF,
            Register::Dword(number) => registers.gpr[number],
            Register::Segment(number) => registers.seg[number].into(),
            Register::Ip => registers.ip & 0xFFFF,
            Register::Eip => registers.ip,
            Register::Flags => registers.flags & 0xFFFF,
            Register::Eflags => registers.flags,
        }
    }

    /// Whether an address that contains it has the stack's segment by default.
    pub(super) fn is_of_stack(self) -> bool {
        matches!(self, Register::Word(SP | BP) | Register::Dword(SP | BP))
    }
}

pub(super) fn flag(name: &str) -> Option<u32> {
    FLAGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, mask)| *mask)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) bits: u32,
    pub(super) signed: bool,
}

impl Size {
    pub(super) const WORD: Size = Size { bits: 16, signed: false };

    pub(super) fn named(name: &str) -> Option<Size> {
        let lower = name.to_ascii_lowercase();
        let (signed, unsigned) = match lower.strip_prefix('s') {
            Some(rest) => (true, rest),
            None => (false, lower.as_str()),
        };
        let bits = match unsigned {
            "byte" => 8,
            "word" => 16,
            "dword" => 32,
            _ => return None,
        };
        Some(Size { bits, signed })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unary {
    Negative,
    /// Zero becomes FFFFh, anything else 0.
    IsZero,
    /// Each bit inverted.
    Not,
    High,
    Low,
    Offset,
    Segment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    And,
    Or,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Both,
    Either,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Number(i64),
    Register(Register),
    Flag(u32),
    /// A name of the program. If the program does not define it, its value as hexadecimal digits
    /// before or after a colon.
    Name {
        name: String,
        column: usize,
        digits: Option<u16>,
    },
    Fact(Fact),
    /// A place in memory: `[offset]` or `segment:offset`.
    Memory(Option<Box<Node>>, Box<Node>),
    /// `vals[si]`, `[bx].4`: the sum of two addresses.
    Index(Box<Node>, Box<Node>),
    Sized(Size, Box<Node>),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
}

impl Node {
    /// Whether the node, or a part of it, satisfies `is_wanted`.
    pub(super) fn any(&self, is_wanted: &mut impl FnMut(&Node) -> bool) -> bool {
        if is_wanted(self) {
            return true;
        }
        match self {
            Node::Number(_) | Node::Register(_) | Node::Flag(_) | Node::Name { .. } | Node::Fact(_) => false,
            Node::Memory(None, a) | Node::Sized(_, a) | Node::Unary(_, a) => a.any(is_wanted),
            Node::Memory(Some(a), b) | Node::Index(a, b) | Node::Binary(_, a, b) => {
                a.any(is_wanted) || b.any(is_wanted)
            }
        }
    }

    /// Whether it is written as a place in memory. A name may turn out to be a constant.
    pub(super) fn is_memory(&self) -> bool {
        matches!(self, Node::Memory(..) | Node::Index(..) | Node::Name { .. })
    }

    /// Whether it is a place in memory, possibly plus a number.
    pub(super) fn is_place(&self) -> bool {
        match self {
            Node::Sized(_, inner) => inner.is_place(),
            Node::Binary(Binary::Add | Binary::Subtract, place, distance) => {
                let is_far = matches!(**distance, Node::Number(number) if number > 0xFFFF);
                !is_far && !matches!(**place, Node::Sized(..)) && place.is_place()
            }
            node => node.is_memory(),
        }
    }

    /// Whether it is a register or flag that a search may exclude from its states.
    pub(super) fn is_volatile_register(&self) -> bool {
        match self {
            // CS, SS, DS and SP are always included.
            Node::Register(register) => {
                !matches!(register, Register::Segment(1..=3) | Register::Word(SP) | Register::Dword(SP))
            }
            Node::Flag(_) => true,
            _ => false,
        }
    }
}
