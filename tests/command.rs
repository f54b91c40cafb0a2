//! The command as its users run it: what it prints, writes and answers, what the documents say of it, and how the sources are laid out.

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
mod words;
