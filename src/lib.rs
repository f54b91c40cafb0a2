//! oxbox: a deterministic real-mode DOS machine.
//!
//! ```text
//!   oxbox-cpu ──Bus──> oxbox-machine <── oxbox-inspect, oxbox-toolchain <── oxbox-proof <── oxbox-suite
//!                                                                                ^── games <── claims
//! ```
//! This crate contains the five games with their claims, and the command. The other crates are
//! re-exported as modules, listed below in order of dependency.
//!
//! # As a dependency
//!
//! `default-features = false` is the machine and everything that proves properties of it; `suite`
//! and `assembler` add what their names say, `spill` keeps states on disk that do not fit into
//! memory, and `translator` makes programs faster on x86-64 and has no other effect. The other
//! features belong to the binary.

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

/// The chapter of the guide about this library: its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/embed.md")]
struct Guide;
