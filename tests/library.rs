//! Tests of the libraries' public items: machine, DOS, toolchain, games, searches and proofs,
//! suites, the page's requests.

mod boot;
mod courses;
mod dos;
mod fpu;
mod fuzz;
mod inspect;
mod machine;
#[cfg(feature = "assembler")]
mod mutants;
mod page_requests;
mod roms;
mod shell;
mod sixth_game;
mod suite;
mod toolchain;
mod verify;
mod vga;
mod walk;
