//! Files with parts of searches, written by `--shard I/N --out PART` and read by `merge`.

use std::path::{Path, PathBuf};

use oxbox::machine::ReadSet;
use oxbox::verify::ProofPart;
use oxbox::walk::explore::Seen;
use oxbox::walk::pair::Mismatch;
use oxbox::walk::{Part, Shard, packed};
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::outputs;

#[derive(Serialize, Deserialize)]
pub(super) enum PartFile {
    Explore(Asked, Part<Seen>),
    Same(Compared, Part<Mismatch>),
    Verify(Proved, Vec<(String, ProofPart)>),
}

/// The settings of `verify`, as in its report.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Proved {
    /// The program of `--program`.
    pub(super) brought: Option<PathBuf>,
    pub(super) json: bool,
}

/// The conditions of `explore`, as in its report.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    /// Those of `--find`, `--never`, `--always` and `--find-all`, in this order.
    pub(super) names: Vec<String>,
    /// The number of `--find`.
    pub(super) find: usize,
    /// The number of `--never`.
    pub(super) never: usize,
    /// The number of `--always`.
    pub(super) always: usize,
    pub(super) json: bool,
}

/// The settings of `same`, as in its report.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Compared {
    pub(super) a: PathBuf,
    pub(super) b: PathBuf,
    /// Whether the output was compared.
    pub(super) output: bool,
    pub(super) json: bool,
}

impl PartFile {
    pub(super) fn read(path: &Path) -> Result<PartFile, Failure> {
        let cannot_read = |why: String| Failure::host(format!("cannot read {}", path.display()), why);
        let file = std::fs::read(path).map_err(|error| cannot_read(error.to_string()))?;
        packed::unpack(&file).map_err(|error| cannot_read(error.to_string()))
    }

    pub(super) fn write(&self, path: &Path) -> Result<u8, Failure> {
        outputs::write(path, packed::pack(self))?;
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

    fn kept(&self) -> Option<&ReadSet> {
        match self {
            PartFile::Explore(_, part) => Some(part.kept()),
            PartFile::Same(_, part) => Some(part.kept()),
            PartFile::Verify(..) => None,
        }
    }
}

/// Returns the state that the parts in these files distinguish.
pub(super) fn kept(paths: &[PathBuf]) -> Result<ReadSet, Failure> {
    let mut read_set = ReadSet::default();
    for path in paths {
        let part = PartFile::read(path)?;
        let kept = part.kept().ok_or_else(|| {
            Failure::Usage(format!(
                "--observed-from {}: parts of verify have no observations",
                path.display()
            ))
        })?;
        read_set.extend(kept);
    }
    Ok(read_set)
}
