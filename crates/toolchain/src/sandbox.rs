//! The sandbox for an assembler, which processes untrusted sources.
//!
//! On Unix a shell sets the limits of memory, processor time and files, and then becomes the
//! assembler, so that all of it runs within them. The environment is empty, because a source can
//! read variables. On a kernel with Landlock the assembler reads the source's folder, the include
//! folders and the system's libraries, writes its scratch folder, and has no TCP. Its descendants
//! end with it. On Windows the wall clock is the only limit.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use oxbox_files::{group, scratch};

/// Limit of processor time in seconds. The longest sources of the time need a fraction of one.
#[cfg(unix)]
const SECONDS: u64 = 10;
/// Limit of memory in MiB.
#[cfg(unix)]
const MEMORY_MIB: u64 = 256;

/// The message for an assembler that has used all of its memory.
pub(super) const OUT_OF_MEMORY: &str = if cfg!(unix) {
    "out of memory (it has 256 MiB): does a repetition or a macro never end?"
} else {
    "out of memory: does a repetition or a macro never end?"
};

/// Limit of wall-clock time: an assembler that takes longer hangs.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The files that a run may access.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has Landlock"))]
pub(super) struct SandboxPolicy<'a> {
    /// The working folder, which it may write.
    pub(super) scratch: &'a Path,
    pub(super) reads: Vec<PathBuf>,
}

/// Runs a command to its end, without standard input, output and environment. Fails if the program
/// cannot be found or started.
pub(super) fn run(command: &Command, policy: &SandboxPolicy) -> io::Result<ExitOutcome> {
    let mut limited = limited(command)?;
    limited.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).env_clear();
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    // Windows programs do not start without it.
    if let Some(root) = std::env::var_os("SystemRoot").filter(|_| cfg!(windows)) {
        limited.env("SystemRoot", root);
    }
    let program = PathBuf::from(command.get_program());
    wait(|| start(&mut limited, &program, policy)).map(ExitOutcome)
}

/// Starts a program that has just been written, without limits, and waits for its end. Fails if the
/// host does not execute it.
pub(super) fn try_out(command: &mut Command, policy: &SandboxPolicy) -> io::Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let program = PathBuf::from(command.get_program());
    wait(|| start(command, &program, policy)).map(|_| ())
}

/// Wraps a command in a shell that sets the limits. The shell reports errors as exit codes, so the
/// program is looked up first.
#[cfg(unix)]
fn limited(command: &Command) -> io::Result<Command> {
    use std::os::unix::fs::PermissionsExt;
    let program = places(Path::new(command.get_program())).into_iter().next();
    let program = program.ok_or(io::ErrorKind::NotFound)?;
    if program.metadata()?.permissions().mode() & 0o111 == 0 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let limits = setting_limits() + r#"exec "$0" "$@""#;
    let mut shell = Command::new(SHELL);
    shell.arg("-c").arg(limits).arg(program).args(command.get_args());
    Ok(shell)
}

/// Returns the shell commands that set the limits or exit.
#[cfg(unix)]
fn setting_limits() -> String {
    let limits = LIMITS.iter().map(|(what, most)| format!("limit {what} {most}; "));
    std::iter::once(LIMIT.to_owned()).chain(limits).collect()
}

#[cfg(not(unix))]
fn limited(command: &Command) -> io::Result<Command> {
    let mut same = Command::new(command.get_program());
    same.args(command.get_args());
    Ok(same)
}

#[cfg(unix)]
const SHELL: &str = "/bin/sh";

/// A shell function that lowers a limit, or checks that it is already as low. Otherwise exits with
/// [`NO_LIMITS`].
#[cfg(unix)]
const LIMIT: &str =
    r#"limit() { ulimit "$1" "$2" 2>/dev/null || [ "$(ulimit "$1")" -le "$2" ] 2>/dev/null || exit 117; }; "#;
#[cfg(unix)]
const NO_LIMITS: i32 = 117;

/// The limits in the units of `ulimit`: no core files, processor time, files of 64 MiB (in blocks
/// of 512 bytes), open files, and memory in KiB, which macOS does not limit.
#[cfg(unix)]
const LIMITS: &[(&str, u64)] = &[
    ("-c", 0),
    ("-t", SECONDS),
    ("-f", 131_072),
    ("-n", 256),
    #[cfg(not(target_os = "macos"))]
    ("-v", MEMORY_MIB << 10),
];

/// The way a run ended; `None` after the time limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ExitOutcome(Option<ExitStatus>);

impl ExitOutcome {
    pub(super) fn is_success(self) -> bool {
        self.0.is_some_and(|status| status.success())
    }

    /// Returns why it failed, for an assembler that did not report that itself.
    pub(super) fn why(self) -> String {
        let Some(status) = self.0 else {
            return format!("the assembler was stopped after {} seconds", TIME_LIMIT.as_secs());
        };
        limit(status).unwrap_or_else(|| format!("the assembler failed ({status}) without a message"))
    }
}

/// Returns which limit ended it, as far as the signal shows that.
#[cfg(unix)]
fn limit(status: ExitStatus) -> Option<String> {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    if status.code() == Some(NO_LIMITS) {
        return Some(format!(
            "{SHELL} cannot set the limits of the assembler, which therefore did not start"
        ));
    }
    match status.signal().and_then(Signal::from_named_raw)? {
        Signal::XCPU | Signal::KILL => {
            Some(format!("the assembler was stopped after {SECONDS} seconds: does a loop never end?"))
        }
        Signal::XFSZ => Some("the object is too large for any program of DOS".to_owned()),
        Signal::SYS => Some(
            "the sandbox refused a system call of the assembler; --no-sandbox disables the sandbox"
                .to_owned(),
        ),
        Signal::SEGV | Signal::ABORT | Signal::BUS => Some(format!(
            "the assembler crashed within its {MEMORY_MIB} MiB of memory: does a repetition or a macro never end?"
        )),
        _ => None,
    }
}

#[cfg(not(unix))]
fn limit(_: ExitStatus) -> Option<String> {
    None
}

/// Starts a command in a thread that is confined first: a child inherits its confinement.
#[cfg(target_os = "linux")]
fn start(command: &mut Command, program: &Path, policy: &SandboxPolicy) -> io::Result<Child> {
    std::thread::scope(|scope| {
        let start = || {
            tell(&confine(program, policy).map_err(io::Error::other)?);
            spawn(command)
        };
        scope.spawn(start).join().unwrap_or_else(|_| Err(io::Error::other("its thread has ended")))
    })
}

#[cfg(not(target_os = "linux"))]
fn start(command: &mut Command, _: &Path, _: &SandboxPolicy) -> io::Result<Child> {
    spawn(command)
}

/// Warns once if the kernel cannot confine assemblers.
#[cfg(target_os = "linux")]
fn tell(confinement: &landlock::RulesetStatus) {
    static TOLD: std::sync::Once = std::sync::Once::new();
    if *confinement == landlock::RulesetStatus::NotEnforced {
        TOLD.call_once(|| {
            log::warn!(
                "the assembler can read and write what you can: this kernel has no Landlock to confine it"
            );
        });
    }
}

/// Folders and files of shared libraries.
#[cfg(target_os = "linux")]
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

/// Returns what a confined process must still be able to read and execute for assembling.
#[cfg(target_os = "linux")]
pub fn host_files(assembler: Option<&Path>) -> Vec<PathBuf> {
    let programs = places(assembler.unwrap_or(Path::new("nasm")));
    LIBRARIES.iter().chain(&[SHELL]).map(PathBuf::from).chain(programs).collect()
}

/// Confines this thread and its children to the files of `policy` and to starting `program`, without
/// TCP, and from Linux 6.12 on without signals to other processes. The result tells whether the
/// kernel has Landlock.
#[cfg(target_os = "linux")]
fn confine(
    program: &Path,
    policy: &SandboxPolicy,
) -> Result<landlock::RulesetStatus, landlock::RulesetError> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope, path_beneath_rules,
    };
    let abi = ABI::V6;
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let confined = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules(LIBRARIES, AccessFs::from_read(abi)))?
        .add_rules(path_beneath_rules(places(program), AccessFs::Execute | AccessFs::ReadFile))?
        .add_rules(path_beneath_rules([SHELL], AccessFs::Execute | AccessFs::ReadFile))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::ReadFile | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(&policy.reads, read))?
        .add_rules(path_beneath_rules([policy.scratch], AccessFs::from_all(abi)))?
        .restrict_self()?;
    Ok(confined.ruleset)
}

/// Returns the possible paths of a program. A bare name is looked up in PATH.
#[cfg(unix)]
fn places(program: &Path) -> Vec<PathBuf> {
    if program.components().count() > 1 {
        return vec![program.to_owned()];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).filter(|place| place.is_file()).collect()
}

/// Starts a program. A program that was just written can be busy, because another thread that
/// starts a process at that moment holds the open file briefly. Retries for a minute.
fn spawn(command: &mut Command) -> io::Result<Child> {
    const TRIES: u32 = 6000;
    group::lead(command);
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

/// Starts a program and waits for its end; `None` if it was killed after the time limit. Its
/// descendants end with it. A signal that ends this process ends them, too.
fn wait(start: impl FnOnce() -> io::Result<Child>) -> io::Result<Option<ExitStatus>> {
    let step = scratch::undisturbed();
    let (child, _registered) = scratch::child(start()?);
    drop(step);
    let start = Instant::now();
    loop {
        let mut running = child.lock().unwrap_or_else(PoisonError::into_inner);
        let has_ended = group::has_ended(&mut running)?;
        if has_ended || start.elapsed() > TIME_LIMIT {
            return group::end(&mut running).map(|status| has_ended.then_some(status));
        }
        drop(running);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Tests that the limits are set when the program starts, and that its environment is empty.
    #[test]
    fn a_program_begins_with_its_limits() {
        let folder = tempfile::tempdir().unwrap();
        let policy = SandboxPolicy { scratch: folder.path(), reads: Vec::new() };
        let text = "ulimit -t; ulimit -v; ulimit -f; ulimit -n; ulimit -c; echo ${HOME-none} ${USER-none}";
        let mut command = Command::new("sh");
        command.args(["-c", &format!("({text}) > limits")]).current_dir(folder.path());
        assert!(run(&command, &policy).unwrap().is_success());
        let found = std::fs::read_to_string(folder.path().join("limits")).unwrap();
        assert_eq!(
            found.split_whitespace().collect::<Vec<_>>(),
            ["10", "262144", "131072", "256", "0", "none", "none"]
        );
    }

    /// Tests that lower limits of the host are accepted, and that the assembler does not start if
    /// limits cannot be set.
    #[test]
    fn limits_are_set_or_the_assembler_does_not_start() {
        let rows = [
            ("ulimit -t 5; ulimit -n 100", Some(0), "5 100"),
            ("ulimit() { [ $# = 2 ] || echo unlimited; return 1; }", Some(NO_LIMITS), ""),
            ("ulimit() { return 1; }", Some(NO_LIMITS), ""),
        ];
        for (before, code, shown) in rows {
            let text = format!("{before}; {}echo $(ulimit -t) $(ulimit -n)", setting_limits());
            let output = Command::new(SHELL).args(["-c", &text]).output().unwrap();
            assert_eq!(output.status.code(), code, "{before}");
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), shown, "{before}");
            assert_eq!(limit(output.status).is_some(), code == Some(NO_LIMITS), "{before}");
        }
    }

    /// Tests that descendants of a program end with it: otherwise they would keep the pipe open.
    #[test]
    fn nothing_that_it_started_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
        let policy = SandboxPolicy { scratch: folder.path(), reads: Vec::new() };
        let mut command = Command::new("sh");
        command
            .args(["-c", "exec 3>pipe; (while :; do :; done) & echo started >&3"])
            .current_dir(folder.path());
        assert!(run(&command, &policy).unwrap().is_success());
        assert_eq!(reader.join().unwrap(), b"started\n");
    }

    #[test]
    fn what_cannot_be_started_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("text");
        std::fs::write(&file, "no program").unwrap();
        let policy = SandboxPolicy { scratch: folder.path(), reads: Vec::new() };
        let rows = [
            (PathBuf::from("no-such-program"), io::ErrorKind::NotFound),
            (folder.path().join("none"), io::ErrorKind::NotFound),
            (file, io::ErrorKind::PermissionDenied),
        ];
        for (program, kind) in rows {
            let error = run(&Command::new(&program), &policy).unwrap_err();
            assert_eq!(error.kind(), kind, "{}", program.display());
        }
    }

    /// Tests the file access of a confined program.
    #[test]
    fn a_confined_program_reads_and_writes_what_it_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["scratch", "sources", "elsewhere"] {
            std::fs::create_dir(at(name)).unwrap();
            std::fs::write(at(name).join("old"), "old").unwrap();
        }
        let scratch = at("scratch");
        let policy = SandboxPolicy { scratch: &scratch, reads: vec![at("sources")] };
        let rows = [
            ("cp", "scratch/old", "scratch/new", true),
            ("cp", "sources/old", "scratch/new", true),
            ("cp", "sources/old", "sources/new", false),
            ("cp", "elsewhere/old", "scratch/new", false),
            ("cp", "scratch/old", "elsewhere/new", false),
            ("mv", "sources/old", "scratch/moved", false),
        ];
        let status = std::thread::scope(|scope| scope.spawn(|| confine(Path::new("cp"), &policy)).join());
        let has_landlock = status.unwrap().unwrap() != landlock::RulesetStatus::NotEnforced;
        for (program, from, to, allowed) in rows {
            let mut command = Command::new(program);
            command.args([at(from), at(to)]);
            let ended = run(&command, &policy).unwrap();
            if has_landlock {
                assert_eq!(ended.is_success(), allowed, "{program} {from} {to}");
            }
            let _ = std::fs::remove_file(at("scratch/new"));
        }
        assert_eq!(std::fs::read(at("sources/old")).unwrap(), b"old");
    }
}
