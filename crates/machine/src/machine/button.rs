//! Buttons of the mouse by name.

use std::fmt;
use std::str::FromStr;

/// A button of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MouseButton {
    /// The left button.
    Left,
    /// The right button.
    Right,
    /// The middle button.
    Middle,
}

/// The word is not the name of a button.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown button '{0}' (left, right, middle)")]
pub struct ParseButtonError(pub String);

impl FromStr for MouseButton {
    type Err = ParseButtonError;

    fn from_str(word: &str) -> Result<MouseButton, ParseButtonError> {
        match word.to_ascii_lowercase().as_str() {
            "left" => Ok(MouseButton::Left),
            "right" => Ok(MouseButton::Right),
            "middle" => Ok(MouseButton::Middle),
            _ => Err(ParseButtonError(word.to_owned())),
        }
    }
}

impl fmt::Display for MouseButton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MouseButton::Left => "left",
            MouseButton::Right => "right",
            MouseButton::Middle => "middle",
        })
    }
}
