//! The language of all conditions: breakpoints, watches, predicates of a search, checks of a suite,
//! debuggers.
//!
//! `vals[si] == 3 && byte ptr [bx+1] > 10h`: MASM's operators and number formats, and C's symbols
//! for the same operators. An expression is parsed once and evaluated in a [`Scope`], which
//! provides registers, memory and names. This module starts no machine and reads no files.
//!
//! [`Expression::GRAMMAR`] describes the operators with their precedence, the number formats, and
//! the sizes of values.

mod node;
mod error;
mod scope;
mod words;
mod parse;
mod value;
mod evaluate;
mod bytes;
#[cfg(test)]
mod tests;

pub use bytes::ExpectedBytes;
pub use error::ExpressionError;
pub use node::{FLAGS, Fact};
pub use scope::{Named, Place, Scope};
pub use value::Value;
pub use words::number;

use node::Node;
use std::fmt;
use std::str::FromStr;

/// A parsed expression.
///
/// ```
/// use oxbox_cpu::Registers;
/// use oxbox_machine::expression::{Expression, Named, Scope};
///
/// struct Example(Registers);
///
/// impl Scope for Example {
///     fn registers(&self) -> &Registers {
///         &self.0
///     }
///     fn read(&mut self, address: u32) -> Option<u8> {
///         Some(address as u8)
///     }
///     fn symbol(&self, name: &str) -> Option<Named> {
///         (name == "vals").then_some(Named::Place(0, 0x20))
///     }
/// }
///
/// let mut scope = Example(Registers::default());
/// scope.0.set_bx(0x10);
/// let mut value = |text: &str| -> Result<String, Box<dyn std::error::Error>> {
///     Ok(text.parse::<Expression>()?.value(&mut scope)?.to_string())
/// };
/// assert_eq!(value("bx + 2 * 3")?, "16h (22)");
/// assert_eq!(value("byte ptr [bx+1] > 10h && vals[2] eq 2322h")?, "FFFFh (65535)");
/// assert_eq!(value("sbyte (al - 1)")?, "FFh (-1)");
/// let error = value("bx == 0x1G").unwrap_err();
/// assert_eq!(error.to_string(), "column 7: cannot parse '0x1G' as a value; use 1Fh, 0x1F or 0001b");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    text: String,
    root: Node,
}

impl Expression {
    /// The description of the language, printed by `oxbox help expressions`.
    pub const GRAMMAR: &str = include_str!("expression/grammar.txt");

    /// Evaluates the expression.
    ///
    /// # Errors
    /// Fails if a name is unknown, memory or a fact cannot be read here, or a divisor is zero.
    pub fn value(&self, scope: &mut dyn Scope) -> Result<Value, ExpressionError> {
        evaluate::value(&self.root, scope)
    }

    /// Whether the value is not zero. False if the expression has no value.
    pub fn holds(&self, scope: &mut dyn Scope) -> bool {
        self.value(scope).is_ok_and(Value::is_true)
    }

    /// Returns the place in memory that the expression names: `total`, `total+2`, `byte ptr [bx]`,
    /// `es:di`, `40:17`.
    ///
    /// # Errors
    /// Fails like [`value`](Self::value), and if the expression is not a place.
    pub fn place(&self, scope: &mut dyn Scope) -> Result<Place, ExpressionError> {
        evaluate::place(&self.root, scope, &self.text)
    }

    /// Whether [`place`](Self::place) can succeed, judging only by the text.
    pub fn is_place(&self) -> bool {
        self.root.is_place()
    }

    /// Checks, without evaluating, that each name is known.
    ///
    /// # Errors
    /// Fails with the first unknown name.
    pub fn check(&self, scope: &mut dyn Scope) -> Result<(), ExpressionError> {
        evaluate::check(&self.root, scope)
    }

    /// Whether the value depends on the facts that `is_asked` accepts.
    pub fn asks(&self, mut is_asked: impl FnMut(&Fact) -> bool) -> bool {
        self.root.any(&mut |node| matches!(node, Node::Fact(fact) if is_asked(fact)))
    }

    /// Whether the value depends on a register or flag other than CS, DS, SS and SP.
    pub fn reads_registers(&self) -> bool {
        self.root.any(&mut Node::is_volatile_register)
    }
}

impl FromStr for Expression {
    type Err = ExpressionError;

    fn from_str(text: &str) -> Result<Expression, ExpressionError> {
        Ok(Expression { text: text.trim().to_owned(), root: parse::parse(text)? })
    }
}

/// The text that was parsed.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
