//! Permitted and refused operations of a confined process. Each runs in its own process, which is
//! this test program again.
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]
#![allow(unsafe_code, reason = "some calls have no safe name")]

use std::fs::{self, File};
use std::io::ErrorKind;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::ptr;

use oxbox::atomic_file;
use oxbox::scratch::ScratchFolder;

use super::{Needs, SandboxOptions};
use crate::frontend::signals;

/// The variable with the operation for the child.
const ATTEMPT: &str = "OXBOX_TEST_ATTEMPT";
const FOLDER: &str = "OXBOX_TEST_FOLDER";

type Attempt = (&'static str, fn(&Path));

/// Operations that end the process, each named after the refused system call.
const REFUSED: &[Attempt] = &[
    ("socket", |_| drop(TcpStream::connect("127.0.0.1:9"))),
    ("linkat", |folder| drop(fs::hard_link(folder.join("given/F"), folder.join("drive/L")))),
    ("symlink", |folder| drop(std::os::unix::fs::symlink("/etc/passwd", folder.join("drive/L")))),
    ("execve", |_| unsafe {
        let path = c"/bin/true";
        libc::execve(path.as_ptr(), [path.as_ptr(), ptr::null()].as_ptr(), [ptr::null()].as_ptr());
    }),
    ("ptrace", |_| unsafe {
        libc::ptrace(libc::PTRACE_TRACEME);
    }),
    ("mprotect", |_| unsafe {
        libc::mprotect(data(), PAGE, libc::PROT_READ | libc::PROT_EXEC);
    }),
    ("mmap", |_| unsafe {
        let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(ptr::null_mut(), PAGE, libc::PROT_READ | libc::PROT_EXEC, how, -1, 0);
    }),
    ("kill", |_| unsafe {
        libc::kill(1, 0);
    }),
    ("ioctl", |_| unsafe {
        libc::ioctl(0, libc::TIOCSTI, c"x".as_ptr());
    }),
    ("prlimit64", |_| unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
    }),
    ("unshare", |_| unsafe {
        libc::unshare(libc::CLONE_NEWUSER);
    }),
    ("memfd_create", |_| unsafe {
        libc::syscall(libc::SYS_memfd_create, c"m".as_ptr(), 0);
    }),
    ("io_uring_setup", |_| unsafe {
        libc::syscall(libc::SYS_io_uring_setup, 1, 0);
    }),
    ("process_vm_writev", |_| unsafe {
        libc::syscall(libc::SYS_process_vm_writev, 1, 0, 0, 0, 0, 0);
    }),
    ("bpf", |_| unsafe {
        libc::syscall(libc::SYS_bpf, 0, 0, 0);
    }),
    ("4000", |_| unsafe {
        libc::syscall(4000);
    }),
];

/// Operations that fail or succeed and let the process continue, each named after its needs.
const SURVIVED: &[Attempt] = &[
    ("plain", |folder| {
        assert_eq!(fs::read_to_string(folder.join("given/F")).unwrap(), "given");
        fs::create_dir(folder.join("drive/D")).unwrap();
        fs::write(folder.join("drive/D/F"), "1").unwrap();
        fs::rename(folder.join("drive/D/F"), folder.join("drive/G")).unwrap();
        fs::remove_dir(folder.join("drive/D")).unwrap();
        atomic_file::write(&folder.join("out/F"), b"new").unwrap();
        ScratchFolder::new().unwrap();
        std::thread::spawn(|| ()).join().unwrap();
        std::thread::available_parallelism().unwrap();
        assert!(Command::new("true").spawn().is_err());
        let denied: [(&str, std::io::Result<()>); 10] = [
            ("read another file", File::open(folder.join("secret")).map(drop)),
            ("read by another way", File::open(folder.join("given/../secret")).map(drop)),
            ("list a folder", fs::read_dir(folder).map(drop)),
            ("read an output's neighbour", File::open(folder.join("out/N")).map(drop)),
            ("write what is read", fs::write(folder.join("given/F"), "")),
            ("write elsewhere", fs::write(folder.join("new"), "")),
            ("remove another file", fs::remove_file(folder.join("secret"))),
            ("take a file out", fs::rename(folder.join("drive/G"), folder.join("given/G"))),
            ("its own memory", File::open("/proc/self/mem").map(drop)),
            ("the user's files", File::open("/etc/passwd").map(drop)),
        ];
        for (what, result) in denied {
            let kind = result.expect_err(what).kind();
            assert!(
                matches!(kind, ErrorKind::PermissionDenied | ErrorKind::CrossesDevices),
                "{what}: {kind:?}"
            );
        }
        the_thread_of_the_signals_is_confined(folder);
    }),
    ("translates", |folder| unsafe {
        assert_eq!(libc::mprotect(data(), PAGE, libc::PROT_READ | libc::PROT_EXEC), 0);
        the_thread_of_the_signals_is_confined(folder);
    }),
    ("children", |folder| {
        let cat = |name: &str| Command::new("cat").arg(folder.join(name)).output().unwrap();
        assert_eq!(cat("given/F").stdout, b"given");
        assert!(!cat("secret").status.success());
    }),
];

fn the_thread_of_the_signals_is_confined(folder: &Path) {
    let (secret, (send, receive)) = (folder.join("secret"), std::sync::mpsc::channel());
    signals::in_thread(move || send.send(File::open(secret).is_err()).unwrap());
    assert!(receive.recv().unwrap(), "the thread of the signals is free");
}

const PAGE: usize = 4096;

fn data() -> *mut libc::c_void {
    let (protection, how) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new memory, at an address chosen by the kernel.
    unsafe { libc::mmap(ptr::null_mut(), PAGE, protection, how, -1, 0) }
}

fn needs(attempt: &str, folder: &Path) -> Needs {
    let at = |name: &str| vec![folder.join(name)];
    let programs = || oxbox::toolchain::host_files(None).into_iter().chain([PathBuf::from("/usr/bin/cat")]);
    Needs {
        reads: at("given"),
        drives: at("drive"),
        outputs: at("out/F"),
        scratch: true,
        translates: attempt == "translates",
        children: (attempt == "children").then(|| programs().chain([PathBuf::from("/bin/cat")]).collect()),
        ..Needs::default()
    }
}

/// Performs one operation, in a child of the other tests; does nothing when run directly.
#[test]
fn attempt() {
    let (Ok(name), Some(folder)) = (std::env::var(ATTEMPT), std::env::var_os(FOLDER)) else { return };
    let folder = PathBuf::from(folder);
    let (_, attempt) = REFUSED.iter().chain(SURVIVED).find(|(known, _)| *known == name).unwrap();
    // Before the process is confined, or when it is.
    if name != "translates" {
        signals::start();
    }
    let options = SandboxOptions { no_sandbox: std::env::var_os("OXBOX_TEST_FREE").is_some() };
    let _confined = options.confine(&needs(&name, &folder)).unwrap();
    attempt(&folder);
    eprintln!("survived");
}

fn child(folder: &Path, attempt: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "cli::sandbox::tests::attempt", "--nocapture"]);
    command.env(ATTEMPT, attempt).env(FOLDER, folder).env("TMPDIR", folder.join("tmp"));
    command.output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["given", "drive", "out", "tmp"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    for name in ["given/F", "secret", "out/F", "out/N"] {
        fs::write(folder.path().join(name), "given").unwrap();
    }
    folder
}

#[test]
fn a_refused_call_is_named_and_ends_the_process_in_order() {
    let folder = folder();
    for (name, _) in REFUSED.iter().filter(|(name, _)| cfg!(target_arch = "x86_64") || *name != "symlink") {
        let output = child(folder.path(), name);
        let told = String::from_utf8_lossy(&output.stderr);
        let line = format!("oxbox: the sandbox refused the system call {name}: ");
        assert!(told.contains(&line), "{name}: {told}");
        assert!(!told.contains("survived"), "{name}: {told}");
        assert_eq!(output.status.code(), Some(125), "{name}: {told}");
        assert_eq!(fs::read_dir(folder.path().join("tmp")).unwrap().count(), 0, "{name}: scratch is left");
    }
}

#[test]
fn a_confined_process_has_what_it_needs_and_nothing_else() {
    for (name, _) in SURVIVED {
        let folder = folder();
        let output = child(folder.path(), name);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && told.contains("survived"), "{name}: {told}");
        assert_eq!(fs::read_dir(folder.path().join("tmp")).unwrap().count(), 0, "{name}: scratch is left");
        assert_eq!(fs::read_to_string(folder.path().join("secret")).unwrap(), "given");
    }
}

#[test]
fn without_the_sandbox_nothing_is_refused() {
    let folder = folder();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "cli::sandbox::tests::attempt", "--nocapture"]);
    command.env(ATTEMPT, "linkat").env(FOLDER, folder.path()).env("OXBOX_TEST_FREE", "1");
    assert!(command.output().unwrap().status.success());
    assert!(folder.path().join("drive/L").exists());
}
