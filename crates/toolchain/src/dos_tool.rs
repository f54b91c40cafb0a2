//! Runs DOS assemblers and linkers on the caller's machine, with a scratch folder as their drive
//! C:.
//!
//! ```text
//!   sources, includes ──stage──> drive C: ──assembler──> OBJ or COM ──our linker, or the one beside the assembler──> program
//!                                              └── report: its messages with the user's files and lines
//! ```
//! The file name identifies the tool, and so its command line and the format of its messages.

mod a86;
mod report;
mod stage;

use std::fs;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Severity, ToolError};
use crate::link::{LinkInput, Linked, link};
use crate::symbols::Symbols;
use crate::{BuildRequest, Format, boot, debug_file, files, is_object, nasm};
use stage::{StagingDir, TOOL_FOLDER};

/// A DOS program to run.
#[derive(Clone, Copy, Debug)]
pub struct DosJob<'a> {
    /// The host folder for drive C:.
    pub folder: &'a Path,
    /// The program file.
    pub program: &'a [u8],
    /// Its path on drive C:.
    pub name: &'a str,
    /// The command tail.
    pub tail: &'a str,
}

/// The result of a DOS program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DosEnd {
    /// The exit code, if the program terminated normally.
    pub code: Option<u8>,
    /// The text that it printed.
    pub output: String,
    /// The reason for an abnormal end.
    pub why: Option<String>,
}

/// Runs a DOS program. The error says why it cannot be started.
pub type DosRunner = fn(&DosJob) -> Result<DosEnd, String>;

/// A family of assemblers with the same command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Tasm,
    Masm,
    Ml,
    A86,
    Wasm,
    Jwasm,
    Nasm,
}

/// Prefixes of file names and their families.
const FAMILIES: [(&str, Family); 7] = [
    ("tasm", Family::Tasm),
    ("masm", Family::Masm),
    ("ml", Family::Ml),
    ("a86", Family::A86),
    ("wasm", Family::Wasm),
    ("jwasm", Family::Jwasm),
    ("nasm", Family::Nasm),
];

pub(crate) struct DosAssembler {
    path: PathBuf,
    family: Family,
    run: DosRunner,
}

impl DosAssembler {
    /// Returns the assembler of a request if it is a real-mode program and the caller can run it.
    /// Fails if its name does not identify the assembler.
    pub(crate) fn of(request: &BuildRequest) -> Result<Option<DosAssembler>, ToolError> {
        let (Some(path), Some(run)) = (&request.assembler, request.dos) else { return Ok(None) };
        if !is_real_mode(path) {
            return Ok(None);
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let Some(&(_, family)) = FAMILIES.iter().find(|(name, _)| stem.starts_with(name)) else {
            let names: Vec<&str> = FAMILIES.iter().map(|(name, _)| *name).collect();
            let text = format!(
                "cannot recognise the DOS assembler; its name must begin with one of: {}",
                names.join(", ")
            );
            return Err(ToolError::Rejected(vec![Diagnostic::error(path.display().to_string(), text)]));
        };
        Ok(Some(DosAssembler { path: path.clone(), family, run }))
    }

    /// Assembles the sources and links everything to a program. Fails as [`crate::build`] does.
    pub(crate) fn build(
        &self,
        request: &BuildRequest,
        files: &mut Vec<PathBuf>,
    ) -> Result<Linked, ToolError> {
        let mut stage = StagingDir::new()?;
        stage.put_tool(&self.path)?;
        let (mut objects, mut messages, mut is_boot_sector) = (Vec::new(), Vec::new(), false);
        for path in &request.inputs {
            let bytes = files::read(path).map_err(|source| ToolError::file(path, source))?;
            files.push(path.clone());
            if is_object(path, &bytes) {
                objects.push(LinkInput::new(path.display().to_string(), bytes));
                continue;
            }
            is_boot_sector |= boot::is_source(&bytes);
            let name = stage.put_source(path, &bytes, request, files)?;
            let is_whole = request.inputs.len() == 1 && self.makes_whole(&bytes);
            let made = self.assemble(&stage, &name, is_whole, &mut messages)?;
            let Some(bytes) = made.filter(|_| !has_errors(&messages)) else { continue };
            if is_whole {
                let symbols = self.symbols_of_whole(&stage, &name, bytes.len());
                let linked = linked(bytes, Format::Com, symbols, messages, files);
                return Ok(if is_boot_sector { boot::sector(linked) } else { linked });
            }
            let source_names = stage.names().clone();
            objects.push(LinkInput { name: path.display().to_string(), bytes, source_names });
        }
        if has_errors(&messages) {
            return Err(ToolError::Rejected(messages));
        }
        if objects.is_empty() {
            return Err(ToolError::NoInput);
        }
        let mut library = |name: &str| crate::default_library(request, name).ok().flatten();
        let ours = link(objects.clone(), &mut library, request.options);
        let is_com = ours.as_ref().is_ok_and(|ours| ours.format == Format::Com);
        let theirs = self.linker().filter(|_| !is_com);
        let theirs = theirs.map(|linker| self.link(&mut stage, &linker, &objects, files));
        let mut built = match (theirs, ours) {
            (Some(Ok(theirs)), _) => theirs,
            (Some(Err(error)), Err(_)) => return Err(error),
            (Some(Err(error)), Ok(ours)) => {
                let text =
                    format!("linked by oxbox, because the linker beside the assembler failed: {error}");
                messages.push(Diagnostic::warning(self.path.display().to_string(), text));
                Linked { files: files.clone(), ..ours }
            }
            (None, ours) => Linked { files: files.clone(), ..ours? },
        };
        messages.append(&mut built.warnings);
        built.warnings = messages;
        Ok(if is_boot_sector { boot::sector(built) } else { built })
    }

    /// Returns whether the assembler makes a complete program from a source, without a linker.
    fn makes_whole(&self, source: &[u8]) -> bool {
        match self.family {
            Family::A86 => true,
            Family::Nasm => nasm::origin(source).is_some(),
            _ => false,
        }
    }

    /// Assembles a staged source. Returns the object or program, if any, and adds messages.
    fn assemble(
        &self,
        stage: &StagingDir,
        source: &str,
        is_whole: bool,
        messages: &mut Vec<Diagnostic>,
    ) -> Result<Option<Vec<u8>>, ToolError> {
        let stem = source.rsplit_once('.').map_or(source, |(stem, _)| stem);
        let output = format!("{stem}.{}", if is_whole { "COM" } else { "OBJ" });
        let mut said = String::new();
        // Old versions do not have options for debug information.
        for debug in [true, false] {
            let tail = self.tail(source, stem, is_whole, debug);
            let ended = self.start(&self.path, stage, &tail)?;
            let mut new = match self.family {
                Family::A86 => a86::messages(&ended.output, stage),
                _ => report::parse(&ended.output, stage),
            };
            let made = stage.read(&output);
            if let Some(why) = &ended.why {
                new.push(Diagnostic::error(stage.user_name(source), format!("{}: {why}", self.title())));
            }
            let is_done = made.is_some() && ended.code == Some(0) || !new.is_empty();
            if is_done {
                messages.extend(new);
                return Ok(made);
            }
            said = ended.output;
        }
        let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it says nothing");
        let text = format!("{} did not write {output}: {last}", self.title());
        messages.push(Diagnostic::error(stage.user_name(source), text));
        Ok(None)
    }

    fn tail(&self, source: &str, stem: &str, is_whole: bool, debug: bool) -> String {
        let option = |text: &'static str| if debug { text } else { "" };
        match self.family {
            Family::Tasm => format!("{}{source},{stem}.OBJ", option("/zi ")),
            Family::Masm => format!("{}{source},{stem}.OBJ;", option("/Zi ")),
            Family::Ml => format!("/nologo /c {}/Fo{stem}.OBJ {source}", option("/Zi ")),
            Family::Wasm => format!("-zq {}-fo={stem}.OBJ {source}", option("-d1 ")),
            Family::Jwasm => format!("-nologo {}-Fo{stem}.OBJ {source}", option("-Zi ")),
            Family::A86 if is_whole => {
                format!("{}{source} TO {stem}.COM {stem}.SYM {stem}.LST", option("+L "))
            }
            Family::A86 => format!("+O {source} TO {stem}.OBJ"),
            Family::Nasm if is_whole => format!("-f bin -o {stem}.COM -l {stem}.LST {source}"),
            Family::Nasm => format!("-f obj -o {stem}.OBJ {source}"),
        }
    }

    /// Returns symbols and lines from the listing of a program that was assembled without a linker.
    fn symbols_of_whole(&self, stage: &StagingDir, source: &str, length: usize) -> Symbols {
        let stem = source.rsplit_once('.').map_or(source, |(stem, _)| stem);
        let listing = stage.read(&format!("{stem}.LST")).unwrap_or_default();
        let listing = String::from_utf8_lossy(&listing);
        match self.family {
            Family::A86 => a86::symbols(&listing, stage),
            _ => nasm::symbols(&stage.user_name(source), &listing, length as u32),
        }
    }

    /// Returns the linker beside the assembler that belongs to it.
    fn linker(&self) -> Option<PathBuf> {
        let name = match self.family {
            Family::Tasm => "TLINK.EXE",
            Family::Masm | Family::Ml => "LINK.EXE",
            _ => return None,
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        files::find(folder, name).filter(|path| is_real_mode(path))
    }

    fn link(
        &self,
        stage: &mut StagingDir,
        linker: &Path,
        objects: &[LinkInput],
        files: &[PathBuf],
    ) -> Result<Linked, ToolError> {
        stage.put_tool(linker)?;
        let (mut modules, mut libraries) = (Vec::new(), Vec::new());
        for (number, input) in objects.iter().enumerate() {
            let is_library = input.bytes.first() == Some(&0xF0);
            let name = format!("PART{number}.{}", if is_library { "LIB" } else { "OBJ" });
            stage.write(&name, &input.bytes)?;
            if is_library { &mut libraries } else { &mut modules }.push(name);
        }
        let (debug, end) = if self.family == Family::Tasm { ("/v", "") } else { ("/CO", ";") };
        let tail = format!("{debug} {},OUT.EXE,OUT.MAP,{}{end}", modules.join("+"), libraries.join("+"));
        let ended = self.start(linker, stage, &tail)?;
        let first = objects.first().map(|object| object.name.clone()).unwrap_or_default();
        let mut new = report::of_linker(&ended.output, &first);
        let program = stage.read("OUT.EXE");
        if program.is_none() && !has_errors(&new) {
            let why = ended.why.unwrap_or_else(|| "it did not write a program".to_owned());
            new.push(Diagnostic::error(first, format!("{}: {why}", linker.display())));
        }
        let Some(bytes) = program.filter(|_| !has_errors(&new)) else {
            return Err(ToolError::Rejected(new));
        };
        let of_map = || {
            let map = stage.read("OUT.MAP")?;
            debug_file::read(&String::from_utf8_lossy(&map)).ok().map(|file| file.symbols)
        };
        let mut symbols = debug_file::embedded(&bytes).or_else(of_map).unwrap_or_default();
        symbols.rename_files(|file| stage.user_name(file));
        Ok(linked(bytes, Format::Exe, symbols, new, files))
    }

    fn start(&self, tool: &Path, stage: &StagingDir, tail: &str) -> Result<DosEnd, ToolError> {
        let failed = |source| ToolError::Assembler { assembler: tool.to_owned(), source };
        let program = files::read(tool).map_err(failed)?;
        let name = format!("{TOOL_FOLDER}/{}", stage::dos_name(tool));
        let tail = if tail.len() > LONGEST_TAIL {
            let why = format!("too many files for a DOS command line: {tail}");
            return Err(failed(std::io::Error::other(why)));
        } else {
            tail
        };
        let job = DosJob { folder: stage.path(), program: &program, name: &name, tail };
        (self.run)(&job).map_err(|why| failed(std::io::Error::other(why)))
    }

    fn title(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The most characters of a DOS command tail, without the leading blank.
const LONGEST_TAIL: usize = 125;

fn linked(
    bytes: Vec<u8>,
    format: Format,
    symbols: Symbols,
    warnings: Vec<Diagnostic>,
    files: &[PathBuf],
) -> Linked {
    let files = files.to_vec();
    Linked { bytes, format, map: None, listing: None, files, boots: false, symbols, warnings }
}

fn has_errors(messages: &[Diagnostic]) -> bool {
    messages.iter().any(|message| message.severity == Severity::Error)
}

/// Returns whether a file is a real-mode DOS program: a COM by its name, or an MZ without the
/// header of a newer format.
fn is_real_mode(path: &Path) -> bool {
    let Ok(bytes) = fs::read(path) else { return false };
    if bytes.starts_with(b"MZ") {
        let at = bytes.get(0x3C..0x40).and_then(|at| at.try_into().ok()).map_or(0, u32::from_le_bytes);
        let relocations = bytes.get(0x18..0x1A).map_or(0, |at| u16::from_le_bytes([at[0], at[1]]));
        let newer = bytes.get(at as usize..at as usize + 2);
        let has_newer = relocations >= 0x40 && matches!(newer, Some(b"PE" | b"NE" | b"LE" | b"LX"));
        return !has_newer;
    }
    let is_com = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("com"));
    is_com
        && !bytes.is_empty()
        && bytes.len() < 0xFF00
        && !bytes.starts_with(b"\x7FELF")
        && !bytes.starts_with(b"#!")
}
