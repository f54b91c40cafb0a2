//! The call stack, reconstructed from words on the stack that follow a CALL or an INT.
//!
//! Real mode does not record where procedures start. So a word counts as a return address if a call
//! precedes the address, and if the call's target, where known, leads to the routine of the inner
//! frame.

use super::program::Program;
use oxbox_cpu::Registers;

/// The distance from SP in bytes in which return addresses are searched for, and the most frames.
const REACH: u16 = 2048;
const MOST_FRAMES: usize = 64;

/// An active routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// CS and IP: of the current instruction for the top frame, of the calls for the others.
    pub at: (u16, u16),
}

/// A return address, and the length of the call before it.
struct Return {
    cs: u16,
    call: u16,
    /// Its size on the stack in bytes.
    size: u16,
    /// The target of the call, if the instruction contains it.
    target: Option<(u16, u16)>,
}

/// Returns the frames, the innermost first. `byte` reads memory by segment and offset.
pub(super) fn frames(program: &Program, registers: &Registers, byte: impl Fn(u16, u16) -> u8) -> Vec<Frame> {
    let word = |segment: u16, offset: u16| {
        u16::from_le_bytes([byte(segment, offset), byte(segment, offset.wrapping_add(1))])
    };
    let (ss, sp) = (registers.ss(), registers.sp());
    let mut inner = (registers.cs(), registers.ip as u16);
    let mut frames = vec![Frame { at: inner }];
    let (start_ss, start_sp) = program.stack();
    let room = if ss == start_ss && sp <= start_sp { start_sp - sp } else { REACH };
    let mut offset = 0u16;
    while offset < room.min(REACH) && frames.len() < MOST_FRAMES {
        let at = sp.wrapping_add(offset);
        let (ip, cs) = (word(ss, at), word(ss, at.wrapping_add(2)));
        let near = near_call(inner.0, ip, &byte, &word);
        let found = near.or_else(|| far_call(cs, ip, &byte, &word));
        let found =
            found.filter(|found| program.is_code(found.cs, found.call) && leads(program, found, inner));
        match found {
            Some(found) => {
                inner = (found.cs, found.call);
                frames.push(Frame { at: inner });
                offset += found.size;
            }
            None => offset += 2,
        }
    }
    frames
}

/// Returns whether a call can be the one that led to `inner`.
fn leads(program: &Program, call: &Return, inner: (u16, u16)) -> bool {
    let Some(target) = call.target else { return true };
    if !program.is_code(inner.0, inner.1) {
        return program.is_code(target.0, target.1);
    }
    match (program.routine(target.0, target.1), program.routine(inner.0, inner.1)) {
        (Some(called), Some(running)) => called.address() == running.address(),
        _ => program.address(target.0, target.1) <= program.address(inner.0, inner.1),
    }
}

fn near_call(
    cs: u16,
    ip: u16,
    byte: &impl Fn(u16, u16) -> u8,
    word: &impl Fn(u16, u16) -> u16,
) -> Option<Return> {
    let before = |count: u16| ip.wrapping_sub(count);
    let found = |length: u16, target| Some(Return { cs, call: before(length), size: 2, target });
    if byte(cs, before(3)) == 0xE8 {
        let target = ip.wrapping_add(word(cs, before(2)));
        return found(3, Some((cs, target)));
    }
    let length = indirect(|count| byte(cs, before(count)), 2)?;
    found(length, None)
}

fn far_call(
    cs: u16,
    ip: u16,
    byte: &impl Fn(u16, u16) -> u8,
    word: &impl Fn(u16, u16) -> u16,
) -> Option<Return> {
    let before = |count: u16| ip.wrapping_sub(count);
    let found = |length: u16, size, target| Some(Return { cs, call: before(length), size, target });
    if byte(cs, before(5)) == 0x9A {
        return found(5, 4, Some((word(cs, before(2)), word(cs, before(4)))));
    }
    if byte(cs, before(2)) == 0xCD {
        return found(2, 6, None);
    }
    let length = indirect(|count| byte(cs, before(count)), 3)?;
    found(length, 4, None)
}

/// Returns the length of a CALL through a register or memory that ends before an address. `before`
/// reads the byte at this distance before it; `kind` is 2 for a near call and 3 for a far call.
fn indirect(before: impl Fn(u16) -> u8, kind: u8) -> Option<u16> {
    (2..=4).find(|&length| {
        let modrm = before(length - 1);
        let wanted = match modrm >> 6 {
            0 if modrm & 7 == 6 => 4,
            0 => 2,
            1 => 3,
            2 => 4,
            _ => 2,
        };
        before(length) == 0xFF && modrm >> 3 & 7 == kind && wanted == length && (kind == 2 || modrm >> 6 != 3)
    })
}
