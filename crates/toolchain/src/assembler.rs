//! Runs the assembler: UASM, carried in this binary, or the JWasm that the user names. Both take the same options.
//!
//! It works in a scratch folder of its own and sees only staged copies, so the user's folder stays as it was and no
//! host path gets into an object. Its messages come back as [`Diagnostic`]s with the user's file names.

mod report;
mod stage;

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::confined::{self, Ended, Reach};
use super::diagnostic::{Diagnostic, Place, Severity, ToolError};
use super::dialect;
use super::reading::Dialect;
use super::{Assembled, BuildRequest, LinkInput};
use oxbox_files::scratch::{self, ScratchFolder};
use stage::Stage;

/// The place of the file name in a line that includes a file.
pub(crate) fn included(line: &[u8]) -> Option<Range<usize>> {
    stage::included(line).map(|(_, name)| name)
}

/// UASM as an executable of the host; none if no C compiler for the host was found when oxbox was built.
#[cfg(carries_assembler)]
const UASM: Option<&[u8]> = Some(include_bytes!(concat!(env!("OUT_DIR"), "/uasm")));
#[cfg(not(carries_assembler))]
const UASM: Option<&[u8]> = None;

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
    _unpacked: Option<ScratchFolder>,
}

impl Assembler {
    /// The assembler at `chosen`, or the built-in one.
    pub(super) fn new(chosen: Option<&Path>) -> Result<Self, ToolError> {
        if let Some(program) = chosen {
            // The assembler runs in another folder, so a relative path is made absolute; a bare name is left to PATH.
            let program = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
            return Ok(Self { program, own_options: &[], _unpacked: None });
        }
        let (folder, program) = unpack(UASM.ok_or(ToolError::NoAssemblerForHost)?)?;
        // Its macro library makes each run several times longer, and takes names that a program of the time may use.
        Ok(Self { program, own_options: &["-nomlib"], _unpacked: Some(folder) })
    }

    /// Assembles one source to an object.
    pub(super) fn assemble(
        &self,
        path: &Path,
        source: &[u8],
        request: &BuildRequest,
        files: &mut Vec<PathBuf>,
    ) -> Result<Assembled, ToolError> {
        let mut stage = Stage::set(path, source, request, files)?;
        let mut run = Run {
            listing: request.listing,
            processor: None,
            has_far_jumps: false,
            has_open_procedures: false,
        };
        let (mut ended, mut warnings) = (Ended::default(), Vec::new());
        let told = dialect::of(source);
        let reading = request.reading.dialect.unwrap_or(told.dialect);
        let (mut notes, mut was_rewritten) = (Vec::new(), false);
        // As it is, unless a dialect was asked for: what UASM takes needs no rewriting.
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
            let is_out_of_memory = warnings.iter().any(|message| message.text == confined::OUT_OF_MEMORY);
            if is_rewritten || !has_errors(&warnings) || stage.cycle().is_some() || is_out_of_memory {
                break;
            }
        }
        if was_rewritten {
            warnings.push(told.note(path, request.reading.dialect));
        }
        warnings.extend(notes);
        if has_errors(&warnings) {
            // Lines that are assembled over and over have no other mistake.
            if let Some(cycle) = stage.cycle().filter(|_| has_repetitions(&warnings)) {
                return Err(ToolError::Rejected(vec![cycle.clone()]));
            }
            // It stops after the pass that finds errors: what later passes find shows once those lines are out of the way.
            let mut latest = warnings.clone();
            run.listing = false;
            for _ in 0..MOST_ROUNDS {
                latest.retain(is_error);
                if latest.is_empty() || !stage.blank(&latest)? {
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

    /// Mends what the messages name and another assembler would take: instructions of a processor that the source does not name, and
    /// operands whose size a register decides. Whether no error is left.
    fn mend(
        &self,
        stage: &Stage,
        run: &mut Run,
        request: &BuildRequest,
        ended: &mut Ended,
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
                        said = Some("operands of different sizes: read with the size of the register; say byte ptr or word ptr".to_owned());
                        dialect::sized(line)
                    } else if is_of(message, report::NO_SIZE) {
                        let (line, size) = dialect::supposed(line)?;
                        said = Some(format!("the operand has no size: read as a {size}; say {size} ptr"));
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
                // Names that two procedures have stay theirs alone.
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

    /// Runs the assembler once: how it ended, and what it had to say.
    fn round(&self, stage: &Stage, run: Run) -> Result<(Ended, Vec<Diagnostic>), ToolError> {
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
        let reach = Reach { scratch: stage.path(), reads: stage.folders().collect() };
        let ended = confined::run(&command, &reach).map_err(failed)?;

        let messages = fs::read(stage.path().join(stage::MESSAGES)).unwrap_or_default();
        Ok((ended, report::parse(&messages, stage)))
    }
}

/// How the assembler is run.
#[derive(Clone, Copy, Debug)]
struct Run {
    listing: bool,
    /// The processor to begin with: 0 for the 8086.
    processor: Option<u8>,
    /// Whether a jump goes by way of another one.
    has_far_jumps: bool,
    /// Whether labels of procedures are known everywhere, as MASM 5 and TASM have it.
    has_open_procedures: bool,
}

impl Run {
    /// Lines that UASM reads before the source.
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

/// Leaves out what follows from another error: further ones of its line, names whose definition is at fault, and names once more.
fn without_consequences(messages: &mut Vec<Diagnostic>, stage: &Stage) {
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

/// Whether something is said of a line more than once.
fn has_repetitions(messages: &[Diagnostic]) -> bool {
    messages.iter().enumerate().any(|(at, message)| messages[..at].contains(message))
}

/// A listing below the user's name of the source, without the line that tells when the assembler was built and without the time that
/// it took: the same source gives the same listing.
fn reproducible_listing(user_name: &str, listing: &[u8]) -> String {
    let text = String::from_utf8_lossy(listing);
    let lines: Vec<&str> = text.trim_end().lines().skip(3).map(str::trim_end).collect();
    let Some((summary, lines)) = lines.split_last() else { return String::new() };
    let body: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    format!("{user_name}\n{body}{}\n", without_time(summary))
}

/// The summary `NAME: 10 lines, 2 passes, 604 ms, 0 warnings, 0 errors` without its milliseconds.
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

/// Writes the built-in assembler to a private folder from which it can be run.
fn unpack(uasm: &[u8]) -> Result<(ScratchFolder, PathBuf), ToolError> {
    let mut last = None;
    // A temporary folder may be mounted so that nothing in it can be executed; the user's cache is then the next try.
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
    confined::try_out(&mut trial, &Reach { scratch: folder.path(), reads: Vec::new() })?;
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
