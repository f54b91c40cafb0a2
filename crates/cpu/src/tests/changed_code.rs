//! Programs that change their own code, with and without blocks.

use proptest::collection::vec;
use proptest::prelude::*;

use super::boundaries::{memory_differs, run_to_halt, state};
use super::program::{DATA, Machine, START, hex};
use super::translated::{instruction, translated};
use crate::translate::Translator;
use crate::{Blocks, Exit, Model};

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
        // mov bp, 300; xor byte cs:[..], ..; body; dec bp; jnz; hlt
        let body = instructions.concat();
        let changed = START as usize + 3 + 6 * changes.len();
        let mut code = vec![0xBD, 0x2C, 0x01];
        for (place, bits, fewer) in changes {
            let [low, high] = ((changed + place.index(body.len())) as u16).to_le_bytes();
            code.extend([0x2E, 0x80, 0x36, low, high, bits >> fewer]);
        }
        code.extend(body);
        code.extend([0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x4D, 0x0F, 0x85]);
        let back = (3 - (code.len() as i16 + 2)).to_le_bytes();
        code.extend(back);
        code.push(0xF4);
        code
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
        let mut machine = Machine::new(Model::I386, &code, Blocks::new());
        machine.blocks.translate_after(after);
        let mut stepped = Machine::new(Model::I386, &code, Blocks::uncached());
        for machine in [&mut machine, &mut stepped] {
            machine.cpu.regs.gpr = registers;
            machine.cpu.regs.set_sp(0x1000);
            machine.cpu.regs.set_es(DATA + 0x10);
        }
        for slice in slices {
            let deadline = machine.cpu.cycles + slice;
            let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, deadline);
            let stepped_exit = stepped.cpu.run(&mut stepped.blocks, &mut stepped.bus, deadline);
            prop_assert_eq!((exit, state(&machine.cpu)), (stepped_exit, state(&stepped.cpu)));
            if exit != Exit::Deadline {
                break;
            }
        }
        prop_assert_eq!(memory_differs(&machine, &stepped), None);
    }
}
