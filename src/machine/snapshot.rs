//! A machine's state, to go back to, to store and to compare.
//!
//! A snapshot is a clone of guest state; what is derived from it (decoded blocks, pictures) is left out.

use super::wait::KeyWatch;
use super::{Crash, Machine};
use crate::bios::Bios;
use crate::cpu::Cpu;
use crate::dos::Dos;
use crate::hardware::Hardware;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// The format's version, first in the bytes of a stored snapshot: it goes up when any state changes its shape.
const VERSION: u32 = 1;

/// A machine at one instant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    cpu: Cpu,
    hardware: Hardware,
    bios: Bios,
    dos: Dos,
    halted: bool,
    keys: KeyWatch,
    /// No state of the guest: told for the machine's owner.
    #[serde(skip)]
    divide_error: Option<Box<Crash>>,
}

/// Stored bytes that are no snapshot of this version.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// Cut short, damaged, or of another kind.
    #[error("not a snapshot, or a damaged one: {0}")]
    Damaged(#[from] postcard::Error),
    /// Made by another version of oxbox.
    #[error("a snapshot of format {0}; this oxbox reads format {VERSION}")]
    Version(u32),
}

impl Snapshot {
    /// The snapshot as bytes.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        Ok(postcard::to_stdvec(&(VERSION, self))?)
    }

    /// Reads what [`Snapshot::to_bytes`] wrote. The shape is checked, not whether a machine gets into such a state.
    ///
    /// # Errors
    /// When the bytes are no snapshot of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let (version, rest): (u32, &[u8]) = postcard::take_from_bytes(bytes)?;
        if version != VERSION {
            return Err(SnapshotError::Version(version));
        }
        Ok(postcard::from_bytes(rest)?)
    }
}

impl Machine {
    /// The state now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            cpu: self.cpu.clone(),
            hardware: self.hardware.clone(),
            bios: self.bios.clone(),
            dos: self.dos.clone(),
            halted: self.halted,
            keys: self.keys.clone(),
            divide_error: self.divide_error.clone(),
        }
    }

    /// Goes back (or over) to a state. Notices stay: they are about the machine's whole life.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.resume(snapshot.clone());
    }

    /// As [`Machine::restore`], for a snapshot that is not needed again: nothing is copied.
    pub fn resume(&mut self, snapshot: Snapshot) {
        let Snapshot { cpu, hardware, bios, dos, halted, keys, divide_error } = snapshot;
        if cpu.model != self.cpu.model {
            self.blocks.flush();
        }
        let before = std::mem::replace(&mut self.hardware, hardware);
        self.hardware.keep_decoded(before);
        (self.cpu, self.bios) = (cpu, bios);
        self.dos.adopt(dos);
        (self.halted, self.keys, self.divide_error) = (halted, keys, divide_error);
    }

    /// A hash of the whole guest state: equal runs give equal hashes, on every machine, cached or single-stepped.
    pub fn state_hash(&self) -> u64 {
        let state = (&self.cpu, &self.hardware, &self.bios, &self.dos, self.halted, &self.keys);
        let hash = postcard::serialize_with_flavor(&state, HashFlavor(Xxh3::new()));
        hash.unwrap_or(0) // the flavor cannot fail: it stores nothing
    }
}

/// Hashes what is serialised, without keeping it.
struct HashFlavor(Xxh3);

impl postcard::ser_flavors::Flavor for HashFlavor {
    type Output = u64;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.update(&[byte]);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.update(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<u64> {
        Ok(self.0.digest())
    }
}
