//! Software interrupts and changes of IF, translated and interpreted.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::boundaries::{memory_differs, state};
use super::program::{DATA, HANDLERS, Machine, hex};
use super::translated::{entries, repeated, translated};
use crate::{Blocks, Bus, Exit, Flags, Model};

/// Vectors with a handler of the test, and those of an interrupt request.
const OWN: [u8; 4] = [0x03, 0x60, 0x61, 0x62];
const REQUEST: u8 = 0x08;

/// An instruction or two that belong to interrupts: INT, INT3, PUSHF and POPF, CLI, STI, changes of the
/// pushed FLAGS, and of a vector.
fn instruction() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => select(OWN.to_vec()).prop_map(|vector| vec![0xCD, vector]),
        1 => Just(vec![0xCC]),
        1 => Just(vec![0xFA]),
        1 => Just(vec![0xFB]),
        1 => Just(vec![0x9C]),
        1 => Just(vec![0x9D]),
        1 => Just(hex("9C 58 0D 00 02 50 9D")),
        1 => Just(hex("9C 58 25 FF FD 50 9D")),
        2 => select(vec![vec![0x40u8], vec![0x01, 0xC3], vec![0x11, 0xD8], vec![0xF9], vec![0xFD], vec![0xFC]]),
        1 => Just(hex("1E 31 C0 8E D8 C7 06 88 01 20 06 1F")),
    ]
}

/// A handler: it may enable interrupts, call another one, and change the FLAGS that it returns.
fn handler() -> impl Strategy<Value = Vec<u8>> {
    let part = select(vec![
        hex("40"),
        hex("FB"),
        hex("01 C3"),
        hex("55 89 E5 81 76 06 41 08 5D"),
        hex("55 89 E5 81 4E 06 00 02 5D"),
        hex("55 89 E5 81 66 06 FF FD 5D"),
        hex("50 53 5B 58"),
    ]);
    vec(part, 0..4).prop_map(|parts| [parts.concat(), vec![0xCF]].concat())
}

fn machine(code: &[u8], handlers: &[Vec<u8>], sp: u16, blocks: Blocks<crate::flat::Flat>) -> Machine {
    let mut machine = Machine::new(Model::I386, code, blocks);
    for (number, (vector, code)) in OWN.into_iter().chain([REQUEST]).zip(handlers).enumerate() {
        let at = 0x600 + 0x40 * number as u16;
        machine.bus.write16(u32::from(vector) * 4, at);
        machine.bus.write16(u32::from(vector) * 4 + 2, DATA);
        machine.bus.write_bytes(u32::from(DATA) * 16 + u32::from(at), code);
    }
    // The last handler is that of the vector that the program changes.
    machine.bus.write_bytes(u32::from(DATA) * 16 + 0x620, &hex("43 CF"));
    machine.cpu.regs.set_sp(sp);
    machine
}

/// Runs to the deadline, and accepts an interrupt that is requested.
fn run(machine: &mut Machine, deadline: u64, requests: bool) -> Exit {
    machine.cpu.intr = requests;
    loop {
        match machine.cpu.run(&mut machine.blocks, &mut machine.bus, deadline) {
            Exit::InterruptWindow => {
                machine.cpu.interrupt(&mut machine.bus, REQUEST);
                machine.cpu.intr = false;
            }
            exit => return exit,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn interrupts_run_alike(
        body in vec(instruction(), 1..12),
        handlers in vec(handler(), 5),
        sp in prop_oneof![3 => Just(0x1000u16), 1 => 0u16..40],
        slices in vec((1u64..200, any::<bool>()), 1..30),
    ) {
        let code = repeated(40, &body.concat());
        let mut plain = machine(&code, &handlers, sp, Blocks::uncached());
        let mut hot = machine(&code, &handlers, sp, translated());
        for (slice, requests) in slices {
            let deadline = plain.cpu.cycles + slice;
            let exits = (run(&mut hot, deadline, requests), run(&mut plain, deadline, requests));
            prop_assert_eq!(exits.0, exits.1);
            prop_assert_eq!(state(&hot.cpu), state(&plain.cpu));
            if exits.0 != Exit::Deadline {
                break;
            }
        }
        prop_assert_eq!(memory_differs(&hot, &plain), None);
    }
}

#[test]
fn handlers_of_the_program_stay_in_translated_code() {
    // inc ax; int 60h, whose handler is inc bx; iret
    let code = repeated(1000, &hex("40 CD 60"));
    let handlers = vec![hex("43 CF"); 5];
    for enabled in [false, true] {
        let mut machine = machine(&code, &handlers, 0x1000, translated());
        machine.cpu.regs.set_flag(Flags::IF, enabled);
        assert_eq!(run(&mut machine, 1 << 20, false), Exit::Halt);
        assert_eq!((machine.cpu.regs.ax(), machine.cpu.regs.bx()), (1000, 1000));
        let count = entries(&machine.blocks);
        assert!(count < 20, "{count} entries");
    }
}

#[test]
fn a_table_of_vectors_elsewhere_is_left_to_the_handler() {
    // int 60h, whose handler is inc bx; iret. Then lidt [300h] with limit 3FFh and base 500h, and int 60h,
    // whose handler there is inc cx; iret.
    let mut code = repeated(1000, &hex("CD 60"));
    code.pop();
    code.extend(hex("0F 01 1E 00 03"));
    code.extend(repeated(1000, &hex("CD 60")));
    let mut machine = machine(&code, &vec![hex("43 CF"); 5], 0x1000, translated());
    machine.bus.write_bytes(u32::from(DATA) * 16 + 0x300, &hex("FF 03 00 05 00 00"));
    machine.bus.write_bytes(0x500 + 0x60 * 4, &hex("00 00 00 F2"));
    machine.bus.write_bytes(u32::from(HANDLERS + 0x100) * 16, &hex("41 CF"));
    assert_eq!(run(&mut machine, 1 << 20, false), Exit::Halt);
    assert_eq!((machine.cpu.regs.cx(), machine.cpu.regs.bx()), (1000, 1000));
}
