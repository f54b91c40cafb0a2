//! Programs that access video memory run translated and interpreted, each on its own board.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::hardware::Hardware;
use oxbox_cpu::{Blocks, Bus, Cpu, Exit, Model, Width};

const CODE: u16 = 0x0100;

/// A board and a processor with a program on it.
struct Machine {
    cpu: Cpu,
    blocks: Blocks<Hardware>,
    hw: Hardware,
    /// The cycle of each stop.
    stops: Vec<u64>,
}

impl Machine {
    fn new(code: &[u8], registers: [u32; 8], segments: [u16; 2], set_up: &[(u16, u16)]) -> Machine {
        let mut hw = Hardware::new(3000);
        for &(port, pair) in set_up {
            hw.output(port, Width::Word, pair.into(), 0);
        }
        for at in 0..0x400 {
            hw.write8(0xA_0000 + at * 67 % 0x2_0000, (at * 31) as u8);
        }
        hw.memory.write_bytes(u32::from(CODE) << 4, code);
        let mut cpu = Cpu::new(Model::I386);
        cpu.install_coprocessor();
        cpu.regs.gpr = registers;
        cpu.regs.set_cs(CODE);
        cpu.regs.ip = 0;
        let [ds, es] = segments;
        cpu.regs.set_ds(ds);
        cpu.regs.set_es(es);
        Machine { cpu, blocks: Blocks::new(), hw, stops: Vec::new() }
    }

    /// Runs for this many cycles. Returns false once the program has ended.
    fn run(&mut self, cycles: u64) -> bool {
        let deadline = self.cpu.cycles + cycles;
        while self.cpu.cycles < deadline {
            let exit = self.cpu.run(&mut self.blocks, &mut self.hw, deadline);
            self.stops.push(self.cpu.cycles);
            if exit != Exit::Deadline {
                return false;
            }
            self.hw.advance(self.cpu.cycles);
        }
        true
    }

    fn state(&mut self) -> (Vec<u8>, Vec<u8>) {
        self.hw.advance(self.cpu.cycles);
        (postcard::to_allocvec(&self.cpu).unwrap(), postcard::to_allocvec(&self.hw).unwrap())
    }
}

/// An index and a value for the sequencer or the graphics controller.
pub(super) fn pair() -> impl Strategy<Value = (u16, u16)> {
    let sequencer = (select(vec![2u16, 4]), any::<u8>()).prop_map(|(index, value)| (0x3C4, index, value));
    let graphics =
        (select(vec![0u16, 1, 3, 4, 5, 6, 8]), any::<u8>()).prop_map(|(index, value)| (0x3CE, index, value));
    prop_oneof![sequencer, graphics].prop_map(|(port, index, value)| (port, u16::from(value) << 8 | index))
}

/// Register values of some modes: text, 16 colours, 256 colours, and 16 colours in 128 KiB.
pub(super) fn modes() -> Vec<Vec<(u16, u16)>> {
    let mode = |memory: u16, mode: u16, window: u16, planes: u16| {
        let pairs = [(0x3C4, 0x0002 | planes), (0x3C4, 0x0004 | memory), (0x3CE, 0x0005 | mode)];
        // Port 3C3h is the upper byte of the last write: it switches the adapter on.
        let others = [(0x3CE, 0x0006 | window), (0x3CE, 0xFF08), (0x3C2, 0x0163)];
        [pairs, others].concat()
    };
    vec![
        mode(0x0200, 0x1000, 0x0E00, 0x0300),
        mode(0x0600, 0x0000, 0x0500, 0x0F00),
        mode(0x0E00, 0x4000, 0x0500, 0x0F00),
        mode(0x0600, 0x0000, 0x0100, 0x0F00),
    ]
}

fn set_up() -> impl Strategy<Value = Vec<(u16, u16)>> {
    (select(modes()), prop_oneof![2 => Just(vec![]), 1 => vec(pair(), 1..6)])
        .prop_map(|(known, pairs)| [known, pairs].concat())
}

#[test]
fn each_mode_has_memory() {
    for (mode, segment) in modes().iter().zip([0xB800u16, 0xA000, 0xA000, 0xA000]) {
        // mov al, 5Ah; mov [0], al; mov bl, [0]; hlt
        let mut machine =
            Machine::new(&[0xB0, 0x5A, 0xA2, 0, 0, 0x8A, 0x1E, 0, 0, 0xF4], [0; 8], [segment; 2], mode);
        machine.run(100);
        assert_eq!(machine.cpu.regs.bl(), 0x5A);
    }
}

/// Runs a program translated and interpreted, and compares the states after each of these numbers of
/// cycles, until it ends.
pub(super) fn compare(
    code: &[u8],
    registers: [u32; 8],
    segments: [u16; 2],
    set_up: &[(u16, u16)],
    slices: impl IntoIterator<Item = u64>,
) -> bool {
    let mut translated = Machine::new(code, registers, segments, set_up);
    translated.blocks.translate_after(Some(0));
    let mut stepped = Machine::new(code, registers, segments, set_up);
    stepped.blocks = Blocks::uncached();
    for slice in slices {
        let goes_on = (translated.run(slice), stepped.run(slice));
        let is_same = translated.state() == stepped.state() && translated.stops == stepped.stops;
        if goes_on.0 != goes_on.1 || !is_same {
            return false;
        }
        if !goes_on.0 {
            break;
        }
    }
    true
}

/// All values of the registers that programs write for every pixel, after OUT of words and bytes.
#[test]
fn all_values_of_registers_run_alike() {
    let [_, planar, chained, large] = &modes()[..] else { unreachable!("there are four modes") };
    for (port, index) in [(0x3C4u16, 2u8), (0x3CE, 0), (0x3CE, 4), (0x3CE, 8)] {
        let [low, high] = port.to_le_bytes();
        // out dx, ax; or out dx, al; inc dx; mov al, ah; out dx, al
        for out in [&[0xEF][..], &[0xEE, 0x42, 0x88, 0xE0, 0xEE]] {
            // again: mov al, index; mov ah, cl; mov dx, port; out; mov [si], cl; add bl, [si+7]; inc si;
            // inc cl; jnz again; hlt
            let mut code = [&[0xB0, index, 0x88, 0xCC, 0xBA, low, high], out].concat();
            code.extend([0x88, 0x0C, 0x02, 0x5C, 0x07, 0x46, 0xFE, 0xC1, 0x75]);
            code.push((-(code.len() as i8) - 1) as u8);
            code.push(0xF4);
            for mode in [planar, chained, large] {
                // Enable set/reset of two planes.
                let set_up = [mode.as_slice(), &[(0x3CE, 0x0501)]].concat();
                assert!(
                    compare(&code, [0; 8], [0xA000; 2], &set_up, [150; 40]),
                    "{port:X}h {index} {out:X?}"
                );
            }
        }
    }
}

/// One instruction, or OUT with the instructions that load its operands.
fn instruction() -> impl Strategy<Value = Vec<u8>> {
    let register = 0u8..8;
    let place = select(vec![4u8, 5, 7]);
    let modrm = (register, place.clone()).prop_map(|(register, place)| register << 3 | place);
    let on_memory = select(vec![
        0x88u8, 0x89, 0x8A, 0x8B, 0x88, 0x89, 0x8A, 0x8B, 0x02, 0x08, 0x10, 0x20, 0x30, 0x31, 0x38, 0x3B,
        0x84, 0x86, 0x87,
    ]);
    let short = select(vec![
        0xA4u8, 0xA5, 0xAA, 0xAB, 0xAC, 0xAD, 0xFC, 0xFD, 0x46, 0x47, 0x43, 0x4F, 0x40, 0x41, 0x91, 0x93,
    ]);
    let one = prop_oneof![
        6 => (on_memory, modrm.clone()).prop_map(|(code, modrm)| vec![code, modrm]),
        4 => short.prop_map(|code| vec![code]),
        1 => (place.clone(), any::<u8>()).prop_map(|(place, value)| vec![0xC6, place, value]),
        1 => (place.clone(), any::<[u8; 2]>()).prop_map(|(place, [low, high])| vec![0xC7, place, low, high]),
        1 => modrm.prop_map(|modrm| vec![0x0F, 0xB6, modrm]),
        2 => (select(vec![(0xF6u8, 4u8), (0xF6, 2), (0xF6, 3), (0xFE, 0), (0xFE, 1), (0xD0, 4), (0xFF, 6)]), place.clone())
            .prop_map(|((code, operation), place)| vec![code, operation << 3 | place]),
        1 => (0x90u8..0xA0, place).prop_map(|(condition, place)| vec![0x0F, condition, place]),
        1 => (0u8..8, any::<u16>()).prop_map(|(register, by)| {
            let [low, high] = by.to_le_bytes();
            vec![0x81, 0xC0 | register, low, high]
        }),
    ];
    let out = (pair(), select(vec![(true, true), (true, false), (false, true)])).prop_map(output);
    let prefix = prop_oneof![4 => Just(None), 2 => Just(Some(0x26u8)), 1 => Just(Some(0x66u8))];
    let repeated = (select(vec![0xA4u8, 0xA5, 0xAA, 0xAB]), 0u8..30, select(vec![0x26u8, 0x66, 0x3E]))
        .prop_map(|(operation, count, prefix)| vec![0xB9, count, 0, prefix, 0xF3, operation]);
    prop_oneof![
        2 => repeated,
        12 => (one, prefix).prop_map(|(mut bytes, prefix)| {
            // The immediate of a doubleword would be longer.
            let prefix = prefix.filter(|prefix| *prefix != 0x66 || !matches!(bytes[0], 0xC7 | 0x81));
            bytes.splice(0..0, prefix);
            bytes
        }),
        3 => (out, any::<bool>()).prop_map(|(mut bytes, with_flags)| {
            // Sets the flags before, and reads them after.
            if with_flags {
                bytes.splice(0..0, [0x38, 0xD8]);
                bytes.extend([0x11, 0xD3]);
            }
            bytes
        }),
    ]
}

/// OUT of an index and a value: as a word, or byte by byte, of which the first may be missing.
pub(super) fn output(((port, pair), (as_bytes, with_index)): ((u16, u16), (bool, bool))) -> Vec<u8> {
    let ([p, q], [low, high]) = (port.to_le_bytes(), pair.to_le_bytes());
    match (as_bytes, with_index) {
        (true, true) => vec![0xBA, p, q, 0xB0, low, 0xEE, 0x42, 0xB0, high, 0xEE],
        (true, false) => vec![0xBA, p + 1, q, 0xB0, high, 0xEE],
        (false, _) => vec![0xBA, p, q, 0xB8, low, high, 0xEF],
    }
}

/// A loop around random instructions.
fn looped() -> impl Strategy<Value = Vec<u8>> {
    vec(instruction(), 1..24).prop_map(|instructions| repeated_body(&instructions.concat()))
}

/// Returns a program that executes a body twelve times.
pub(super) fn repeated_body(body: &[u8]) -> Vec<u8> {
    // mov bp, 12; body; dec bp; jnz body; hlt
    let mut code = vec![0xBD, 12, 0];
    code.extend(body);
    code.extend([0x90, 0x90, 0x90, 0x90, 0x4D, 0x0F, 0x85]);
    let back = (3 - (code.len() as i16 + 2)).to_le_bytes();
    code.extend(back);
    code.push(0xF4);
    code
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// At every deadline the processor and the board are in the same state as after interpretation.
    #[test]
    fn translated_loops_on_video_memory_run_alike(
        code in looped(),
        registers in any::<[u32; 8]>(),
        segments in [
            select(vec![0xA000u16, 0xA800, 0xB000, 0xB800, 0xBFF0, 0x9FF0, 0xBFFF, 0xD000, 0xF000, 0xFFFF]),
            select(vec![0xA000u16, 0xB800, 0xAFFF, 0xF000]),
        ],
        set_up in set_up(),
        slices in vec(20u64..150, 1..8),
    ) {
        prop_assert!(compare(&code, registers, segments, &set_up, slices));
    }
}

/// Whether a program leaves the same state, interpreted and translated, as if it is stopped after each cycle.
fn is_like_single_iterations(code: &[u8], segments: [u16; 2], set_up: &[(u16, u16)]) -> bool {
    let [mut interpreted, mut translated, mut single] = [None, Some(0), None].map(|translate_after| {
        let mut machine = Machine::new(code, [0; 8], segments, set_up);
        for segment in segments {
            let base = u32::from(segment) << 4;
            (0..0x9000).for_each(|at| machine.hw.write8(base + at, (at / 3 * 31) as u8));
        }
        machine.blocks.translate_after(translate_after);
        machine
    });
    while single.run(1) {}
    let same = single.state();
    [&mut interpreted, &mut translated]
        .into_iter()
        .all(|machine| !machine.run(1 << 20) && machine.state() == same)
}

/// Copies of cells to the next ones: a doubleword is read as a whole before it is written.
#[test]
fn overlapping_cells_are_copied_in_order() {
    for operation in [&[0xF3u8, 0xA4][..], &[0xF3, 0xA5], &[0x66, 0xF3, 0xA5]] {
        for (si, di) in [(0, 2), (0, 4), (2, 0), (0, 6), (4, 4)] {
            // mov cx, 20; mov si, SI; mov di, DI
            let code = [&[0xB9, 20, 0, 0xBE, si, 0, 0xBF, di, 0], operation, &[0xF4]].concat();
            assert!(is_like_single_iterations(&code, [0xB800; 2], &modes()[0]), "{operation:X?} {si} {di}");
        }
    }
}

/// Runs of pixels in mode 13h that begin and end inside a cell: from RAM, to RAM, and with one value.
#[test]
fn runs_of_pixels_are_like_single_iterations() {
    let operations = [&[0xF3u8, 0xA4][..], &[0xF3, 0xA5], &[0xF3, 0xAA], &[0xF3, 0xAB], &[0x66, 0xF3, 0xAB]];
    for segments in [[0x2000, 0xA000], [0xA000, 0x2000]] {
        for operation in operations {
            for (place, count) in [(0, 4), (1, 4), (1, 5), (2, 7), (3, 6), (3, 11)] {
                // mov eax, 11223344h; mov cx, COUNT; mov si, PLACE; mov di, PLACE
                let set_up =
                    [0x66, 0xB8, 0x44, 0x33, 0x22, 0x11, 0xB9, count, 0, 0xBE, place, 0, 0xBF, place, 0];
                let code = [&set_up, operation, &[0xF4]].concat();
                assert!(
                    is_like_single_iterations(&code, segments, &modes()[2]),
                    "{operation:X?} {place} {count}"
                );
            }
        }
    }
}

/// A repeated string instruction on video memory or RAM, and the program around it.
fn repeated() -> impl Strategy<Value = Vec<u8>> {
    let count = prop_oneof![4 => 0u16..60, 1 => 0u16..2000];
    let offset = || prop_oneof![4 => 0u16..400, 1 => 0x3F00u16..0x4100, 1 => 0x7F00u16..0x8100];
    // No element crosses the end of the segment, which would be a fault.
    let near_end = || (0x3FF0u16..0x4000).prop_map(|at| at * 4);
    let operation = select(vec![0xA4u8, 0xA5, 0xA5, 0xAA, 0xAB]);
    let places = prop_oneof![
        4 => (offset(), offset()),
        1 => (offset(), near_end()),
        1 => (near_end(), near_end()),
        2 => (offset(), 0u16..8).prop_map(|(si, by)| (si, si + by)),
    ];
    (count, places, select(vec![None, Some(0x66u8)]), operation, any::<u32>()).prop_map(
        |(count, (si, di), prefix, operation, value)| {
            let mut code = vec![0x66, 0xB8];
            code.extend(value.to_le_bytes());
            for (mov, value) in [(0xB9, count), (0xBE, si), (0xBF, di)] {
                code.push(mov);
                code.extend(value.to_le_bytes());
            }
            code.extend(prefix);
            code.extend([0xF3, operation, 0xF4]);
            code
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Many iterations at once leave the same state as one in each run.
    #[test]
    fn repeated_strings_on_video_memory_are_like_single_iterations(
        code in repeated(),
        segments in [select(vec![0xA000u16, 0xB800, 0xB800, 0x2000]), select(vec![0xA000u16, 0xB800, 0xB800, 0x2000])],
        set_up in prop_oneof![1 => Just(modes()[0].clone()), 1 => set_up()],
    ) {
        prop_assert!(is_like_single_iterations(&code, segments, &set_up));
    }
}
