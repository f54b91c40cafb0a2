//! Programs that change their own code, with and without blocks.

use proptest::collection::vec;
use proptest::prelude::*;

use super::boundaries::{memory_differs, run_to_halt, state};
use super::program::{CODE, Machine, START, hex};
use super::translated::{instruction, machines, repeated, run_alike, translated};
use crate::block::Block;
use crate::flat::Flat;
use crate::translate::Translator;
use crate::{Blocks, Bus, Model};

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

/// Two routines are copied to the same place in turn, and each is called ten times.
#[test]
fn an_overlay_is_decoded_and_translated_once() {
    // push cs; pop ds; push cs; pop es; mov bp, 2000; again: mov si, first; test bp, 1; jz copy; mov si, second;
    // copy: mov di, place; mov cx, 16; rep movsb; mov cx, 10; call place; loop; dec bp; jnz again; hlt; nop
    let mut code = hex(
        "0E 1F 0E 07 BD D0 07 BE 30 01 F7 C5 01 00 74 03 BE 40 01 BF 50 01 B9 10 00 F3 A4 B9 0A 00 E8 2F 00 E2 FB 4D 75 E1 F4",
    );
    code.resize(0x30, 0x90);
    for add in [[0x83u8, 0xC3, 0x03], [0x83, 0xEB, 0x05]] {
        // add bx, 3 or sub bx, 5; rol dx, 1, and others; ret
        code.extend(add);
        code.extend(hex("D1 C2 40 42 31 D0 40 42 31 D0 40 40 C3"));
    }
    let mut plain = Machine::new(Model::I386, &code, Blocks::uncached());
    let mut blocks = Blocks::new();
    blocks.translate_after(Some(20));
    let mut machine = Machine::new(Model::I386, &code, blocks);
    run_to_halt(&mut plain);
    run_to_halt(&mut machine);
    assert_eq!(state(&machine.cpu), state(&plain.cpu));
    assert_eq!(machine.cpu.regs.bx(), 10_000u16.wrapping_mul(3).wrapping_sub(50_000u32 as u16));
    let made = machine.blocks.translator.as_ref().map_or(0, Translator::made);
    assert!(made < 12, "{made} translations");
    let place = u32::from(CODE) * 16 + 0x150;
    let is_of_routine = |block: &&Block<Flat>| block.code.is_some() && block.bytes.0 == place;
    assert_eq!(machine.blocks.arena.iter().filter(is_of_routine).count(), 2, "translations of the routines");
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

    /// Programs are written to the same place in turn, and some of their bytes are changed.
    #[test]
    fn programs_that_replace_each_other_run_alike(
        bodies in vec(vec(instruction(), 1..12), 2..4),
        order in vec((any::<prop::sample::Index>(), prop::option::of((0u32..40, any::<u8>()))), 1..40),
        registers in any::<[u32; 8]>(),
        slice in 1u64..400,
        after in prop_oneof![Just(None), (0u32..3).prop_map(Some)],
    ) {
        let programs: Vec<_> = bodies.iter().map(|body| repeated(20, &body.concat())).collect();
        let mut machines = machines(&programs[0], registers, after);
        for (program, change) in order {
            for machine in &mut machines {
                let mut bytes = program.get(&programs).clone();
                if let Some((place, bits)) = change
                    && let Some(byte) = bytes.get_mut(place as usize)
                {
                    *byte ^= bits & bits >> 4;
                }
                for (at, byte) in (0..).zip(bytes) {
                    machine.bus.write8(u32::from(CODE) * 16 + START + at, byte);
                }
                machine.cpu.regs.ip = START;
            }
            run_alike(&mut machines, vec![slice])?;
        }
    }

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
