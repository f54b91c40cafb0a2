//! The linker: converts OMF modules and libraries to one DOS program.
//!
//! A pipeline: find the modules (search), resolve names (symbols), place segments (layout) and
//! choose which share a frame (join), apply fixups (relocate), write the file (image), the map
//! (map) and debug information (debug). Names are not case-sensitive. Sources: TIS OMF 1.1; segment
//! order and file format as in the DOS linkers.

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

/// An input of the linker: an object or library.
#[derive(Clone, Debug)]
pub struct LinkInput {
    /// The name used in messages.
    pub name: String,
    /// The contents of the file, which also identify its type.
    pub bytes: Vec<u8>,
    /// The user's names of source files that the object names differently.
    pub source_names: BTreeMap<String, String>,
}

impl LinkInput {
    /// Creates an input whose source names are those in the object.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, source_names: BTreeMap::new() }
    }
}

/// Options of the linker.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkOptions {
    /// The program format. By default a program with a single segment that starts at 100h, without
    /// a stack segment and without segment relocations, becomes a COM file; any other program
    /// becomes an EXE file.
    pub format: Option<Format>,
    /// Whether to convert far calls within a segment to `nop`, `push cs` and a near call, and far
    /// jumps to near ones, as linkers of the time do on request.
    pub translate_far_calls: bool,
    /// Whether to create a map.
    pub map: bool,
}

/// A linked program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Linked {
    /// The program file.
    pub bytes: Vec<u8>,
    /// The format of the file.
    pub format: Format,
    /// The map, if it was requested.
    pub map: Option<String>,
    /// The assembler's listing, if it was requested. Never set by the linker itself.
    pub listing: Option<String>,
    /// The input files, as far as they are known. Never set by the linker itself.
    pub files: Vec<PathBuf>,
    /// Whether the bytes are a boot sector and the sectors after it: a source with ORG 7C00h
    /// and the signature 55AAh.
    pub boots: bool,
    /// The symbols and source lines in the objects.
    pub symbols: Symbols,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Links objects and libraries in order. `default_library` is called for each library that an
/// object names.
///
/// # Errors
/// Fails with [`ToolError::Rejected`] and all undefined and duplicate symbols, or the first invalid
/// record or fixup.
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
        return Err(vec![Diagnostic::error("link", "no object module was given, only libraries")]);
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

/// Returns warnings about code that real mode would decode differently: a processor directive
/// before `.model` makes it 32-bit code.
fn wide_code(program: &symbols::Program) -> Vec<Diagnostic> {
    let modules = program.modules.iter();
    let segments = modules.flat_map(|module| module.segments.iter().map(move |segment| (module, segment)));
    let wide = segments.filter(|(_, segment)| {
        segment.use32 && segment.size > 0 && segment.class.to_ascii_uppercase().ends_with("CODE")
    });
    wide.map(|(module, segment)| {
        let text = "a 32-bit segment, which real mode cannot execute: put .386 after .model, or write use16";
        Diagnostic::warning(&module.origin, format!("{} is {text}", segment.name))
    })
    .collect()
}

/// Parses objects and libraries. A file may contain several modules in sequence.
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
            // Padding of a translator's last sector.
            if bytes[at..].iter().all(|byte| matches!(byte, 0 | 0x1A)) {
                break;
            }
        }
    }
    if errors.is_empty() { Ok((modules, libraries)) } else { Err(errors) }
}
