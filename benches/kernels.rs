//! Guest programs on a bare processor with flat memory: instructions a second.
//!
//! The programs' sources are in `benches/kernels` (NASM); they are assembled there and kept as built.

use divan::Bencher;
use divan::counter::ItemsCount;

#[path = "kernels/flat.rs"]
mod flat;

fn main() {
    divan::main();
}

/// A program by name, with the number of times its outermost loop runs cut down to fit a benchmark.
const KERNELS: [&str; 9] = ["busy386", "busy86", "sieve", "fib", "crc", "text", "smc", "movs", "stos"];

#[divan::bench(args = KERNELS, sample_count = 5, sample_size = 1)]
fn kernel(bencher: Bencher, name: &str) {
    let instructions = flat::run(name).retired;
    bencher.counter(ItemsCount::new(instructions)).bench(|| flat::run(name).retired);
}
