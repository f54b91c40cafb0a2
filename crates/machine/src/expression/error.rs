//! The errors of expressions.

use super::node::Fact;

/// An expression cannot be parsed, or has no value here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// The text is not an expression.
    #[error("column {column}: {message}")]
    Syntax {
        /// The position, in characters from 1.
        column: usize,
        /// The text found, and a correct form.
        message: String,
    },
    /// The program does not define this name.
    #[error("column {column}: unknown name '{name}'")]
    Unknown {
        /// The position, in characters from 1.
        column: usize,
        /// The name.
        name: String,
    },
    /// A fact about a run that is not available here.
    #[error("{0} is only available in a search (explore --find)")]
    Fact(Fact),
    /// Memory at this linear address cannot be read here.
    #[error("memory at {0:05X}h cannot be read here")]
    Unreadable(u32),
    /// A division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A value was found where a place in memory is needed.
    #[error("'{0}' is not a place in memory; write a name, [bx+2] or SEG:OFF")]
    Place(String),
}
