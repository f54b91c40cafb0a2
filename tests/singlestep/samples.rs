//! Samples of the 8086's and the 80286's public suites, with their dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use oxbox::cpu::flat::PortAccess;
use oxbox::cpu::{Bus, Cpu, Model, Width};
use serde_json::Value;

use super::machine::{Machine, WAYS, Way};
use super::{records, unhex};

fn bytes(width: Width) -> u32 {
    match width {
        Width::Byte => 1,
        Width::Word => 2,
        Width::Dword => 4,
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

/// Runs one record. Returns the differences as text, empty if it passes.
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
        // Not if the code wraps around the end of its segment or of memory.
        if cpu.regs.ip + code.len() as u32 <= 0x1_0000 && address + (code.len() as u32) < 0x10_0000 {
            machine.write_code(address, &code);
        }
        let model = machine.cpu.model;
        machine.cpu = Cpu::new(model);
        machine.cpu.regs = start;
    }
    machine.note_writes();
    let Machine { cpu, bus, .. } = machine;
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
    // The recorder of the 80286 suite sampled the data of OUT at the wrong time: it often shows a
    // prefetched word.
    let with_values = bus.address_mask == 0xF_FFFF;
    if byte_accesses(&ports, with_values) != byte_accesses(&actual, with_values) {
        let _ = write!(report, " ports {actual:X?} not {ports:X?}");
    }
    for address in touched {
        bus.write8(address, 0);
    }
    report
}

/// Returns port accesses by bytes: the bus decides whether a word is one access or two.
fn byte_accesses(ports: &[(bool, u16, u32, u32)], with_values: bool) -> Vec<(bool, u16, u8)> {
    let split = |&(write, port, width, value): &(bool, u16, u32, u32)| {
        let value = if with_values || !write { value } else { 0 };
        (0..width as u16).map(move |i| (write, port.wrapping_add(i), (value >> (8 * i)) as u8))
    };
    ports.iter().flat_map(split).collect()
}

/// Passes and failures by a key.
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

/// Whether a record of class `e` applies to the model. Some show behaviour of only the 80286: its
/// limit of 10 bytes, #UD for `8F /1` to `8F /7` (POP for every model in the 8086 suite), and the
/// index registers of a string instruction that faults (unchanged on the 80386, according to
/// `tests/silicon`).
fn holds_for(model: Model, record: &Value) -> bool {
    let code = unhex(record["b"].as_str().unwrap_or_default());
    // The suite puts a HLT after each instruction.
    let is_long = code.len() - 1 > 10;
    let is_undefined_pop = record["op"] == "8F" && record["x"][0] == 6;
    let is_string = matches!(
        record["op"].as_str(),
        Some("6C" | "6D" | "6E" | "6F" | "A4" | "A5" | "A6" | "A7" | "AA" | "AB" | "AC" | "AD" | "AE" | "AF")
    );
    model != Model::I386 || record["c"] != "e" || !(is_long || is_undefined_pop || is_string)
}

/// Runs the records of one suite on one model, and reports by class and opcode.
fn run_suite(suite: &str, model: Model, wanted: fn(&str) -> bool) {
    let name_has = |name: &str| match suite {
        "8086" => name.contains("8086"),
        _ => name.contains("80286"),
    };
    let records = records(name_has);
    let (mut classes, mut opcodes) = (Tally::default(), Tally::default());
    // The 8086 has 20 address lines.
    let mask = if suite == "8086" { 0xF_FFFF } else { 0xFF_FFFF };
    let mut machines = Machine::all(model, mask);
    let filter = std::env::var("OXBOX_SINGLESTEP_OP").ok();
    for record in &records {
        let class = record["c"].as_str().unwrap_or("s");
        let op = record["op"].as_str().unwrap_or_default();
        if !wanted(class) || !holds_for(model, record) || filter.as_ref().is_some_and(|f| f != op) {
            continue;
        }
        let mut passed = true;
        for way in WAYS {
            let report = check(&mut machines[way.machine()], record, way);
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
