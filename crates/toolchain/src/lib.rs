//! Builds DOS programs from assembly source: a driver for assemblers, and a linker for OMF objects
//! and libraries.
//!
//! ```text
//!   .ASM ──assembler──> .OBJ ──┬──> link ──> EXE or COM (and a map)
//!                .OBJ, .LIB ───┘
//! ```
//! The same inputs give the same bytes. Only scratch files in the host's temporary folder are
//! written. If no program can be executed there, the assembler is unpacked in the user's cache
//! folder, where an empty folder `oxbox` remains.

#[cfg(feature = "assembler")]
mod sandbox;
mod diagnostic;
mod files;
mod reading;
#[cfg(feature = "assembler")]
mod dialect;
pub mod messages;
#[cfg(feature = "assembler")]
mod assembler;
mod omf;
pub mod symbols;
pub mod debug_file;
mod link;
mod beside;
mod boot;
mod content;
#[cfg(feature = "assembler")]
mod nasm;
#[cfg(feature = "assembler")]
mod dos_tool;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[cfg(feature = "assembler")]
pub use dos_tool::{DosEnd, DosJob, DosRunner};

pub use content::Content;
pub use diagnostic::{Diagnostic, Place, Severity, ToolError};
pub use link::{LinkInput, LinkOptions, Linked, link};
pub use reading::{Dialect, Reading, SOURCE_EXTENSIONS, UnknownDialect, is_built_from, is_source};
#[cfg(all(feature = "assembler", target_os = "linux"))]
#[doc(hidden)]
pub use sandbox::host_files;

/// The format of a program file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An image of one segment, loaded at offset 100h.
    Com,
    /// An image with header, relocation table and start address.
    Exe,
}

/// The inputs and options of a build.
#[derive(Clone, Debug, Default)]
pub struct BuildRequest {
    /// Sources, objects and libraries. A file's type follows from its first byte, or from the
    /// extensions OBJ and LIB.
    pub inputs: Vec<PathBuf>,
    /// Folders for includes and default libraries, besides the sources' own and the built-in files.
    pub includes: Vec<PathBuf>,
    /// Text files that any source can include, with name and contents. They are searched last.
    pub built_in: &'static [(&'static str, &'static str)],
    /// An assembler instead of the built-in one: JWasm or another UASM, NASM, or a DOS assembler,
    /// which [`BuildRequest::dos`] runs.
    pub assembler: Option<PathBuf>,
    /// Runs DOS programs. Without it, DOS assemblers cannot be used.
    #[cfg(feature = "assembler")]
    pub dos: Option<DosRunner>,
    /// Whether to keep the assembler's listing in [`Linked::listing`].
    pub listing: bool,
    /// The dialect of the sources, and their processor.
    pub reading: Reading,
    /// The options of the linker.
    pub options: LinkOptions,
}

/// Assembles the sources and links everything to one program, in the order of the inputs.
///
/// Includes are found regardless of case: first beside the including file, then beside the source,
/// then in [`BuildRequest::includes`], then in [`BuildRequest::built_in`].
///
/// # Errors
/// Fails with [`ToolError::Rejected`] and all messages of the assembler or the linker, and with
/// other variants for errors of the host.
pub fn build(request: &BuildRequest) -> Result<Linked, ToolError> {
    build_noting(request, &mut Vec::new())
}

/// Like [`build`], and records every file that it reads: inputs, includes and libraries. A name
/// that a macro creates is known only to the assembler and not recorded.
///
/// # Errors
/// Fails as [`build`] does.
pub fn build_noting(request: &BuildRequest, files: &mut Vec<PathBuf>) -> Result<Linked, ToolError> {
    #[cfg(feature = "assembler")]
    if let Some(assembler) = dos_tool::DosAssembler::of(request)? {
        return assembler.build(request, files);
    }
    let mut assembler = LazyAssembler::new(request);
    let (mut objects, mut sources, mut messages) = (Vec::new(), BTreeSet::new(), Vec::new());
    let mut is_boot_sector = false;
    let (mut listing, mut spellings) = (String::new(), BTreeMap::new());
    for path in &request.inputs {
        let bytes = files::read(path).map_err(|source| ToolError::file(path, source))?;
        files.push(path.clone());
        if is_object(path, &bytes) {
            objects.push(LinkInput::new(path.display().to_string(), bytes));
            continue;
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            messages.push(Diagnostic::error(path.display().to_string(), "the file is empty"));
            continue;
        }
        is_boot_sector |= boot::is_source(&bytes);
        #[cfg(feature = "assembler")]
        if is_for_nasm(request, path, &bytes) {
            let told = dialect::of(&bytes);
            let dialect = request.reading.dialect.unwrap_or(told.dialect);
            let read = nasm::assemble(
                request.assembler.as_deref(),
                path,
                (&bytes, dialect),
                &request.includes,
                files,
            );
            let note = told.note(path, request.reading.dialect);
            match read {
                Ok(nasm::Assembled { made: nasm::Made::Object(object), warnings }) => {
                    messages.extend(warnings);
                    objects.push(object);
                }
                Ok(nasm::Assembled { made: nasm::Made::Program(linked), warnings })
                    if request.inputs.len() == 1 =>
                {
                    messages.extend(warnings);
                    messages.push(note);
                    let linked = Linked { warnings: messages, files: files.clone(), ..*linked };
                    return Ok(if boot::is_source(&bytes) { boot::sector(linked) } else { linked });
                }
                Ok(_) => {
                    let text =
                        "a source with ORG is a whole program for NASM: it cannot be linked with others";
                    messages.push(Diagnostic::error(path.display().to_string(), text));
                }
                Err(ToolError::Rejected(errors)) => {
                    // A source that only resembles NASM's may be for MASM.
                    let is_told = request.assembler.is_none() && request.reading.dialect.is_none();
                    let other = if is_told { assembler.assemble(path, &bytes, files).ok() } else { None };
                    match other {
                        Some(assembled) => objects.push(assembled.object),
                        None => messages.extend(errors),
                    }
                }
                Err(other) => return Err(other),
            }
            messages.push(note);
            continue;
        }
        match assembler.assemble(path, &bytes, files) {
            Ok(assembled) => {
                messages.extend(assembled.warnings);
                listing.push_str(&assembled.listing);
                sources.insert(assembled.object.name.clone());
                spellings.extend(assembled.spellings);
                objects.push(assembled.object);
            }
            // One run shows the errors of all sources.
            Err(ToolError::Rejected(errors)) => {
                messages.extend(errors);
                #[cfg(feature = "assembler")]
                messages.extend(dialect_hint(path, &bytes));
            }
            Err(other) => return Err(other),
        }
    }
    if messages.iter().any(|message| message.severity == Severity::Error) {
        return Err(ToolError::Rejected(messages));
    }
    if objects.is_empty() {
        return Err(ToolError::NoInput);
    }
    let mut trouble = None;
    let mut library = |name: &str| match default_library(request, name) {
        Ok(library) => {
            files.extend(library.iter().map(|library| PathBuf::from(&library.name)));
            library
        }
        Err(error) => {
            trouble.get_or_insert(error);
            None
        }
    };
    let linked = link(objects, &mut library, request.options);
    if let Some(error) = trouble {
        return Err(error);
    }
    let mut linked =
        linked.map_err(|error| beside::advised(without_records(error, &sources), &request.inputs))?;
    messages.append(&mut linked.warnings);
    linked.symbols.respell(&spellings);
    let listing = request.listing.then_some(listing);
    let linked = Linked { warnings: messages, listing, files: files.clone(), ..linked };
    Ok(if is_boot_sector { boot::sector(linked) } else { linked })
}

/// Returns whether NASM must assemble a source: it is requested, or the source requires it and
/// nothing else is requested.
#[cfg(feature = "assembler")]
fn is_for_nasm(request: &BuildRequest, path: &Path, source: &[u8]) -> bool {
    let is_named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("nasm"));
    match (&request.assembler, request.reading.dialect) {
        (Some(program), _) => nasm::is_nasm(program),
        (None, Some(dialect)) => dialect.is_for_nasm(),
        (None, None) => is_named || dialect::of(source).dialect.is_for_nasm(),
    }
}

/// Returns advice if a rejected source is for another assembler.
#[cfg(feature = "assembler")]
fn dialect_hint(path: &Path, source: &[u8]) -> Option<Diagnostic> {
    if dialect::of(source).dialect != Dialect::Nasm {
        return None;
    }
    let text = "this is a source for NASM: leave out --assembler and --dialect, or name nasm";
    Some(Diagnostic::error(path.display().to_string(), text))
}

/// Removes record numbers from messages about objects that oxbox assembled itself: the source is
/// named instead.
fn without_records(error: ToolError, sources: &BTreeSet<String>) -> ToolError {
    let ToolError::Rejected(mut messages) = error else { return error };
    for message in messages.iter_mut().filter(|message| sources.contains(&message.file)) {
        if matches!(message.place, Place::Record { .. }) {
            message.place = Place::File;
        }
    }
    ToolError::Rejected(messages)
}

/// Splits a program's files, which are joined by `+`. If the name of an existing file or folder
/// contains `+`, that file is meant.
pub fn parts(path: &Path) -> Vec<PathBuf> {
    let Some(text) = path.to_str().filter(|text| text.contains('+') && !path.exists()) else {
        return vec![path.to_owned()];
    };
    let (mut parts, mut current) = (Vec::new(), String::new());
    for piece in text.split('+') {
        current = if current.is_empty() { piece.to_owned() } else { format!("{current}+{piece}") };
        if Path::new(&current).is_file() {
            parts.push(PathBuf::from(std::mem::take(&mut current)));
        }
    }
    // If a file is missing, the parts show which.
    if current.is_empty() { parts } else { text.split('+').map(PathBuf::from).collect() }
}

/// Returns whether a file is an OMF object or library, or has such an extension. No text starts
/// with such a byte.
fn is_object(path: &Path, bytes: &[u8]) -> bool {
    let claims = |name: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(name));
    matches!(bytes.first(), Some(0x80 | 0x82 | 0xF0)) || claims("OBJ") || claims("LIB")
}

/// Finds a library that an object names, beside the inputs and in the include folders. An existing
/// library must be readable.
fn default_library(request: &BuildRequest, name: &str) -> Result<Option<LinkInput>, ToolError> {
    let name = if Path::new(name).extension().is_some() { name.to_owned() } else { format!("{name}.LIB") };
    let beside = request.inputs.iter().filter_map(|input| input.parent());
    let folders: Vec<&Path> = beside.chain(request.includes.iter().map(PathBuf::as_path)).collect();
    let is_given = |path: &PathBuf| folders.iter().any(|folder| files::is_below(path, folder));
    let found = folders.iter().find_map(|folder| files::find(folder, &name).filter(is_given));
    let Some(path) = found else { return Ok(None) };
    let bytes = files::read(&path).map_err(|source| ToolError::file(&path, source))?;
    Ok(Some(LinkInput::new(path.display().to_string(), bytes)))
}

struct Assembled {
    object: LinkInput,
    listing: String,
    /// Names that the object spells differently from the source.
    spellings: BTreeMap<String, String>,
    warnings: Vec<Diagnostic>,
}

/// The assembler, which is unpacked for the first source.
struct LazyAssembler<'a> {
    #[cfg_attr(not(feature = "assembler"), expect(dead_code, reason = "it is never used"))]
    request: &'a BuildRequest,
    #[cfg(feature = "assembler")]
    assembler: Option<assembler::Assembler>,
}

impl<'a> LazyAssembler<'a> {
    #[cfg(feature = "assembler")]
    fn new(request: &'a BuildRequest) -> Self {
        Self { request, assembler: None }
    }

    #[cfg(feature = "assembler")]
    fn assemble(
        &mut self,
        path: &Path,
        source: &[u8],
        files: &mut Vec<PathBuf>,
    ) -> Result<Assembled, ToolError> {
        let assembler = match &mut self.assembler {
            Some(assembler) => assembler,
            none => none.insert(assembler::Assembler::new(self.request.assembler.as_deref())?),
        };
        assembler.assemble(path, source, self.request, files)
    }

    #[cfg(not(feature = "assembler"))]
    fn new(request: &'a BuildRequest) -> Self {
        Self { request }
    }

    #[cfg(not(feature = "assembler"))]
    #[expect(clippy::unused_self, reason = "the same shape as with the feature")]
    fn assemble(
        &mut self,
        path: &Path,
        _source: &[u8],
        _files: &mut Vec<PathBuf>,
    ) -> Result<Assembled, ToolError> {
        Err(ToolError::NoAssembler(path.to_owned()))
    }
}

/// Runs the README's example as a test. It needs the assembler.
#[cfg(all(doctest, feature = "assembler"))]
#[doc = include_str!("../README.md")]
struct Readme;
