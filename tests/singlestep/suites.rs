//! Whole public suites: files named after their opcode (`F7.6.MOO.gz`), with `metadata.json` and `revocation_list.txt` beside or above.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use oxbox::cpu::{Bus, Cpu, Model};
use serde_json::Value;

use super::machine::{Machine, WAYS, Way};
use super::moo::{self, FLAGS, IP, NAMES, Recording, Registers, SP};

/// The maximum number of failures shown per file.
const SHOWN: usize = 5;

/// Recordings of the 80286 that are inconsistent: a vector with missing bytes, and CS pushed as SS.
const MISTAKEN: [&str; 4] = [
    "eaaf835a6600a351ee70375c7f6996931411bca5",
    "ba5bb16b5a4306333a359c3abd2169b871ffa42c",
    "7df1d2a948c416f5a4416e2f747d2d357d497570",
    "ab0cea0f2b89ae469a98eaf20dedc9ff2ca08c91",
];

/// Returns the processor of a recorded chip, and its number of address lines.
fn chip(name: &str) -> Option<(Model, u32)> {
    Some(match name {
        "8088" | "8086" => (Model::I8086, 0xF_FFFF),
        "286" | "C286" | "80286" => (Model::I286, 0xFF_FFFF),
        "386" | "386E" | "386EX" | "80386" => (Model::I386, 0xFF_FFFF),
        _ => return None,
    })
}

/// Finds the files of suites below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().to_uppercase();
        let is_json = (name.ends_with(".JSON") || name.ends_with(".JSON.GZ")) && name != "METADATA.JSON";
        if path.is_dir() {
            files(&path, found);
        } else if is_json || name.ends_with(".MOO") || name.ends_with(".MOO.GZ") {
            found.push(path);
        }
    }
}

/// Reads a file with this name, in the folder of another or the parent of that.
fn beside(path: &Path, name: &str) -> Option<String> {
    path.ancestors().skip(1).take(2).find_map(|folder| fs::read_to_string(folder.join(name)).ok())
}

/// The entry for a file's opcode in `metadata.json`.
struct About {
    cpu: Option<String>,
    /// Defined flags.
    flags: u32,
    status: String,
}

impl About {
    fn of(path: &Path) -> About {
        let metadata: Value = beside(path, "metadata.json")
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut parts = name.split('.');
        let opcode = &metadata["opcodes"][parts.next().unwrap_or_default()];
        let extension = &opcode["reg"][parts.next().unwrap_or_default()];
        let known = if extension.is_object() { extension } else { opcode };
        About {
            cpu: metadata["cpu"].as_str().map(str::to_owned),
            flags: known["flags-mask"].as_u64().map_or(u32::MAX, |mask| mask as u32),
            status: known["status"].as_str().unwrap_or("?").to_owned(),
        }
    }
}

fn registers(cpu: &Cpu) -> [u32; 16] {
    let mut values = [0; 16];
    values[..8].copy_from_slice(&cpu.regs.gpr);
    for (value, segment) in values[8..14].iter_mut().zip(cpu.regs.seg) {
        *value = u32::from(segment);
    }
    values[IP] = cpu.regs.ip;
    values[FLAGS] = cpu.regs.flags;
    values
}

fn set_registers(cpu: &mut Cpu, values: &Registers) {
    for (register, value) in cpu.regs.gpr.iter_mut().zip(values) {
        *register = value.unwrap_or(0);
    }
    for (register, value) in cpu.regs.seg.iter_mut().zip(&values[8..14]) {
        *register = value.unwrap_or(0) as u16;
    }
    cpu.regs.ip = values[IP].unwrap_or(0);
    cpu.regs.flags = values[FLAGS].unwrap_or(0) & settable(cpu.model) | 2;
}

/// Returns the flags that real mode can set; others are internal and loaded only by the recorder.
fn settable(model: Model) -> u32 {
    if model >= Model::I386 { 0x7FD5 } else { 0x0FD5 }
}

/// Runs one recording. Returns the differences as text, empty if there are none.
fn check(machine: &mut Machine, recording: &Recording, about: &About, way: Way) -> String {
    let model = machine.cpu.model;
    machine.cpu = Cpu::new(model);
    set_registers(&mut machine.cpu, &recording.before.registers);
    for &(address, byte) in &recording.before.memory {
        machine.bus.write8(address, byte);
    }
    let start = machine.cpu.regs.clone();
    if way == Way::JustWritten {
        let address = u32::from(start.cs()) * 16 + start.ip;
        let length = recording.bytes.len() as u32;
        // Not if the code wraps around the end of its segment or of memory.
        if start.ip + length <= 0x1_0000 && address + length < 0x10_0000 {
            machine.write_code(address, &recording.bytes);
        }
        machine.cpu = Cpu::new(model);
        machine.cpu.regs = start.clone();
    }
    machine.note_writes();
    let before = registers(&machine.cpu);
    machine.execute();
    // From the 80286, each recording ends with the HLT after the instruction, or at its target. HLT
    // is its own end.
    if model >= Model::I286 && !recording.name.ends_with("hlt") {
        let wrap = if model == Model::I286 { 0xFFFF } else { u32::MAX };
        machine.cpu.regs.ip = machine.cpu.regs.ip.wrapping_add(1) & wrap;
    }
    let mut report = String::new();
    let actual = registers(&machine.cpu);
    for (place, name) in NAMES.iter().enumerate() {
        let mut mask = recording.masks[place].unwrap_or(u32::MAX);
        if place == FLAGS {
            mask &= about.flags & settable(model);
        }
        let expected = recording.after.registers[place].unwrap_or(before[place]) & mask;
        if actual[place] & mask != expected {
            let _ = write!(report, " {name} {:X} not {expected:X}", actual[place] & mask);
        }
    }
    compare_memory(machine, recording, about, &mut report);
    report
}

/// Compares every byte that was written, was there or should be. Memory is empty afterwards.
fn compare_memory(machine: &mut Machine, recording: &Recording, about: &About, report: &mut String) {
    let bus = &mut machine.bus;
    let mut memory: BTreeMap<u32, u8> = recording.before.memory.iter().copied().collect();
    memory.extend(recording.after.memory.iter().copied());
    let flags = about.flags & recording.masks[FLAGS].unwrap_or(u32::MAX);
    // Bytes pushed by an exception or interrupt; not all suites contain their address, and some a
    // wrong one.
    let [before, after] =
        [&recording.before, &recording.after].map(|state| state.registers[SP].unwrap_or(0) as u16);
    let pushed = u32::from(machine.cpu.regs.ss()) * 16 + u32::from(after.wrapping_add(4));
    let pushed = (before.wrapping_sub(after) == 6).then_some(pushed & bus.address_mask);
    let mask = |address: u32| match pushed.map(|at| address.wrapping_sub(at)) {
        Some(byte @ 0..2) => (flags >> (8 * byte)) as u8,
        _ => 0xFF,
    };
    let written = bus.writes.take().unwrap_or_default();
    let touched: BTreeSet<u32> = written.into_iter().chain(memory.keys().copied()).collect();
    for address in touched {
        let expected = memory.get(&address).copied().unwrap_or(0) & mask(address);
        let actual = bus.read8(address) & mask(address);
        if actual != expected {
            let _ = write!(report, " [{address:05X}] {actual:02X} not {expected:02X}");
        }
        bus.write8(address, 0);
    }
}

struct Outcome {
    passed: usize,
    failed: usize,
    lines: String,
}

/// Runs a file. Fails with the reason.
fn run(path: &Path) -> Result<Outcome, String> {
    let suite = moo::read(path).map_err(|error| error.to_string())?;
    let about = About::of(path);
    let cpu = if suite.cpu.is_empty() { about.cpu.clone().unwrap_or_default() } else { suite.cpu };
    let (model, mask) = chip(&cpu).ok_or_else(|| format!("a {cpu:?} is none of ours"))?;
    let revoked = beside(path, "revocation_list.txt").unwrap_or_default();
    let revoked: BTreeSet<&str> = revoked.lines().map(str::trim).collect();
    let mut machines = Machine::all(model, mask);
    let mut outcome = Outcome { passed: 0, failed: 0, lines: String::new() };
    for (number, recording) in suite.recordings.iter().enumerate() {
        if revoked.contains(recording.hash.as_str()) || MISTAKEN.contains(&recording.hash.as_str()) {
            continue;
        }
        let failure = WAYS.iter().find_map(|&way| {
            let report = check(&mut machines[way.machine()], recording, &about, way);
            (!report.is_empty()).then_some((way, report))
        });
        outcome.passed += usize::from(failure.is_none());
        outcome.failed += usize::from(failure.is_some());
        if let Some((way, report)) = failure.filter(|_| outcome.failed <= SHOWN) {
            let bytes: String = recording.bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            let _ = writeln!(outcome.lines, "  {number} {way:?} {bytes} {}:{report}", recording.name);
        }
    }
    let Outcome { passed, failed, .. } = outcome;
    let head = format!("{} ({cpu}, {}): {passed} passed, {failed} failed\n", path.display(), about.status);
    outcome.lines.insert_str(0, &head);
    Ok(outcome)
}

#[test]
#[ignore = "needs whole suites: OXBOX_SUITES=FOLDER cargo test --test singlestep -- --ignored suites --nocapture"]
fn whole_suites() {
    let Some(folder) = std::env::var_os("OXBOX_SUITES") else {
        println!("OXBOX_SUITES names no folder: no whole suite is run");
        return;
    };
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    assert!(!paths.is_empty(), "no file in MOO format or JSON below {}", Path::new(&folder).display());
    let (next, totals) = (AtomicUsize::new(0), Mutex::new((0, 0, 0)));
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = run(path);
                    let mut totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
                    match outcome {
                        Ok(Outcome { passed, failed, lines }) => {
                            *totals = (totals.0 + passed, totals.1 + failed, totals.2);
                            print!("{lines}");
                        }
                        Err(why) => {
                            totals.2 += 1;
                            println!("{}: not run: {why}", path.display());
                        }
                    }
                }
            });
        }
    });
    let (passed, failed, left_out) = totals.into_inner().unwrap();
    println!("{passed} recordings passed, {failed} failed, {left_out} files were not run");
    assert!(passed > 0 && failed == 0, "{failed} recordings failed");
}
