//! oxbox: a deterministic real-mode DOS machine.
//!
//! ```text
//!   cpu ──Bus──> hardware <── bios <── dos <── machine <── walk <── verify <── games <── claims, suite
//! ```
//! Dependencies run one way, from the first to the last of the modules below.

pub mod whole_file;

pub mod cpu;

pub mod hardware;

#[cfg(feature = "suite")]
pub mod picture;

mod firmware;

mod bios;

pub mod dos;

pub mod machine;

pub mod inspect;

pub mod toolchain;

pub mod engine;

pub mod walk;

pub mod verify;

pub mod games;

pub mod claims;

#[cfg(feature = "suite")]
pub mod suite;
