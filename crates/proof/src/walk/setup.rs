//! The setup of an exploration: a program, its machine and its limits.

use super::choices::Act;
use super::filling::Filling;
use oxbox_inspect::Symbols;
use oxbox_machine::machine::Config;
use std::sync::Arc;

/// The default limit of instructions between two waits.
pub const INSTRUCTION_LIMIT: u64 = 50_000_000;

/// The default limit of virtual time between two waits, in ms.
pub const TIME_LIMIT_MS: u64 = 60_000;

/// The program under test and its initial state.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The machine.
    pub config: Config,
    /// The program, an EXE or COM file.
    pub program: Vec<u8>,
    /// Its path on drive C:.
    pub name: String,
    /// Its command tail.
    pub arguments: String,
    /// The initial inputs.
    pub opening: Vec<Act>,
    /// The contents of the program's memory that loading does not write; zeros by default.
    pub filling: Option<Filling>,
    /// The limit of instructions between two waits.
    pub instruction_limit: u64,
    /// The limit of virtual time between two waits, in ms.
    pub time_limit_ms: u64,
    /// The symbols, to name source lines.
    pub symbols: Option<Arc<Symbols>>,
}

impl Setup {
    /// Creates the setup of a program on the default machine, with an empty drive in memory.
    pub fn new(program: Vec<u8>, name: impl Into<String>) -> Setup {
        Setup {
            config: Config::default(),
            program,
            name: name.into(),
            arguments: String::new(),
            opening: Vec::new(),
            filling: None,
            instruction_limit: INSTRUCTION_LIMIT,
            time_limit_ms: TIME_LIMIT_MS,
            symbols: None,
        }
    }
}
