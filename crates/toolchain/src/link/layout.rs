//! Places segments: combines the parts of the modules, orders the classes, assigns addresses.
//!
//! Addresses are in bytes from the start of the program. Segments keep the order of their first
//! occurrence, grouped by class. With DOSSEG, code comes first and DGROUP last, with BSS and stack
//! at its end.

use std::collections::BTreeMap;

use super::join::join;
use super::symbols::{Program, Symbol, fold};
use crate::diagnostic::Diagnostic;
use crate::omf::{Base, Combine, Frame, Segment, Target};

/// The most bytes that fit below the first megabyte.
const LARGEST_PROGRAM: u32 = 1 << 20;
pub(super) const LARGEST_SEGMENT: u32 = 0x10000;
/// Zeros before the code of an EXE program with DOSSEG, so that no function has the address 0.
const NULL_BYTES: u32 = 16;

/// A segment of the program: parts of modules with the same name, class and combine type.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) class: String,
    pub(super) combine: Combine,
    /// The address of its first byte.
    pub(super) start: u32,
    /// The address after its last byte.
    pub(super) end: u32,
    /// The paragraph from which its offsets count.
    pub(super) frame: u32,
    /// Whether it is at a fixed address in memory and not part of the file.
    pub(super) absolute: bool,
    parts: Vec<(usize, usize)>,
    /// Zero bytes before the first part.
    gap: u32,
}

pub(super) struct Layout {
    pub(super) sections: Vec<Section>,
    /// The groups by name: paragraph and sections.
    pub(super) groups: BTreeMap<String, GroupPlace>,
    /// Per module and segment: the section, and the address of the module's part.
    parts: Vec<Vec<Option<(usize, u32)>>>,
    /// The address after the last byte that the program needs in memory.
    pub(super) end: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct GroupPlace {
    pub(super) frame: u32,
    pub(super) sections: Vec<usize>,
}

/// An address in memory, and the paragraph from which its offset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) address: u32,
    pub(super) frame: u32,
    /// Whether it moves with the program. Otherwise it is a constant or a fixed address.
    pub(super) relocatable: bool,
    pub(super) section: Option<usize>,
}

pub(super) fn lay_out(program: &Program) -> Result<Layout, Vec<Diagnostic>> {
    let (mut sections, owners) = combine(program);
    let order = order(program, &sections, &owners);
    let has_stack = sections.iter().any(|section| section.combine == Combine::Stack);
    let mut parts: Vec<Vec<Option<(usize, u32)>>> =
        program.modules.iter().map(|module| vec![None; module.segments.len()]).collect();
    let (mut placed, mut errors, mut cursor) = (Vec::new(), Vec::new(), 0);
    for number in order {
        let section = &mut sections[number];
        let place = |module: usize, segment: usize| &program.modules[module].segments[segment];
        section.gap =
            if program.dosseg && has_stack && fold(&section.name) == "_TEXT" { NULL_BYTES } else { 0 };
        assign(section, &place, &mut cursor, &mut |(module, segment), address| {
            parts[module][segment] = Some((placed.len(), address));
        });
        section.frame = section.start >> 4;
        if section.end - section.start > LARGEST_SEGMENT {
            errors.push(Diagnostic::error("link", format!("segment {} is larger than 64 KiB", section.name)));
        }
        if cursor > LARGEST_PROGRAM {
            errors.push(Diagnostic::error("link", "the program is larger than a megabyte"));
            break;
        }
        placed.push(section.clone());
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let groups = groups(program, &placed, &parts, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut layout = Layout { sections: placed, groups, parts, end: cursor };
    join(program, &mut layout)?;
    Ok(layout)
}

/// Returns the sections in order of first occurrence, and the section of each segment part.
fn combine(program: &Program) -> (Vec<Section>, Vec<Vec<Option<usize>>>) {
    let mut sections: Vec<Section> = Vec::new();
    let mut known: BTreeMap<(String, String, u8), usize> = BTreeMap::new();
    let mut owners = Vec::new();
    for (number, module) in program.modules.iter().enumerate() {
        let mut own = Vec::new();
        for (index, segment) in module.segments.iter().enumerate() {
            if program.dropped.contains(&(number, index)) {
                own.push(None);
                continue;
            }
            let key = (fold(&segment.name), fold(&segment.class), segment.combine as u8);
            let section = match known.get(&key) {
                Some(&section) if segment.combine != Combine::Private && segment.frame.is_none() => section,
                _ => {
                    sections.push(Section {
                        name: segment.name.clone(),
                        class: segment.class.clone(),
                        combine: segment.combine,
                        start: 0,
                        end: 0,
                        frame: 0,
                        absolute: segment.frame.is_some(),
                        parts: Vec::new(),
                        gap: 0,
                    });
                    if segment.frame.is_none() {
                        known.insert(key, sections.len() - 1);
                    }
                    sections.len() - 1
                }
            };
            sections[section].parts.push((number, index));
            own.push(Some(section));
        }
        owners.push(own);
    }
    (sections, owners)
}

/// Returns the section numbers in the order of their addresses.
fn order(program: &Program, sections: &[Section], owners: &[Vec<Option<usize>>]) -> Vec<usize> {
    let mut classes: Vec<String> = Vec::new();
    for section in sections {
        if !classes.contains(&fold(&section.class)) {
            classes.push(fold(&section.class));
        }
    }
    let class_rank = |section: &Section| classes.iter().position(|class| *class == fold(&section.class));
    let mut in_dgroup = vec![false; sections.len()];
    for (module, own) in program.modules.iter().zip(owners) {
        for group in module.groups.iter().filter(|group| fold(&group.name) == "DGROUP") {
            for section in group.segments.iter().filter_map(|&segment| own[segment]) {
                in_dgroup[section] = true;
            }
        }
    }
    let dosseg_rank = |number: usize| {
        let class = fold(&sections[number].class);
        match (class.as_str(), in_dgroup[number]) {
            (class, false) if class.ends_with("CODE") => 0,
            (_, false) => 1,
            ("BEGDATA", true) => 2,
            ("BSS", true) => 4,
            ("STACK", true) => 5,
            (_, true) => 3,
        }
    };
    let mut order: Vec<usize> = (0..sections.len()).collect();
    // The sort is stable: equal sections stay in the order of their first occurrence.
    order.sort_by_key(|&number| {
        let rank = if program.dosseg { dosseg_rank(number) } else { 0 };
        (rank, class_rank(&sections[number]))
    });
    order
}

/// Assigns addresses to the parts of a section, from `cursor` on.
fn assign<'a>(
    section: &mut Section,
    segment_of: &dyn Fn(usize, usize) -> &'a Segment,
    cursor: &mut u32,
    note: &mut dyn FnMut((usize, usize), u32),
) {
    let parts = section.parts.clone();
    let segments = || parts.iter().map(|&(module, segment)| segment_of(module, segment));
    if let Some(frame) = segments().find_map(|segment| segment.frame) {
        section.start = u32::from(frame) << 4;
        section.end = section.start + segments().map(|segment| segment.size).max().unwrap_or(0);
        parts.iter().for_each(|&part| note(part, section.start));
        return;
    }
    if section.combine == Combine::Common {
        let align = segments().map(|segment| segment.align).max().unwrap_or(1);
        section.start = cursor.next_multiple_of(align);
        section.end = section.start + segments().map(|segment| segment.size).max().unwrap_or(0);
        parts.iter().for_each(|&part| note(part, section.start));
    } else {
        let first = segments().next().map_or(1, |segment| segment.align);
        section.start = cursor.next_multiple_of(first);
        section.end = section.start + section.gap;
        for (&part, segment) in parts.iter().zip(segments()) {
            let address = section.end.next_multiple_of(segment.align);
            note(part, address);
            section.end = address + segment.size;
            // Large enough to be refused. Thousands of parts would overflow the address.
            if section.end - section.start > LARGEST_SEGMENT {
                break;
            }
        }
    }
    *cursor = section.end;
}

/// Returns the start of each group: the paragraph of its lowest section.
fn groups(
    program: &Program,
    sections: &[Section],
    parts: &[Vec<Option<(usize, u32)>>],
    errors: &mut Vec<Diagnostic>,
) -> BTreeMap<String, GroupPlace> {
    let mut groups: BTreeMap<String, GroupPlace> = BTreeMap::new();
    for (module, own) in program.modules.iter().zip(parts) {
        for group in &module.groups {
            let place = groups.entry(fold(&group.name)).or_default();
            for (section, _) in group.segments.iter().filter_map(|&segment| own[segment]) {
                if !sections[section].absolute && !place.sections.contains(&section) {
                    place.sections.push(section);
                }
            }
        }
    }
    for (name, group) in &mut groups {
        let members = || group.sections.iter().map(|&section| &sections[section]);
        group.frame = members().map(|section| section.frame).min().unwrap_or(0);
        let end = members().map(|section| section.end).max().unwrap_or(0);
        if end > group.frame * 16 + LARGEST_SEGMENT {
            errors.push(Diagnostic::error("link", format!("group {name} spans more than 64 KiB")));
        }
    }
    groups
}

impl Layout {
    /// Returns the program's memory up to the last byte with contents.
    pub(super) fn fill(&self, program: &Program) -> Vec<u8> {
        let mut memory = Vec::new();
        for (module, parts) in program.modules.iter().zip(&self.parts) {
            for (segment, part) in module.segments.iter().zip(parts) {
                let Some((section, address)) = *part else { continue };
                if self.sections[section].absolute || segment.bytes.is_empty() {
                    continue;
                }
                let (start, end) = (address as usize, address as usize + segment.bytes.len());
                if memory.len() < end {
                    memory.resize(end, 0);
                }
                memory[start..end].copy_from_slice(&segment.bytes);
            }
        }
        memory
    }

    /// Returns a module's part of a segment; `None` for a dropped COMDAT.
    pub(super) fn part(&self, module: usize, segment: usize) -> Option<Spot> {
        let (section, address) = self.parts[module][segment]?;
        let place = &self.sections[section];
        Some(Spot { address, frame: place.frame, relocatable: !place.absolute, section: Some(section) })
    }

    pub(super) fn group(&self, program: &Program, module: usize, group: usize) -> Spot {
        let place = self.groups.get(&fold(&program.modules[module].groups[group].name));
        let frame = place.map_or(0, |place| place.frame);
        Spot { address: frame * 16, frame, relocatable: true, section: None }
    }

    pub(super) fn public(&self, program: &Program, module: usize, public: usize) -> Option<Spot> {
        let public = &program.modules[module].publics[public];
        match public.base {
            Base::Absolute(frame) => Some(constant(frame, public.offset)),
            Base::Segment { segment, group } => {
                let part = self.part(module, segment)?;
                let group = group.map(|group| self.group(program, module, group).frame);
                let frame = group.filter(|_| part.relocatable).unwrap_or(part.frame);
                Some(Spot { address: part.address.wrapping_add(public.offset), frame, ..part })
            }
        }
    }

    pub(super) fn external(&self, program: &Program, module: usize, external: usize) -> Option<Spot> {
        match program.externals[module][external] {
            Symbol::Public { module, public } => self.public(program, module, public),
            Symbol::EndOfData => Some(self.edge(&["BSS", "STACK"])),
            Symbol::EndOfBss => Some(self.edge(&["STACK"])),
            Symbol::Unused => None,
        }
    }

    /// Returns the start of DGROUP's first section with one of these classes, or the group's end.
    fn edge(&self, classes: &[&str]) -> Spot {
        let Some(group) = self.groups.get("DGROUP") else { return constant(0, 0) };
        let members = || group.sections.iter().map(|&number| &self.sections[number]);
        let begun = members().filter(|section| classes.contains(&fold(&section.class).as_str()));
        let begun = begun.map(|section| section.start).min();
        let address = begun.or(members().map(|section| section.end).max()).unwrap_or(group.frame * 16);
        Spot { address, frame: group.frame, relocatable: true, section: None }
    }

    pub(super) fn target(&self, program: &Program, module: usize, target: Target) -> Option<Spot> {
        match target {
            Target::Segment(segment) => self.part(module, segment),
            Target::Group(group) => Some(self.group(program, module, group)),
            Target::External(external) => self.external(program, module, external),
            Target::Absolute(frame) => Some(constant(frame, 0)),
        }
    }

    /// Returns the paragraph of a frame, and whether it moves with the program.
    pub(super) fn frame(
        &self,
        program: &Program,
        module: usize,
        frame: Frame,
        location: Option<Spot>,
        target: Spot,
    ) -> Option<(u32, bool)> {
        let spot = match frame {
            Frame::Segment(segment) => self.part(module, segment)?,
            Frame::Group(group) => self.group(program, module, group),
            Frame::External(external) => self.external(program, module, external)?,
            Frame::Absolute(frame) => constant(frame, 0),
            Frame::Location => location?,
            Frame::Target => target,
        };
        Some((spot.frame, spot.relocatable))
    }
}

fn constant(frame: u16, offset: u32) -> Spot {
    let frame = u32::from(frame);
    Spot { address: (frame * 16).wrapping_add(offset), frame, relocatable: false, section: None }
}
