//! The linker: OMF modules and libraries in, one DOS program out.
//!
//! A plain pipeline: find the modules (search), resolve names (symbols), decide where segments go (layout) and which
//! share a frame (join), mend what depends on that (relocate), write the file (image), the list of what is where (map)
//! and what a debugger asks for (debug). Names match without regard to case.
//! Source: TIS OMF 1.1; the segment order and the file format as the linkers for DOS have them.

mod debug;
mod image;
mod join;
mod layout;
mod map;
mod relocate;
mod search;
mod symbols;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::Format;
use crate::diagnostic::{Diagnostic, Severity, ToolError};
use crate::omf::library::Library;
use crate::omf::{self, Module};
use crate::symbols::Symbols;

/// An object or library as the linker takes it.
#[derive(Clone, Debug)]
pub struct LinkInput {
    /// How messages call it.
    pub name: String,
    /// The file's contents; which of the two it is they tell themselves.
    pub bytes: Vec<u8>,
    /// What the user calls the source files whose names are in an object, where they differ.
    pub source_names: BTreeMap<String, String>,
}

impl LinkInput {
    /// An object or library whose sources are called as it says itself.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, source_names: BTreeMap::new() }
    }
}

/// How to link.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkOptions {
    /// The kind of program; where it is not said, a program that begins at 100h of its one segment, without a stack
    /// segment and without segment relocations, becomes a COM file, any other an EXE file.
    pub format: Option<Format>,
    /// Turn a far call to the caller's own segment into `nop`, `push cs` and a near call, and a far jump into a near
    /// one, as linkers of the time do on request.
    pub translate_far_calls: bool,
    /// Write a map.
    pub map: bool,
}

/// A linked program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Linked {
    /// The program file.
    pub bytes: Vec<u8>,
    /// What kind of file it is.
    pub format: Format,
    /// What is where, if it was asked for.
    pub map: Option<String>,
    /// What the assembler made of each line, if that was asked for; the linker itself has none.
    pub listing: Option<String>,
    /// The files that it was built from, as far as they are known; the linker itself reads none.
    pub files: Vec<PathBuf>,
    /// Whether the bytes are a boot sector, and what follows it on the disk: a source with ORG 7C00h and the mark 55AAh.
    pub boots: bool,
    /// The names and source lines that the objects tell of.
    pub symbols: Symbols,
    /// Advice.
    pub warnings: Vec<Diagnostic>,
}

/// Links objects and libraries in their order. `default_library` is asked for each library that an object names.
///
/// # Errors
/// [`ToolError::Rejected`] with all undefined and doubly defined names, or the first record or fixup that is wrong.
pub fn link(
    inputs: Vec<LinkInput>,
    default_library: &mut dyn FnMut(&str) -> Option<LinkInput>,
    options: LinkOptions,
) -> Result<Linked, ToolError> {
    link_modules(inputs, default_library, options).map_err(ToolError::Rejected)
}

fn link_modules(
    inputs: Vec<LinkInput>,
    default_library: &mut dyn FnMut(&str) -> Option<LinkInput>,
    options: LinkOptions,
) -> Result<Linked, Vec<Diagnostic>> {
    let (modules, libraries) = load(inputs)?;
    if modules.is_empty() {
        return Err(vec![Diagnostic::error("link", "there is no object module, only libraries")]);
    }
    let program = symbols::resolve(search::search(modules, libraries, default_library))?;
    let layout = layout::lay_out(&program)?;
    let mut memory = layout.fill(&program);
    let relocations = relocate::apply(&program, &layout, &mut memory, options.translate_far_calls)?;
    let finished = image::finish(&program, &layout, &memory, &relocations, options.format)?;
    let symbols = debug::symbols(&program, &layout, finished.format);
    let map = options.map.then(|| map::write(&program, &layout, &finished));
    let mut warnings = wide_code(&program);
    warnings.extend(program.warnings);
    warnings.extend(finished.warnings);
    debug_assert!(warnings.iter().all(|warning| warning.severity == Severity::Warning));
    Ok(Linked {
        bytes: finished.bytes,
        format: finished.format,
        map,
        listing: None,
        files: Vec::new(),
        boots: false,
        symbols,
        warnings,
    })
}

/// Advice on code that real mode would misread: a processor directive before `.model` makes it 32-bit code.
fn wide_code(program: &symbols::Program) -> Vec<Diagnostic> {
    let modules = program.modules.iter();
    let segments = modules.flat_map(|module| module.segments.iter().map(move |segment| (module, segment)));
    let wide = segments.filter(|(_, segment)| {
        segment.use32 && segment.size > 0 && segment.class.to_ascii_uppercase().ends_with("CODE")
    });
    wide.map(|(module, segment)| {
        let text = "a 32-bit segment, which real mode misreads: put .386 behind .model, or say use16";
        Diagnostic::warning(&module.origin, format!("{} is {text}", segment.name))
    })
    .collect()
}

/// Tells objects from libraries, and parses both. A file may hold several modules one after the other.
fn load(inputs: Vec<LinkInput>) -> Result<(Vec<Module>, Vec<Library>), Vec<Diagnostic>> {
    let (mut modules, mut libraries, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for LinkInput { name, bytes, source_names } in inputs {
        if Library::looks_like(&bytes) {
            match Library::open(&name, bytes) {
                Ok(library) => libraries.push(library),
                Err(error) => errors.push(error),
            }
            continue;
        }
        let mut at = 0;
        loop {
            match omf::parse(&bytes, at, &name) {
                Ok((mut module, end)) => {
                    module.lines.rename_files(&source_names);
                    modules.push(module);
                    at = end;
                }
                Err(error) => {
                    errors.push(error);
                    break;
                }
            }
            // What translators fill a file's last sector with.
            if bytes[at..].iter().all(|byte| matches!(byte, 0 | 0x1A)) {
                break;
            }
        }
    }
    if errors.is_empty() { Ok((modules, libraries)) } else { Err(errors) }
}
