//! Compares translated multiplications and divisions with the interpreter's, at boundary values.

use super::one_instruction::{Both, Inputs};
use super::program::hex;
use crate::Model;

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

/// Compares a form for these values of EAX, EDX and ECX, which is also at DS:200h.
fn agree(model: Model, form: &str, values: &[u32]) {
    const FLAGS: u32 = 0x8D7;
    let mut both = Both::new(model, &hex(form));
    for &a in values {
        for &d in values {
            for &c in values {
                both.agree(&Inputs { a, c, d, memory: c, flags: FLAGS });
            }
        }
    }
    both.assert_translated();
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
