//! Snapshots that wait in large numbers: each as what it differs in from one that they all have in common.
//!
//! Of memory the pages that differ, bit by bit; of the chips and of what BIOS and DOS remember all of it, with the other one's as a
//! dictionary for LZ4. A state that takes tens of kilobytes in pages of its own takes some hundred bytes packed.

use super::{MOST_BYTES, Snapshot, SnapshotError};
use lz4_flex::block::{compress_with_dict, decompress_with_dict};

impl Snapshot {
    /// Everything but memory, as bytes, and of memory what differs.
    fn in_pieces(&self, base: &Snapshot) -> Result<[Vec<u8>; 3], SnapshotError> {
        let mut rest = self.clone();
        let [memory, planes] = rest.hardware.take_memory(&base.hardware);
        // It is derived, but a machine that lacks it looks ahead once more.
        let chips = postcard::to_stdvec(&(rest.keys.works_until, rest))?;
        Ok([chips, memory, planes])
    }

    /// What [`unpacked_beside`](Self::unpacked_beside) makes this snapshot of again, with the same other one of the same machine.
    ///
    /// `None`: this one holds something that is not stored, a division error on its way to the machine's owner.
    pub fn packed_beside(&self, base: &Snapshot) -> Option<Vec<u8>> {
        if self.divide_error.is_some() {
            return None;
        }
        let pieces = self.in_pieces(base).ok()?;
        let [dictionary, ..] = base.in_pieces(base).ok()?;
        let [chips, memory, _] = pieces.each_ref().map(Vec::len);
        let whole = pieces.concat();
        let mut packed = postcard::to_stdvec(&[whole.len(), chips, memory]).ok()?;
        packed.extend(compress_with_dict(&whole, &dictionary));
        packed.shrink_to_fit();
        Some(packed)
    }

    /// Reads what [`packed_beside`](Self::packed_beside) wrote.
    ///
    /// # Errors
    /// When it has not, or beside another snapshot.
    pub fn unpacked_beside(packed: &[u8], base: &Snapshot) -> Result<Snapshot, SnapshotError> {
        let ([len, chips, memory], packed): ([usize; 3], &[u8]) = postcard::take_from_bytes(packed)?;
        if len > MOST_BYTES {
            return Err(SnapshotError::TooLarge(len));
        }
        let [dictionary, ..] = base.in_pieces(base)?;
        let whole = decompress_with_dict(packed, len, &dictionary)?;
        let cut_short = || SnapshotError::Damaged(postcard::Error::DeserializeUnexpectedEnd);
        let (chips, rest) = whole.split_at_checked(chips).ok_or_else(cut_short)?;
        let (memory, planes) = rest.split_at_checked(memory).ok_or_else(cut_short)?;
        let (works_until, mut snapshot): (u64, Snapshot) = postcard::from_bytes(chips)?;
        snapshot.keys.works_until = works_until;
        if snapshot.hardware.put_memory(&base.hardware, [memory, planes]) {
            Ok(snapshot)
        } else {
            Err(cut_short())
        }
    }
}
