//! A machine with a program in it.

use super::pc::{Config, Machine};
use crate::dos::{FolderError, LoadError};

/// Why a program cannot be started at all.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Drive C:.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The program.
    #[error(transparent)]
    Load(#[from] LoadError),
}

impl Machine {
    /// Switches a machine on and loads a program: [`Machine::new`] and [`Machine::load`].
    ///
    /// # Errors
    /// As those.
    pub fn start(
        config: &Config,
        program: &[u8],
        name: &str,
        arguments: &str,
    ) -> Result<Machine, StartError> {
        let mut machine = Machine::new(config)?;
        machine.load(program, name, arguments)?;
        Ok(machine)
    }
}
