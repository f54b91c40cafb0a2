//! Checks in `/proc` that commands confine all their threads.

use super::{oxbox, until};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use std::fs;
use std::path::Path;
use std::process::{Child, Output};

/// `jmp $`.
const HANG: &[u8] = b"\xEB\xFE";

const SUITE: &str = "program = \"HANG.COM\"\n[[test]]\nname = \"hangs\"\nlimit_ms = 100000000\nexit = 0\n";

/// Returns the seccomp mode of each thread of a process: 2 for a filter.
fn filters(child: &Child) -> Vec<u8> {
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    let status = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("status")).ok());
    let filter = |status: String| {
        let line = status.lines().find_map(|line| line.strip_prefix("Seccomp:").map(str::to_owned))?;
        line.trim().parse().ok()
    };
    status.filter_map(filter).collect()
}

#[test]
fn commands_confine_themselves() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("HANG.COM"), HANG).unwrap();
    fs::write(folder.path().join("suite.toml"), SUITE).unwrap();
    for line in [
        "run HANG.COM",
        "run HANG.COM --headless",
        "run HANG.COM --text -",
        "run HANG.COM --transcript -",
        "shell --headless --keys @1000000000000",
        "play grid18 --headless --time-limit 1000000000000 --keys @1000000000000",
        "test suite.toml",
        "explore HANG.COM --choices q --instruction-limit 1000000000000",
        "same HANG.COM HANG.COM --choices q --instruction-limit 1000000000000",
        "verify grid18",
    ] {
        let mut child = oxbox(folder.path(), line).spawn().unwrap();
        until(line, || {
            let filters = filters(&child);
            assert!(child.try_wait().unwrap().is_none(), "{line} has ended");
            !filters.is_empty() && filters.iter().all(|&filter| filter == 2)
        });
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for line in ["run HANG.COM --no-sandbox", "test suite.toml --no-sandbox", "verify grid18 --no-sandbox"] {
        let mut child = oxbox(folder.path(), line).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert!(filters(&child).iter().all(|&filter| filter == 0), "{line}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Runs oxbox on a kernel without Landlock.
fn without_landlock(folder: &Path, line: &str) -> Output {
    let run = || {
        let rules = [(libc::SYS_landlock_create_ruleset, Vec::new())].into_iter().collect();
        let denied = SeccompAction::Errno(libc::ENOSYS as u32);
        let arch = std::env::consts::ARCH.try_into().unwrap();
        let filter: BpfProgram =
            SeccompFilter::new(rules, SeccompAction::Allow, denied, arch).unwrap().try_into().unwrap();
        seccompiler::apply_filter(&filter).unwrap();
        oxbox(folder, line).output().unwrap()
    };
    std::thread::scope(|scope| scope.spawn(run).join().unwrap())
}

#[test]
fn a_run_that_is_not_confined_says_so_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ends.com"), b"\xB8\x00\x4C\xCD\x21").unwrap();
    fs::write(folder.path().join("ends.asm"), "org 100h\nmov ax, 4C00h\nint 21h\n").unwrap();
    fs::write(folder.path().join("suite.toml"), "program = \"ends.com\"\n[[test]]\nname = \"ends\"\n")
        .unwrap();
    let (run, assembler) = (
        "oxbox: this run is not confined to its files: this kernel has no Landlock",
        "oxbox: the assembler can",
    );
    for (line, expected) in [
        ("run ends.com --headless", &[run][..]),
        ("run ends.com --headless --no-sandbox", &[]),
        ("test suite.toml", &[run]),
        ("build ends.asm -o out.com", &[assembler]),
        ("test suite.toml --program ends.asm", &[run, assembler]),
    ] {
        let output = without_landlock(folder.path(), line);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> = stderr.lines().filter(|line| line.contains("Landlock")).collect();
        assert!(output.status.success(), "{line}: {stderr}");
        assert_eq!(said.len(), expected.len(), "{line}: {stderr}");
        for (said, start) in said.iter().zip(expected) {
            assert!(said.starts_with(start), "{line}: {said}");
        }
    }
}
