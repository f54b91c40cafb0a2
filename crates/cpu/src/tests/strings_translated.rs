//! Repeated string instructions, translated and interpreted.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::program::{CODE, DATA, Machine, START, hex};
use super::translated::{entries, machines, repeated, run_alike, translated};
use crate::{Bus, Exit, Model};

/// One string instruction, and the instructions that set its registers.
fn string() -> impl Strategy<Value = Vec<u8>> {
    let near_code = (0u16..0x100).prop_map(|by| START as u16 - 0x40 + by);
    let offset = || {
        prop_oneof![
            4 => 0u16..200,
            1 => 0xFFA0u16..=0xFFFF,
            1 => near_code.clone(),
        ]
    };
    let count = prop_oneof![8 => 0u16..24, 3 => 0u16..400, 1 => select(vec![0x8000u16, 0xFFFF])];
    let operation = select(vec![0xA4u8, 0xA5, 0xA6, 0xA7, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF]);
    let prefix =
        prop_oneof![4 => Just(vec![]), 2 => Just(vec![0x66]), 1 => Just(vec![0x26]), 1 => Just(vec![0x2E])];
    let repeat = select(vec![vec![0xF3u8], vec![0xF2], vec![0xF3], vec![0xF2], vec![]]);
    (count, offset(), offset(), prefix, repeat, operation, any::<bool>()).prop_map(
        |(count, si, di, prefix, repeat, operation, down)| {
            let word = u16::to_le_bytes;
            let mut code = vec![if down { 0xFD } else { 0xFC }];
            for (load, value) in [(0xB9, count), (0xBE, si), (0xBF, di)] {
                code.push(load);
                code.extend(word(value));
            }
            [code, prefix, repeat, vec![operation]].concat()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn repeated_strings_run_alike(
        strings in vec(string(), 1..5),
        in_code in any::<bool>(),
        bytes in vec(select(vec![0u8, 0, 0, 1, 0x80]), 256),
        registers in any::<[u32; 8]>(),
        slices in vec(1u64..3000, 1..12),
        few in vec(1u64..40, 0..20),
    ) {
        let code = repeated(6, &strings.concat());
        let mut both = machines(&code, registers, Some(0));
        for machine in &mut both {
            machine.cpu.regs.set_es(if in_code { CODE } else { DATA });
            machine.bus.write_bytes(u32::from(DATA) * 16, &bytes);
            machine.bus.write_bytes(u32::from(DATA) * 16 + 0xFF80, &bytes);
        }
        run_alike(&mut both, [few, slices].concat())?;
    }
}

/// Runs `mov bp, 1000` and a loop with a body to its end. Returns how often it entered translated code.
fn entries_of(body: &str) -> u32 {
    let mut machine = Machine::new(Model::I386, &repeated(1000, &hex(body)), translated());
    let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, 1 << 24);
    assert_eq!(exit, Exit::Halt);
    entries(&machine.blocks)
}

#[test]
fn short_strings_stay_in_translated_code() {
    // mov cx, 5; mov si, 20h; mov di, 40h; and the instruction
    for operation in ["A4", "A5", "A6", "A7", "AA", "AB", "AE", "AF", "66 A5", "66 AB", "66 AF", "2E A4"] {
        let count = entries_of(&format!("B9 05 00 BE 20 00 BF 40 00 F3 {operation}"));
        assert!(count < 20, "REP {operation}: {count} entries");
    }
    for operation in ["A6", "A7", "AE", "AF", "66 A7"] {
        let count = entries_of(&format!("BE 20 00 BF 40 00 {operation}"));
        assert!(count < 20, "{operation}: {count} entries");
    }
    let downwards = entries_of("FD B9 05 00 BE 20 00 BF 40 00 F3 A5");
    assert!(downwards < 20, "{downwards} entries");
}

#[test]
fn the_end_of_a_long_search_is_left_to_the_handler() {
    // mov cx, FFFFh; mov di, 0; mov al, 1; repne scasb, whose byte is at 300h
    let body = "B9 FF FF BF 00 00 B0 01 F2 AE";
    for (place, left) in [(0x20, false), (0x300, true)] {
        let mut machine = Machine::new(Model::I386, &repeated(1000, &hex(body)), translated());
        let at = u32::from(machine.cpu.regs.es()) * 16 + place;
        machine.bus.write8(at, 1);
        machine.cpu.run(&mut machine.blocks, &mut machine.bus, 1 << 24);
        assert_eq!((machine.cpu.regs.di(), machine.cpu.regs.cx()), (place as u16 + 1, 0xFFFE - place as u16));
        assert_eq!(entries(&machine.blocks) > 100, left, "found at {place:X}h");
    }
}
