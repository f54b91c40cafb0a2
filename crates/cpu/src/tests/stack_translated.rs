//! PUSH, POP, CALL and RET in windows of the stack, translated and interpreted.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::boundaries::{memory_differs, state};
use super::program::{CODE, DATA, Machine, STACK, hex};
use super::translated::{entries, repeated, translated};
use crate::{Blocks, Exit, Model, Segment};

/// An instruction on the stack, or one between two of them. BP counts the turns.
fn simple() -> impl Strategy<Value = Vec<u8>> {
    let on_stack = select(vec![
        "50",
        "53",
        "51",
        "56",
        "6A 80",
        "68 34 12",
        "FF 37",
        "FF 76 00",
        "06",
        "0E",
        "16",
        "1E",
        "58",
        "5B",
        "5A",
        "59",
        "66 50",
        "66 59",
        "66 6A FE",
        "66 FF 37",
        "8F 06 10 02",
        "66 8F 06 10 02",
    ]);
    let between = select(vec![
        "40",
        "01 D8",
        "11 C3",
        "D1 E0",
        "31 D8",
        "89 C3",
        "8B 07",
        "88 27",
        "02 06 00 02",
        "F7 E3",
        "38 E0",
        "39 D8 72 01 43",
        "40 75 02 50 5A",
        "0F A4 D0 04",
        "86 C4",
        "8D 5F 03",
    ]);
    let moves_sp = select(vec![
        "44",
        "4C",
        "83 C4 02",
        "83 EC 04",
        "9C",
        "60 61",
        "8B E4",
        "8D 64 FE",
        "54",
        "5C",
        "66 60 66 61",
        "66 9C 66 9D",
        "66 9C",
        "55 89 E5 C9",
        "66 55 89 E5 66 C9",
    ]);
    prop_oneof![
        10 => on_stack.prop_map(hex),
        5 => between.prop_map(hex),
        1 => moves_sp.prop_map(hex),
    ]
}

/// A call of a routine that follows it, and the jump behind the routine. The routine may release more
/// bytes, or return one byte further, over an INC AX, or, with a return address of 32 bits, beyond the segment.
fn call(body: Vec<u8>, is_wide: bool, ends: usize) -> Vec<u8> {
    const ENDS: [&str; 7] =
        ["C3", "C2 02 00", "C2 FE FF", "A8 01 74 07 55 89 E5 FF 46 02 5D C3", "58 FF E0", "C2 03 00", "C3"];
    const WIDE_ENDS: [&str; 7] = [
        "66 C3",
        "66 C2 02 00",
        "66 C2 FE FF",
        "A8 01 74 07 55 89 E5 FF 46 02 5D 66 C3",
        "66 58 66 FF E0",
        "66 C2 03 00",
        "3C 01 75 07 55 89 E5 FF 46 04 5D 66 C3",
    ];
    let (call, ends) = match is_wide {
        true => ("66 E8 04 00 00 00", WIDE_ENDS[ends]),
        false => ("E8 04 00", ENDS[ends]),
    };
    let routine = [body, hex(ends)].concat();
    [&hex(call)[..], &hex("40 E9"), &(routine.len() as u16).to_le_bytes(), &routine].concat()
}

fn instruction() -> impl Strategy<Value = Vec<u8>> {
    simple().prop_recursive(3, 40, 6, |inner| {
        (vec(inner, 0..6), any::<bool>(), 0usize..13)
            .prop_map(|(parts, is_wide, ends)| call(parts.concat(), is_wide, ends.saturating_sub(6)))
    })
}

fn machine(code: &[u8], model: Model, ss: u16, esp: u32, blocks: Blocks<crate::flat::Flat>) -> Machine {
    let mut machine = Machine::new(model, code, blocks);
    machine.cpu.regs.seg[Segment::Ss as usize] = ss;
    machine.cpu.regs.gpr[4] = esp;
    machine.cpu.regs.gpr[3] = 0x200;
    machine.bus.write_bytes(u32::from(DATA) * 16 + 0x200, &hex("12 34 56 78"));
    machine
}

/// Runs in slices and compares after each.
fn run_alike(machines: &mut [Machine; 2], slices: &[u64]) -> Result<(), TestCaseError> {
    for slice in slices {
        let deadline = machines[0].cpu.cycles + slice;
        let [plain, hot] = machines
            .each_mut()
            .map(|machine| machine.cpu.run(&mut machine.blocks, &mut machine.bus, deadline));
        prop_assert_eq!(hot, plain);
        prop_assert_eq!(state(&machines[1].cpu), state(&machines[0].cpu));
        if plain != Exit::Deadline {
            break;
        }
    }
    prop_assert_eq!(memory_differs(&machines[1], &machines[0]), None);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn stacks_run_alike(
        body in vec(instruction(), 1..14),
        model in select(vec![Model::I286, Model::I386]),
        // Far from code, in and beside the code, and at the end of memory.
        place in prop_oneof![
            4 => (Just(STACK), 0x0FF0u32..0x1010),
            2 => (Just(STACK), prop_oneof![0u32..24, 0xFFE8u32..0x1_0000]),
            1 => (Just(STACK), 0x1_0000u32..0x1_0020),
            2 => (Just(CODE), 0xD0u32..0x1A0),
            1 => (Just(0xFFFF), 0xFFF0u32..0x1_0000),
        ],
        slices in vec(1u64..300, 1..20),
    ) {
        let code = repeated(40, &body.concat());
        let machines = [Blocks::uncached(), translated()];
        let mut machines = machines.map(|blocks| machine(&code, model, place.0, place.1, blocks));
        run_alike(&mut machines, &slices[..])?;
    }
}

/// Nine words, the most in a window, at every distance from the code that pushes them.
#[test]
fn pushes_over_the_code_change_it() {
    // again: push ax nine times; add sp, 18; inc ax; dec bp; jnz again; hlt
    let code = hex("50 50 50 50 50 50 50 50 50 83 C4 12 40 4D 75 F0 F4");
    for esp in 0xF8..0x150 {
        let machines = [Blocks::uncached(), translated()];
        let mut machines = machines.map(|blocks| machine(&code, Model::I386, CODE, esp, blocks));
        machines.iter_mut().for_each(|machine| machine.cpu.regs.gpr[5] = 8);
        run_alike(&mut machines, &[40; 5]).expect("the same");
    }
}

/// A stack directly below the code that uses it, as in programs of one segment.
#[test]
fn a_stack_beside_code_stays_in_translated_code() {
    // push ax; push bx; call f; pop bx; pop ax; jmp over; f: push cx; inc cx; pop dx; ret
    let code = repeated(1000, &hex("50 53 E8 04 00 5B 58 EB 04 51 41 5A C3"));
    for esp in [0xFCu32, 0x100, 0x800] {
        let mut machine = machine(&code, Model::I386, CODE, esp, translated());
        let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, 1 << 20);
        assert_eq!((exit, machine.cpu.regs.cx()), (Exit::Halt, 1000));
        let count = entries(&machine.blocks);
        assert!(count < 40, "{count} entries with SP {esp:X}h");
    }
}

/// CALL, JMP and RET with offsets of 32 bits, PUSHAD, POPAD, PUSHFD, POPFD and LEAVE: as GCC's 16-bit code has them.
#[test]
fn doublewords_on_the_stack_stay_in_translated_code() {
    let rows = [
        ("call and ret", "66 E8 04 00 00 00 EB 05 90 90 41 66 C3"),
        ("call ebx, ret 4", "66 6A 07 66 BB 11 01 00 00 66 FF D3 EB 05 41 66 C2 04 00"),
        ("jmp [mem32]", "C7 06 20 02 16 01 C7 06 22 02 00 00 66 FF 26 20 02 CC CC 41"),
        ("pushad and popad", "41 66 60 41 66 61"),
        ("pushfd and popfd", "66 41 66 9C 66 9D"),
        ("enter and leave", "66 55 89 E5 83 EC 10 41 66 C9"),
        ("pop dword", "41 66 51 66 8F 06 24 02"),
    ];
    for (name, body) in rows {
        let code = repeated(1000, &hex(body));
        let machines = [Blocks::uncached(), translated()];
        let mut machines = machines.map(|blocks| machine(&code, Model::I386, STACK, 0x1000, blocks));
        run_alike(&mut machines, &[1 << 20]).expect(name);
        assert_eq!(machines[1].cpu.regs.cx(), 1000, "{name}");
        let count = entries(&machines[1].blocks);
        assert!(count < 40, "{name}: {count} entries");
    }
}
