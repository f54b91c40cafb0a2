//! Programs under test: read, or assembled and linked once for all tests.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::model::SuiteError;
use crate::inspect::Symbols;
use crate::toolchain::{self, BuildRequest, Diagnostic, Format, Place, Severity, ToolError, parts};

/// No program file of DOS is larger: memory ends at 1 MiB, and what stands behind the image is data.
const LARGEST: u64 = 16 << 20;

/// Messages that are kept of a program that does not assemble.
const MOST_ERRORS: usize = 50;

/// What is wrong with a program that cannot be built or read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuildError {
    /// The file.
    pub file: String,
    /// The line in it, where that is known.
    pub line: Option<u32>,
    /// What is the matter.
    pub message: String,
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// A program that can be run.
#[derive(Debug)]
pub(super) struct Program {
    /// Its name on drive C:.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Names and lines of one that was linked here.
    pub(super) symbols: Option<Symbols>,
}

/// Several sources and libraries as the one name that `oxbox run` takes: joined by `+`.
pub(super) fn joined(paths: &[PathBuf]) -> PathBuf {
    let names: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    PathBuf::from(names.join("+"))
}

impl Program {
    /// Reads or builds the program, and notes the files that are read for it. The inner error is the program's fault.
    pub(super) fn open(
        path: &Path,
        includes: &[PathBuf],
        assembler: Option<&Path>,
        files: &mut Vec<PathBuf>,
    ) -> Result<Result<Program, Vec<BuildError>>, SuiteError> {
        let parts = parts(path);
        let host_name =
            parts[0].file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        for part in &parts {
            if let Err(error) = look(part) {
                return Ok(Err(vec![at_fault(part, &error)]));
            }
        }
        let source =
            |extension: &str| parts[0].extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
        if parts.len() == 1 && !source("asm") && !source("obj") {
            let read = std::fs::read(path).map_err(|error| vec![at_fault(path, &error)]);
            return Ok(read.map(|bytes| Program { name: host_name, bytes, symbols: None }));
        }
        let request = BuildRequest {
            inputs: parts.clone(),
            includes: includes.to_vec(),
            assembler: assembler.map(Path::to_owned),
            ..BuildRequest::default()
        };
        match toolchain::build_noting(&request, files) {
            Ok(linked) => {
                let extension = if linked.format == Format::Com { "COM" } else { "EXE" };
                let name = Path::new(&host_name).with_extension(extension).display().to_string();
                Ok(Ok(Program { name, bytes: linked.bytes, symbols: Some(linked.symbols) }))
            }
            Err(ToolError::Rejected(messages)) => Ok(Err(errors(messages))),
            Err(error @ (ToolError::File { .. } | ToolError::NoInput)) => Ok(Err(vec![BuildError {
                file: path.display().to_string(),
                line: None,
                message: error.to_string(),
            }])),
            Err(other) => Err(SuiteError::Host(other.to_string())),
        }
    }
}

fn look(path: &Path) -> std::io::Result<()> {
    use std::io::{Error, ErrorKind};
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    if about.len() > LARGEST {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {LARGEST} bytes")));
    }
    Ok(())
}

fn at_fault(path: &Path, error: &std::io::Error) -> BuildError {
    BuildError { file: path.display().to_string(), line: None, message: format!("cannot be read: {error}") }
}

/// The errors of a build; its warnings say nothing that a failed test asks.
fn errors(messages: Vec<Diagnostic>) -> Vec<BuildError> {
    let errors = messages.into_iter().filter(|message| message.severity == Severity::Error);
    let mut errors: Vec<BuildError> = errors
        .map(|message| BuildError {
            line: if let Place::Line(line) = message.place { Some(line) } else { None },
            message: super::bytes::shortened(&message.text, 500),
            file: message.file,
        })
        .collect();
    if errors.len() > MOST_ERRORS {
        let more = errors.len() - MOST_ERRORS;
        errors.truncate(MOST_ERRORS);
        let file = errors[0].file.clone();
        errors.push(BuildError { file, line: None, message: format!("and {more} more errors") });
    }
    errors
}
