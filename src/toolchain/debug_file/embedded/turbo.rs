//! Turbo Debugger's tables, as TLINK writes them with `/v`.
//!
//! All counts are of entries, all indices from 1; names stand at the end of the file, each ended by a zero. Source: Borland Open
//! Architecture Handbook for Turbo Debugger, "Symbol table".

use super::{Fields, add_lines, latin, symbol};
use crate::inspect::{Local, Symbol, SymbolKind, Symbols};

const MAGIC: u16 = 0x52FB;
const HEADER: usize = 48;

/// Bytes of an entry of each table.
const SYMBOL: usize = 9;
const MODULE: usize = 16;
const FILE: usize = 6;
const LINE: usize = 4;
const SCOPE: usize = 12;
const SEGMENT: usize = 16;
const CORRELATION: usize = 8;

/// Kinds of type: functions and labels are code.
const FUNCTIONS: [u8; 3] = [35, 44, 45];
const LABEL: u8 = 36;

/// The tables that are read.
struct Tables<'a> {
    symbols: Fields<'a>,
    files: Fields<'a>,
    /// Lines and scopes: which of them comes first depends on the version.
    lines_and_scopes: Fields<'a>,
    line_count: usize,
    scope_count: usize,
    segments: Fields<'a>,
    correlations: Fields<'a>,
    types: Fields<'a>,
    names: Vec<String>,
}

pub(super) fn read(behind: &[u8]) -> Option<Symbols> {
    let tables = tables(Fields(behind))?;
    let mut symbols = Symbols::new(false);
    let lines_first = tables.line_count * LINE;
    let scopes_first = tables.scope_count * SCOPE;
    let orders = [(0, lines_first), (scopes_first, 0)];
    let (lines, scopes) = orders.into_iter().find(|&(lines, _)| lines_fit(&tables, lines))?;
    add_names(&mut symbols, &tables, scopes);
    for number in 0..tables.correlations.0.len() / CORRELATION {
        let _ = add_correlation(&mut symbols, &tables, lines, number);
    }
    Some(symbols)
}

fn tables(all: Fields) -> Option<Tables> {
    if all.u16(0)? != MAGIC {
        return None;
    }
    let count = |at: usize| all.u16(at).map(usize::from);
    let mut at = HEADER + count(46)?;
    let mut table = |count: usize, size: usize| {
        let start = at;
        at += count * size;
        all.part(start, count * size)
    };
    let symbols = table(count(14)?, SYMBOL)?;
    table(count(18)?, MODULE)?;
    let files = table(count(26)?, FILE)?;
    let (scope_count, line_count) = (count(22)?, count(24)?);
    let lines_and_scopes = table(1, line_count * LINE + scope_count * SCOPE)?;
    let segments = table(count(28)?, SEGMENT)?;
    let correlations = table(count(30)?, CORRELATION)?;
    let types = table(count(10)?, 8)?;
    let pool = all.0.len().checked_sub(all.u32(4)? as usize)?;
    let names = all.0[pool..].split(|&byte| byte == 0).take(count(8)?).map(latin).collect();
    Some(Tables {
        symbols,
        files,
        lines_and_scopes,
        line_count,
        scope_count,
        segments,
        correlations,
        types,
        names,
    })
}

impl Tables<'_> {
    fn name(&self, index: u16) -> Option<&str> {
        self.names.get(usize::from(index).checked_sub(1)?).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The entry with this number, from 1.
    fn entry(table: Fields<'_>, index: u16, size: usize) -> Option<Fields<'_>> {
        table.part(usize::from(index).checked_sub(1)? * size, size)
    }

    /// Paragraph, first offset and length of a segment of code.
    fn segment(&self, index: u16) -> Option<(u16, u16, u16)> {
        let entry = Self::entry(self.segments, index, SEGMENT)?;
        Some((entry.u16(2)?, entry.u16(4)?, entry.u16(6)?))
    }

    /// The lines of a correlation, with their offsets.
    fn lines(&self, lines: usize, correlation: Fields<'_>) -> Option<Vec<(u16, u16)>> {
        let first = usize::from(correlation.u16(4)?).checked_sub(1)?;
        let line = |number: usize| {
            let at = lines + (first + number) * LINE;
            Some((self.lines_and_scopes.u16(at)?, self.lines_and_scopes.u16(at + 2)?))
        };
        (0..usize::from(correlation.u16(6)?)).map(line).collect()
    }
}

/// Whether all line numbers lie in their segments, if the table begins here.
fn lines_fit(tables: &Tables, lines: usize) -> bool {
    let count = tables.correlations.0.len() / CORRELATION;
    (0..count).all(|number| {
        let fits = || {
            let correlation = tables.correlations.part(number * CORRELATION, CORRELATION)?;
            let (_, first, length) = tables.segment(correlation.u16(0)?)?;
            let inside = |offset: u16| offset.checked_sub(first).is_some_and(|inside| inside <= length);
            Some(
                tables
                    .lines(lines, correlation)?
                    .into_iter()
                    .all(|(line, offset)| line > 0 && inside(offset)),
            )
        };
        fits() == Some(true)
    })
}

fn add_correlation(symbols: &mut Symbols, tables: &Tables, lines: usize, number: usize) -> Option<()> {
    let correlation = tables.correlations.part(number * CORRELATION, CORRELATION)?;
    let (frame, first, length) = tables.segment(correlation.u16(0)?)?;
    let file = tables.name(Tables::entry(tables.files, correlation.u16(2)?, FILE)?.u16(0)?)?;
    let linear = |offset: u32| u32::from(frame) * 16 + offset;
    let lines = tables.lines(lines, correlation)?;
    let starts = lines.iter().map(|&(line, offset)| (linear(u32::from(offset)), u32::from(line))).collect();
    add_lines(symbols, file, starts, Some(linear(u32::from(first) + u32::from(length))));
    Some(())
}

/// Names that have a place; those of scopes are locals of their functions.
fn add_names(symbols: &mut Symbols, tables: &Tables, scopes: usize) {
    const STATIC: u8 = 0;
    const ABSOLUTE: u8 = 1;
    let mut found: Vec<Option<Symbol>> = Vec::new();
    for number in 0..tables.symbols.0.len() / SYMBOL {
        let read = || {
            let entry = tables.symbols.part(number * SYMBOL, SYMBOL)?;
            let name = tables.name(entry.u16(0)?)?.to_owned();
            let class = entry.u8(8)? & 7;
            let of_type = Tables::entry(tables.types, entry.u16(2)?, 8).and_then(|entry| entry.u8(0));
            let kind = match of_type {
                _ if class == ABSOLUTE => SymbolKind::Constant,
                Some(kind) if FUNCTIONS.contains(&kind) => SymbolKind::Procedure,
                Some(LABEL) => SymbolKind::Label,
                Some(_) => SymbolKind::Data,
                None => SymbolKind::Unknown,
            };
            let frame = if class == ABSOLUTE { 0 } else { entry.u16(6)? };
            matches!(class, STATIC | ABSOLUTE)
                .then(|| symbol(name, kind, frame, entry.u16(4).unwrap_or_default()))
        };
        found.push(read());
    }
    for number in 0..tables.scope_count {
        let _ = add_scope(&mut found, tables, scopes + number * SCOPE);
    }
    symbols.extend(found.into_iter().flatten());
}

fn add_scope(found: &mut [Option<Symbol>], tables: &Tables, at: usize) -> Option<()> {
    const AUTO: u8 = 2;
    let scope = tables.lines_and_scopes.part(at, SCOPE)?;
    let function = usize::from(scope.u16(6)?).checked_sub(1)?;
    let first = usize::from(scope.u16(0)?).checked_sub(1)?;
    let local = |number: usize| {
        let entry = tables.symbols.part((first + number) * SYMBOL, SYMBOL)?;
        let name = tables.name(entry.u16(0)?)?.to_owned();
        (entry.u8(8)? & 7 == AUTO).then_some(Local { name, offset: entry.u16(4)? as i16 })
    };
    let locals: Vec<Local> = (0..usize::from(scope.u16(2)?)).filter_map(local).collect();
    let procedure = found.get_mut(function)?.as_mut()?;
    procedure.length = procedure.length.or(scope.u16(10).filter(|_| scope.u16(4) == Some(0)));
    procedure.locals.extend(locals);
    Some(())
}
