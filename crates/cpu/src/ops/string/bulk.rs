//! Many iterations of a repeated string instruction at once.
//!
//! Only upwards, within the segments, and if all bytes are plain RAM (with no decoded byte where it
//! writes) or a device writes its memory in bulk. The remaining iterations, including one whose
//! offset wraps or faults, are executed singly.

use super::{REPEAT_EQUAL, index, set_index};
use crate::alu::{Binary, Cmp};
use crate::bus::{Bus, copy_by_device};
use crate::op::Op;
use crate::registers::{Flags, Reg, Segment};
use crate::size::Size;
use crate::state::Cpu;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bulk {
    Copy,
    Fill,
    Scan,
    Compare,
}

/// Fewer iterations than this are not worth the preparation.
const FEWEST: u32 = 4;

/// Executes as many iterations as possible. Returns their number, for CX and the cycle count.
pub(super) fn turns<B: Bus, W: Size>(bulk: Bulk, cpu: &mut Cpu, bus: &mut B, op: &Op<B>, wide: bool) -> u32 {
    if cpu.regs.flag(Flags::DF) {
        return 0;
    }
    let (si, di) = (index(cpu, Reg::Si, wide), index(cpu, Reg::Di, wide));
    let fits = |offset: u32| 0x1_0000u32.saturating_sub(offset) / W::BYTES;
    let before_deadline = (cpu.limit - cpu.cycles_before(op)).min(u64::from(u32::MAX)) as u32;
    let mut most = index(cpu, Reg::C, wide).min(before_deadline).min(fits(di));
    if bulk == Bulk::Copy || bulk == Bulk::Compare {
        most = most.min(fits(si));
    }
    if most < FEWEST {
        return 0;
    }
    let source = cpu.base(op.seg).wrapping_add(si);
    let target = cpu.base(Segment::Es).wrapping_add(di);
    let value = W::get(&cpu.regs.gpr, Reg::A);
    let done = match bulk {
        Bulk::Copy => copy::<B, W>(bus, source, target, most),
        Bulk::Fill => fill::<B, W>(bus, target, most, value),
        Bulk::Scan => {
            let Some(bytes) = bus.ram(target, (most * W::BYTES) as usize) else { return 0 };
            let until_equal = op.imm != REPEAT_EQUAL;
            let found = scan::<W>(bytes, value, until_equal);
            let turns = found.map_or(most, |at| at as u32 + 1);
            let last = element::<W>(bytes, turns as usize - 1);
            cpu.status = Cmp::apply::<W>(value, last, false).1;
            turns
        }
        Bulk::Compare => {
            let len = (most * W::BYTES) as usize;
            let (Some(a), Some(b)) = (bus.ram(source, len), bus.ram(target, len)) else { return 0 };
            let until_equal = op.imm != REPEAT_EQUAL;
            let found = compare::<W>(a, b, until_equal);
            let turns = found.map_or(most, |at| at as u32 + 1);
            let last = turns as usize - 1;
            cpu.status = Cmp::apply::<W>(element::<W>(a, last), element::<W>(b, last), false).1;
            turns
        }
    };
    let by = done * W::BYTES;
    set_index(cpu, Reg::Di, wide, di.wrapping_add(by));
    if bulk == Bulk::Copy || bulk == Bulk::Compare {
        set_index(cpu, Reg::Si, wide, si.wrapping_add(by));
    }
    done
}

/// Copies upwards. If the target overlaps the source from above, copied bytes are copied again, as
/// single iterations would do; a step then copies only the distance between the two.
fn copy<B: Bus, W: Size>(bus: &mut B, source: u32, target: u32, most: u32) -> u32 {
    const SHORT: u32 = 64;
    if most * W::BYTES <= SHORT {
        copy_by::<B, W, { SHORT as usize }>(bus, source, target, most)
    } else {
        copy_by::<B, W, 2048>(bus, source, target, most)
    }
}

/// Copies through a buffer of this many bytes, which takes time to clear.
fn copy_by<B: Bus, W: Size, const CHUNK: usize>(bus: &mut B, source: u32, target: u32, most: u32) -> u32 {
    if copy_by_device(bus, source, target, W::BYTES, most) {
        return most;
    }
    let distance = target.wrapping_sub(source);
    let mut at_once = CHUNK as u32;
    if distance != 0 && distance < most * W::BYTES {
        at_once = distance.min(at_once) / W::BYTES * W::BYTES;
    }
    if at_once < FEWEST * W::BYTES {
        return 0;
    }
    let mut buffer = [0; CHUNK];
    let mut done = 0;
    let all = most * W::BYTES;
    while done < all {
        let len = (all - done).min(at_once) as usize;
        let Some(from) = bus.ram(source + done, len) else { break };
        buffer[..len].copy_from_slice(from);
        let Some(to) = bus.ram_mut(target + done, len) else { break };
        to.copy_from_slice(&buffer[..len]);
        done += len as u32;
    }
    done / W::BYTES
}

fn fill<B: Bus, W: Size>(bus: &mut B, target: u32, most: u32, value: u32) -> u32 {
    let value = value.to_le_bytes();
    let Some(bytes) = bus.ram_mut(target, (most * W::BYTES) as usize) else {
        return if bus.fill_device(target, &value[..W::BYTES as usize], most) { most } else { 0 };
    };
    match W::BYTES {
        1 => bytes.fill(value[0]),
        2 => bytes.chunks_exact_mut(2).for_each(|element| element.copy_from_slice(&value[..2])),
        _ => bytes.chunks_exact_mut(4).for_each(|element| element.copy_from_slice(&value)),
    }
    most
}

/// Returns the index of the first element equal to `value`, or different unless `until_equal`.
fn scan<W: Size>(bytes: &[u8], value: u32, until_equal: bool) -> Option<usize> {
    let [a, b, c, d] = value.to_le_bytes();
    match W::BYTES {
        1 => scan_for(bytes.as_chunks().0, [a], until_equal),
        2 => scan_for(bytes.as_chunks().0, [a, b], until_equal),
        _ => scan_for(bytes.as_chunks().0, [a, b, c, d], until_equal),
    }
}

fn scan_for<const N: usize>(elements: &[[u8; N]], value: [u8; N], until_equal: bool) -> Option<usize> {
    if until_equal {
        first(elements, elements, |element, _| element == value)
    } else {
        first(elements, elements, |element, _| element != value)
    }
}

/// Returns the index of the first equal pair, or different pair unless `until_equal`.
fn compare<W: Size>(a: &[u8], b: &[u8], until_equal: bool) -> Option<usize> {
    match W::BYTES {
        1 => compare_for::<1>(a.as_chunks().0, b.as_chunks().0, until_equal),
        2 => compare_for::<2>(a.as_chunks().0, b.as_chunks().0, until_equal),
        _ => compare_for::<4>(a.as_chunks().0, b.as_chunks().0, until_equal),
    }
}

fn compare_for<const N: usize>(a: &[[u8; N]], b: &[[u8; N]], until_equal: bool) -> Option<usize> {
    if until_equal { first(a, b, |a, b| a == b) } else { first(a, b, |a, b| a != b) }
}

/// Returns the first index at which `is_it` holds. A chunk is tested as a whole before its
/// elements, without branches, so that the compiler vectorises the test.
#[inline(always)]
fn first<T: Copy>(a: &[T], b: &[T], is_it: impl Fn(T, T) -> bool) -> Option<usize> {
    const CHUNK: usize = 64;
    let holds_none = |(a, b): &(&[T], &[T])| {
        a.iter().zip(*b).fold(0, |any: u8, (&a, &b)| any | u8::from(is_it(a, b))) == 0
    };
    let chunks = a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK));
    let passed = chunks.take_while(holds_none).count() * CHUNK;
    let mut rest = a[passed..].iter().zip(&b[passed..]);
    rest.position(|(&a, &b)| is_it(a, b)).map(|at| passed + at)
}

fn element<W: Size>(bytes: &[u8], number: usize) -> u32 {
    let at = number * W::BYTES as usize;
    bytes[at..at + W::BYTES as usize].iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}
