//! The files that a script writes: below one folder, and never a file that the run reads.

use std::io;
use std::path::{Component, Path, PathBuf};

use oxbox::atomic_file;
use oxbox::hardware::vga::Frame;
use oxbox::machine::ScriptHost;

use super::picture;

#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
    inputs: Vec<PathBuf>,
}

impl Files {
    /// Returns access to a folder, without permission to overwrite the inputs.
    pub(crate) fn new(folder: PathBuf, inputs: Vec<PathBuf>) -> Files {
        Files { folder, inputs }
    }

    /// Returns the path of a file in a step, or why it may not be written.
    fn path(&self, file: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(file);
        let outside = || {
            format!(
                "{file} is outside {}: a script writes only below its folder, or below --out FOLDER",
                shown(&self.folder)
            )
        };
        // A missing folder is reported when the file is written.
        if Path::new(file).components().any(|part| matches!(part, Component::ParentDir)) {
            return Err(outside());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A link at the end is followed, even a dangling one.
        let real = match path.symlink_metadata() {
            Ok(there) if there.is_symlink() => Some(path.canonicalize().map_err(|_| outside())?),
            _ => folder.canonicalize().ok(),
        };
        let root = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let root = root.canonicalize().map_err(|error| format!("cannot write {file}: {error}"))?;
        if real.is_some_and(|real| !real.starts_with(&root)) {
            return Err(outside());
        }
        if self.inputs.iter().any(|input| atomic_file::is_same(input, &path)) {
            return Err(format!("{file} is an input, and must not be overwritten"));
        }
        Ok(path)
    }
}

fn shown(folder: &Path) -> std::path::Display<'_> {
    if folder.as_os_str().is_empty() { Path::new(".").display() } else { folder.display() }
}

impl ScriptHost for Files {
    fn shot(&mut self, file: &str, frame: &Frame) -> Result<(), String> {
        let path = self.path(file)?;
        picture::save(frame, &path).map_err(|error| format!("cannot write {file}: {error}"))
    }

    fn text(&mut self, file: &str, text: &str) -> Result<(), String> {
        let path =
            if atomic_file::is_stdout(Path::new(file)) { PathBuf::from(file) } else { self.path(file)? };
        write_text(&path, text).map_err(|error| format!("cannot write {file}: {error}"))
    }
}

/// Writes a text screen to a file, down to its last line that is not empty; `-` is stdout. Fails if
/// the file cannot be written.
pub(crate) fn write_text(path: &Path, text: &str) -> io::Result<()> {
    let text = match text.trim_end_matches('\n') {
        "" => String::new(),
        lines => format!("{lines}\n"),
    };
    atomic_file::write(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_what_lies_below_the_folder_and_is_no_input() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        for (name, text) in [("A.COM", "program"), ("play.script", "script"), ("old.txt", "old")] {
            std::fs::write(at(name), text).unwrap();
        }
        std::fs::hard_link(at("A.COM"), at("B.TXT")).unwrap();
        symlink("A.COM", at("C.TXT")).unwrap();
        symlink(outside.path(), at("out")).unwrap();
        symlink(outside.path().join("X"), at("dangling")).unwrap();
        symlink("old.txt", at("inside")).unwrap();
        let absolute = outside.path().join("X").display().to_string();
        let inside = at("new.txt").display().to_string();
        let mut files = Files::new(folder.path().to_owned(), vec![at("A.COM"), at("play.script")]);
        let table = [
            ("new.txt", true),
            ("old.txt", true),
            ("sub/new.txt", true),
            (" blank ", true),
            ("inside", true),
            (inside.as_str(), true),
            ("../X", false),
            ("sub/../../X", false),
            (absolute.as_str(), false),
            ("out/X", false),
            ("dangling", false),
            ("A.COM", false),
            ("./A.COM", false),
            ("B.TXT", false),
            ("C.TXT", false),
            ("play.script", false),
            ("none/new.txt", false),
        ];
        for (name, allowed) in table {
            assert_eq!(files.text(name, "text").is_ok(), allowed, "{name}: {:?}", files.path(name));
        }
        assert_eq!(std::fs::read(at("A.COM")).unwrap(), b"program");
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
