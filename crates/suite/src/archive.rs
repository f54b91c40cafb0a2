//! ZIP archives as submissions, unpacked into a private folder within size limits.
//!
//! An archive is read completely before anything is written, so a refused archive leaves nothing.
//! Symbolic links and the extra files of macOS are ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;
use oxbox_files::scratch::ScratchFolder;
use rawzip::{CompressionMethod, ZipArchive};

use super::drive::{LARGEST, read_file};

const MOST_ENTRIES: usize = 500;

/// The most parts of a name in an archive.
const MOST_NESTED: usize = 16;

/// Returns whether a submission is an archive by its name.
pub(super) fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip")) && path.is_file()
}

pub(super) struct Archive(BTreeMap<PathBuf, Vec<u8>>);

impl Archive {
    /// Reads an archive. Fails if it is damaged, encrypted or too large, if a name leads out of it,
    /// or if two names are equal on some hosts.
    pub(super) fn read(path: &Path) -> io::Result<Archive> {
        Archive::of_bytes(&read_file(path)?)
    }

    fn of_bytes(bytes: &[u8]) -> io::Result<Archive> {
        let damaged =
            |error: rawzip::Error| wrong(format!("it is not a ZIP archive, or is damaged: {error}"));
        let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "the archive is too large");
        let archive = ZipArchive::from_slice(bytes).map_err(damaged)?;
        let mut entries = archive.entries();
        let (mut files, mut folded) = (BTreeMap::new(), BTreeSet::new());
        let (mut left, mut left_entries) = (LARGEST, MOST_ENTRIES);
        while let Some(entry) = entries.next_entry().map_err(damaged)? {
            left_entries = left_entries.checked_sub(1).ok_or_else(too_large)?;
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
            let path = path_of(&name)?;
            let is_of_mac = name.starts_with("__MACOSX/");
            if entry.is_dir() || entry.mode().is_symlink() || is_of_mac {
                continue;
            }
            if entry.flags().is_encrypted() {
                return Err(wrong(format!("{name} in it is encrypted")));
            }
            if !folded.insert(name.to_lowercase()) {
                return Err(wrong(format!("{name} is in it twice")));
            }
            let packed = archive.get_entry(entry.wayfinder()).map_err(damaged)?;
            let data: Box<dyn Read + '_> = match entry.compression_method() {
                CompressionMethod::STORE => Box::new(packed.data()),
                CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed.data())),
                other => {
                    return Err(wrong(format!("{name} in it uses compression method {}", other.as_u16())));
                }
            };
            // The sizes in an archive may be wrong: the output is counted.
            let mut contents = Vec::new();
            packed.verifying_reader(data).take(left + 1).read_to_end(&mut contents)?;
            left = left.checked_sub(contents.len() as u64).ok_or_else(too_large)?;
            files.insert(path, contents);
        }
        // A path cannot be both a file and a folder.
        let is_folder = |path: &PathBuf| files.keys().any(|other| other != path && other.starts_with(path));
        if let Some(path) = files.keys().find(|path| is_folder(path)) {
            return Err(wrong(format!("{} is a file and a folder in it", path.display())));
        }
        Ok(Archive(files))
    }

    /// Writes the files below `to`, which is in a scratch folder. Fails if the host refuses.
    pub(super) fn unpack(&self, scratch: &ScratchFolder, to: &Path) -> io::Result<()> {
        scratch.make_folder(to)?;
        for (path, contents) in &self.0 {
            let place = to.join(path);
            if let Some(parent) = place.parent() {
                scratch.make_folder(parent)?;
            }
            std::fs::write(place, contents)?;
        }
        Ok(())
    }

    /// Returns the folder of the submission: the top folder, if there is only one.
    pub(super) fn root(&self) -> PathBuf {
        let mut root = PathBuf::new();
        loop {
            let mut below = self.0.keys().filter_map(|path| path.strip_prefix(&root).ok());
            let Some(first) = below.next() else { return root };
            let folder = first.iter().next().map(PathBuf::from).unwrap_or_default();
            let is_in = |path: &Path| path.starts_with(&folder) && path != folder;
            if !is_in(first) || !below.all(is_in) {
                return root;
            }
            root.push(folder);
        }
    }

    /// Returns the files directly in that folder.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let root = self.root();
        let paths: Vec<PathBuf> =
            self.0.keys().filter(|path| path.parent() == Some(root.as_path())).cloned().collect();
        paths.into_iter()
    }
}

fn path_of(name: &str) -> io::Result<PathBuf> {
    let parts: Vec<&str> = name.trim_end_matches('/').split('/').collect();
    let is_plain =
        |part: &&str| !part.is_empty() && *part != "." && *part != ".." && !part.contains(['\\', ':', '\0']);
    if parts.len() > MOST_NESTED || !parts.iter().all(is_plain) {
        return Err(wrong(format!("the path {name:?} in it is empty or leads out of the archive")));
    }
    Ok(parts.iter().collect())
}

fn wrong(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    /// Creates an archive of files, compressed or stored.
    fn zip(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
        for (name, contents) in files {
            let path = rawzip::path::EntryPath::verbatim(name.as_bytes());
            let (mut entry, config) = archive.new_file(path).compression_method(method).start().unwrap();
            let descriptor = if method == CompressionMethod::DEFLATE {
                let packer = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::best());
                let mut writer = config.wrap(packer);
                writer.write_all(contents).unwrap();
                let (packer, descriptor) = writer.finish().unwrap();
                packer.finish().unwrap();
                descriptor
            } else {
                let mut writer = config.wrap(&mut entry);
                writer.write_all(contents).unwrap();
                writer.finish().unwrap().1
            };
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        bytes
    }

    fn names(bytes: &[u8]) -> Result<Vec<String>, String> {
        let archive = Archive::of_bytes(bytes).map_err(|error| error.to_string())?;
        Ok(archive.files().map(|path| path.display().to_string()).collect())
    }

    #[test]
    fn both_methods_are_read_and_the_only_folder_is_the_submission() {
        for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
            let files: [(&str, &[u8]); 3] =
                [("a/b/main.asm", b"one"), ("a/b/inc/x.inc", b"two"), ("__MACOSX/a/b/._main.asm", b"")];
            let archive = Archive::of_bytes(&zip(&files, method)).unwrap();
            assert_eq!(archive.root(), Path::new("a/b"));
            assert_eq!(archive.files().collect::<Vec<_>>(), [Path::new("a/b/main.asm")]);
            let folder = ScratchFolder::new().unwrap();
            archive.unpack(&folder, &folder.path().join("0")).unwrap();
            assert_eq!(std::fs::read(folder.path().join("0/a/b/inc/x.inc")).unwrap(), b"two");
            assert!(!folder.path().join("0/__MACOSX").exists());
        }
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        for name in [
            "../x.asm",
            "a/../../x",
            "/etc/x",
            "a//b",
            "C:/x",
            "C:x",
            "..\\x",
            "\\\\host\\x",
            "a/./b",
            "",
            "a\0b",
        ] {
            let answer = names(&zip(&[("main.asm", b"x"), (name, b"x")], CompressionMethod::STORE));
            assert!(answer.as_ref().is_err_and(|why| why.contains("leads out")), "{name:?}: {answer:?}");
        }
        let deep = "a/".repeat(MOST_NESTED) + "x";
        assert!(names(&zip(&[(&deep, b"x")], CompressionMethod::STORE)).is_err());
    }

    #[test]
    fn what_is_too_much_or_ambiguous_is_refused() {
        let refused = |files: &[(&str, &[u8])], word: &str| {
            let answer = names(&zip(files, CompressionMethod::DEFLATE));
            assert!(answer.as_ref().is_err_and(|why| why.contains(word)), "{answer:?}");
        };
        refused(&[("a.asm", b""), ("A.ASM", b"")], "twice");
        refused(&[("a", b""), ("a/b", b"")], "a file and a folder");
        // Compressed, a thousandth of that.
        let zeros = vec![0; LARGEST as usize / 2 + 1];
        refused(&[("a", &zeros), ("b", &zeros)], "too large");
        let many: Vec<String> = (0..=MOST_ENTRIES).map(|number| number.to_string()).collect();
        let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
        refused(&many, "too large");
    }

    #[test]
    fn links_are_left_out_and_damage_is_told() {
        let mut bytes = zip(&[("main.asm", b"text"), ("link", b"/etc/passwd")], CompressionMethod::STORE);
        // The entries of the directory: created on Unix, with the mode of a link.
        let entries: Vec<usize> =
            (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02")).collect();
        let link = entries[1];
        bytes[link + 5] = 3;
        bytes[link + 40..link + 42].copy_from_slice(&0o120_777_u16.to_le_bytes());
        assert_eq!(names(&bytes).unwrap(), ["main.asm"]);
        let at = bytes.windows(4).position(|part| part == b"text").unwrap();
        bytes[at] ^= 1;
        assert!(names(&bytes).is_err(), "a wrong checksum");
        assert!(names(b"no archive").is_err());
    }

    proptest! {
        /// Tests that an archive with arbitrary changes is either read or refused.
        #[test]
        fn any_bytes_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8)) {
            let mut bytes = zip(&[("main.asm", b"some text, some text"), ("b/c", b"2")], CompressionMethod::DEFLATE);
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Ok(archive) = Archive::of_bytes(&bytes) {
                prop_assert!(archive.0.values().map(Vec::len).sum::<usize>() as u64 <= LARGEST);
            }
        }
    }
}
