//! oxbox: a deterministic real-mode DOS machine.
//!
//! ```text
//!   oxbox-cpu ──Bus──> oxbox-machine <── oxbox-inspect, oxbox-toolchain <── oxbox-proof <── oxbox-suite
//!                                                                                ^── games <── claims
//! ```
//! This crate holds the five games with their claims, and the command; the rest are crates of their own, which it opens as modules.
//! Below, modules stand in order of dependency.
//!
//! # As a dependency
//!
//! `default-features = false` is the machine and all that proves things about it; `suite` and `assembler` add what their names say, `spill`
//! keeps on disk what of a long walk does not fit into memory, and `translator` makes programs faster on x86-64 and changes nothing else.
//! The other features are the binary's.

pub use oxbox_cpu as cpu;
pub use oxbox_files::{atomic_file, scratch};
pub use oxbox_inspect as inspect;
pub use oxbox_machine::{dos, fonts, hardware, machine, notice};
pub use oxbox_media as media;
pub use oxbox_proof::{engine, referee, verify, walk};
#[cfg(feature = "suite")]
pub use oxbox_suite as suite;
pub use oxbox_toolchain as toolchain;

pub mod built_in;

pub mod games;

pub mod claims;

/// The chapter of the guide on this library: its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/embed.md")]
struct Guide;
