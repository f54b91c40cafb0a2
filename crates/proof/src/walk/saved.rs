//! A saved state of a program, and its compressed form.

use oxbox_machine::machine::{End, PackingBase, Snapshot, SnapshotError};

/// A saved state.
#[derive(Debug)]
pub struct Saved {
    pub(super) snapshot: Snapshot,
    pub(super) end: Option<End>,
    pub(super) goes_on: bool,
    pub(super) takes_no_key: bool,
}

impl Saved {
    /// Returns the size of this state in bytes without the parts shared with another one.
    pub fn bytes_beyond(&self, other: &Saved) -> usize {
        self.snapshot.bytes_beyond(&other.snapshot)
    }

    /// Returns the base for compressing other states.
    pub fn base(&self) -> PackingBase {
        PackingBase::new(&self.snapshot)
    }

    /// Returns the compressed form for [`unpacked`](Self::unpacked); `None` if it cannot be
    /// compressed.
    pub fn packed(&self, base: &PackingBase) -> Option<Vec<u8>> {
        if self.end.is_some() {
            return None;
        }
        let mut packed = base.pack(&self.snapshot)?;
        packed.push(u8::from(self.goes_on) | u8::from(self.takes_no_key) << 1);
        packed.shrink_to_fit();
        Some(packed)
    }

    /// Restores a compressed state, which must be a wait, with the same base.
    ///
    /// # Errors
    /// Fails if it was compressed with a different base, or is not a compressed state.
    pub fn unpacked(packed: &[u8], base: &PackingBase) -> Result<Saved, SnapshotError> {
        let (flags, packed) = packed.split_last().unwrap_or((&0, packed));
        let [goes_on, takes_no_key] = [flags & 1 != 0, flags & 2 != 0];
        Ok(Saved { snapshot: base.unpack(packed)?, end: None, goes_on, takes_no_key })
    }
}
