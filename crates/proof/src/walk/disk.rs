//! What a search keeps on disk when memory is full: tables in temporary files without a name, which are gone when the search is,
//! however it ends. Only with the feature `spill`; nothing is kept on disk without it.

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

/// There is somewhere to keep states but memory.
pub(super) const IS_THERE: bool = cfg!(feature = "spill");

/// How a state was reached first: from which, by which choice.
pub(super) type Origin = (u32, u16);

/// A temporary file cannot be made, written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot keep states in a temporary file in {}: {why}", .folder.display())]
pub struct DiskError {
    /// Where it was to be.
    pub folder: PathBuf,
    /// Why it cannot.
    pub why: String,
}

impl DiskError {
    pub(super) fn new(why: &impl Display) -> DiskError {
        DiskError { folder: folder(), why: why.to_string() }
    }
}

/// Where temporary files are made.
#[cfg(feature = "spill")]
fn folder() -> PathBuf {
    oxbox_files::scratch::parent()
}

/// Where there are no files, there is no folder for temporary ones either, and to ask for it is a panic.
#[cfg(not(feature = "spill"))]
fn folder() -> PathBuf {
    PathBuf::new()
}
