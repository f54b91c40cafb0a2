//! The processor against recordings of real chips.
//!
//! Reads the SingleStepTests samples (8086 and 80286 in real mode) and the ALU results of an 80386 from the folder in
//! `OXBOX_SINGLESTEP_DIR`, or from `shared/data/singlestep` beside the checkout, and says so when there is none. Each
//! record is run uncached, cached, and with its code just written by the guest.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use oxbox::cpu::{Blocks, Bus, Cpu, Exit, Model, Width};
use oxbox::hardware::Memory;
use serde_json::Value;

/// Flat memory; IN reads all ones; every write and port access is noted.
struct Flat {
    memory: Memory,
    mask: u32,
    written: Vec<u32>,
    ports: Vec<(bool, u16, u32, u32)>,
}

impl Flat {
    fn new(mask: u32) -> Self {
        Flat { memory: Memory::new(), mask, written: Vec::new(), ports: Vec::new() }
    }
}

fn bytes(width: Width) -> u32 {
    match width {
        Width::Byte => 1,
        Width::Word => 2,
        Width::Dword => 4,
    }
}

impl Bus for Flat {
    fn read8(&mut self, address: u32) -> u8 {
        self.memory.read8(address & self.mask)
    }
    fn write8(&mut self, address: u32, value: u8) {
        self.memory.write8(address & self.mask, value);
        self.written.push(address & self.mask);
    }
    fn input(&mut self, port: u16, width: Width, _: u64) -> u32 {
        let value = u32::MAX >> (32 - 8 * bytes(width));
        self.ports.push((false, port, bytes(width), value));
        value
    }
    fn output(&mut self, port: u16, width: Width, value: u32, _: u64) {
        self.ports.push((true, port, bytes(width), value));
    }
    fn physical(&self, address: u32) -> u32 {
        address & self.mask
    }
    fn watch_code(&mut self, address: u32, len: u32) {
        for i in 0..len {
            self.memory.watch_code(address.wrapping_add(i) & self.mask, 1);
        }
    }
    fn code_written(&self) -> bool {
        self.memory.code_written()
    }
    fn take_code_writes(&mut self, drop_range: impl FnMut(u32, u32)) {
        self.memory.take_code_writes(drop_range);
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
        Machine { cpu: Cpu::new(model), bus: Flat::new(mask), blocks }
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
        bus.memory.write8(address, byte);
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
    bus.written.clear();
    bus.ports.clear();
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
    let pushed = (is_masked || record["x"].is_array()).then_some(top & bus.mask);
    let compared = |address: u32, byte: u8| match pushed {
        Some(at) if at == address => byte & mask as u8,
        Some(at) if at + 1 == address => {
            byte & (mask >> 8) as u8 & if is_masked { 0x0F } else { 0xFF }
        }
        _ => byte,
    };
    let touched = bus.written.iter().copied().chain(memory.keys().copied());
    for address in touched.collect::<std::collections::BTreeSet<u32>>() {
        let expected = compared(address, memory.get(&address).copied().unwrap_or(0));
        let actual = compared(address, bus.memory.read8(address));
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
    // The recorder of the 80286 suite sampled the data of OUT at the wrong time: it often shows a prefetched word.
    let with_values = bus.mask == 0xF_FFFF;
    if byte_accesses(&ports, with_values) != byte_accesses(&bus.ports, with_values) {
        let _ = write!(report, " ports {:X?} not {ports:X?}", bus.ports);
    }
    for address in memory.keys().copied().chain(bus.written.clone()) {
        bus.memory.write8(address, 0);
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

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("OXBOX_SINGLESTEP_DIR").map(PathBuf::from);
    let folder = named
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/singlestep"));
    folder.is_dir().then_some(folder)
}

/// The records of every file of the folder whose name says `what`; nothing (and a word on it) without a folder.
fn records(what: impl Fn(&str) -> bool) -> Option<Vec<Value>> {
    let Some(folder) = folder() else {
        println!("skipped: no folder of recordings (set OXBOX_SINGLESTEP_DIR)");
        return None;
    };
    let mut names: Vec<_> = std::fs::read_dir(&folder).ok()?.flatten().map(|entry| entry.path()).collect();
    names.sort();
    let mut records = Vec::new();
    for path in names {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".jsonl.gz") && what(&name) {
            let lines = BufReader::new(MultiGzDecoder::new(File::open(&path).unwrap())).lines();
            records.extend(lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()));
        }
    }
    Some(records)
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
    let Some(records) = records(name_has) else { return };
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
                    let (name, bytes) = (record["n"].as_str().unwrap_or(""), record["b"].as_str().unwrap_or(""));
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
fn suite_8086_on_8086() {
    run_suite("8086", Model::I8086, |_| true);
}

#[test]
fn suite_80286_on_80286() {
    run_suite("80286", Model::I286, |_| true);
}

#[test]
fn suite_8086_on_80386() {
    run_suite("8086", Model::I386, |class| !class.starts_with("m:"));
}

#[test]
fn suite_80286_on_80386() {
    run_suite("80286", Model::I386, |class| !class.starts_with("m:"));
}
