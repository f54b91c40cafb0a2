//! Runs the assembler: the built-in UASM, or a JWasm that the user names. Both accept the same
//! options.
//!
//! The assembler works in its own scratch folder and sees only staged copies. So the user's folder
//! does not change, and no host path gets into an object. Messages are converted to [`Diagnostic`]s
//! with the user's file names.

mod report;
mod stage;

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::diagnostic::{Diagnostic, Place, Severity, ToolError};
use super::dialect;
use super::reading::Dialect;
use super::sandbox::{self, ExitOutcome, SandboxPolicy};
use super::{Assembled, BuildRequest, LinkInput};
use oxbox_files::scratch::{self, ScratchFolder};
use stage::StagingDir;

/// Returns the position of the file name in an include line.
pub(crate) fn included(line: &[u8]) -> Option<Range<usize>> {
    stage::included(line).map(|(_, name)| name)
}

/// The executable of UASM; `None` if no C compiler for the host was found when oxbox was built.
#[cfg(carries_assembler)]
const UASM: Option<&[u8]> = Some(include_bytes!(concat!(env!("OUT_DIR"), "/uasm")));
#[cfg(not(carries_assembler))]
const UASM: Option<&[u8]> = None;

/// Options for a listing of the lines without the symbols.
const LISTING_OPTIONS: [&str; 2] = ["-Fllisting.txt", "-Sn"];

/// The most repetitions of assembling a source with errors, each without the faulty lines.
const MOST_ROUNDS: usize = 5;

pub(super) struct Assembler {
    program: PathBuf,
    /// Options that only the built-in assembler accepts.
    own_options: &'static [&'static str],
    /// The folder of the unpacked built-in assembler, removed with this value.
    _unpacked: Option<ScratchFolder>,
}

impl Assembler {
    /// Creates an assembler: the program `chosen`, or the built-in one.
    pub(super) fn new(chosen: Option<&Path>) -> Result<Self, ToolError> {
        if let Some(program) = chosen {
            // The assembler runs in another folder, so a relative path is made absolute. A bare
            // name is looked up in PATH.
            let program = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
            return Ok(Self { program, own_options: &[], _unpacked: None });
        }
        let (folder, program) = unpack(UASM.ok_or(ToolError::NoAssemblerForHost)?)?;
        // The macro library makes each run several times slower, and defines names that old
        // programs use.
        Ok(Self { program, own_options: &["-nomlib"], _unpacked: Some(folder) })
    }

    pub(super) fn assemble(
        &self,
        path: &Path,
        source: &[u8],
        request: &BuildRequest,
        files: &mut Vec<PathBuf>,
    ) -> Result<Assembled, ToolError> {
        let mut stage = StagingDir::set(path, source, request, files)?;
        let mut run = Run {
            listing: request.listing,
            processor: None,
            has_far_jumps: false,
            has_open_procedures: false,
        };
        let (mut ended, mut warnings) = (ExitOutcome::default(), Vec::new());
        let told = dialect::of(source);
        let reading = request.reading.dialect.unwrap_or(told.dialect);
        let (mut notes, mut was_rewritten) = (Vec::new(), false);
        // A source is rewritten only if a dialect was asked for: what UASM accepts needs no
        // rewriting.
        let is_rewritten = request.reading.dialect.is_some_and(|dialect| dialect != Dialect::Masm6);
        for is_rewritten in [is_rewritten, true] {
            if is_rewritten {
                notes = stage.adapt(reading)?;
                was_rewritten = true;
            }
            (ended, warnings) = self.round(&stage, run)?;
            if has_errors(&warnings)
                && self.mend(&stage, &mut run, request, &mut ended, &mut warnings, is_rewritten)?
            {
                break;
            }
            let is_out_of_memory = warnings.iter().any(|message| message.code == Some(report::OUT_OF_MEMORY));
            if is_rewritten || !has_errors(&warnings) || stage.cycle().is_some() || is_out_of_memory {
                break;
            }
        }
        if was_rewritten {
            warnings.push(told.note(path, request.reading.dialect));
        }
        warnings.extend(notes);
        if has_errors(&warnings) {
            // A line that is assembled repeatedly has no other mistake.
            if let Some(cycle) = stage.cycle().filter(|_| has_repetitions(&warnings)) {
                return Err(ToolError::Rejected(vec![cycle.clone()]));
            }
            // The assembler stops after the pass that finds errors. Errors of later passes appear
            // when those lines are removed.
            let mut latest = warnings.clone();
            run.listing = false;
            for _ in 0..MOST_ROUNDS {
                latest.retain(is_error);
                if latest.is_empty() || !stage.comment_out(&latest)? {
                    break;
                }
                latest = self.round(&stage, run)?.1;
                latest.retain(|message| is_error(message) && !warnings.contains(message));
                warnings.extend(latest.iter().cloned());
            }
            warnings.sort_by_key(|message| match message.place {
                _ if message.severity == Severity::Note => u32::MAX,
                Place::Line(line) => line,
                _ => 0,
            });
            without_consequences(&mut warnings, &stage);
            return Err(ToolError::Rejected(warnings));
        }
        let user_name = path.display().to_string();
        let reason = match fs::read(stage.path().join(stage::OBJECT)) {
            Ok(bytes) if ended.is_success() => {
                let source_names = stage.user_names();
                let listing = fs::read(stage.path().join(stage::LISTING)).unwrap_or_default();
                return Ok(Assembled {
                    listing: stage.restored(&reproducible_listing(&user_name, &listing)),
                    spellings: stage.spellings(),
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

    /// Fixes errors that another assembler would not report: instructions of a processor that the
    /// source does not name, and operands whose size follows from a register. Returns whether no
    /// error is left.
    fn mend(
        &self,
        stage: &StagingDir,
        run: &mut Run,
        request: &BuildRequest,
        ended: &mut ExitOutcome,
        messages: &mut Vec<Diagnostic>,
        is_rewritten: bool,
    ) -> Result<bool, ToolError> {
        let is_of = |message: &Diagnostic, code: u16| is_error(message) && message.code == Some(code);
        if run.processor.is_none() && messages.iter().any(|message| is_of(message, report::NOT_IN_PROCESSOR))
        {
            run.processor = Some(request.reading.processor);
            (*ended, *messages) = self.round(stage, *run)?;
        }
        let mut notes = Vec::new();
        for _ in 0..if is_rewritten { MOST_ROUNDS } else { 0 } {
            let mut is_changed = false;
            if run.processor.is_some()
                && messages.iter().any(|message| is_of(message, report::NOT_IN_PROCESSOR))
            {
                is_changed |= stage.without_8086()?;
            }
            for message in messages.iter().filter(|message| is_error(message)) {
                let mut said = None;
                is_changed |= stage.change(message, |line| {
                    if is_of(message, report::OTHER_SIZE) {
                        dialect::inverted(line).or_else(|| {
                            said = Some("operands of different sizes: read with the size of the register; write byte ptr or word ptr".to_owned());
                            dialect::sized(line)
                        })
                    } else if is_of(message, report::NO_SIZE) {
                        let (line, size) = dialect::supposed(line)?;
                        said = Some(format!("the operand has no size: read as a {size}; write {size} ptr"));
                        Some(line)
                    } else if is_of(message, report::TOO_FAR) {
                        run.has_far_jumps = true;
                        dialect::far_jump(line)
                    } else {
                        None
                    }
                })?;
                let said = said.map(|text| Diagnostic {
                    place: message.place.clone(),
                    ..Diagnostic::warning(&message.file, text)
                });
                notes.extend(said.filter(|note| !notes.contains(note)));
            }
            if !run.has_open_procedures && messages.iter().any(|message| is_of(message, report::NOT_DEFINED))
            {
                // Names that two procedures define stay local.
                let open = Run { has_open_procedures: true, ..*run };
                let (other, others) = self.round(stage, open)?;
                let count =
                    |messages: &[Diagnostic]| messages.iter().filter(|message| is_error(message)).count();
                if count(&others) < count(messages) {
                    (*run, *ended, *messages) = (open, other, others);
                    continue;
                }
            }
            if !is_changed {
                break;
            }
            (*ended, *messages) = self.round(stage, *run)?;
        }
        if !has_errors(messages) {
            messages.extend(notes);
        }
        Ok(!has_errors(messages))
    }

    /// Runs the assembler once. Returns its exit status and messages.
    fn round(&self, stage: &StagingDir, run: Run) -> Result<(ExitOutcome, Vec<Diagnostic>), ToolError> {
        let mut command = Command::new(&self.program);
        command
            .args(["-nologo", "-omf", "-X", "-Cu", "-Zi"])
            .args(self.own_options)
            .args([format!("-Fo{}", stage::OBJECT), format!("-Fw{}", stage::MESSAGES)])
            .args(stage.folders().map(|folder| format!("-I{}", folder.display())))
            .args(if run.listing { &LISTING_OPTIONS[..] } else { &[] })
            .args(run.processor.map(|processor| format!("-{processor}")))
            .args(stage.prelude(run.processor, &run.additions())?.then(|| format!("-Fi{}", stage::PRELUDE)))
            .arg(stage.source())
            .current_dir(stage.path());
        let failed =
            |error: io::Error| ToolError::Assembler { assembler: self.program.clone(), source: error };
        let policy = SandboxPolicy { scratch: stage.path(), reads: stage.folders().collect() };
        let ended = sandbox::run(&command, &policy).map_err(failed)?;

        let messages = fs::read(stage.path().join(stage::MESSAGES)).unwrap_or_default();
        Ok((ended, report::parse(&messages, stage)))
    }
}

#[derive(Clone, Copy, Debug)]
struct Run {
    listing: bool,
    /// The initial processor: 0 for the 8086.
    processor: Option<u8>,
    /// Whether a conditional jump that is too far is replaced by one over a near jump.
    has_far_jumps: bool,
    /// Whether labels of procedures are visible everywhere, as in MASM 5 and TASM.
    has_open_procedures: bool,
}

impl Run {
    /// Returns the lines that UASM reads before the source.
    fn additions(self) -> String {
        let open = if self.has_open_procedures { "option noscoped\n" } else { "" };
        format!("{open}{}", if self.has_far_jumps { dialect::FAR_JUMP } else { "" })
    }
}

fn is_error(message: &Diagnostic) -> bool {
    message.severity == Severity::Error
}

fn has_errors(messages: &[Diagnostic]) -> bool {
    messages.iter().any(is_error)
}

/// Removes messages that follow from another error: further ones of its line, and names whose
/// definition failed or that were already reported.
fn without_consequences(messages: &mut Vec<Diagnostic>, stage: &StagingDir) {
    let errors: Vec<Diagnostic> = messages.iter().filter(|message| is_error(message)).cloned().collect();
    let names: Vec<String> = errors.iter().flat_map(|error| stage.defined_at(error)).collect();
    let mut seen: Vec<Diagnostic> = Vec::new();
    messages.retain(|message| {
        if !is_error(message) {
            return true;
        }
        let has_line = matches!(message.place, Place::Line(_));
        let is_again = |other: &Diagnostic| {
            has_line && other.file == message.file && other.place == message.place
                || message.code == Some(report::NOT_DEFINED) && other.text == message.text
        };
        let is_undefined =
            |name: &String| message.text.eq_ignore_ascii_case(&format!("`{name}` is not defined"));
        let follows = seen.iter().any(is_again)
            || message.code == Some(report::NOT_DEFINED) && names.iter().any(is_undefined);
        if !follows {
            seen.push(message.clone());
        }
        !follows
    });
}

fn has_repetitions(messages: &[Diagnostic]) -> bool {
    messages.iter().enumerate().any(|(at, message)| messages[..at].contains(message))
}

/// Returns a listing with the user's name of the source, without the build date of the assembler
/// and the time it took: the same source gives the same listing.
fn reproducible_listing(user_name: &str, listing: &[u8]) -> String {
    let text = String::from_utf8_lossy(listing);
    let lines: Vec<&str> = text.trim_end().lines().skip(3).map(str::trim_end).collect();
    let Some((summary, lines)) = lines.split_last() else { return String::new() };
    let body: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    format!("{user_name}\n{body}{}\n", without_time(summary))
}

/// Removes the time from the summary `NAME: 10 lines, 2 passes, 604 ms, 0 warnings, 0 errors`.
fn without_time(summary: &str) -> String {
    let parts: Vec<&str> = summary.split(", ").collect();
    let is_time = |part: &str| part.strip_suffix(" ms").is_some_and(|ms| ms.parse::<u64>().is_ok());
    if !summary.ends_with(" errors") {
        return summary.to_owned();
    }
    let from_end = parts.len().saturating_sub(3);
    let kept = parts.iter().enumerate().filter(|(at, part)| *at != from_end || !is_time(part));
    kept.map(|(_, part)| *part).collect::<Vec<_>>().join(", ")
}

/// Writes the built-in assembler to a private folder from which it can be executed.
fn unpack(uasm: &[u8]) -> Result<(ScratchFolder, PathBuf), ToolError> {
    let mut last = None;
    // If the temporary folder is mounted without permission to execute, the user's cache is tried.
    for parent in [Some(scratch::parent()), cache_folder()].into_iter().flatten() {
        match unpack_in(&parent, uasm) {
            Ok(done) => return Ok(done),
            Err(error) => last = Some(ToolError::file(parent, error)),
        }
    }
    Err(last.unwrap_or_else(|| ToolError::file(scratch::parent(), io::ErrorKind::NotFound.into())))
}

fn unpack_in(parent: &Path, uasm: &[u8]) -> io::Result<(ScratchFolder, PathBuf)> {
    fs::create_dir_all(parent)?;
    let folder = ScratchFolder::new_in(parent)?;
    let program = folder.path().join(if cfg!(windows) { "uasm.exe" } else { "uasm" });
    fs::write(&program, uasm)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700))?;
    }
    let mut trial = Command::new(&program);
    trial.arg("-nologo").current_dir(folder.path());
    sandbox::try_out(&mut trial, &SandboxPolicy { scratch: folder.path(), reads: Vec::new() })?;
    Ok((folder, program))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_does_not_tell_how_long_it_took() {
        let rows = [
            (
                "a.asm: 10 lines, 2 passes, 604 ms, 0 warnings, 0 errors",
                "a.asm: 10 lines, 2 passes, 0 warnings, 0 errors",
            ),
            ("text db '1 ms, 2 ms'", "text db '1 ms, 2 ms'"),
            ("db '5, 1 ms, a, b'", "db '5, 1 ms, a, b'"),
            ("", ""),
        ];
        for (line, expected) in rows {
            assert_eq!(without_time(line), expected);
        }
        assert_eq!(reproducible_listing("a.asm", b"UASM of today\n\nx\n nop\n\n"), "a.asm\n nop\n");
        assert_eq!(reproducible_listing("a.asm", b""), "");
    }
}
