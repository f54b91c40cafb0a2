//! Traces BIOS and DOS calls: name, arguments and results, one line per call.
//!
//! A call that waits is one line, written when it is complete.

use super::arguments::{self, Item, caller_flags};
use super::programs::Programs;
use oxbox_cpu::{Cpu, Flags, Registers};
use oxbox_machine::dos;
use oxbox_machine::firmware::{self, ROM_SEGMENT};
use oxbox_machine::hardware::Hardware;
use oxbox_machine::machine::{Outcome, Service};

/// The most pending calls. More are from programs that never return.
const MOST_PENDING: usize = 64;

#[derive(Debug)]
struct Pending {
    vector: u8,
    ax: u16,
    /// SS:SP at the trap and the return address, which identify a repeated call.
    stack: (u16, u16),
    back: (u16, u16),
    line: String,
}

/// Converts calls to lines.
#[derive(Debug, Default)]
pub struct CallTrace {
    /// Whether hardware interrupts and the calls of their handlers are included.
    interrupts: bool,
    pending: Vec<Pending>,
    last: String,
    repeats: u64,
}

impl CallTrace {
    /// Returns a trace, if requested also of hardware interrupts and the calls of their handlers.
    pub fn new(interrupts: bool) -> CallTrace {
        CallTrace { interrupts, ..CallTrace::default() }
    }

    /// Called before a service.
    pub fn service(&mut self, programs: &mut Programs, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let registers = &cpu.regs;
        let (stack, back) = ((registers.ss(), registers.sp()), firmware::caller(cpu, hw));
        let is_of_hardware = is_of_hardware(vector, registers.ah());
        if !self.interrupts && (is_of_hardware || back.0 == ROM_SEGMENT) {
            return;
        }
        let is_same = |call: &Pending| (call.vector, call.stack, call.back) == (vector, stack, back);
        if self.pending.last().is_some_and(is_same) {
            return;
        }
        // Calls below the current stack were abandoned.
        while self.pending.last().is_some_and(|call| call.stack.0 == stack.0 && call.stack.1 <= stack.1) {
            self.pending.pop();
        }
        if self.pending.len() == MOST_PENDING {
            self.pending.remove(0);
        }
        let line = if is_of_hardware {
            // There is no INT, and the registers are those of the interrupted program.
            called(Service::new(vector, registers.ax()))
        } else {
            described(programs, vector, back, registers, hw)
        };
        self.pending.push(Pending { vector, ax: registers.ax(), stack, back, line });
    }

    /// Called after a service.
    pub fn served(
        &mut self,
        vector: u8,
        outcome: Outcome,
        cpu: &Cpu,
        hw: &Hardware,
        write: &mut dyn FnMut(&str),
    ) {
        if outcome == Outcome::Waits || self.pending.last().is_none_or(|call| call.vector != vector) {
            return;
        }
        let Some(Pending { ax, line, .. }) = self.pending.pop() else { return };
        let line = match outcome {
            Outcome::Returns if !is_of_hardware(vector, (ax >> 8) as u8) => {
                line + &results(vector, ax, cpu, hw)
            }
            _ => line,
        };
        if line == self.last {
            self.repeats += 1;
            return;
        }
        self.tell_repeats(write);
        write(&line);
        self.last = line;
    }

    /// Writes the pending calls at the end of the run.
    pub fn finish(&mut self, write: &mut dyn FnMut(&str)) {
        self.tell_repeats(write);
        for call in std::mem::take(&mut self.pending) {
            write(&format!("{} ...", call.line));
        }
    }

    fn tell_repeats(&mut self, write: &mut dyn FnMut(&str)) {
        match std::mem::take(&mut self.repeats) {
            0 => {}
            1 => write("  once more"),
            repeats => write(&format!("  {repeats} times more")),
        }
    }
}

/// Returns a call by an INT before the address `back`: its place, its name and its arguments.
fn described(
    programs: &mut Programs,
    vector: u8,
    back: (u16, u16),
    registers: &Registers,
    hw: &Hardware,
) -> String {
    let service = Service::new(vector, registers.ax());
    let place = programs.place_text(back.0, back.1.wrapping_sub(2));
    let takes = arguments::of(vector, registers.ax()).map(|row| row.takes);
    let unknown =
        [Item::Hex("BX", Registers::bx), Item::Hex("CX", Registers::cx), Item::Hex("DX", Registers::dx)];
    let items = takes.unwrap_or(if service.function().is_some() { &[] } else { &unknown });
    let texts: Vec<String> = items.iter().map(|item| item.text(registers, hw)).collect();
    let blank = if texts.is_empty() { "" } else { " " };
    format!("{place}  {}{blank}{}", called(service), texts.join(", "))
}

/// `INT 21h/3Dh open existing file`.
fn called(service: Service) -> String {
    service.to_string().replacen(" AH=", "/", 1).replacen(" AX=", "/", 1)
}

fn results(vector: u8, ax: u16, cpu: &Cpu, hw: &Hardware) -> String {
    let registers = &cpu.regs;
    let ah = (ax >> 8) as u8;
    let carry = caller_flags(registers, hw) & Flags::CF != 0;
    let by_carry = match vector {
        0x21 => dos::tells_errors_by_carry(ah),
        0x13 | 0x15 => true,
        _ => false,
    };
    if by_carry && carry {
        return match vector {
            0x21 => format!(" -> error {}{}", registers.ax(), error_name(registers.ax())),
            _ => format!(" -> error {:02X}h", registers.ah()),
        };
    }
    let gives = arguments::of(vector, ax).map_or(&[][..], |row| row.gives);
    let texts: Vec<String> = gives.iter().map(|item| item.text(registers, hw)).collect();
    if texts.is_empty() { String::new() } else { format!(" -> {}", texts.join(", ")) }
}

pub(super) fn error_name(code: u16) -> &'static str {
    match code {
        1 => ", invalid function",
        2 => ", file not found",
        3 => ", path not found",
        4 => ", too many open files",
        5 => ", access denied",
        6 => ", invalid handle",
        7 => ", memory blocks destroyed",
        8 => ", not enough memory",
        9 => ", not a memory block",
        11 => ", bad format",
        12 => ", bad access code",
        15 => ", no such drive",
        16 => ", current directory",
        18 => ", no more files",
        80 => ", the file exists",
        _ => "",
    }
}

/// Returns whether hardware interrupts or DOS itself make this call: timer, keyboard, clock, the
/// keyboard intercept, idle, and program termination.
fn is_of_hardware(vector: u8, ah: u8) -> bool {
    matches!((vector, ah), (0x08 | 0x09 | 0x1C | 0x22 | 0x28 | 0x70 | 0xF8, _) | (0x15, 0x4F))
}
