//! The BIOS: what the firmware traps 08h to 1Ch do.

pub mod video;
