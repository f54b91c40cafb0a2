//! oxbox: a deterministic real-mode DOS machine.
//!
//! ```text
//!   cpu ──Bus──> hardware <── bios <── dos <── machine <── frontend, verify
//! ```
//! Dependencies run one way, left to right in the list of modules below.

pub mod cpu;
pub mod hardware;
pub mod firmware;
pub mod bios;
pub mod dos;
pub mod machine;
