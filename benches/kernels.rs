//! Guest programs on a bare processor with flat memory, and the whole machine: instructions a second.
//!
//! The programs' sources are in `benches/kernels` (NASM); they are kept as assembled.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use oxbox::machine::{Config, Machine, Stop, Until};

#[path = "kernels/run.rs"]
mod run;

fn main() {
    divan::main();
}

/// The kernels by name.
const KERNELS: [&str; 11] =
    ["busy386", "busy86", "sieve", "fib", "crc", "text", "smc", "movs", "stos", "scas", "conout"];

/// A kernel from start to end.
#[divan::bench(args = KERNELS, sample_count = 5, sample_size = 1)]
fn kernel(bencher: Bencher, name: &str) {
    let instructions = run::kernel(name).retired;
    bencher.counter(ItemsCount::new(instructions)).bench(|| run::kernel(name).retired);
}

/// Instructions that are decoded, executed once, and never seen again.
#[divan::bench(sample_count = 20)]
fn decode(bencher: Bencher) {
    // add ax, [bx+12h]; mov [si], cx; inc dx; test al, 80h; shl bp, 1
    let mix = [0x03, 0x47, 0x12, 0x89, 0x0C, 0x42, 0xA8, 0x80, 0xD1, 0xE5];
    let mut program = mix.repeat(3000);
    program.extend(run::EXIT);
    let instructions = run::execute(&program).retired;
    bencher.counter(ItemsCount::new(instructions)).bench(|| run::execute(&program).retired);
}

/// Blocks of one or two instructions that jump to each other, conditionally.
#[divan::bench(sample_count = 10)]
fn dispatch(bencher: Bencher) {
    // mov cx, 0; a: cmp cx, 1; jz b; cmp dx, 1; jz b; b: dec cx; jnz a
    let mut program =
        vec![0xB9, 0x00, 0x00, 0x83, 0xF9, 0x01, 0x74, 0x05, 0x83, 0xFA, 0x01, 0x74, 0x00, 0x49, 0x75, 0xF3];
    program.extend(run::EXIT);
    let instructions = run::execute(&program).retired;
    bencher.counter(ItemsCount::new(instructions)).bench(|| run::execute(&program).retired);
}

/// A machine that waits for the first key of a game.
fn game() -> Machine {
    let mut machine = Machine::new(&Config::default()).expect("a machine without a folder");
    machine.load(include_bytes!("../roms/TTT1.EXE"), "TTT1.EXE", "").expect("a program of ours");
    assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
    machine
}

/// A snapshot, and the way back to it.
#[divan::bench(sample_count = 20)]
fn snapshot_and_restore(bencher: Bencher) {
    bencher.with_inputs(game).bench_values(|mut machine| {
        let snapshot = machine.snapshot();
        machine.restore(&snapshot);
        machine
    });
}

/// A snapshot as bytes.
#[divan::bench(sample_count = 10)]
fn snapshot_to_bytes(bencher: Bencher) {
    let snapshot = game().snapshot();
    let len = snapshot.to_bytes().map_or(0, |bytes| bytes.len());
    bencher.counter(BytesCount::new(len)).bench(|| snapshot.to_bytes());
}

/// One game of TTT1 from power-on.
#[divan::bench(sample_count = 10)]
fn a_full_game(bencher: Bencher) {
    bencher.bench(|| {
        let mut machine = game();
        for key in ["0", "2", "7"] {
            machine.type_key(key.parse().expect("a key"));
            machine.run(&Until::KEY_WAIT, &mut ());
        }
        machine.instructions()
    });
}
