//! The VGA: 256 KiB in four planes behind sequencer, graphics controller, CRTC, attribute controller and DAC; less of all that it is an
//! EGA (`kind`). A CGA in its place (`cga`) has its own registers and uses the memory alone.
//!
//! The picture is a function of the registers and the memory (`Vga::frame`, `Vga::text`); no video mode is known here.
//! Derived data (how the processor's accesses reach the planes) is recomputed from the registers and never serialised.
//! Source: IBM VGA technical reference; the ports are in `Vga::input` and `Vga::output`.

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
