//! A machine's state, to restore, to store and to compare.
//!
//! A snapshot contains only guest state; derived data (decoded blocks, pictures) is left out. Pages
//! of memory are shared: a save copies the data written since the last one, a restore copies what
//! differs.

mod packed;

pub use packed::PackingBase;

use super::hash::BufferedHash;
use super::wait::{KeyWaitDetector, LookAhead};
use super::{crash::Crash, pc::Machine};
use crate::bios::Bios;
use crate::dos::Dos;
use crate::hardware::SavedHardware;
use lz4_flex::block::DecompressError;
use oxbox_cpu::Cpu;
use serde::{Deserialize, Serialize};

/// The format's version, first in the bytes of a stored snapshot. It is raised when any state
/// changes its structure, or when a machine starts differently than before, so that the keys stored
/// with a state no longer lead to it.
const VERSION: u32 = 14;

/// The maximum size of a snapshot before it is packed, in bytes: all memory, and all that programs
/// may have written and not closed.
const MOST_BYTES: usize = 128 << 20;

/// A machine's state at one time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    pub(super) cpu: Cpu,
    pub(super) hardware: SavedHardware,
    bios: Bios,
    dos: Dos,
    halted: bool,
    keys: KeyWaitDetector,
    /// Not guest state: for the machine's owner.
    #[serde(skip)]
    divide_error: Option<Box<Crash>>,
}

/// The stored bytes are not a snapshot of this version.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Truncated, damaged, or of another kind.
    #[error("not a snapshot, or a damaged one: {0}")]
    Damaged(#[from] postcard::Error),
    /// Truncated or damaged in the packed part.
    #[error("a damaged snapshot: {0}")]
    Unpacking(#[from] DecompressError),
    /// The stated size is larger than a machine can be.
    #[error("a damaged snapshot: its size is {0} bytes")]
    TooLarge(usize),
    /// Made by another version of oxbox.
    #[error("a snapshot of format {0}; this oxbox reads format {VERSION}: use the oxbox that made it")]
    Version(u32),
}

impl Snapshot {
    /// Returns the snapshot as bytes: the version, the length, and the state packed as an LZ4
    /// block.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        let state = postcard::to_stdvec(self)?;
        let mut bytes = postcard::to_stdvec(&(VERSION, state.len()))?;
        bytes.extend(lz4_flex::block::compress(&state));
        Ok(bytes)
    }

    /// Reads the result of [`Snapshot::to_bytes`]. The structure is checked, not whether a machine
    /// can get into such a state.
    ///
    /// # Errors
    /// Fails if the bytes are not a snapshot of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let (version, rest): (u32, &[u8]) = postcard::take_from_bytes(bytes)?;
        if version != VERSION {
            return Err(SnapshotError::Version(version));
        }
        let (len, packed): (usize, &[u8]) = postcard::take_from_bytes(rest)?;
        if len > MOST_BYTES {
            return Err(SnapshotError::TooLarge(len));
        }
        Ok(postcard::from_bytes(&lz4_flex::block::decompress(packed, len)?)?)
    }
}

impl Snapshot {
    /// Returns the number of instructions executed since power-on.
    pub(super) fn instructions(&self) -> u64 {
        self.cpu.retired
    }

    /// Returns about how many bytes it needs beyond another snapshot of the same machine.
    pub fn bytes_beyond(&self, other: &Snapshot) -> usize {
        const CHIPS: usize = 4096;
        let pages = self.hardware.pages_beyond(&other.hardware);
        CHIPS + size_of::<Snapshot>() + 4096 * pages + self.dos.bytes_beyond(&other.dos)
    }
}

impl Machine {
    /// Returns the current state. The cost depends on the data written since the last snapshot or
    /// restore.
    pub fn snapshot(&mut self) -> Snapshot {
        Snapshot {
            cpu: self.cpu.clone(),
            hardware: self.hardware.save(),
            bios: self.bios.clone(),
            dos: self.dos.clone(),
            halted: self.halted,
            keys: self.keys.clone(),
            divide_error: self.divide_error.clone(),
        }
    }

    /// Restores a state: copies what differs. Notices stay: they concern the machine's lifetime.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let Snapshot { cpu, hardware, bios, dos, halted, keys, divide_error } = snapshot;
        if self.look_ahead == LookAhead::No {
            self.places.forget();
        }
        if cpu.model != self.cpu.model {
            self.blocks.flush();
        }
        self.cpu.clone_from(cpu);
        self.hardware.restore(hardware);
        self.bios.clone_from(bios);
        self.dos.adopt(dos.clone());
        self.halted = *halted;
        self.keys.clone_from(keys);
        self.divide_error.clone_from(divide_error);
        self.interrupted_at = None;
        self.key_class = None;
    }

    /// Returns a hash of the whole guest state: equal states have equal hashes, on every host,
    /// translated or single-stepped. The cost depends on the data written since the last snapshot
    /// or restore.
    pub fn state_hash(&self) -> u64 {
        let state = (&self.cpu, &self.hardware, &self.bios, &self.dos, self.halted, &self.keys);
        let hash = postcard::serialize_with_flavor(&state, HashFlavor(BufferedHash::new()));
        hash.unwrap_or(0) // the flavor cannot fail: it stores nothing
    }
}

/// Hashes serialised data.
struct HashFlavor(BufferedHash);

impl postcard::ser_flavors::Flavor for HashFlavor {
    type Output = u64;

    #[inline]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.update(&[byte]);
        Ok(())
    }

    #[inline]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.update(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<u64> {
        Ok(self.0.digest())
    }
}
