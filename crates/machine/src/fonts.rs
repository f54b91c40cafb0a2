//! The fonts of the VGA's ROM: 256 characters of code page 437, one byte per line, the leftmost dot
//! in bit 7.

/// 8 by 8 dots.
pub const VGA_8X8: &[u8; 256 * 8] = include_bytes!("fonts/vga_8x8.bin");
/// 8 by 14 dots.
pub const VGA_8X14: &[u8; 256 * 14] = include_bytes!("fonts/vga_8x14.bin");
/// 8 by 16 dots.
pub const VGA_8X16: &[u8; 256 * 16] = include_bytes!("fonts/vga_8x16.bin");
