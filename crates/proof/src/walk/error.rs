//! The error type of a search.

use super::disk::DiskError;
use super::part::MergeError;
use oxbox_machine::machine::StartError;

/// The reason why a search has no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The program cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The disk is full.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The parts of the search are inconsistent, which is a bug of the search.
    #[error(transparent)]
    Merge(#[from] MergeError),
}
