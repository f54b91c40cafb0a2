//! What is wrong with an expression.

use super::node::Fact;

/// An expression that cannot be parsed, or has no value here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// The text is not an expression.
    #[error("column {column}: {message}")]
    Syntax {
        /// Where, in characters from 1.
        column: usize,
        /// What was found and what to write instead.
        message: String,
    },
    /// The program has no such name.
    #[error("column {column}: unknown name '{name}'")]
    Unknown {
        /// Where, in characters from 1.
        column: usize,
        /// The name.
        name: String,
    },
    /// A fact about a run that cannot be asked here.
    #[error("{0} can be asked of a walk only (explore --find)")]
    Fact(Fact),
    /// Memory that cannot be read here, by its linear address.
    #[error("memory at {0:05X}h cannot be read here")]
    Unreadable(u32),
    /// A division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A value where a place in memory is needed.
    #[error("'{0}' is not a place in memory; write a name, [bx+2] or SEG:OFF")]
    Place(String),
}
