//! Calls of BIOS and DOS with any registers: each must return.
//!
//! Input: calls of 16 bytes: the interrupt, AX, BX, CX, DX, SI, DI, and flags: DS:DX, DS:SI and
//! ES:DI often point to a name or a structure. Drive C: is in memory.

use oxbox::machine::{Config, Machine, Until};

/// The interrupts, the most used ones more than once.
const VECTORS: [u8; 16] =
    [0x21, 0x10, 0x21, 0x13, 0x15, 0x21, 0x16, 0x1A, 0x2F, 0x21, 0x11, 0x33, 0x67, 0x21, 0x25, 0x17];

/// The data at DS:0000, 0100 and so on.
const STRINGS: [&[u8]; 8] = [
    b"A.TXT\0",
    b"SUB\\..\\B.DAT\0",
    b"*.*\0",
    b"C:\\SUB\0",
    b"\0",
    b"\x03A       TXT\0\0\x10\0\0\0\0\0",
    b"\xFF\0\0\0\0\x10\0????????????\0\0",
    b"CON\0",
];

/// The size of the calls' code, and the start of the strings.
const CODE: usize = 0x4000;

fn vector(call: &[u8]) -> u8 {
    VECTORS[usize::from(call[0] & 15)]
}

pub(crate) fn run(input: &[u8]) {
    let mut program = Vec::new();
    for call in input.chunks_exact(16).take(CODE / 64) {
        let word = |at: usize| [call[at], call[at + 1]];
        // Usually the strings' segment.
        program.extend(if call[14] & 7 == 0 { [0xB8, call[12], call[13]] } else { [0x8C, 0xC8, 0x90] });
        program.extend([0x8E, 0xD8, 0x8E, 0xC0]);
        for (opcode, at) in [(0xBB, 4), (0xB9, 6), (0xBA, 8), (0xBE, 10), (0xBF, 12)] {
            let [low, high] = word(at);
            let points = matches!(opcode, 0xBA | 0xBE | 0xBF) && call[14] & 8 == 0;
            program.extend(if points { [opcode, 0, 0x41 + (high & 7)] } else { [opcode, low, high] });
        }
        program.extend([0xB8, call[2], call[3]]);
        program.extend([0xCD, vector(call)]);
    }
    program.extend([0xB8, 0x00, 0x4C, 0xCD, 0x21]);
    program.resize(CODE, 0x90);
    for string in STRINGS {
        let end = program.len() + 0x100;
        program.extend(string);
        program.resize(end, 0);
    }
    let Ok(mut machine) = Machine::new(&Config::default()) else { return };
    if machine.load(&program, "FUZZ.COM", "").is_err() {
        return;
    }
    let keys = input.iter().filter(|byte| **byte & 0xF0 == 0x50).take(20);
    for key in keys {
        let character = char::from(b'A' + (key & 15));
        if let Ok(key) = character.to_string().parse() {
            machine.type_key(key);
        }
    }
    machine.set_work_budget(0);
    machine.run(&Until { instructions: 200_000, ..Until::cycle(20_000_000) }, &mut ());
    // Drawing takes longer than all the calls, and differs only after calls of the video BIOS.
    if input.chunks_exact(16).any(|call| vector(call) == 0x10) {
        machine.still_frame();
    }
}
