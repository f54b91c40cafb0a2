//! The fuzz targets: functions that must return without a panic for any bytes.
//!
//! `tests/fuzz` runs them over the seeds, libFuzzer over its variations of these.

mod cpu;
mod loader;
mod machine;
mod omf;
mod saved;
mod services;
mod snapshot;
mod texts;

/// Every target by name.
pub(crate) const TARGETS: [(&str, fn(&[u8])); 11] = [
    ("cpu", cpu::run),
    ("machine", machine::run),
    ("services", services::run),
    ("loader", loader::run),
    ("omf", omf::run),
    ("saved", saved::run),
    ("snapshot", snapshot::run),
    ("script", texts::script),
    ("suite", texts::suite),
    ("symbols", texts::symbols),
    ("words", texts::words),
];
