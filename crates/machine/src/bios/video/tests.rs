//! The video BIOS and its chip from a program's view: ports, memory and INT 10h. Pictures are
//! compared with the golden files in `tests/goldens/vga`.
//!
//! `OXBOX_BLESS=1 cargo test -p oxbox-machine bios::video` writes the golden files; look at them
//! after that.

mod golden;
mod int10;
mod pattern;
mod pictures;
mod screen;
