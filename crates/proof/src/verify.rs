//! Compares a program in the machine with its native twin, over every line of play.
//!
//! ```text
//!   engine ──> twin (keys in, screens out) ──┐
//!                                            ├──> beside ──> search ──> report
//!   machine ──> program (the same) ──────────┘
//! ```
//! An [engine](crate::engine) defines rules; its twin adds the keys and screens of the program. The
//! exploration does not depend on DOS and of any game: it types the same keys to both sides and
//! compares screens, sounds and the state left behind. It uses the [search](crate::walk::search) of
//! `explore` and `same` on pairs: two pairs are one state only if the twins are equal and nothing
//! that the program can still observe differs. [`Twins`] combines all of this for a game.

mod beside;
mod channel;
mod compare;
mod covers;
mod effects;
mod keys;
mod lines;
mod part;
mod proof;
mod report;
mod screen;
mod sound;
mod starts;
mod statement;
mod step;
mod text_page;
mod tree;
mod twin;

pub use crate::picture::Picture;
pub use crate::walk::performance::Shot;
pub use channel::Channel;
pub use compare::difference;
pub use covers::{Covers, Games, KeyClass, Open};
pub use keys::Scope;
pub use oxbox_machine::machine::StartError;
pub use part::{CheckReport, ProofPart};
pub use proof::{Proof, Twins};
pub use report::{Begun, Divergence, Figure, GameReport, Lines, Report};
pub use screen::{Screen, Text};
pub use text_page::TextPage;
pub use tree::{Node, Tree};
pub use twin::{Twin, TwinState};
