//! Guest programs on a bare processor with flat memory: instructions per second.
//!
//! The programs' sources are in `benches/kernels` (NASM), together with the assembled files.

use divan::Bencher;
use divan::counter::ItemsCount;

#[path = "kernels/run.rs"]
mod run;

fn main() {
    divan::main();
}

/// The kernels by name.
const KERNELS: [&str; 41] = [
    "busy386", "busy86", "sieve", "fib", "crc", "ttt", "pixel", "text", "smc", "movs", "stos", "scas",
    "conout", "sort", "words", "mandel", "far", "patch", "number", "calls", "emit", "hash", "dos", "short",
    "386", "list", "flags", "matrix", "bcd", "inter", "scroll", "ports", "sprite", "vm", "overlay", "plane",
    "tasks", "rotate", "trig", "convert", "frames",
];

/// Runs a kernel from start to end.
#[divan::bench(args = KERNELS, sample_count = 5, sample_size = 1)]
fn kernel(bencher: Bencher, name: &str) {
    let instructions = run::kernel(name).retired;
    bencher.counter(ItemsCount::new(instructions)).bench(|| run::kernel(name).retired);
}

/// Instructions that are decoded and executed only once.
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
