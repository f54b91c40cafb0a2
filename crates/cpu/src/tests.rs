//! Tests of the processor on a machine of flat memory: instructions by family, the host's own arithmetic, and what
//! happens between instructions.

mod boundaries;
mod coprocessor;
mod families;
#[cfg(target_arch = "x86_64")]
mod host;
mod program;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod translated;
