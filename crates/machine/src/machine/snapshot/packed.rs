//! Snapshots packed in large numbers: each stored as the difference from a common one.
//!
//! Memory is stored as the parts of pages that differ; the chips and the state of BIOS and DOS are
//! stored as a whole. Those of the common snapshot, and its text, are a dictionary for LZ4. A state whose
//! own pages take tens of kilobytes takes some hundred bytes packed.

use super::{MOST_BYTES, Snapshot, SnapshotError};
use lz4_flex::block::{compress_with_dict, decompress_with_dict};

/// The snapshot relative to which others of the same machine are packed, prepared once.
#[derive(Debug)]
pub struct PackingBase {
    snapshot: Snapshot,
    /// The text on the screen, and everything except memory, as bytes.
    dictionary: Vec<u8>,
}

impl PackingBase {
    /// Prepares packing relative to this snapshot.
    pub fn new(snapshot: &Snapshot) -> PackingBase {
        let pieces = pieces(snapshot, snapshot);
        // Without a dictionary others can be packed too, but less well.
        let [chips, ..] = pieces.unwrap_or_default();
        let dictionary = [snapshot.hardware.characters(), chips].concat();
        PackingBase { snapshot: snapshot.clone(), dictionary }
    }

    /// Packs a snapshot for [`unpack`](Self::unpack).
    ///
    /// `None` if it contains something that is not stored: a division error on its way to the
    /// machine's owner.
    pub fn pack(&self, snapshot: &Snapshot) -> Option<Vec<u8>> {
        if snapshot.divide_error.is_some() {
            return None;
        }
        let pieces = pieces(snapshot, &self.snapshot).ok()?;
        let [chips, memory, _] = pieces.each_ref().map(Vec::len);
        let whole = pieces.concat();
        let mut packed = postcard::to_stdvec(&[whole.len(), chips, memory]).ok()?;
        packed.extend(compress_with_dict(&whole, &self.dictionary));
        packed.shrink_to_fit();
        Some(packed)
    }

    /// Reads the result of [`pack`](Self::pack).
    ///
    /// # Errors
    /// Fails if it was not packed, or relative to another snapshot.
    pub fn unpack(&self, packed: &[u8]) -> Result<Snapshot, SnapshotError> {
        let ([len, chips, memory], packed): ([usize; 3], &[u8]) = postcard::take_from_bytes(packed)?;
        if len > MOST_BYTES {
            return Err(SnapshotError::TooLarge(len));
        }
        let whole = decompress_with_dict(packed, len, &self.dictionary)?;
        let cut_short = || SnapshotError::Damaged(postcard::Error::DeserializeUnexpectedEnd);
        let (chips, rest) = whole.split_at_checked(chips).ok_or_else(cut_short)?;
        let (memory, planes) = rest.split_at_checked(memory).ok_or_else(cut_short)?;
        let ((busy_until, open), mut snapshot): ((u64, (u64, u64)), Snapshot) = postcard::from_bytes(chips)?;
        snapshot.keys.busy_until = busy_until;
        snapshot.keys.open = open;
        if snapshot.hardware.put_memory(&self.snapshot.hardware, [memory, planes]) {
            Ok(snapshot)
        } else {
            Err(cut_short())
        }
    }
}

/// Returns everything except memory as bytes, and the differences of memory and video memory.
fn pieces(snapshot: &Snapshot, base: &Snapshot) -> Result<[Vec<u8>; 3], SnapshotError> {
    let mut rest = snapshot.clone();
    let [memory, planes] = rest.hardware.take_memory(&base.hardware);
    // It is derived, but a machine that lacks it has to run ahead again.
    let chips = postcard::to_stdvec(&((rest.keys.busy_until, rest.keys.open), rest))?;
    Ok([chips, memory, planes])
}
