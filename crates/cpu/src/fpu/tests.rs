//! Tests of the coprocessor: against the host's own, against series in big integers, and what only the first models do.

#[cfg(target_arch = "x86_64")]
mod host;
mod models;
mod samples;
mod transcendental;
