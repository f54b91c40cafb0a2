//! Random COM programs on the whole machine: never a panic, and after a snapshot and restore the same state.
//!
//! Input: the program. Drive C: is an empty folder that the program cannot write.
#![no_main]

use libfuzzer_sys::fuzz_target;
use oxbox::machine::{Config, Machine, Snapshot, Stop, Until};

/// Cycles a program gets, before and after the snapshot.
const HALF: u64 = 6_000;

fuzz_target!(|program: &[u8]| {
    let Ok(mut machine) = Machine::new(&Config::default()) else { return };
    if machine.load(program, "FUZZ.COM", "").is_err() {
        return;
    }
    let first = machine.run(&Until::cycle(HALF), &mut ());
    if first != Stop::Cycle {
        return;
    }
    // The state is compared as bytes: hashing it costs much more under a fuzzer's instrumentation.
    let state = |machine: &Machine| machine.snapshot().to_bytes().expect("a snapshot");
    let half = state(&machine);
    let straight = machine.run(&Until::cycle(2 * HALF), &mut ());
    let whole = state(&machine);
    machine.restore(&Snapshot::from_bytes(&half).expect("the same snapshot"));
    let again = machine.run(&Until::cycle(2 * HALF), &mut ());
    assert_eq!(straight, again);
    assert!(whole == state(&machine), "another state after a snapshot");
});
