//! Coverage: executed source lines, their counts, and branch directions.

use super::disassembly::decode;
use super::lcov::{FileCoverage, Lcov};
use super::programs::{Loaded, Programs};
use super::symbols::SymbolKind;
use iced_x86::FlowControl;
use oxbox_cpu::Cpu;
use oxbox_machine::hardware::{Hardware, linear};
use std::collections::HashMap;

/// Counts executed instructions by address.
#[derive(Debug, Default)]
pub struct Coverage {
    programs: Vec<Counts>,
    /// The preceding conditional jump: program, address, and the offset after it.
    branch: Option<(usize, u32, u16)>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Execution counts by address from the start of the program.
    executed: Vec<u64>,
    /// Counts of not taken and taken, by address.
    branches: HashMap<u32, [u64; 2]>,
}

impl Coverage {
    /// Creates empty counts.
    pub fn new() -> Coverage {
        Coverage::default()
    }

    /// Called before an instruction.
    pub fn instruction(&mut self, programs: &mut Programs, cpu: &Cpu, hw: &Hardware) {
        let (cs, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        self.settle(ip);
        let Some(number) = programs.at(linear(cs, ip)) else { return };
        let loaded = &programs.loaded()[number];
        let Some(address) = loaded.program.address(cs, ip) else { return };
        if self.programs.len() <= number {
            self.programs.resize_with(number + 1, Counts::default);
        }
        let counts = &mut self.programs[number].executed;
        if counts.is_empty() {
            counts.resize(loaded.program.length() as usize, 0);
        }
        if let Some(count) = counts.get_mut(address as usize) {
            *count += 1;
        }
        let byte = |offset: u16| hw.memory.read8(linear(cs, ip.wrapping_add(offset)));
        let length = match (byte(0), byte(1)) {
            (0x70..=0x7F | 0xE0..=0xE3, _) => 2,
            (0x0F, 0x80..=0x8F) => 4,
            _ => return,
        };
        self.branch = Some((number, address, ip.wrapping_add(length)));
    }

    /// Counts the direction of the pending branch: execution continues at `ip`.
    fn settle(&mut self, ip: u16) {
        if let Some((number, address, on)) = self.branch.take() {
            self.programs[number].branches.entry(address).or_default()[usize::from(ip != on)] += 1;
        }
    }

    /// Called before a hardware interrupt.
    pub fn interrupt(&mut self, cpu: &Cpu) {
        self.settle(cpu.regs.ip as u16);
    }

    /// Returns the coverage by source file.
    pub fn report(&self, programs: &Programs) -> Lcov {
        let mut report = Lcov::default();
        let nothing = Counts::default();
        for (number, loaded) in programs.loaded().iter().enumerate() {
            self.programs.get(number).unwrap_or(&nothing).add_to(&mut report, loaded);
        }
        report
    }
}

impl Counts {
    fn add_to(&self, report: &mut Lcov, loaded: &Loaded) {
        let count = |address: u32| self.executed.get(address as usize).copied().unwrap_or_default();
        let symbols = loaded.program.symbols();
        for (line, addresses) in symbols.lines() {
            // oxbox's own include files do not exist on the host.
            if line.file.starts_with('<') {
                continue;
            }
            let file = report.files.entry(line.file.to_owned()).or_default();
            *file.lines.entry(line.line).or_default() += count(addresses.start);
            self.add_branches(file, line.line, loaded, addresses.start, addresses.end);
        }
        for symbol in symbols.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Procedure) {
            let Some(line) = symbols.line_at(symbol.address()) else { continue };
            if let Some(file) = report.files.get_mut(line.file) {
                let function = file.functions.entry(symbol.name.clone()).or_insert((line.line, 0));
                function.1 += count(symbol.address());
            }
        }
    }

    /// Adds the conditional jumps of a line.
    fn add_branches(&self, file: &mut FileCoverage, line: u32, loaded: &Loaded, start: u32, end: u32) {
        let mut address = start;
        while address < end {
            let Some(bytes) = loaded.image.get(address as usize..) else { return };
            let instruction = decode(&bytes[..bytes.len().min(15)], address as u16);
            if instruction.is_invalid() {
                return;
            }
            if instruction.flow_control() == FlowControl::ConditionalBranch {
                let executed = self.branches.get(&address).copied();
                let number = address - start;
                // Counted as not taken, taken. The report has taken first.
                for (way, counted) in [(0, 1), (1, 0)] {
                    let count = file.branches.entry((line, number, way)).or_insert(None);
                    if let Some(ways) = executed {
                        *count = Some(count.unwrap_or_default() + ways[counted]);
                    }
                }
            }
            address += instruction.len() as u32;
        }
    }
}
