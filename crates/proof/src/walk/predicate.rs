//! Predicates of a search: a text, a picture, a kind of end, or any expression.

use super::program::ProgramUnderTest;
use crate::picture::Picture;
use oxbox_cpu::Registers;
use oxbox_machine::expression::{ExpectedBytes, Expression, ExpressionError, Fact, Named, Scope};
use oxbox_machine::hardware::vga::cp437::{self, Controls};
use oxbox_machine::machine::End;
use oxbox_media::pixels::Pixels;

/// A condition at a wait or an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    /// A line of the text screen contains this text.
    Text(String),
    /// The console output since the last choice contains this text.
    Output(String),
    /// The screen contains this picture, pixel for pixel.
    Picture(Picture),
    /// The program has ended with this exit code.
    Exit(u8),
    /// The program has crashed.
    Crash,
    /// The program neither waits nor ends.
    Hang,
    /// Memory contains these bytes.
    Memory(ExpectedBytes),
    /// An expression has a value other than zero.
    Expression(Expression),
    /// The predicate does not hold.
    Not(Box<Predicate>),
}

/// Linear addresses without RAM.
const VIDEO_MEMORY: std::ops::Range<u32> = 0xA_0000..0xC_0000;

/// An error in the text of a predicate.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PredicateError {
    /// Not one of the forms.
    #[error(
        "'{0}' is not one of text:TEXT, output:TEXT, picture:FILE.png, exit:CODE, crash, hang, mem:PLACE=VALUE, or an expression such as vals[si] == 3"
    )]
    Form(String),
    /// Not a number from 0 to 255.
    #[error("'{0}' is not an exit code: 0 to 255")]
    ExitCode(String),
    /// An expression, a place or a value that cannot be parsed, or an unknown name.
    #[error("{text}: {error}")]
    Expression {
        /// The text.
        text: String,
        /// The error in it.
        error: ExpressionError,
    },
    /// An address in video memory, for which the form for screens must be used.
    #[error("'{0}' is video memory: use text: or picture:")]
    Video(String),
    /// The picture cannot be read.
    #[error("{0}")]
    Picture(String),
}

impl Predicate {
    /// Parses a predicate of the command line: one of the forms with a colon, `crash`, `hang`, or
    /// an expression. `picture` reads a file.
    ///
    /// # Errors
    /// Fails if it cannot be parsed.
    pub fn parse(
        words: &str,
        picture: &mut dyn FnMut(&str) -> Result<Picture, String>,
    ) -> Result<Predicate, PredicateError> {
        let form = || PredicateError::Form(words.to_owned());
        match words {
            "crash" => return Ok(Predicate::Crash),
            "hang" => return Ok(Predicate::Hang),
            _ => {}
        }
        let wrong = |error| PredicateError::Expression { text: words.to_owned(), error };
        let (kind, rest) = words.split_once(':').unwrap_or(("", ""));
        match kind {
            "text" | "output" | "picture" | "exit" | "mem" if rest.is_empty() => Err(form()),
            "text" => Ok(Predicate::Text(rest.to_owned())),
            "output" => Ok(Predicate::Output(rest.to_owned())),
            "picture" => picture(rest).map(Predicate::Picture).map_err(PredicateError::Picture),
            "exit" => {
                let code = rest.parse().map_err(|_| PredicateError::ExitCode(rest.to_owned()))?;
                Ok(Predicate::Exit(code))
            }
            "mem" => {
                let (place, value) = rest.rsplit_once('=').ok_or_else(form)?;
                ExpectedBytes::parse(place, value).map(Predicate::Memory).map_err(wrong)
            }
            _ => words.parse().map(Predicate::Expression).map_err(wrong),
        }
    }

    /// Returns whether the predicate reads names, registers or memory, so that
    /// [`check`](Self::check) can fail.
    pub fn is_expression(&self) -> bool {
        match self {
            Predicate::Not(inner) => inner.is_expression(),
            _ => matches!(self, Predicate::Memory(_) | Predicate::Expression(_)),
        }
    }

    /// Checks that all names are known and that no video memory is read, with the program at its
    /// first wait.
    ///
    /// # Errors
    /// Fails with the first invalid name or place.
    pub fn check(&self, walked: &ProgramUnderTest) -> Result<(), PredicateError> {
        let mut scope = Guest::new(walked);
        let (text, is_whole, found) = match self {
            Predicate::Memory(expected) => (&expected.place, false, expected.found(&mut scope).map(|_| ())),
            Predicate::Expression(expression) => {
                let found = expression.check(&mut scope);
                (expression, true, found.and_then(|()| expression.value(&mut scope).map(|_| ())))
            }
            Predicate::Not(inner) => return inner.check(walked),
            _ => return Ok(()),
        };
        let text = text.to_string();
        match found {
            // A divisor may have a different value later.
            Ok(()) | Err(ExpressionError::DivisionByZero) => Ok(()),
            Err(ExpressionError::Unreadable(_)) => Err(PredicateError::Video(text)),
            Err(ExpressionError::Unknown { name, .. }) if is_whole && name == text => {
                Err(PredicateError::Form(text))
            }
            Err(error) => Err(PredicateError::Expression { text, error }),
        }
    }

    /// Returns whether the predicate depends on the path to a state, so that it may hold on one path
    /// and not on another.
    pub fn is_of_way(&self) -> bool {
        match self {
            Predicate::Output(_) => true,
            Predicate::Expression(expression) => expression.asks(|fact| matches!(fact, Fact::Output(_))),
            Predicate::Not(inner) => inner.is_of_way(),
            _ => false,
        }
    }

    /// Returns whether the predicate depends on the screen.
    pub fn is_of_screen(&self) -> bool {
        match self {
            Predicate::Text(_) | Predicate::Picture(_) => true,
            Predicate::Expression(expression) => expression.asks(|fact| matches!(fact, Fact::Text(_))),
            Predicate::Not(inner) => inner.is_of_screen(),
            _ => false,
        }
    }

    /// Returns whether the predicate reads registers or flags, which are not part of a state unless
    /// they are observed.
    pub fn reads_registers(&self) -> bool {
        match self {
            Predicate::Memory(expected) => expected.place.reads_registers(),
            Predicate::Expression(expression) => expression.reads_registers(),
            Predicate::Not(inner) => inner.reads_registers(),
            _ => false,
        }
    }

    /// Returns whether the predicate holds.
    pub fn holds(&self, walked: &ProgramUnderTest) -> bool {
        let machine = walked.machine();
        match self {
            Predicate::Text(text) => machine.text().is_some_and(|screen| screen.to_string().contains(text)),
            Predicate::Output(text) => printed(walked.output()).contains(text),
            Predicate::Picture(picture) => Pixels::from(&machine.still_frame()).contains(picture.into()),
            Predicate::Exit(code) => walked.end() == Some(&End::Exited(*code)),
            Predicate::Crash => matches!(walked.end(), Some(End::Crashed(_) | End::Dead(_))),
            Predicate::Hang => matches!(walked.end(), Some(End::Hang(_))),
            Predicate::Memory(expected) => {
                expected.found(&mut Guest::new(walked)).is_ok_and(|found| found == expected.bytes)
            }
            Predicate::Expression(expression) => expression.holds(&mut Guest::new(walked)),
            Predicate::Not(inner) => !inner.holds(walked),
        }
    }
}

/// A program at a wait or an end, as a scope for expressions.
struct Guest<'a> {
    walked: &'a ProgramUnderTest,
    registers: Registers,
}

impl Guest<'_> {
    fn new(walked: &ProgramUnderTest) -> Guest<'_> {
        Guest { walked, registers: walked.registers() }
    }
}

impl Scope for Guest<'_> {
    fn registers(&self) -> &Registers {
        &self.registers
    }

    fn read(&mut self, address: u32) -> Option<u8> {
        if VIDEO_MEMORY.contains(&address) {
            return None;
        }
        self.walked.machine().hardware().memory.slice(address, 1)?.first().copied()
    }

    fn symbol(&self, name: &str) -> Option<Named> {
        self.walked.named(name)
    }

    fn fact(&mut self, fact: &Fact) -> Option<bool> {
        let predicate = match fact {
            Fact::Text(text) => Predicate::Text(text.clone()),
            Fact::Output(text) => Predicate::Output(text.clone()),
            Fact::Exit(code) => Predicate::Exit(*code),
            Fact::Crash => Predicate::Crash,
            Fact::Hang => Predicate::Hang,
            _ => return None,
        };
        Some(predicate.holds(self.walked))
    }
}

/// Converts console output to lines of text.
pub(super) fn printed(output: &[u8]) -> String {
    cp437::text(output, Controls::Lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let mut picture = |file: &str| Err(format!("cannot read {file}"));
        let memory = |place, value| Ok(Predicate::Memory(ExpectedBytes::parse(place, value).unwrap()));
        let expression = |text: &str| Ok(Predicate::Expression(text.parse().unwrap()));
        let rows: [(&str, Result<Predicate, &str>); 17] = [
            ("text:You win", Ok(Predicate::Text("You win".into()))),
            ("output:a:b", Ok(Predicate::Output("a:b".into()))),
            ("exit:3", Ok(Predicate::Exit(3))),
            ("exit:300", Err("'300' is not an exit code")),
            ("crash", Ok(Predicate::Crash)),
            ("hang", Ok(Predicate::Hang)),
            ("mem:0040:0017=80h", memory("0040:0017", "80h")),
            ("mem:total=1234h", memory("total", "1234h")),
            ("mem:total+2=41h,42h", memory("total+2", "'AB'")),
            ("mem:total=xyz", Err("mem:total=xyz: column 1: cannot parse 'xyz' as a value")),
            ("mem:ax=1", Err("mem:ax=1: 'ax' is not a place in memory")),
            ("picture:a.png", Err("cannot read a.png")),
            ("text:", Err("'text:' is not one of")),
            ("total == 3", expression("total == 3")),
            ("byte es:[di] > 10h && exit(3)", expression("byte es:[di] > 10h && exit(3)")),
            ("crush", expression("crush")),
            ("total ==", Err("total ==: column 9: expected a value, found the end")),
        ];
        for (words, expected) in rows {
            match (Predicate::parse(words, &mut picture), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{words}"),
                (Err(error), Err(expected)) => assert!(error.to_string().starts_with(expected), "{error}"),
                (found, _) => panic!("{words}: {found:?}"),
            }
        }
    }
}
