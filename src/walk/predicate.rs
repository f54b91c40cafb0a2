//! What is looked for in a walk: a text, a picture, a way to end, bytes of memory.

use super::program::{End, Walked};
use crate::hardware::linear;
use crate::hardware::vga::Frame;
use crate::hardware::vga::cp437;
use crate::inspect::segment_and_offset;

/// Something that can hold at a wait or an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    /// The text screen holds this text in one of its lines.
    Text(String),
    /// What was printed on the console since the last choice holds this text.
    Output(String),
    /// The screen holds this picture somewhere, pixel for pixel.
    Picture(Picture),
    /// The program has ended with this exit code.
    Exit(u8),
    /// The program has crashed.
    Crash,
    /// The program neither waits nor ends.
    Hang,
    /// Memory holds these bytes at this linear address.
    Memory(u32, Vec<u8>),
}

/// Linear addresses at which no bytes of RAM are.
const VIDEO_MEMORY: std::ops::Range<u32> = 0xA_0000..0xC_0000;

/// A picture to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels a line.
    pub width: usize,
    /// 00RRGGBB, line after line from the top.
    pub pixels: Vec<u32>,
}

/// What is wrong with the words that describe a predicate.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PredicateError {
    /// None of the forms.
    #[error(
        "'{0}' is not one of text:TEXT, output:TEXT, picture:FILE.png, exit:CODE, crash, hang, mem:SEG:OFF=VALUE, mem:SYMBOL=VALUE"
    )]
    Form(String),
    /// Not a number from 0 to 255.
    #[error("'{0}' is no exit code: 0 to 255")]
    ExitCode(String),
    /// No address, and no symbol that is known.
    #[error(
        "'{0}' is no address: SEG:OFF in hexadecimal digits, or a symbol of a program that is built from source"
    )]
    Address(String),
    /// Video memory, which is looked at as what it shows.
    #[error("'{0}' is video memory: ask for text: or picture:")]
    Video(String),
    /// No number.
    #[error(
        "'{0}' is no value: decimal, or hexadecimal with h; two hexadecimal digits a byte, several values with commas"
    )]
    Value(String),
    /// The picture cannot be read.
    #[error("{0}")]
    Picture(String),
}

impl Predicate {
    /// Reads a predicate as the command line has it. `picture` reads a file, `symbol` tells a symbol's linear address.
    ///
    /// # Errors
    /// What cannot be understood.
    pub fn parse(
        words: &str,
        picture: &mut dyn FnMut(&str) -> Result<Picture, String>,
        symbol: &dyn Fn(&str) -> Option<u32>,
    ) -> Result<Predicate, PredicateError> {
        let form = || PredicateError::Form(words.to_owned());
        match words {
            "crash" => return Ok(Predicate::Crash),
            "hang" => return Ok(Predicate::Hang),
            _ => {}
        }
        let (kind, rest) = words.split_once(':').filter(|(_, rest)| !rest.is_empty()).ok_or_else(form)?;
        match kind {
            "text" => Ok(Predicate::Text(rest.to_owned())),
            "output" => Ok(Predicate::Output(rest.to_owned())),
            "picture" => picture(rest).map(Predicate::Picture).map_err(PredicateError::Picture),
            "exit" => {
                let code = rest.parse().map_err(|_| PredicateError::ExitCode(rest.to_owned()))?;
                Ok(Predicate::Exit(code))
            }
            "mem" => {
                let (place, value) = rest.rsplit_once('=').ok_or_else(form)?;
                let address =
                    address(place, symbol).ok_or_else(|| PredicateError::Address(place.to_owned()))?;
                if VIDEO_MEMORY.contains(&address) {
                    return Err(PredicateError::Video(place.to_owned()));
                }
                let bytes = bytes(value).ok_or_else(|| PredicateError::Value(value.to_owned()))?;
                Ok(Predicate::Memory(address, bytes))
            }
            _ => Err(form()),
        }
    }

    /// It is about how a state was reached, and may hold on one way to it and not on another.
    pub fn is_of_way(&self) -> bool {
        matches!(self, Predicate::Output(_))
    }

    /// It is about what is on the screen.
    pub fn is_of_screen(&self) -> bool {
        matches!(self, Predicate::Text(_) | Predicate::Picture(_))
    }

    /// Whether it holds.
    pub fn holds(&self, walked: &Walked) -> bool {
        let machine = walked.machine();
        match self {
            Predicate::Text(text) => machine.text().is_some_and(|screen| screen.to_string().contains(text)),
            Predicate::Output(text) => printed(walked.output()).contains(text),
            Predicate::Picture(picture) => picture.is_in(&machine.still_frame()),
            Predicate::Exit(code) => walked.end() == Some(&End::Exit(*code)),
            Predicate::Crash => matches!(walked.end(), Some(End::Crash(_))),
            Predicate::Hang => matches!(walked.end(), Some(End::Hang(_))),
            Predicate::Memory(address, bytes) => {
                machine.hardware.memory.slice(*address, bytes.len()) == Some(bytes.as_slice())
            }
        }
    }
}

impl Picture {
    /// Whether a frame holds it somewhere.
    fn is_in(&self, frame: &Frame) -> bool {
        let Some(height) = self.pixels.len().checked_div(self.width) else { return false };
        if height == 0 || self.width > frame.width || height > frame.height {
            return false;
        }
        let line = |y: usize| &self.pixels[y * self.width..(y + 1) * self.width];
        let is_at = |x: usize, y: usize| {
            (0..height).all(|dy| {
                let from = (y + dy) * frame.width + x;
                frame.pixels[from..from + self.width] == *line(dy)
            })
        };
        (0..=frame.height - height).any(|y| (0..=frame.width - self.width).any(|x| is_at(x, y)))
    }
}

/// Console output as text: CR is left out, other control characters are shown as their glyphs.
pub(super) fn printed(output: &[u8]) -> String {
    let shown = output.iter().filter(|&&byte| byte != b'\r');
    shown.map(|&byte| if byte == b'\n' { '\n' } else { cp437::glyph(byte) }).collect()
}

fn address(place: &str, symbol: &dyn Fn(&str) -> Option<u32>) -> Option<u32> {
    if place.contains(':') {
        return segment_and_offset(place).map(|(segment, offset)| linear(segment, offset));
    }
    symbol(place)
}

/// The bytes of values with commas between them, low bytes first: `5`, `1234h`, `41h,42h`. A hexadecimal value has as many
/// bytes as its digits fill, without a leading zero that only makes it a number; a decimal one as many as it needs.
fn bytes(values: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for value in values.split(',').map(str::trim) {
        let (number, len) = match value.strip_suffix(['h', 'H']) {
            Some(digits) => {
                let digits = if digits.len() % 2 == 1 {
                    digits.strip_prefix('0').filter(|rest| !rest.is_empty()).unwrap_or(digits)
                } else {
                    digits
                };
                (u32::from_str_radix(digits, 16).ok()?, digits.len().div_ceil(2))
            }
            None => {
                let number: u32 = value.parse().ok()?;
                (number, (4 - number.leading_zeros() as usize / 8).max(1))
            }
        };
        bytes.extend(&number.to_le_bytes()[..len.min(4)]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let symbol = |name: &str| (name == "total").then_some(0x1234);
        let mut picture = |file: &str| Err(format!("cannot read {file}"));
        let rows: [(&str, Result<Predicate, &str>); 13] = [
            ("text:You win", Ok(Predicate::Text("You win".into()))),
            ("output:a:b", Ok(Predicate::Output("a:b".into()))),
            ("exit:3", Ok(Predicate::Exit(3))),
            ("exit:300", Err("'300' is no exit code")),
            ("crash", Ok(Predicate::Crash)),
            ("hang", Ok(Predicate::Hang)),
            ("mem:0040:0017=80h", Ok(Predicate::Memory(0x417, vec![0x80]))),
            ("mem:total=1234h", Ok(Predicate::Memory(0x1234, vec![0x34, 0x12]))),
            ("mem:other=1", Err("'other' is no address")),
            ("mem:B800:0000=41h", Err("'B800:0000' is video memory")),
            ("mem:total=xyz", Err("'xyz' is no value")),
            ("picture:a.png", Err("cannot read a.png")),
            ("crush", Err("'crush' is not one of")),
        ];
        for (words, expected) in rows {
            match (Predicate::parse(words, &mut picture, &symbol), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{words}"),
                (Err(error), Err(expected)) => assert!(error.to_string().starts_with(expected), "{error}"),
                (found, _) => panic!("{words}: {found:?}"),
            }
        }
    }

    #[test]
    fn values() {
        let rows: [(&str, Option<&[u8]>); 8] = [
            ("5", Some(&[5])),
            ("256", Some(&[0, 1])),
            ("0", Some(&[0])),
            ("0FFh", Some(&[0xFF])),
            ("0005h", Some(&[5, 0])),
            ("41h, 42H", Some(&[0x41, 0x42])),
            ("h", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(bytes(text).as_deref(), expected, "{text}");
        }
    }
}
