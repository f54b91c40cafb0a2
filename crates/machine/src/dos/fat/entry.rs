//! A directory entry: 32 bytes.

use crate::dos::drive::{Timestamp, attribute};
use crate::dos::names::Name;

/// The first byte of a deleted entry, and of the first unused one.
pub(super) const DELETED: u8 = 0xE5;
pub(super) const UNUSED: u8 = 0x00;
/// The byte that represents E5h at the beginning of a name.
const STANDS_FOR_E5: u8 = 0x05;

/// Attributes of a part of a long name, which DOS ignores.
const LONG_NAME: u8 = 0x0F;

/// A directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(pub(super) [u8; 32]);

impl Entry {
    pub(super) fn new(name: &Name, attributes: u8) -> Entry {
        let mut entry = Entry([0; 32]);
        entry.set_name(name);
        entry.set_attributes(attributes);
        entry
    }

    fn word(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    fn set_word(&mut self, at: usize, value: u16) {
        self.0[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }

    /// Whether DOS would not show the entry.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.0[0], DELETED | UNUSED)
    }

    pub(super) fn is_long_name(&self) -> bool {
        self.attributes() & LONG_NAME == LONG_NAME
    }

    pub(super) fn is_label(&self) -> bool {
        self.attributes() & attribute::LABEL != 0
    }

    pub(super) fn is_directory(&self) -> bool {
        self.attributes() & attribute::DIRECTORY != 0
    }

    pub(super) fn name(&self) -> Name {
        let mut name: Name = std::array::from_fn(|at| self.0[at]);
        if name[0] == STANDS_FOR_E5 {
            name[0] = DELETED;
        }
        name
    }

    pub(super) fn set_name(&mut self, name: &Name) {
        self.0[..11].copy_from_slice(name);
        if name[0] == DELETED {
            self.0[0] = STANDS_FOR_E5;
        }
    }

    pub(super) fn attributes(&self) -> u8 {
        self.0[11] & 0x3F
    }

    pub(super) fn set_attributes(&mut self, attributes: u8) {
        self.0[11] = attributes;
    }

    pub(super) fn stamp(&self) -> Timestamp {
        Timestamp { date: self.word(24), time: self.word(22) }
    }

    pub(super) fn set_stamp(&mut self, stamp: Timestamp) {
        self.set_word(22, stamp.time);
        self.set_word(24, stamp.date);
    }

    /// Returns the first cluster; 0 for an empty file.
    pub(super) fn first(&self) -> u16 {
        self.word(26)
    }

    pub(super) fn set_first(&mut self, cluster: u16) {
        self.set_word(26, cluster);
    }

    pub(super) fn size(&self) -> u32 {
        u32::from(self.word(28)) | u32::from(self.word(30)) << 16
    }

    pub(super) fn set_size(&mut self, size: u32) {
        self.set_word(28, size as u16);
        self.set_word(30, (size >> 16) as u16);
    }
}
