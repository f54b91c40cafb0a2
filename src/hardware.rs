//! The chips of the PC and how the processor reaches them.

pub mod clock;
mod map;
pub mod memory;

pub use clock::Clock;
pub use memory::{Memory, linear};

use serde::{Deserialize, Serialize};

/// Everything on the board but the processor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hardware {
    /// RAM, ROM and the A20 gate.
    pub memory: Memory,
    /// Relation of cycles to time.
    pub clock: Clock,
    // pub pic: Pic, pub pit: Pit, pub ppi: Ppi, pub keyboard: Keyboard, pub rtc: Rtc, pub vga: Vga, pub speaker: Speaker,
}

impl Hardware {
    /// The board after power-on, before the BIOS has set it up.
    pub fn new(speed: u32) -> Self {
        Hardware { memory: Memory::new(), clock: Clock::new(speed) }
    }

    /// Lets every chip catch up to `now` (in cycles): timer edges, keyboard bytes, what else is due.
    pub fn advance(&mut self, now: u64) {
        let _ = now;
        todo!()
    }

    /// Level of INTR: the interrupt controllers have a request that is not masked.
    pub fn intr(&self) -> bool {
        todo!()
    }

    /// Interrupt acknowledge: the vector to take.
    pub fn acknowledge(&mut self) -> u8 {
        todo!()
    }
}
