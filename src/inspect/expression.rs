//! Expressions over a program's registers and memory, as conditions of breakpoints and watches are written.
//!
//! `ax == 5 && byte [bx+si] != 'x'`, `total`, `offset total + 2`, `word es:[di]`, `cf`. A name of the program stands for the word
//! there, or with `byte`, `word`, `dword` before it for so much; numbers are `10`, `0Ah`, `0xA`, `1010b` or `'A'`.

use super::writers::RegisterPart;
use crate::cpu::{Flags, Registers};
use crate::hardware::linear;

/// What the names of an expression stand for.
pub struct Scope<'a> {
    /// The registers.
    pub registers: &'a Registers,
    /// A byte of memory by its linear address.
    pub read: &'a dyn Fn(u32) -> u8,
    /// A name of the program: its segment and offset, or a constant's value.
    pub symbol: &'a dyn Fn(&str) -> Option<Named>,
}

/// What a name of the program stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A place, as segment and offset.
    Place(u16, u16),
    /// A number.
    Constant(u16),
}

/// An expression that cannot be read, or has no value here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExpressionError(String);

/// What an expression comes to.
///
/// ```
/// use oxbox::cpu::Registers;
/// use oxbox::inspect::{Named, Scope, evaluate};
///
/// let mut registers = Registers::default();
/// registers.set_bx(0x10);
/// let scope = Scope {
///     registers: &registers,
///     read: &|address| address as u8,
///     symbol: &|name| (name == "total").then_some(Named::Place(0, 0x20)),
/// };
/// let value = |text| evaluate(text, &scope);
/// assert_eq!(value("bx + 2 * 3"), Ok(0x16));
/// assert_eq!(value("total == 2120h && offset total != 0"), Ok(1));
/// assert_eq!(value("byte [bx+1]"), Ok(0x11));
/// assert_eq!(value("nothing").unwrap_err().to_string(), "nothing is called 'nothing'");
/// ```
///
/// # Errors
/// A line that says what is wrong.
pub fn evaluate(text: &str, scope: &Scope) -> Result<i64, ExpressionError> {
    let mut parser = Parser { words: words(text)?, at: 0, scope, depth: 0 };
    let value = parser.any()?;
    match parser.words.get(parser.at) {
        None => Ok(value),
        Some(word) => Err(ExpressionError(format!("'{word}' is not expected there"))),
    }
}

/// Splits into names, numbers and signs.
fn words(text: &str) -> Result<Vec<String>, ExpressionError> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let pairs = ["&&", "||", "==", "!=", "<=", ">=", "<<", ">>"];
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_@$?.#".contains(c);
        let length = if let Some(pair) = pairs.iter().find(|pair| rest.starts_with(**pair)) {
            pair.len()
        } else if is_name(first) {
            rest.find(|c| !is_name(c)).unwrap_or(rest.len())
        } else if first == '\'' && rest.chars().nth(2) == Some('\'') {
            rest.char_indices().nth(3).map_or(rest.len(), |(at, _)| at)
        } else if "+-*&|^!<>=()[]:".contains(first) {
            1
        } else {
            return Err(ExpressionError(format!("'{first}' is not expected there")));
        };
        let (word, after) = rest.split_at(length);
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}

/// A number as assemblers and C have them.
pub fn number(word: &str) -> Option<i64> {
    let lower = word.to_ascii_lowercase();
    if !lower.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(digits) = lower.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = lower.strip_suffix('h') {
        return i64::from_str_radix(digits, 16).ok();
    }
    if let Ok(value) = lower.parse() {
        return Some(value);
    }
    lower.strip_suffix('b').and_then(|digits| i64::from_str_radix(digits, 2).ok())
}

/// `SEG:OFF`, both hexadecimal, with or without an `h`.
pub(crate) fn segment_and_offset(text: &str) -> Option<(u16, u16)> {
    let (segment, offset) = text.split_once(':')?;
    let part = |digits: &str| u16::from_str_radix(digits.trim_end_matches(['h', 'H']), 16).ok();
    Some((part(segment)?, part(offset)?))
}

struct Parser<'a> {
    words: Vec<String>,
    at: usize,
    scope: &'a Scope<'a>,
    depth: usize,
}

/// Brackets within brackets.
const DEEPEST: usize = 64;

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).map(String::as_str)
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.peek().is_some_and(|next| next.eq_ignore_ascii_case(word));
        self.at += usize::from(is_next);
        is_next
    }

    fn want(&mut self, word: &str) -> Result<(), ExpressionError> {
        if self.take(word) { Ok(()) } else { Err(ExpressionError(format!("'{word}' is missing"))) }
    }

    fn any(&mut self) -> Result<i64, ExpressionError> {
        let mut value = self.all()?;
        while self.take("||") {
            let other = self.all()?;
            value = i64::from(value != 0 || other != 0);
        }
        Ok(value)
    }

    fn all(&mut self) -> Result<i64, ExpressionError> {
        let mut value = self.comparison()?;
        while self.take("&&") {
            let other = self.comparison()?;
            value = i64::from(value != 0 && other != 0);
        }
        Ok(value)
    }

    fn comparison(&mut self) -> Result<i64, ExpressionError> {
        type Holds = fn(&i64, &i64) -> bool;
        const SIGNS: [(&str, Holds); 7] = [
            ("==", i64::eq),
            ("=", i64::eq),
            ("!=", i64::ne),
            ("<=", i64::le),
            (">=", i64::ge),
            ("<", i64::lt),
            (">", i64::gt),
        ];
        let value = self.bits()?;
        for (sign, holds) in SIGNS {
            if self.take(sign) {
                return Ok(i64::from(holds(&value, &self.bits()?)));
            }
        }
        Ok(value)
    }

    fn bits(&mut self) -> Result<i64, ExpressionError> {
        let mut value = self.sum()?;
        loop {
            value = match self.peek() {
                Some("&") => self.next().sum().map(|other| value & other)?,
                Some("|") => self.next().sum().map(|other| value | other)?,
                Some("^") => self.next().sum().map(|other| value ^ other)?,
                _ => return Ok(value),
            };
        }
    }

    fn next(&mut self) -> &mut Self {
        self.at += 1;
        self
    }

    fn sum(&mut self) -> Result<i64, ExpressionError> {
        let mut value = self.product()?;
        loop {
            value = match self.peek() {
                Some("+") => self.next().product().map(|other| value.wrapping_add(other))?,
                Some("-") => self.next().product().map(|other| value.wrapping_sub(other))?,
                _ => return Ok(value),
            };
        }
    }

    fn product(&mut self) -> Result<i64, ExpressionError> {
        let mut value = self.single()?;
        while self.take("*") {
            value = value.wrapping_mul(self.single()?);
        }
        Ok(value)
    }

    fn single(&mut self) -> Result<i64, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ExpressionError("that is nested too deeply".to_owned()));
        }
        let value = self.operand();
        self.depth -= 1;
        value
    }

    fn operand(&mut self) -> Result<i64, ExpressionError> {
        if self.take("-") {
            return Ok(self.single()?.wrapping_neg());
        }
        if self.take("!") {
            return Ok(i64::from(self.single()? == 0));
        }
        if self.take("(") {
            let value = self.any()?;
            self.want(")")?;
            return Ok(value);
        }
        if self.take("offset") {
            let (_, offset) = self.place()?;
            return Ok(i64::from(offset));
        }
        for (size, bytes) in [("byte", 1), ("word", 2), ("dword", 4)] {
            if self.take(size) {
                self.take("ptr");
                let (segment, offset) = self.place()?;
                return Ok(self.load(segment, offset, bytes));
            }
        }
        if self.peek() == Some("[") || self.words.get(self.at + 1).is_some_and(|next| next == ":") {
            let (segment, offset) = self.place()?;
            return Ok(self.load(segment, offset, 2));
        }
        self.name()
    }

    /// `[bx+2]`, `es:[di]`, `[es:di]`, or a name of the program.
    fn place(&mut self) -> Result<(u16, u16), ExpressionError> {
        let mut segment = None;
        if self.words.get(self.at + 1).is_some_and(|next| next == ":") {
            segment = Some(self.name()? as u16);
            self.want(":")?;
        }
        if self.take("[") {
            if self.words.get(self.at + 1).is_some_and(|next| next == ":") {
                segment = Some(self.name()? as u16);
                self.want(":")?;
            }
            let offset = self.sum()?;
            self.want("]")?;
            return Ok((segment.unwrap_or_else(|| self.scope.registers.ds()), offset as u16));
        }
        let Some(word) = self.peek().map(str::to_owned) else {
            return Err(ExpressionError("a place in memory is missing".to_owned()));
        };
        self.at += 1;
        match (self.scope.symbol)(&word) {
            Some(Named::Place(its, offset)) => Ok((segment.unwrap_or(its), offset)),
            _ => Err(ExpressionError(format!("nothing is called '{word}'"))),
        }
    }

    fn load(&self, segment: u16, offset: u16, bytes: u16) -> i64 {
        let byte = |index: u16| {
            let address = linear(segment, offset.wrapping_add(index));
            i64::from((self.scope.read)(address)) << (8 * index)
        };
        (0..bytes).map(byte).sum()
    }

    /// A number, a register, a flag, or what stands at a name.
    fn name(&mut self) -> Result<i64, ExpressionError> {
        const FLAGS: [(&str, u32); 8] = [
            ("cf", Flags::CF),
            ("pf", Flags::PF),
            ("af", Flags::AF),
            ("zf", Flags::ZF),
            ("sf", Flags::SF),
            ("if", Flags::IF),
            ("df", Flags::DF),
            ("of", Flags::OF),
        ];
        let Some(word) = self.peek().map(str::to_owned) else {
            return Err(ExpressionError("a value is missing".to_owned()));
        };
        self.at += 1;
        let registers = self.scope.registers;
        if let Some(number) = number(&word) {
            return Ok(number);
        }
        if let Some(letter) = word.strip_prefix('\'').and_then(|rest| rest.chars().next()) {
            return Ok(i64::from(u32::from(letter)));
        }
        if let Ok(register) = word.parse::<RegisterPart>() {
            return Ok(i64::from(register.value(registers)));
        }
        if let Some((_, flag)) = FLAGS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&word)) {
            return Ok(i64::from(registers.flag(*flag)));
        }
        match word.to_ascii_lowercase().as_str() {
            "ip" | "eip" => return Ok(i64::from(registers.ip)),
            "flags" => return Ok(i64::from(registers.flags & 0xFFFF)),
            _ => {}
        }
        match (self.scope.symbol)(&word) {
            Some(Named::Constant(value)) => Ok(i64::from(value)),
            Some(Named::Place(segment, offset)) => Ok(self.load(segment, offset, 2)),
            None => Err(ExpressionError(format!("nothing is called '{word}'"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_these_values() {
        let mut registers = Registers::default();
        registers.set_ax(0x1234);
        registers.set_ds(0x100);
        registers.set_es(0x200);
        registers.set_di(3);
        registers.set_flag(Flags::ZF, true);
        let memory = |address: u32| (address & 0xFF) as u8;
        let symbol = |name: &str| match name {
            "board" => Some(Named::Place(0x10, 0x21)),
            "SIZE" => Some(Named::Constant(9)),
            _ => None,
        };
        let scope = Scope { registers: &registers, read: &memory, symbol: &symbol };
        let rows = [
            ("1 + 2 * 3 - -4", "11"),
            ("ah", "18"),
            ("AX == 1234h", "1"),
            ("0x10 | 1010b", "26"),
            ("(ax & 0Fh) = 4 && zf", "1"),
            ("!zf || cf", "0"),
            ("'A' + 1", "66"),
            ("board", "8737"),
            ("byte board", "33"),
            ("word ptr es:[di]", "1027"),
            ("[es:di+1]", "1284"),
            ("dword [5]", "134678021"),
            ("offset board + SIZE", "42"),
            ("1 2", "'2' is not expected there"),
            ("1 +", "a value is missing"),
            ("(1", "')' is missing"),
            ("byte nowhere", "nothing is called 'nowhere'"),
            ("1 ; 2", "';' is not expected there"),
        ];
        for (text, expected) in rows {
            let value =
                evaluate(text, &scope).map_or_else(|error| error.to_string(), |value| value.to_string());
            assert_eq!(value, expected, "{text}");
        }
        assert!(evaluate(&"(".repeat(100_000), &scope).is_err());
    }
}
