//! The reason that a step of a script failed.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A step of a script whose expectation was not met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptFailure {
    /// The line of the script, from 1.
    pub line: usize,
    /// The result that was found.
    pub kind: ScriptFailureKind,
}

/// The result that a step of a script found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ScriptFailureKind {
    /// `expect`: the text screen does not contain the text.
    Missing {
        /// The text.
        wanted: String,
        /// The lines of the screen; `None` if a report shows them anyway.
        screen: Option<String>,
    },
    /// `expect`: the screen is in a graphics mode and contains no text.
    Graphics {
        /// The text.
        wanted: String,
    },
    /// `text`: the screen is in a graphics mode and contains no text.
    NoText,
}

impl fmt::Display for ScriptFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "script line {}: ", self.line)?;
        match &self.kind {
            ScriptFailureKind::Missing { wanted, screen } => {
                write!(f, "\"{wanted}\" is not on the screen")?;
                screen.iter().try_for_each(|screen| write!(f, "; it is:\n{screen}"))
            }
            ScriptFailureKind::Graphics { wanted } => {
                write!(f, "\"{wanted}\" was expected, but the screen is in a graphics mode")
            }
            ScriptFailureKind::NoText => f.write_str("no text to write: the screen is in a graphics mode"),
        }
    }
}
