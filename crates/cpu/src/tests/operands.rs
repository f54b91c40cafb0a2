//! Compares each kind of translated computation with the interpreter, operand by operand.
//!
//! Byte forms: all operands with all status flags; a dividend in AX above FFh with none. Word and
//! doubleword forms: all pairs of boundary values with all status flags, and random pairs with a
//! fixed seed. Registers, flags, the memory operand and the cycle must be equal. `cargo test` runs a
//! sample, `.ci/release operands` all of it.

use super::one_instruction::{Both, Inputs, OPERAND};
use crate::registers::Reg;
use crate::{Flags, Model};
use std::time::Instant;

const STATUS: [u32; 6] = [Flags::CF, Flags::PF, Flags::AF, Flags::ZF, Flags::SF, Flags::OF];

const BYTES: [u32; 12] = [0, 1, 2, 7, 8, 9, 0x0F, 0x10, 0x7F, 0x80, 0x81, 0xFF];
const WIDE: [u32; 17] = [
    0,
    1,
    2,
    0x0F,
    0x1F,
    0x7F,
    0x80,
    0xFF,
    0x100,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x1_0000,
    0x7FFF_FFFF,
    0x8000_0000,
    0x8000_0001,
    0xFFFF_FFFF,
];
/// The number of random pairs of a word or doubleword form, with one value of the flags each.
const RANDOM: usize = 20_000;

/// The operands of a group of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// AL.
    Byte,
    /// AL and CL.
    Bytes,
    /// AX and CL.
    Dividend,
    /// EAX and ECX, or parts of them.
    Wide,
}

/// A group of instructions. The operand in memory equals EAX.
struct Group {
    name: String,
    operands: Operands,
    codes: Vec<Vec<u8>>,
    model: Model,
}

fn group(name: &str, operands: Operands, codes: impl IntoIterator<Item = Vec<u8>>) -> Group {
    Group { name: name.to_owned(), operands, codes: codes.into_iter().collect(), model: Model::I386 }
}

/// The operands of an instruction of this size: two, or one.
fn two(size: u32) -> Operands {
    if size == 1 { Operands::Bytes } else { Operands::Wide }
}

fn one(size: u32) -> Operands {
    if size == 1 { Operands::Byte } else { Operands::Wide }
}

/// Returns the code with an operand-size prefix if `size` is 4.
fn sized(size: u32, code: &[u8]) -> Vec<u8> {
    if size == 4 { [&[0x66], code].concat() } else { code.to_vec() }
}

/// The forms with AL, AX or EAX, and with memory at DS:200h.
fn operand_forms(size: u32, opcode: &[u8], digit: u8) -> [Vec<u8>; 2] {
    let [low, high] = OPERAND.to_le_bytes();
    let memory = [opcode, &[digit << 3 | 0x06, low, high]].concat();
    [sized(size, &[opcode, &[0xC0 | digit << 3]].concat()), sized(size, &memory)]
}

/// ADD, OR, ADC, SBB, AND, SUB, XOR, CMP and TEST, in both directions and with immediates.
fn arithmetic(size: u32) -> Vec<Group> {
    let wide = u8::from(size > 1);
    let immediates: Vec<Vec<u8>> = match size {
        1 => (0..=0xFF).map(|byte| vec![byte]).collect(),
        2 => WIDE.map(|value| (value as u16).to_le_bytes().to_vec()).to_vec(),
        _ => WIDE.map(|value| value.to_le_bytes().to_vec()).to_vec(),
    };
    let with_immediates = |opcode: &[u8]| -> Vec<Vec<u8>> {
        immediates.iter().map(|immediate| sized(size, &[opcode, immediate].concat())).collect()
    };
    let mut groups = Vec::new();
    for (number, name) in (0..8).zip(["ADD", "OR", "ADC", "SBB", "AND", "SUB", "XOR", "CMP"]) {
        let to_operand = operand_forms(size, &[number << 3 | wide], Reg::C as u8);
        let [low, high] = OPERAND.to_le_bytes();
        let opcode = number << 3 | 2 | wide;
        let to_register = [sized(size, &[opcode, 0xC1]), sized(size, &[opcode, 0x06, low, high])];
        groups.push(group(name, two(size), to_operand.into_iter().chain(to_register)));
        let codes = with_immediates(&[0x80 | wide, 0xC0 | number << 3]);
        groups.push(group(&format!("{name} immediate"), one(size), codes));
    }
    groups.push(group("TEST", two(size), operand_forms(size, &[0x84 | wide], Reg::C as u8)));
    groups.push(group("TEST immediate", one(size), with_immediates(&[0xA8 | wide])));
    groups
}

/// NOT, NEG, INC and DEC, MUL, IMUL, DIV and IDIV, MOV and XCHG.
fn others(size: u32) -> Vec<Group> {
    let wide = u8::from(size > 1);
    let form =
        |name, operands, opcode, digit| group(name, operands, operand_forms(size, &[opcode | wide], digit));
    // With the other operand in CL, CX or ECX.
    let by_c =
        |name, operands, digit: u8| group(name, operands, [sized(size, &[0xF6 | wide, 0xC1 | digit << 3])]);
    let dividend = if size == 1 { Operands::Dividend } else { Operands::Wide };
    vec![
        form("NOT", one(size), 0xF6, 2),
        form("NEG", one(size), 0xF6, 3),
        form("INC", one(size), 0xFE, 0),
        form("DEC", one(size), 0xFE, 1),
        form("MOV", two(size), 0x88, Reg::C as u8),
        form("XCHG", two(size), 0x86, Reg::C as u8),
        by_c("MUL", two(size), 4),
        by_c("IMUL", two(size), 5),
        by_c("DIV", dividend, 6),
        by_c("IDIV", dividend, 7),
    ]
}

/// ROL, ROR, RCL, RCR, SHL, SHR and SAR by one, by an immediate and by CL, of a register and of memory.
fn shifts(size: u32) -> Vec<Group> {
    let wide = u8::from(size > 1);
    let names = [(0, "ROL"), (1, "ROR"), (2, "RCL"), (3, "RCR"), (4, "SHL"), (5, "SHR"), (7, "SAR")];
    let groups = names.map(|(digit, name)| {
        let by_immediate = (1..=31).map(|bits| sized(size, &[0xC0 | wide, 0xC0 | digit << 3, bits]));
        let by_number = operand_forms(size, &[0xD0 | wide], digit).into_iter().chain(by_immediate);
        let by_cl = operand_forms(size, &[0xD2 | wide], digit);
        [group(name, one(size), by_number), group(&format!("{name} by CL"), two(size), by_cl)]
    });
    groups.into_iter().flatten().collect()
}

/// SHLD and SHRD by an immediate, and with an addition that overwrites their flags, of doublewords then also by CL.
/// Those of words by more than 16 bits are undefined on the host, and left to their handler.
fn double_shifts(size: u32) -> Vec<Vec<u8>> {
    const ADD: [u8; 3] = [0x83, 0xC0, 0x01];
    let most = if size == 2 { 16 } else { 31 };
    let by_immediate = [0xA4, 0xAC]
        .into_iter()
        .flat_map(|opcode| (1..=most).map(move |bits| sized(size, &[0x0F, opcode, 0xC8, bits])));
    let by_cl =
        [0xA5, 0xAD].into_iter().filter(|_| size == 4).map(|opcode| sized(size, &[0x0F, opcode, 0xC8]));
    let all = by_immediate.clone().chain(by_cl);
    all.map(|code| [code, sized(size, &ADD)].concat()).chain(by_immediate).collect()
}

/// Instructions on flags, extensions, conditions and bits.
fn single() -> Vec<Group> {
    let bytes = |codes: &[u8]| codes.iter().map(|&code| vec![code]).collect::<Vec<_>>();
    let conditions = |code: fn(u8) -> Vec<u8>| (0..16).map(code);
    let both_sizes = |codes: Vec<Vec<u8>>| {
        let wide: Vec<_> = codes.iter().map(|code| sized(4, code)).collect();
        [codes, wide].concat()
    };
    let extended =
        |opcodes: &[u8]| both_sizes(opcodes.iter().map(|&opcode| vec![0x0F, opcode, 0xC1]).collect());
    let bit_tests = [4, 5, 6, 7].map(|digit| vec![0x0F, 0x83 | digit << 3, 0xC8]).to_vec();
    let rows = [
        ("LAHF, SAHF", bytes(&[0x9F, 0x9E])),
        ("CMC, CLC, STC, CLD, STD", bytes(&[0xF5, 0xF8, 0xF9, 0xFC, 0xFD])),
        ("PUSHF and POP; PUSH and POPF", vec![vec![0x9C, 0x5A], vec![0x50, 0x9D]]),
        ("CBW, CWD, CWDE, CDQ", both_sizes(bytes(&[0x98, 0x99]))),
        ("MOVZX, MOVSX", extended(&[0xB6, 0xB7, 0xBE, 0xBF])),
        ("Jcc", conditions(|condition| vec![0x70 | condition, 1, 0x43]).collect()),
        ("SETcc", conditions(|condition| vec![0x0F, 0x90 | condition, 0xC0]).collect()),
        ("LOOP, LOOPE, LOOPNE, JCXZ", [0xE2, 0xE1, 0xE0, 0xE3].map(|code| vec![code, 1, 0x43]).to_vec()),
        ("BT, BTS, BTR, BTC", both_sizes(bit_tests)),
        ("BSF, BSR", extended(&[0xBC, 0xBD])),
        ("SHLD, SHRD", [double_shifts(2), double_shifts(4)].concat()),
        ("IMUL of two registers", extended(&[0xAF])),
    ];
    let [low, high] = OPERAND.to_le_bytes();
    let moves = conditions(|condition| vec![0x0F, 0x40 | condition, 0xC1])
        .chain((0..16).map(|condition| vec![0x0F, 0x40 | condition, 0x06, low, high]));
    let newer = [("CMOVcc", both_sizes(moves.collect())), ("BSWAP", vec![sized(4, &[0x0F, 0xC8])])];
    let rows = rows.into_iter().map(|(name, codes)| group(name, Operands::Wide, codes));
    let newer = newer.map(|(name, codes)| Group { model: Model::I586, ..group(name, Operands::Wide, codes) });
    rows.chain(newer).collect()
}

fn groups() -> Vec<Group> {
    let mut groups = Vec::new();
    for (size, suffix) in [(1, "byte"), (2, "word"), (4, "doubleword")] {
        let of_size = [arithmetic(size), others(size), shifts(size)].into_iter().flatten();
        groups.extend(of_size.map(|group| Group { name: format!("{} {suffix}", group.name), ..group }));
    }
    groups.extend(single());
    groups
}

/// Returns all combinations of the status flags; the others are those after power-on.
fn all_flags() -> Vec<u32> {
    let combination = |bits: u32| STATUS.iter().enumerate().filter(move |(bit, _)| bits >> bit & 1 != 0);
    (0..64).map(|bits| combination(bits).fold(0x02, |flags, (_, flag)| flags | flag)).collect()
}

/// A linear congruential generator (Knuth, MMIX) with a fixed seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
}

/// Calls `visit` with values of EAX, ECX and FLAGS.
fn for_each(operands: Operands, is_whole: bool, mut visit: impl FnMut([u32; 3])) {
    let flags = if is_whole { all_flags() } else { vec![0x02, 0x8D7, 0x03] };
    let bytes: Vec<u32> = if is_whole { (0..0x100).collect() } else { BYTES.to_vec() };
    let (first, second) = match operands {
        Operands::Byte => (&bytes[..], &[0x1234_5678][..]),
        Operands::Bytes | Operands::Dividend => (&bytes[..], &bytes[..]),
        Operands::Wide => (&WIDE[..], &WIDE[..]),
    };
    for &a in first {
        for &c in second {
            flags.iter().for_each(|&flags| visit([a, c, flags]));
        }
    }
    if operands == Operands::Dividend && is_whole {
        (0x100..0x1_0000).for_each(|a| (0..0x100).for_each(|c| visit([a, c, 0x02])));
    } else if operands == Operands::Wide {
        let (mut random, all) = (Random(1), all_flags());
        for number in 0..if is_whole { RANDOM } else { 50 } {
            visit([random.next(), random.next(), all[number % all.len()]]);
        }
    }
}

/// Compares one instruction for all operands. Returns their number.
fn agree(group: &Group, code: &[u8], is_whole: bool) -> u64 {
    let mut both = Both::new(group.model, code);
    let mut count = 0;
    for_each(group.operands, is_whole, |[a, c, flags]| {
        both.agree(&Inputs { a, c, d: 0x1234_5678, memory: a, flags });
        count += 1;
    });
    both.assert_translated();
    count
}

#[test]
fn computations_agree_for_a_sample_of_operands() {
    for group in groups() {
        for code in group.codes.iter().step_by(if group.codes.len() > 50 { 40 } else { 1 }) {
            agree(&group, code, false);
        }
    }
}

/// Prints the table of `docs/translated-operands.md`.
#[test]
#[ignore = "takes minutes: `.ci/release operands` runs it"]
fn computations_agree_for_all_operands() {
    for group in groups() {
        let begin = Instant::now();
        let count: u64 = group.codes.iter().map(|code| agree(&group, code, true)).sum();
        let seconds = begin.elapsed().as_secs_f64();
        println!("| {} | {} | {count} | {seconds:.1} |", group.name, group.codes.len());
    }
}
