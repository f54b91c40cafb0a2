//! The control characters that the console acts on.

/// Breaks the program off.
pub(super) const CTRL_C: u8 = 0x03;

/// Sounding it takes time, which the BIOS's own service can wait for and a call within one trap cannot.
pub(super) const BELL: u8 = 0x07;

/// Printer echo.
pub(super) const CTRL_P: u8 = 0x10;

/// Holds the output until the next key.
pub(super) const CTRL_S: u8 = 0x13;

/// The end of a text.
pub(super) const CTRL_Z: u8 = 0x1A;
