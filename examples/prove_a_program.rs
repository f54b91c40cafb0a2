//! Compares a DOS program with its model in Rust for every possible input; then again with a
//! mistake in the program, which is found with the shortest keys that show it.
//!
//! `cargo run --example prove_a_program`

use oxbox::toolchain::{BuildRequest, build};
use oxbox::walk::{Choices, Comparison, Model, SameOptions, Setup, prove};
use std::error::Error;
use std::fs;

const SOURCE: &str = include_str!("parity.asm");

/// Eight switches and their parity.
#[derive(Clone, Default, Hash)]
struct Parity {
    switches: u8,
    exit: Option<u8>,
}

impl Model for Parity {
    fn take(&mut self, choice: &str) {
        match choice {
            "q" => self.exit = Some(self.switches.count_ones() as u8),
            "c" => self.switches = 0,
            "8" | "/" | "x" => {}
            digit => self.switches ^= 1 << digit.parse::<u8>().unwrap_or(0),
        }
    }

    fn screen(&self) -> String {
        let parity = ["even", "odd"][self.switches.count_ones() as usize % 2];
        format!("{:08b} {parity}", self.switches)
    }

    fn exit(&self) -> Option<u8> {
        self.exit
    }
}

/// Returns the comparison of a source's program with the model.
fn proof(source: &str) -> Result<Comparison, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("parity.asm");
    fs::write(&path, source)?;
    let program = build(&BuildRequest { inputs: vec![path], ..oxbox::built_in::build_request() })?;
    let setup = Setup::new(program.bytes, "PARITY.COM");
    let choices = Choices::from_words("0-8 / x c q")?;
    Ok(prove(&setup, &Parity::default(), &choices, &SameOptions::default(), &|_| {})?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let good = proof(SOURCE)?;
    assert!(good.difference.is_none() && good.stats.complete && good.stats.exact);
    println!("proved: {} states, {} choices tried", good.stats.states, good.stats.choices_tried);

    for (right, wrong) in [
        ("or      bl, bl", "test    bl, 7Fh"),
        ("je      start", "je      show"),
        ("adc     al, 0", "inc     al"),
    ] {
        let bad = proof(&SOURCE.replacen(right, wrong, 1))?;
        let found = bad.difference.ok_or("the mistake is not found")?;
        println!("{wrong}: found with {}: {}", found.keys, found.what);
    }
    Ok(())
}
