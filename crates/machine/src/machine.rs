//! The whole computer, and how to run it.
//!
//! ```text
//!   run ─> hardware.advance ─> interrupt? ─> cpu.run until the next event ─> trap? ─> bios, dos ─┐
//!    ^───────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//! A run is a function of the program, its files, the configuration and the keys with their times.
//! The front ends handle the wall clock.

mod at_once;
mod work_budget;
mod boot;
mod button;
mod crash;
mod test_helpers;
mod end;
mod fault;
mod hash;
mod identity;
mod inspect;
mod key;
mod link;
mod look_ahead;
mod mouse;
mod observer;
mod other_keys;
mod pc;
mod places;
mod playback;
mod record;
mod remains;
mod requests;
mod saved;
mod script;
mod script_failure;
mod service;
mod session;
mod settings;
mod snapshot;
mod start;
mod stop;
mod streams;
mod timeline;
mod typing;
mod vain;
mod wait;
mod watched;

pub use button::{MouseButton, ParseButtonError};
pub use crash::{Crash, Fault, FaultKind};
pub use end::{End, Limit, Signal};
pub use identity::other_key::OtherKey;
pub use identity::{CategorySet, Question, ReadSet, Stack, StateCategory, SystemState};
pub use key::{Key, ParseKeyError};
pub use link::ParseLinkError;
pub use observer::{Observer, Outcome};
pub use other_keys::KeyPlace;
pub use pc::{Config, Machine};
pub use playback::{Playback, Played, ScriptHost, Stroke};
pub use record::{Input, Position};
pub use remains::Remains;
pub use saved::{SavedState, SavedStateError};
pub use script::{Action, ParseScriptError, Script, Step};
pub use script_failure::{ScriptFailure, ScriptFailureKind};
pub use service::Service;
pub use session::{FRAME_NS, Limits, Session, SessionHost};
pub use settings::{ParseSettingError, Settings};
pub use snapshot::{PackingBase, Snapshot, SnapshotError};
pub use start::StartError;
pub use stop::{Polls, Stop, Until};
pub use timeline::Timeline;
pub use typing::KeyboardMapper;
