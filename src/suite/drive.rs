//! Drive C: of a test: a folder of its own, copied from the suite's before each run, and gone after it.
//!
//! Left out are names that begin with a dot, sources and suites (`.asm`, `.toml`), and the files that tests name or that are
//! under test: a submission sees neither the expectations nor its neighbours. Links count as what they lead to, within the folder.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::bytes;

/// Files, and bytes in all, that are copied for each test: more is a folder that nobody meant.
const MOST_FILES: usize = 2000;
const MOST_BYTES: u64 = 64 << 20;

/// A file name of drive C: in a suite, with `/` between its parts; the error says what is wrong with it.
pub(super) fn dos_path(name: &str) -> Result<String, &'static str> {
    let name = name.replace('\\', "/");
    for part in name.split('/') {
        let (base, extension) = part.split_once('.').unwrap_or((part, ""));
        if base.is_empty() || base.len() > 8 || extension.len() > 3 {
            return Err("a name has at most 8 characters, a dot and 3 more");
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "!#$%&'()-@^_`{}~".contains(c);
        if !base.chars().chain(extension.chars()).all(plain) {
            return Err("there is a character in it that no file name of DOS has");
        }
    }
    Ok(name)
}

/// What each test's drive begins as.
#[derive(Debug)]
pub(super) struct Template {
    /// The folder that it was read from.
    pub(super) folder: PathBuf,
    /// Paths relative to it, and whether they are folders; folders before what is in them.
    entries: Vec<(PathBuf, bool)>,
    count: usize,
    bytes: u64,
}

impl Template {
    /// Looks at a folder. `left_out`: files that no program may see.
    pub(super) fn read(folder: &Path, left_out: &[PathBuf]) -> io::Result<Template> {
        let root = folder.canonicalize()?;
        let hidden: BTreeSet<PathBuf> = left_out.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let mut template = Template { folder: folder.to_owned(), entries: Vec::new(), count: 0, bytes: 0 };
        template.gather(&root, Path::new(""), &hidden)?;
        Ok(template)
    }

    fn gather(&mut self, root: &Path, below: &Path, hidden: &BTreeSet<PathBuf>) -> io::Result<()> {
        let mut names: Vec<_> = std::fs::read_dir(root.join(below))?
            .map(|entry| Ok(entry?.file_name()))
            .collect::<io::Result<_>>()?;
        names.sort();
        for name in names {
            let path = below.join(&name);
            let Ok(place) = root.join(&path).canonicalize() else { continue };
            let Ok(about) = place.metadata() else { continue };
            let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
            let private = extension.is_some_and(|extension| extension == "asm" || extension == "toml");
            if name.to_string_lossy().starts_with('.') || !place.starts_with(root) || hidden.contains(&place)
            {
                continue;
            }
            if about.is_dir() {
                // A link to a folder above would go round for ever.
                if place == root.join(&path) {
                    self.add(path.clone(), true, 0)?;
                    self.gather(root, &path, hidden)?;
                }
            } else if about.is_file() && !private {
                self.add(path, false, about.len())?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: PathBuf, folder: bool, bytes: u64) -> io::Result<()> {
        self.entries.push((path, folder));
        self.count += 1;
        self.bytes += bytes;
        if self.count > MOST_FILES || self.bytes > MOST_BYTES {
            let why = format!(
                "it holds more than {MOST_FILES} files or {MOST_BYTES} bytes, which every test would get a copy of: \
                 name a smaller one with dir = \"FOLDER\""
            );
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        Ok(())
    }

    /// A new folder with everything, and these files.
    pub(super) fn copy(&self, files: &[(String, Vec<u8>)]) -> io::Result<TestDrive> {
        let folder = tempfile::Builder::new().prefix("oxbox-test-").tempdir()?;
        for (path, is_folder) in &self.entries {
            let to = folder.path().join(path);
            if *is_folder {
                std::fs::create_dir(to)?;
            } else {
                std::fs::copy(self.folder.join(path), &to)?;
                make_writable(&to)?;
            }
        }
        let drive = TestDrive { folder };
        for (name, contents) in files {
            drive.write(name, contents)?;
        }
        Ok(drive)
    }

    /// How much there is on a drive that was not there at its beginning: files, and bytes.
    pub(super) fn growth(&self, drive: &TestDrive) -> (usize, u64) {
        let (mut count, mut bytes) = (0, 0);
        let mut folders = vec![drive.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(about) = entry.metadata() else { continue };
                count += 1;
                bytes += about.len() * u64::from(about.is_file());
                if about.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        (usize::saturating_sub(count, self.count), bytes.saturating_sub(self.bytes))
    }
}

/// A copy keeps the permissions of what it was made from; a program may write on its own drive.
fn make_writable(path: &Path) -> io::Result<()> {
    let mut permissions = path.metadata()?.permissions();
    if permissions.readonly() {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            permissions.set_mode(permissions.mode() | 0o600);
        }
        #[cfg(not(unix))]
        #[expect(clippy::permissions_set_readonly_false, reason = "the world has no part in it here")]
        permissions.set_readonly(false);
        std::fs::set_permissions(path, permissions)?;
    }
    Ok(())
}

/// The drive of one run.
#[derive(Debug)]
pub(super) struct TestDrive {
    folder: TempDir,
}

impl TestDrive {
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The file of this name, whatever the case of its letters, or where it would be.
    fn place(&self, name: &str) -> PathBuf {
        let mut path = self.folder.path().to_owned();
        for part in name.split('/') {
            let exact = path.join(part);
            let same = || {
                let names = std::fs::read_dir(&path).into_iter().flatten().flatten();
                let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
                names.retain(|name| name.to_str().is_some_and(|name| name.eq_ignore_ascii_case(part)));
                names.into_iter().min()
            };
            path = if exact.exists() { exact } else { same().map_or(exact, |name| path.join(name)) };
        }
        path
    }

    pub(super) fn write(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        let path = self.place(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, contents)
    }

    /// What a file holds, up to a bound; none when there is no such file.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        super::format::read_file(&self.place(name)).ok()
    }
}

/// Shell words that make a copy of the folder with the test's files, for the command that repeats it.
pub(super) fn shell_copy(folder: &Path, files: &[(String, Vec<u8>)]) -> String {
    let mut words = format!("d=$(mktemp -d) && cp -R {}/. $d", quoted(&folder.to_string_lossy()));
    for (name, contents) in files {
        if let Some((parent, _)) = name.rsplit_once('/') {
            words += &format!(" && mkdir -p $d/{}", quoted(parent));
        }
        words += &format!(" && printf {} > $d/{}", printf(contents), quoted(name));
    }
    words
}

/// Bytes as the argument of the shell's `printf`.
pub(super) fn printf(contents: &[u8]) -> String {
    let mut out = String::from("'");
    for &byte in contents {
        match byte {
            b'%' => out.push_str("%%"),
            b'\\' => out.push_str("\\\\"),
            b'\r' => out.push_str("\\r"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\'' => out.push_str("\\047"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('\'');
    bytes::shortened(&out, 4000)
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        for (name, expected) in [
            ("IN.TXT", Some("IN.TXT")),
            ("sub\\in.txt", Some("sub/in.txt")),
            ("A", Some("A")),
            ("", None),
            ("../x", None),
            ("/etc", None),
            ("C:\\x", None),
            ("toolongname.txt", None),
            ("a.html", None),
            ("a.b.c", None),
            ("a b", None),
            ("x/", None),
        ] {
            assert_eq!(dos_path(name).ok().as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_drive_is_a_copy_without_what_is_secret() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        for name in ["data.txt", "suite.toml", "other.asm", ".git", "sub/more.txt", "gold.com"] {
            write(name, name);
        }
        let template = Template::read(folder.path(), &[folder.path().join("gold.com")]).unwrap();
        let drive = template.copy(&[("DATA.TXT".to_owned(), b"new".to_vec())]).unwrap();
        for (name, expected) in [
            ("data.txt", Some("new")),
            ("SUB/MORE.TXT", Some("sub/more.txt")),
            ("suite.toml", None),
            ("other.asm", None),
            (".git", None),
            ("gold.com", None),
        ] {
            let found = drive.read(name).map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(found.as_deref(), expected, "{name}");
        }
        assert_eq!(template.growth(&drive), (0, 0));
        drive.write("X", b"12345678").unwrap();
        assert_eq!(template.growth(&drive), (1, 3));
        assert_eq!(std::fs::read_to_string(folder.path().join("data.txt")).unwrap(), "data.txt");
    }

    #[test]
    fn bytes_for_the_shell() {
        assert_eq!(printf(b"5%\r\n'\\\x81"), "'5%%\\r\\n\\047\\\\\\201'");
    }
}
