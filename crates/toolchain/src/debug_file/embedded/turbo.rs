//! Turbo Debugger's tables, as written by TLINK with `/v`.
//!
//! All counts are of entries and all indices start at 1. Names are at the end of the file, each
//! terminated by a zero. From version 4 on, counts and indices of names, types, symbols and lines
//! have 32 bits instead of 16. Source: Borland Open Architecture Handbook for Turbo Debugger,
//! "Symbol table"; for version 4, the output of compilers that write it.

use super::{Fields, add_lines, latin, symbol};
use crate::symbols::{Local, Symbol, SymbolKind, Symbols};

const MAGIC: u16 = 0x52FB;
/// Entry sizes in bytes of the tables that are equal in all versions.
const LINE: usize = 4;
const SEGMENT: usize = 16;

/// The first version with 32-bit counts and indices.
const WIDE_SINCE: u8 = 4;

/// The types that are code: functions and labels.
const FUNCTIONS: [u8; 3] = [35, 44, 45];
const LABEL: u8 = 36;

/// Width in bytes of an index of a name, type, symbol or line, from which the sizes of entries
/// follow.
#[derive(Clone, Copy)]
struct Wide(usize);

impl Wide {
    fn index(self, entry: Fields, at: usize) -> Option<usize> {
        if self.0 == 2 { entry.u16(at).map(usize::from) } else { entry.u32(at).map(|index| index as usize) }
    }

    /// Name, type, offset, segment, class.
    fn symbol(self) -> usize {
        if self.0 == 2 { 9 } else { 14 }
    }

    fn module(self) -> usize {
        2 * self.0 + 12
    }

    /// Name, time.
    fn file(self) -> usize {
        self.0 + 4
    }

    /// First symbol, count, parent, function, offset, length.
    fn scope(self) -> usize {
        2 * self.0 + 8
    }

    /// Segment, file, first line, count.
    fn correlation(self) -> usize {
        self.0 + 6
    }

    fn of_type(self) -> usize {
        if self.0 == 2 { 8 } else { 12 }
    }

    fn header(self) -> usize {
        if self.0 == 2 { 48 } else { 72 }
    }
}

struct Tables<'a> {
    wide: Wide,
    symbols: Fields<'a>,
    files: Fields<'a>,
    /// Lines and scopes, whose order depends on the version.
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
    let scopes_first = tables.scope_count * tables.wide.scope();
    let orders = [(0, lines_first), (scopes_first, 0)];
    // Scopes may look like lines, but hardly like lines in order.
    let fits = |ordered: bool| orders.into_iter().find(|&(lines, _)| lines_fit(&tables, lines, ordered));
    let (lines, scopes) = fits(true).or_else(|| fits(false))?;
    add_names(&mut symbols, &tables, scopes);
    for number in 0..tables.correlations.0.len() / tables.wide.correlation() {
        let _ = add_correlation(&mut symbols, &tables, lines, number);
    }
    Some(symbols)
}

fn tables(all: Fields) -> Option<Tables> {
    if all.u16(0)? != MAGIC {
        return None;
    }
    let wide = Wide(if all.u8(3)? < WIDE_SINCE { 2 } else { 4 });
    // Names, types, members, symbols, globals, modules, locals, scopes, lines, files, segments, correlations.
    let count = |number: usize| wide.index(all, 8 + number * wide.0);
    let mut at = wide.header() + usize::from(all.u16(wide.header() - 2)?);
    let mut table = |count: usize, size: usize| {
        let start = at;
        let length = count.checked_mul(size)?;
        at = at.checked_add(length)?;
        all.part(start, length)
    };
    let symbols = table(count(3)?, wide.symbol())?;
    table(count(5)?, wide.module())?;
    let files = table(count(9)?, wide.file())?;
    let (scope_count, line_count) = (count(7)?, count(8)?);
    let both = line_count.checked_mul(LINE)?.checked_add(scope_count.checked_mul(wide.scope())?)?;
    let lines_and_scopes = table(1, both)?;
    let segments = table(count(10)?, SEGMENT)?;
    let correlations = table(count(11)?, wide.correlation())?;
    let types = table(count(1)?, wide.of_type())?;
    let pool = all.0.len().checked_sub(all.u32(4)? as usize)?;
    let names = all.0[pool..].split(|&byte| byte == 0).take(count(0)?).map(latin).collect();
    Some(Tables {
        wide,
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
    fn name(&self, index: usize) -> Option<&str> {
        self.names.get(index.checked_sub(1)?).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Returns the entry with this number, from 1.
    fn entry(table: Fields<'_>, index: usize, size: usize) -> Option<Fields<'_>> {
        table.part(index.checked_sub(1)?.checked_mul(size)?, size)
    }

    /// Returns paragraph, first offset and length of a code segment.
    fn segment(&self, index: u16) -> Option<(u16, u16, u16)> {
        let entry = Self::entry(self.segments, usize::from(index), SEGMENT)?;
        Some((entry.u16(2)?, entry.u16(4)?, entry.u16(6)?))
    }

    fn lines(&self, lines: usize, correlation: Fields<'_>) -> Option<Vec<(u16, u16)>> {
        let first = self.wide.index(correlation, 4)?.checked_sub(1)?;
        let line = |number: usize| {
            let at = first.checked_add(number)?.checked_mul(LINE)?.checked_add(lines)?;
            Some((self.lines_and_scopes.u16(at)?, self.lines_and_scopes.u16(at + 2)?))
        };
        (0..usize::from(correlation.u16(4 + self.wide.0)?)).map(line).collect()
    }

    fn correlation(&self, number: usize) -> Option<Fields<'_>> {
        Self::entry(self.correlations, number + 1, self.wide.correlation())
    }
}

/// Returns whether all line offsets are within their segments, and increasing if `ordered`, when
/// the table starts at `lines`.
fn lines_fit(tables: &Tables, lines: usize, ordered: bool) -> bool {
    let count = tables.correlations.0.len() / tables.wide.correlation();
    (0..count).all(|number| {
        let fits = || {
            let correlation = tables.correlation(number)?;
            let (_, first, length) = tables.segment(correlation.u16(0)?)?;
            let inside = |offset: u16| offset.checked_sub(first).is_some_and(|inside| inside <= length);
            let lines = tables.lines(lines, correlation)?;
            let in_order = !ordered || lines.is_sorted_by(|(_, before), (_, after)| before < after);
            Some(in_order && lines.into_iter().all(|(line, offset)| line > 0 && inside(offset)))
        };
        fits() == Some(true)
    })
}

fn add_correlation(symbols: &mut Symbols, tables: &Tables, lines: usize, number: usize) -> Option<()> {
    let correlation = tables.correlation(number)?;
    let (frame, first, length) = tables.segment(correlation.u16(0)?)?;
    let file = Tables::entry(tables.files, usize::from(correlation.u16(2)?), tables.wide.file())?;
    let file = tables.name(tables.wide.index(file, 0)?)?;
    let linear = |offset: u32| u32::from(frame) * 16 + offset;
    let lines = tables.lines(lines, correlation)?;
    let starts = lines.iter().map(|&(line, offset)| (linear(u32::from(offset)), u32::from(line))).collect();
    add_lines(symbols, file, starts, Some(linear(u32::from(first) + u32::from(length))));
    Some(())
}

/// Adds the names that have an address. Names of scopes are locals of their functions.
fn add_names(symbols: &mut Symbols, tables: &Tables, scopes: usize) {
    const STATIC: u8 = 0;
    const ABSOLUTE: u8 = 1;
    let wide = tables.wide;
    let mut found: Vec<Option<Symbol>> = Vec::new();
    for number in 0..tables.symbols.0.len() / wide.symbol() {
        let read = || {
            let entry = tables.symbols.part(number * wide.symbol(), wide.symbol())?;
            let name = tables.name(wide.index(entry, 0)?)?.to_owned();
            let class = entry.u8(2 * wide.0 + 4)? & 7;
            let of_type = Tables::entry(tables.types, wide.index(entry, wide.0)?, wide.of_type());
            let kind = match of_type.and_then(|entry| entry.u8(0)) {
                _ if class == ABSOLUTE => SymbolKind::Constant,
                Some(kind) if FUNCTIONS.contains(&kind) => SymbolKind::Procedure,
                Some(LABEL) => SymbolKind::Label,
                Some(_) => SymbolKind::Data,
                None => SymbolKind::Unknown,
            };
            let frame = if class == ABSOLUTE { 0 } else { entry.u16(2 * wide.0 + 2)? };
            matches!(class, STATIC | ABSOLUTE)
                .then(|| symbol(name, kind, frame, entry.u16(2 * wide.0).unwrap_or_default()))
        };
        found.push(read());
    }
    for number in 0..tables.scope_count {
        let _ = add_scope(&mut found, tables, scopes + number * wide.scope());
    }
    symbols.extend(found.into_iter().flatten());
}

fn add_scope(found: &mut [Option<Symbol>], tables: &Tables, at: usize) -> Option<()> {
    const AUTO: u8 = 2;
    let wide = tables.wide;
    let scope = tables.lines_and_scopes.part(at, wide.scope())?;
    let function = wide.index(scope, wide.0 + 4)?.checked_sub(1)?;
    let first = wide.index(scope, 0)?;
    let local = |number: usize| {
        let entry = Tables::entry(tables.symbols, first.checked_add(number)?, wide.symbol())?;
        let name = tables.name(wide.index(entry, 0)?)?.to_owned();
        let offset = entry.u16(2 * wide.0)? as i16;
        (entry.u8(2 * wide.0 + 4)? & 7 == AUTO).then_some(Local { name, offset })
    };
    let locals: Vec<Local> = (0..usize::from(scope.u16(wide.0)?)).filter_map(local).collect();
    let procedure = found.get_mut(function)?.as_mut()?;
    let is_whole = scope.u16(wide.0 + 2) == Some(0);
    procedure.length = procedure.length.or(scope.u16(2 * wide.0 + 6).filter(|_| is_whole));
    procedure.locals.extend(locals);
    Some(())
}
