//! Drive Z: with COMMAND.COM, for programs that start it through COMSPEC: a user's folder does not
//! contain it.
//!
//! The drive can only be used in paths: it cannot be the current drive, and nothing on it can be
//! changed. Its only file comes from the configuration and is not part of a machine's state.

use super::{
    drive::{Found, Node, Timestamp, attribute},
    error::ErrorCode,
    names::{Name, matches},
};

/// The path of COMMAND.COM, the value of the variable COMSPEC.
pub const COMSPEC: &str = "Z:\\COMMAND.COM";

const FILE: Name = *b"COMMAND COM";
const NODE: Node = Node { directory: 0, slot: 0 };

pub(super) const ATTRIBUTES: u8 = attribute::READ_ONLY;
pub(super) const STAMP: Timestamp = Timestamp { date: 0x21, time: 0 };

/// The drive's content: COMMAND.COM, or empty if the configuration has none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BuiltIn(pub(super) &'static [u8]);

impl BuiltIn {
    /// Finds a directory; the root is the only one.
    pub(super) fn find_directory(self, path: &[Name]) -> Result<u16, ErrorCode> {
        if path.is_empty() { Ok(0) } else { Err(ErrorCode::PathNotFound) }
    }

    pub(super) fn find(self, path: &[Name]) -> Result<Node, ErrorCode> {
        match path {
            [name] if *name == FILE && !self.0.is_empty() => Ok(NODE),
            [] | [_] => Err(ErrorCode::FileNotFound),
            _ => Err(ErrorCode::PathNotFound),
        }
    }

    /// Searches the root from a slot.
    pub(super) fn search(self, pattern: &Name, slot: u16) -> Result<Found, ErrorCode> {
        let found = slot == 0 && matches(pattern, &FILE) && !self.0.is_empty();
        let file = Found { name: FILE, attributes: ATTRIBUTES, stamp: STAMP, size: self.size(), node: NODE };
        if found { Ok(file) } else { Err(ErrorCode::NoMoreFiles) }
    }

    pub(super) fn size(self) -> u32 {
        self.0.len() as u32
    }

    /// Returns up to `len` bytes from `offset`.
    pub(super) fn read(self, offset: u32, len: usize) -> Vec<u8> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        rest[..len.min(rest.len())].to_vec()
    }
}
