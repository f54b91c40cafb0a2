//! The video BIOS and its chip as a program meets them: ports, memory and INT 10h; pictures held against the golden files of
//! `tests/goldens/vga`.
//!
//! `OXBOX_BLESS=1 cargo test -p oxbox-machine bios::video` writes them anew; then look at them.

mod golden;
mod int10;
mod pattern;
mod pictures;
mod screen;
