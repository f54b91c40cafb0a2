//! Effects of a run on its host: files are complete in every case, and every front end ends in
//! order after a signal.
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
use signal_hook::flag;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

/// Gives children the default actions of the signals that end them. The parent of the tests may
/// ignore some, as `nohup` and shells do for background jobs, and children inherit that. A signal
/// with a handler has its default action in a new program.
fn default_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [Signal::HUP, Signal::INT, Signal::TERM] {
            let ends_this_process = Arc::new(AtomicBool::new(true));
            flag::register_conditional_default(signal.as_raw(), ends_this_process).unwrap();
        }
    });
}

/// Returns the binary in a folder, without a display.
fn oxbox(folder: &Path, arguments: &str) -> Command {
    default_signals();
    let mut command = Command::new(env!("CARGO_BIN_EXE_oxbox"));
    command.args(arguments.split_whitespace()).current_dir(folder);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("RUST_LOG").env("NO_COLOR", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits until a condition is true; a minute is a failure.
fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} does not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}
