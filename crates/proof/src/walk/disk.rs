//! Disk storage of a search for states that do not fit into memory: tables in unnamed temporary
//! files, which vanish with the search, however it ends. Without the feature `spill` nothing is
//! stored on disk.

#[cfg(not(feature = "spill"))]
mod absent;
#[cfg(feature = "spill")]
mod tables;

#[cfg(not(feature = "spill"))]
pub(super) use absent::{Rows, States};
#[cfg(feature = "spill")]
pub(super) use tables::{Rows, States};

use std::fmt::Display;
use std::path::PathBuf;

/// Whether states can be stored on disk.
pub(super) const IS_THERE: bool = cfg!(feature = "spill");

/// The first path to a state: its predecessor and the choice.
pub(super) type Origin = (u32, u16);

/// The error for a temporary file that cannot be created, written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot keep states in a temporary file in {}: {why}", .folder.display())]
pub struct DiskError {
    /// The folder of the file.
    pub folder: PathBuf,
    /// The host's reason.
    pub why: String,
}

impl DiskError {
    pub(super) fn new(why: &impl Display) -> DiskError {
        DiskError { folder: folder(), why: why.to_string() }
    }
}

/// Returns the folder for temporary files.
#[cfg(feature = "spill")]
fn folder() -> PathBuf {
    oxbox_files::scratch::parent()
}

/// Returns an empty path. On hosts without files, asking for the temporary folder would panic.
#[cfg(not(feature = "spill"))]
fn folder() -> PathBuf {
    PathBuf::new()
}
