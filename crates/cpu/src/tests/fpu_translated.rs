//! Compares translated coprocessor instructions with the interpreter's.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::boundaries::{memory_differs, run_to_halt, state};
use super::program::{Machine, hex};
use super::translated::{entries, run_alike, translated};
use crate::{Blocks, Bus, Model};

/// The linear address of the operands, in the data segment.
const OPERANDS: u32 = 0x2_0200;

fn machine(code: &[u8], blocks: Blocks<crate::flat::Flat>) -> Machine {
    let mut machine = Machine::new(Model::I386, code, blocks);
    machine.cpu.install_coprocessor();
    for (at, value) in (0..).zip([1.5f64, -2.25, 3.0, 0.1, 1e300, 1e-300, 7.0, 1.0 / 3.0]) {
        machine.bus.write_bytes(OPERANDS + 8 * at, &value.to_le_bytes());
    }
    machine
}

/// A step of the Mandelbrot set, and the other formats.
#[test]
fn calculations_stay_in_translated_code() {
    let rows = [
        ("fld, fmul, fadd, fsubr, fstp", "DD 06 00 02 DC 0E 08 02 DE C9 D9 C0 DC 2E 18 02 DE C1 DD 1E 40 02"),
        ("fild, fidiv, fistp", "DF 06 10 02 DE 36 06 02 DF 1E 42 02"),
        ("fld dword, fsqrt, frndint, fstp dword", "D9 06 06 02 D9 E1 D9 FA D9 FC D9 1E 44 02"),
        ("fcomp, fstsw ax, sahf", "D9 C1 DC 1E 08 02 9B DF E0 9E"),
        ("fxch, fchs, fdivp, fld st, fstp st", "D9 C1 D9 C9 D9 E0 D9 C1 D8 F2 DD DA D9 C9 DE C1 D9 C0"),
        (
            "fld tbyte, fstp tbyte, fld1, fldz, fcompp, ftst",
            "DB 2E 00 02 DB 3E 50 02 D9 E8 D9 EE DE D9 D9 E4",
        ),
        ("fild qword, fistp qword, fucom", "DF 2E 06 02 DF 3E 60 02 DD E1"),
        ("fnstcw, fldcw, fistp, fnstsw", "D9 3E 70 02 D9 2E 70 02 D9 C0 DB 1E 74 02 DD 3E 78 02"),
        ("constants", "D9 E9 D9 EA DE C1 D9 EB D9 EC DE C1 DE C1 D9 ED DE C1 DD 1E 40 02"),
        ("fsin, fptan, fyl2x, fxam", "D9 C0 D9 FE D9 F2 D9 F1 D9 E5 DD 1E 40 02"),
        ("fincstp, fdecstp, ffree, fnclex, finit", "D9 F7 D9 F6 DD C7 DB E2 DB E3 D9 E8"),
    ];
    for (name, body) in rows {
        // finit; fld1; fldpi; mov cx, 400; body; loop; fstenv [300h]; hlt
        let body = hex(body);
        let back = -(body.len() as i8) - 2;
        let start = hex("9B DB E3 D9 E8 D9 EB B9 90 01");
        let code = [&start[..], &body, &[0xE2, back as u8], &hex("D9 36 00 03 F4")].concat();
        let (mut plain, mut translated) = (machine(&code, Blocks::uncached()), machine(&code, translated()));
        run_to_halt(&mut plain);
        run_to_halt(&mut translated);
        assert_eq!(translated.cpu.fpu, plain.cpu.fpu, "{name}");
        assert_eq!(state(&translated.cpu), state(&plain.cpu), "{name}");
        assert_eq!(memory_differs(&translated, &plain), None, "{name}");
        let entries = entries(&translated.blocks);
        assert!(entries < 12, "{name}: {entries} entries");
    }
}

/// The host's constants with each rounding and precision.
#[test]
fn constants_are_those_of_the_interpreter() {
    let controls =
        (0..4).flat_map(|rounding| [0x7Fu16, 0x27F, 0x37F].map(|control| control | rounding << 10));
    for control in controls {
        // mov cx, 3; finit; fldcw [1F0h]; fldl2t to fldln2; fsave [300h]; loop; hlt
        let code = hex("B9 03 00 DB E3 D9 2E F0 01 D9 E9 D9 EA D9 EB D9 EC D9 ED DD 36 00 03 E2 EA F4");
        let (mut plain, mut fast) = (machine(&code, Blocks::uncached()), machine(&code, translated()));
        for machine in [&mut plain, &mut fast] {
            machine.bus.write16(OPERANDS - 0x10, control);
            run_to_halt(machine);
        }
        assert_eq!(memory_differs(&fast, &plain), None, "{control:X}");
    }
}

/// An offset of 32 bits from -8 on: the last bytes of the operand would be within the segment.
#[test]
fn an_operand_whose_offset_wraps_is_refused() {
    for (name, disp) in
        [("FLD m64", "DD 40"), ("FSTP m64", "DD 58"), ("FLD m80", "DB 68"), ("FSTP m80", "DB 78")]
    {
        for below in 1..=9u8 {
            // finit; fld1; inc bx, 16 times; the instruction with [eax-below]; hlt
            let more = "43 ".repeat(16);
            let code = hex(&format!("DB E3 D9 E8 {more}67 {disp} {:02X} F4", below.wrapping_neg()));
            let (mut plain, mut fast) = (machine(&code, Blocks::uncached()), machine(&code, translated()));
            for machine in [&mut plain, &mut fast] {
                let _ = machine.cpu.run(&mut machine.blocks, &mut machine.bus, 500);
            }
            assert_eq!(fast.cpu.fpu, plain.cpu.fpu, "{name}");
            assert_eq!(state(&fast.cpu), state(&plain.cpu), "{name}");
        }
    }
}

/// Draws a coprocessor instruction: on registers, or on an operand in memory.
fn instruction() -> impl Strategy<Value = Vec<u8>> {
    let known = select(vec![
        0xD9C0u16, 0xD9C1, 0xD9C9, 0xD9E0, 0xD9E1, 0xD9E4, 0xD9E8, 0xD9EE, 0xD9FA, 0xD9FC, 0xDDD1, 0xDDD9,
        0xDDE1, 0xDDE9, 0xDAE9, 0xDFE0, 0xDED9, 0xDEC1, 0xDEC9, 0xDEE1, 0xDEE9, 0xDEF1, 0xDEF9, 0xDEC0,
        0xDBE2, 0xD9EB, 0xDDC0, 0xD9F7,
    ])
    .prop_map(|code| code.to_be_bytes().to_vec());
    // No environment, FLDCW, FNSTCW and FNSTSW to 1F0h and beyond.
    let any_register = (select(vec![0xD8u8, 0xD9, 0xDA, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF]), 0xC0u8..)
        .prop_map(|(first, second)| vec![first, second]);
    let is_known = |(first, row): &(u8, u8)| !matches!((*first, *row), (0xD9 | 0xDD, 4..) | (0xDF, 4 | 6));
    let control = (select(vec![(0xD9, 5), (0xD9, 7), (0xDD, 7)]), select(vec![0xF0u8, 0xF2, 0xF4, 0xF6]))
        .prop_map(|((first, row), place)| vec![first, row << 3 | 6, place, 1]);
    let rows: Vec<(u8, u8)> =
        (0xD8..=0xDF).flat_map(|first| (0..8).map(move |row| (first, row))).filter(is_known).collect();
    let memory =
        (select(rows), 0u8..16).prop_map(|((first, row), place)| vec![first, row << 3 | 6, 4 * place, 2]);
    // WAIT, SAHF, LAHF, and others between them.
    let between = select(vec![
        vec![0x9Bu8],
        vec![0x9E],
        vec![0x9F],
        vec![0x43],
        vec![0x01, 0xC8],
        vec![0xF7, 0xE1],
        vec![0x75, 0x00],
        vec![0x73, 0x02],
        vec![0x77, 0x04],
        vec![0x01, 0x06, 0x10, 0x02],
    ]);
    prop_oneof![6 => known, 2 => any_register, 8 => memory, 2 => control, 3 => between]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn random_calculations_run_alike(
        body in vec(instruction(), 1..30),
        control in select(vec![0x037Fu16, 0x027F, 0x007F, 0x0B7F, 0x077F, 0x0F7F, 0x0372, 0x035F, 0x1332, 0x017F]),
        other in any::<u16>(),
        operands in vec(any::<u64>(), 0..3),
        slices in vec(1u64..200, 1..12),
        after in prop_oneof![Just(None), (0u32..3).prop_map(Some)],
    ) {
        // fldcw [1F0h]; mov bp, 12; body; dec bp; jnz; hlt
        let body = body.concat();
        let back = (-(body.len() as i16) - 5).to_le_bytes();
        let code = [&hex("D9 2E F0 01 BD 0C 00")[..], &body, &[0x4D, 0x0F, 0x85], &back, &[0xF4]].concat();
        let mut blocks = Blocks::new();
        blocks.translate_after(after);
        let mut machines = [blocks, Blocks::uncached()].map(|blocks| machine(&code, blocks));
        for machine in &mut machines {
            for (at, word) in (0..).zip([control, 0x037F, 0x0F7F, other]) {
                machine.bus.write16(OPERANDS - 0x10 + 2 * at, word);
            }
            for (at, value) in (0..).zip(&operands) {
                machine.bus.write_bytes(OPERANDS + 12 * at, &value.to_le_bytes());
            }
        }
        run_alike(&mut machines, slices)?;
    }
}
