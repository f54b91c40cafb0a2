//! From assembly source to DOS program: the driver of the assembler, and a linker for OMF objects and libraries.
//!
//! ```text
//!   .ASM ──assembler──> .OBJ ──┬──> link ──> EXE or COM (and a map)
//!                .OBJ, .LIB ───┘
//! ```
//! The same inputs give the same bytes. Nothing is written but scratch files in the host's temporary folder. Where no
//! program can be run from there, the assembler is unpacked in the user's cache folder, and an empty `oxbox` stays there.

#[cfg(feature = "assembler")]
mod assembler;
#[cfg(feature = "assembler")]
mod confined;
pub mod debug_file;
mod diagnostic;
#[cfg(feature = "assembler")]
mod dialect;
mod files;
mod link;
#[cfg(feature = "assembler")]
mod nasm;
mod omf;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use diagnostic::{Diagnostic, Place, Severity, ToolError};
pub use link::{LinkInput, LinkOptions, Linked, link};

/// The kinds of program file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A plain image for offset 100h of one segment.
    Com,
    /// An image with a header, a relocation table and a start address.
    Exe,
}

/// What to build a program from, and how.
#[derive(Clone, Debug, Default)]
pub struct BuildRequest {
    /// Sources, objects and libraries. Files tell by their first byte what they are, or by the extensions OBJ and LIB.
    pub inputs: Vec<PathBuf>,
    /// Folders for included files and default libraries, besides each source's own folder and the built-in ones.
    pub includes: Vec<PathBuf>,
    /// JWasm or another UASM instead of the built-in one.
    pub assembler: Option<PathBuf>,
    /// Keep what the assembler made of each line, in [`Linked::listing`].
    pub listing: bool,
    /// How to link.
    pub options: LinkOptions,
}

/// Assembles the sources and links everything to one program, in the order of the inputs.
///
/// Included files are found whatever the case of their names, first beside the file that includes them, then beside
/// the source, then in [`BuildRequest::includes`], then among the built-in ones (`asm/include`).
///
/// # Errors
/// [`ToolError::Rejected`] with every message of the assembler or the linker; the other variants for host trouble.
pub fn build(request: &BuildRequest) -> Result<Linked, ToolError> {
    build_noting(request, &mut Vec::new())
}

/// The same, and notes every file that it reads, be it for a program or for messages: the inputs, what they include, and libraries.
/// A name that a macro makes up is known to the assembler alone, and not noted.
///
/// # Errors
/// As [`build`].
pub fn build_noting(request: &BuildRequest, files: &mut Vec<PathBuf>) -> Result<Linked, ToolError> {
    let mut assembler = LazyAssembler::new(request);
    let (mut objects, mut sources, mut messages) = (Vec::new(), BTreeSet::new(), Vec::new());
    let mut listing = String::new();
    for path in &request.inputs {
        let bytes = files::read(path).map_err(|source| ToolError::file(path, source))?;
        files.push(path.clone());
        if is_object(path, &bytes) {
            objects.push(LinkInput::new(path.display().to_string(), bytes));
            continue;
        }
        #[cfg(feature = "assembler")]
        if is_for_nasm(request, path, &bytes) {
            match nasm::assemble(request.assembler.as_deref(), path, &bytes, &request.includes, files) {
                Ok(nasm::Assembled { made: nasm::Made::Object(object), warnings }) => {
                    messages.extend(warnings);
                    objects.push(object);
                }
                Ok(nasm::Assembled { made: nasm::Made::Program(linked), warnings })
                    if request.inputs.len() == 1 =>
                {
                    return Ok(Linked { warnings, files: files.clone(), ..*linked });
                }
                Ok(_) => {
                    let text =
                        "a source with ORG is a whole program for NASM: it cannot be linked with others";
                    messages.push(Diagnostic::error(path.display().to_string(), text));
                }
                Err(ToolError::Rejected(errors)) => messages.extend(errors),
                Err(other) => return Err(other),
            }
            continue;
        }
        match assembler.assemble(path, &bytes, files) {
            Ok(assembled) => {
                messages.extend(assembled.warnings);
                listing.push_str(&assembled.listing);
                sources.insert(assembled.object.name.clone());
                objects.push(assembled.object);
            }
            // One run shows the faults of all sources.
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
    let mut linked = linked.map_err(|error| without_records(error, &sources))?;
    messages.append(&mut linked.warnings);
    let listing = request.listing.then_some(listing);
    Ok(Linked { warnings: messages, listing, files: files.clone(), ..linked })
}

/// Whether NASM has to assemble a source: it is asked for, or nothing is and the source says so.
#[cfg(feature = "assembler")]
fn is_for_nasm(request: &BuildRequest, path: &Path, source: &[u8]) -> bool {
    let is_named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("nasm"));
    match &request.assembler {
        Some(program) => nasm::is_nasm(program),
        None => is_named || dialect::of(source) == dialect::Dialect::Nasm,
    }
}

/// Advice when a source for another assembler was rejected.
#[cfg(feature = "assembler")]
fn dialect_hint(path: &Path, source: &[u8]) -> Option<Diagnostic> {
    let text = match dialect::of(source) {
        dialect::Dialect::Masm => return None,
        dialect::Dialect::Nasm => "this is written for NASM: leave --assembler out, or name nasm",
        dialect::Dialect::Tasm => {
            "this is written for Turbo Assembler's ideal mode, which is not read here: MASM's form has .model, NAME proc and NAME endp"
        }
    };
    Some(Diagnostic::error(path.display().to_string(), text))
}

/// The records of an object that the user has never seen tell nothing: what belongs to a source names that alone.
fn without_records(error: ToolError, sources: &BTreeSet<String>) -> ToolError {
    let ToolError::Rejected(mut messages) = error else { return error };
    for message in messages.iter_mut().filter(|message| sources.contains(&message.file)) {
        if matches!(message.place, Place::Record { .. }) {
            message.place = Place::File;
        }
    }
    ToolError::Rejected(messages)
}

/// The files of a program: itself, or what is joined by `+`, unless there is a file of that name.
pub fn parts(path: &Path) -> Vec<PathBuf> {
    match path.to_str() {
        Some(text) if text.contains('+') && !path.exists() => text.split('+').map(PathBuf::from).collect(),
        _ => vec![path.to_owned()],
    }
}

/// Whether a file is an OMF object or library, or claims to be one; no text begins with such a byte.
fn is_object(path: &Path, bytes: &[u8]) -> bool {
    let claims = |name: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(name));
    matches!(bytes.first(), Some(0x80 | 0x82 | 0xF0)) || claims("OBJ") || claims("LIB")
}

/// Finds a library that an object names, beside the inputs and in the include folders; one that is there has to be
/// readable.
fn default_library(request: &BuildRequest, name: &str) -> Result<Option<LinkInput>, ToolError> {
    let name = if Path::new(name).extension().is_some() { name.to_owned() } else { format!("{name}.LIB") };
    let beside = request.inputs.iter().filter_map(|input| input.parent());
    let mut folders = beside.chain(request.includes.iter().map(PathBuf::as_path));
    let Some(path) = folders.find_map(|folder| files::find(folder, &name)) else { return Ok(None) };
    let bytes = files::read(&path).map_err(|source| ToolError::file(&path, source))?;
    Ok(Some(LinkInput::new(path.display().to_string(), bytes)))
}

/// What the assembler made of a source.
struct Assembled {
    object: LinkInput,
    /// What it made of each line, if that was asked for.
    listing: String,
    warnings: Vec<Diagnostic>,
}

/// The assembler, unpacked when the first source asks for it.
struct LazyAssembler<'a> {
    #[cfg_attr(not(feature = "assembler"), expect(dead_code, reason = "there is nothing to ask it for"))]
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
        assembler.assemble(path, source, &self.request.includes, self.request.listing, files)
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
