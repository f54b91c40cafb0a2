//! The interface between processor and coprocessor: operands, addresses, and error reporting.

use super::program::{DATA, HANDLERS, Machine, hex};
use crate::{Blocks, Exit, Model};
use Model::{I186, I286, I386, I8086};

const ALL: &[Model] = &[I8086, I186, I286, I386];
const FROM_286: &[Model] = &[I286, I386];
const TO_186: &[Model] = &[I8086, I186];

/// Runs code until HLT or until the IRET of an exception handler, with or without cache.
fn run(model: Model, code: &str, cached: bool) -> Machine {
    let blocks = if cached { Blocks::new() } else { Blocks::uncached() };
    let mut machine = Machine::new(model, &hex(code), blocks);
    machine.cpu.install_coprocessor();
    let Machine { cpu, bus, blocks } = &mut machine;
    while cpu.regs.cs() != HANDLERS && cpu.cycles < 1000 {
        if cpu.run(blocks, bus, cpu.cycles + 1) == Exit::Halt {
            break;
        }
    }
    machine
}

#[test]
fn instructions() {
    // Models, code up to HLT, bytes at DS:0200h after the run.
    let rows: &[(&[Model], &str, &str, &str)] = &[
        (ALL, "FLD1, FSTP m32", "D9 E8 D9 1E 00 02 F4", "00 00 80 3F 00"),
        (ALL, "FLDPI, FST m64 by BX+DI", "BB 00 01 BF 00 01 D9 EB DD 11 F4", "18 2D 44 54 FB 21 09 40"),
        (
            ALL,
            "FILD m16, FISTP m64",
            "C7 06 00 01 FE FF DF 06 00 01 DF 3E 00 02 F4",
            "FE FF FF FF FF FF FF FF",
        ),
        (ALL, "FNSTCW, WAIT", "9B D9 3E 00 02 9B 80 0E 00 02 40 F4", "7F"),
        (FROM_286, "FSTSW AX", "D9 E8 DF E0 A3 00 02 F4", "00 38"),
        // Offsets above FFFFh wrap to 0 of the segment.
        (TO_186, "an operand across the end", "B8 80 3F A3 00 00 D9 06 FE FF D9 1E 00 02 F4", "00 00 80 3F"),
        // Control, status, tags, then the addresses and the opcode of FILD m16 with its prefix.
        (TO_186, "FNSTENV", "3E DF 06 00 01 D9 36 00 02 F4", "FF 03 00 38 FF 7F 01 01 06 17 00 01 00 20"),
        (FROM_286, "FNSTENV", "3E DF 06 00 01 D9 36 00 02 F4", "7F 03 00 38 FF 7F 00 01 06 17 00 01 00 20"),
        (
            &[I386],
            "FNSTENV of 32 bits",
            "DF 06 00 01 66 D9 36 00 02 F4",
            "7F 03 FF FF 00 38 FF FF FF 7F FF FF 00 01 FF FF 06 17 00 00 00 01 FF FF 00 20 00 00",
        ),
        (&[I386], "ET of CR0", "0F 20 C0 66 A3 00 02 F4", "10 00 00 00"),
    ];
    for (models, name, code, bytes) in rows {
        let bytes = hex(bytes);
        for (model, cached) in models.iter().flat_map(|model| [(*model, true), (*model, false)]) {
            let machine = run(model, code, cached);
            let at = usize::from(DATA) * 16 + 0x200;
            // The control word of the 8087 and 80287 starts with FFh.
            let found = &machine.bus.bytes()[at..at + bytes.len()];
            let alike = found == bytes || *name == "FNSTCW, WAIT" && model <= I186 && found == [0xFF];
            assert!(alike, "{model:?} {name}: {found:02X?}");
        }
    }
}

#[test]
fn exceptions() {
    // Models, description, code, the vector at which the run ends.
    let rows: &[(&[Model], &str, &str, u16)] = &[
        (FROM_286, "ESC with EM", "B8 04 00 0F 01 F0 D9 E8", 7),
        (FROM_286, "ESC with TS", "B8 08 00 0F 01 F0 D9 E8", 7),
        (FROM_286, "WAIT with TS and MP", "B8 0A 00 0F 01 F0 9B", 7),
        (FROM_286, "an operand across the end", "D9 06 FE FF", 13),
        (FROM_286, "an operand that is stored across the end", "D9 EE DD 1E FC FF", 13),
        // FLDCW with all exceptions unmasked; FSQRT of an empty register.
        (TO_186, "an error is an NMI", "C7 06 00 01 40 03 D9 2E 00 01 D9 FA", 2),
    ];
    for (models, name, code, vector) in rows {
        for (model, cached) in models.iter().flat_map(|model| [(*model, true), (*model, false)]) {
            let machine = run(model, code, cached);
            assert_eq!(
                (machine.cpu.regs.cs(), machine.cpu.regs.ip),
                (HANDLERS, u32::from(vector * 16)),
                "{model:?} {name}"
            );
        }
    }
}
