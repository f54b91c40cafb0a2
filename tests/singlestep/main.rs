//! Compares the processor with recordings of real chips, which are too large for the repository:
//!
//! ```text
//! cargo test --test singlestep -- --ignored
//! ```
//! reads samples of the SingleStepTests (8086 and 80286 in real mode) and the ALU results of an 80386 from the folder in
//! `OXBOX_SINGLESTEP_DIR`, or from `shared/data/singlestep` beside the checkout;
//!
//! ```text
//! OXBOX_SUITES=FOLDER cargo test --test singlestep -- --ignored suites --nocapture
//! ```
//! runs whole public suites as published: every file in MOO format or JSON below a folder. Each
//! record is run uncached, cached, and with its code just written by the guest.
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

mod alu386;
mod machine;
mod moo;
mod samples;
mod silicon;
mod suites;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// Returns the records of every file of the folder whose name `what` accepts.
fn records(what: impl Fn(&str) -> bool) -> Vec<Value> {
    let folder = std::env::var_os("OXBOX_SINGLESTEP_DIR").map(PathBuf::from);
    let folder =
        folder.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/singlestep"));
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| {
        panic!("{}: {error}: set OXBOX_SINGLESTEP_DIR to the folder of recordings", folder.display())
    });
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    names.sort();
    let mut records = Vec::new();
    for path in names {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".jsonl.gz") && what(&name) {
            let lines = BufReader::new(MultiGzDecoder::new(File::open(&path).unwrap())).lines();
            records.extend(lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()));
        }
    }
    assert!(!records.is_empty(), "{}: no recordings there", folder.display());
    records
}
