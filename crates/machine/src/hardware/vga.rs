//! The VGA: 256 KiB in four planes with sequencer, graphics controller, CRTC, attribute controller
//! and DAC. With the kind EGA (`kind`) it has fewer features. A CGA (`cga`) has its own registers
//! and uses only the memory.
//!
//! The picture is a function of the registers and the memory (`Vga::frame`, `Vga::text`); the chip
//! does not know video modes. Derived data (how the processor's accesses reach the planes) is
//! recomputed from the registers and never serialised. Source: IBM VGA technical reference. The
//! ports are in `Vga::input` and `Vga::output`.

mod access;
mod adapter;
mod attribute;
mod cga;
pub(crate) mod colours;
pub mod cp437;
mod crtc;
mod dac;
mod graphics;
mod history;
mod kind;
mod memory;
mod origin;
mod planes;
mod raster;
mod registers;
mod render;
mod runs;
mod sequencer;
mod source;
mod style;
mod text;

#[cfg(test)]
mod tests;

pub(super) use adapter::SavedVga;
pub use adapter::Vga;
pub use kind::Adapter;
pub use origin::PlaneBits;
pub use render::Frame;
pub use source::Source;
pub use style::TextStyle;
pub use text::{Cursor, TextScreen};
