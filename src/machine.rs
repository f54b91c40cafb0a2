//! The whole computer, and how to run it.
//!
//! ```text
//!   run ─> hardware.advance ─> interrupt? ─> cpu.run until the next event ─> trap? ─> bios, dos ─┐
//!    ^───────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//! A run is a function of the program, its files, the configuration and the keys with their instants: the wall clock
//! is the front ends' business.

mod allowance;
mod boot;
mod button;
mod crash;
mod driving;
mod fault;
mod history;
mod identity;
mod inspect;
mod key;
mod link;
mod look_ahead;
mod mouse;
mod observer;
mod pc;
mod playback;
mod record;
mod rerun;
mod saved;
mod script;
mod service;
mod snapshot;
mod start;
mod stop;
mod streams;
mod typing;
mod wait;

pub use button::{MouseButton, ParseButtonError};
pub use crash::Crash;
pub use history::History;
pub use identity::{Class, Classes, Looks, Stack};
pub use key::{Key, ParseKeyError};
pub use link::ParseLinkError;
pub use observer::{Observer, Outcome};
pub use pc::{Config, Machine};
pub use playback::{Playback, Played, ScriptHost};
pub use record::{Input, Position};
pub use rerun::{Moment, Recalled, Rerun};
pub use saved::{SavedState, SavedStateError};
pub use script::{Action, ParseScriptError, Script, Step};
pub use service::Service;
pub use snapshot::{PackingBase, Snapshot, SnapshotError};
pub use start::StartError;
pub use stop::{Stop, Until};
pub use typing::Typist;
