//! All fuzz targets in one program, which libFuzzer drives: `OXBOX_FUZZ=cpu oxbox-fuzz FOLDER`.
#![no_main]

#[path = "targets/table.rs"]
mod targets;

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("OXBOX_FUZZ").unwrap_or_default();
    let found = targets::TARGETS.iter().find(|target| target.0 == name);
    found.unwrap_or_else(|| panic!("OXBOX_FUZZ names one of {:?}", targets::TARGETS.map(|target| target.0))).1
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| (*TARGET)(input));
