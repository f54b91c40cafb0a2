//! Random COM programs on the whole machine: never a panic, and after a snapshot and restore the same hash.
//!
//! Input: the program. Drive C: is an empty folder that the program cannot write.
#![no_main]

use libfuzzer_sys::fuzz_target;
use oxbox::machine::{Config, Machine, Snapshot, Stop, Until};

/// Cycles a program gets, before and after the snapshot.
const HALF: u64 = 30_000;

fuzz_target!(|program: &[u8]| {
    let Ok(mut machine) = Machine::new(&Config::default()) else { return };
    if machine.load(program, "FUZZ.COM", "").is_err() {
        return;
    }
    let first = machine.run(&Until::cycle(HALF), &mut ());
    if first != Stop::Cycle {
        return;
    }
    let bytes = machine.snapshot().to_bytes().expect("a snapshot");
    let straight = machine.run(&Until::cycle(2 * HALF), &mut ());
    let hash = machine.state_hash();
    machine.restore(&Snapshot::from_bytes(&bytes).expect("the same snapshot"));
    let again = machine.run(&Until::cycle(2 * HALF), &mut ());
    assert_eq!((straight, hash), (again, machine.state_hash()));
});
