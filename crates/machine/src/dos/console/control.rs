//! The control characters that the console executes.

/// Interrupts the program.
pub(super) const CTRL_C: u8 = 0x03;

/// The bell takes time. The BIOS's own service can wait for it, a call within one trap cannot.
pub(super) const BELL: u8 = 0x07;

/// Printer echo.
pub(super) const CTRL_P: u8 = 0x10;

/// Stops the output until the next key.
pub(super) const CTRL_S: u8 = 0x13;

/// The end of a text file.
pub(super) const CTRL_Z: u8 = 0x1A;
