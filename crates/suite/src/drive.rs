//! Drive C: of a test: a new folder for each run with the files that the suite gives, removed
//! afterwards.
//!
//! Files of `given` are copied completely. From a folder named by `dir`, these are left out: names
//! that start with a dot, sources and suites (`.asm` and the like, `.toml`), and the files under
//! test or named in tests. Links are followed within the folder.

use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};

use oxbox_files::scratch::ScratchFolder;

use super::bytes;
use oxbox_toolchain::is_source;

/// The size limit of suites, scripts and golden files: a wrong name must not fill memory.
pub(super) const LARGEST: u64 = 16 << 20;

/// The limits of files and bytes copied for each test. A larger folder is a mistake.
const MOST_FILES: usize = 2000;
const MOST_BYTES: u64 = 64 << 20;

/// Converts a file name in a suite, with `/`, to a path on drive C:. The error is the reason.
pub(super) fn dos_path(name: &str) -> Result<String, &'static str> {
    let name = name.replace('\\', "/");
    for part in name.split('/') {
        let (base, extension) = part.split_once('.').unwrap_or((part, ""));
        if base.is_empty() || base.len() > 8 || extension.len() > 3 {
            return Err("a name has at most 8 characters, a dot and 3 more");
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "!#$%&'()-@^_`{}~".contains(c);
        if !base.chars().chain(extension.chars()).all(plain) {
            return Err("it has a character that DOS file names cannot have");
        }
    }
    Ok(name)
}

/// Returns a path in the form shown to users of the suite.
pub(super) fn shown(path: &Path) -> PathBuf {
    match path.strip_prefix(".") {
        Ok(below) if !below.as_os_str().is_empty() => below.to_owned(),
        _ => path.to_owned(),
    }
}

/// The initial contents of each test's drive.
#[derive(Debug, Default)]
pub(super) struct Template {
    pub(super) folder: Option<PathBuf>,
    /// Added files and folders, each with the folder of the drive for it.
    given: Vec<(PathBuf, PathBuf)>,
    entries: Vec<Entry>,
    count: usize,
    bytes: u64,
}

/// A file or folder of the drive. Folders precede their contents.
#[derive(Debug)]
struct Entry {
    /// The source of its contents; `None` for a folder.
    from: Option<PathBuf>,
    to: PathBuf,
}

/// Returns the paths of files after resolving links. A missing file has no path. Fails if the host
/// cannot resolve a path: a secret file could otherwise not be recognised.
pub(super) fn places(paths: &[PathBuf]) -> io::Result<BTreeSet<PathBuf>> {
    let place = |path: &PathBuf| match path.canonicalize() {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
        place => Some(place),
    };
    paths.iter().filter_map(place).collect()
}

impl Template {
    /// Reads a folder, except the files `left_out`, which no program may see.
    pub(super) fn read(folder: &Path, left_out: &[PathBuf]) -> io::Result<Template> {
        let root = folder.canonicalize()?;
        let hidden = places(left_out)?;
        let mut template = Template { folder: Some(folder.to_owned()), ..Template::default() };
        template.gather(&root, Path::new(""), Path::new(""), Some(&hidden))?;
        Ok(template)
    }

    /// Adds a file, or a folder with its contents. Below the suite's folder it keeps its relative
    /// path, otherwise its name.
    pub(super) fn give(&mut self, path: &Path, suite_folder: &Path) -> io::Result<()> {
        let place = path.canonicalize()?;
        let to = match path.strip_prefix(suite_folder) {
            Ok(below) if below.components().all(|part| matches!(part, Component::Normal(_))) => {
                below.to_owned()
            }
            _ => PathBuf::from(path.file_name().unwrap_or_default()),
        };
        let parent = to.parent().unwrap_or(Path::new("")).to_owned();
        self.given.push((path.to_owned(), parent.clone()));
        let mut parents: Vec<&Path> =
            parent.ancestors().filter(|folder| !folder.as_os_str().is_empty()).collect();
        parents.reverse();
        for folder in parents {
            self.add(None, folder.to_owned(), 0)?;
        }
        let about = place.metadata()?;
        if about.is_dir() {
            if !to.as_os_str().is_empty() {
                self.add(None, to.clone(), 0)?;
            }
            self.gather(&place, Path::new(""), &to, None)
        } else {
            self.add(Some(place), to, about.len())
        }
    }

    /// Adds the contents of the folder `below` of `root` to the folder `to` of the drive, without
    /// the files `hidden`, sources and suites.
    fn gather(
        &mut self,
        root: &Path,
        below: &Path,
        to: &Path,
        hidden: Option<&BTreeSet<PathBuf>>,
    ) -> io::Result<()> {
        let mut names: Vec<_> = std::fs::read_dir(root.join(below))?
            .map(|entry| Ok(entry?.file_name()))
            .collect::<io::Result<_>>()?;
        names.sort();
        for name in names {
            let path = below.join(&name);
            let Ok(place) = root.join(&path).canonicalize() else { continue };
            let Ok(about) = place.metadata() else { continue };
            let is_suite = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
            let private = is_suite || is_source(&path);
            let is_hidden =
                hidden.is_some_and(|hidden| hidden.contains(&place) || private && about.is_file());
            if name.to_string_lossy().starts_with('.') || !place.starts_with(root) || is_hidden {
                continue;
            }
            if about.is_dir() {
                // A link to a parent folder would never end.
                if place == root.join(&path) {
                    self.add(None, to.join(&path), 0)?;
                    self.gather(root, &path, to, hidden)?;
                }
            } else if about.is_file() {
                self.add(Some(place), to.join(&path), about.len())?;
            }
        }
        Ok(())
    }

    fn add(&mut self, from: Option<PathBuf>, to: PathBuf, bytes: u64) -> io::Result<()> {
        if from.is_none() && self.entries.iter().any(|entry| entry.to == to) {
            return Ok(());
        }
        self.entries.push(Entry { from, to });
        self.count += 1;
        self.bytes += bytes;
        if self.count > MOST_FILES || self.bytes > MOST_BYTES {
            let why = format!(
                "it has more than {MOST_FILES} files or {MOST_BYTES} bytes, and every test gets a copy: name a smaller folder with dir = \"FOLDER\""
            );
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        Ok(())
    }

    /// Creates a folder with all entries and the additional `files`.
    pub(super) fn copy(&self, files: &[(String, Vec<u8>)]) -> io::Result<TestDrive> {
        let folder = ScratchFolder::new()?;
        for Entry { from, to } in &self.entries {
            let to = folder.path().join(to);
            match from {
                None => std::fs::create_dir(to)?,
                Some(from) => {
                    std::fs::copy(from, &to)?;
                    make_writable(&to)?;
                }
            }
        }
        let drive = TestDrive { folder };
        for (name, contents) in files {
            drive.write(name, contents)?;
        }
        Ok(drive)
    }

    /// Returns how much a drive has grown since its creation: files, and bytes.
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

/// Makes a copied file writable, because a program may write on its own drive.
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

#[derive(Debug)]
pub(super) struct TestDrive {
    folder: ScratchFolder,
}

impl TestDrive {
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of a file, ignoring case, or the path that it would have.
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
            self.folder.make_folder(parent)?;
        }
        std::fs::write(path, contents)
    }

    /// Returns the contents of a file up to a size limit; `None` if it does not exist.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        read_file(&self.place(name)).ok()
    }
}

/// Returns shell words that create such a drive with the test's files, to repeat the test.
pub(super) fn shell_copy(template: &Template, files: &[(String, Vec<u8>)]) -> String {
    let word = |path: &Path| quoted(&shown(path).to_string_lossy());
    let mut words = "d=$(mktemp -d)".to_owned();
    if let Some(folder) = &template.folder {
        words += &format!(" && cp -R {}/. $d", word(folder));
    }
    for (path, parent) in &template.given {
        if parent.as_os_str().is_empty() {
            words += &format!(" && cp -R {} $d", word(path));
        } else {
            words += &format!(" && mkdir -p $d/{0} && cp -R {1} $d/{0}", word(parent), word(path));
        }
    }
    for (name, contents) in files {
        if let Some((parent, _)) = name.rsplit_once('/') {
            words += &format!(" && mkdir -p $d/{}", quoted(parent));
        }
        words += &format!(" && printf {} > $d/{}", printf(contents), quoted(name));
    }
    words
}

/// Escapes bytes for the shell's `printf`.
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

/// Quotes a word for the shell.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Reads a file of the suite, up to a size limit.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::{Error, ErrorKind, Read};
    if !std::fs::metadata(path)?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {LARGEST} bytes")));
    }
    Ok(bytes)
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
        for name in ["data.txt", "suite.toml", "other.asm", "third.S", ".git", "sub/more.txt", "gold.com"] {
            write(name, name);
        }
        let template = Template::read(folder.path(), &[folder.path().join("gold.com")]).unwrap();
        let drive = template.copy(&[("DATA.TXT".to_owned(), b"new".to_vec())]).unwrap();
        for (name, expected) in [
            ("data.txt", Some("new")),
            ("SUB/MORE.TXT", Some("sub/more.txt")),
            ("suite.toml", None),
            ("other.asm", None),
            ("third.S", None),
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
