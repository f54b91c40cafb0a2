//! The recently opened programs: one path per line in the user's data folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::folders;
use oxbox::atomic_file;

const MOST: usize = 9;

fn file() -> Result<PathBuf, String> {
    Ok(folders::data()?.join("recent"))
}

/// Returns those that still exist, the last one first.
pub(crate) fn programs() -> Vec<PathBuf> {
    let text = file().ok().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    text.lines().map(PathBuf::from).filter(|path| path.is_file()).take(MOST).collect()
}

/// Adds a program. An error is ignored.
pub(crate) fn add(program: &Path) {
    let Ok(program) = std::path::absolute(program) else { return };
    // A list of lines cannot contain names that are not text, or that contain line feeds.
    if program.to_str().is_none_or(|name| name.contains('\n')) {
        return;
    }
    let others = programs().into_iter().filter(|other| *other != program);
    let lines: Vec<String> = std::iter::once(program.clone())
        .chain(others)
        .take(MOST)
        .map(|path| path.display().to_string())
        .collect();
    if let Ok(file) = file()
        && let Some(folder) = file.parent()
        && fs::create_dir_all(folder).is_ok()
    {
        let _ = atomic_file::write(&file, format!("{}\n", lines.join("\n")).as_bytes());
    }
}
