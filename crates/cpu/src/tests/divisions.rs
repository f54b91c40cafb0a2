//! Compares translated multiplications and divisions with the interpreter's, at boundary values.

use super::boundaries::{State, state};
use super::program::{CODE, DATA, HANDLERS, Machine, START, hex};
use crate::registers::Reg;
use crate::{Blocks, Exit, Model};

/// Instructions with a divisor or factor in CX, CL, CH, AH, DX, AX or at DS:200h.
const FORMS: [&str; 14] = [
    "F6 F1",
    "F6 F9",
    "F6 F5",
    "F6 FC",
    "F6 36 00 02",
    "F6 3E 00 02",
    "F7 F1",
    "F7 F9",
    "F7 F2",
    "F7 F8",
    "F7 36 00 02",
    "F7 3E 00 02",
    "F6 2E 00 02",
    "F7 E9",
];

/// The forms of the 80386: 32 bits, and IMUL with two and three operands.
const WIDE_FORMS: [&str; 9] = [
    "66 F7 F1",
    "66 F7 F9",
    "66 F7 36 00 02",
    "66 F7 3E 00 02",
    "0F AF C1",
    "6B C1 F9",
    "69 16 00 02 34 12",
    "66 0F AF D1",
    "66 69 06 00 02 00 00 00 80",
];

const HLT: u8 = 0xF4;

const VALUES: [u32; 15] = [
    0,
    1,
    2,
    0x7F,
    0x80,
    0xFF,
    0x100,
    0x7FFF,
    0x8000,
    0x8001,
    0xFFFF,
    0x1_0000,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
];

/// Executes the program at START with these values of EAX, EDX and ECX, which is also at DS:200h.
/// The handler of #DE halts.
fn run(machine: &mut Machine, [a, d, c]: [u32; 3]) -> (State, Exit) {
    const LIMIT: u64 = 60;
    /// Cycles between two runs. A translation that is left more often is given up.
    const APART: u64 = 100;
    const FLAGS: u32 = 0x8D7;
    machine.cpu.regs.gpr = [0x1234_5678; 8];
    machine.cpu.regs.set_sp(0x1000);
    for (register, value) in [(Reg::A, a), (Reg::D, d), (Reg::C, c)] {
        machine.cpu.regs.gpr[register as usize] = value;
    }
    machine.bus.write_bytes(u32::from(DATA) * 16 + 0x200, &c.to_le_bytes());
    machine.cpu.regs.set_cs(CODE);
    machine.cpu.regs.ip = START;
    machine.cpu.regs.flags = FLAGS;
    machine.cpu.cycles = machine.cpu.cycles.next_multiple_of(APART);
    let limit = machine.cpu.cycles + LIMIT;
    let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, limit);
    (state(&machine.cpu), exit)
}

fn agree(model: Model, form: &str, values: &[u32]) {
    // The instruction; mov si, di several times, so that it is worth a translation; hlt.
    let code = hex(&format!("{form} {} F4", "89 FE ".repeat(20)));
    let mut translated = Machine::new(model, &code, Blocks::new());
    let mut plain = Machine::new(model, &code, Blocks::uncached());
    for machine in [&mut translated, &mut plain] {
        machine.bus.write_bytes(u32::from(HANDLERS) * 16, &[HLT]);
    }
    for &a in values {
        // A translation that is left too often is given up later.
        translated.blocks.translate_after(Some(0));
        for &d in values {
            for &c in values {
                let values = [a, d, c];
                assert_eq!(
                    run(&mut translated, values),
                    run(&mut plain, values),
                    "{model:?} {form} {values:X?}"
                );
            }
        }
        assert!(translated.blocks.arena.iter().any(|block| block.code.is_some()), "{model:?} {form}");
    }
}

#[test]
fn multiplications_and_divisions_agree_at_boundaries() {
    for form in FORMS {
        for model in [Model::I8086, Model::I286, Model::I386] {
            agree(model, form, &VALUES[..11]);
        }
    }
    for form in WIDE_FORMS {
        agree(Model::I386, form, &VALUES);
    }
}
