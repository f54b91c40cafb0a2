//! Parts of walks in files: what `--shard I/N --out PART` writes and `merge` reads.

use std::path::{Path, PathBuf};

use oxbox::atomic_file;
use oxbox::machine::Looks;
use oxbox::verify::ProofPart;
use oxbox::walk::explore::Seen;
use oxbox::walk::pair::Mismatch;
use oxbox::walk::{Part, Shard, packed};
use serde::{Deserialize, Serialize};

use super::failure::Failure;

/// What is in a file.
#[derive(Serialize, Deserialize)]
pub(super) enum PartFile {
    /// Of `explore`.
    Explore(Asked, Part<Seen>),
    /// Of `same`.
    Same(Compared, Part<Mismatch>),
    /// Of `verify`: games by name.
    Verify(Proved, Vec<(String, ProofPart)>),
}

/// What `verify` proved, as its report has it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Proved {
    /// The program that was brought.
    pub(super) brought: Option<PathBuf>,
    /// With `--json`.
    pub(super) json: bool,
}

/// What `explore` was asked for, as its report has it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    /// Of `--find`, `--never`, `--always` and `--find-all`, in this order.
    pub(super) names: Vec<String>,
    /// Of `--find`.
    pub(super) find: usize,
    /// Of `--never`.
    pub(super) never: usize,
    /// Of `--always`.
    pub(super) always: usize,
    /// With `--json`.
    pub(super) json: bool,
}

/// What `same` compared, as its report has it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Compared {
    /// The first program.
    pub(super) a: PathBuf,
    /// The second.
    pub(super) b: PathBuf,
    /// What they print was compared.
    pub(super) output: bool,
    /// With `--json`.
    pub(super) json: bool,
}

impl PartFile {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<PartFile, Failure> {
        let cannot_read = |why: String| Failure::host(format!("cannot read {}", path.display()), why);
        let file = std::fs::read(path).map_err(|error| cannot_read(error.to_string()))?;
        packed::unpack(&file).map_err(|error| cannot_read(error.to_string()))
    }

    /// Writes the file, and says so.
    pub(super) fn write(&self, path: &Path) -> Result<u8, Failure> {
        atomic_file::write(path, &packed::pack(self))
            .map_err(|error| Failure::host(format!("cannot write {}", path.display()), error))?;
        if let Some(shard) = self.shard() {
            super::say(format!("part {shard} is in {}", path.display()));
        }
        Ok(0)
    }

    fn shard(&self) -> Option<Shard> {
        match self {
            PartFile::Explore(_, part) => Some(part.shard()),
            PartFile::Same(_, part) => Some(part.shard()),
            PartFile::Verify(_, games) => games.first().map(|(_, part)| part.shard()),
        }
    }

    fn kept(&self) -> Option<&Looks> {
        match self {
            PartFile::Explore(_, part) => Some(part.kept()),
            PartFile::Same(_, part) => Some(part.kept()),
            PartFile::Verify(..) => None,
        }
    }
}

/// What the parts in these files keep apart.
pub(super) fn kept(paths: &[PathBuf]) -> Result<Looks, Failure> {
    let mut looks = Looks::default();
    for path in paths {
        let part = PartFile::read(path)?;
        let kept = part.kept().ok_or_else(|| {
            Failure::Usage(format!("--keep {}: a part of verify keeps nothing", path.display()))
        })?;
        looks.extend(kept);
    }
    Ok(looks)
}
