//! Confines this process before it runs an untrusted program: to the files that the command still
//! needs, and to a list of system calls.
//!
//! Only Linux provides both, and the list is for x86-64 and aarch64. [`folders`] uses Landlock for
//! files, [`calls`] uses seccomp for system calls, and [`refused`] reports a refused call. All
//! threads are confined: the thread that waits for signals confines itself if it has started, others
//! start later. On a kernel that lacks one of the two, the other is used alone.

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

/// Whether a process can be confined on this system.
const IS_THERE: bool = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));

/// The choice whether a command confines its process.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SandboxOptions {
    /// Do not confine the process: on Linux it can otherwise access only the files that it was
    /// given, and make few system calls
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

/// The resources that the process needs after it has been confined.
#[derive(Debug, Clone, Default)]
pub(super) struct Needs {
    pub(super) reads: Vec<PathBuf>,
    /// Folders in which it creates, changes and removes files: drives.
    pub(super) drives: Vec<PathBuf>,
    /// Files that it writes as a whole, through temporary files beside them.
    pub(super) outputs: Vec<PathBuf>,
    /// Folders that it creates and fills if needed.
    pub(super) folders: Vec<PathBuf>,
    pub(super) scratch: bool,
    /// Whether it translates guest code to host code.
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "Linux alone has a list of system calls")
    )]
    pub(super) translates: bool,
    /// Whether it starts assemblers, and the files needed to start them.
    pub(super) children: Option<Vec<PathBuf>>,
}

/// A process that is confined, or that the user has asked not to confine.
#[must_use = "the folder for scratch files is removed with this value"]
#[derive(Debug, Default)]
pub(super) struct Confined {
    room: Option<Room>,
}

impl SandboxOptions {
    /// Confines the process to its needs, unless the user has disabled it. Fails if the folder for
    /// scratch files cannot be created.
    pub(super) fn confine(&self, needs: &Needs) -> Result<Confined, Failure> {
        if self.no_sandbox || !IS_THERE {
            return Ok(Confined::default());
        }
        let room = needs.scratch.then(Room::new).transpose();
        let room = room.map_err(|error| {
            let folder = std::env::temp_dir();
            Failure::host(
                format!(
                    "cannot keep scratch files in {}, set TMPDIR to a different folder",
                    folder.display()
                ),
                error,
            )
        })?;
        let confined = Confined { room };
        confined.apply(needs);
        Ok(confined)
    }

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
        // Landlock applies to a thread and to those that it starts later. So the thread that waits for signals
        // confines itself, if it has started.
        let copy = Arc::clone(&rules);
        signals::in_thread(move || folders::apply(&copy));
        folders::apply(&rules);
        signals::start();
        refused::listen();
        calls::apply(needs);
    }

    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    fn apply(&self, _: &Needs) {
        let _ = &self.room;
    }
}
