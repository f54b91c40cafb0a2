//! Which commands confine themselves, told by what the kernel says of their threads.

use super::{oxbox, until};
use std::fs;
use std::process::Child;

/// Goes round in a circle.
const HANG: &[u8] = b"\xEB\xFE";

const SUITE: &str = "program = \"HANG.COM\"\n[[test]]\nname = \"hangs\"\nlimit_ms = 100000000\nexit = 0\n";

/// What the kernel says of the filters of each thread of a process: 2 for one that has some.
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
