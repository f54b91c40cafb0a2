//! The chips of the PC and how the processor reaches them.
//!
//! The chips have no clock of their own: the board passes them the time in their units, and wires
//! their outputs to the interrupt controllers. Time is `u64` cycles of the processor and never runs
//! backwards.
//!
//! ```
//! use oxbox_cpu::{Bus, Width};
//! use oxbox_machine::hardware::{Hardware, speaker};
//!
//! // A board at 3000 cycles per millisecond; counter 2 of the timer divides by 1193, and the speaker
//! // is on for 100 ms.
//! let mut board = Hardware::new(3000);
//! for (port, value) in [(0x43, 0xB6), (0x42, 0xA9), (0x42, 0x04), (0x61, 0x03)] {
//!     board.output(port, Width::Byte, value, 0);
//! }
//! board.output(0x61, Width::Byte, 0x00, 300_000);
//!
//! let segments = board.take_sound();
//! let notes = speaker::notes(&segments);
//! assert_eq!(format!("{:.1} Hz, {:.1} ms", notes[0].hertz(), notes[0].length_ms()), "1000.2 Hz, 100.0 ms");
//! let samples = speaker::Synth::new(48_000).render(&segments);
//! assert!(samples.iter().any(|&sample| sample > 0.2));
//! ```

mod missing_devices;
mod board;
pub mod clock;
pub mod disk;
pub(crate) mod dma;
mod expansion;
pub(crate) mod keyboard;
mod map;
pub mod memory;
pub(crate) mod mouse;
mod access_log;
mod pages;
mod port_numbers;
pub(crate) mod pic;
pub(crate) mod pit;
pub(crate) mod ppi;
pub(crate) mod teletype_log;
pub(crate) mod rtc;
mod saved;
mod sparse;
pub mod speaker;
mod timing;
pub mod vga;

pub use access_log::SideEffect;
pub use board::Hardware;
pub(crate) use board::{DEFAULT_START, FrameSlots, IRQ_AUX, IRQ_COPROCESSOR, IRQ_KEYBOARD, IRQ_TIMER};
pub(crate) use clock::Clock;
pub use clock::{DEFAULT_SPEED, PIT_HZ};
pub(crate) use dma::Dma;
pub(crate) use expansion::{Bank, EXPANDED, EXTENDED, EXTENDED_START};
pub(crate) use keyboard::Keyboard;
pub(crate) use map::PAGE_FRAME;
pub use memory::{Memory, linear};
pub(crate) use mouse::{Mouse, Report as MouseReport};
pub(crate) use pic::Pic;
pub(crate) use pit::Pit;
pub use pit::Wave;
pub(crate) use ppi::Ppi;
pub(crate) use rtc::Rtc;
pub use rtc::{DateTime, ParseDateTimeError};
pub(crate) use saved::SavedHardware;
pub(crate) use speaker::Speaker;
pub(crate) use teletype_log::TeletypeLog;
pub use vga::Vga;

#[cfg(test)]
mod tests;
