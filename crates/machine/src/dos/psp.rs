//! The program segment prefix and the environment.
//!
//! Source: Ralf Brown's interrupt list, table 01378 (PSP), INT 21/AH=26h for the environment.

use super::{error::ErrorCode, sysvars};
use crate::firmware::{Far, GuestMemory};
use crate::hardware::Hardware;

pub(crate) const TOP: u16 = 0x02;
pub(crate) const CPM_CALL: u16 = 0x05;
pub(crate) const TERMINATE: u16 = 0x0A;
pub(crate) const PARENT: u16 = 0x16;
pub(crate) const HANDLES: u16 = 0x18;
pub(crate) const ENVIRONMENT: u16 = 0x2C;
pub(crate) const STACK: u16 = 0x2E;
pub(crate) const HANDLE_COUNT: u16 = 0x32;
pub(crate) const HANDLE_TABLE: u16 = 0x34;
/// The DOS version that the program sees.
pub(crate) const VERSION: u16 = 0x40;
pub(crate) const FCB1: u16 = 0x5C;
pub(crate) const FCB2: u16 = 0x6C;
pub(crate) const TAIL: u16 = 0x80;

/// The number of handles of a new process.
pub(crate) const DEFAULT_HANDLES: u16 = 20;
/// The maximum length of a command tail, without its length byte and carriage return.
pub(crate) const LONGEST_TAIL: usize = 126;

/// The maximum size of an environment in bytes, up to which its end is searched for.
const LONGEST_ENVIRONMENT: usize = 0x8000;

/// Writes a new PSP at `segment`, without handles, FCBs, tail. `top`: the segment after its memory.
pub(crate) fn create(hw: &mut Hardware, segment: u16, top: u16, parent: u16, environment: u16) {
    let at = |offset| Far::new(segment, offset);
    hw.set_bytes(at(0), &[0; sysvars::PSP_BYTES as usize]);
    hw.set_bytes(at(0), &[0xCD, 0x20]);
    hw.set_word(at(TOP), top);
    write_cpm_call(hw, segment, top);
    for (i, vector) in (0x22..=0x24).enumerate() {
        let handler = hw.vector(vector);
        hw.set_far(at(TERMINATE + 4 * i as u16), handler);
    }
    hw.set_word(at(PARENT), parent);
    hw.set_bytes(at(HANDLES), &[0xFF; DEFAULT_HANDLES as usize]);
    hw.set_word(at(ENVIRONMENT), environment);
    hw.set_word(at(HANDLE_COUNT), DEFAULT_HANDLES);
    hw.set_far(at(HANDLE_TABLE), at(HANDLES));
    hw.set_dword(at(0x38), 0xFFFF_FFFF);
    hw.set_word(at(VERSION), sysvars::VERSION);
    hw.set_bytes(at(0x50), &[0xCD, 0x21, 0xCB]);
    for fcb in [FCB1, FCB2] {
        hw.set_bytes(at(fcb + 1), &[b' '; 11]);
    }
    hw.set_byte(at(TAIL + 1), 0x0D);
}

/// Writes the CALL FAR at offset 5. Its offset word is the number of bytes that the program has in
/// its segment. Its segment is chosen so that the call reaches 0000:00C0 (the vector 30h) through
/// the wrap at 1 MiB, as CP/M programs expect.
fn write_cpm_call(hw: &mut Hardware, segment: u16, top: u16) {
    let paragraphs = top.wrapping_sub(segment).min(0x1000);
    // FEF0h for a whole segment: without the PSP and the last bytes of the stack.
    let available = (paragraphs << 4).wrapping_sub(0x110);
    let entry = (u16::from(sysvars::CPM_VECTOR) * 4 / 16).wrapping_sub(available >> 4);
    let at = Far::new(segment, CPM_CALL);
    hw.set_byte(at, 0x9A);
    hw.set_far(at.plus(1), Far::new(entry, available));
}

pub(crate) fn set_tail(hw: &mut Hardware, segment: u16, tail: &[u8]) {
    let tail = &tail[..tail.len().min(LONGEST_TAIL)];
    hw.set_byte(Far::new(segment, TAIL), tail.len() as u8);
    hw.set_bytes(Far::new(segment, TAIL + 1), tail);
    hw.set_byte(Far::new(segment, TAIL + 1 + tail.len() as u16), 0x0D);
}

/// Returns the environment's strings, including the empty one at their end. `segment` 0 means none.
/// Fails with `InvalidEnvironment` if it has no end within 32 KiB.
pub(crate) fn environment_strings(hw: &mut Hardware, segment: u16) -> Result<Vec<u8>, ErrorCode> {
    if segment == 0 {
        return Ok(vec![0]);
    }
    let bytes = hw.bytes(Far::new(segment, 0), LONGEST_ENVIRONMENT);
    // An environment without strings is a single empty string.
    if bytes[0] == 0 {
        return Ok(vec![0]);
    }
    match bytes.windows(2).position(|pair| pair == [0, 0]) {
        Some(end) => Ok(bytes[..end + 2].to_vec()),
        None => Err(ErrorCode::InvalidEnvironment),
    }
}

/// Returns an environment block for a program: the strings, a count of one, the program's path.
pub(crate) fn environment_block(strings: &[u8], program: &[u8]) -> Vec<u8> {
    let mut block = strings.to_vec();
    // Readers look for two zero bytes, even in an empty environment.
    if block.len() == 1 {
        block.push(0);
    }
    block.extend_from_slice(&[1, 0]);
    block.extend_from_slice(program);
    block.push(0);
    block
}
