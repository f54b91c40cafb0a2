//! Random COM programs on the whole machine: no panic, and the same state after a snapshot and
//! restore.
//!
//! Input: the program. Drive C: is in memory.

use oxbox::machine::{Config, Machine, Snapshot, Stop, Until};

/// Cycles per program, before and after the snapshot.
const HALF: u64 = 6_000;

pub(crate) fn run(program: &[u8]) {
    let Ok(mut machine) = Machine::new(&Config::default()) else { return };
    if machine.load(program, "FUZZ.COM", "").is_err() {
        return;
    }
    machine.set_work_budget(0);
    let first = machine.run(&Until::cycle(HALF), &mut ());
    if first != Stop::Cycle {
        return;
    }
    // The state is compared as bytes: hashing it costs much more under a fuzzer's instrumentation.
    let state = |machine: &mut Machine| machine.snapshot().to_bytes().expect("a snapshot");
    let half = state(&mut machine);
    machine.set_work_budget(0);
    let straight = machine.run(&Until::cycle(2 * HALF), &mut ());
    let whole = state(&mut machine);
    machine.restore(&Snapshot::from_bytes(&half).expect("the same snapshot"));
    machine.set_work_budget(0);
    let again = machine.run(&Until::cycle(2 * HALF), &mut ());
    assert_eq!(straight, again);
    assert!(whole == state(&mut machine), "another state after a snapshot");
}
