//! Drive C: of a DOS tool: a scratch folder with the tool, the sources and their includes, under
//! DOS names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::BuildRequest;
use crate::assembler::included;
use crate::diagnostic::ToolError;
use crate::files::{base_name, find, is_below, read};
use oxbox_files::scratch::{self, ScratchFolder};

/// The tools' folder on drive C:.
pub(super) const TOOL_FOLDER: &str = "$TOOL";
/// A bound for files that include each other; more than any program includes.
const MOST_FILES: usize = 1000;
/// The size limit of the tool and its companion files: a wrong folder must not fill the disk.
const LARGEST_TOOL: u64 = 4 << 20;

pub(super) struct StagingDir {
    folder: ScratchFolder,
    /// The user's names of the files, by name on drive C:.
    names: BTreeMap<String, String>,
}

impl StagingDir {
    pub(super) fn new() -> Result<StagingDir, ToolError> {
        let folder = ScratchFolder::new().map_err(|error| ToolError::file(scratch::parent(), error))?;
        Ok(StagingDir { folder, names: BTreeMap::new() })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the user's names, by name on drive C:.
    pub(super) fn names(&self) -> &BTreeMap<String, String> {
        &self.names
    }

    /// Copies a tool and the files beside it with the same name (overlays, configuration).
    pub(super) fn put_tool(&self, tool: &Path) -> Result<(), ToolError> {
        let folder = tool.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let entries = fs::read_dir(folder).map_err(|error| ToolError::file(folder, error))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let is_same =
                path.file_stem().zip(tool.file_stem()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b));
            let is_small = path.metadata().is_ok_and(|about| about.is_file() && about.len() <= LARGEST_TOOL);
            if is_same && is_small {
                let bytes = fs::read(&path).map_err(|error| ToolError::file(&path, error))?;
                self.write(&format!("{TOOL_FOLDER}/{}", dos_name(&path)), &bytes)?;
            }
        }
        Ok(())
    }

    /// Copies a source and its includes. Returns its name on C: and adds the files to `files`.
    pub(super) fn put_source(
        &mut self,
        path: &Path,
        bytes: &[u8],
        request: &BuildRequest,
        files: &mut Vec<PathBuf>,
    ) -> Result<String, ToolError> {
        let name = self.free_name(&dos_name(path));
        let own = path.parent().map(Path::to_owned).unwrap_or_default();
        let folders: Vec<&Path> =
            std::iter::once(own.as_path()).chain(request.includes.iter().map(PathBuf::as_path)).collect();
        self.put(&name, path.display().to_string(), bytes)?;
        let mut left = included_names(bytes);
        while let Some(written) = left.pop() {
            let key = cut(&written);
            if key.is_empty() || self.names.contains_key(&key) || self.names.len() >= MOST_FILES {
                continue;
            }
            let look_for = |name: &str| {
                folders.iter().find_map(|folder| {
                    find(folder, name).filter(|path| folders.iter().any(|folder| is_below(path, folder)))
                })
            };
            let (user, bytes) = match look_for(&written).or_else(|| look_for(base_name(&written))) {
                Some(path) => {
                    let bytes = read(&path).map_err(|error| ToolError::file(&path, error))?;
                    files.push(path.clone());
                    (path.display().to_string(), bytes)
                }
                None => {
                    let is_it = |(own, _): &&(&str, &str)| own.eq_ignore_ascii_case(base_name(&written));
                    let Some((name, text)) = request.built_in.iter().find(is_it) else { continue };
                    (format!("<oxbox>/{name}"), text.as_bytes().to_vec())
                }
            };
            self.put(&key, user, &bytes)?;
            left.extend(included_names(&bytes));
        }
        Ok(name)
    }

    /// Reads a file of the drive, if it exists.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        find(self.path(), name).and_then(|path| read(&path).ok())
    }

    /// Returns the user's name of a file of the drive.
    pub(super) fn user_name(&self, name: &str) -> String {
        let wanted = cut(name);
        let by_base = || self.names.iter().find(|(own, _)| base_name(own) == base_name(&wanted));
        match self.names.get_key_value(&wanted).or_else(by_base) {
            Some((_, user)) => user.clone(),
            None => name.to_owned(),
        }
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), ToolError> {
        let path = self.path().join(name);
        let parent = path.parent().unwrap_or(self.path());
        fs::create_dir_all(parent).map_err(|error| ToolError::file(parent, error))?;
        fs::write(&path, bytes).map_err(|error| ToolError::file(path, error))
    }

    fn put(&mut self, name: &str, user: String, bytes: &[u8]) -> Result<(), ToolError> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        // DOS lines end with CR LF. Old tools accept nothing else.
        let lines: Vec<u8> = if bytes.contains(&b'\r') || bytes.contains(&0) {
            bytes.to_vec()
        } else {
            bytes
                .iter()
                .flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] })
                .collect()
        };
        self.write(name, &lines)?;
        self.names.insert(name.to_owned(), user);
        Ok(())
    }

    /// Returns the name, or a similar one that no file has.
    fn free_name(&self, name: &str) -> String {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "ASM"));
        let numbered = (1..).map(|number: u32| {
            let number = number.to_string();
            let kept: String = stem.chars().take(8 - number.len().min(7)).collect();
            format!("{kept}{number}.{ending}")
        });
        // Objects and listings have the name of the source.
        let is_free = |name: &String| {
            let own = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
            self.names
                .keys()
                .all(|other| other.rsplit_once('.').map_or(other.as_str(), |(stem, _)| stem) != own)
        };
        std::iter::once(format!("{stem}.{ending}")).chain(numbered).find(is_free).unwrap_or_default()
    }
}

/// Returns the names of included files as the text spells them.
fn included_names(text: &[u8]) -> Vec<String> {
    let lines = text.split(|&byte| byte == b'\n');
    lines
        .filter_map(|line| included(line).map(|name| String::from_utf8_lossy(&line[name]).trim().to_owned()))
        .collect()
}

/// Returns the DOS name of a file: eight and three characters, in capitals.
pub(super) fn dos_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    let plain = |text: &str, most: usize| -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() || "_-$#@!".contains(c) { c } else { '_' };
        text.chars().map(letter).take(most).collect()
    };
    match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{}.{}", plain(stem, 8), plain(ending, 3)),
        None => plain(&name, 8),
    }
}

/// Converts a path in a source to DOS form: relative, each part truncated to eight and three
/// characters. Empty if it leads out of the folder.
fn cut(written: &str) -> String {
    let parts: Vec<&str> =
        written.split(['\\', '/']).filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.iter().any(|part| *part == ".." || part.contains(':')) || written.starts_with(['\\', '/']) {
        return String::new();
    }
    parts.iter().map(|part| dos_name(Path::new(part))).collect::<Vec<_>>().join("/")
}
