//! What a run does to its host: files are whole whatever happens, and every front end ends in order when it is told to.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

#[cfg(target_os = "linux")]
mod confined;
mod endings;
mod escapes;
mod files;
mod restored;
mod signals;
mod states;
mod terminal;

use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The binary in a folder, without a display.
fn oxbox(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oxbox"));
    command.args(arguments.split_whitespace()).current_dir(folder);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("RUST_LOG").env("NO_COLOR", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits until something is so; a minute is a failure.
fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} does not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}
