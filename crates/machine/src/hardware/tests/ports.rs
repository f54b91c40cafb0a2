//! Programs that access ports run translated and interpreted, each on its own board.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::video::{compare, modes, output, pair, repeated_body};

/// Ports of all chips, and some of none.
const PORTS: [u16; 48] = [
    0x00, 0x01, 0x08, 0x0C, 0x20, 0x21, 0x40, 0x41, 0x42, 0x43, 0x43, 0x40, 0x42, 0x60, 0x61, 0x61, 0x64,
    0x70, 0x71, 0x80, 0x92, 0xA0, 0xA1, 0xC0, 0xF0, 0xF1, 0x201, 0x378, 0x3BA, 0x3C0, 0x3C1, 0x3C2, 0x3C4,
    0x3C5, 0x3C6, 0x3C7, 0x3C8, 0x3C9, 0x3C9, 0x3CE, 0x3CF, 0x3D4, 0x3D5, 0x3DA, 0x3DA, 0x3F8, 0x3FD, 0xFFFF,
];

/// IN or OUT of a byte, a word or a doubleword.
fn access() -> impl Strategy<Value = Vec<u8>> {
    let by_number = (select(PORTS.to_vec()), select(vec![0xE4u8, 0xE5, 0xE6, 0xE7]))
        .prop_map(|(port, code)| vec![code, port as u8]);
    let by_dx = (select(PORTS.to_vec()), select(vec![0xECu8, 0xED, 0xEE, 0xEF])).prop_map(|(port, code)| {
        let [low, high] = port.to_le_bytes();
        vec![0xBA, low, high, code]
    });
    let value = prop_oneof![1 => Just(None), 1 => any::<u8>().prop_map(Some)];
    (prop_oneof![by_number, by_dx], value, select(vec![false, false, true])).prop_map(
        |(mut code, value, is_wide)| {
            if is_wide {
                code.insert(code.len() - if code[0] == 0xBA { 1 } else { 2 }, 0x66);
            }
            let load = value.map_or(vec![], |value| vec![0xB0, value]);
            [load, code].concat()
        },
    )
}

fn instruction() -> impl Strategy<Value = Vec<u8>> {
    let other = select(vec![
        vec![0x01u8, 0xC3],
        vec![0x11, 0xC3],
        vec![0x38, 0xD8],
        vec![0x43],
        vec![0x88, 0x07],
        vec![0x26, 0x88, 0x07],
        vec![0x26, 0x02, 0x07],
        vec![0x50, 0x51, 0x52, 0x5A, 0x59, 0x58],
        vec![0x88, 0xE0],
    ]);
    // FNINIT; FLDCW with another rounding; FILD, FIDIV and FISTP of words.
    let of_coprocessor = select(vec![
        vec![0xDBu8, 0xE3],
        vec![0xC7, 0x47, 0x08, 0x7F, 0x0F, 0xD9, 0x6F, 0x08],
        vec![0xC7, 0x47, 0x04, 0x03, 0x00, 0xDF, 0x47, 0x02, 0xDE, 0x77, 0x04],
        vec![0xDF, 0x5F, 0x06],
        vec![0xFF, 0x47, 0x02],
    ]);
    prop_oneof![4 => access(), 2 => other, 2 => of_coprocessor, 2 => of_display()]
}

/// OUT to registers of the display adapter that decide how the processor accesses its memory.
fn of_display() -> impl Strategy<Value = Vec<u8>> {
    (pair(), select(vec![(true, true), (true, false), (false, true)])).prop_map(output)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn translated_loops_on_ports_run_alike(
        body in prop_oneof![
            2 => vec(instruction(), 1..12),
            1 => vec(prop_oneof![2 => of_display(), 1 => Just(vec![0x26, 0x88, 0x0F, 0x43])], 3..12),
        ],
        set_up in select(modes()),
        slices in vec(5u64..400, 1..12),
    ) {
        let registers = [0, 1, 2, 0x200, 0x1000, 0, 0, 0];
        prop_assert!(compare(&repeated_body(&body.concat()), registers, [0x2000, 0xA000], &set_up, slices));
    }
}

/// The host's x87 keeps the rounding of the program's control word after the bus was called.
#[test]
fn an_access_between_coprocessor_instructions_keeps_the_rounding() {
    // fninit; mov word [bx+8], 0F7Fh (towards 0); fldcw [bx+8]; mov word [bx+2], 5; mov word [bx+4], 3
    let set_up = [
        &[0xDB, 0xE3, 0xC7, 0x47, 8, 0x7F, 0x0F, 0xD9, 0x6F, 8][..],
        &[0xC7, 0x47, 2, 5, 0, 0xC7, 0x47, 4, 3, 0],
    ];
    // fild word [bx+2]; fidiv word [bx+4]; out 80h, al; fistp word [bx+6]; add dx, [bx+6]
    let body = [0xDF, 0x47, 2, 0xDE, 0x77, 4, 0xE6, 0x80, 0xDF, 0x5F, 6, 0x03, 0x57, 6];
    let code = [set_up.concat(), repeated_body(&body)].concat();
    assert!(compare(&code, [0, 0, 0, 0x200, 0x1000, 0, 0, 0], [0x2000; 2], &modes()[0], [400]));
}

/// OUT to the map mask in chain-4 mode, which the program has just selected, has another effect.
#[test]
fn a_mode_that_was_just_selected_decides_what_the_map_mask_does() {
    // mov dx, 3C4h; mov ax, 0E04h (chain 4); out dx, ax; mov ax, 0302h (map mask); out dx, ax; mov es:[bx], cl;
    // inc bx; mov ax, 0604h; out dx, ax; mov ax, 0F02h; out dx, ax; inc cx
    let body = [
        &[0xBA, 0xC4, 0x03, 0xB8, 0x04, 0x0E, 0xEF, 0xB8, 0x02, 0x03, 0xEF, 0x26, 0x88, 0x0F][..],
        &[0x43, 0xB8, 0x04, 0x06, 0xEF, 0xB8, 0x02, 0x0F, 0xEF, 0x41],
    ];
    let registers = [0, 0x41, 0, 0x200, 0x1000, 0, 0, 0];
    assert!(compare(&repeated_body(&body.concat()), registers, [0x2000, 0xA000], &modes()[1], [50; 6]));
}
