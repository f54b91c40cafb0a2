//! oxbox: a deterministic real-mode DOS machine.
//!
//! ```text
//!   cpu ──Bus──> hardware <── bios <── dos <── machine <── frontend, verify
//! ```
//! Dependencies run one way, left to right in the list of modules below.

pub mod bios;
pub mod cpu;
pub mod dos;
pub mod firmware;
#[cfg(feature = "cli")]
pub mod frontend;
pub mod hardware;
pub mod machine;
