//! Behaviour of the 8087 and 80287 that differs from the 80387.

use super::super::Fpu;
use super::super::environment::Environment;
use super::super::extended::Extended;
use super::super::memory::{Memory, Transfer};
use super::super::model::Model::{self, I8087, I80287, I80387};

const ALL: &[Model] = &[I8087, I80287, I80387];
const OLD: &[Model] = &[I8087, I80287];
const NEW: &[Model] = &[I80387];

/// Executes instructions in hexadecimal, each followed by a slash and the bytes of its memory
/// operand. Returns the operand bytes of the last store.
fn run(fpu: &mut Fpu, program: &str) -> Vec<u8> {
    let mut stored = Vec::new();
    let byte = |text: &str| u8::from_str_radix(text, 16).unwrap();
    for word in program.split_whitespace() {
        let (code, operand) = word.split_once('/').unwrap_or((word, ""));
        let opcode = u16::from(byte(&code[..2]) & 7) << 8 | u16::from(byte(&code[2..]));
        if opcode & 0xC0 == 0xC0 {
            stored.extend(fpu.execute(opcode, 0x1_2345).into_iter().flat_map(u16::to_le_bytes));
            continue;
        }
        let instruction = Memory::new(opcode, Environment::Word);
        match instruction.transfer() {
            Transfer::Load(bytes) => {
                let operand: Vec<u8> =
                    (0..operand.len() / 2).map(|i| byte(&operand[2 * i..2 * i + 2])).collect();
                assert_eq!(operand.len(), bytes, "{word}");
                fpu.load(instruction, &operand, 0x1_2345, 0x5_4321);
            }
            Transfer::Store(bytes) => {
                stored
                    .extend(fpu.store(instruction, 0x1_2345, 0x5_4321).iter().flat_map(|all| &all[..bytes]));
            }
        }
    }
    stored
}

fn text(value: Option<Extended>) -> String {
    value.map_or("empty".to_owned(), |value| format!("{:04X}.{:016X}", value.head, value.significand))
}

#[test]
fn models() {
    // Models, description, instructions, ST(0), status word.
    let rows: &[(&[Model], &str, &str, &str, u16)] = &[
        (OLD, "infinity has no sign", "D9E8 D9EE DEF9 D9C0 D9E0 DED9", "empty", 0x4004),
        (NEW, "infinities have signs", "D9E8 D9EE DEF9 D9C0 D9E0 DED9", "empty", 0x0104),
        (OLD, "with affine closure too", "D928/7F13 D9E8 D9EE DEF9 D9C0 D9E0 DED9", "empty", 0x0104),
        (OLD, "infinity is in no order", "D9E8 D9EE DEF9 D9E4", "7FFF.8000000000000000", 0x7D05),
        (NEW, "infinity is positive", "D9E8 D9EE DEF9 D9E4", "7FFF.8000000000000000", 0x3804),
        (OLD, "every NaN signals", "D900/0000C07F D8C0", "7FFF.C000000000000000", 0x3801),
        (NEW, "a quiet NaN is quiet", "D900/0000C07F D8C0", "7FFF.C000000000000000", 0x3800),
        (OLD, "a NaN is loaded as it is", "D900/0100807F", "7FFF.8000010000000000", 0x3800),
        (NEW, "loading makes a NaN quiet", "D900/0100807F", "7FFF.C000010000000000", 0x3801),
        (OLD, "a denormal is loaded as an unnormal", "D900/00000100", "3F81.0100000000000000", 0x3802),
        (NEW, "a denormal is loaded normalised", "D900/00000100", "3F7A.8000000000000000", 0x3802),
        (OLD, "an unnormal is a number", "DB28/00000000000000400040 D8C0", "4000.8000000000000000", 0x3800),
        (NEW, "an unnormal is invalid", "DB28/00000000000000400040 D8C0", "FFFF.C000000000000000", 0x3801),
        (
            OLD,
            "a pseudo-infinity is infinity",
            "DB28/0000000000000000FF7F D9E0 D8C8",
            "7FFF.8000000000000000",
            0x3800,
        ),
        (
            NEW,
            "a pseudo-infinity is invalid",
            "DB28/0000000000000000FF7F D9E0 D8C8",
            "FFFF.C000000000000000",
            0x3801,
        ),
        (OLD, "the root of a denormal", "DB28/01000000000000000000 D9FA", "FFFF.C000000000000000", 0x3803),
        (NEW, "the root of a denormal", "DB28/01000000000000000000 D9FA", "1FE0.B504F333F9DE6484", 0x3822),
        (OLD, "constants are rounded to the nearest", "D928/7F0F D9EB", "4000.C90FDAA22168C235", 0x3800),
        (NEW, "constants are rounded as all is", "D928/7F0F D9EB", "4000.C90FDAA22168C234", 0x3800),
        (OLD, "zero is extracted as zeros", "D9EE D9F4", "0000.0000000000000000", 0x3000),
        (NEW, "zero has no exponent", "D9EE D9F4 D9C9", "FFFF.8000000000000000", 0x3004),
        (OLD, "the stack's fault is not told", "D9FA", "FFFF.C000000000000000", 0x0001),
        (NEW, "the stack's fault is told", "D9FA", "FFFF.C000000000000000", 0x0041),
        (OLD, "FSIN is not there", "D9E8 D9FE", "3FFF.8000000000000000", 0x3800),
        (NEW, "FSIN is there", "D9E8 D9FE", "3FFE.D76AA47848677021", 0x3A20),
        (OLD, "FINIT leaves the condition codes", "D9EE D9E4 DBE3", "empty", 0x4000),
        (NEW, "FINIT clears the condition codes", "D9EE D9E4 DBE3", "empty", 0x0000),
    ];
    for (models, what, program, top, status) in rows {
        for model in *models {
            let mut fpu = Fpu::new(*model);
            run(&mut fpu, program);
            assert_eq!((text(fpu.st(0)).as_str(), fpu.status_word()), (*top, *status), "{model:?}: {what}");
        }
    }
}

#[test]
fn words() {
    // Models, instructions, bytes stored.
    let rows: &[(&[Model], &str, &str)] = &[
        (&[I8087], "D938", "FF03"),
        (&[I80287, I80387], "D938", "7F03"),
        (&[I8087], "DBE0 D938 DBE1 D938", "7F03FF03"),
        (&[I80287, I80387], "DBE0 D938", "7F03"),
        (ALL, "DD38", "0000"),
        (&[I8087], "D9E8 DFE0", ""),
        (&[I80287, I80387], "D9E8 DFE0", "0038"),
        (&[I8087], "D9E8 D9EE D930", "FF030030FF1F4523EE1100000000"),
        (&[I80287, I80387], "D9E8 D9EE D930", "7F030030FF1F4523EE1100000000"),
        (&[I80387], "DF00/0100 D930", "7F030038FF3F4523001721430050"),
    ];
    for (models, program, bytes) in rows {
        for model in *models {
            let mut fpu = Fpu::new(*model);
            let stored: String = run(&mut fpu, program).iter().map(|byte| format!("{byte:02X}")).collect();
            assert_eq!(stored, *bytes, "{model:?}: {program}");
        }
    }
}

#[test]
fn packed_decimal_goes_through() {
    let mut fpu = Fpu::new(I80387);
    assert_eq!(run(&mut fpu, "DF20/56341200000000000080 DF30"), [0x56, 0x34, 0x12, 0, 0, 0, 0, 0, 0, 0x80]);
}

/// Tests detection of the coprocessor: FNINIT, then FNSTSW and FNSTCW into words with other values.
#[test]
fn is_found() {
    for model in ALL {
        let mut fpu = Fpu::new(*model);
        let words = run(&mut fpu, "DBE3 DD38 D938");
        assert_eq!((words[..2].to_vec(), words[3]), (vec![0, 0], 3), "{model:?}");
    }
}

#[test]
fn exceptions_that_are_not_masked_are_pending() {
    // Invalid operation: FLDCW, FSQRT of an empty register; then FLDCW masks it, and FCLEX clears
    // it.
    for model in ALL {
        let mut fpu = Fpu::new(*model);
        run(&mut fpu, "D928/7E03 D9FA");
        assert!(fpu.has_error() && fpu.status_word() & 0x8081 == 0x8081, "{model:?}");
        run(&mut fpu, "D928/7F03");
        assert!(!fpu.has_error());
        run(&mut fpu, "D928/7E03");
        assert!(fpu.has_error());
        run(&mut fpu, "DBE2");
        assert!(!fpu.has_error() && fpu.status_word() & 0x80FF == 0);
    }
    // FDISI disables the interrupt of the 8087.
    let mut fpu = Fpu::new(I8087);
    run(&mut fpu, "D928/FE03 D9FA");
    assert!(!fpu.has_error());
    run(&mut fpu, "DBE0");
    assert!(fpu.has_error());
}
