//! Parses an expression by precedence.

use super::error::ExpressionError;
use super::node::{Binary, Fact, Node, Register, Size, Unary, flag};
use super::words::{Word, hexadecimal, number, syntax, unquoted, words};
use crate::hardware::vga::cp437;

/// The maximum nesting of brackets and prefixes.
const DEEPEST: usize = 64;

/// Binary operators: precedence from the loosest, and their names.
const BINARY: [(u8, &[&str], Binary); 21] = [
    (1, &["||"], Binary::Either),
    (2, &["&&"], Binary::Both),
    (3, &["or"], Binary::Or),
    (3, &["xor"], Binary::Xor),
    (4, &["and"], Binary::And),
    (COMPARISON, &["==", "=", "eq"], Binary::Equal),
    (COMPARISON, &["!=", "ne"], Binary::NotEqual),
    (COMPARISON, &["<", "lt"], Binary::Less),
    (COMPARISON, &["<=", "le"], Binary::LessOrEqual),
    (COMPARISON, &[">", "gt"], Binary::Greater),
    (COMPARISON, &[">=", "ge"], Binary::GreaterOrEqual),
    (SIGNS, &["&"], Binary::And),
    (SIGNS, &["|"], Binary::Or),
    (SIGNS, &["^"], Binary::Xor),
    (8, &["+"], Binary::Add),
    (8, &["-"], Binary::Subtract),
    (9, &["*"], Binary::Multiply),
    (9, &["/"], Binary::Divide),
    (9, &["mod", "%"], Binary::Remainder),
    (9, &["shl", "<<"], Binary::ShiftLeft),
    (9, &["shr", ">>"], Binary::ShiftRight),
];
/// `not`, between `and` and the comparisons.
const NOT: u8 = 5;
const COMPARISON: u8 = 6;
const SIGNS: u8 = 7;
const PREFIXES: u8 = 10;

/// Names that cannot be operands.
const RESERVED: [&str; 24] = [
    "and", "or", "xor", "not", "eq", "ne", "lt", "le", "gt", "ge", "mod", "shl", "shr", "ptr", "offset",
    "seg", "high", "low", "byte", "word", "dword", "sbyte", "sword", "sdword",
];

pub(super) fn parse(text: &str) -> Result<Node, ExpressionError> {
    let mut parser =
        Parser { words: words(text)?, at: 0, depth: 0, end: text.trim_end().chars().count() + 1 };
    let node = parser.expression(1)?;
    match parser.peek() {
        None => Ok(node),
        Some(word) => {
            let message =
                format!("'{}' is not expected here; write an operator such as + or == before it", word.text);
            Err(syntax(word.column, message))
        }
    }
}

struct Parser<'a> {
    words: Vec<Word<'a>>,
    at: usize,
    depth: usize,
    end: usize,
}

fn binary(word: &Word<'_>) -> Option<(u8, Binary)> {
    let row = BINARY.iter().find(|(_, names, _)| names.iter().any(|name| word.is(name)));
    row.map(|(level, _, operator)| (*level, *operator))
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Word<'a>> {
        self.words.get(self.at).copied()
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.peek().is_some_and(|word| word.is(text));
        self.at += usize::from(is_next);
        is_next
    }

    /// Returns the column of the next word, and the word for a message.
    fn found(&self) -> (usize, String) {
        match self.peek() {
            Some(word) => (word.column, format!("'{}'", word.text)),
            None => (self.end, "the end".to_owned()),
        }
    }

    fn want(&mut self, text: &str) -> Result<(), ExpressionError> {
        if self.take(text) {
            return Ok(());
        }
        let (column, found) = self.found();
        Err(syntax(column, format!("expected '{text}', found {found}")))
    }

    fn missing_value(&self) -> ExpressionError {
        let (column, found) = self.found();
        let advice = "write a number (1Fh), a register, a name or a place such as [bx]";
        syntax(column, format!("expected a value, found {found}; {advice}"))
    }

    /// Parses operators of this or a tighter precedence.
    fn expression(&mut self, loosest: u8) -> Result<Node, ExpressionError> {
        if loosest >= PREFIXES {
            return self.prefixed();
        }
        if loosest == NOT {
            if self.take("not") {
                let operand = self.deeper(|parser| parser.expression(NOT))?;
                return Ok(Node::Unary(Unary::Not, Box::new(operand)));
            }
            return self.expression(COMPARISON);
        }
        let mut node = self.expression(loosest + 1)?;
        let mut is_compared = false;
        while let Some(word) = self.peek() {
            let Some((_, operator)) = binary(&word).filter(|(level, _)| *level == loosest) else { break };
            if loosest == COMPARISON && is_compared {
                return Err(syntax(word.column, "comparisons cannot be chained; write a < b && b < c"));
            }
            is_compared = true;
            self.at += 1;
            let right = self.expression(loosest + 1)?;
            node = Node::Binary(operator, Box::new(node), Box::new(right));
        }
        Ok(node)
    }

    fn deeper(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<Node, ExpressionError>,
    ) -> Result<Node, ExpressionError> {
        if self.depth == DEEPEST {
            let message =
                format!("more than {DEEPEST} nested brackets and prefixes; simplify the expression");
            return Err(syntax(self.found().0, message));
        }
        self.depth += 1;
        let node = parse(self);
        self.depth -= 1;
        node
    }

    fn prefixed(&mut self) -> Result<Node, ExpressionError> {
        let Some(word) = self.peek() else { return Err(self.missing_value()) };
        if let Some(size) = Size::named(word.text) {
            self.at += 1;
            self.take("ptr");
            return Ok(Node::Sized(size, Box::new(self.deeper(Self::prefixed)?)));
        }
        let operator = match word.text.to_ascii_lowercase().as_str() {
            "+" => {
                self.at += 1;
                return self.deeper(Self::prefixed);
            }
            "-" => Unary::Negative,
            "!" => Unary::IsZero,
            "~" => Unary::Not,
            "high" => Unary::High,
            "low" => Unary::Low,
            "offset" => Unary::Offset,
            "seg" => Unary::Segment,
            "not" => {
                return Err(syntax(word.column, "put 'not' and its operand in parentheses, or use ~"));
            }
            _ => return self.operand(),
        };
        self.at += 1;
        let operand = self.deeper(Self::prefixed)?;
        if matches!(operator, Unary::Offset | Unary::Segment) && !operand.is_place() {
            let message = format!("'{}' stands before a name or a place such as [bx]", word.text);
            return Err(syntax(word.column, message));
        }
        Ok(Node::Unary(operator, Box::new(operand)))
    }

    /// Parses a value or a place, with following brackets and dots.
    fn operand(&mut self) -> Result<Node, ExpressionError> {
        let column = self.found().0;
        let mut node = self.primary()?;
        loop {
            let index = if self.take("[") {
                let index = self.deeper(|parser| parser.expression(1))?;
                self.want("]")?;
                index
            } else if self.take(".") {
                self.simple()?
            } else {
                return Ok(node);
            };
            if !node.is_memory() && !matches!(node, Node::Number(_)) {
                return Err(syntax(column, "[ ] must follow a name or a place; write [bx+si] for a sum"));
            }
            node = Node::Index(Box::new(node), Box::new(index));
        }
    }

    fn primary(&mut self) -> Result<Node, ExpressionError> {
        if self.take("(") {
            let node = self.deeper(|parser| parser.expression(1))?;
            self.want(")")?;
            return Ok(node);
        }
        if self.take("[") {
            let node = self.deeper(|parser| parser.expression(1))?;
            self.want("]")?;
            return Ok(Node::Memory(None, Box::new(node)));
        }
        let is_segment = self.words.get(self.at + 1).is_some_and(|next| next.text == ":");
        if is_segment { self.far() } else { self.simple() }
    }

    /// Parses `es:[di]`, `es:di`, `1008:0017`.
    fn far(&mut self) -> Result<Node, ExpressionError> {
        let Some(word) = self.peek() else { return Err(self.missing_value()) };
        let register = Register::named(word.text).filter(|register| register.bits() == 16);
        let digits = hexadecimal(word.text);
        let segment = match (register, digits) {
            (Some(register), _) => Node::Register(register),
            (None, Some(digits)) => Node::Number(digits.into()),
            _ => {
                let message = format!(
                    "cannot parse '{}' as a segment; use a register such as es, or up to four hexadecimal digits such as 1008",
                    word.text
                );
                return Err(syntax(word.column, message));
            }
        };
        self.at += 2;
        if self.take("[") {
            let offset = self.deeper(|parser| parser.expression(1))?;
            self.want("]")?;
            return Ok(Node::Memory(Some(Box::new(segment)), Box::new(offset)));
        }
        let Some(word) = self.peek().filter(Word::is_name) else { return Err(self.missing_value()) };
        let digits = hexadecimal(word.text);
        let offset = match (Register::named(word.text), digits) {
            (Some(register), _) => Node::Register(register),
            (None, Some(digits)) if word.is_number() || register.is_none() => Node::Number(digits.into()),
            (None, None) if word.is_number() => {
                let message = format!(
                    "cannot parse '{}' as an offset; use up to four hexadecimal digits such as 0017",
                    word.text
                );
                return Err(syntax(word.column, message));
            }
            _ => Node::Name { name: word.text.to_owned(), column: word.column, digits },
        };
        self.at += 1;
        Ok(Node::Memory(Some(Box::new(segment)), Box::new(offset)))
    }

    /// Parses a number, a register, a flag, a name or a fact.
    fn simple(&mut self) -> Result<Node, ExpressionError> {
        let Some(word) = self.peek() else { return Err(self.missing_value()) };
        if word.is_quoted() {
            self.at += 1;
            return characters(&word).map(Node::Number);
        }
        if !word.is_name() || RESERVED.iter().any(|name| word.is(name)) {
            return Err(self.missing_value());
        }
        self.at += 1;
        if word.is_number() {
            return number(word.text).map(Node::Number).ok_or_else(|| no_number(&word));
        }
        if let Some(register) = Register::named(word.text) {
            return Ok(Node::Register(register));
        }
        if let Some(flag) = flag(word.text) {
            return Ok(Node::Flag(flag));
        }
        if self.peek().is_some_and(|next| next.text == "(") {
            return self.fact(&word);
        }
        Ok(Node::Name { name: word.text.to_owned(), column: word.column, digits: None })
    }

    /// Parses `text("...")`, `output("...")`, `exit(N)`.
    fn fact(&mut self, name: &Word<'a>) -> Result<Node, ExpressionError> {
        self.want("(")?;
        let argument = self.peek();
        let quoted = argument.filter(Word::is_quoted).map(|word| unquoted(word.text));
        let code = argument.and_then(|word| number(word.text)).and_then(|code| u8::try_from(code).ok());
        let fact = match name.text.to_ascii_lowercase().as_str() {
            "text" => quoted.map(Fact::Text),
            "output" => quoted.map(Fact::Output),
            "exit" => code.map(Fact::Exit),
            _ => None,
        };
        let advice = "use text(\"...\"), output(\"...\") or exit(0) to exit(255)";
        let fact =
            fact.ok_or_else(|| syntax(name.column, format!("cannot parse '{}(...)'; {advice}", name.text)))?;
        self.at += 1;
        self.want(")")?;
        Ok(Node::Fact(fact))
    }
}

pub(super) fn no_number(word: &Word<'_>) -> ExpressionError {
    let is_long = word.text.len() > 8 && word.text.chars().all(|c| c.is_ascii_hexdigit() || c == 'h');
    let advice = if is_long { "values have up to 32 bits" } else { "use 1Fh, 0x1F or 0001b" };
    syntax(word.column, format!("cannot parse '{}' as a value; {advice}", word.text))
}

/// Returns the value of up to four characters of code page 437, the first highest, as in MASM.
fn characters(word: &Word<'_>) -> Result<i64, ExpressionError> {
    let text = unquoted(word.text);
    let code =
        |c| cp437::from_text(c).ok_or_else(|| syntax(word.column, format!("'{c}' is not in code page 437")));
    let codes = text.chars().map(code).collect::<Result<Vec<u8>, _>>()?;
    if !(1..=4).contains(&codes.len()) {
        return Err(syntax(
            word.column,
            format!("cannot parse {} as a value; use one to four characters", word.text),
        ));
    }
    Ok(codes.iter().fold(0, |value, code| value << 8 | i64::from(*code)))
}
