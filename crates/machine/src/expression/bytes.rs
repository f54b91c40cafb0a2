//! Expected bytes at a place: `mem:PLACE=VALUES` of a search, and `memory` of a suite.
//!
//! A value is a number or a quoted text. Values are separated by blanks or commas. A number may
//! have `byte`, `word` or `dword` before it. Otherwise a hexadecimal number has the size of its
//! digits, another number the smallest size that holds it.

use super::Expression;
use super::error::ExpressionError;
use super::node::Size;
use super::parse::no_number;
use super::scope::Scope;
use super::words::{Word, bytes_of_number, number, syntax, unquoted, words};
use crate::hardware::{linear, vga::cp437};

/// A place in memory and the bytes that are expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedBytes {
    /// The place.
    pub place: Expression,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl ExpectedBytes {
    /// Parses a place and values.
    ///
    /// ```
    /// use oxbox_machine::expression::ExpectedBytes;
    ///
    /// assert_eq!(ExpectedBytes::parse("total", "1234h, 'AB' dword 7")?.bytes, b"\x34\x12AB\x07\0\0\0");
    /// # Ok::<(), oxbox_machine::expression::ExpressionError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the place is not valid, or a value cannot be parsed or does not fit.
    pub fn parse(place: &str, values: &str) -> Result<ExpectedBytes, ExpressionError> {
        let bytes = parse_values(values)?;
        let parsed: Expression = place.parse()?;
        if !parsed.is_place() {
            return Err(ExpressionError::Place(place.to_owned()));
        }
        Ok(ExpectedBytes { place: parsed, bytes })
    }

    /// Reads the bytes at the place.
    ///
    /// # Errors
    /// Fails like [`Expression::place`], and if memory cannot be read here.
    pub fn found(&self, scope: &mut dyn Scope) -> Result<Vec<u8>, ExpressionError> {
        let place = self.place.place(scope)?;
        let address = |index: usize| linear(place.segment, place.offset).wrapping_add(index as u32);
        let addresses = (0..self.bytes.len()).map(address);
        addresses.map(|at| scope.read(at).ok_or(ExpressionError::Unreadable(at))).collect()
    }
}

fn parse_values(text: &str) -> Result<Vec<u8>, ExpressionError> {
    let words = words(text)?;
    let mut bytes = Vec::new();
    let mut rest = words.as_slice();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if first.is_quoted() {
            let code = |c| {
                cp437::from_text(c)
                    .ok_or_else(|| syntax(first.column, format!("'{c}' is not in code page 437")))
            };
            bytes.extend(unquoted(first.text).chars().map(code).collect::<Result<Vec<u8>, _>>()?);
        } else if first.text != "," || bytes.is_empty() {
            let size = Size::named(first.text);
            let mut word = *first;
            if size.is_some() {
                (word, rest) = next(rest, first)?;
            }
            let is_negative = word.text == "-";
            if is_negative {
                (word, rest) = next(rest, &word)?;
            }
            let value = number(word.text).ok_or_else(|| no_number(&word))?;
            let value = if is_negative { -value } else { value };
            bytes.extend(of_value(value, size, &word)?);
        }
    }
    if bytes.is_empty() {
        return Err(syntax(1, "a value is missing; use 1234h, 34h 12h, 4660, word 7 or 'text'"));
    }
    Ok(bytes)
}

fn next<'a, 'b>(
    rest: &'b [Word<'a>],
    before: &Word<'_>,
) -> Result<(Word<'a>, &'b [Word<'a>]), ExpressionError> {
    let missing = || syntax(before.column, format!("a number is missing after '{}'", before.text));
    rest.split_first().map(|(word, rest)| (*word, rest)).ok_or_else(missing)
}

fn of_value(value: i64, size: Option<Size>, word: &Word<'_>) -> Result<Vec<u8>, ExpressionError> {
    let bytes = match size {
        Some(size) => size.bits as usize / 8,
        None if value < -0x8000 => 4,
        None if value < -0x80 => 2,
        None if value < 0 => 1,
        None => bytes_of_number(word.text),
    };
    let room = 1i64 << (8 * bytes);
    if value >= room || value < -(room / 2) {
        return Err(syntax(word.column, format!("{value} does not fit into {bytes} bytes")));
    }
    Ok(value.to_le_bytes()[..bytes].to_vec())
}
