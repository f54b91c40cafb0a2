//! Programs that change their own code, with and without blocks.

use proptest::collection::vec;
use proptest::prelude::*;

use super::boundaries::{memory_differs, run_to_halt, state};
use super::program::{Machine, START, hex};
use super::translated::{instruction, machines, repeated, run_alike, translated};
use crate::translate::Translator;
use crate::{Blocks, Model};

#[test]
fn an_opcode_that_changes_often_is_not_in_a_block() {
    // mov cx, 1000; again: xor byte cs:[y], 8; add bl, al; y: inc dx or dec dx; add ax, dx; loop again; hlt
    let code = hex("B9 E8 03 2E 80 36 0B 01 08 00 C3 42 01 D0 E2 F3 F4");
    let mut plain = Machine::new(Model::I386, &code, Blocks::uncached());
    let mut machine = Machine::new(Model::I386, &code, translated());
    run_to_halt(&mut plain);
    run_to_halt(&mut machine);
    assert_eq!(state(&machine.cpu), state(&plain.cpu));
    assert_eq!(memory_differs(&machine, &plain), None);
    let made = machine.blocks.translator.as_ref().map_or(0, Translator::made);
    assert!((2..100).contains(&made), "{made} translations");
}

/// Draws a loop of random instructions, and of instructions that change bits of a byte of the loop.
fn changing() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0u32..8);
    (vec(instruction(), 1..20), vec(change, 1..4)).prop_map(|(instructions, changes)| {
        let rest = instructions.concat();
        let changed = START as usize + 3 + 6 * changes.len();
        let mut body = Vec::new();
        for (place, bits, fewer) in changes {
            // xor byte cs:[..], ..
            let [low, high] = ((changed + place.index(rest.len())) as u16).to_le_bytes();
            body.extend([0x2E, 0x80, 0x36, low, high, bits >> fewer]);
        }
        body.extend(rest);
        repeated(300, &body)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn loops_that_change_themselves_run_alike(
        code in changing(),
        registers in any::<[u32; 8]>(),
        slices in vec(1u64..1500, 1..12),
        after in prop_oneof![Just(None), (0u32..3).prop_map(Some)],
    ) {
        run_alike(&mut machines(&code, registers, after), slices)?;
    }
}
