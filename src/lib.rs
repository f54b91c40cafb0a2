//! oxbox: a deterministic real-mode DOS machine.
//!
//! ```text
//!   cpu ──Bus──> hardware <── bios <── dos <── machine <── walk <── verify <── games <── claims, suite, web
//! ```
//! Dependencies run one way, from the first to the last of the modules below.
//!
//! # As a dependency
//!
//! `default-features = false` is the machine and all that proves things about it; `suite` and `assembler` add what their names say, `spill`
//! keeps on disk what of a long walk does not fit into memory, and `translator` makes programs faster on x86-64 and changes nothing else.
//! The other features are the binary's. Among them `audio` asks for ALSA's headers on Linux (`libasound2-dev`), unless cargo is told that
//! there is nothing to link, as the repository's own `.cargo/config.toml` does:
//! `--config 'target.x86_64-unknown-linux-gnu.alsa.rustc-link-search=[]'`.

pub mod whole_file;

pub mod markup;

pub mod cpu;

pub mod hardware;

#[cfg(feature = "suite")]
pub mod picture;

#[cfg(any(feature = "cli", feature = "web", test))]
pub mod animation;

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

#[cfg(any(feature = "web", test))]
pub mod web;

/// The chapter of the guide on this library: its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/embed.md")]
struct Guide;
