//! The differences between the 8086, 80186, 80286 and 80386, in one place.

use serde::{Deserialize, Serialize};

/// Which processor is emulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Model {
    /// Intel 8086.
    I8086,
    /// Intel 80186.
    I186,
    /// Intel 80286 in real mode.
    I286,
    /// Intel 80386 in real mode.
    #[default]
    I386,
}
