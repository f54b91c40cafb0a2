//! Screens for comparison, text or pictures, and their differences.
//!
//! For text, the characters and the cursor are compared, and colours if a twin specifies them.
//! Blank characters at the end may be omitted.

use super::channel::{Channel, Difference};
use crate::picture::Picture;
use crate::walk::performance::Shot;
use oxbox_machine::hardware::vga::{TextScreen, cp437};
use oxbox_media::pixels::Pixels;
use serde::{Deserialize, Serialize};
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
    /// Characters per line.
    pub columns: usize,
    /// The characters in code page 437, in lines from the top. Blanks are 20h.
    pub characters: Vec<u8>,
    /// The attribute of each character; empty if colours are not compared.
    pub attributes: Vec<u8>,
    /// Line and column of the cursor, both from 0, if it is compared.
    pub cursor: Option<(usize, usize)>,
}

impl Text {
    /// Returns a line as UTF-8 without trailing blanks.
    fn line(&self, line: usize) -> String {
        let from = (line * self.columns).min(self.characters.len());
        let to = (from + self.columns).min(self.characters.len());
        let text: String = self.characters[from..to].iter().map(|&code| cp437::glyph(code)).collect();
        text.trim_end().to_owned()
    }

    /// Returns all lines up to the last one that is not blank.
    fn lines(&self) -> Vec<String> {
        let used = self.characters.iter().rposition(|&code| code != b' ').map_or(0, |last| last + 1);
        (0..used.div_ceil(self.columns.max(1))).map(|line| self.line(line)).collect()
    }
}

impl From<&Shot> for Screen {
    fn from(shot: &Shot) -> Self {
        match shot {
            Shot::Text(text) => Screen::Text((&**text).into()),
            Shot::Pixels(picture) => Screen::Pixels(picture.clone()),
        }
    }
}

/// 00h looks like a blank.
impl From<&TextScreen> for Text {
    fn from(text: &TextScreen) -> Self {
        Text {
            columns: text.columns,
            characters: text.cells.iter().map(|&(code, _)| if code == 0 { b' ' } else { code }).collect(),
            attributes: text.cells.iter().map(|&(_, attribute)| attribute).collect(),
            cursor: text.cursor.map(|cursor| (cursor.row, cursor.column)),
        }
    }
}

impl Screen {
    /// Returns the difference from the `expected` screen in one line; `None` if they are equal.
    pub fn difference(&self, expected: &Screen) -> Option<String> {
        match (expected, self) {
            _ if expected == self => None,
            (Screen::Text(expected), Screen::Text(found)) => text_difference(expected, found),
            (Screen::Pixels(expected), Screen::Pixels(found)) => {
                Pixels::from(found).difference(expected.into())
            }
            (Screen::Text(_), Screen::Pixels(_)) => Some("a graphics screen instead of text".to_owned()),
            (Screen::Pixels(_), Screen::Text(_)) => Some("a text screen instead of graphics".to_owned()),
        }
    }

    /// Like [`difference`](Self::difference), with the channel.
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

    /// Returns the expected picture in pale grey with the pixels of `found` that differ in red;
    /// `None` for other screens.
    pub fn marked(&self, found: &Screen) -> Option<Picture> {
        let (Screen::Pixels(expected), Screen::Pixels(found)) = (self, found) else { return None };
        let pixels = Pixels::from(found).marked(expected.into());
        Some(Picture { width: expected.width, pixels: Arc::new(pixels) })
    }

    /// Returns the lines of a text screen, or the size of a picture.
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

/// Returns the first character with different colours, if both specify them.
fn colour_difference(expected: &Text, found: &Text) -> Option<String> {
    let pairs = expected.attributes.iter().zip(&found.attributes);
    let (at, (expected, attribute)) = pairs.enumerate().find(|(_, (expected, found))| expected != found)?;
    let (line, column) = (at / found.columns.max(1) + 1, at % found.columns.max(1) + 1);
    Some(format!("line {line}, column {column} has the colours {attribute:02X}h, not {expected:02X}h"))
}

/// Returns whether the characters are equal except for blanks at the end. Unequal characters may
/// still look the same: FFh is a blank.
fn same_cells(expected: &Text, found: &Text) -> bool {
    let common = expected.characters.len().min(found.characters.len());
    let ((a, rest_a), (b, rest_b)) =
        (expected.characters.split_at(common), found.characters.split_at(common));
    expected.columns == found.columns && a == b && rest_a.iter().chain(rest_b).all(|&code| code == b' ')
}
