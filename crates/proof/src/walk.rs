//! Exhaustive exploration of all states that a user's keys can bring a program into.
//!
//! ```text
//!           choices ──┐                           ┌─ explore: one program, predicates
//!   SystemUnderTest ──┴─> search (level by level) ┼─ same: two programs side by side
//!                           │         ▲           └─ prove: a program beside its model in Rust
//!                      thread_pool  parts ──> one report
//! ```
//! The search does not depend on DOS: a [`SystemUnderTest`](subject::SystemUnderTest) performs a choice and reports
//! the result. Waits with equal [identities](oxbox_machine::machine::Machine::identity) are one
//! state, so a position is examined once, however it was reached. The search is breadth-first, and
//! results are processed in the order of the keys, so every result has the shortest keys, and the
//! first of these in the order of the choices. The report does not depend on the number of threads
//! or [shards](part). States that do not fit into memory are kept [on disk](disk).

mod alone;
pub mod why_different;
pub mod atlas;
pub mod choices;
pub(crate) mod classes;
pub mod thread_pool;
pub mod disk;
mod error;
pub mod explore;
mod matches;
pub mod search_stats;
mod filling;
pub(crate) mod fingerprint;
mod frontier;
pub(crate) mod graph;
mod visited;
pub mod model;
pub mod packed;
pub mod pair;
pub mod part;
pub mod performance;
pub mod predicate;
pub mod program;
pub mod same;
mod saved;
pub(crate) mod scout;
mod setup;
pub mod search;
pub mod shard;
pub mod subject;

pub use atlas::{Atlas, AtlasOptions, Place, Target, Way, survey};
pub use choices::{Choice, Choices};
pub use disk::DiskError;
pub use error::WalkError;
pub use explore::{Exploration, ExploreOptions, Found, explore, explore_part, merge_explorations};
pub use filling::Filling;
pub use model::{Model, prove};
pub use oxbox_machine::machine::{End, StartError};
pub use pair::{Compare, Comparison, Difference, SameOptions, Side};
pub use part::{MergeError, Part, PartError};
pub use predicate::Predicate;
pub use program::{ProgramUnderTest, Setup};
pub use same::{merge_comparisons, same, same_part};
pub use search_stats::{Bounds, Progress, Sameness, SearchStats};
pub use shard::Shard;
pub use why_different::{StateDifferences, why_different};
