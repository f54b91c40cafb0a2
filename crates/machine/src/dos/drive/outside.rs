//! Files from the embedder (such as the page in a browser), for drives without a host folder.

use super::{Drive, Node, contents::PagedFile, directory::Entry};
use crate::dos::{error::ErrorCode, names::Name};

impl Drive {
    /// Stores a file, replacing one with the same name, and creates missing directories. Takes no
    /// virtual time. Fails with the errors that a program would get; `AccessDenied` also if the
    /// drive is full.
    pub(crate) fn put_file(&mut self, path: &[Name], bytes: &[u8]) -> Result<(), ErrorCode> {
        let host_cost = self.host_cost;
        let put = self.put_whole(path, bytes);
        self.host_cost = host_cost;
        put
    }

    fn put_whole(&mut self, path: &[Name], bytes: &[u8]) -> Result<(), ErrorCode> {
        for depth in 1..path.len() {
            if self.find_directory(&path[..depth]).is_err() {
                self.make_directory(&path[..depth])?;
            }
        }
        let node: Node = self.create(path, 0)?;
        let written = self.write(node, 0, bytes)?;
        if written == bytes.len() { Ok(()) } else { Err(ErrorCode::AccessDenied) }
    }

    /// Returns the files in guest state with their paths; without a host folder, all files.
    pub(crate) fn kept_files(&self) -> Vec<(Vec<Name>, Vec<u8>)> {
        let mut files = Vec::new();
        self.add_files(0, &[], &mut files);
        files
    }

    fn add_files(&self, id: u16, above: &[Name], files: &mut Vec<(Vec<Name>, Vec<u8>)>) {
        let Ok(directory) = self.directory(id) else { return };
        for (_, entry) in directory.entries_from(0).filter(|(_, entry)| !entry.deleted) {
            let path = [above, &[entry.name]].concat();
            match entry {
                Entry { child: Some(child), .. } => self.add_files(*child, &path, files),
                Entry { data: Some(data), .. } => files.push((path, bytes_of(data))),
                _ => {}
            }
        }
    }
}

fn bytes_of(data: &PagedFile) -> Vec<u8> {
    data.read(0..data.len())
}
