//! Confines this process before it runs a stranger's program: the files that the command still needs, and a list of system calls.
//!
//! Linux alone has both, and the list is for x86-64 and aarch64. [`folders`] is Landlock: what may be read and written. [`calls`] is seccomp: which calls may be made, and
//! [`refused`] tells of one that may not. All threads are confined: the one that waits for signals confines itself, others start later.
//! A kernel that lacks one of the two goes without it.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod calls;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod folders;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod names;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod refused;
#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests;

use std::path::PathBuf;

use clap::Args;
use oxbox::scratch::Room;

use super::failure::Failure;

/// Whether a process can be confined here.
const IS_THERE: bool = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));

/// Whether a command confines its process.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SandboxOptions {
    /// Leave the process unconfined: on Linux it can reach only the files that it was given and few system calls
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

/// What the process still needs once it is confined.
#[derive(Debug, Clone, Default)]
pub(super) struct Needs {
    /// Files and folders that it reads.
    pub(super) reads: Vec<PathBuf>,
    /// Folders in which it makes, changes and removes whatever it wants: drives.
    pub(super) drives: Vec<PathBuf>,
    /// Files that it writes, whole, with what is beside their names while they are written.
    pub(super) outputs: Vec<PathBuf>,
    /// Folders that it makes and fills, if it has something for them.
    pub(super) folders: Vec<PathBuf>,
    /// Whether it keeps scratch files.
    pub(super) scratch: bool,
    /// Whether it translates guest code to the host's own.
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "Linux alone has a list of system calls")
    )]
    pub(super) translates: bool,
    /// Whether it starts assemblers, and what they need to be started.
    pub(super) children: Option<Vec<PathBuf>>,
}

/// A process that is confined, or was asked not to be.
#[must_use = "the folder for scratch files is removed with this value"]
#[derive(Debug, Default)]
pub(super) struct Confined {
    room: Option<Room>,
}

impl SandboxOptions {
    /// Confines the process to its needs, unless the user wants it otherwise.
    ///
    /// # Errors
    /// Fails if there is no room for scratch files.
    pub(super) fn confine(&self, needs: &Needs) -> Result<Confined, Failure> {
        if self.no_sandbox || !IS_THERE {
            return Ok(Confined::default());
        }
        let room = needs.scratch.then(Room::new).transpose();
        let room = room.map_err(|error| {
            let folder = std::env::temp_dir();
            Failure::host(
                format!("cannot keep scratch files in {}, set TMPDIR to another folder", folder.display()),
                error,
            )
        })?;
        let confined = Confined { room };
        confined.apply(needs);
        Ok(confined)
    }

    /// Takes more away from a process that is confined.
    pub(super) fn confine_further(&self, confined: &Confined, needs: &Needs) {
        if !self.no_sandbox && IS_THERE {
            confined.apply(needs);
        }
    }
}

impl Confined {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn apply(&self, needs: &Needs) {
        use crate::frontend::signals;
        use std::sync::Arc;
        let rules = Arc::new(folders::rules(needs, self.room.as_ref().map(Room::path)));
        // Landlock is a thread's own: the thread that waits for signals takes it upon itself.
        let copy = Arc::clone(&rules);
        signals::in_thread(move || folders::apply(&copy));
        folders::apply(&rules);
        refused::listen();
        calls::apply(needs);
    }

    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    fn apply(&self, _: &Needs) {
        let _ = &self.room;
    }
}
