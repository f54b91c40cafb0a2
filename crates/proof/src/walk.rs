//! Exhaustive exploration of all states that a user's keys can bring a program into.
//!
//! ```text
//!   choices ──┐                           ┌─ explore: one program, predicates
//!   Subject ──┴─> search (level by level) ┼─ same: two programs side by side
//!                   │        ▲            └─ prove: a program beside its model in Rust
//!                 crew     parts ──> one report
//! ```
//! The search does not depend on DOS: a [`Subject`](subject::Subject) performs a choice and reports
//! the result. Waits with equal [identities](oxbox_machine::machine::Machine::identity) are one
//! state, so a position is examined once, however it was reached. The search is breadth-first, and
//! results are processed in the order of the keys, so every result has the shortest keys, and the
//! first of these in the order of the choices. The report does not depend on the number of threads
//! or [shards](part). States that do not fit into memory are kept [on disk](disk).

pub mod apart;
pub mod atlas;
pub mod choices;
mod classes;
pub mod crew;
pub mod disk;
mod error;
pub mod explore;
pub mod extent;
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
pub mod search;
pub mod shard;
pub mod subject;

pub use apart::{Apart, apart};
pub use atlas::{Atlas, AtlasOptions, Place, Target, Way, survey};
pub use choices::{Choice, Choices};
pub use disk::DiskError;
pub use error::WalkError;
pub use explore::{Exploration, ExploreOptions, Found, explore, explore_part, merge_explorations};
pub use extent::{Bounds, Extent, Progress, Sameness};
pub use filling::Filling;
pub use model::{Model, prove};
pub use oxbox_machine::machine::{End, StartError};
pub use pair::{Compare, Comparison, Difference, SameOptions, Side};
pub use part::{MergeError, Part, PartError};
pub use predicate::Predicate;
pub use program::{Setup, Walked};
pub use same::{merge_comparisons, same, same_part};
pub use shard::Shard;
