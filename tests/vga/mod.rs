//! The programs of `asm/video` and their pictures, compared with golden PNG files.
//!
//! `OXBOX_BLESS=1 cargo test --test library vga::` writes the golden files; look at them after
//! that. The tests of the chip and INT 10h are in `crates/machine/src/bios/video/tests`.

#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod golden;
mod programs;
