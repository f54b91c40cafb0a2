//! Finds the library modules that a program needs: repeatedly those that define an undefined
//! symbol.
//!
//! They follow the objects, library by library in the order of their positions, as in Microsoft
//! LINK, so that the same objects give the same program.

use std::collections::{BTreeMap, BTreeSet};

use super::LinkInput;
use super::symbols::fold;
use crate::diagnostic::Diagnostic;
use crate::omf::library::Library;
use crate::omf::{External, Module};

/// All modules of the program, and the problems found.
pub(super) struct Found {
    pub(super) modules: Vec<Module>,
    /// Default libraries that were not found.
    pub(super) missing: Vec<String>,
    pub(super) errors: Vec<Diagnostic>,
}

pub(super) fn search(
    mut objects: Vec<Module>,
    libraries: Vec<Library>,
    default_library: &mut dyn FnMut(&str) -> Option<LinkInput>,
) -> Found {
    let mut search = Search { libraries, ..Search::default() };
    for module in &objects {
        search.note(module, default_library);
    }
    while let Some((place, module)) = search.next() {
        search.note(&module, default_library);
        search.found.insert(place, module);
    }
    objects.extend(search.found.into_values());
    Found { modules: objects, missing: search.missing, errors: search.errors }
}

#[derive(Default)]
struct Search {
    libraries: Vec<Library>,
    /// Default libraries that were already requested.
    asked: BTreeSet<String>,
    missing: Vec<String>,
    defined: BTreeSet<String>,
    wanted: BTreeSet<String>,
    /// Positions of modules that were read: (library, byte).
    read: BTreeSet<(usize, usize)>,
    found: BTreeMap<(usize, usize), Module>,
    errors: Vec<Diagnostic>,
}

impl Search {
    /// Records the definitions and references of a module, and opens the libraries that it names.
    fn note(&mut self, module: &Module, default_library: &mut dyn FnMut(&str) -> Option<LinkInput>) {
        for name in &module.default_libraries {
            if !self.asked.insert(fold(name)) {
                continue;
            }
            match default_library(name).map(|input| Library::open(&input.name, input.bytes)) {
                Some(Ok(library)) => self.libraries.push(library),
                Some(Err(error)) => self.errors.push(error),
                None => self.missing.push(name.clone()),
            }
        }
        let publics = module.publics.iter().filter(|public| !public.local).map(|public| &public.name);
        let aliases = module.aliases.iter().map(|(alias, _)| alias);
        self.defined.extend(publics.chain(aliases).map(|name| fold(name)));
        // A weak external has a default. A communal variable is its own definition.
        let strong =
            |external: &External| !external.local && external.weak.is_none() && external.communal.is_none();
        let externals =
            module.externals.iter().filter(|external| strong(external)).map(|external| &external.name);
        self.wanted
            .extend(externals.chain(module.aliases.iter().map(|(_, name)| name)).map(|name| fold(name)));
    }

    /// Returns the next module that defines an undefined symbol, and its position.
    fn next(&mut self) -> Option<((usize, usize), Module)> {
        for (number, library) in self.libraries.iter().enumerate() {
            for at in self.wanted.difference(&self.defined).filter_map(|name| library.find(name)) {
                if !self.read.insert((number, at)) {
                    continue;
                }
                match library.module(at) {
                    Ok(module) => return Some(((number, at), module)),
                    Err(error) => self.errors.push(error),
                }
            }
        }
        None
    }
}
