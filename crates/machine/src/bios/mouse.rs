//! The mouse driver: INT 33h, and IRQ 12, which brings what the mouse has done.
//!
//! Coordinates are the driver's: 640 across in every usual mode, 8 for a character; lines of the picture, or 8 for a row of text. Positions in
//! text modes are told as those of cells. Source: Ralf Brown's interrupt list, INT 33h; the Microsoft Mouse Programmer's Reference.

mod drawing;
mod driver;
mod functions;
mod interrupt;
mod shapes;
pub(super) mod state;

pub(super) use functions::INT_33;
pub(super) use interrupt::interrupt;
