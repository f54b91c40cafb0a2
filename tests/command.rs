//! The command as used by its users: its output and exit codes, the documents about it, and the
//! layout of the sources.

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
