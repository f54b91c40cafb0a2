//! CodeView tables: NB00 and NB02 of MASM 5's linkers, in which segments are paragraphs; NB05 to
//! NB09 of later linkers and CVPACK, in which segments are indices of a map.
//!
//! Source: Microsoft Symbol and Type Information (Tool Interface Standards), "CodeView 4 executable
//! format"; for the older format the appendix on CodeView of Microsoft's C 6.0 Developer's Toolkit
//! Reference.

use super::{Fields, Image, add_lines, symbol};
use crate::omf::codeview::{self, Named};
use crate::symbols::{Local, Symbol, SymbolKind, Symbols};

const SIGNATURES: [&[u8; 4]; 6] = [b"NB00", b"NB02", b"NB05", b"NB06", b"NB08", b"NB09"];

struct Table<'a> {
    kind: u16,
    module: u16,
    fields: Fields<'a>,
}

pub(super) fn read(file: &[u8], image: &Image) -> Option<Symbols> {
    let data = Fields(base(file, image)?);
    let directory = data.u32(4)? as usize;
    let mut symbols = Symbols::new(false);
    if matches!(data.0.get(..4)?, b"NB00" | b"NB02") {
        let count = usize::from(data.u16(directory)?);
        let tables = (0..count).map_while(|number| {
            const ENTRY: usize = 10;
            let at = directory + 2 + number * ENTRY;
            let fields = data.part(data.u32(at + 4)? as usize, usize::from(data.u16(at + 8)?));
            Some(Table { kind: data.u16(at)?, module: data.u16(at + 2)?, fields: fields.unwrap_or_default() })
        });
        old(&mut symbols, &tables.collect::<Vec<_>>());
    } else {
        let (header, entry) = (usize::from(data.u16(directory)?), usize::from(data.u16(directory + 2)?));
        let count = data.u32(directory + 4)? as usize;
        let tables = (0..count.min(data.0.len() / entry.max(12))).map_while(|number| {
            let at = directory + header + number * entry;
            let fields = data.part(data.u32(at + 4)? as usize, data.u32(at + 8)? as usize);
            Some(Table { kind: data.u16(at)?, module: data.u16(at + 2)?, fields: fields.unwrap_or_default() })
        });
        new(&mut symbols, &tables.collect::<Vec<_>>());
    }
    Some(symbols)
}

/// Returns the bytes from the first signature on. A second signature at the end of the file gives
/// the distance to it.
fn base<'a>(file: &'a [u8], image: &Image<'a>) -> Option<&'a [u8]> {
    let is_signed = |bytes: &&[u8]| SIGNATURES.iter().any(|signature| bytes.starts_with(*signature));
    let end = file.len().checked_sub(8).map(|at| Fields(&file[at..]));
    let told = end.filter(|end| is_signed(&end.0)).and_then(|end| {
        let at = file.len().checked_sub(end.u32(4)? as usize)?;
        file.get(at..).filter(is_signed)
    });
    told.or_else(|| Some(image.trailer).filter(is_signed))
}

/// Returns the segments of the map: paragraph and offset.
fn segments(tables: &[Table]) -> Option<Vec<(u16, u16)>> {
    const SEGMENT_MAP: u16 = 0x12D;
    const ENTRY: usize = 20;
    let map = tables.iter().find(|table| table.kind == SEGMENT_MAP)?.fields;
    let count = usize::from(map.u16(0)?.max(map.u16(2)?));
    let entry = |number: usize| {
        let at = 4 + number * ENTRY;
        Some((map.u16(at + 6)?, map.u32(at + 12)? as u16))
    };
    Some((0..count).map_while(entry).collect())
}

fn new(symbols: &mut Symbols, tables: &[Table]) {
    const PUBLICS: u16 = 0x123;
    const SYMBOLS: [u16; 3] = [0x124, 0x125, 0x134];
    const LINES: u16 = 0x127;
    const GLOBAL: [u16; 2] = [0x129, 0x12A];
    let map = segments(tables);
    // Without a map a segment is a paragraph.
    let place = |segment: u16, offset: u16| match &map {
        Some(map) => {
            let (frame, first) = *map.get(usize::from(segment).checked_sub(1)?)?;
            Some((frame, first.wrapping_add(offset)))
        }
        None => Some((segment, offset)),
    };
    // Symbols with kind and length come first, then the same names as publics.
    for table in tables.iter().filter(|table| SYMBOLS.contains(&table.kind)) {
        add_records(symbols, table.fields.0, &place);
    }
    for table in tables {
        match table.kind {
            PUBLICS => add_records(symbols, table.fields.0, &place),
            kind if GLOBAL.contains(&kind) => {
                const HEADER: usize = 16;
                let length = table.fields.u32(4).unwrap_or_default() as usize;
                let records = table.fields.0.get(HEADER..).unwrap_or_default();
                let records = records.get(..length).unwrap_or(records);
                // Here the records do not start with the signature word.
                add_records(symbols, &[&[1, 0, 0, 0], records].concat(), &place);
            }
            LINES => {
                let _ = add_modules_lines(symbols, table.fields, &place);
            }
            _ => {}
        }
    }
}

/// Adds symbol records. `place` converts their addresses.
fn add_records(symbols: &mut Symbols, bytes: &[u8], place: &impl Fn(u16, u16) -> Option<(u16, u16)>) {
    let fields = Fields(bytes);
    let mut open: Option<Symbol> = None;
    let mut depth = 0u32;
    for record in codeview::records(bytes) {
        let at = record.address_at as usize;
        let found = || place(fields.u16(at + 2)?, fields.u16(at)?);
        let named = |kind| found().map(|(frame, offset)| symbol(record.name.clone(), kind, frame, offset));
        match record.named {
            Named::Data => symbols.extend(named(SymbolKind::Data)),
            Named::Label => symbols.extend(named(SymbolKind::Label)),
            Named::Public => symbols.extend(named(SymbolKind::Unknown)),
            Named::Procedure(length) => {
                symbols.extend(open.take());
                open = named(SymbolKind::Procedure).map(|symbol| Symbol { length: Some(length), ..symbol });
                depth = 1;
            }
            Named::BpRelative(offset) => {
                let local = Local { name: record.name, offset };
                open.iter_mut().for_each(|procedure| procedure.locals.push(local.clone()));
            }
            Named::Block => depth += 1,
            Named::End => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    symbols.extend(open.take());
                }
            }
        }
    }
    symbols.extend(open);
}

/// Adds the lines of a module by its files, and of each file by its segments.
fn add_modules_lines(
    symbols: &mut Symbols,
    table: Fields,
    place: &impl Fn(u16, u16) -> Option<(u16, u16)>,
) -> Option<()> {
    for number in 0..usize::from(table.u16(0)?) {
        let file = table.u32(4 + number * 4)? as usize;
        let count = usize::from(table.u16(file)?);
        let (name, _) = table.text(file + 4 + count * 12)?;
        for number in 0..count {
            let at = table.u32(file + 4 + number * 4)? as usize;
            let end = table.u32(file + 4 + count * 4 + number * 8 + 4)?;
            let (segment, lines) = (table.u16(at)?, usize::from(table.u16(at + 2)?));
            let address = |offset: u16| place(segment, offset).map(|(frame, offset)| linear(frame, offset));
            let line = |number: usize| {
                let offset = table.u32(at + 4 + number * 4)?;
                let line = table.u16(at + 4 + lines * 4 + number * 2)?;
                Some((address(offset as u16)?, u32::from(line)))
            };
            // The end is the offset of the last byte. Some linkers omit it.
            let end = Some(end as u16).filter(|end| *end != 0).and_then(address).map(|end| end + 1);
            add_lines(symbols, &name, (0..lines).map_while(line).collect(), end);
        }
    }
    Some(())
}

fn linear(frame: u16, offset: u16) -> u32 {
    u32::from(frame) * 16 + u32::from(offset)
}

fn old(symbols: &mut Symbols, tables: &[Table]) {
    const MODULE: u16 = 0x101;
    const PUBLICS: u16 = 0x102;
    const SYMBOLS: u16 = 0x104;
    const LINES: u16 = 0x105;
    const LINES_OF_SEGMENT: u16 = 0x109;
    let code = |module: u16| {
        let found = tables.iter().find(|table| table.kind == MODULE && table.module == module);
        found.and_then(|table| table.fields.u16(0)).unwrap_or_default()
    };
    for table in tables.iter().filter(|table| table.kind == SYMBOLS) {
        let _ = add_old_records(symbols, table.fields, code(table.module));
    }
    for table in tables {
        let _ = match table.kind {
            PUBLICS => add_old_publics(symbols, table.fields),
            LINES => add_old_lines(symbols, table.fields, Some(code(table.module))),
            LINES_OF_SEGMENT => add_old_lines(symbols, table.fields, None),
            _ => None,
        };
    }
}

fn add_old_publics(symbols: &mut Symbols, table: Fields) -> Option<()> {
    const ABSOLUTE: u16 = 1;
    let mut at = 0;
    loop {
        let (offset, frame, kind) = (table.u16(at)?, table.u16(at + 2)?, table.u16(at + 4)?);
        let (name, end) = table.text(at + 6)?;
        symbols.add(match kind {
            ABSOLUTE => symbol(name, SymbolKind::Constant, 0, offset),
            _ => symbol(name, SymbolKind::Unknown, frame, offset),
        });
        at = end;
    }
}

/// Adds a line table: a name, possibly the segment, a count, and pairs of line and offset.
fn add_old_lines(symbols: &mut Symbols, table: Fields, code: Option<u16>) -> Option<()> {
    let mut at = 0;
    loop {
        let (name, end) = table.text(at)?;
        at = end;
        let frame = match code {
            Some(code) => code,
            None => {
                at += 2;
                table.u16(at - 2)?
            }
        };
        let count = usize::from(table.u16(at)?);
        let pair = |number: usize| {
            let at = at + 2 + number * 4;
            Some((linear(frame, table.u16(at + 2)?), u32::from(table.u16(at)?)))
        };
        add_lines(symbols, &name, (0..count).map_while(pair).collect(), None);
        at += 2 + count * 4;
    }
}

/// Adds symbol records: a length byte, a kind byte, and the data of the kind.
fn add_old_records(symbols: &mut Symbols, table: Fields, code: u16) -> Option<()> {
    let mut frame = code;
    let mut open: Option<Symbol> = None;
    let mut at = 0;
    while let Some(length) = table.u8(at).filter(|length| *length > 0) {
        let data = at + 2;
        match table.u8(at + 1)? {
            0x01 => {
                symbols.extend(open.take());
                let (name, _) = table.text(data + 13)?;
                let length = Some(table.u16(data + 4)?);
                let procedure = symbol(name, SymbolKind::Procedure, frame, table.u16(data)?);
                open = Some(Symbol { length, ..procedure });
            }
            0x04 => {
                let local = Local { name: table.text(data + 4)?.0, offset: table.u16(data)? as i16 };
                open.iter_mut().for_each(|procedure| procedure.locals.push(local.clone()));
            }
            0x05 => {
                let (name, _) = table.text(data + 6)?;
                symbols.add(symbol(name, SymbolKind::Data, table.u16(data + 2)?, table.u16(data)?));
            }
            0x0B => {
                symbols.add(symbol(table.text(data + 3)?.0, SymbolKind::Label, frame, table.u16(data)?));
            }
            0x11 => frame = table.u16(data)?,
            _ => {}
        }
        at += 1 + usize::from(length);
    }
    symbols.extend(open);
    Some(())
}
