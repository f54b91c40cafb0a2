//! Compares the coprocessor with the host's x87 bit for bit: load a state, execute one instruction,
//! save the state.
//!
//! This requires inline assembly. Each block restores a state from memory, executes one instruction
//! that touches nothing else, and saves the state with FNSAVE, which leaves the host's coprocessor
//! as after FNINIT. FNSAVE does not wait, so an unmasked exception appears in the state and is
//! never delivered.
#![allow(unsafe_code)]

use std::arch::asm;
use std::fmt::Write;

use super::super::Fpu;
use super::super::environment::Environment;
use super::super::extended::Extended;
use super::super::memory::{Memory, Transfer};
use super::super::model::Model;
use super::samples::{Random, SPECIAL};

/// A state in the 32-bit format of FSAVE.
type Image = [u8; 108];

/// Executes a host instruction on a state and a memory operand.
type Instruction = fn(&mut Image, &mut Image);

fn execute<const FIRST: u8, const SECOND: u8>(state: &mut Image, memory: &mut Image) {
    // SAFETY: memory operands are addressed through RAX, which points to more bytes than the
    // longest operand has; the state is as long as FRSTOR and FNSAVE require; all coprocessor
    // registers are declared as clobbered.
    unsafe {
        asm!(
            "frstor [{state}]",
            ".byte {first}, {second}",
            "fnsave [{state}]",
            first = const FIRST,
            second = const SECOND,
            state = in(reg) state.as_mut_ptr(),
            inout("rax") memory.as_mut_ptr() => _,
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
        );
    }
}

macro_rules! rows {
    ($list:tt) => {
        [row!(0xD8 $list), row!(0xD9 $list), row!(0xDA $list), row!(0xDB $list),
         row!(0xDC $list), row!(0xDD $list), row!(0xDE $list), row!(0xDF $list)]
    };
}

macro_rules! row {
    ($first:literal [$($second:literal)*]) => { [$(execute::<$first, $second> as Instruction),*] };
}

/// Register instructions by the first byte, then by the second one from C0h on.
const REGISTER: [[Instruction; 64]; 8] = rows!([
    0xC0 0xC1 0xC2 0xC3 0xC4 0xC5 0xC6 0xC7 0xC8 0xC9 0xCA 0xCB 0xCC 0xCD 0xCE 0xCF
    0xD0 0xD1 0xD2 0xD3 0xD4 0xD5 0xD6 0xD7 0xD8 0xD9 0xDA 0xDB 0xDC 0xDD 0xDE 0xDF
    0xE0 0xE1 0xE2 0xE3 0xE4 0xE5 0xE6 0xE7 0xE8 0xE9 0xEA 0xEB 0xEC 0xED 0xEE 0xEF
    0xF0 0xF1 0xF2 0xF3 0xF4 0xF5 0xF6 0xF7 0xF8 0xF9 0xFA 0xFB 0xFC 0xFD 0xFE 0xFF
]);

/// Memory instructions by the first byte, then by the middle field of the second one.
const MEMORY: [[Instruction; 8]; 8] = rows!([0x00 0x08 0x10 0x18 0x20 0x28 0x30 0x38]);

type Opcode = (u8, u8);

/// Returns the exact register instructions that both the 80387 and the host have.
fn registers() -> Vec<Opcode> {
    let all = (0xD8..=0xDF).flat_map(|first| (0xC0..=0xFF).map(move |second| (first, second)));
    all.filter(|opcode| match opcode {
        (0xD9, 0xD1..=0xD7 | 0xE2 | 0xE3 | 0xE6 | 0xE7 | 0xEF) => false,
        // Transcendental functions.
        (0xD9, 0xF0..=0xF3 | 0xF9 | 0xFB | 0xFE | 0xFF) => false,
        // FCMOV and FCOMI are newer.
        (0xDA, second) => *second == 0xE9,
        (0xDB, second) => matches!(second, 0xE0..=0xE4),
        (0xDD, 0xF0..=0xFF) => false,
        (0xDE, 0xD8..=0xDF) => opcode.1 == 0xD9,
        (0xDF, 0xE1..=0xFF) => false,
        _ => true,
    })
    .collect()
}

/// Returns the memory instructions that both have. FISTTP is newer.
fn memories() -> Vec<Opcode> {
    let all = (0xD8..=0xDFu8).flat_map(|first| (0..8u8).map(move |row| (first, row << 3)));
    all.filter(|opcode| {
        !matches!(opcode, (0xD9 | 0xDB | 0xDD | 0xDF, 0x08) | (0xDB, 0x20 | 0x30) | (0xDD, 0x28))
    })
    .collect()
}

/// Creates a state with these values from ST(0) on.
fn image(control: u16, status: u16, tags: u16, values: [Extended; 8]) -> Image {
    let mut image = [0; 108];
    for (at, word) in [(0, control), (4, status), (8, tags)] {
        image[at..at + 2].copy_from_slice(&word.to_le_bytes());
        image[at + 2..at + 4].fill(0xFF);
    }
    for (bytes, value) in image[28..].chunks_exact_mut(10).zip(values) {
        bytes.copy_from_slice(&value.to_bytes());
    }
    image
}

/// Creates a state in which few registers are empty, and exception flags are set only if masked.
fn random_image(random: &mut Random) -> Image {
    let control = random.control();
    let flags = (random.next() & random.next()) as u16 & control & 0x3F;
    let status = flags | (random.next() as u16 & 0x7F00);
    let tags = match random.below(8) {
        0 => random.next() as u16,
        1 => (random.next() & random.next() & random.next()) as u16,
        2 | 3 => 0x0000,
        // One free register above ST(0).
        _ => {
            let above = ((status >> 11).wrapping_sub(1) & 7) * 2;
            3 << above
        }
    };
    let mut values = [Extended::ZERO; 8];
    for value in &mut values {
        *value = random.value();
    }
    if random.below(4) == 0 {
        values[1].head = values[0].head ^ (random.next() & 0x8003) as u16;
    }
    image(control, status, tags, values)
}

/// Creates a memory operand: the bytes of a value in one of the formats.
fn random_memory(random: &mut Random, opcode: Opcode) -> Image {
    let mut memory = [0; 108];
    let value = random.value();
    let narrow = |bits: u32, bias: u64, random: &mut Random| {
        let fraction = value.significand << 1 >> (64 - bits);
        let exponent = match random.below(8) {
            0 => 0,
            1 => 2 * bias + 1,
            2 => random.below(2 * bias + 2),
            _ => bias - 8 + random.below(16),
        };
        let fraction = if random.below(4) == 0 { fraction & random.next() & random.next() } else { fraction };
        random.below(2) << (if bits == 23 { 31 } else { 63 }) | exponent << bits | fraction
    };
    match opcode {
        (0xD9, 0x20..) | (0xDD, 0x20..) => {
            memory = random_image(random);
            // FLDENV and FRSTOR would set exceptions pending.
            return memory;
        }
        (0xD8 | 0xD9, _) => memory[..8].copy_from_slice(&narrow(23, 127, random).to_le_bytes()),
        (0xDC | 0xDD, _) => memory[..8].copy_from_slice(&narrow(52, 1023, random).to_le_bytes()),
        (0xDB, 0x28) => memory[..10].copy_from_slice(&value.to_bytes()),
        (0xDF, 0x20) => {
            for byte in &mut memory[..9] {
                *byte = (random.below(10) << 4 | random.below(10)) as u8;
            }
            memory[9] = random.next() as u8;
        }
        _ => memory[..8].copy_from_slice(&(random.next() as i64 >> random.below(64)).to_le_bytes()),
    }
    memory
}

fn emulate(opcode: Opcode, state: &mut Image, memory: &mut Image) {
    let mut fpu = Fpu::new(Model::I80387);
    fpu.load_state(Environment::Dword, state);
    let number = u16::from(opcode.0 & 7) << 8 | u16::from(opcode.1);
    if opcode.1 >= 0xC0 {
        fpu.execute(number, 0);
    } else {
        let instruction = Memory::new(number, Environment::Dword);
        match instruction.transfer() {
            Transfer::Load(bytes) => fpu.load(instruction, &memory[..bytes], 0, 0),
            Transfer::Store(bytes) => {
                if let Some(stored) = fpu.store(instruction, 0, 0) {
                    memory[..bytes].copy_from_slice(&stored[..bytes]);
                }
            }
        }
    }
    fpu.store_state(Environment::Dword, state);
}

fn host(opcode: Opcode, state: &mut Image, memory: &mut Image) {
    let row = usize::from(opcode.0 & 7);
    let instruction = match opcode.1 {
        0xC0.. => REGISTER[row][usize::from(opcode.1 - 0xC0)],
        second => MEMORY[row][usize::from(second >> 3)],
    };
    instruction(state, memory);
}

/// Formats a state without its addresses.
fn describe(image: &Image) -> String {
    let word = |at: usize| u16::from_le_bytes([image[at], image[at + 1]]);
    let mut text = format!("CW {:04X} SW {:04X} TW {:04X}", word(0), word(4), word(8));
    for bytes in image[28..].chunks_exact(10) {
        let value = Extended::from_bytes(bytes.try_into().unwrap());
        write!(text, " {:04X}.{:016X}", value.head, value.significand).unwrap();
    }
    text
}

/// Returns the difference between the emulated result and the host's, if any.
fn difference(opcode: Opcode, state: &Image, memory: &Image) -> Option<String> {
    let (mut ours, mut our_memory) = (*state, *memory);
    let (mut hosts, mut host_memory) = (*state, *memory);
    emulate(opcode, &mut ours, &mut our_memory);
    host(opcode, &mut hosts, &mut host_memory);
    // The host stores addresses in the format of its own mode.
    for image in [&mut ours, &mut hosts] {
        image[12..28].fill(0);
    }
    if matches!(opcode, (0xD9 | 0xDD, 0x30)) {
        our_memory[12..28].copy_from_slice(&host_memory[12..28]);
    }
    if ours == hosts && our_memory == host_memory {
        return None;
    }
    let mut text = format!(
        "{:02X} {:02X}\n  before {}\n  ours   {}\n  host   {}\n",
        opcode.0,
        opcode.1,
        describe(state),
        describe(&ours),
        describe(&hosts)
    );
    if opcode.1 < 0xC0 {
        let bytes =
            |memory: &Image| memory[..10].iter().rev().map(|byte| format!("{byte:02X}")).collect::<String>();
        writeln!(text, "  memory {} ours {} host {}", bytes(memory), bytes(&our_memory), bytes(&host_memory))
            .unwrap();
    }
    Some(text)
}

const TRANSCENDENTAL: [Opcode; 8] = [
    (0xD9, 0xF0),
    (0xD9, 0xF1),
    (0xD9, 0xF2),
    (0xD9, 0xF3),
    (0xD9, 0xF9),
    (0xD9, 0xFB),
    (0xD9, 0xFE),
    (0xD9, 0xFF),
];

/// Returns whether the results for an operand are comparable. For others they are undefined, or
/// differ: the host reduces large angles with a shorter π.
fn is_defined(opcode: Opcode, x: Extended) -> bool {
    let magnitude = (x.exponent(), x.significand);
    match opcode.1 {
        // The host reports exact results as inexact.
        0xF0 | 0xF1 if x.significand.is_power_of_two() && x.exponent() != 0x7FFF => false,
        0xF0 => magnitude <= (0x3FFF, 1 << 63) || x.exponent() == 0x7FFF,
        0xF9 => magnitude < (0x3FFD, 0x95F6_1998_0C43_36F7) || x.exponent() == 0x7FFF && !x.is_infinity(),
        0xF2 | 0xFB | 0xFE | 0xFF => x.exponent() < 0x3FFF || x.exponent() >= 0x403E,
        _ => true,
    }
}

/// Returns whether two results differ by at most one unit in the last place.
fn is_near(ours: &[u8], hosts: &[u8]) -> bool {
    let [ours, hosts] = [ours, hosts].map(|bytes| Extended::from_bytes(bytes.try_into().unwrap()));
    let rank =
        |value: Extended| i128::from(value.exponent()) << 63 | i128::from(value.significand & !(1 << 63));
    ours == hosts || ours.sign() == hosts.sign() && (rank(ours) - rank(hosts)).abs() <= 1
}

/// Like [`difference`], ignoring the last place, the precision exception and rounding direction.
fn rough_difference(opcode: Opcode, state: &Image) -> Option<String> {
    let (mut ours, mut hosts, mut memory) = (*state, *state, [0; 108]);
    emulate(opcode, &mut ours, &mut memory);
    host(opcode, &mut hosts, &mut memory);
    let registers = ours[28..].chunks_exact(10).zip(hosts[28..].chunks_exact(10));
    let near = registers.into_iter().all(|(ours, hosts)| is_near(ours, hosts));
    let word = |image: &Image, at: usize| u16::from_le_bytes([image[at], image[at + 1]]);
    let status = |image: &Image| word(image, 4) & !0x0220;
    if near && status(&ours) == status(&hosts) && word(&ours, 8) == word(&hosts, 8) {
        return None;
    }
    let (before, ours, hosts) = (describe(state), describe(&ours), describe(&hosts));
    Some(format!("{:02X} {:02X}\n  before {before}\n  ours   {ours}\n  host   {hosts}\n", opcode.0, opcode.1))
}

/// The differences found: text of the first ones, and their number.
#[derive(Default)]
struct Differences {
    texts: Vec<String>,
    count: u64,
}

impl Differences {
    fn note(&mut self, difference: Option<String>) {
        if let Some(text) = difference {
            self.count += 1;
            if self.texts.len() < 10 {
                self.texts.push(text);
            }
        }
    }

    fn assert_none(&self) {
        assert!(self.count == 0, "{} differences:\n{}", self.count, self.texts.join("\n"));
    }
}

fn check_random(opcodes: &[Opcode], cases: u64) {
    let mut differences = Differences::default();
    for opcode in opcodes {
        let mut random = Random::new(u64::from(opcode.0) << 8 | u64::from(opcode.1));
        for _ in 0..cases {
            let state = random_image(&mut random);
            let memory = random_memory(&mut random, *opcode);
            differences.note(difference(*opcode, &state, &memory));
        }
    }
    differences.assert_none();
}

/// Returns one encoding of each operation, with ST(1) where a register can be chosen.
fn operations() -> Vec<Opcode> {
    let chosen = |opcode: &Opcode| opcode.0 == 0xD9 && opcode.1 >= 0xE0 || opcode.1 & 7 == 1;
    registers().into_iter().filter(chosen).chain(memories()).collect()
}

#[test]
fn every_encoding() {
    check_random(&registers(), 400);
}

#[test]
fn every_operation() {
    check_random(&operations(), 10_000);
}

/// `cargo test --release --lib -- --ignored fpu::tests::host::every_operation_a_million_times`
#[test]
#[ignore = "takes minutes"]
fn every_operation_a_million_times() {
    check_random(&operations(), 1_000_000);
}

/// Returns control words for all rounding and precision modes, with all exceptions masked, with
/// none, and with all but overflow and underflow.
fn modes() -> impl Iterator<Item = u16> {
    (0..16).map(|mode| mode << 8 | 0x7F).chain([0x0340, 0x0367])
}

/// Returns whether hosts agree on the result for ST(0). With underflow unmasked, some processors
/// report an underflow when FSCALE, FPREM or FPREM1 return a denormal unchanged, and others do not;
/// among AMD EPYC processors there are both.
fn hosts_agree(opcode: Opcode, control: u16, x: Extended) -> bool {
    const UNDERFLOW_MASKED: u16 = 0x10;
    let keeps = matches!(opcode, (0xD9, 0xF5 | 0xF8 | 0xFD));
    let is_denormal = x.exponent() == 0 && x.significand != 0;
    !(keeps && is_denormal && control & UNDERFLOW_MASKED == 0)
}

/// Tests pairs of special values in all rounding and precision modes, masked and unmasked.
#[test]
fn special_values() {
    let mut differences = Differences::default();
    let opcodes: Vec<_> = operations().into_iter().filter(|opcode| opcode.1 >= 0xC0).collect();
    for (x, y) in SPECIAL.iter().flat_map(|x| SPECIAL.iter().map(move |y| (*x, *y))) {
        for control in modes() {
            let state = image(control, 0, 0xC000, [x, y, x, y, x, y, x, y]);
            for opcode in opcodes.iter().filter(|opcode| hosts_agree(**opcode, control, x)) {
                differences.note(difference(*opcode, &state, &[0; 108]));
            }
        }
    }
    differences.assert_none();
}

/// Tests stores of special values, and loads of bit patterns, in all formats and modes.
#[test]
fn special_values_in_memory() {
    let mut differences = Differences::default();
    let bytes = SPECIAL.map(|value| {
        let mut memory = [0; 108];
        memory[..10].copy_from_slice(&value.to_bytes());
        // The same exponents as single and double.
        let head = u32::from(value.head) << 16 | (value.significand >> 47) as u32 & 0xFFFF;
        memory[..4].copy_from_slice(&head.to_le_bytes());
        memory
    });
    // Environments of such bytes would set exceptions pending.
    let opcodes: Vec<_> =
        memories().into_iter().filter(|opcode| !matches!(opcode, (0xD9 | 0xDD, 0x20..))).collect();
    for value in SPECIAL {
        for control in modes() {
            let state = image(control, 0, 0xC000, [value; 8]);
            // Each with some of the others in memory.
            for (i, opcode) in opcodes.iter().enumerate() {
                let skipped = (i + usize::from(control >> 8)) % 8;
                for memory in bytes.iter().skip(skipped).step_by(8) {
                    differences.note(difference(*opcode, &state, memory));
                }
            }
        }
    }
    differences.assert_none();
}

#[test]
fn transcendental_instructions() {
    let mut differences = Differences::default();
    for opcode in TRANSCENDENTAL {
        let mut random = Random::new(opcode.1.into());
        let special = SPECIAL.iter().flat_map(|x| SPECIAL.iter().map(move |y| (*x, *y)));
        let pairs: Vec<_> = special.chain((0..3000).map(|_| (random.value(), random.value()))).collect();
        for (x, y) in pairs.into_iter().filter(|(x, _)| is_defined(opcode, *x)) {
            for (control, tags) in
                [(0x037F, 0xC000), (0x0340, 0xC000), (0x037F, 0), (0x0340, 0), (0x037F, 0xFFFF)]
            {
                let state = image(control, 0, tags, [x, y, x, y, x, y, x, y]);
                differences.note(rough_difference(opcode, &state));
            }
        }
    }
    differences.assert_none();
}
