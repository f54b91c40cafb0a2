//! State that outlives a program, besides vectors and the screen.

use super::pc::Machine;
use crate::bios::data;
use crate::dos::Dos;

/// Bits of port 61h that enable the speaker.
const SPEAKER_BITS: u8 = 3;
/// Bits of the shift flags that persist: Scroll Lock, Num Lock, Caps Lock, Insert.
const LOCKS: u8 = 0xF0;
/// Request lines of both interrupt controllers.
const LINES: std::ops::Range<u8> = 0..16;

/// State that outlives a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remains {
    /// Whether the speaker is on: bits 0 and 1 of port 61h. The beep of a BEL ends by itself and does
    /// not count.
    pub speaker: u8,
    /// The divisor of the system timer.
    pub timer: u32,
    /// For each interrupt request line, whether it is unmasked.
    pub interrupts: u16,
    /// Scroll Lock, Num Lock, Caps Lock and Insert, as in the BIOS's shift flags.
    pub locks: u8,
    /// Whether address line 20 is enabled.
    pub a20: bool,
    /// Bytes that were added to folders; a new file or folder counts as a cluster.
    pub files: u64,
}

impl Machine {
    /// Returns the state that would remain if the program ended now.
    pub fn remains(&self) -> Remains {
        let hardware = &self.hardware;
        let let_through = |bits: u16, irq: u8| bits | u16::from(hardware.pic.enabled(irq)) << irq;
        Remains {
            speaker: if self.bios.beeps() { 0 } else { hardware.ppi.port_b() & SPEAKER_BITS },
            timer: hardware.pit.timer().count(),
            interrupts: LINES.fold(0, let_through),
            locks: hardware.memory.read8(data::SHIFT_FLAGS) & LOCKS,
            a20: hardware.a20(),
            files: self.dos.added_to_drives(),
        }
    }

    /// Whether a memory block belongs to the program whose PSP is at a segment.
    pub fn keeps_memory_of(&self, psp: u16) -> bool {
        Dos::keeps_memory_of(&self.hardware, psp)
    }
}
