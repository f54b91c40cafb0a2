//! The programs of `asm/video` and their pictures, compared with golden PNG files.
//!
//! `OXBOX_BLESS=1 cargo test --test library vga::` writes the golden files; look at them after
//! that. The chip and INT 10h themselves are tested
//! in `src/bios/video/tests`, against the same files.

#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

#[path = "../../crates/machine/src/bios/video/tests/golden.rs"]
mod golden;
mod programs;
