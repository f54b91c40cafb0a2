//! Drive Z:: COMMAND.COM, which a user's folder does not have, for whoever starts it by COMSPEC.
//!
//! The drive is named in paths and nothing else: it cannot be the current one, and nothing on it can be changed. Its one file is part of
//! oxbox, not of a machine's state.

use super::{
    drive::{Found, Node, Stamp, attribute},
    error::ErrorCode,
    names::{Name, matches},
};

/// The file.
pub const COMMAND_COM: &[u8] = include_bytes!("../../roms/COMMAND.COM");

/// Where it is.
pub const COMSPEC: &str = "Z:\\COMMAND.COM";

const FILE: Name = *b"COMMAND COM";
const NODE: Node = Node { directory: 0, slot: 0 };

pub(super) const ATTRIBUTES: u8 = attribute::READ_ONLY;
pub(super) const STAMP: Stamp = Stamp { date: 0x21, time: 0 };

/// There is the root alone.
pub(super) fn find_directory(path: &[Name]) -> Result<u16, ErrorCode> {
    if path.is_empty() { Ok(0) } else { Err(ErrorCode::PathNotFound) }
}

/// The file, by its path.
pub(super) fn find(path: &[Name]) -> Result<Node, ErrorCode> {
    match path {
        [name] if *name == FILE => Ok(NODE),
        [] | [_] => Err(ErrorCode::FileNotFound),
        _ => Err(ErrorCode::PathNotFound),
    }
}

/// A search in the root, from a slot on.
pub(super) fn search(pattern: &Name, slot: u16) -> Result<Found, ErrorCode> {
    let found = slot == 0 && matches(pattern, &FILE);
    let file = Found { name: FILE, attributes: ATTRIBUTES, stamp: STAMP, size: size(), node: NODE };
    if found { Ok(file) } else { Err(ErrorCode::NoMoreFiles) }
}

pub(super) fn size() -> u32 {
    COMMAND_COM.len() as u32
}

/// Up to `len` bytes from `offset`.
pub(super) fn read(offset: u32, len: usize) -> Vec<u8> {
    let rest = COMMAND_COM.get(offset as usize..).unwrap_or_default();
    rest[..len.min(rest.len())].to_vec()
}
