//! A deterministic PC with BIOS and DOS 5: chips, firmware, services, snapshots, timeline and
//! session.
//!
//! ```text
//!   oxbox_cpu ──Bus──> hardware <── firmware <── bios <── dos <── machine
//! ```
//! Dependencies run one way, from the first to the last of the modules below.
//!
//! A run is a function of the program, its files, the configuration, and the keys with their times.
//! This crate never reads the host's clock, never starts a thread, never draws or plays anything,
//! and accesses host files only through the folders in [`dos::DosOptions`].

pub mod fonts;

pub mod notice;

pub mod hardware;

pub mod expression;

// Only for the sibling crates, without a stable interface.
#[doc(hidden)]
pub mod firmware;

// Only for the sibling crates, without a stable interface.
#[doc(hidden)]
pub mod bios;

pub mod dos;

pub mod machine;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
