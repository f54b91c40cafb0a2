//! A host without folders (WebAssembly): no drive has a host folder.

use super::Metadata;
use super::contents::PagedFile;
use std::convert::Infallible;
use std::io;
use std::path::Path;

#[derive(Debug, Clone)]
pub(super) struct SandboxDir(Infallible);

impl SandboxDir {
    /// # Errors
    /// Always fails.
    pub(super) fn open(_: &Path) -> io::Result<SandboxDir> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn about(&self, _: &Path) -> Option<Metadata> {
        match self.0 {}
    }

    pub(super) fn exists(&self, _: &Path) -> bool {
        match self.0 {}
    }

    pub(super) fn list(&self, _: &Path) -> Vec<(String, bool)> {
        match self.0 {}
    }

    pub(super) fn read(&self, _: &Path) -> io::Result<std::fs::File> {
        match self.0 {}
    }

    pub(super) fn write(&self, _: &Path) -> io::Result<std::fs::File> {
        match self.0 {}
    }

    pub(super) fn create_new(&self, _: &Path) -> io::Result<()> {
        match self.0 {}
    }

    pub(super) fn replace(&self, _: &Path, _: &PagedFile) -> io::Result<u64> {
        match self.0 {}
    }

    pub(super) fn remove_file(&self, _: &Path) -> io::Result<()> {
        match self.0 {}
    }

    pub(super) fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        match self.0 {}
    }

    pub(super) fn make_directory(&self, _: &Path) -> io::Result<()> {
        match self.0 {}
    }

    pub(super) fn remove_directory(&self, _: &Path) -> io::Result<()> {
        match self.0 {}
    }
}
