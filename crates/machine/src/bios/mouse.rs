//! The mouse driver: INT 33h, and IRQ 12, which delivers the mouse's reports.
//!
//! Coordinates are the driver's: 640 across in every usual mode (8 per character); vertically the
//! lines of the picture, or 8 per row of text. In text modes positions are rounded to cells.
//! Source: Ralf Brown's interrupt list, INT 33h; the Microsoft Mouse Programmer's Reference.

mod advanced;
mod drawing;
mod driver;
mod functions;
mod interrupt;
mod shapes;
pub(super) mod state;

pub(super) use advanced::init;
pub(super) use functions::INT_33;
pub(super) use interrupt::interrupt;
