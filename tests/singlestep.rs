//! The processor against recordings of real chips.
//!
//! Reads the SingleStepTests samples (8086 and 80286 in real mode) and the ALU results of an 80386. The recordings are too
//! large for the repository: they are read from the folder in `OXBOX_SINGLESTEP_DIR`, or from `shared/data/singlestep`
//! beside the checkout, by
//!
//! ```text
//! cargo test --test singlestep -- --ignored
//! ```
//! Each record is run uncached, cached, and with its code just written by the guest.
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use oxbox::cpu::flat::{Flat, PortAccess};
use oxbox::cpu::{Blocks, Bus, Cpu, Exit, Model, Width};
use serde_json::Value;

fn bytes(width: Width) -> u32 {
    match width {
        Width::Byte => 1,
        Width::Word => 2,
        Width::Dword => 4,
    }
}

/// How a record is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Uncached,
    Cached,
    JustWritten,
}

const WAYS: [Way; 3] = [Way::Uncached, Way::Cached, Way::JustWritten];

struct Machine {
    cpu: Cpu,
    bus: Flat,
    blocks: Blocks<Flat>,
}

impl Machine {
    fn new(model: Model, mask: u32, blocks: Blocks<Flat>) -> Self {
        let mut bus = Flat::new();
        bus.address_mask = mask;
        bus.writes = Some(Vec::new());
        Machine { cpu: Cpu::new(model), bus, blocks }
    }

    /// Executes one instruction with all REP turns, up to a handler's first instruction.
    fn execute(&mut self) -> Exit {
        let retired = self.cpu.retired;
        loop {
            let exit = self.cpu.run(&mut self.blocks, &mut self.bus, self.cpu.cycles + 1);
            if self.cpu.retired != retired || exit != Exit::Deadline {
                return exit;
            }
        }
    }

    /// Puts `code` where CS:IP is as the guest would: over code that has just been executed.
    fn write_code(&mut self, address: u32, code: &[u8]) {
        const NOP: u8 = 0x90;
        for at in (address..).take(code.len()) {
            self.bus.write8(at, NOP);
        }
        self.cpu.run(&mut self.blocks, &mut self.bus, self.cpu.cycles + 1);
        for (at, &byte) in (address..).zip(code) {
            self.bus.write8(at, byte);
        }
    }
}

const REGISTERS: [&str; 14] =
    ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "es", "cs", "ss", "ds", "ip", "flags"];

fn registers(cpu: &Cpu) -> [u32; 14] {
    let mut values = [0; 14];
    for (value, register) in values.iter_mut().zip(cpu.regs.gpr) {
        *value = register & 0xFFFF;
    }
    for (value, segment) in values[8..12].iter_mut().zip(cpu.regs.seg) {
        *value = u32::from(segment);
    }
    values[12] = cpu.regs.ip;
    values[13] = cpu.regs.flags & 0x0FD5;
    values
}

fn set_registers(cpu: &mut Cpu, values: &Value) {
    let get = |name: &str| values[name].as_u64().unwrap_or(0) as u32;
    for (i, name) in REGISTERS[..8].iter().enumerate() {
        cpu.regs.gpr[i] = get(name);
    }
    for (i, name) in REGISTERS[8..12].iter().enumerate() {
        cpu.regs.seg[i] = get(name) as u16;
    }
    cpu.regs.ip = get("ip");
    cpu.regs.flags = get("flags") & 0x0FD5 | 2;
}

fn pairs(value: &Value) -> Vec<(u32, u8)> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|pair| (pair[0].as_u64().unwrap() as u32, pair[1].as_u64().unwrap() as u8)).collect()
}

/// Runs one record; the differences as text, empty when it passes.
fn check(machine: &mut Machine, record: &Value, way: Way) -> String {
    let initial = pairs(&record["mi"]);
    let Machine { cpu, bus, .. } = machine;
    *cpu = Cpu::new(cpu.model);
    set_registers(cpu, &record["ri"]);
    for &(address, byte) in &initial {
        bus.write8(address, byte);
    }
    if way == Way::JustWritten {
        let start = cpu.regs.clone();
        let address = u32::from(cpu.regs.cs()) * 16 + cpu.regs.ip;
        let code = unhex(record["b"].as_str().unwrap_or_default());
        // Not where the code wraps around the end of its segment or of memory.
        if cpu.regs.ip + code.len() as u32 <= 0x1_0000 && address + (code.len() as u32) < 0x10_0000 {
            machine.write_code(address, &code);
        }
        let model = machine.cpu.model;
        machine.cpu = Cpu::new(model);
        machine.cpu.regs = start;
    }
    let Machine { cpu, bus, .. } = machine;
    bus.writes = Some(Vec::new());
    bus.accesses.clear();
    let mut expected = registers(cpu);
    machine.execute();
    let Machine { cpu, bus, .. } = machine;
    let mask = record["fm"].as_u64().unwrap_or(0xFFFF) as u32;
    let mut actual = registers(cpu);
    for (i, name) in REGISTERS.iter().enumerate() {
        if let Some(value) = record["rf"][name].as_u64() {
            expected[i] = value as u32;
        }
    }
    expected[13] &= mask & 0x0FD5;
    actual[13] &= mask;
    let mut report = String::new();
    for (i, name) in REGISTERS.iter().enumerate() {
        if expected[i] != actual[i] {
            let _ = write!(report, " {name} {:04X} not {:04X}", actual[i], expected[i]);
        }
    }
    let mut memory: BTreeMap<u32, u8> = initial.iter().copied().collect();
    memory.extend(pairs(&record["mf"]));
    // Bits 12 to 15 of pushed FLAGS are 1 on the 8086 and 0 on the 80286.
    let is_masked = matches!(record["c"].as_str(), Some("f" | "e"));
    let depth = if record["op"] == "9C" { 0 } else { 4 };
    let top = u32::from(cpu.regs.ss()) * 16 + u32::from(cpu.regs.sp().wrapping_add(depth));
    let pushed = (is_masked || record["x"].is_array()).then_some(top & bus.address_mask);
    let compared = |address: u32, byte: u8| match pushed {
        Some(at) if at == address => byte & mask as u8,
        Some(at) if at + 1 == address => byte & (mask >> 8) as u8 & if is_masked { 0x0F } else { 0xFF },
        _ => byte,
    };
    let touched = bus.writes.take().unwrap_or_default().into_iter().chain(memory.keys().copied());
    let touched: BTreeSet<u32> = touched.collect();
    for &address in &touched {
        let expected = compared(address, memory.get(&address).copied().unwrap_or(0));
        let actual = compared(address, bus.read8(address));
        if expected != actual {
            let _ = write!(report, " [{address:05X}] {actual:02X} not {expected:02X}");
        }
    }
    let ports = record["io"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ports: Vec<_> = ports
        .iter()
        .map(|p| {
            let number = |n: usize| p[n].as_u64().unwrap() as u32;
            (p[0] == "w", number(1) as u16, number(2), number(3))
        })
        .collect();
    let made = |access: &PortAccess| (access.is_write, access.port, bytes(access.width), access.value);
    let actual: Vec<_> = bus.accesses.iter().map(made).collect();
    // The recorder of the 80286 suite sampled the data of OUT at the wrong time: it often shows a prefetched word.
    let with_values = bus.address_mask == 0xF_FFFF;
    if byte_accesses(&ports, with_values) != byte_accesses(&actual, with_values) {
        let _ = write!(report, " ports {actual:X?} not {ports:X?}");
    }
    for address in touched {
        bus.write8(address, 0);
    }
    report
}

/// Port accesses by bytes: whether a word is one access or two is the bus's business.
fn byte_accesses(ports: &[(bool, u16, u32, u32)], with_values: bool) -> Vec<(bool, u16, u8)> {
    let split = |&(write, port, width, value): &(bool, u16, u32, u32)| {
        let value = if with_values || !write { value } else { 0 };
        (0..width as u16).map(move |i| (write, port.wrapping_add(i), (value >> (8 * i)) as u8))
    };
    ports.iter().flat_map(split).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// The records of every file of the folder whose name says `what`.
fn records(what: impl Fn(&str) -> bool) -> Vec<Value> {
    let folder = std::env::var_os("OXBOX_SINGLESTEP_DIR").map(PathBuf::from);
    let folder =
        folder.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/singlestep"));
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| {
        panic!("{}: {error}: set OXBOX_SINGLESTEP_DIR to the folder of recordings", folder.display())
    });
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    names.sort();
    let mut records = Vec::new();
    for path in names {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".jsonl.gz") && what(&name) {
            let lines = BufReader::new(MultiGzDecoder::new(File::open(&path).unwrap())).lines();
            records.extend(lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()));
        }
    }
    assert!(!records.is_empty(), "{}: no recordings there", folder.display());
    records
}

/// Passes and failures by some key.
#[derive(Default)]
struct Tally {
    counts: BTreeMap<String, (u32, u32)>,
    shown: u32,
    failed: u32,
}

impl Tally {
    fn add(&mut self, key: String, passed: bool) {
        let (passes, failures) = self.counts.entry(key).or_default();
        *(if passed { passes } else { failures }) += 1;
    }

    fn show(&mut self, text: &str) {
        self.failed += 1;
        if self.shown < 400 {
            self.shown += 1;
            println!("{text}");
        }
    }

    fn print(&self, only_failures: bool) {
        for (key, (passed, failed)) in &self.counts {
            if *failed > 0 || !only_failures {
                println!("{key:24} {passed:6} passed {failed:6} failed");
            }
        }
    }
}

/// False for records of class `e` that show what only the 80286 does: its limit of 10 bytes, and #UD for `8F /1` to
/// `8F /7`, which the 8086 suite shows as POP for every model.
fn holds_for(model: Model, record: &Value) -> bool {
    let code = unhex(record["b"].as_str().unwrap_or_default());
    // The suite puts a HLT behind each instruction.
    let is_long = code.len() - 1 > 10;
    let is_undefined_pop = record["op"] == "8F" && record["x"][0] == 6;
    model != Model::I386 || record["c"] != "e" || !(is_long || is_undefined_pop)
}

/// Runs the records of one suite on one model, and tells by class and opcode.
fn run_suite(suite: &str, model: Model, wanted: fn(&str) -> bool) {
    let name_has = |name: &str| match suite {
        "8086" => name.contains("8086"),
        _ => name.contains("80286"),
    };
    let records = records(name_has);
    let (mut classes, mut opcodes) = (Tally::default(), Tally::default());
    // The 8086 has 20 address lines.
    let mask = if suite == "8086" { 0xF_FFFF } else { 0xFF_FFFF };
    let mut uncached = Machine::new(model, mask, Blocks::uncached());
    let mut cached = Machine::new(model, mask, Blocks::new());
    let filter = std::env::var("OXBOX_SINGLESTEP_OP").ok();
    for record in &records {
        let class = record["c"].as_str().unwrap_or("s");
        let op = record["op"].as_str().unwrap_or_default();
        if !wanted(class) || !holds_for(model, record) || filter.as_ref().is_some_and(|f| f != op) {
            continue;
        }
        let mut passed = true;
        for way in WAYS {
            let machine = if way == Way::Uncached { &mut uncached } else { &mut cached };
            let report = check(machine, record, way);
            if !report.is_empty() {
                if passed {
                    let (name, bytes) =
                        (record["n"].as_str().unwrap_or(""), record["b"].as_str().unwrap_or(""));
                    let i = &record["i"];
                    classes.show(&format!("{op} {i} {class} {way:?} {bytes} {name}:{report}"));
                }
                passed = false;
            }
        }
        classes.add(class.to_owned(), passed);
        opcodes.add(op.to_owned(), passed);
    }
    println!("suite {suite} on {model:?}:");
    classes.print(false);
    opcodes.print(true);
    assert_eq!(classes.failed, 0, "records of suite {suite} failed on {model:?}");
}

#[test]
#[ignore = "needs the recordings: cargo test --test singlestep -- --ignored, folder in OXBOX_SINGLESTEP_DIR"]
fn suite_8086_on_8086() {
    run_suite("8086", Model::I8086, |_| true);
}

#[test]
#[ignore = "needs the recordings: cargo test --test singlestep -- --ignored, folder in OXBOX_SINGLESTEP_DIR"]
fn suite_80286_on_80286() {
    run_suite("80286", Model::I286, |_| true);
}

#[test]
#[ignore = "needs the recordings: cargo test --test singlestep -- --ignored, folder in OXBOX_SINGLESTEP_DIR"]
fn suite_8086_on_80386() {
    run_suite("8086", Model::I386, |class| !class.starts_with("m:"));
}

#[test]
#[ignore = "needs the recordings: cargo test --test singlestep -- --ignored, folder in OXBOX_SINGLESTEP_DIR"]
fn suite_80286_on_80386() {
    run_suite("80286", Model::I386, |class| !class.starts_with("m:"));
}

/// The order of the ALU's operations and of the shifts in the `reg` field of their opcodes.
const ALU: [&str; 8] = ["ADD", "OR", "ADC", "SBB", "AND", "SUB", "XOR", "CMP"];
const SHIFTS: [&str; 8] = ["ROL", "ROR", "RCL", "RCR", "SAL", "SHR", "", "SAR"];
const UNARY: [&str; 8] = ["TEST", "", "NOT", "NEG", "MUL", "IMUL", "DIV", "IDIV"];
/// Immediates that the recording programs of the time like; a record does not say which it used.
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

/// The instruction of a group of records with the immediate `value`, and with AX rather than DX as the operand that
/// a record leaves open.
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

/// Runs one ALU record with `code`; true when it passes.
fn check_386(machine: &mut Machine, record: &Value, code: &[u8], way: Way) -> bool {
    const START: u32 = 0x1000;
    const HANDLER: u32 = 0x5000;
    let op = unhex(record["op"].as_str().unwrap_or_default());
    let by_cl = matches!(op[..], [0xD2 | 0xD3] | [0x0F, 0xA5 | 0xAD]);
    let is_shift = by_cl || matches!(op[..], [0xC0 | 0xC1 | 0xD0 | 0xD1] | [0x0F, 0xA4 | 0xAC]);
    // INC and DEC of every register: the value stands in that register.
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
        // The recording leaves out AF of CMP.
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
    let mut machines = [
        Machine::new(Model::I386, u32::MAX, Blocks::uncached()),
        Machine::new(Model::I386, u32::MAX, Blocks::new()),
    ];
    let (mut total, mut failed) = (0, 0);
    for ((op, mnemonic, size), group) in &groups {
        // Some were recorded twice, with another immediate or operand: the halves are judged on their own.
        let halves = matches!(&op[..], "6B") || mnemonic.ends_with("DIV");
        let part = if halves { group.len() / 2 } else { group.len() };
        for part in group.chunks(part) {
            let mut best = 0;
            for value in IMMEDIATES {
                for on_ax in [false, true] {
                    let Some(code) = encode_386(op, mnemonic, size, value, on_ax) else { continue };
                    let passes = |record: &&Value| {
                        WAYS.iter().all(|way| {
                            let machine = &mut machines[usize::from(*way != Way::Uncached)];
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
