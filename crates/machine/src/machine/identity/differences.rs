//! The differences between two waits, one per line: registers and fields by name, ranges of memory.

use super::hashing::{Hashing, Listing};
use super::{ReadSet, skipped};
use crate::machine::pc::Machine;
use oxbox_cpu::Registers;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::Range;

// Places in a listing that are shown in another form. Memory is listed by its hash, and shown byte by
// byte.
const MEMORY: &str = "1.memory";
const VIDEO_MEMORY: &str = "1.vga.planes";
const GENERAL_REGISTERS: &str = "0.regs.gpr.";
const SEGMENT_REGISTERS: &str = "0.regs.seg.";
const FLAGS: &str = "0.regs.flags";
/// The registers of a program that waits in a service, which equal those of the processor.
const CALLER: &str = ".caller.";

/// The numbers of the parts of a machine in [`Machine::seen_state`].
const PARTS: [&str; 7] = ["processor", "devices", "BIOS", "DOS", "halted", "keys", "timer"];

const MOST_BYTES_SHOWN: usize = 16;

/// The number of bytes that are compared at once.
const CHUNK: usize = 256;

impl Machine {
    /// Returns the differences between two waits, one per line: fields, and ranges of memory.
    pub fn differences(&self, other: &Machine, kept: &ReadSet) -> Vec<String> {
        let skip = skipped(kept);
        let [mine, theirs] = [self, other].map(|machine| {
            let mut hashing = Hashing::new(Listing::default(), &skip);
            let _ = machine.seen_state(kept).serialize(&mut hashing);
            hashing.finish().values
        });
        let places: BTreeSet<&String> = mine.keys().chain(theirs.keys()).collect();
        let mut lines: Vec<String> = places
            .into_iter()
            .map(|place| {
                (place, [&mine, &theirs].map(|values| values.get(place).map_or(&[][..], Vec::as_slice)))
            })
            .filter(|(_, [a, b])| a != b)
            .filter_map(|(place, values)| line(place, values))
            .collect();
        let [mine, theirs] = [self, other].map(|machine| machine.hardware.memory.bytes());
        lines.extend(self.differing_memory(other).into_iter().map(|range| {
            let shown = range.start..range.end.min(range.start + MOST_BYTES_SHOWN);
            format!("memory {range:05X?}: {:02X?} and {:02X?}", &mine[shown.clone()], &theirs[shown])
        }));
        lines
    }

    /// Returns the linear addresses at which the memory of two machines differs. Ranges with few
    /// equal bytes between them are merged.
    pub fn differing_memory(&self, other: &Machine) -> Vec<Range<usize>> {
        let [mine, theirs] = [self, other].map(|machine| machine.hardware.memory.bytes());
        differing_ranges(mine, theirs)
    }
}

/// Returns the line for a differing field; `None` if it is shown in another one.
fn line(place: &str, [a, b]: [&[u8]; 2]) -> Option<String> {
    if place == MEMORY || place.contains(CALLER) {
        return None;
    }
    if place == VIDEO_MEMORY {
        return Some("video memory".to_owned());
    }
    if let (Some(name), Some(a), Some(b)) = (register(place), number(a), number(b)) {
        return Some(format!("{name}: {a:X}h and {b:X}h"));
    }
    let (part, field) = part_and_field(place, &PARTS);
    let name = if field.is_empty() { part.to_owned() } else { format!("{part} {field}") };
    Some(format!("{name}: {a:02X?} and {b:02X?}"))
}

/// Splits a place in a listing into the part of the machine, named by its number, and the field in it.
pub(super) fn part_and_field<'a>(place: &'a str, parts: &[&'static str]) -> (&'a str, &'a str) {
    let (part, field) = place.split_once('.').unwrap_or((place, ""));
    let named = part.parse().ok().and_then(|part: usize| parts.get(part).copied());
    (named.unwrap_or(part), field)
}

fn register(place: &str) -> Option<&'static str> {
    let of = |prefix, names: &[&'static str]| {
        let number: usize = place.strip_prefix(prefix)?.parse().ok()?;
        names.get(number).copied()
    };
    let flags = (place == FLAGS).then_some("EFLAGS");
    flags
        .or_else(|| of(GENERAL_REGISTERS, &Registers::GENERAL))
        .or_else(|| of(SEGMENT_REGISTERS, &Registers::SEGMENTS))
}

/// Returns a number that is stored with its lowest byte first.
fn number(bytes: &[u8]) -> Option<u64> {
    let shifted = bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    (bytes.len() <= size_of::<u64>()).then_some(shifted)
}

/// Returns the ranges of bytes that differ; ranges with few equal bytes between them are merged.
fn differing_ranges(a: &[u8], b: &[u8]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let chunks = a.chunks(CHUNK).zip(b.chunks(CHUNK)).zip((0..).step_by(CHUNK));
    // Most of memory is equal, and whole chunks are compared faster.
    let differing = chunks.filter(|((a, b), _)| a != b);
    let differing = differing.flat_map(|((a, b), first)| {
        a.iter().zip(b).zip(first..).filter(|((a, b), _)| a != b).map(|(_, at)| at)
    });
    for at in differing {
        match ranges.last_mut() {
            Some(range) if at - range.end < 4 => range.end = at + 1,
            _ => ranges.push(at..at + 1),
        }
    }
    ranges
}
