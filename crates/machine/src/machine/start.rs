//! Starts a machine with a program.

use super::pc::{Config, Machine};
use crate::dos::{FolderError, LoadError};
use crate::hardware::disk::Image;

/// The reason that a program cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Drive C:.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The program.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The disk.
    #[error("the disk is not bootable: its first sector is empty, or does not end in 55AAh")]
    Boot,
}

impl Machine {
    /// Switches a machine on and loads a program: [`Machine::new`] and [`Machine::load`]. With
    /// [`Config::boot`] it boots the disk, and loads no program.
    ///
    /// # Errors
    /// Fails like those.
    pub fn start(
        config: &Config,
        program: &[u8],
        name: &str,
        arguments: &str,
    ) -> Result<Machine, StartError> {
        let mut machine = Machine::new(config)?;
        match config.boot {
            Some(drive) if !machine.hardware.disks.get(drive).is_some_and(Image::may_boot) => {
                return Err(StartError::Boot);
            }
            Some(_) => {}
            None => machine.load(program, name, arguments)?,
        }
        Ok(machine)
    }
}
