//! What the tool chain tells its user: messages with a place in a file, and the error type of the whole chain.
//!
//! A message always prints as one line, `file:line: message` for a source and `file:record N (NAME at OFFSETh):
//! message` for an object; a warning says so before its text.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Whether a message stops the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing was built.
    Error,
    /// The program was built; the message is advice.
    Warning,
    /// How a source was read: for users who ask.
    Note,
}

/// Where in a file a message belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a source, counted from 1.
    Line(u32),
    /// A record of an object: its number counted from 1, its kind and its offset in the file in bytes.
    Record {
        /// The record's number in its module, from 1.
        number: u32,
        /// The record's name in the OMF specification.
        kind: &'static str,
        /// The byte offset of the record in the file.
        offset: u32,
    },
}

/// One message of the assembler or the linker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file as the user named it; a library's module reads `LIBRARY(MODULE)`.
    pub file: String,
    /// The place in that file.
    pub place: Place,
    /// Error or warning.
    pub severity: Severity,
    /// What is the matter, without a full stop.
    pub text: String,
    /// The assembler's number of the message: 2102 for A2102, which [`crate::messages`] explains.
    pub code: Option<u16>,
    /// What to write.
    pub help: Option<Box<str>>,
    /// The symbol that is wanted and that no object or library of the program defines, as the linker finds.
    pub undefined: Option<Box<str>>,
}

impl Diagnostic {
    /// An error about a file as a whole.
    pub(crate) fn error(file: impl Into<String>, text: impl Into<String>) -> Self {
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

    /// A warning about a file as a whole.
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

/// Why no program was built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The sources or objects are at fault: at least one of the messages is an error.
    #[error("{}", lines(.0))]
    Rejected(Vec<Diagnostic>),
    /// A file could not be read, or a scratch file not be written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the host said.
        source: io::Error,
    },
    /// The assembler could not be started.
    #[error("cannot run the assembler {}: {source}", .assembler.display())]
    Assembler {
        /// The executable that was to run.
        assembler: PathBuf,
        /// What the host said.
        source: io::Error,
    },
    /// There is a source to assemble, but this build of oxbox carries no assembler.
    #[error("{}: oxbox was built without the feature `assembler`", .0.display())]
    NoAssembler(PathBuf),
    /// There is a source to assemble, but no C compiler for this host was found when oxbox was built.
    #[error(
        "this oxbox carries no assembler: it was built for this system without a C compiler for it; name one by --assembler"
    )]
    NoAssemblerForHost,
    /// There was nothing to build from.
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
