//! Splits the text of an expression into words, and reads numbers.

use super::error::ExpressionError;

/// A name, a number, a quoted text or a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// The column, from 1.
    pub(super) column: usize,
}

impl Word<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text.eq_ignore_ascii_case(text)
    }

    pub(super) fn is_quoted(&self) -> bool {
        self.text.starts_with(['\'', '"'])
    }

    pub(super) fn is_name(&self) -> bool {
        self.text.starts_with(is_name) && self.text != "."
    }

    pub(super) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// The maximum number of words in an expression. It limits the depth of the syntax tree.
const MOST_WORDS: usize = 512;

const PAIRS: [&str; 8] = ["&&", "||", "==", "!=", "<=", ">=", "<<", ">>"];

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_@$?.#".contains(c)
}

pub(super) fn syntax(column: usize, message: impl Into<String>) -> ExpressionError {
    ExpressionError::Syntax { column, message: message.into() }
}

pub(super) fn words(text: &str) -> Result<Vec<Word<'_>>, ExpressionError> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let column = text[..text.len() - rest.len()].chars().count() + 1;
        let follows_place = words.last().is_some_and(|word| matches!(word.text, "]" | ")"));
        let length = if PAIRS.iter().any(|pair| rest.starts_with(pair)) {
            2
        } else if matches!(first, '\'' | '"') {
            quoted(rest, first).ok_or_else(|| {
                syntax(column, format!("the text {rest} is not closed; write {first} after it"))
            })?
        } else if first == '.' && follows_place || "+-*/%&|^~!<>=()[]:,".contains(first) {
            1
        } else if is_name(first) {
            rest.find(|c| !is_name(c)).unwrap_or(rest.len())
        } else {
            let known = "numbers, names, 'A', operators such as + and ==, and ( ) [ ]";
            return Err(syntax(column, format!("cannot read '{first}'; use {known}")));
        };
        if words.len() == MOST_WORDS {
            return Err(syntax(column, format!("more than {MOST_WORDS} words; shorten the expression")));
        }
        let (word, after) = rest.split_at(length);
        words.push(Word { text: word, column });
        rest = after.trim_start();
    }
    Ok(words)
}

/// Returns the length of a quoted text at the beginning of `text`; a doubled quote represents one.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text[at..].find(quote)? + 1;
        if !text[at..].starts_with(quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns the characters of a quoted word.
pub(super) fn unquoted(word: &str) -> String {
    let quote = &word[..1];
    word[1..word.len() - 1].replace(&quote.repeat(2), quote)
}

/// Parses a number of MASM or C: `31`, `1Fh`, `0x1F`, `11111b`, `37q`, `37o`, `31d`; 32 bits.
pub fn number(word: &str) -> Option<i64> {
    let (digits, base) = digits(word)?;
    u32::from_str_radix(digits, base).ok().map(i64::from)
}

/// Returns the digits of a number, and their base.
fn digits(word: &str) -> Option<(&str, u32)> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) || !word.is_ascii() {
        return None;
    }
    if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return Some((digits, 16));
    }
    let (digits, suffix) = word.split_at(word.len() - 1);
    match suffix.to_ascii_lowercase().as_str() {
        "h" => Some((digits, 16)),
        "b" | "y" => Some((digits, 2)),
        "q" | "o" => Some((digits, 8)),
        "d" | "t" => Some((digits, 10)),
        _ => Some((word, 10)),
    }
}

/// Returns the size of a number in bytes: 1, 2 or 4. For a hexadecimal number it follows from the
/// number of digits, without a leading zero before a letter; for others from the value.
pub(super) fn bytes_of_number(word: &str) -> usize {
    let needed = match digits(word) {
        Some((digits, 16)) => {
            let own =
                digits.strip_prefix('0').filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
            own.unwrap_or(digits).len().div_ceil(2)
        }
        _ => match number(word).unwrap_or(0) {
            0..=0xFF => 1,
            0x100..=0xFFFF => 2,
            _ => 4,
        },
    };
    needed.next_power_of_two().min(4)
}

/// Parses hexadecimal digits beside the colon of an address: `1008`, `B800h`, `0x40`.
pub(super) fn hexadecimal(word: &str) -> Option<u16> {
    let lower = word.to_ascii_lowercase();
    let digits = lower.strip_prefix("0x").unwrap_or_else(|| lower.strip_suffix('h').unwrap_or(&lower));
    let is_digits = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_digits.then(|| u16::from_str_radix(digits, 16).ok())?
}
