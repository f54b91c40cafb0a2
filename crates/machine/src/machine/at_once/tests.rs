//! Services that are done without leaving the processor have the effect of the others.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::machine::{Config, Key, Machine, Observer, Polls, Stop, Until};

/// An observer of services: with it, the machine serves none at once.
#[derive(Debug)]
struct EachService;

impl Observer for EachService {}

/// The offset of a file's name, and of 100 bytes for data after it.
const NAME: u16 = 0x1000;
const DATA: u16 = 0x1010;

/// Functions of INT 21h that neither end nor start a program.
const OF_DOS: [u8; 64] = [
    0x02, 0x06, 0x09, 0x0B, 0x0E, 0x19, 0x1A, 0x1B, 0x25, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x30, 0x33,
    0x34, 0x35, 0x36, 0x37, 0x38, 0x3C, 0x3D, 0x3E, 0x3F, 0x3F, 0x3F, 0x40, 0x40, 0x40, 0x41, 0x42, 0x42,
    0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x4D, 0x4E, 0x4F, 0x50, 0x51, 0x52, 0x54, 0x56, 0x57,
    0x58, 0x59, 0x5A, 0x5B, 0x60, 0x62, 0x65, 0x66, 0x68, 0x6C, 0x08, 0x01, 0x07,
];

/// A call of BIOS or DOS: MOV of AX, BX, CX, DX, and the INT.
fn call() -> impl Strategy<Value = Vec<u8>> {
    let dos = (select(OF_DOS.to_vec()), 0u8..8).prop_map(|(ah, al)| (0x21, ah, al));
    let video = (0x01u8..0x14, any::<u8>()).prop_map(|(ah, al)| (0x10, ah, al));
    let mode = select(vec![0x03u8, 0x13, 0x0D, 0x04]).prop_map(|mode| (0x10, 0, mode));
    let others = select(vec![
        (0x11u8, 0u8, 0u8),
        (0x12, 0, 0),
        (0x16, 0x01, 0),
        (0x16, 0x01, 0),
        (0x16, 0x02, 0),
        (0x16, 0x11, 0),
        (0x16, 0x12, 0),
        (0x16, 0x05, 0x41),
        (0x1A, 0x00, 0),
        (0x1A, 0x02, 0),
        (0x33, 0x00, 0x03),
    ]);
    let called = prop_oneof![6 => dos, 3 => video, 1 => mode, 3 => others];
    let bx = prop_oneof![4 => 0u16..8, 1 => any::<u16>()];
    let cx = prop_oneof![6 => 0u16..90, 1 => any::<u16>()];
    let dx = prop_oneof![2 => Just(NAME), 3 => Just(DATA), 1 => any::<u16>()];
    (called, bx, cx, dx).prop_map(|((vector, ah, al), bx, cx, dx)| {
        let mut code = Vec::new();
        for (mov, value) in [(0xB8, u16::from_be_bytes([ah, al])), (0xBB, bx), (0xB9, cx), (0xBA, dx)] {
            code.push(mov);
            code.extend(value.to_le_bytes());
        }
        [code, vec![0xCD, vector]].concat()
    })
}

/// A program that makes the calls `turns` times.
fn program(turns: u16, calls: &[Vec<u8>]) -> Vec<u8> {
    // mov bp, turns; calls, after each of which DS and ES are set to CS; dec bp; jnz; int 20h
    let [low, high] = turns.to_le_bytes();
    let mut code = vec![0xBD, low, high];
    for call in calls {
        code.extend(call);
        code.extend([0x0E, 0x1F, 0x0E, 0x07]);
    }
    code.extend([0x4D, 0x0F, 0x85]);
    code.extend((3 - (code.len() as i16 + 2)).to_le_bytes());
    code.extend([0xCD, 0x20]);
    code.resize(usize::from(NAME - 0x100), 0);
    code.extend(b"A.TXT\0\0\0some data$");
    code
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn services_at_once_have_the_same_effect(
        calls in vec(call(), 1..6),
        turns in prop_oneof![4 => 1u16..60, 1 => Just(60_000)],
        polls in select(vec![Polls::Waits, Polls::Rests, Polls::Keys, Polls::Choices]),
        key_wait in any::<bool>(),
        // The longest are some 200 ms.
        slices in vec(prop_oneof![9 => 1u64..4000, 1 => 1u64..600_000], 1..40),
    ) {
        let config = Config { translate_after: Some(2), ..Config::default() };
        let mut machines = [0, 1].map(|_| {
            let mut machine = Machine::new(&config).expect("a machine");
            machine.load(&program(turns, &calls), "T.COM", "").expect("it is loaded");
            machine
        });
        let key = Key::typing('a').expect("a key");
        for slice in slices {
            let [at_once, each] = &mut machines;
            let until = Until { key_wait, polls, ..Until::cycle(at_once.cpu.cycles + slice) };
            let stops = (at_once.run(&until, &mut ()), each.run(&until, &mut EachService));
            prop_assert_eq!(&stops.0, &stops.1);
            let times = [&*at_once, &*each].map(|machine| (machine.cpu.cycles, machine.cpu.retired));
            prop_assert_eq!(times[0], times[1]);
            prop_assert_eq!(at_once.state_hash(), each.state_hash());
            match stops.0 {
                Stop::Cycle => {}
                Stop::KeyWait => machines.iter_mut().for_each(|machine| machine.type_key(key)),
                _ => break,
            }
        }
    }
}
