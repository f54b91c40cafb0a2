//! The interrupt vectors and the guest stubs that they point to.
//!
//! Each interrupt that oxbox serves has a stub of 16 bytes in the ROM at F000:, at `stub(vector)`:
//! a trap to the host, then an IRET, then a loop for waiting. A trap's handler returns a `Resume`,
//! which selects where the guest continues. The host never waits, so interrupts, scripts and
//! snapshots work during any wait. The timer and the keyboard interrupts are longer routines,
//! because they call further guest interrupts (1Ch, 15h/4Fh, 1Bh).

mod functions;
mod guest;
mod routines;
mod sectors;

pub(crate) use functions::{Function, Functions, Names, Selector, row};
pub(crate) use guest::{Far, Guest, GuestMemory};
pub(crate) use routines::{EMS_RETURN_TRAP, PAUSE_TRAP, XMS_TRAP};
pub(crate) use sectors::{CYCLES_A_CALL, CYCLES_A_SECTOR};

use crate::hardware::{Hardware, linear};
use oxbox_cpu::{Cpu, Registers, Segment};
use std::ops::RangeInclusive;

/// Segment of the system ROM.
pub const ROM_SEGMENT: u16 = 0xF000;

/// Offset of the stub of vector 0; stub n is at `16 * n` from there.
const STUBS: u16 = 0x1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resume {
    /// The service has finished: the guest continues at the stub's IRET. Flags for the caller have
    /// been set in the pushed FLAGS.
    Return,
    /// The result is not available yet: the stub enables interrupts, halts until the next one, and traps
    /// again with the same registers.
    Wait,
    /// The guest's handler of this vector runs with the registers set; then the stub traps again.
    Call(u8),
    /// The service has set CS:IP itself (a program has started or ended).
    Jump,
}

/// Returns the offset in the ROM of the stub of `vector`.
pub(crate) const fn stub(vector: u8) -> u16 {
    STUBS + 16 * vector as u16
}

/// The address of the far call for functions of extended memory.
pub(crate) const XMS_ENTRY: Far = Far::new(ROM_SEGMENT, routines::XMS);

/// The return address of a routine called by a function of expanded memory.
pub(crate) const EMS_RETURN: Far = Far::new(ROM_SEGMENT, routines::EMS_RETURN);

/// Returns the vector whose stub contains CS:IP.
pub(crate) fn vector_of_stub(segment: u16, offset: u16) -> Option<u8> {
    let number = (segment == ROM_SEGMENT).then(|| offset.checked_sub(STUBS)).flatten()? / 16;
    u8::try_from(number).ok()
}

/// Writes the ROM and the interrupt vector table.
pub(crate) fn install(hw: &mut Hardware) {
    let base = linear(ROM_SEGMENT, 0);
    for vector in 0..=255u8 {
        hw.memory.write_bytes(base + u32::from(stub(vector)), &routines::service_stub(vector));
    }
    for (offset, code) in routines::fixed() {
        hw.memory.write_bytes(base + u32::from(offset), &code);
    }
    hw.memory.write_bytes(0, routines::VECTORS.as_flattened());
}

/// Whether the vector points to its own stub: no program has hooked it.
pub(crate) fn unhooked(hw: &Hardware, vector: u8) -> bool {
    let vector = usize::from(vector);
    hw.memory.bytes()[4 * vector..4 * vector + 4] == routines::VECTORS[vector]
}

/// Whether these vectors point to their own stubs.
pub(crate) fn all_unhooked(hw: &Hardware, vectors: RangeInclusive<u8>) -> bool {
    let vectors = usize::from(*vectors.start())..usize::from(*vectors.end()) + 1;
    let now = &hw.memory.bytes()[4 * vectors.start..4 * vectors.end];
    now == routines::VECTORS[vectors].as_flattened()
}

/// Continues the guest after the trap of a stub. IP is after the trap; `how` is the service's
/// result.
pub(crate) fn resume(g: &mut Guest, how: Resume) {
    match how {
        Resume::Return | Resume::Jump => {}
        Resume::Wait => g.cpu.regs.ip += u32::from(routines::WAIT_TAIL - routines::TRAP_LENGTH),
        Resume::Call(vector) => {
            g.cpu.regs.ip -= u32::from(routines::TRAP_LENGTH);
            g.cpu.interrupt(g.hw, vector);
        }
    }
}

/// Returns CS and IP of a stub's caller, without changing the machine.
pub fn caller(cpu: &Cpu, hw: &Hardware) -> (u16, u16) {
    let at = |n: u16| hw.memory.read16(linear(cpu.regs.ss(), cpu.regs.sp().wrapping_add(n)));
    (at(2), at(0))
}

/// Returns the registers with which the program continues while the processor is in a routine, or
/// in a routine that has interrupted another: CS, IP, SP and FLAGS are from the stack, the others
/// are the current ones.
pub fn program(cpu: &Cpu, hw: &Hardware) -> Registers {
    const MOST_NESTED: usize = 16;
    let mut registers = cpu.regs.clone();
    let (mut cs, mut ip, mut sp) = (cpu.regs.cs(), cpu.regs.ip as u16, cpu.regs.sp());
    for _ in 0..MOST_NESTED {
        if cs != ROM_SEGMENT {
            break;
        }
        sp = sp.wrapping_add(2 * routines::pushed(ip));
        let at = |n: u16| hw.memory.read16(linear(cpu.regs.ss(), sp.wrapping_add(n)));
        (ip, cs) = (at(0), at(2));
        registers.flags = registers.flags & 0xFFFF_0000 | u32::from(at(4));
        sp = sp.wrapping_add(6);
        registers.set_sp(sp);
    }
    registers.ip = ip.into();
    registers.seg[Segment::Cs as usize] = cs;
    registers
}
