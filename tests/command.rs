//! The command as its users run it: what it prints, writes and answers, and what the documents say of it.

mod check;
mod cli;
mod debug;
mod dos_assembler;
mod guide;
mod imports;
mod mistakes;
mod names;
mod new;
mod pages;
mod referee;
