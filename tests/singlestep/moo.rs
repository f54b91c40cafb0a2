//! Public suites as published: MOO files (chunks of a tag, a length and bytes) and JSON, with or
//! without gzip.
//!
//! The format is described at github.com/dbalsom/moo, `doc/moo_format_v1.md`.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use super::unhex;

/// A value per register, or none: the eight general registers and the segments in the order of
/// their encoding, IP, flags.
pub(crate) type Registers = [Option<u32>; 16];
pub(crate) const NAMES: [&str; 16] =
    ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "es", "cs", "ss", "ds", "fs", "gs", "ip", "flags"];
pub(crate) const SP: usize = 4;
pub(crate) const IP: usize = 14;
pub(crate) const FLAGS: usize = 15;

/// The order of registers in a MOO file: indices in [`NAMES`]; 16 is a register that is not
/// compared.
const ORDER_16: [usize; 14] = [0, 3, 1, 2, 9, 10, 11, 8, 4, 5, 6, 7, IP, FLAGS];
const ORDER_32: [usize; 20] = [16, 16, 0, 3, 1, 2, 6, 7, 5, 4, 9, 11, 8, 12, 13, 10, IP, FLAGS, 16, 16];

/// An instruction and its effect.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Its name in a list of revoked recordings.
    pub(crate) hash: String,
    pub(crate) before: State,
    /// Registers that changed, and bytes.
    pub(crate) after: State,
    /// Bits that are defined afterwards; all if not specified.
    pub(crate) masks: Registers,
}

/// Registers, and bytes with their linear addresses.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) registers: Registers,
    pub(crate) memory: Vec<(u32, u8)>,
}

/// A file of recordings, all of one opcode.
#[derive(Debug, Default)]
pub(crate) struct Suite {
    /// The name in its header; JSON has none.
    pub(crate) cpu: String,
    pub(crate) recordings: Vec<Recording>,
}

/// Reads a file of a suite.
pub(crate) fn read(path: &Path) -> io::Result<Suite> {
    let packed = fs::read(path)?;
    let mut bytes = Vec::new();
    if packed.starts_with(&[0x1F, 0x8B]) {
        MultiGzDecoder::new(&packed[..]).read_to_end(&mut bytes)?;
    } else {
        bytes = packed;
    }
    Ok(if bytes.starts_with(b"MOO ") { from_moo(&bytes) } else { from_json(&bytes) })
}

/// Returns the chunks in some bytes: tag and payload. A truncated end is an error of the file.
fn chunks(mut rest: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (tag, behind) = rest.split_at(4);
        let (payload, next) = behind[4..].split_at(word(behind, 0) as usize);
        rest = next;
        Some((tag, payload))
    })
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn from_moo(bytes: &[u8]) -> Suite {
    let mut suite = Suite::default();
    let mut masks = Registers::default();
    for (tag, payload) in chunks(bytes) {
        match tag {
            b"MOO " => suite.cpu = text(&payload[8..12]),
            b"RMSK" | b"RM32" => masks = registers(tag, payload),
            b"TEST" => suite.recordings.push(recording(&payload[4..], masks)),
            _ => {}
        }
    }
    suite
}

fn recording(bytes: &[u8], masks: Registers) -> Recording {
    let mut read = Recording { masks, ..Recording::default() };
    for (tag, payload) in chunks(bytes) {
        match tag {
            b"NAME" => read.name = text(&payload[4..]),
            b"BYTS" => read.bytes = payload[4..].to_vec(),
            b"HASH" => read.hash = payload.iter().map(|byte| format!("{byte:02x}")).collect(),
            b"INIT" => read.before = state(payload, &mut read.masks),
            b"FINA" => read.after = state(payload, &mut read.masks),
            _ => {}
        }
    }
    read
}

fn state(bytes: &[u8], masks: &mut Registers) -> State {
    let mut read = State::default();
    for (tag, payload) in chunks(bytes) {
        match tag {
            b"REGS" | b"RG32" => read.registers = registers(tag, payload),
            b"RMSK" | b"RM32" => *masks = registers(tag, payload),
            b"RAM " => {
                read.memory = payload[4..].chunks_exact(5).map(|entry| (word(entry, 0), entry[4])).collect();
            }
            _ => {}
        }
    }
    read
}

/// Reads registers or their masks: a bit for each that is present, then their values.
fn registers(tag: &[u8], payload: &[u8]) -> Registers {
    let (order, size) = if tag.ends_with(b"32") { (&ORDER_32[..], 4) } else { (&ORDER_16[..], 2) };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
    let (there, mut values) = payload.split_at(size);
    let mut read = [None; 17];
    for (bit, &place) in order.iter().enumerate() {
        if number(there) >> bit & 1 != 0 {
            let (value, rest) = values.split_at(size);
            read[place] = Some(number(value));
            values = rest;
        }
    }
    std::array::from_fn(|place| read[place])
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

fn from_json(bytes: &[u8]) -> Suite {
    let list: Vec<Value> = serde_json::from_slice(bytes).unwrap();
    let number = |value: &Value| value.as_u64().unwrap() as u32;
    let state = |value: &Value| State {
        registers: NAMES.map(|name| value["regs"][name].as_u64().map(|value| value as u32)),
        memory: {
            let pairs = value["ram"].as_array().map(Vec::as_slice).unwrap_or_default();
            pairs.iter().map(|pair| (number(&pair[0]), number(&pair[1]) as u8)).collect()
        },
    };
    let recordings = list.iter().map(|value| Recording {
        name: value["name"].as_str().unwrap_or_default().to_owned(),
        bytes: match &value["bytes"] {
            Value::String(hex) => unhex(hex),
            bytes => bytes.as_array().unwrap().iter().map(|byte| number(byte) as u8).collect(),
        },
        hash: value["hash"].as_str().unwrap_or_default().to_owned(),
        before: state(&value["initial"]),
        after: state(&value["final"]),
        masks: Registers::default(),
    });
    Suite { cpu: String::new(), recordings: recordings.collect() }
}
