//! Where oxbox keeps what belongs to the user.

use std::path::PathBuf;

use directories::ProjectDirs;

/// The user's data folder: on Linux `$XDG_DATA_HOME/oxbox`, by default `~/.local/share/oxbox`.
///
/// # Errors
/// A line, when the user has no home.
pub(crate) fn data() -> Result<PathBuf, String> {
    let folders = ProjectDirs::from("", "", "oxbox").ok_or("there is no home folder to keep states in")?;
    Ok(folders.data_dir().to_owned())
}
