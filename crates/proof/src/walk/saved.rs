//! A state of a program to come back to, and its packed form.

use oxbox_machine::machine::{End, PackingBase, Snapshot, SnapshotError};

/// A state to come back to.
#[derive(Debug)]
pub struct Saved {
    pub(super) snapshot: Snapshot,
    pub(super) end: Option<End>,
    pub(super) goes_on: bool,
}

impl Saved {
    /// The bytes that this state takes beside another one.
    pub fn bytes_beyond(&self, other: &Saved) -> usize {
        self.snapshot.bytes_beyond(&other.snapshot)
    }

    /// Others are packed beside this state.
    pub fn base(&self) -> PackingBase {
        PackingBase::new(&self.snapshot)
    }

    /// What [`unpacked`](Self::unpacked) makes this state of again; nothing where it cannot be packed.
    pub fn packed(&self, base: &PackingBase) -> Option<Vec<u8>> {
        if self.end.is_some() {
            return None;
        }
        let mut packed = base.pack(&self.snapshot)?;
        packed.push(self.goes_on.into());
        packed.shrink_to_fit();
        Some(packed)
    }

    /// A state that was packed, a wait, beside the same base.
    ///
    /// # Errors
    /// When it was not.
    pub fn unpacked(packed: &[u8], base: &PackingBase) -> Result<Saved, SnapshotError> {
        let (goes_on, packed) = packed.split_last().unwrap_or((&0, packed));
        Ok(Saved { snapshot: base.unpack(packed)?, end: None, goes_on: *goes_on != 0 })
    }
}
