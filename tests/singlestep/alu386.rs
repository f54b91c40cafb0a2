//! Results of an 80386's ALU.

use std::collections::BTreeMap;

use oxbox::cpu::{Bus, Cpu, Model};
use serde_json::Value;

use super::machine::{Machine, WAYS, Way};
use super::{records, unhex};

/// The order of the ALU's operations and of the shifts in the `reg` field of their opcodes.
const ALU: [&str; 8] = ["ADD", "OR", "ADC", "SBB", "AND", "SUB", "XOR", "CMP"];
const SHIFTS: [&str; 8] = ["ROL", "ROR", "RCL", "RCR", "SAL", "SHR", "", "SAR"];
const UNARY: [&str; 8] = ["TEST", "", "NOT", "NEG", "MUL", "IMUL", "DIV", "IDIV"];
/// Immediates that the recording programs prefer; a record does not contain the one it used.
const IMMEDIATES: [u32; 22] = [
    1,
    7,
    8,
    16,
    0x55,
    0x77,
    0x89,
    0xAA,
    0xFF,
    0x777,
    0x5555,
    0x8000,
    0x8001,
    0x8002,
    0xAAAA,
    0xFFFF,
    0x77_7777,
    0x5555_5555,
    0x8000_0000,
    0x8000_0002,
    0xAAAA_AAAA,
    0xFFFF_FFFF,
];

/// Returns the instruction of a group of records with the immediate `value`, and with AX rather
/// than DX as the operand that a record leaves open.
fn encode_386(op: &str, mnemonic: &str, size: &str, value: u32, on_ax: bool) -> Option<Vec<u8>> {
    let bytes = match size {
        "D" => 4,
        "W" => 2,
        _ => 1,
    };
    let immediate = |n: usize| value.to_le_bytes()[..n].to_vec();
    let number = |names: [&str; 8]| names.iter().position(|n| *n == mnemonic).unwrap_or(0) as u8;
    let (reg, rm_dx) = (|n: u8| 0xC0 | n << 3, if on_ax { 0 } else { 2 });
    let mut code = if size == "D" || mnemonic == "CWDE" || mnemonic == "CDQ" { vec![0x66] } else { vec![] };
    let opcode = unhex(op);
    code.extend(&opcode);
    match (op, mnemonic) {
        ("", "daa") => code.push(0x27),
        ("", "das") => code.push(0x2F),
        ("", "aaa") => code.push(0x37),
        ("", "aas") => code.push(0x3F),
        ("", "aam") => code.extend([0xD4, 10]),
        ("", "aad") => code.extend([0xD5, 10]),
        ("98" | "99", _) => {}
        ("0FAF", _) => code.push(0xC2),
        ("69", _) => code.extend([vec![0xC0], immediate(bytes)].concat()),
        ("6B", _) => code.extend([0xC2, value as u8]),
        ("0FA5" | "0FAD", _) => code.push(0xD0),
        ("0FA4" | "0FAC", _) => code.extend([0xD0, value as u8]),
        ("84" | "85", _) => code.push(0xD0),
        ("A8" | "A9", _) => code.extend(immediate(bytes)),
        ("80" | "81", _) => code.extend([vec![reg(number(ALU)) | rm_dx], immediate(bytes)].concat()),
        ("83", _) => code.extend([reg(number(ALU)) | rm_dx, value as u8]),
        ("C0" | "C1", _) => code.extend([reg(number(SHIFTS)), value as u8]),
        ("D0" | "D1" | "D2" | "D3", _) => code.push(reg(number(SHIFTS))),
        ("FE" | "FF", _) => code.push(reg(u8::from(mnemonic == "DEC"))),
        ("F6" | "F7", "TEST") => code.extend([vec![0xC0 | rm_dx], immediate(bytes)].concat()),
        ("F6" | "F7", "NOT" | "NEG") => code.push(reg(number(UNARY))),
        ("F6" | "F7", _) => code.push(reg(number(UNARY)) | rm_dx),
        _ => match opcode.first()? {
            0x40..=0x4F => {}
            byte if byte & 7 < 2 => code.push(0xD0),
            byte if byte & 7 < 4 => code.push(0xC2),
            _ => code.extend(immediate(bytes)),
        },
    }
    Some(code)
}

/// Runs one ALU record with `code`. Returns whether it passes.
fn check_386(machine: &mut Machine, record: &Value, code: &[u8], way: Way) -> bool {
    const START: u32 = 0x1000;
    const HANDLER: u32 = 0x5000;
    let op = unhex(record["op"].as_str().unwrap_or_default());
    let by_cl = matches!(op[..], [0xD2 | 0xD3] | [0x0F, 0xA5 | 0xAD]);
    let is_shift = by_cl || matches!(op[..], [0xC0 | 0xC1 | 0xD0 | 0xD1] | [0x0F, 0xA4 | 0xAC]);
    // INC and DEC of every register: the value is in that register.
    let place = if let [0x40..=0x4F] = op[..] { op[0] & 7 } else { 0 } as usize;
    let number = |side: &str, name: &str| record[side][name].as_u64().unwrap_or(0) as u32;
    machine.cpu = Cpu::new(Model::I386);
    let Machine { cpu, bus, .. } = machine;
    cpu.regs.set_cs(0);
    cpu.regs.set_ss(0x2000);
    cpu.regs.set_sp(0x100);
    cpu.regs.ip = START;
    bus.write16(0, HANDLER as u16);
    match way {
        Way::JustWritten => machine.write_code(START, code),
        _ => bus.write_bytes(START, code),
    }
    let cpu = &mut machine.cpu;
    cpu.regs.ip = START;
    cpu.regs.gpr[2] = number("i", "edx");
    cpu.regs.gpr[place] = number("i", "eax");
    if by_cl {
        cpu.regs.gpr[1] = cpu.regs.gpr[2] & 0xFF;
    }
    // The shifts were recorded with CF set before.
    cpu.regs.flags = number("i", "ps") | u32::from(is_shift) | 2;
    machine.execute();
    let cpu = &machine.cpu;
    if record["note"] == "#DE" {
        return cpu.regs.ip == HANDLER;
    }
    let mask = match record["mn"].as_str().unwrap_or_default() {
        "MUL" | "IMUL" => 0x801,
        "DIV" | "IDIV" => 0,
        // The recording does not contain AF of CMP.
        "AND" | "OR" | "XOR" | "TEST" | "CMP" => 0x8C5,
        "aaa" | "aas" => 0x11,
        "aam" | "aad" => 0xC4,
        "daa" | "das" => 0xD5,
        // OF is defined for a count of one.
        "SAL" | "SHR" | "SAR" if matches!(op[..], [0xD0 | 0xD1]) => 0x8C5,
        "ROL" | "ROR" | "RCL" | "RCR" if matches!(op[..], [0xD0 | 0xD1]) => 0x845,
        "SAL" | "SHR" | "SAR" | "SHLD" | "SHRD" => 0xC5,
        "ROL" | "ROR" | "RCL" | "RCR" => 0x45,
        _ => 0x8D5,
    };
    let has_edx = record["o"]["edx"].is_u64();
    cpu.regs.ip == START + code.len() as u32
        && cpu.regs.gpr[place] == number("o", "eax")
        && (!has_edx || place == 2 || cpu.regs.gpr[2] == number("o", "edx"))
        && cpu.regs.flags & mask == number("o", "ps") & mask
}

#[test]
#[ignore = "needs the recordings: cargo test --test singlestep -- --ignored, folder in OXBOX_SINGLESTEP_DIR"]
fn alu_of_the_80386() {
    let records = records(|name| name.contains("ee386"));
    let mut groups: BTreeMap<(String, String, String), Vec<Value>> = BTreeMap::new();
    for record in records {
        let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
        groups.entry((text("op"), text("mn"), text("sz"))).or_default().push(record);
    }
    let mut machines = Machine::all(Model::I386, u32::MAX);
    let (mut total, mut failed) = (0, 0);
    for ((op, mnemonic, size), group) in &groups {
        // Some were recorded twice, with another immediate or operand: the halves are compared
        // separately.
        let halves = matches!(&op[..], "6B") || mnemonic.ends_with("DIV");
        let part = if halves { group.len() / 2 } else { group.len() };
        for part in group.chunks(part) {
            let mut best = 0;
            for value in IMMEDIATES {
                for on_ax in [false, true] {
                    let Some(code) = encode_386(op, mnemonic, size, value, on_ax) else { continue };
                    let passes = |record: &&Value| {
                        WAYS.iter().all(|way| {
                            let machine = &mut machines[way.machine()];
                            check_386(machine, record, &code, *way)
                        })
                    };
                    best = best.max(part.iter().filter(passes).count());
                    if best == part.len() {
                        break;
                    }
                }
                if best == part.len() {
                    break;
                }
            }
            total += part.len();
            failed += part.len() - best;
            if best < part.len() {
                println!("{op:4} {mnemonic:5} {size:1} {best:6} passed {:6} failed", part.len() - best);
            }
        }
    }
    println!("ALU of the 80386: {} passed {failed} failed", total - failed);
    assert_eq!(failed, 0);
}
