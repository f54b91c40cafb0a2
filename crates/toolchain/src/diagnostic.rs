//! Diagnostics of the tool chain: messages with a place in a file, and the error type.
//!
//! A message is one line: `file:line: message` for a source and `file:record N (NAME at OFFSETh):
//! message` for an object. A warning is marked before its text.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// No program was built.
    Error,
    /// The program was built; the message is advice.
    Warning,
    /// Information on how a source was read.
    Note,
}

/// The place of a message in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A source line, counted from 1.
    Line(u32),
    /// A record of an object.
    Record {
        /// The number of the record in its module, from 1.
        number: u32,
        /// The name of the record in the OMF specification.
        kind: &'static str,
        /// The byte offset of the record in the file.
        offset: u32,
    },
}

/// A message of the assembler or the linker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file as named by the user. A module of a library is `LIBRARY(MODULE)`.
    pub file: String,
    /// The place in that file.
    pub place: Place,
    /// The severity.
    pub severity: Severity,
    /// The message, without a full stop.
    pub text: String,
    /// The assembler's number of the message: 2102 for A2102, which [`crate::messages`] explains.
    pub code: Option<u16>,
    /// Advice on how to fix it.
    pub help: Option<Box<str>>,
    /// The undefined symbol, for a linker error about one.
    pub undefined: Option<Box<str>>,
}

impl Diagnostic {
    /// Creates an error about a file as a whole.
    pub fn error(file: impl Into<String>, text: impl Into<String>) -> Self {
        let (file, text) = (file.into(), text.into());
        Self {
            file,
            place: Place::File,
            severity: Severity::Error,
            text,
            code: None,
            help: None,
            undefined: None,
        }
    }

    /// Creates a warning about a file as a whole.
    pub(crate) fn warning(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(file, text) }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        match &self.place {
            Place::File => {}
            Place::Line(line) => write!(f, "{line}:")?,
            Place::Record { number, kind, offset } => write!(f, "record {number} ({kind} at {offset:X}h):")?,
        }
        match self.severity {
            Severity::Error => {}
            Severity::Warning => write!(f, " warning:")?,
            Severity::Note => write!(f, " note:")?,
        }
        write!(f, " {}", self.text)
    }
}

/// The reason why no program was built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The sources or objects have errors: at least one of the messages is an error.
    #[error("{}", lines(.0))]
    Rejected(Vec<Diagnostic>),
    /// A file could not be read, or a scratch file could not be written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The host's error.
        source: io::Error,
    },
    /// The assembler could not be started.
    #[error("cannot run the assembler {}: {source}", .assembler.display())]
    Assembler {
        /// The executable of the assembler.
        assembler: PathBuf,
        /// The host's error.
        source: io::Error,
    },
    /// A source needs an assembler, but this build of oxbox has none.
    #[error("{}: oxbox was built without the feature `assembler`", .0.display())]
    NoAssembler(PathBuf),
    /// A source needs an assembler, but no C compiler for this host was found when oxbox was built.
    #[error(
        "this oxbox has no built-in assembler, because it was built without a C compiler for this system; name one with --assembler"
    )]
    NoAssemblerForHost,
    /// No input was given.
    #[error("nothing to build: name at least one .ASM or .OBJ file")]
    NoInput,
}

impl ToolError {
    pub(crate) fn file(path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::File { path: path.as_ref().to_owned(), source }
    }
}

fn lines(messages: &[Diagnostic]) -> String {
    messages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        let record = Place::Record { number: 7, kind: "FIXUPP", offset: 0x1A4 };
        let rows = [
            (Place::File, Severity::Error, "A.OBJ: undefined symbol GO"),
            (Place::Line(12), Severity::Error, "A.OBJ:12: undefined symbol GO"),
            (Place::Line(12), Severity::Warning, "A.OBJ:12: warning: undefined symbol GO"),
            (record, Severity::Error, "A.OBJ:record 7 (FIXUPP at 1A4h): undefined symbol GO"),
        ];
        for (place, severity, expected) in rows {
            let message = Diagnostic { place, severity, ..Diagnostic::error("A.OBJ", "undefined symbol GO") };
            assert_eq!(message.to_string(), expected);
        }
    }
}
