//! Tests of the coprocessor: against the host's x87, against series in big integers, and of the
//! differences between models.

#[cfg(target_arch = "x86_64")]
mod host;
mod models;
mod ordinary;
mod samples;
mod transcendental;
