//! Debug information from the objects, with addresses of the linked program: publics, CodeView
//! symbols, source lines.

use std::collections::BTreeMap;

use super::layout::{Layout, Spot};
use super::symbols::Program;
use crate::Format;
use crate::omf::codeview::{self, Named};
use crate::omf::{Fixup, Location, Module};
use crate::symbols::{Local, Symbol, SymbolKind, Symbols};

pub(super) fn symbols(program: &Program, layout: &Layout, format: Format) -> Symbols {
    let mut symbols = Symbols::new(format == Format::Com);
    for (number, module) in program.modules.iter().enumerate() {
        // First, because these spell names as the source does.
        add_codeview(&mut symbols, program, layout, number);
        for (index, public) in module.publics.iter().enumerate() {
            let Some(spot) = layout.public(program, number, index) else { continue };
            let kind = if spot.relocatable { SymbolKind::Unknown } else { SymbolKind::Constant };
            symbols.add(symbol_at(&public.name, kind, spot));
        }
        add_lines(&mut symbols, layout, number, module);
    }
    symbols
}

fn symbol_at(name: &str, kind: SymbolKind, spot: Spot) -> Symbol {
    let offset = spot.address.wrapping_sub(spot.frame * 16) as u16;
    let frame = if kind == SymbolKind::Constant { 0 } else { spot.frame as u16 };
    Symbol { name: name.to_owned(), kind, frame, offset, length: None, locals: Vec::new() }
}

fn add_codeview(symbols: &mut Symbols, program: &Program, layout: &Layout, number: usize) {
    let module = &program.modules[number];
    for (index, segment) in module.segments.iter().enumerate() {
        if !codeview::is_symbols_class(&segment.class) {
            continue;
        }
        let addresses = addresses(module, index);
        let mut procedure: Option<Symbol> = None;
        let mut depth = 0;
        for record in codeview::records(&segment.bytes) {
            let place = || {
                let fixup = addresses.get(&record.address_at)?;
                place(program, layout, number, &segment.bytes, fixup)
            };
            match record.named {
                Named::Data | Named::Label | Named::Public => {
                    let kind = match record.named {
                        Named::Data => SymbolKind::Data,
                        Named::Label => SymbolKind::Label,
                        _ => SymbolKind::Unknown,
                    };
                    symbols.extend(place().map(|spot| symbol_at(&record.name, kind, spot)));
                }
                Named::Procedure(length) => {
                    let symbol = place().map(|spot| symbol_at(&record.name, SymbolKind::Procedure, spot));
                    procedure = symbol.map(|symbol| Symbol { length: Some(length), ..symbol });
                    depth = 1;
                }
                Named::BpRelative(offset) => {
                    let local = Local { name: record.name, offset };
                    procedure.iter_mut().for_each(|procedure| procedure.locals.push(local.clone()));
                }
                Named::Block => depth += 1,
                Named::End => {
                    depth -= 1;
                    if depth <= 0 {
                        symbols.extend(procedure.take());
                    }
                }
            }
        }
        symbols.extend(procedure);
    }
}

/// Returns the fixups of a segment that contain an offset, by their position.
fn addresses(module: &Module, segment: usize) -> BTreeMap<u32, &Fixup> {
    let holds_offset = |fixup: &&Fixup| {
        matches!(fixup.location, Location::Offset16 | Location::Pointer16) && !fixup.self_relative
    };
    let here = module.fixups.iter().filter(|fixup| fixup.segment == segment).filter(holds_offset);
    here.map(|fixup| (fixup.at, fixup)).collect()
}

/// Returns the target of an address in debug information.
fn place(program: &Program, layout: &Layout, number: usize, bytes: &[u8], fixup: &Fixup) -> Option<Spot> {
    let target = layout.target(program, number, fixup.target)?;
    let (frame, _) = layout.frame(program, number, fixup.frame, None, target)?;
    let held = *bytes.get(fixup.at as usize..)?.first_chunk::<2>()?;
    let offset = u32::from(u16::from_le_bytes(held)).wrapping_add(fixup.displacement);
    Some(Spot { address: target.address.wrapping_add(offset), frame, ..target })
}

/// Adds lines. The code of a line extends to the start of the next line, or to the end of the
/// module's part of the segment.
fn add_lines(symbols: &mut Symbols, layout: &Layout, number: usize, module: &Module) {
    let mut starts = module.lines.starts().peekable();
    while let Some((segment, at, file, line)) = starts.next() {
        let Some(part) = layout.part(number, segment) else { continue };
        let end = match starts.peek() {
            Some(&(next_segment, next, ..)) if next_segment == segment => next,
            _ => module.segments[segment].size,
        };
        symbols.add_line(file, line, part.address + at..part.address + end);
    }
}
