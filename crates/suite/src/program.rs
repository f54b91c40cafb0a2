//! Programs under test: read, or assembled and linked once for all tests.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::model::SuiteError;
use super::submission::Staged;
use oxbox_inspect::Symbols;
use oxbox_toolchain::{
    BuildRequest, Diagnostic, Format, Place, Severity, ToolError, build_noting, is_built_from, parts,
};

/// The size limit of program files. Memory ends at 1 MiB; bytes after the image are data.
const LARGEST: u64 = 16 << 20;

/// The most messages kept of a program that does not assemble.
const MOST_ERRORS: usize = 50;

/// An error in a program that cannot be built or read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuildError {
    /// The file.
    pub file: String,
    /// The line in the file, if known.
    pub line: Option<u32>,
    /// The message.
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

#[derive(Debug)]
pub(super) struct Program {
    /// Its name on drive C:.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Symbols and lines of a program that was linked here.
    pub(super) symbols: Option<Symbols>,
    /// Whether it is a boot sector, from which the machine starts without DOS.
    pub(super) boots: bool,
}

/// Joins several sources and libraries with `+` to one name, as `oxbox run` accepts it.
pub(super) fn joined(paths: &[PathBuf]) -> PathBuf {
    let names: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    PathBuf::from(names.join("+"))
}

impl Program {
    /// Reads or builds a submission from copies of its own files and of `include_files`, and
    /// records the files that it reads. The inner error is the submission's fault.
    pub(super) fn submitted(
        path: &Path,
        build: &BuildRequest,
        include_files: &[PathBuf],
        files: &mut Vec<PathBuf>,
    ) -> Result<Result<Program, Vec<BuildError>>, SuiteError> {
        let staged = match Staged::copy(path, include_files) {
            Ok(staged) => staged,
            Err((path, error)) => return Ok(Err(vec![at_fault(&path, &error)])),
        };
        let mut build = build.clone();
        build.includes.extend(staged.includes.clone());
        let mut read = Vec::new();
        let built = Program::open(&joined(&staged.parts), &build, &mut read)?;
        files.extend(read.iter().map(|file| PathBuf::from(staged.user_text(&file.to_string_lossy()))));
        Ok(match built {
            Ok(mut program) => {
                if let Some(symbols) = &mut program.symbols {
                    symbols.rename_files(|file| staged.user_text(file));
                }
                Ok(program)
            }
            Err(mut errors) => {
                for error in &mut errors {
                    error.file = staged.user_text(&error.file);
                    error.message = staged.user_text(&error.message);
                }
                Err(errors)
            }
        })
    }

    /// Reads or builds a program of the suite in its folder, and records the files that it reads.
    /// The inner error is the program's fault.
    pub(super) fn open(
        path: &Path,
        build: &BuildRequest,
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
        if parts.len() == 1 && !is_built_from(&parts[0]) {
            let read = std::fs::read(path).map_err(|error| vec![at_fault(path, &error)]);
            return Ok(read.map(|bytes| Program { name: host_name, bytes, symbols: None, boots: false }));
        }
        let request = BuildRequest { inputs: parts.clone(), ..build.clone() };
        match build_noting(&request, files) {
            Ok(linked) => {
                let extension = if linked.format == Format::Com { "COM" } else { "EXE" };
                let name = Path::new(&host_name).with_extension(extension).display().to_string();
                // Symbols of a boot sector have no address, because no loader reports it.
                let symbols = (!linked.boots).then_some(linked.symbols);
                Ok(Ok(Program { name, bytes: linked.bytes, symbols, boots: linked.boots }))
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

/// Returns the errors of a build without its warnings, which do not matter for a failed test.
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
