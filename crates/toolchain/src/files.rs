//! Finds files by DOS names (any case, backslashes, perhaps a drive letter) and reads them, up to a
//! size limit.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The size limit of sources, objects and libraries: a wrong name must not fill the host's memory.
const LARGEST: u64 = 16 << 20;

pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        let why = format!("it is too large: sources, objects and libraries may have {LARGEST} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// Returns the file with this name in `folder`, ignoring case.
pub(super) fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut path = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() };
    for part in without_drive(name).split(['\\', '/']).filter(|part| !part.is_empty() && *part != ".") {
        let exact = path.join(part);
        path = if part == ".." || exact.exists() { exact } else { any_case(&path, part)? };
    }
    path.is_file().then(|| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path))
}

/// Returns whether a file exists and is in a folder, or is that file itself, after resolving links.
pub(super) fn is_below(file: &Path, folder: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(place) = file.canonicalize() else { return false };
    folder.canonicalize().is_ok_and(|folder| place.starts_with(folder))
}

/// Returns the last part of a DOS or Unix path.
#[cfg(feature = "assembler")]
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit(['\\', '/', ':']).next().unwrap_or(name)
}

fn without_drive(name: &str) -> &str {
    match name.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => &name[2..],
        _ => name,
    }
}

/// Returns the first entry, in alphabetical order, whose name equals `name` apart from case.
fn any_case(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let same =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(|n| n.eq_ignore_ascii_case(name)));
    same.map(|entry| entry.path()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dos_names_find_host_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Inc")).unwrap();
        std::fs::write(folder.path().join("Inc").join("Macros.inc"), "").unwrap();
        let rows = [
            ("inc\\MACROS.INC", true),
            ("Inc/Macros.inc", true),
            ("C:\\INC\\macros.inc", true),
            (".\\inc\\..\\INC\\macros.inc", true),
            ("macros.inc", false),
            ("inc", false),
        ];
        for (name, found) in rows {
            assert_eq!(find(folder.path(), name).is_some(), found, "{name}");
        }
    }
}
