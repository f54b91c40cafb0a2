//! What is compared: a text screen or a picture, and how two of them differ.
//!
//! Of text the characters and the cursor count, and the colours where a twin tells them; a screen that is blank at its end may
//! be given shorter.

use super::channel::{Channel, Difference};
use oxbox_machine::hardware::vga::{TextScreen, cp437};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Screen {
    /// Characters.
    Text(Text),
    /// Pixels.
    Pixels(Picture),
}

/// A text screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// Characters a line.
    pub columns: usize,
    /// In code page 437, line after line from the top; blanks are 20h.
    pub characters: Vec<u8>,
    /// The attribute of each character; none at all where colours do not count.
    pub attributes: Vec<u8>,
    /// Line and column of the cursor, both from 0, where it matters.
    pub cursor: Option<(usize, usize)>,
}

impl Text {
    /// A line as UTF-8, trailing blanks cut.
    fn line(&self, line: usize) -> String {
        let from = (line * self.columns).min(self.characters.len());
        let to = (from + self.columns).min(self.characters.len());
        let text: String = self.characters[from..to].iter().map(|&code| cp437::glyph(code)).collect();
        text.trim_end().to_owned()
    }

    /// All lines down to the last that is not blank.
    fn lines(&self) -> Vec<String> {
        let used = self.characters.iter().rposition(|&code| code != b' ').map_or(0, |last| last + 1);
        (0..used.div_ceil(self.columns.max(1))).map(|line| self.line(line)).collect()
    }
}

/// A picture, one entry a pixel of the guest.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Picture {
    /// Pixels a line.
    pub width: usize,
    /// 00RRGGBB, line after line from the top. Pictures that are one are equal at a glance.
    pub pixels: Arc<Vec<u32>>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} pixels", self.width, self.pixels.len() / self.width.max(1))
    }
}

/// A screen as a program shows it, colours and all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Characters and colours.
    Text(TextScreen),
    /// Pixels.
    Picture(Picture),
}

/// Magenta: what differs in a picture of differences.
const DIFFERS: u32 = 0x00FF_00FF;

impl Screen {
    /// How `self` differs from what was `expected`, in a line; `None` if it does not.
    pub fn difference(&self, expected: &Screen) -> Option<String> {
        match (expected, self) {
            _ if expected == self => None,
            (Screen::Text(expected), Screen::Text(found)) => text_difference(expected, found),
            (Screen::Pixels(expected), Screen::Pixels(found)) => Some(picture_difference(expected, found)),
            (Screen::Text(_), Screen::Pixels(_)) => Some("a graphics screen instead of text".to_owned()),
            (Screen::Pixels(_), Screen::Text(_)) => Some("a text screen instead of graphics".to_owned()),
        }
    }

    /// As [`difference`](Self::difference), with its channel.
    pub(super) fn difference_in(&self, expected: &Screen) -> Option<Difference> {
        let what = self.difference(expected)?;
        let is_look = match (expected, self) {
            (Screen::Text(expected), Screen::Text(found)) => {
                same_cells(expected, found)
                    && (found.cursor.is_none() || colour_difference(expected, found).is_some())
            }
            _ => false,
        };
        Some(if is_look { Channel::Look } else { Channel::Screen }.differs(what))
    }

    /// Where this picture and another of the same size differ: there it is bright, and everything else is dimmed. Nothing where there is no
    /// such picture.
    pub fn marked(&self, other: &Screen) -> Option<Picture> {
        let (Screen::Pixels(one), Screen::Pixels(other)) = (self, other) else { return None };
        if one.width != other.width || one.pixels.len() != other.pixels.len() {
            return None;
        }
        let mark = |(&a, &b): (&u32, &u32)| if a == b { (a >> 2) & 0x003F_3F3F } else { DIFFERS };
        let pixels = one.pixels.iter().zip(other.pixels.iter()).map(mark).collect();
        Some(Picture { width: one.width, pixels: Arc::new(pixels) })
    }

    /// The screen as text: its lines, or what the picture measures.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Screen::Text(text) => text.lines(),
            Screen::Pixels(picture) => vec![format!("{picture:?}")],
        }
    }
}

fn text_difference(expected: &Text, found: &Text) -> Option<String> {
    if !same_cells(expected, found) {
        let (expected_lines, found_lines) = (expected.lines(), found.lines());
        let line = |lines: &[String], n: usize| lines.get(n).cloned().unwrap_or_default();
        let lines = expected_lines.len().max(found_lines.len());
        if let Some(n) = (0..lines).find(|&n| line(&expected_lines, n) != line(&found_lines, n)) {
            return Some(format!(
                "line {} is {:?}, not {:?}",
                n + 1,
                line(&found_lines, n),
                line(&expected_lines, n)
            ));
        }
    }
    if let Some(difference) = colour_difference(expected, found) {
        return Some(difference);
    }
    match (expected.cursor, found.cursor) {
        (Some(expected), Some(found)) if expected != found => Some(format!(
            "the cursor is at line {}, column {}, not {}, {}",
            found.0, found.1, expected.0, expected.1
        )),
        (Some(_), None) => Some("the cursor is not shown".to_owned()),
        _ => None,
    }
}

/// The first character that has other colours, where both tell them.
fn colour_difference(expected: &Text, found: &Text) -> Option<String> {
    let pairs = expected.attributes.iter().zip(&found.attributes);
    let (at, (expected, attribute)) = pairs.enumerate().find(|(_, (expected, found))| expected != found)?;
    let (line, column) = (at / found.columns.max(1) + 1, at % found.columns.max(1) + 1);
    Some(format!("line {line}, column {column} has the colours {attribute:02X}h, not {expected:02X}h"))
}

/// True when the characters are the same but for blanks at the end. What is false here may still look the same: FFh is a blank.
fn same_cells(expected: &Text, found: &Text) -> bool {
    let common = expected.characters.len().min(found.characters.len());
    let ((a, rest_a), (b, rest_b)) =
        (expected.characters.split_at(common), found.characters.split_at(common));
    expected.columns == found.columns && a == b && rest_a.iter().chain(rest_b).all(|&code| code == b' ')
}

fn picture_difference(expected: &Picture, found: &Picture) -> String {
    if expected.width != found.width || expected.pixels.len() != found.pixels.len() {
        return format!("{found:?}, not {expected:?}");
    }
    let differing: Vec<usize> =
        (0..found.pixels.len()).filter(|&at| expected.pixels[at] != found.pixels[at]).collect();
    let (Some(&first), Some(&last)) = (differing.first(), differing.last()) else { return String::new() };
    let columns = || differing.iter().map(|at| at % found.width);
    let (left, right) = (columns().min().unwrap_or_default(), columns().max().unwrap_or_default());
    let many = match differing.len() {
        1 => "1 pixel differs".to_owned(),
        many => format!(
            "{many} pixels differ, within ({left}, {}) to ({right}, {})",
            first / found.width,
            last / found.width
        ),
    };
    format!(
        "{many}, the first at ({}, {}): {:06X}, not {:06X}",
        first % found.width,
        first / found.width,
        found.pixels[first],
        expected.pixels[first]
    )
}
