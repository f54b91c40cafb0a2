//! Runs an assembler as what it is: a program that works on a source which nobody has looked through.
//!
//! Its memory, processor time, files and what it writes are bounded. Where the kernel has Landlock it reads the source's folder, the
//! include folders and the system's libraries, writes its scratch folder, and reaches nothing else, the network neither. On other
//! hosts than Linux the wall clock is the only bound.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// Processor time, in seconds. The longest sources of the time take a fraction of one.
#[cfg(target_os = "linux")]
const SECONDS: u64 = 10;
/// Memory, in MiB.
#[cfg(target_os = "linux")]
const MEMORY_MIB: u64 = 256;

/// What an assembler says that has used it up.
pub(super) const OUT_OF_MEMORY: &str = if cfg!(target_os = "linux") {
    "out of memory (it has 256 MiB): is there a repetition or a macro without an end?"
} else {
    "out of memory: is there a repetition or a macro without an end?"
};

/// What takes longer by the clock on the wall is stuck.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// What a run may touch.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has Landlock"))]
pub(super) struct Reach<'a> {
    /// Where it works and writes.
    pub(super) scratch: &'a Path,
    /// Files and folders that it reads.
    pub(super) reads: Vec<PathBuf>,
}

/// Runs a command to its end.
///
/// # Errors
/// When it cannot be started.
pub(super) fn run(command: &mut Command, reach: &Reach) -> io::Result<Ended> {
    let child = start(command, reach)?;
    #[cfg(target_os = "linux")]
    bound(&child);
    wait(child).map(Ended)
}

/// How a run has ended; nothing when the time was up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended(Option<ExitStatus>);

impl Ended {
    pub(super) fn is_success(self) -> bool {
        self.0.is_some_and(|status| status.success())
    }

    /// Why it has failed, if it did not say so itself.
    pub(super) fn why(self) -> String {
        let Some(status) = self.0 else {
            return format!("the assembler was stopped after {} seconds", TIME_LIMIT.as_secs());
        };
        limit(status).unwrap_or_else(|| format!("the assembler failed ({status}) without a message"))
    }
}

/// Which bound has ended it, as far as can be told.
#[cfg(target_os = "linux")]
fn limit(status: ExitStatus) -> Option<String> {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    match status.signal().and_then(Signal::from_named_raw)? {
        Signal::XCPU | Signal::KILL => Some(format!(
            "the assembler was stopped after {SECONDS} seconds: is there a loop without an end?"
        )),
        Signal::XFSZ => Some("the object is too large for any program of DOS".to_owned()),
        Signal::SEGV | Signal::ABORT | Signal::BUS => Some(format!(
            "the assembler broke down within its {MEMORY_MIB} MiB of memory: is there a repetition or a macro without an end?"
        )),
        _ => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn limit(_: ExitStatus) -> Option<String> {
    None
}

/// Bounds a child that has just been started. One that is too quick for that needs none.
#[cfg(target_os = "linux")]
fn bound(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limits = [
        (Resource::Cpu, SECONDS),
        (Resource::As, MEMORY_MIB << 20),
        (Resource::Fsize, 64 << 20),
        (Resource::Nofile, 256),
        (Resource::Core, 0),
    ];
    for (resource, most) in limits {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        let _ = prlimit(Some(Pid::from_child(child)), resource, limit);
    }
}

/// Starts a command in a thread that has given up what the command must not reach: a child has what its thread has.
#[cfg(target_os = "linux")]
fn start(command: &mut Command, reach: &Reach) -> io::Result<Child> {
    std::thread::scope(|scope| {
        let start = || {
            confine(Path::new(command.get_program()), reach).map_err(io::Error::other)?;
            spawn(command)
        };
        scope.spawn(start).join().unwrap_or_else(|_| Err(io::Error::other("its thread has ended")))
    })
}

#[cfg(not(target_os = "linux"))]
fn start(command: &mut Command, _: &Reach) -> io::Result<Child> {
    spawn(command)
}

/// Leaves this thread, and what it starts, the files of `reach` and what it takes to start a program. A kernel without Landlock leaves
/// all, which the answer tells.
#[cfg(target_os = "linux")]
fn confine(program: &Path, reach: &Reach) -> Result<landlock::RulesetStatus, landlock::RulesetError> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, path_beneath_rules,
    };
    const LIBRARIES: [&str; 10] = [
        "/lib",
        "/lib32",
        "/lib64",
        "/usr/lib",
        "/usr/lib32",
        "/usr/lib64",
        "/usr/local/lib",
        "/etc/ld.so.cache",
        "/nix/store",
        "/gnu/store",
    ];
    let abi = ABI::V5;
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let confined = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules(LIBRARIES, AccessFs::from_read(abi)))?
        .add_rules(path_beneath_rules(places(program), AccessFs::Execute | AccessFs::ReadFile))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::ReadFile | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(&reach.reads, read))?
        .add_rules(path_beneath_rules([reach.scratch], AccessFs::from_all(abi)))?
        .restrict_self()?;
    Ok(confined.ruleset)
}

/// Where a program may stand: a bare name is looked for as the host does.
#[cfg(target_os = "linux")]
fn places(program: &Path) -> Vec<PathBuf> {
    if program.components().count() > 1 {
        return vec![program.to_owned()];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).filter(|place| place.is_file()).collect()
}

/// Starts a program. Just after it was written it can be "busy": another thread that starts a process at that moment
/// holds the open file for an instant.
fn spawn(command: &mut Command) -> io::Result<Child> {
    const TRIES: u32 = 50;
    for _ in 1..TRIES {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
    command.spawn()
}

/// Waits for the end; nothing when the time is up and the program was stopped.
fn wait(mut child: Child) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > TIME_LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Stdio;

    /// What a program can do in there, told by what it can do to a file.
    #[test]
    fn a_confined_program_reads_and_writes_what_it_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["scratch", "sources", "elsewhere"] {
            std::fs::create_dir(at(name)).unwrap();
            std::fs::write(at(name).join("old"), "old").unwrap();
        }
        let scratch = at("scratch");
        let reach = Reach { scratch: &scratch, reads: vec![at("sources")] };
        let rows = [
            ("cp", "scratch/old", "scratch/new", true),
            ("cp", "sources/old", "scratch/new", true),
            ("cp", "sources/old", "sources/new", false),
            ("cp", "elsewhere/old", "scratch/new", false),
            ("cp", "scratch/old", "elsewhere/new", false),
            ("mv", "sources/old", "scratch/moved", false),
        ];
        let status = std::thread::scope(|scope| scope.spawn(|| confine(Path::new("cp"), &reach)).join());
        let has_landlock = status.unwrap().unwrap() != landlock::RulesetStatus::NotEnforced;
        for (program, from, to, allowed) in rows {
            let mut command = Command::new(program);
            command.args([at(from), at(to)]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let ended = run(&mut command, &reach).unwrap();
            if has_landlock {
                assert_eq!(ended.is_success(), allowed, "{program} {from} {to}");
            }
            let _ = std::fs::remove_file(at("scratch/new"));
        }
        assert_eq!(std::fs::read(at("sources/old")).unwrap(), b"old");
    }
}
