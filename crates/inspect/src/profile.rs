//! Profiles executed instructions by routine and caller.
//!
//! The stack pointer determines returns: a routine ends when SP is above its return address. The
//! result has one line per call chain with its instruction count: folded stacks, the input of flame
//! graph viewers.

use super::programs::Programs;
use oxbox_cpu::Cpu;
use oxbox_machine::firmware::ROM_SEGMENT;
use oxbox_machine::hardware::{Hardware, linear};
use std::collections::HashMap;
use std::fmt;

/// The deepest call stack. Deeper calls are attributed to their caller.
const DEEPEST: usize = 256;

#[derive(Debug)]
struct Node {
    name: String,
    parent: usize,
    instructions: u64,
    children: HashMap<(u16, u16, u8), usize>,
}

#[derive(Debug)]
struct Frame {
    node: usize,
    ss: u16,
    /// SP of the return address.
    sp: u16,
}

/// The control flow from the preceding instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    On,
    Call,
    Interrupt(u8),
}

/// Counts instructions by routine and caller.
#[derive(Debug)]
pub struct Profile {
    nodes: Vec<Node>,
    frames: Vec<Frame>,
    way: Way,
}

impl Profile {
    /// Creates a profile of a program that starts now.
    pub fn new(programs: &Programs) -> Profile {
        let first = programs.loaded().first();
        let name = first.map(|loaded| loaded.name.clone()).unwrap_or_default();
        let root = Node { name, parent: 0, instructions: 0, children: HashMap::new() };
        Profile { nodes: vec![root], frames: Vec::new(), way: Way::On }
    }

    /// Called before an instruction.
    pub fn instruction(&mut self, programs: &mut Programs, cpu: &Cpu, hw: &Hardware) {
        let (cs, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        let (ss, sp) = (cpu.regs.ss(), cpu.regs.sp());
        // Frames below SP are complete.
        if self.frames.iter().any(|frame| frame.ss == ss && sp > frame.sp) {
            let over = self.frames.iter().position(|frame| frame.ss == ss && sp > frame.sp);
            self.frames.truncate(over.unwrap_or_default());
        }
        let way = std::mem::replace(&mut self.way, Way::On);
        if way != Way::On && self.frames.len() < DEEPEST {
            let node = self.child(programs, way, (cs, ip));
            self.frames.push(Frame { node, ss, sp });
        } else if self.nodes.len() == 1 {
            // The first routine of the program.
            let node = self.child(programs, Way::Call, (cs, ip));
            self.frames.push(Frame { node, ss, sp: u16::MAX });
        }
        let at = self.frames.last().map_or(0, |frame| frame.node);
        self.nodes[at].instructions += 1;
        self.way = if cs == ROM_SEGMENT { Way::On } else { way_on(hw, cs, ip) };
    }

    /// Called before a hardware interrupt.
    pub fn interrupt(&mut self, vector: u8) {
        self.way = Way::Interrupt(vector);
    }

    fn child(&mut self, programs: &mut Programs, way: Way, (cs, ip): (u16, u16)) -> usize {
        let parent = self.frames.last().map_or(0, |frame| frame.node);
        let kind = if let Way::Interrupt(vector) = way { vector } else { 0 };
        if let Some(&node) = self.nodes[parent].children.get(&(cs, ip, kind)) {
            return node;
        }
        let routine = programs
            .program(cs, ip)
            .and_then(|program| program.routine(cs, ip))
            .map(|routine| routine.name.clone());
        let name = match (way, routine) {
            (Way::Interrupt(vector), None) => format!("INT {vector:02X}h"),
            (Way::Interrupt(vector), Some(name)) => format!("INT {vector:02X}h {name}"),
            (_, Some(name)) => name,
            (_, None) => format!("{cs:04X}:{ip:04X}"),
        };
        // A semicolon separates the names of a line.
        let name = name.replace(';', ":");
        self.nodes.push(Node { name, parent, instructions: 0, children: HashMap::new() });
        let node = self.nodes.len() - 1;
        self.nodes[parent].children.insert((cs, ip, kind), node);
        node
    }
}

/// Returns the control flow from the instruction at CS:IP.
fn way_on(hw: &Hardware, cs: u16, ip: u16) -> Way {
    let byte = |offset: u16| hw.memory.read8(linear(cs, ip.wrapping_add(offset)));
    let is_prefix = |byte: u8| matches!(byte, 0x26 | 0x2E | 0x36 | 0x3E | 0x64..=0x67);
    let skipped = (0..4).find(|&offset| !is_prefix(byte(offset))).unwrap_or_default();
    match byte(skipped) {
        0xE8 | 0x9A => Way::Call,
        0xFF if matches!(byte(skipped + 1) >> 3 & 7, 2 | 3) => Way::Call,
        0xCD => Way::Interrupt(byte(skipped + 1)),
        0xCC => Way::Interrupt(3),
        _ => Way::On,
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: HashMap<String, u64> = HashMap::new();
        for number in (0..self.nodes.len()).filter(|&number| self.nodes[number].instructions > 0) {
            let mut names = vec![self.nodes[number].name.as_str()];
            let mut at = number;
            while at != 0 {
                at = self.nodes[at].parent;
                names.push(&self.nodes[at].name);
            }
            names.reverse();
            *lines.entry(names.join(";")).or_default() += self.nodes[number].instructions;
        }
        let mut lines: Vec<(String, u64)> = lines.into_iter().collect();
        lines.sort();
        lines.iter().try_for_each(|(stack, count)| writeln!(f, "{stack} {count}"))
    }
}
