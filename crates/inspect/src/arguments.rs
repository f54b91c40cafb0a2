//! Arguments and results of BIOS and DOS calls: a table with one row per function.
//!
//! Source: Ralf Brown's interrupt list.

use oxbox_cpu::{Flags, Registers};
use oxbox_machine::hardware::vga::cp437;
use oxbox_machine::hardware::{Hardware, linear};

type Byte = fn(&Registers) -> u8;
type Word = fn(&Registers) -> u16;

/// The interpretation of a register, or of the data that it points to.
#[derive(Clone, Copy)]
pub(super) enum Item {
    /// An 8-bit number in hexadecimal.
    Hex8(&'static str, Byte),
    Hex(&'static str, Word),
    /// An 8-bit number in decimal.
    Dec8(&'static str, Byte),
    Dec(&'static str, Word),
    /// A 32-bit number in two words, the upper one first.
    Long(&'static str, Word, Word),
    Char(Byte),
    /// A segment and an offset.
    Far(&'static str, Word, Word),
    /// Text at a segment and offset: terminated by zero, terminated by `$`, or with a length.
    Zero(Word, Word),
    Dollar(Word, Word),
    Block(Word, Word, Word),
    /// The line that buffered input has read.
    Line(Word, Word),
    /// The name of a file control block.
    Fcb(Word, Word),
    /// The file name that a search has found, in the disk transfer area.
    Found,
    /// The access mode for opening a file, in AL.
    Access,
    /// A drive number: 1 for A:, with 0 for the current drive; or 0 for A:.
    Drive1(Byte),
    Drive0(Byte),
    /// The origin of a file position, in AL.
    Whence,
    /// A key: scan code and character.
    Key,
    /// A key if ZF is clear, otherwise nothing.
    KeyIfAny,
}

use Item::{
    Access, Block, Char, Dec, Dec8, Dollar, Drive0, Drive1, Far, Fcb, Found, Hex, Hex8, Key, KeyIfAny, Line,
    Long, Whence, Zero,
};

pub(super) struct Row {
    vector: u8,
    /// AH, if the interrupt has functions.
    ah: u8,
    /// AL, if the subfunctions of the function differ.
    al: Option<u8>,
    pub(super) takes: &'static [Item],
    pub(super) gives: &'static [Item],
}

const fn row(vector: u8, ah: u8, takes: &'static [Item], gives: &'static [Item]) -> Row {
    Row { vector, ah, al: None, takes, gives }
}

const fn sub(vector: u8, ax: u16, takes: &'static [Item], gives: &'static [Item]) -> Row {
    Row { vector, ah: (ax >> 8) as u8, al: Some(ax as u8), takes, gives }
}

/// Returns the row of a call, if there is one.
pub(super) fn of(vector: u8, ax: u16) -> Option<&'static Row> {
    let [al, ah] = ax.to_le_bytes();
    ROWS.iter().find(|row| row.vector == vector && row.ah == ah && row.al.is_none_or(|own| own == al))
}

type R = Registers;

const NAME: Item = Zero(R::ds, R::dx);
const HANDLE: Item = Dec("handle", R::bx);
const NEW_HANDLE: Item = Dec("handle", R::ax);
const BYTES: Item = Dec("bytes", R::ax);
const CODE: Item = Dec8("code", R::al);
const DATE: [Item; 4] =
    [Dec("year", R::cx), Dec8("month", R::dh), Dec8("day", R::dl), Dec8("weekday", R::al)];
const CLOCK: [Item; 4] =
    [Dec8("hour", R::ch), Dec8("minute", R::cl), Dec8("second", R::dh), Dec8("hundredths", R::dl)];
const CURSOR: [Item; 3] = [Dec8("page", R::bh), Dec8("row", R::dh), Dec8("column", R::dl)];
const WINDOW: [Item; 6] = [
    Dec8("lines", R::al),
    Hex8("attribute", R::bh),
    Dec8("row", R::ch),
    Dec8("column", R::cl),
    Dec8("to row", R::dh),
    Dec8("to column", R::dl),
];

#[rustfmt::skip]
static ROWS: [Row; 94] = [
    row(0x10, 0x00, &[Hex8("mode", R::al)], &[]),
    row(0x10, 0x01, &[Hex("shape", R::cx)], &[]),
    row(0x10, 0x02, &CURSOR, &[]),
    row(0x10, 0x03, &[Dec8("page", R::bh)], &[Dec8("row", R::dh), Dec8("column", R::dl), Hex("shape", R::cx)]),
    row(0x10, 0x05, &[Dec8("page", R::al)], &[]),
    row(0x10, 0x06, &WINDOW, &[]),
    row(0x10, 0x07, &WINDOW, &[]),
    row(0x10, 0x08, &[Dec8("page", R::bh)], &[Char(R::al), Hex8("attribute", R::ah)]),
    row(0x10, 0x09, &[Char(R::al), Hex8("attribute", R::bl), Dec("times", R::cx)], &[]),
    row(0x10, 0x0A, &[Char(R::al), Dec("times", R::cx)], &[]),
    row(0x10, 0x0B, &[Hex("what", R::bx)], &[]),
    row(0x10, 0x0C, &[Hex8("colour", R::al), Dec("column", R::cx), Dec("row", R::dx)], &[]),
    row(0x10, 0x0D, &[Dec("column", R::cx), Dec("row", R::dx)], &[Hex8("colour", R::al)]),
    row(0x10, 0x0E, &[Char(R::al)], &[]),
    row(0x10, 0x0F, &[], &[Hex8("mode", R::al), Dec8("columns", R::ah), Dec8("page", R::bh)]),
    row(0x10, 0x13, &[Block(R::es, R::bp, R::cx), Hex8("attribute", R::bl), Dec8("row", R::dh), Dec8("column", R::dl)], &[]),
    row(0x15, 0x86, &[Long("microseconds", R::cx, R::dx)], &[]),
    row(0x16, 0x00, &[], &[Key]),
    row(0x16, 0x01, &[], &[KeyIfAny]),
    row(0x16, 0x02, &[], &[Hex8("flags", R::al)]),
    row(0x16, 0x10, &[], &[Key]),
    row(0x16, 0x11, &[], &[KeyIfAny]),
    row(0x16, 0x12, &[], &[Hex("flags", R::ax)]),
    row(0x1A, 0x00, &[], &[Long("ticks", R::cx, R::dx)]),
    row(0x1A, 0x01, &[Long("ticks", R::cx, R::dx)], &[]),
    row(0x1A, 0x02, &[], &[Hex8("hour", R::ch), Hex8("minute", R::cl), Hex8("second", R::dh)]),
    row(0x1A, 0x04, &[], &[Hex("year", R::cx), Hex8("month", R::dh), Hex8("day", R::dl)]),
    row(0x21, 0x01, &[], &[Char(R::al)]),
    row(0x21, 0x02, &[Char(R::dl)], &[]),
    row(0x21, 0x05, &[Char(R::dl)], &[]),
    row(0x21, 0x06, &[Char(R::dl)], &[Char(R::al)]),
    row(0x21, 0x07, &[], &[Char(R::al)]),
    row(0x21, 0x08, &[], &[Char(R::al)]),
    row(0x21, 0x09, &[Dollar(R::ds, R::dx)], &[]),
    row(0x21, 0x0A, &[Far("buffer", R::ds, R::dx)], &[Line(R::ds, R::dx)]),
    row(0x21, 0x0B, &[], &[Hex8("status", R::al)]),
    row(0x21, 0x0C, &[Hex8("function", R::al)], &[Char(R::al)]),
    row(0x21, 0x0E, &[Drive0(R::dl)], &[Dec8("drives", R::al)]),
    row(0x21, 0x0F, &[Fcb(R::ds, R::dx)], &[Hex8("status", R::al)]),
    row(0x21, 0x10, &[Fcb(R::ds, R::dx)], &[Hex8("status", R::al)]),
    row(0x21, 0x11, &[Fcb(R::ds, R::dx)], &[Hex8("status", R::al)]),
    row(0x21, 0x12, &[Fcb(R::ds, R::dx)], &[Hex8("status", R::al)]),
    row(0x21, 0x13, &[Fcb(R::ds, R::dx)], &[Hex8("status", R::al)]),
    row(0x21, 0x14, &[Fcb(R::ds, R::dx)], &[Hex8("status", R::al)]),
    row(0x21, 0x15, &[Fcb(R::ds, R::dx)], &[Hex8("status", R::al)]),
    row(0x21, 0x16, &[Fcb(R::ds, R::dx)], &[Hex8("status", R::al)]),
    row(0x21, 0x19, &[], &[Drive0(R::al)]),
    row(0x21, 0x1A, &[Far("at", R::ds, R::dx)], &[]),
    row(0x21, 0x25, &[Hex8("vector", R::al), Far("to", R::ds, R::dx)], &[]),
    row(0x21, 0x2A, &[], &DATE),
    row(0x21, 0x2B, &[Dec("year", R::cx), Dec8("month", R::dh), Dec8("day", R::dl)], &[Hex8("status", R::al)]),
    row(0x21, 0x2C, &[], &CLOCK),
    row(0x21, 0x2D, &CLOCK, &[Hex8("status", R::al)]),
    row(0x21, 0x2F, &[], &[Far("at", R::es, R::bx)]),
    row(0x21, 0x30, &[], &[Dec8("major", R::al), Dec8("minor", R::ah)]),
    row(0x21, 0x31, &[CODE, Dec("paragraphs", R::dx)], &[]),
    row(0x21, 0x35, &[Hex8("vector", R::al)], &[Far("at", R::es, R::bx)]),
    row(0x21, 0x36, &[Drive1(R::dl)], &[Dec("free clusters", R::bx), Dec("clusters", R::dx)]),
    row(0x21, 0x39, &[NAME], &[]),
    row(0x21, 0x3A, &[NAME], &[]),
    row(0x21, 0x3B, &[NAME], &[]),
    row(0x21, 0x3C, &[NAME, Hex("attributes", R::cx)], &[NEW_HANDLE]),
    row(0x21, 0x3D, &[NAME, Access], &[NEW_HANDLE]),
    row(0x21, 0x3E, &[HANDLE], &[]),
    row(0x21, 0x3F, &[HANDLE, Dec("at most", R::cx)], &[BYTES, Block(R::ds, R::dx, R::ax)]),
    row(0x21, 0x40, &[HANDLE, Block(R::ds, R::dx, R::cx), Dec("bytes", R::cx)], &[BYTES]),
    row(0x21, 0x41, &[NAME], &[]),
    row(0x21, 0x42, &[HANDLE, Long("by", R::cx, R::dx), Whence], &[Long("at", R::dx, R::ax)]),
    sub(0x21, 0x4300, &[NAME], &[Hex("attributes", R::cx)]),
    row(0x21, 0x43, &[NAME, Hex("attributes", R::cx)], &[]),
    row(0x21, 0x44, &[HANDLE], &[Hex("information", R::dx)]),
    row(0x21, 0x45, &[HANDLE], &[NEW_HANDLE]),
    row(0x21, 0x46, &[HANDLE, Dec("as", R::cx)], &[]),
    row(0x21, 0x47, &[Drive1(R::dl)], &[Zero(R::ds, R::si)]),
    row(0x21, 0x48, &[Dec("paragraphs", R::bx)], &[Hex("segment", R::ax)]),
    row(0x21, 0x49, &[Hex("segment", R::es)], &[]),
    row(0x21, 0x4A, &[Hex("segment", R::es), Dec("paragraphs", R::bx)], &[]),
    row(0x21, 0x4B, &[NAME], &[]),
    // The name of the function already describes the number.
    row(0x21, 0x4C, &[Dec8("", R::al)], &[]),
    row(0x21, 0x4D, &[], &[CODE, Dec8("how", R::ah)]),
    row(0x21, 0x4E, &[NAME, Hex("attributes", R::cx)], &[Found]),
    row(0x21, 0x4F, &[], &[Found]),
    row(0x21, 0x50, &[Hex("PSP", R::bx)], &[]),
    row(0x21, 0x51, &[], &[Hex("PSP", R::bx)]),
    row(0x21, 0x56, &[NAME, Zero(R::es, R::di)], &[]),
    sub(0x21, 0x5700, &[HANDLE], &[Hex("time", R::cx), Hex("date", R::dx)]),
    row(0x21, 0x57, &[HANDLE, Hex("time", R::cx), Hex("date", R::dx)], &[]),
    row(0x21, 0x59, &[], &[Dec("error", R::ax)]),
    row(0x21, 0x5A, &[NAME, Hex("attributes", R::cx)], &[NEW_HANDLE, NAME]),
    row(0x21, 0x5B, &[NAME, Hex("attributes", R::cx)], &[NEW_HANDLE]),
    row(0x21, 0x62, &[], &[Hex("PSP", R::bx)]),
    row(0x21, 0x67, &[Dec("handles", R::bx)], &[]),
    row(0x21, 0x68, &[HANDLE], &[]),
    row(0x21, 0x6C, &[Zero(R::ds, R::si), Hex("mode", R::bx), Hex("attributes", R::cx)], &[NEW_HANDLE]),
];

const MOST_SHOWN: usize = 60;

impl Item {
    pub(super) fn text(self, registers: &Registers, hw: &Hardware) -> String {
        let bytes = |segment: u16, offset: u16| {
            (0..=u16::MAX).map(move |n| hw.memory.read8(linear(segment, offset.wrapping_add(n))))
        };
        let until = |end: u8, segment: u16, offset: u16| {
            quoted(bytes(segment, offset).take_while(move |&byte| byte != end))
        };
        let drive = |number: u8| format!("{}:", char::from(b'A'.wrapping_add(number)));
        match self {
            Hex8(name, get) => format!("{name} {:02X}h", get(registers)),
            Hex(name, get) => format!("{name} {:04X}h", get(registers)),
            Dec8(name, get) => format!("{name} {}", get(registers)).trim_start().to_owned(),
            Dec(name, get) => format!("{name} {}", get(registers)),
            Long(name, high, low) => {
                format!("{name} {}", u32::from(high(registers)) << 16 | u32::from(low(registers)))
            }
            Char(get) => quoted(std::iter::once(get(registers))).replace('"', "'"),
            Far(name, segment, offset) => {
                format!("{name} {:04X}:{:04X}", segment(registers), offset(registers))
            }
            Zero(segment, offset) => until(0, segment(registers), offset(registers)),
            Dollar(segment, offset) => until(b'$', segment(registers), offset(registers)),
            Block(segment, offset, length) => {
                let length = usize::from(length(registers));
                quoted(bytes(segment(registers), offset(registers)).take(length))
            }
            Line(segment, offset) => {
                let (segment, offset) = (segment(registers), offset(registers));
                let length = hw.memory.read8(linear(segment, offset.wrapping_add(1)));
                quoted(bytes(segment, offset.wrapping_add(2)).take(usize::from(length)))
            }
            Fcb(segment, offset) => {
                let name: Vec<u8> =
                    bytes(segment(registers), offset(registers).wrapping_add(1)).take(11).collect();
                let part = |bytes: &[u8]| {
                    bytes.iter().map(|&byte| cp437::glyph(byte)).collect::<String>().trim_end().to_owned()
                };
                format!("\"{}.{}\"", part(&name[..8]), part(&name[8..]))
            }
            Found => {
                let dta = oxbox_machine::dos::transfer_area(hw);
                quoted(bytes(dta.0, dta.1.wrapping_add(0x1E)).take_while(|&byte| byte != 0).take(13))
            }
            Access => match registers.al() & 3 {
                0 => "to read".to_owned(),
                1 => "to write".to_owned(),
                _ => "to read and write".to_owned(),
            },
            Drive1(get) if get(registers) == 0 => "current drive".to_owned(),
            Drive1(get) => drive(get(registers) - 1),
            Drive0(get) => drive(get(registers)),
            Whence => match registers.al() {
                0 => "from the start".to_owned(),
                1 => "from here".to_owned(),
                _ => "from the end".to_owned(),
            },
            Key => {
                let character = quoted(std::iter::once(registers.al())).replace('"', "'");
                format!("{character} scan code {:02X}h", registers.ah())
            }
            KeyIfAny if caller_flags(registers, hw) & Flags::ZF != 0 => "none".to_owned(),
            KeyIfAny => Key.text(registers, hw),
        }
    }
}

/// Returns the FLAGS that the caller receives.
pub(super) fn caller_flags(registers: &Registers, hw: &Hardware) -> u32 {
    u32::from(hw.memory.read16(linear(registers.ss(), registers.sp().wrapping_add(4))))
}

/// Quotes characters of code page 437, with control codes as `\r`, `\n` and `\x1B`.
fn quoted(bytes: impl Iterator<Item = u8>) -> String {
    let mut text = String::from("\"");
    for (count, byte) in bytes.enumerate() {
        if count == MOST_SHOWN {
            return text + "\"...";
        }
        match byte {
            b'\r' => text.push_str("\\r"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            0x00..=0x1F => text.push_str(&format!("\\x{byte:02X}")),
            _ => text.push(cp437::glyph(byte)),
        }
    }
    text + "\""
}
