//! Drive Z:: COMMAND.COM, which a user's folder does not have, for whoever starts it by COMSPEC.
//!
//! The drive is named in paths and nothing else: it cannot be the current one, and nothing on it can be changed. Its root stands beside
//! the root of C:, under a name that no path can have, and its one file is part of oxbox, not of a machine's state.

use super::{Found, Node, Stamp, attribute};
use crate::dos::names::{Name, matches};

/// The file.
pub const COMMAND_COM: &[u8] = include_bytes!("../../../roms/COMMAND.COM");

/// Where it is.
pub const COMSPEC: &str = "Z:\\COMMAND.COM";

const FILE: Name = *b"COMMAND COM";

/// The number of its directory, which no other directory gets.
pub(crate) const DIRECTORY: u16 = 0xFFFE;

pub(super) const NODE: Node = Node { directory: DIRECTORY, slot: 0 };

pub(super) const ATTRIBUTES: u8 = attribute::READ_ONLY;

/// The file of that name.
pub(super) fn find(name: &Name) -> Option<Node> {
    (*name == FILE).then_some(NODE)
}

/// A search in the directory, from a slot on.
pub(super) fn search(pattern: &Name, slot: u16, stamp: Stamp) -> Option<Found> {
    let size = COMMAND_COM.len() as u32;
    let found = slot == 0 && matches(pattern, &FILE);
    found.then_some(Found { name: FILE, attributes: ATTRIBUTES, stamp, size, node: NODE })
}
