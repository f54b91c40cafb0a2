//! What is compared: a text screen or a picture, and how two of them differ.
//!
//! Text is compared as it reads, without colours, with blanks at the ends of lines and empty lines at the bottom left out.

use std::fmt;

/// A screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Screen {
    /// Lines of text from the top.
    Text(Vec<String>),
    /// Pixels.
    Pixels(Picture),
}

/// A picture, one entry a pixel of the guest.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels a line.
    pub width: usize,
    /// 00RRGGBB, line after line from the top.
    pub pixels: Vec<u32>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} pixels", self.width, self.pixels.len() / self.width.max(1))
    }
}

impl Screen {
    /// A text screen from its lines.
    pub fn text(lines: impl IntoIterator<Item = impl AsRef<str>>) -> Screen {
        let mut lines: Vec<String> =
            lines.into_iter().map(|line| line.as_ref().trim_end_matches([' ', '\0']).to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        Screen::Text(lines)
    }

    /// How `self` differs from what was `expected`, in a line; `None` if it does not.
    pub fn difference(&self, expected: &Screen) -> Option<String> {
        match (expected, self) {
            _ if expected == self => None,
            (Screen::Text(expected), Screen::Text(found)) => Some(text_difference(expected, found)),
            (Screen::Pixels(expected), Screen::Pixels(found)) => Some(picture_difference(expected, found)),
            (Screen::Text(_), Screen::Pixels(_)) => Some("a graphics screen instead of text".to_owned()),
            (Screen::Pixels(_), Screen::Text(_)) => Some("a text screen instead of graphics".to_owned()),
        }
    }

    /// The screen as text: its lines, or what the picture measures.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Screen::Text(lines) => lines.clone(),
            Screen::Pixels(picture) => vec![format!("{picture:?}")],
        }
    }
}

fn text_difference(expected: &[String], found: &[String]) -> String {
    let line = |lines: &[String], n: usize| lines.get(n).cloned().unwrap_or_default();
    let differs = (0..expected.len().max(found.len())).find(|&n| line(expected, n) != line(found, n));
    let n = differs.unwrap_or_default();
    format!("line {} is {:?}, not {:?}", n + 1, line(found, n), line(expected, n))
}

fn picture_difference(expected: &Picture, found: &Picture) -> String {
    if expected.width != found.width || expected.pixels.len() != found.pixels.len() {
        return format!("{found:?}, not {expected:?}");
    }
    let differing: Vec<usize> =
        (0..found.pixels.len()).filter(|&at| expected.pixels[at] != found.pixels[at]).collect();
    let first = differing.first().copied().unwrap_or_default();
    format!(
        "{} pixels differ, the first at ({}, {}): {:06X}, not {:06X}",
        differing.len(),
        first % found.width,
        first / found.width,
        found.pixels[first],
        expected.pixels[first]
    )
}
