//! The folders for the user's data.

use std::path::PathBuf;

use directories::ProjectDirs;

/// Returns the user's data folder: on Linux `$XDG_DATA_HOME/oxbox`, by default
/// `~/.local/share/oxbox`. Fails with a line if the user has no home folder.
pub(crate) fn data() -> Result<PathBuf, String> {
    let folders = ProjectDirs::from("", "", "oxbox")
        .ok_or("cannot find the home folder, in which states are stored")?;
    Ok(folders.data_dir().to_owned())
}
