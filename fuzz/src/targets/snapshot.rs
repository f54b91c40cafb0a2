//! Stored snapshots: read or refused; a machine restored from a forged one does not harm the host.
//!
//! Input: changes of four bytes (the way of counting, the position, the new byte) to the state of a
//! program during its work. If the first byte is odd, the input is the file itself.

use oxbox::machine::{Config, Machine, Snapshot, Until};
use std::cell::RefCell;
use std::sync::LazyLock;

/// Opens a file, writes to it, and waits for a key.
const PROGRAM: &[u8] =
    b"\xB4\x3C\x31\xC9\xBA\x1A\x01\xCD\x21\x93\xB4\x40\xB9\x02\x00\xBA\x1C\x01\xCD\x21\xB4\x01\xCD\x21\xEB\xFAF\0hi";

/// An unpacked state, its version, and the positions not in the middle of plain memory.
static STATE: LazyLock<(u32, Vec<u8>, Vec<usize>)> = LazyLock::new(|| {
    let mut machine = Machine::new(&Config::default()).expect("a machine");
    machine.load(PROGRAM, "FUZZ.COM", "").expect("a program");
    machine.run(&Until::KEY_WAIT, &mut ());
    let bytes = machine.snapshot().to_bytes().expect("a snapshot");
    let ((version, length), packed): ((u32, usize), _) =
        postcard::take_from_bytes(&bytes).expect("version and length");
    let state = lz4_flex::block::decompress(packed, length).expect("the state");
    const ALIKE: usize = 16;
    let places = (0..state.len())
        .filter(|&at| {
            let around = &state[at.saturating_sub(ALIKE)..(at + ALIKE).min(state.len())];
            around.iter().any(|byte| *byte != state[at])
        })
        .collect();
    (version, state, places)
});

thread_local! {
    static MACHINE: RefCell<Machine> = RefCell::new(Machine::new(&Config::default()).expect("a machine"));
}

pub(crate) fn run(input: &[u8]) {
    let Some((&kind, changes)) = input.split_first() else { return };
    if kind & 1 != 0 {
        let _ = Snapshot::from_bytes(changes);
        return;
    }
    let (version, state, places) = &*STATE;
    let mut state = state.clone();
    for change in changes.chunks_exact(4) {
        let number = usize::from(u16::from_le_bytes([change[1], change[2]]));
        // From the start, from the end, or anywhere.
        let number = match change[0] & 3 {
            0 => number,
            1 => places.len().saturating_sub(1 + number),
            _ => (number * places.len()) >> 16,
        };
        if let Some(byte) = places.get(number).and_then(|&place| state.get_mut(place)) {
            *byte = change[3];
        }
    }
    let mut bytes = postcard::to_stdvec(&(*version, state.len())).expect("version and length");
    bytes.extend(lz4_flex::block::compress(&state));
    let Ok(snapshot) = Snapshot::from_bytes(&bytes) else { return };
    MACHINE.with_borrow_mut(|machine| {
        machine.restore(&snapshot);
        machine.set_work_budget(0);
        let until = Until { instructions: machine.instructions().saturating_add(20_000), ..Until::KEY_WAIT };
        machine.run(&until, &mut ());
        machine.type_key("A".parse().expect("a key"));
        machine.run(&until, &mut ());
        machine.still_frame();
        machine.take_sound();
        let _ = machine.snapshot().to_bytes();
    });
}
