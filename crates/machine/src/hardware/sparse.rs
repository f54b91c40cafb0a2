//! Sparse memory: blocks that have been written, shared by snapshots.
//!
//! The owner defines the content of blocks that are absent (zeros, or an image's bytes). It removes
//! blocks that equal this content, so that equal memories have equal representations. A clone
//! copies nothing. The first write after it copies the list of blocks, and each block when it is
//! written.

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_64;

/// Size of a block in bytes: eight sectors.
pub(super) const BLOCK: usize = 4096;

#[derive(Debug, Clone)]
struct Block {
    bytes: [u8; BLOCK],
    hash: OnceLock<u64>,
}

/// The blocks by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sparse(Arc<BTreeMap<u32, Arc<Block>>>);

impl Sparse {
    pub(super) fn get(&self, number: u32) -> Option<&[u8; BLOCK]> {
        self.0.get(&number).map(|block| &block.bytes)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns numbers and bytes of all blocks, in order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (u32, &[u8; BLOCK])> {
        self.0.iter().map(|(number, block)| (*number, &block.bytes))
    }

    pub(super) fn set(&mut self, number: u32, bytes: &[u8; BLOCK]) {
        let blocks = Arc::make_mut(&mut self.0);
        match blocks.get_mut(&number).and_then(Arc::get_mut) {
            Some(block) => *block = Block { bytes: *bytes, hash: OnceLock::new() },
            None => {
                blocks.insert(number, Arc::new(Block { bytes: *bytes, hash: OnceLock::new() }));
            }
        }
    }

    /// Removes a block, so that its content is again the one before any write.
    pub(super) fn forget(&mut self, number: u32) {
        if self.0.contains_key(&number) {
            Arc::make_mut(&mut self.0).remove(&number);
        }
    }

    /// Returns the number of blocks that another memory does not share.
    pub(super) fn blocks_beyond(&self, other: &Sparse) -> usize {
        if self.is_same(other) {
            return 0;
        }
        let is_own = |(number, block): &(&u32, &Arc<Block>)| {
            !other.0.get(number).is_some_and(|other| Arc::ptr_eq(block, other))
        };
        self.0.iter().filter(is_own).count()
    }

    /// Reads from a memory whose absent blocks are zeros.
    pub(super) fn read(&self, at: u64, out: &mut [u8]) {
        let mut done = 0;
        while done < out.len() {
            let (number, within) = place(at + done as u64);
            let part = (BLOCK - within).min(out.len() - done);
            let target = &mut out[done..done + part];
            match self.get(number) {
                Some(block) => target.copy_from_slice(&block[within..within + part]),
                None => target.fill(0),
            }
            done += part;
        }
    }

    /// Writes to a memory whose absent blocks are zeros.
    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let (number, within) = place(at + done as u64);
            let part = (BLOCK - within).min(bytes.len() - done);
            let mut block = self.get(number).copied().unwrap_or([0; BLOCK]);
            block[within..within + part].copy_from_slice(&bytes[done..done + part]);
            if block == [0; BLOCK] {
                self.forget(number);
            } else {
                self.set(number, &block);
            }
            done += part;
        }
    }

    /// Whether both memories share all blocks. Their bytes are not compared.
    pub(super) fn is_same(&self, other: &Sparse) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns a hash of all blocks. The cost depends on the data written since the last hash.
    pub(super) fn hash(&self) -> u64 {
        let hashes = self.0.iter().flat_map(|(number, block)| {
            let hash = *block.hash.get_or_init(|| xxh3_64(&block.bytes));
            [u64::from(*number).to_le_bytes(), hash.to_le_bytes()].concat()
        });
        xxh3_64(&hashes.collect::<Vec<u8>>())
    }
}

/// Returns the block of a byte, and the byte's offset in it.
fn place(at: u64) -> (u32, usize) {
    ((at / BLOCK as u64) as u32, (at % BLOCK as u64) as usize)
}

struct Stored<'a>(u32, &'a [u8]);

impl Serialize for Stored<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = [&self.0.to_le_bytes()[..], self.1].concat();
        serializer.serialize_bytes(&bytes)
    }
}

impl Serialize for Sparse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut blocks = serializer.serialize_seq(Some(self.0.len()))?;
        for (number, bytes) in self.blocks() {
            blocks.serialize_element(&Stored(number, bytes))?;
        }
        blocks.end()
    }
}

struct Read(u32, [u8; BLOCK]);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes: &serde_bytes::Bytes = Deserialize::deserialize(deserializer)?;
        let truncated = || D::Error::custom("a block is truncated");
        let (number, rest) = bytes.split_first_chunk::<4>().ok_or_else(truncated)?;
        let block = rest.try_into().map_err(|_| truncated())?;
        Ok(Read(u32::from_le_bytes(*number), block))
    }
}

impl<'de> Deserialize<'de> for Sparse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Blocks;
        impl<'de> Visitor<'de> for Blocks {
            type Value = Sparse;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("blocks of memory")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> Result<Sparse, A::Error> {
                let mut memory = Sparse::default();
                while let Some(Read(number, bytes)) = blocks.next_element()? {
                    memory.set(number, &bytes);
                }
                Ok(memory)
            }
        }
        deserializer.deserialize_seq(Blocks)
    }
}
