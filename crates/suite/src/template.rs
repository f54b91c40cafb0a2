//! Templates in a suite's texts for generated input: `{n}`, `{n * 2}`, `{n, 04X}`, `{s, reverse}`.
//!
//! Braces contain an expression over the inputs, in the language for conditions, optionally
//! followed by a comma and a format. `{{` and `}}` are literal braces.

use super::inputs::{Case, Domain, Inputs, Value};
use oxbox_cpu::Registers;
use oxbox_machine::expression::{Expression, Named, Scope};

/// A text with placeholders.
#[derive(Debug, Clone)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug, Clone)]
enum Piece {
    Plain(String),
    Number(Expression, Form),
    Text(String, Change),
}

/// The format of a number: a fill character, a width and a base.
#[derive(Debug, Clone, Copy)]
struct Form {
    fill: char,
    width: usize,
    base: Base,
}

#[derive(Debug, Clone, Copy)]
enum Base {
    Binary,
    Octal,
    Decimal,
    Hexadecimal {
        upper: bool,
    },
    /// The character of code page 437 with this code.
    Character,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    None,
    Upper,
    Lower,
    Reverse,
}

/// A case's inputs as expressions see them: numbers by name, lengths of texts as `NAME_length`.
pub(super) struct Names<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) case: &'a Case,
}

impl Names<'_> {
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.inputs.domains.iter().zip(self.case).find_map(|((known, _), value)| match value {
            Value::Number(number) => (known == name).then_some(*number),
            Value::Text(text) => {
                (name.strip_suffix("_length") == Some(known)).then(|| text.chars().count() as i64)
            }
        })
    }
}

/// A scope with the inputs only, used before and after the run of the program.
struct Alone<'a>(&'a Names<'a>, Registers);

impl Scope for Alone<'_> {
    fn registers(&self) -> &Registers {
        &self.1
    }

    fn read(&mut self, _: u32) -> Option<u8> {
        None
    }

    fn symbol(&self, name: &str) -> Option<Named> {
        self.0.number(name).map(Named::Number)
    }
}

/// Evaluates an expression over the inputs. Fails with the reason if it has no value.
pub(super) fn value(expression: &Expression, names: &Names<'_>) -> Result<i64, String> {
    let value = expression.value(&mut Alone(names, Registers::default()));
    value.map(oxbox_machine::expression::Value::get).map_err(|error| format!("{expression}: {error}"))
}

/// Returns whether a name can be used in expressions: keywords of the language cannot.
pub(super) fn is_name(name: &str) -> bool {
    let inputs =
        Inputs { domains: vec![(name.to_owned(), Domain::Number { first: 1, last: 1 })], cases: 1, seed: 1 };
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let case = vec![Value::Number(4711)];
    let names = Names { inputs: &inputs, case: &case };
    plain && name.parse().is_ok_and(|expression| value(&expression, &names) == Ok(4711))
}

impl Template {
    /// Parses a text with placeholders for these inputs. Fails with the error in a placeholder.
    pub(super) fn parse(text: &str, inputs: &Inputs) -> Result<Template, String> {
        let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(behind) = rest.strip_prefix(brace) {
                plain.push_str(brace);
                rest = behind;
                continue;
            }
            let end = rest.find('}').filter(|_| brace == "{");
            let end = end.ok_or_else(|| format!("{text:?}: unpaired brace; write {{{{ for a brace"))?;
            pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            pieces.push(place(&rest[..end], inputs).map_err(|why| format!("{{{}}}: {why}", &rest[..end]))?);
            rest = &rest[end + 1..];
        }
        plain.push_str(rest);
        pieces.push(Piece::Plain(plain));
        Ok(Template(pieces))
    }

    /// Returns the text for a case. Fails if an expression has no value, as with a division by 0.
    pub(super) fn fill(&self, names: &Names<'_>) -> Result<String, String> {
        self.fill_by(names, |text| text)
    }

    /// Returns the text for a case, with values converted by `typed`. Fails as [`Template::fill`]
    /// does.
    pub(super) fn fill_by(
        &self,
        names: &Names<'_>,
        typed: impl Fn(String) -> String,
    ) -> Result<String, String> {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Plain(text) => out.push_str(text),
                Piece::Number(expression, form) => {
                    out.push_str(&typed(form.write(value(expression, names)?)));
                }
                Piece::Text(name, change) => {
                    let found =
                        names.inputs.domains.iter().zip(names.case).find(|((known, _), _)| known == name);
                    if let Some((_, Value::Text(text))) = found {
                        out.push_str(&typed(change.of(text)));
                    }
                }
            }
        }
        Ok(out)
    }
}

/// Parses the contents of braces.
fn place(text: &str, inputs: &Inputs) -> Result<Piece, String> {
    let (what, form) = match text.rsplit_once(',') {
        Some((what, form)) => (what.trim(), Some(form.trim())),
        None => (text.trim(), None),
    };
    let is_text = |(name, domain): &(String, Domain)| name == what && matches!(domain, Domain::Text { .. });
    if inputs.domains.iter().any(is_text) {
        let change = match form {
            None => Change::None,
            Some("upper") => Change::Upper,
            Some("lower") => Change::Lower,
            Some("reverse") => Change::Reverse,
            Some(form) => {
                return Err(format!("a text can be written as upper, lower or reverse, not as {form:?}"));
            }
        };
        return Ok(Piece::Text(what.to_owned(), change));
    }
    let expression: Expression =
        what.parse().map_err(|error: oxbox_machine::expression::ExpressionError| error.to_string())?;
    let case = inputs.case(0);
    let names = Names { inputs, case: &case };
    expression.check(&mut Alone(&names, Registers::default())).map_err(|error| error.to_string())?;
    Ok(Piece::Number(expression, form.map_or(Ok(Form::DECIMAL), Form::parse)?))
}

impl Change {
    fn of(self, text: &str) -> String {
        match self {
            Change::None => text.to_owned(),
            Change::Upper => text.to_ascii_uppercase(),
            Change::Lower => text.to_ascii_lowercase(),
            Change::Reverse => text.chars().rev().collect(),
        }
    }
}

impl Form {
    const DECIMAL: Form = Form { fill: ' ', width: 0, base: Base::Decimal };

    /// Parses `X`, `04X`, `8b`, `d`, `c`.
    fn parse(text: &str) -> Result<Form, String> {
        let wrong = || {
            format!("{text:?} is not a number format; write d, X, x, b, o or c, with a width before it (04X)")
        };
        let base = match text.chars().last() {
            Some('b') => Base::Binary,
            Some('o') => Base::Octal,
            Some('d') => Base::Decimal,
            Some('x') => Base::Hexadecimal { upper: false },
            Some('X') => Base::Hexadecimal { upper: true },
            Some('c') => Base::Character,
            _ => return Err(wrong()),
        };
        let width = &text[..text.len() - 1];
        let fill = if width.starts_with('0') { '0' } else { ' ' };
        let width = if width.is_empty() { 0 } else { width.parse().map_err(|_| wrong())? };
        if width > 80 { Err(wrong()) } else { Ok(Form { fill, width, base }) }
    }

    fn write(self, number: i64) -> String {
        // A negative number has 16 or 32 bits in all bases except ten.
        let bits = match number {
            0.. => number as u64,
            -0x8000..0 => u64::from(number as u16),
            _ => u64::from(number as u32),
        };
        let digits = match self.base {
            Base::Binary => format!("{bits:b}"),
            Base::Octal => format!("{bits:o}"),
            Base::Decimal => number.to_string(),
            Base::Hexadecimal { upper: true } => format!("{bits:X}"),
            Base::Hexadecimal { upper: false } => format!("{bits:x}"),
            Base::Character => super::bytes::to_text(&[number as u8]),
        };
        let missing = self.width.saturating_sub(digits.chars().count());
        let fill: String = std::iter::repeat_n(self.fill, missing).collect();
        match digits.strip_prefix('-').filter(|_| self.fill == '0') {
            Some(digits) => format!("-{fill}{digits}"),
            None => fill + &digits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled() {
        let domains = [("n", "0..65535"), ("s", "string 0..9 of a-z"), ("m", "-9..9")];
        let domains = domains.map(|(name, text)| (name.to_owned(), Domain::parse(text).unwrap()));
        let inputs = Inputs { domains: domains.to_vec(), cases: 1, seed: 1 };
        let case = vec![Value::Number(40_000), Value::Text("abc".to_owned()), Value::Number(-2)];
        let names = Names { inputs: &inputs, case: &case };
        for (text, expected) in [
            ("{n * 2}\r\n", "80000\r\n"),
            ("{(n * 2) and 0FFFFh}", "14464"),
            ("{n, X}|{n, 06x}|{m, X}|{3, 08b}|{65, c}", "9C40|009c40|FFFE|00000011|A"),
            ("{m}{m, 04d}{m, 4d}", "-2-002  -2"),
            ("{s}{s, reverse}{s, upper}{s_length}", "abccbaABC3"),
            ("{{n}} {n mod 7}", "{n} 2"),
        ] {
            let filled = Template::parse(text, &inputs).unwrap().fill(&names);
            assert_eq!(filled.as_deref(), Ok(expected), "{text}");
        }
        for (text, part) in [
            ("{", "unpaired"),
            ("}", "unpaired"),
            ("{k}", "k"),
            ("{n, q}", "not a number format"),
            ("{s, X}", "upper, lower or reverse"),
            ("{n +}", ""),
        ] {
            let error = Template::parse(text, &inputs).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let zero = Template::parse("{1 / (n - 40000)}", &inputs).unwrap();
        assert!(zero.fill(&names).is_err());
    }

    #[test]
    fn words_of_the_language_are_no_names() {
        for (name, expected) in [
            ("n", true),
            ("count_1", true),
            ("ax", false),
            ("mod", false),
            ("zf", false),
            ("1n", false),
            ("", false),
            ("a b", false),
        ] {
            assert_eq!(is_name(name), expected, "{name}");
        }
    }
}
