//! Runs the assembler: UASM, carried in this binary, or the JWasm that the user names. Both take the same options.
//!
//! It works in a scratch folder of its own and sees only staged copies, so the user's folder stays as it was and no
//! host path gets into an object. Its messages come back as [`Diagnostic`]s with the user's file names.

mod emu8086;
mod report;
mod stage;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::confined::{self, Ended, Reach};
use super::diagnostic::{Diagnostic, Place, Severity, ToolError};
use super::{Assembled, LinkInput};
use stage::Stage;

/// UASM for the host, as the crate `uasm` has built it.
const UASM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/uasm"));

/// A listing of the lines, without the symbols.
const LISTING_OPTIONS: [&str; 2] = ["-Fllisting.txt", "-Sn"];

/// How often a source with errors is assembled once more without the lines at fault.
const MOST_ROUNDS: usize = 5;

/// An assembler ready to run.
pub(super) struct Assembler {
    program: PathBuf,
    /// Options that only the built-in assembler knows.
    own_options: &'static [&'static str],
    /// Where the built-in assembler was unpacked; removed with this value.
    _unpacked: Option<tempfile::TempDir>,
}

impl Assembler {
    /// The assembler at `chosen`, or the built-in one.
    pub(super) fn new(chosen: Option<&Path>) -> Result<Self, ToolError> {
        if let Some(program) = chosen {
            // The assembler runs in another folder, so a relative path is made absolute; a bare name is left to PATH.
            let program = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
            return Ok(Self { program, own_options: &[], _unpacked: None });
        }
        let (folder, program) = unpack()?;
        // Its macro library makes each run several times longer, and takes names that a program of the time may use.
        Ok(Self { program, own_options: &["-nomlib"], _unpacked: Some(folder) })
    }

    /// Assembles one source to an object.
    pub(super) fn assemble(
        &self,
        path: &Path,
        source: &[u8],
        includes: &[PathBuf],
        listing: bool,
        files: &mut Vec<PathBuf>,
    ) -> Result<Assembled, ToolError> {
        let stage = Stage::set(path, source, includes, files)?;
        let (ended, mut warnings) = self.round(&stage, listing)?;
        let is_error = |message: &Diagnostic| message.severity == Severity::Error;
        if warnings.iter().any(is_error) {
            // Lines that are assembled over and over have no other mistake.
            if let Some(cycle) = stage.cycle().filter(|_| has_repetitions(&warnings)) {
                return Err(ToolError::Rejected(vec![cycle.clone()]));
            }
            // It stops after the pass that finds errors: what later passes find shows once those lines are out of the way.
            let mut latest = warnings.clone();
            for _ in 0..MOST_ROUNDS {
                latest.retain(is_error);
                if latest.is_empty() || !stage.blank(&latest)? {
                    break;
                }
                latest = self.round(&stage, false)?.1;
                latest.retain(|message| is_error(message) && !warnings.contains(message));
                warnings.extend(latest.iter().cloned());
            }
            warnings.sort_by_key(|message| match message.place {
                Place::Line(line) => line,
                _ => 0,
            });
            return Err(ToolError::Rejected(warnings));
        }
        let user_name = path.display().to_string();
        let reason = match fs::read(stage.path().join(stage::OBJECT)) {
            Ok(bytes) if ended.is_success() => {
                let source_names = stage.user_names();
                let listing = fs::read(stage.path().join(stage::LISTING)).unwrap_or_default();
                return Ok(Assembled {
                    listing: without_first_line(&user_name, &listing),
                    object: LinkInput { name: user_name, bytes, source_names },
                    warnings,
                });
            }
            _ => {
                let why = || Diagnostic::error(user_name, ended.why());
                stage.cycle().cloned().unwrap_or_else(why)
            }
        };
        warnings.push(reason);
        Err(ToolError::Rejected(warnings))
    }

    /// Runs the assembler once: how it ended, and what it had to say.
    fn round(&self, stage: &Stage, listing: bool) -> Result<(Ended, Vec<Diagnostic>), ToolError> {
        let mut command = Command::new(&self.program);
        command
            .args(["-nologo", "-omf", "-X", "-Cu", "-Zi"])
            .args(self.own_options)
            .args([format!("-Fo{}", stage::OBJECT), format!("-Fw{}", stage::MESSAGES)])
            .args(stage.folders().map(|folder| format!("-I{}", folder.display())))
            .args(if listing { &LISTING_OPTIONS[..] } else { &[] })
            .args(stage.has_prelude().then(|| format!("-Fi{}", stage::PRELUDE)))
            .arg(stage.source())
            .current_dir(stage.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Both assemblers take further options from the environment, which would make builds differ.
        for name in ["UASM", "JWASM", "INCLUDE", "ML", "ASM"] {
            command.env_remove(name);
        }
        let failed =
            |error: io::Error| ToolError::Assembler { assembler: self.program.clone(), source: error };
        let reach = Reach { scratch: stage.path(), reads: stage.folders().collect() };
        let ended = confined::run(&mut command, &reach).map_err(failed)?;

        let messages = fs::read(stage.path().join(stage::MESSAGES)).unwrap_or_default();
        Ok((ended, report::parse(&messages, stage)))
    }
}

/// Whether something is said of a line more than once.
fn has_repetitions(messages: &[Diagnostic]) -> bool {
    messages.iter().enumerate().any(|(at, message)| messages[..at].contains(message))
}

/// A listing below the user's name of the source, without the line that tells when the assembler was built.
fn without_first_line(user_name: &str, listing: &[u8]) -> String {
    let text = String::from_utf8_lossy(listing);
    let lines = text.lines().skip(3).map(str::trim_end);
    let body: String = lines.flat_map(|line| [line, "\n"]).collect();
    if body.is_empty() { body } else { format!("{user_name}\n{}\n", body.trim_end()) }
}

/// Writes the built-in assembler to a private folder from which it can be run.
fn unpack() -> Result<(tempfile::TempDir, PathBuf), ToolError> {
    let mut last = None;
    // A temporary folder may be mounted so that nothing in it can be executed; the user's cache is then the next try.
    for parent in [Some(std::env::temp_dir()), cache_folder()].into_iter().flatten() {
        match unpack_in(&parent) {
            Ok(done) => return Ok(done),
            Err(error) => last = Some(ToolError::file(parent, error)),
        }
    }
    Err(last.unwrap_or_else(|| ToolError::file(std::env::temp_dir(), io::ErrorKind::NotFound.into())))
}

fn unpack_in(parent: &Path) -> io::Result<(tempfile::TempDir, PathBuf)> {
    fs::create_dir_all(parent)?;
    let folder = tempfile::Builder::new().prefix("oxbox-").tempdir_in(parent)?;
    let program = folder.path().join(if cfg!(windows) { "uasm.exe" } else { "uasm" });
    fs::write(&program, UASM)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700))?;
    }
    let mut trial = Command::new(&program);
    trial.arg("-nologo").current_dir(folder.path());
    trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    confined::run(&mut trial, &Reach { scratch: folder.path(), reads: Vec::new() })?;
    Ok((folder, program))
}

/// Where the host keeps files that can be made again.
fn cache_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = if cfg!(windows) {
        variable("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        variable("HOME")?.join("Library/Caches")
    } else {
        variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?
    };
    Some(folder.join("oxbox"))
}
