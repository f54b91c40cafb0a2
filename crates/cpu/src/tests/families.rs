//! Table tests of each instruction family: description, bytes, state before, and changes.
//!
//! States are text: `AX=0123`, `[10]=FF` for a byte of the data segment, `ES:[10]=..`,
//! `SS:[10]=..`, and the flags that are set (`CF PF AF ZF SF OF DF IF`). An expectation lists the
//! changes. Flags are always compared, except those in parentheses. `#6` means that the instruction
//! ended in the handler of vector 6; the state is then that of its frame, and memory is not
//! compared.

mod arithmetic;
mod data;
mod flow;
mod post_386;

use super::program::{CODE, DATA, EXTRA, HANDLERS, Machine, STACK, START, hex};
use crate::flat::Flat;
use crate::{Blocks, Bus, Flags, Model, Registers};
use Model::{I186, I286, I386, I486, I586, I8086};

/// Models, instruction in assembly language, bytes, state before, changes.
type Row = (&'static [Model], &'static str, &'static str, &'static str, &'static str);

const ALL: &[Model] = &[I8086, I186, I286, I386, I486, I586];
const FROM_186: &[Model] = &[I186, I286, I386, I486, I586];
const FROM_286: &[Model] = &[I286, I386, I486, I586];
const FROM_486: &[Model] = &[I486, I586];
const TO_186: &[Model] = &[I8086, I186];

const FLAGS: [(&str, u32); 9] = [
    ("CF", Flags::CF),
    ("PF", Flags::PF),
    ("AF", Flags::AF),
    ("ZF", Flags::ZF),
    ("SF", Flags::SF),
    ("TF", Flags::TF),
    ("IF", Flags::IF),
    ("DF", Flags::DF),
    ("OF", Flags::OF),
];

const WORDS: [&str; 8] = ["AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI"];
const BYTES: [&str; 8] = ["AL", "CL", "DL", "BL", "AH", "CH", "DH", "BH"];

fn apply(machine: &mut Machine, text: &str) {
    for item in text.split_whitespace() {
        if let Some((_, mask)) = FLAGS.iter().find(|(name, _)| *name == item) {
            machine.cpu.regs.set_flag(*mask, true);
            continue;
        }
        let (name, value) = item.split_once('=').expect("NAME=VALUE");
        let is_memory = name.contains('[');
        let number = if is_memory { 0 } else { u32::from_str_radix(value, 16).expect("a hex number") };
        let regs = &mut machine.cpu.regs;
        let position = |names: &[&str]| names.iter().position(|n| *n == name);
        if let Some(n) = position(&WORDS) {
            regs.gpr[n] = regs.gpr[n] & 0xFFFF_0000 | number;
        } else if let Some(n) = position(&Registers::GENERAL) {
            regs.gpr[n] = number;
        } else if let Some(n) = position(&BYTES) {
            let shift = (n & 4) * 2;
            regs.gpr[n & 3] = regs.gpr[n & 3] & !(0xFF << shift) | number << shift;
        } else if let Some(n) = position(&Registers::SEGMENTS) {
            regs.seg[n] = number as u16;
        } else if name == "IP" {
            regs.ip = number;
        } else {
            let (base, offset) = match name.split_once(':') {
                Some(("ES", offset)) => (EXTRA, offset),
                Some(("SS", offset)) => (STACK, offset),
                _ => (DATA, name),
            };
            let offset = offset.trim_matches(['[', ']']);
            let offset = u32::from_str_radix(offset, 16).expect("[OFFSET]=BYTES");
            // Bytes in the order of memory.
            let bytes: Vec<u8> = (0..value.len() / 2)
                .map(|i| u8::from_str_radix(&value[2 * i..2 * i + 2], 16).expect("hex bytes"))
                .collect();
            machine.bus.write_bytes(u32::from(base) * 16 + offset, &bytes);
        }
    }
}

/// Formats registers and flags for failure messages.
fn describe(machine: &Machine) -> String {
    let regs = &machine.cpu.regs;
    let mut text: Vec<String> =
        Registers::GENERAL.iter().zip(regs.gpr).map(|(name, value)| format!("{name}={value:08X}")).collect();
    text.extend(Registers::SEGMENTS.iter().zip(regs.seg).map(|(name, value)| format!("{name}={value:04X}")));
    text.push(format!("IP={:04X}", regs.ip));
    text.extend(FLAGS.iter().filter(|(_, mask)| regs.flag(*mask)).map(|(name, _)| (*name).to_owned()));
    text.join(" ")
}

/// Removes the frame of a fault from the stack. Restores FLAGS; the caller handles CS:IP.
fn take_frame(machine: &mut Machine) {
    let Machine { cpu, bus, .. } = machine;
    let sp = cpu.regs.sp();
    cpu.regs.flags = u32::from(bus.read16(u32::from(cpu.regs.ss()) * 16 + u32::from(sp) + 4));
    cpu.regs.set_sp(sp.wrapping_add(6));
}

fn check(model: Model, row: &Row, blocks: Blocks<Flat>) {
    let (_, name, code, before, changes) = *row;
    let code = hex(code);
    let mut actual = Machine::new(model, &code, blocks);
    apply(&mut actual, before);
    let mut expected = Machine::new(model, &code, Blocks::new());
    apply(&mut expected, before);
    let retired = actual.cpu.retired;
    while actual.cpu.retired == retired {
        actual.cpu.run(&mut actual.blocks, &mut actual.bus, actual.cpu.cycles + 1);
    }
    // All flags that the row names are set, those in parentheses are not compared, all others are
    // clear.
    let ignored =
        FLAGS.iter().filter(|(name, _)| changes.contains(&format!("({name})"))).map(|(_, mask)| mask);
    let ignored = ignored.fold(0, |all, mask| all | mask);
    expected.cpu.regs.flags &= !FLAGS.iter().fold(0, |all, (_, mask)| all | mask);
    expected.cpu.regs.ip = START + code.len() as u32;
    let plain: Vec<&str> = changes.split_whitespace().filter(|item| !item.starts_with('(')).collect();
    let (faults, states): (Vec<&str>, Vec<&str>) = plain.iter().partition(|item| item.starts_with('#'));
    apply(&mut expected, &states.join(" "));
    if let [fault] = faults[..] {
        let vector = u32::from_str_radix(&fault[1..], 16).expect("#VECTOR");
        assert_eq!(
            (actual.cpu.regs.cs(), actual.cpu.regs.ip),
            (HANDLERS, vector * 16),
            "{model:?} {name}: not at the handler of {vector}: {}",
            describe(&actual)
        );
        take_frame(&mut actual);
        actual.cpu.regs.set_cs(CODE);
        actual.cpu.regs.ip = expected.cpu.regs.ip;
    }
    let mask = !ignored;
    actual.cpu.regs.flags &= mask;
    expected.cpu.regs.flags &= mask;
    assert_eq!(describe(&actual), describe(&expected), "{model:?} {name} with {before}");
    if !faults.is_empty() {
        return;
    }
    let differ: Vec<String> = std::iter::zip(actual.bus.bytes(), expected.bus.bytes())
        .enumerate()
        .filter(|(_, (actual, expected))| actual != expected)
        .map(|(at, (actual, _))| format!("{at:05X}={actual:02X}"))
        .collect();
    assert!(differ.is_empty(), "{model:?} {name} with {before}: memory {differ:?}");
}

fn run(rows: &[Row]) {
    for row in rows {
        for &model in row.0 {
            check(model, row, Blocks::uncached());
            check(model, row, Blocks::new());
        }
    }
}
