//! Why a walk has no report.

use super::disk::DiskError;
use crate::machine::StartError;

/// Why there is nothing to report of a walk.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The program cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// States find no place on disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
}
