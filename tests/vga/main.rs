//! The video chip and its BIOS as a program meets them: ports, memory and INT 10h; pictures held against golden PNG files.
//!
//! `OXBOX_BLESS=1 cargo test --test vga` writes the golden files anew; then look at them.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod golden;
mod int10;
mod pattern;
mod pictures;
#[cfg(feature = "assembler")]
mod programs;
mod screen;
