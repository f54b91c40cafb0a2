//! Symbol resolution: definitions, selection of COMDATs, allocation of communal variables.
//!
//! Afterwards every external of every module is resolved, or linking fails with all undefined
//! symbols.

use std::collections::{BTreeMap, BTreeSet};

use super::search::Found;
use crate::diagnostic::Diagnostic;
use crate::omf::codeview::is_debug_class;
use crate::omf::{
    Base, Combine, Communal, External, Frame, Group, Module, Public, Record, Segment, Selection, Target,
};

/// All modules of the program with resolved symbols.
pub(super) struct Program {
    pub(super) modules: Vec<Module>,
    /// The resolved externals, per module and external.
    pub(super) externals: Vec<Vec<Symbol>>,
    /// Parts that are not linked, as (module, segment): repeated COMDATs, and debug information.
    pub(super) dropped: BTreeSet<(usize, usize)>,
    /// The definition of each global name, as (module, public).
    pub(super) definitions: BTreeMap<String, (usize, usize)>,
    /// Whether the segment order of the Microsoft languages is requested.
    pub(super) dosseg: bool,
    pub(super) warnings: Vec<Diagnostic>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A public of a module.
    Public { module: usize, public: usize },
    /// `_edata`: the start of DGROUP's uninitialised data with DOSSEG.
    EndOfData,
    /// `_end`: the start of the stack with DOSSEG.
    EndOfBss,
    /// Neither defined nor used.
    Unused,
}

/// Converts a name to upper case, in which MASM and the linkers of the time match names.
pub(super) fn fold(name: &str) -> String {
    name.to_ascii_uppercase()
}

pub(super) fn resolve(found: Found) -> Result<Program, Vec<Diagnostic>> {
    let Found { modules, missing, errors } = found;
    let mut names = Names { modules, missing, errors, ..Names::default() };
    for module in 0..names.modules.len() {
        for (alias, name) in &names.modules[module].aliases {
            names.aliases.insert(fold(alias), fold(name));
        }
        for public in 0..names.modules[module].publics.len() {
            names.define(module, public);
        }
    }
    names.drop_debug_information();
    names.allocate_communals();
    names.finish()
}

#[derive(Default)]
struct Names {
    modules: Vec<Module>,
    missing: Vec<String>,
    definitions: BTreeMap<String, (usize, usize)>,
    /// Communal variables that are local to a module: (owner, name).
    local_communals: BTreeMap<(usize, String), (usize, usize)>,
    aliases: BTreeMap<String, String>,
    dropped: BTreeSet<(usize, usize)>,
    errors: Vec<Diagnostic>,
}

impl Names {
    fn define(&mut self, module: usize, public: usize) {
        let new = &self.modules[module].publics[public];
        if new.local {
            return;
        }
        let Some(&(other, old)) = self.definitions.get(&fold(&new.name)) else {
            self.definitions.insert(fold(&new.name), (module, public));
            return;
        };
        let first = self.comdat_of(other, old);
        let second = self.comdat_of(module, public);
        let text = match (first, second) {
            (Some((kept, Some(selection))), Some((spare, Some(_)))) => match selection {
                Selection::Any => None,
                Selection::SameSize if kept.size == spare.size => None,
                Selection::Exact if kept.bytes == spare.bytes && kept.size == spare.size => None,
                Selection::SameSize | Selection::Exact => Some("is also defined differently in"),
                Selection::Unique => Some("is already defined in"),
            },
            _ => Some("is already defined in"),
        };
        match text {
            Some(text) => {
                let text = format!("{} {text} {}", new.name, self.place_of(other, old));
                let module = &self.modules[module];
                self.errors.push(match new.base {
                    Base::Segment { segment, .. } => module.error_at(segment, new.offset, new.record, text),
                    Base::Absolute(_) => new.record.error(&module.origin, text),
                });
            }
            None => {
                if let Base::Segment { segment, .. } = new.base {
                    self.dropped.insert((module, segment));
                }
            }
        }
    }

    fn drop_debug_information(&mut self) {
        for (number, module) in self.modules.iter().enumerate() {
            let debug =
                module.segments.iter().enumerate().filter(|(_, segment)| is_debug_class(&segment.class));
            self.dropped.extend(debug.map(|(index, _)| (number, index)));
        }
    }

    /// Returns where a public name is defined: its source line, or else its module.
    fn place_of(&self, module: usize, public: usize) -> String {
        let module = &self.modules[module];
        let public = &module.publics[public];
        let line = match public.base {
            Base::Segment { segment, .. } => module.lines.find(segment, public.offset),
            Base::Absolute(_) => None,
        };
        line.map_or_else(|| module.origin.clone(), |(file, line)| format!("{file}:{line}"))
    }

    /// Returns the segment part of a public name, and the selection rule if it is a COMDAT.
    fn comdat_of(&self, module: usize, public: usize) -> Option<(&Segment, Option<Selection>)> {
        let module = &self.modules[module];
        match module.publics[public].base {
            Base::Segment { segment, .. } => {
                let segment = &module.segments[segment];
                Some((segment, segment.comdat))
            }
            Base::Absolute(_) => None,
        }
    }

    /// Returns the name that defines `name`, which is `name` itself unless it is an alias.
    fn unalias(&self, name: &str) -> String {
        let mut name = fold(name);
        // An alias of an alias is unusual. A cycle of them must end.
        for _ in 0..16 {
            match self.aliases.get(&name) {
                Some(other) if !self.definitions.contains_key(&name) => name = other.clone(),
                _ => break,
            }
        }
        name
    }

    /// Allocates each communal variable without another definition in an additional module.
    fn allocate_communals(&mut self) {
        // By name, and also by module for variables that are local to one.
        let mut variables: BTreeMap<(Option<usize>, String), Communal> = BTreeMap::new();
        for (number, module) in self.modules.iter().enumerate() {
            for external in &module.externals {
                let Some(communal) = external.communal else { continue };
                let name = fold(&external.name);
                if !external.local && self.definitions.contains_key(&name) {
                    continue;
                }
                let owner = external.local.then_some(number);
                let known = variables.entry((owner, name)).or_insert(communal);
                known.size = known.size.max(communal.size);
                known.far |= communal.far;
            }
        }
        let mut shared = Module { origin: "communal variables".into(), ..Module::default() };
        shared.segments.push(Segment { class: "BSS".into(), ..part("c_common") });
        shared.groups.push(Group { name: "DGROUP".into(), segments: vec![0] });
        for ((owner, name), communal) in variables {
            // Near variables share DGROUP's segment. Far ones fill segments of their own in
            // sequence.
            let (mut segment, group) =
                if communal.far { (shared.segments.len() - 1, None) } else { (0, Some(0)) };
            let room = 0x10000 - communal.size;
            if communal.far && (segment == 0 || shared.segments[segment].size > room) {
                let combine = Combine::Private;
                shared.segments.push(Segment { class: "FAR_BSS".into(), combine, ..part("FAR_BSS") });
                segment += 1;
            }
            let offset = shared.segments[segment].size.next_multiple_of(2);
            if offset > room {
                self.errors.push(Diagnostic::error("link", "the near communal variables exceed 64 KiB"));
                return;
            }
            shared.segments[segment].size = offset + communal.size;
            let base = Base::Segment { segment, group };
            let public = shared.publics.len();
            let local = owner.is_some();
            shared.publics.push(Public {
                name: name.clone(),
                local,
                base,
                offset,
                record: Record::default(),
            });
            match owner {
                None => {
                    self.definitions.insert(name, (self.modules.len(), public));
                }
                Some(owner) => {
                    self.local_communals.insert((owner, name), (self.modules.len(), public));
                }
            }
        }
        if shared.publics.is_empty() {
            return;
        }
        self.modules.push(shared);
    }

    fn finish(mut self) -> Result<Program, Vec<Diagnostic>> {
        let dosseg = self.modules.iter().any(|module| module.dosseg);
        let mut externals = Vec::new();
        let mut undefined = BTreeSet::new();
        for (number, module) in self.modules.iter().enumerate() {
            let used = used_externals(module);
            let mut symbols = Vec::new();
            for (index, external) in module.externals.iter().enumerate() {
                let stand_in = external.weak.map(|index| &module.externals[index]);
                let symbol = self
                    .symbol(number, external, dosseg)
                    .or_else(|| stand_in.and_then(|other| self.symbol(number, other, dosseg)));
                // A declared but unused name is not an error: include files declare more than one
                // program needs.
                if symbol.is_none()
                    && let Some(place) = used.get(&index)
                    && undefined.insert(fold(&external.name))
                {
                    let text = format!("undefined symbol {}", external.name);
                    let error = match place {
                        Some((segment, at)) => module.error_at(*segment, *at, external.record, text),
                        None => external.record.error(&module.origin, text),
                    };
                    self.errors.push(Diagnostic { undefined: Some(external.name.as_str().into()), ..error });
                }
                symbols.push(symbol.unwrap_or(Symbol::Unused));
            }
            externals.push(symbols);
        }
        if !undefined.is_empty() {
            let missing =
                self.missing.iter().map(|name| Diagnostic::error(name, "this library was not found"));
            self.errors.extend(missing);
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let warnings =
            self.modules.iter_mut().flat_map(|module| std::mem::take(&mut module.warnings)).collect();
        Ok(Program {
            modules: self.modules,
            externals,
            dropped: self.dropped,
            definitions: self.definitions,
            dosseg,
            warnings,
        })
    }

    fn symbol(&self, module: usize, external: &External, dosseg: bool) -> Option<Symbol> {
        if external.local {
            return self.local_definition(module, &external.name);
        }
        let name = self.unalias(&external.name);
        match self.definitions.get(&name) {
            Some(&(module, public)) => Some(Symbol::Public { module, public }),
            None if !dosseg => None,
            None => match name.as_str() {
                "_EDATA" | "__EDATA" => Some(Symbol::EndOfData),
                "_END" | "__END" => Some(Symbol::EndOfBss),
                _ => None,
            },
        }
    }

    /// Returns the definition of a local name of its module: a local public or communal variable.
    fn local_definition(&self, module: usize, name: &str) -> Option<Symbol> {
        let name = fold(name);
        let own = &self.modules[module].publics;
        if let Some(public) = own.iter().position(|public| public.local && fold(&public.name) == name) {
            return Some(Symbol::Public { module, public });
        }
        let (module, public) = *self.local_communals.get(&(module, name))?;
        Some(Symbol::Public { module, public })
    }
}

/// Creates an empty segment part for the linker itself.
fn part(name: &str) -> Segment {
    Segment {
        name: name.into(),
        class: String::new(),
        combine: Combine::Public,
        align: 16,
        frame: None,
        size: 0,
        use32: false,
        bytes: Vec::new(),
        comdat: None,
    }
}

/// Returns the externals that a fixup or the start address uses, and the first use.
fn used_externals(module: &Module) -> BTreeMap<usize, Option<(usize, u32)>> {
    let fixups =
        module.fixups.iter().map(|fixup| (fixup.frame, fixup.target, Some((fixup.segment, fixup.at))));
    let starts = module.start.iter().map(|start| (start.frame, start.target, None));
    let mut used = BTreeMap::new();
    for (frame, target, place) in fixups.chain(starts) {
        if let Frame::External(index) = frame {
            used.entry(index).or_insert(place);
        }
        if let Target::External(index) = target {
            used.entry(index).or_insert(place);
        }
    }
    used
}
