//! The file format of shards: a name and a version, a checksum, and compressed contents.

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

/// The signature of a shard file. The last byte is the version of the format.
const MAGIC: &[u8; 10] = b"oxboxpart\x06";

/// The maximum compression ratio of a block.
const MOST_COMPRESSION: usize = 255;

/// The reason why a file is not a shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackedError {
    /// A different kind of file.
    #[error("it is not a part of a search")]
    NoPart,
    /// A different version of the format.
    #[error("it was written by a different version of oxbox: run the part again")]
    Version,
    /// Damaged contents.
    #[error("it is damaged: run the part again")]
    Damaged,
}

/// Serialises a value to the bytes of a file.
pub fn pack<T: Serialize>(value: &T) -> Vec<u8> {
    // It writes to memory and cannot fail.
    let plain = postcard::to_stdvec(value).unwrap_or_default();
    let packed = lz4_flex::block::compress_prepend_size(&plain);
    [MAGIC, xxh3_64(&packed).to_le_bytes().as_slice(), &packed].concat()
}

/// Deserialises the value of a file.
///
/// ```
/// use oxbox_proof::walk::packed::{PackedError, pack, unpack};
///
/// let mut file = pack(&(7, "seven".to_owned()));
/// assert_eq!(unpack(&file), Ok((7, "seven".to_owned())));
/// file.pop();
/// assert_eq!(unpack::<(i32, String)>(&file), Err(PackedError::Damaged));
/// ```
///
/// # Errors
/// Fails if it is not a shard file, or if it is damaged.
pub fn unpack<T: DeserializeOwned>(file: &[u8]) -> Result<T, PackedError> {
    let (magic, rest) = file.split_at_checked(MAGIC.len()).ok_or(PackedError::NoPart)?;
    if magic[..MAGIC.len() - 1] != MAGIC[..MAGIC.len() - 1] {
        return Err(PackedError::NoPart);
    }
    if magic != MAGIC {
        return Err(PackedError::Version);
    }
    let (sum, packed) = rest.split_first_chunk::<8>().ok_or(PackedError::Damaged)?;
    let (len, _) = packed.split_first_chunk::<4>().ok_or(PackedError::Damaged)?;
    let fits = u32::from_le_bytes(*len) as usize / MOST_COMPRESSION <= packed.len();
    if xxh3_64(packed) != u64::from_le_bytes(*sum) || !fits {
        return Err(PackedError::Damaged);
    }
    let plain = lz4_flex::block::decompress_size_prepended(packed).map_err(|_| PackedError::Damaged)?;
    postcard::from_bytes(&plain).map_err(|_| PackedError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_part_is_told() {
        let good = pack(&vec![1u32; 1000]);
        assert!(good.len() < 100, "{} bytes", good.len());
        let changed = |at: usize| {
            let mut file = good.clone();
            file[at] ^= 1;
            file
        };
        let rows = [
            ("empty", Vec::new(), PackedError::NoPart),
            ("another file", b"MZ and what follows".to_vec(), PackedError::NoPart),
            ("another version", changed(9), PackedError::Version),
            ("a changed checksum", changed(10), PackedError::Damaged),
            ("a changed length", changed(18), PackedError::Damaged),
            ("cut", good[..good.len() - 1].to_vec(), PackedError::Damaged),
            ("cut in the head", good[..12].to_vec(), PackedError::Damaged),
        ];
        for (name, file, expected) in rows {
            assert_eq!(unpack::<Vec<u32>>(&file), Err(expected), "{name}");
        }
        assert_eq!(unpack::<Vec<String>>(&good), Err(PackedError::Damaged), "another type");
    }
}
