//! Symbols and source lines of a program: converts addresses to `file:line` and symbols, and back.
//!
//! Addresses count in bytes from the start of the program's image: from the PSP for a COM program,
//! from the first segment for an EXE. [`Symbols::base`] returns the image's address in the loaded
//! program.

use std::ops::Range;

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A procedure.
    Procedure,
    /// A label in code.
    Label,
    /// A variable.
    Data,
    /// Unknown: a public symbol of an object without debug information.
    Unknown,
    /// A constant, which has no address.
    Constant,
}

/// A parameter or local variable of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// The name.
    pub name: String,
    /// The offset in bytes from BP: positive for parameters, negative for locals.
    pub offset: i16,
}

/// A symbol of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name as the source spells it, or as the object does if it has no debug information.
    pub name: String,
    /// The kind.
    pub kind: SymbolKind,
    /// The paragraph from which the offset counts, from the image's start; 0 for a constant.
    pub frame: u16,
    /// The offset, or the value of a constant.
    pub offset: u16,
    /// The length of a procedure in bytes, if it is known.
    pub length: Option<u16>,
    /// Parameters and local variables of a procedure.
    pub locals: Vec<Local>,
}

impl Symbol {
    /// Returns its address in bytes from the start of the image. Meaningless for a constant.
    pub fn address(&self) -> u32 {
        u32::from(self.frame) * 16 + u32::from(self.offset)
    }
}

/// A line of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine<'a> {
    /// The file name used by the user.
    pub file: &'a str,
    /// The line number, from 1.
    pub line: u32,
}

impl std::fmt::Display for SourceLine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    addresses: Range<u32>,
    file: usize,
    line: u32,
}

/// All symbols and source lines of a program.
///
/// ```
/// use oxbox_toolchain::symbols::{Symbol, SymbolKind, Symbols};
///
/// let mut symbols = Symbols::new(false);
/// symbols.add_line("game.asm", 12, 0x20..0x23);
/// let start = Symbol {
///     name: "start".into(),
///     kind: SymbolKind::Label,
///     frame: 0,
///     offset: 0x20,
///     length: None,
///     locals: Vec::new(),
/// };
/// symbols.add(start);
/// assert_eq!(symbols.line_at(0x22).unwrap().to_string(), "game.asm:12");
/// assert_eq!(symbols.symbol_at(0x22).map(|(symbol, past)| (symbol.name.as_str(), past)), Some(("start", 2)));
/// assert_eq!(symbols.addresses_of("GAME.ASM", 12), [0x20]);
/// // An EXE program whose PSP is at 1000h begins at the paragraph after it.
/// assert_eq!(symbols.base(0x1000), 0x10100);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    is_com: bool,
    /// Ordered by address.
    symbols: Vec<Symbol>,
    files: Vec<String>,
    /// Ordered by address, without overlaps.
    spans: Vec<Span>,
}

impl Symbols {
    /// Creates an empty table for a COM program or an EXE program.
    pub fn new(is_com: bool) -> Self {
        Symbols { is_com, ..Symbols::default() }
    }

    /// Returns the linear address of the image's first byte in a program with this PSP segment.
    pub fn base(&self, psp: u16) -> u32 {
        const PSP_BYTES: u32 = 0x100;
        u32::from(psp) * 16 + if self.is_com { 0 } else { PSP_BYTES }
    }

    /// Adds a symbol. A duplicate of the same name and address is ignored.
    pub fn add(&mut self, symbol: Symbol) {
        let from = self.symbols.partition_point(|other| other.address() < symbol.address());
        let here = self.symbols[from..].iter().take_while(|other| other.address() == symbol.address());
        if here.clone().any(|other| other.name.eq_ignore_ascii_case(&symbol.name)) {
            return;
        }
        let at = from + here.count();
        self.symbols.insert(at, symbol);
    }

    /// Replaces names by the user's spelling. `spellings` has the current names in lower case.
    pub(crate) fn respell(&mut self, spellings: &std::collections::BTreeMap<String, String>) {
        let is_spelled = |name: &str| spellings.contains_key(&name.to_ascii_lowercase());
        for symbol in self.symbols.iter_mut().filter(|symbol| is_spelled(&symbol.name)) {
            symbol.name.pop();
        }
    }

    /// Adds the code of a source line, an address range, without the parts of earlier lines.
    pub fn add_line(&mut self, file: &str, line: u32, addresses: Range<u32>) {
        let at = self.spans.partition_point(|span| span.addresses.start < addresses.start);
        let overlaps =
            |span: &Span| span.addresses.start < addresses.end && addresses.start < span.addresses.end;
        let before = at.checked_sub(1).and_then(|before| self.spans.get(before));
        if addresses.is_empty() || before.is_some_and(overlaps) || self.spans.get(at).is_some_and(overlaps) {
            return;
        }
        let file = match self.files.iter().position(|other| other == file) {
            Some(file) => file,
            None => {
                self.files.push(file.to_owned());
                self.files.len() - 1
            }
        };
        self.spans.insert(at, Span { addresses, file, line });
    }

    /// Renames the source files.
    pub fn rename_files(&mut self, name: impl Fn(&str) -> String) {
        for file in &mut self.files {
            *file = name(file);
        }
    }

    /// Returns all symbols, ordered by address.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns the source files with known lines.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Returns all source lines with code and their address ranges, ordered by address.
    pub fn lines(&self) -> impl Iterator<Item = (SourceLine<'_>, Range<u32>)> {
        self.spans.iter().map(|span| (self.source_line(span), span.addresses.clone()))
    }

    /// Returns the source line of the byte at an address. The last line before data extends to the
    /// start of the data.
    pub fn line_at(&self, address: u32) -> Option<SourceLine<'_>> {
        let after = self.spans.partition_point(|span| span.addresses.start <= address);
        let span = self.spans.get(after.checked_sub(1)?)?;
        let is_data = || self.data_at(address).is_some_and(|data| data.address() > span.addresses.start);
        (span.addresses.contains(&address) && !is_data()).then(|| self.source_line(span))
    }

    /// Returns the last symbol at or before an address, and the distance in bytes from it.
    pub fn symbol_at(&self, address: u32) -> Option<(&Symbol, u32)> {
        let after = self.symbols.partition_point(|symbol| symbol.address() <= address);
        let mut before = self.symbols[..after].iter().rev();
        let symbol = before.find(|symbol| symbol.kind != SymbolKind::Constant)?;
        Some((symbol, address - symbol.address()))
    }

    /// Returns the variable that contains the byte at an address: the last symbol at or before it,
    /// or another one at the same address.
    pub fn data_at(&self, address: u32) -> Option<&Symbol> {
        let (last, _) = self.symbol_at(address)?;
        self.symbols_at(last.address()).find(|symbol| symbol.kind == SymbolKind::Data)
    }

    /// Returns the symbols at exactly this address, except constants.
    pub fn symbols_at(&self, address: u32) -> impl Iterator<Item = &Symbol> {
        let from = self.symbols.partition_point(|symbol| symbol.address() < address);
        let here = self.symbols[from..].iter().take_while(move |symbol| symbol.address() == address);
        here.filter(|symbol| symbol.kind != SymbolKind::Constant)
    }

    /// Returns the symbol with a name, preferably with the same case.
    pub fn find(&self, name: &str) -> Option<&Symbol> {
        let exact = self.symbols.iter().find(|symbol| symbol.name == name);
        exact.or_else(|| self.symbols.iter().find(|symbol| symbol.name.eq_ignore_ascii_case(name)))
    }

    /// Returns the addresses at which the code of a line starts; several for a macro or an include
    /// file that is used repeatedly. `file` is a path or a file name, in any case.
    pub fn addresses_of(&self, file: &str, line: u32) -> Vec<u32> {
        let is_named =
            |known: &str| known.eq_ignore_ascii_case(file) || base_name(known).eq_ignore_ascii_case(file);
        let spans = self.spans.iter().filter(|span| span.line == line && is_named(&self.files[span.file]));
        spans.map(|span| span.addresses.start).collect()
    }

    fn source_line(&self, span: &Span) -> SourceLine<'_> {
        SourceLine { file: &self.files[span.file], line: span.line }
    }
}

impl Extend<Symbol> for Symbols {
    fn extend<T: IntoIterator<Item = Symbol>>(&mut self, symbols: T) {
        symbols.into_iter().for_each(|symbol| self.add(symbol));
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Parses `SEG:OFF` in hexadecimal, with or without `h`.
pub fn segment_and_offset(text: &str) -> Option<(u16, u16)> {
    let (segment, offset) = text.split_once(':')?;
    let part = |digits: &str| u16::from_str_radix(digits.trim_end_matches(['h', 'H']), 16).ok();
    Some((part(segment)?, part(offset)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, kind: SymbolKind, frame: u16, offset: u16) -> Symbol {
        Symbol { name: name.into(), kind, frame, offset, length: None, locals: Vec::new() }
    }

    #[test]
    fn finds_names_and_lines_by_address() {
        let mut symbols = Symbols::new(true);
        symbols.add(named("late", SymbolKind::Data, 2, 0x10));
        symbols.add(named("early", SymbolKind::Label, 0, 0x10));
        symbols.add(named("SIZE", SymbolKind::Constant, 0, 0x12));
        symbols.add(named("EARLY", SymbolKind::Unknown, 1, 0));
        symbols.add_line("dir/a.asm", 3, 0x14..0x18);
        symbols.add_line("dir/a.asm", 2, 0x10..0x14);
        symbols.add_line("dir/a.asm", 9, 0x13..0x15);
        symbols.add_line("b.inc", 2, 0x20..0x20);
        assert_eq!(symbols.files(), ["dir/a.asm"]);
        let rows = [
            (0x0F, None, None),
            (0x10, Some(2), Some(("early", 0))),
            (0x13, Some(2), Some(("early", 3))),
            (0x14, Some(3), Some(("early", 4))),
            (0x18, None, Some(("early", 8))),
            (0x31, None, Some(("late", 1))),
        ];
        for (address, line, symbol) in rows {
            assert_eq!(symbols.line_at(address).map(|line| line.line), line, "{address:#X}");
            let found = symbols.symbol_at(address).map(|(symbol, past)| (symbol.name.as_str(), past));
            assert_eq!(found, symbol, "{address:#X}");
        }
        assert_eq!(symbols.find("size").map(|symbol| symbol.offset), Some(0x12));
        assert_eq!(symbols.find("nowhere"), None);
        assert_eq!(symbols.addresses_of("A.ASM", 3), [0x14]);
        assert_eq!(symbols.base(0x1234), 0x12340);
    }
}
