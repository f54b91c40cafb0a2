//! `run --who ROW,COL`: finds the origin of a character on the screen, step by step, back to a key,
//! the program's data or a constant.
//!
//! Each step finds the last writer of the previous step's source. If an instruction has several
//! sources, the one that carries the value is followed: the memory that is read, or the register's
//! old value before an addition.

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use oxbox::cpu::Registers;
use oxbox::hardware::linear;
use oxbox::hardware::vga::cp437;
use oxbox::inspect::{RegisterPart, WriteTarget, disassemble, last_write};
use oxbox::machine::Service;

use super::debuggee::Debuggee;
use super::monitor;

const LONGEST: usize = 200;

/// The address of the text of page 0, and the width and height of the BIOS's screen.
const TEXT: u32 = 0xB_8000;

type Link = (String, Option<WriteTarget>);

/// Returns the chain of a character, a pixel, a colour, a register or a byte, one step per line.
/// Fails if it does not exist.
pub(crate) fn chain(debuggee: &mut Debuggee, what: &str) -> Result<Vec<String>, String> {
    let mut wanted = monitor::parse_written(debuggee, what)?;
    let mut lines = vec![headline(debuggee, wanted, what)];
    let mut repeats: Option<(String, u64)> = None;
    for _ in 0..LONGEST {
        let Some(writer) = last_write(&mut debuggee.timeline, wanted) else {
            lines.push(unwritten(debuggee, wanted));
            break;
        };
        let (cs, ip) = debuggee.place();
        let in_service = debuggee.registers().cs() != cs;
        let place = debuggee.describe(cs, ip);
        let (what, next) = match writer.interrupt {
            Some(vector) => (format!("interrupted by {vector:02X}h: FLAGS, CS and IP"), None),
            None if in_service => service(debuggee, wanted),
            None => instruction(debuggee, wanted),
        };
        let line = format!("  {place}  {what}");
        match repeats.as_mut().filter(|(last, _)| *last == line) {
            Some((_, times)) => {
                *times += 1;
                lines.pop();
                lines.push(format!("{line} ({times} times)"));
            }
            None => {
                lines.push(line.clone());
                repeats = Some((line, 1));
            }
        }
        match next {
            Some(next) => wanted = next,
            None => break,
        }
    }
    Ok(lines)
}

/// Describes the current value.
fn headline(debuggee: &mut Debuggee, wanted: WriteTarget, what: &str) -> String {
    match wanted {
        WriteTarget::Cell { row, column } => {
            let text = debuggee.timeline.machine().text();
            let character = text.map_or(0, |text| text.row(row)[column].0);
            format!("row {row}, column {column}: {} ({character:02X}h)", quoted(character))
        }
        WriteTarget::Pixel { x, y } => {
            let frame = debuggee.timeline.machine().frame();
            format!("pixel {x}, {y}: {:06X} (RRGGBB)", frame.pixels[y * frame.width + x])
        }
        WriteTarget::Byte(address) => {
            let value = debuggee.read(address, 1)[0];
            format!("{what}: {value:02X}h {}", quoted(value))
        }
        WriteTarget::Register(part) => format!("{what}: {:X}h", part.value(debuggee.registers())),
        WriteTarget::Colour(_) => what.to_owned(),
    }
}

fn quoted(character: u8) -> String {
    format!("'{}'", cp437::glyph(character))
}

/// Describes a value without a writer.
fn unwritten(debuggee: &mut Debuggee, wanted: WriteTarget) -> String {
    match wanted {
        WriteTarget::Byte(address) => {
            let value = debuggee.read(address, 1)[0];
            let place = debuggee.name_of(address).unwrap_or_else(|| format!("{address:05X}"));
            format!("  {place}  data of the program: {value:02X}h {}", quoted(value))
        }
        WriteTarget::Register(part) => {
            format!("  {} from the start of the program", part.name().to_uppercase())
        }
        _ => "  from the screen before the program".to_owned(),
    }
}

fn register(name: &str) -> Option<WriteTarget> {
    name.parse().ok().map(WriteTarget::Register)
}

/// Describes a service of BIOS or DOS that is about to be executed.
fn service(debuggee: &mut Debuggee, wanted: WriteTarget) -> Link {
    let pc = debuggee.pc();
    let registers = debuggee.registers().clone();
    let [0x0F, 0xFF, vector] = debuggee.read(pc, 3)[..] else {
        return ("the system's own code".to_owned(), None);
    };
    let name = Service::new(vector, registers.ax()).to_string();
    match wanted {
        WriteTarget::Cell { row, column } => shown(debuggee, vector, &registers, &name, row, column),
        WriteTarget::Register(_) if is_input(vector, registers.ah()) => {
            debuggee.timeline.step();
            let key = debuggee.registers().al();
            let ms = debuggee.timeline.machine().nanoseconds() / 1_000_000;
            (format!("{name}: the key {} ({key:02X}h), at {ms} ms", quoted(key)), None)
        }
        WriteTarget::Register(part) => {
            (format!("{name}: its result in {}", part.name().to_uppercase()), None)
        }
        _ => (name, None),
    }
}

fn is_input(vector: u8, ah: u8) -> bool {
    matches!((vector, ah), (0x16, 0x00 | 0x01 | 0x10 | 0x11) | (0x21, 0x01 | 0x06 | 0x07 | 0x08))
}

/// Describes the output of a printing service at a position of the screen.
fn shown(
    debuggee: &mut Debuggee,
    vector: u8,
    registers: &Registers,
    name: &str,
    row: usize,
    column: usize,
) -> Link {
    let ah = registers.ah();
    let (ds, dx) = (registers.ds(), registers.dx());
    let printed: Printed = match (vector, ah) {
        (0x21, 0x02 | 0x06) => Printed::Register("dl", registers.dl()),
        (0x29, _) => Printed::Register("al", registers.al()),
        (0x10, 0x0E | 0x09 | 0x0A) => Printed::Register("al", registers.al()),
        (0x21, 0x09) => {
            let mut bytes = debuggee.read(linear(ds, dx), 0x1000);
            bytes.truncate(bytes.iter().position(|byte| *byte == b'$').unwrap_or(bytes.len()));
            Printed::Memory(linear(ds, dx), bytes, 1)
        }
        (0x21, 0x40) => {
            let count = u32::from(registers.cx()).min(0x4000);
            Printed::Memory(linear(ds, dx), debuggee.read(linear(ds, dx), count), 1)
        }
        (0x10, 0x13) => {
            let at = linear(registers.es(), registers.bp());
            let step = if registers.al() & 2 == 0 { 1 } else { 2 };
            let bytes = debuggee.read(at, u32::from(registers.cx()).min(0x1000) * step);
            Printed::Memory(at, bytes.into_iter().step_by(step as usize).collect(), step)
        }
        (0x10, 0x06 | 0x07) => return scrolled(registers, name, row, column),
        _ => return (format!("{name} has changed the screen"), None),
    };
    let next = match (vector, ah) {
        (0x10, 0x09 | 0x0A) => Some(Origin::Printed(0)),
        _ => {
            let cursor = match (vector, ah) {
                (0x10, 0x13) => [registers.dl(), registers.dh()],
                _ => {
                    let at = debuggee.read(0x450, 2);
                    [at[0], at[1]]
                }
            };
            print(
                printed.bytes(),
                (usize::from(cursor[1]), usize::from(cursor[0])),
                vector == 0x21,
                (row, column),
            )
        }
    };
    match (next, printed) {
        (Some(Origin::Printed(_)), Printed::Register(name_of, _)) => {
            (format!("{name} prints {}", name_of.to_uppercase()), register(name_of))
        }
        (Some(Origin::Printed(index)), Printed::Memory(at, _, step)) => {
            let at = at + index as u32 * step;
            let place = debuggee.name_of(at).unwrap_or_else(|| format!("{at:05X}"));
            (format!("{name} prints from {place}"), Some(WriteTarget::Byte(at)))
        }
        (Some(Origin::Before(row, column)), _) => {
            (format!("{name} moves the screen up: from row {row}"), Some(WriteTarget::Cell { row, column }))
        }
        (None, _) => (format!("{name} clears it"), None),
    }
}

/// The source of printed text: a register, or memory with characters at a distance.
enum Printed {
    Register(&'static str, u8),
    Memory(u32, Vec<u8>, u32),
}

impl Printed {
    fn bytes(&self) -> &[u8] {
        match self {
            Printed::Register(_, byte) => std::slice::from_ref(byte),
            Printed::Memory(_, bytes, _) => bytes,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The character with this number.
    Printed(usize),
    /// The screen before, at this row and column.
    Before(usize, usize),
}

/// Prints on a screen of origins. Returns the origin at a position afterwards; `None`: blank.
fn print(
    bytes: &[u8],
    (mut row, mut column): (usize, usize),
    expands_tabs: bool,
    (at_row, at_column): (usize, usize),
) -> Option<Origin> {
    const ROWS: usize = 25;
    const COLUMNS: usize = 80;
    let before =
        |row: usize| (0..COLUMNS).map(|column| Some(Origin::Before(row, column))).collect::<Vec<_>>();
    let mut screen: Vec<Vec<Option<Origin>>> = (0..ROWS).map(before).collect();
    let mut put = |origin: Option<Origin>, row: &mut usize, column: &mut usize, moves: bool| {
        if !moves && let Some(cell) = screen.get_mut(*row).and_then(|line| line.get_mut(*column)) {
            *cell = origin;
        }
        if !moves {
            *column += 1;
            if *column >= COLUMNS {
                (*row, *column) = (*row + 1, 0);
            }
        }
        if *row >= ROWS {
            screen.remove(0);
            screen.push(vec![None; COLUMNS]);
            *row = ROWS - 1;
        }
    };
    for (index, &byte) in bytes.iter().enumerate() {
        match byte {
            0x07 => {}
            0x08 => column = column.saturating_sub(1),
            b'\r' => column = 0,
            b'\n' => {
                row += 1;
                put(None, &mut row, &mut column, true);
            }
            b'\t' if expands_tabs => {
                for _ in 0..8 - column % 8 {
                    put(None, &mut row, &mut column, false);
                }
            }
            _ => put(Some(Origin::Printed(index)), &mut row, &mut column, false),
        }
    }
    screen.get(at_row).and_then(|line| line.get(at_column)).copied().flatten()
}

/// INT 10h AH=06h and 07h.
fn scrolled(registers: &Registers, name: &str, row: usize, column: usize) -> Link {
    let (lines, top, bottom) =
        (usize::from(registers.al()), usize::from(registers.ch()), usize::from(registers.dh()));
    let from = if registers.ah() == 0x06 { row.checked_add(lines) } else { row.checked_sub(lines) };
    match from.filter(|from| lines > 0 && (top..=bottom).contains(from)) {
        Some(from) => (format!("{name}: from row {from}"), Some(WriteTarget::Cell { row: from, column })),
        None => (format!("{name} clears it"), None),
    }
}

fn instruction(debuggee: &mut Debuggee, wanted: WriteTarget) -> Link {
    let pc = debuggee.pc();
    let bytes = debuggee.read(pc, 15);
    let registers = debuggee.registers().clone();
    let ip = u64::from(registers.ip & 0xFFFF);
    let code = Decoder::with_ip(16, &bytes, ip, DecoderOptions::NONE).decode();
    let text = {
        let debuggee = &*debuggee;
        let names = |segment: u16, offset: u16| debuggee.name_at(linear(segment, offset));
        disassemble(&bytes, &registers, &names).text
    };
    let next = source(debuggee, &code, &registers, wanted);
    let note = match next {
        Some(WriteTarget::Byte(at)) => {
            let place = debuggee.name_of(at).unwrap_or_else(|| format!("{at:05X}"));
            format!(": from memory at {place}")
        }
        Some(WriteTarget::Register(part)) => format!(": from {}", part.name().to_uppercase()),
        _ => String::new(),
    };
    (format!("{text}{note}"), next)
}

/// Returns the linear address of the object, also of a character on page 0.
fn address_of(debuggee: &mut Debuggee, wanted: WriteTarget) -> Option<u32> {
    match wanted {
        WriteTarget::Byte(address) => Some(address),
        WriteTarget::Cell { row, column } => {
            let start = debuggee.read(0x44E, 2);
            let columns = debuggee.timeline.machine().text()?.columns;
            let start = u32::from(u16::from_le_bytes([start[0], start[1]]));
            Some(TEXT + start + (row * columns + column) as u32 * 2)
        }
        _ => None,
    }
}

/// Returns the offset of the requested byte in the destination.
fn delta(debuggee: &mut Debuggee, wanted: WriteTarget, destination: u32) -> u32 {
    match wanted {
        WriteTarget::Register(part) if part.name().ends_with('h') => 1,
        _ => address_of(debuggee, wanted).map_or(0, |at| at.wrapping_sub(destination)),
    }
}

fn source(
    debuggee: &mut Debuggee,
    code: &Instruction,
    registers: &Registers,
    wanted: WriteTarget,
) -> Option<WriteTarget> {
    let value = |register: Register| value_of(register, registers);
    let si = linear(value(code.memory_segment()) as u16, registers.si());
    let di = linear(registers.es(), registers.di());
    let operand = |index: u32, delta: u32| match code.op_kind(index) {
        OpKind::Register => part_of(code.op_register(index), delta),
        OpKind::Memory => Some(WriteTarget::Byte(memory(code, registers) + delta)),
        _ => None,
    };
    match code.mnemonic() {
        // It is unknown which iteration wrote the pixel.
        Mnemonic::Movsb | Mnemonic::Movsw | Mnemonic::Movsd
            if matches!(wanted, WriteTarget::Pixel { .. }) =>
        {
            None
        }
        Mnemonic::Movsb | Mnemonic::Movsw | Mnemonic::Movsd => {
            let segment = code.segment_prefix();
            let segment = if segment == Register::None { Register::DS } else { segment };
            let from = linear(value(segment) as u16, registers.si());
            Some(WriteTarget::Byte(from.wrapping_add(delta(debuggee, wanted, di))))
        }
        Mnemonic::Lodsb | Mnemonic::Lodsw => Some(WriteTarget::Byte(si + delta(debuggee, wanted, si))),
        Mnemonic::Stosb => register("al"),
        Mnemonic::Stosw => part_of(Register::AX, delta(debuggee, wanted, di) % 2),
        Mnemonic::Xlatb => {
            let offset = registers.bx().wrapping_add(u16::from(registers.al()));
            Some(WriteTarget::Byte(linear(value(code.memory_segment()) as u16, offset)))
        }
        Mnemonic::Push => {
            let to = linear(registers.ss(), registers.sp().wrapping_sub(2));
            let behind = delta(debuggee, wanted, to);
            operand(0, behind)
        }
        Mnemonic::Pop => {
            let behind = delta(debuggee, wanted, 0) & 1;
            Some(WriteTarget::Byte(linear(registers.ss(), registers.sp()) + behind))
        }
        Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movsx | Mnemonic::Xchg => {
            let first = matches!(wanted, WriteTarget::Register(part) if code.op_kind(0) == OpKind::Register
                && !same(code.op0_register(), part));
            let (to, from) = if first && code.mnemonic() == Mnemonic::Xchg { (1, 0) } else { (0, 1) };
            let destination = if code.op_kind(to) == OpKind::Memory { memory(code, registers) } else { 0 };
            let behind = match wanted {
                WriteTarget::Register(_) => delta(debuggee, wanted, 0),
                _ => delta(debuggee, wanted, destination),
            };
            operand(from, behind)
        }
        Mnemonic::Xor | Mnemonic::Sub
            if code.op_kind(1) == OpKind::Register && code.op0_register() == code.op1_register() =>
        {
            None
        }
        Mnemonic::In | Mnemonic::Lea | Mnemonic::Call | Mnemonic::Int => None,
        Mnemonic::Cbw | Mnemonic::Aam | Mnemonic::Aad | Mnemonic::Daa | Mnemonic::Aaa => register("al"),
        Mnemonic::Div | Mnemonic::Idiv | Mnemonic::Mul => register("al"),
        _ => match code.op_kind(0) {
            // The old value, changed.
            OpKind::Register => part_of(code.op0_register(), delta(debuggee, wanted, 0) & 1),
            OpKind::Memory => address_of(debuggee, wanted).map(WriteTarget::Byte).or(operand(0, 0)),
            _ => None,
        },
    }
}

/// Returns the linear address of the memory operand.
fn memory(code: &Instruction, registers: &Registers) -> u32 {
    let offset = value_of(code.memory_base(), registers)
        .wrapping_add(value_of(code.memory_index(), registers).wrapping_mul(code.memory_index_scale()))
        .wrapping_add(code.memory_displacement32());
    linear(value_of(code.memory_segment(), registers) as u16, offset as u16)
}

fn value_of(register: Register, registers: &Registers) -> u32 {
    named(register).map_or(0, |part| part.value(registers))
}

fn named(register: Register) -> Option<RegisterPart> {
    format!("{register:?}").parse().ok()
}

/// Returns the low or the high byte of a register, if it has them.
fn part_of(register: Register, behind: u32) -> Option<WriteTarget> {
    let part = match (register.full_register32(), register.size(), behind) {
        (_, 1, _) => register,
        (Register::EAX, _, 0) => Register::AL,
        (Register::EAX, _, 1) => Register::AH,
        (Register::EBX, _, 0) => Register::BL,
        (Register::EBX, _, 1) => Register::BH,
        (Register::ECX, _, 0) => Register::CL,
        (Register::ECX, _, 1) => Register::CH,
        (Register::EDX, _, 0) => Register::DL,
        (Register::EDX, _, 1) => Register::DH,
        _ => register,
    };
    named(part).map(WriteTarget::Register)
}

fn same(register: Register, part: RegisterPart) -> bool {
    let whole = |register: Register| register.full_register32();
    let find = Register::values().find(|register| format!("{register:?}").eq_ignore_ascii_case(part.name()));
    find.is_some_and(|found| whole(found) == whole(register))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_moves_what_was_there() {
        let rows: [(&[u8], (usize, usize), (usize, usize), Option<Origin>); 7] = [
            (b"abc", (3, 10), (3, 11), Some(Origin::Printed(1))),
            (b"abc", (3, 10), (3, 13), Some(Origin::Before(3, 13))),
            (b"a\r\nb", (3, 10), (4, 0), Some(Origin::Printed(3))),
            (b"a\r\nb", (24, 10), (23, 10), Some(Origin::Printed(0))),
            (b"\n", (24, 0), (10, 5), Some(Origin::Before(11, 5))),
            (b"\n", (24, 0), (24, 5), None),
            (b"\tx", (0, 3), (0, 8), Some(Origin::Printed(1))),
        ];
        for (bytes, cursor, at, expected) in rows {
            assert_eq!(print(bytes, cursor, true, at), expected, "{bytes:?} at {cursor:?}, looked at {at:?}");
        }
    }
}
