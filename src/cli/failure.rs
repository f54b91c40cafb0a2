//! The failure of a command: one line for the user, and the exit code.

use std::fmt::Display;
use std::path::Path;

use super::excerpt;
use oxbox::toolchain::Diagnostic;
use thiserror::Error;

/// The reason that a command failed. Shown as one line: what, where, what to do.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// `verify` found a divergence; the report has been printed.
    #[error("the games and their twins diverge")]
    Divergence,
    /// The request refers to something that does not exist, or makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The keys or the script ended while the program still waits.
    #[error("{0}")]
    KeysRanOut(String),
    #[error("{0}")]
    Script(String),
    /// `--time-limit` or `--instruction-limit` was reached.
    #[error("{0}")]
    Limit(String),
    #[error("{0}")]
    Host(String),
    /// The program crashed: an unhandled exception of the processor.
    #[error("{0}")]
    Crashed(String),
    /// Assembling or linking failed: `file:line: message`, and the source line below it.
    #[error("{}", excerpt::with_sources(.0))]
    Build(Vec<Diagnostic>),
    /// A test suite has mistakes: `file:line: message`, one per line.
    #[error("{0}")]
    Suite(String),
    /// The reader of our output has closed it: no message is needed.
    #[error("broken pipe")]
    BrokenPipe,
}

impl Failure {
    pub(crate) fn host(what: impl Display, why: impl Display) -> Failure {
        Failure::Host(format!("{what}: {why}"))
    }

    /// Returns the failure of an output that could not be written.
    pub(crate) fn unwritten(path: &Path, error: impl Into<std::io::Error>) -> Failure {
        let error = error.into();
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::host(format!("cannot write {}", path.display()), error),
        }
    }

    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Divergence | Failure::Script(_) => 1,
            Failure::Usage(_) | Failure::Suite(_) => 2,
            Failure::Crashed(_) => 122,
            Failure::KeysRanOut(_) => 123,
            Failure::Limit(_) => 124,
            Failure::Host(_) => 125,
            Failure::Build(_) => 126,
            // 128 + SIGPIPE, the code of a program that the signal ends.
            Failure::BrokenPipe => 141,
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Host(error.to_string()),
        }
    }
}
