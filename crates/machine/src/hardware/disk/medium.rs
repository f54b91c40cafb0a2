//! The bytes of an image on the host: small images in memory, large ones read in place.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Largest image that is read into memory, in bytes.
const SMALL: u64 = 4 << 20;

#[derive(Debug)]
pub(super) enum Medium {
    Memory(Vec<u8>),
    /// The open file and its length. It stays the same file even if its name is reused.
    File(Mutex<File>, u64),
}

impl Medium {
    pub(super) fn open(path: &Path) -> io::Result<Medium> {
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        let mut file = File::open(path)?;
        let len = file.metadata()?.len();
        if len > SMALL {
            return Ok(Medium::File(Mutex::new(file), len));
        }
        let mut bytes = Vec::new();
        file.by_ref().take(SMALL).read_to_end(&mut bytes)?;
        Ok(Medium::Memory(bytes))
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Medium::Memory(bytes) => bytes.len() as u64,
            Medium::File(_, len) => *len,
        }
    }

    /// Fills `out` from offset `at`; bytes after the end are zero.
    pub(super) fn read(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        out.fill(0);
        let there = self.len().saturating_sub(at).min(out.len() as u64) as usize;
        let out = &mut out[..there];
        match self {
            Medium::Memory(bytes) => {
                let start = (at as usize).min(bytes.len());
                out.copy_from_slice(&bytes[start..start + there]);
                Ok(())
            }
            Medium::File(file, _) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(at))?;
                file.read_exact(out)
            }
        }
    }
}
