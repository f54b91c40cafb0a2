//! What the assembler may take of the host: a source that loops in a macro gets neither its memory nor its disk.
//!
//! Linux lets a parent bound its child; elsewhere the wall clock is the only bound.

use std::process::{Child, ExitStatus};

/// Processor time, in seconds. The longest sources of the time take a fraction of one.
const SECONDS: u64 = 10;

/// Bounds a child that has just been started. One that is too quick for that needs none.
#[cfg(target_os = "linux")]
pub(super) fn set(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    const MEMORY: u64 = 1 << 30;
    const FILE: u64 = 64 << 20;
    for (resource, most) in [(Resource::Cpu, SECONDS), (Resource::As, MEMORY), (Resource::Fsize, FILE)] {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        let _ = prlimit(Some(Pid::from_child(child)), resource, limit);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn set(_: &Child) {}

/// Why the host has ended the assembler, if one of the bounds was the reason.
#[cfg(target_os = "linux")]
pub(super) fn passed(status: ExitStatus) -> Option<String> {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    let signal = status.signal()?;
    if [Signal::XCPU, Signal::KILL].map(Signal::as_raw).contains(&signal) {
        return Some(format!(
            "the assembler was stopped after {SECONDS} seconds: is there a loop without an end?"
        ));
    }
    (signal == Signal::XFSZ.as_raw()).then(|| "the object is too large for any program of DOS".to_owned())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn passed(_: ExitStatus) -> Option<String> {
    None
}
