//! The state of the devices, the BIOS and DOS that outlives a program.

use super::differences::part_and_field;
use super::hashing::{Hashing, Listing, Sink, Skip};
use super::{CLOCK_FIELDS, DATE_FIELDS, LAST_BYTE_FIELDS, OTHER_FIELDS};
use crate::bios::data;
use crate::dos::{self, Dos};
use crate::machine::hash::BufferedHash;
use crate::machine::pc::Machine;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// Fields of a program that runs, of keys on their way, of the last notes; indices, which are written
/// before each use; and those that [`Remains`](crate::machine::Remains) and the screen show.
pub(super) const PASSING: &[Skip] = &[
    Skip::new("Hardware", &["memory"]),
    Skip::new("Vga", &["planes", "latch"]),
    Skip::new("Registers", &["crtc"]),
    Skip::new("Sequencer", &["index"]),
    Skip::new("Graphics", &["index"]),
    Skip::new("Attribute", &["index", "data_next"]),
    Skip::new("Dac", &["components", "read_index", "write_index", "component", "pending", "reading"]),
    Skip::new("Rtc", &["index"]),
    Skip::new("Keyboard", &["output_full", "last_was_command"]),
    Skip::new("Controller", &["read_in_service"]),
    Skip::new("Device", &["queue"]),
    Skip::new("Ppi", &["port_b"]),
    Skip::new("Counter", &["count_register", "latched_count", "null_count", "gate"]),
    Skip::new("Dos", &["running", "status"]),
    Skip::new("Console", &["column", "scan", "captured", "captured_errors"]),
    Skip::new("OpenFile", &["references"]),
];
const SKIPPED: [&[Skip]; 5] = [PASSING, CLOCK_FIELDS, DATE_FIELDS, LAST_BYTE_FIELDS, OTHER_FIELDS];

/// Bytes of the BIOS data area that the BIOS changes with keys, time, the cursor and disks, or that
/// are compared otherwise.
const CHANGING: [Range<u32>; 5] = [
    data::SHIFT_FLAGS..data::VIDEO_MODE,
    data::ALL_CURSORS,
    data::TICKS..data::BREAK_FLAG + 1,
    data::FIXED_STATUS..data::FIXED_COUNT,
    data::KEYBOARD_STATUS..data::KEYBOARD_STATUS + 2,
];
const BIOS_DATA: Range<u32> = data::at(0)..data::at(0x100);

/// The parts of the machine by their number in [`Machine::serialized`].
const PARTS: [&str; 3] = ["devices", "BIOS", "DOS"];

/// The state of the devices, the BIOS and DOS that outlives a program: fields by their names, the BIOS
/// data area, and the memory below the program.
#[derive(Debug, Clone)]
pub struct SystemState {
    fields: BTreeMap<String, Vec<u8>>,
    hash: u128,
    memory: Vec<u8>,
}

impl Machine {
    /// Returns the state before the first instruction of a program.
    pub fn system_state(&self) -> SystemState {
        let end = Dos::first_block_of(&self.hardware, self.psp()).unwrap_or(BIOS_DATA.end);
        SystemState {
            fields: self.serialized(Listing::default()).values,
            hash: self.hash_of_system(),
            memory: self.lasting_memory(BIOS_DATA.start..end),
        }
    }

    /// Returns the first part of the state that has changed since.
    pub fn changed_system(&self, before: &SystemState) -> Option<String> {
        let memory = self.lasting_memory(BIOS_DATA.start..BIOS_DATA.start + before.memory.len() as u32);
        if memory != before.memory {
            let at = memory.iter().zip(&before.memory).position(|(now, then)| now != then)?;
            return Some(name_of_byte(BIOS_DATA.start + at as u32));
        }
        if self.hash_of_system() == before.hash {
            return None;
        }
        let now = self.serialized(Listing::default()).values;
        let differs = |name: &&String| now.get(*name) != before.fields.get(*name);
        now.keys().chain(before.fields.keys()).find(differs).map(|name| name_of_field(name))
    }

    fn hash_of_system(&self) -> u128 {
        self.serialized(BufferedHash::new()).digest128()
    }

    /// Passes the fields to a sink.
    fn serialized<K: Sink>(&self, sink: K) -> K {
        let mut hashing = Hashing::new(sink, &SKIPPED);
        // Neither sink fails.
        let _ = (&self.hardware, &self.bios, &self.dos).serialize(&mut hashing);
        hashing.finish()
    }

    /// Returns memory in which bytes that change by themselves are 0.
    fn lasting_memory(&self, range: Range<u32>) -> Vec<u8> {
        let mut bytes = self.hardware.memory.bytes()[range.start as usize..range.end as usize].to_vec();
        for changing in CHANGING.into_iter().chain(dos::CHANGING) {
            let [first, last] = [changing.start, changing.end].map(|at| at.clamp(range.start, range.end));
            bytes[(first - range.start) as usize..(last - range.start) as usize].fill(0);
        }
        bytes
    }
}

fn name_of_byte(at: u32) -> String {
    if at == dos::CURRENT_DRIVE.linear() {
        "the current drive".to_owned()
    } else if at == dos::BREAK_CHECK.linear() {
        "the break flag".to_owned()
    } else if BIOS_DATA.contains(&at) {
        format!("the BIOS data at 0040:{:04X}", at - BIOS_DATA.start)
    } else {
        format!("the memory of DOS at {:04X}:{:04X}", at >> 4, at & 15)
    }
}

fn name_of_field(name: &str) -> String {
    let (part, field) = part_and_field(name, &PARTS);
    format!("{field} of {part}")
}
