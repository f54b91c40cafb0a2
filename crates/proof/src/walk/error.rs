//! Why a walk has no report.

use super::disk::DiskError;
use super::part::MergeError;
use oxbox_machine::machine::StartError;

/// Why there is nothing to report of a walk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The program cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// States find no place on disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// What was walked does not make a whole: a mistake of the walk itself.
    #[error(transparent)]
    Merge(#[from] MergeError),
}
