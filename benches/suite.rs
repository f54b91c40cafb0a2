//! A suite of two hundred tests over one program, on all cores.

use std::fmt::Write;

use divan::Bencher;
use divan::counter::ItemsCount;
use oxbox::suite::{Options, Suite, run};

fn main() {
    divan::main();
}

/// Two hundred tests of a game, each with two keys and a check of the screen.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn two_hundred_tests(bencher: Bencher) {
    const TESTS: usize = 200;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("TTT1.EXE"), include_bytes!("../roms/TTT1.EXE")).expect("a file");
    let mut text = "program = \"TTT1.EXE\"\n".to_owned();
    for test in 0..TESTS {
        let (first, second) = (test % 9, (test / 9 + 1 + test % 9) % 9);
        let _ = writeln!(text, "[[test]]\nname = \"{test}\"\nkeys = \"{first} {second}\"\nscreen = [\"X\"]");
    }
    let suites = [Suite::parse(&folder.path().join("suite.toml"), &text).expect("a suite")];
    bencher.counter(ItemsCount::new(TESTS)).bench(|| {
        let report = run(&suites, &[], &Options::default()).expect("a report");
        assert_eq!(report.counts(), (TESTS, TESTS));
    });
}
