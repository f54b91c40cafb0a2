//! The names and source lines of a program: from an address to `file:line` and symbol, and back.
//!
//! Addresses count in bytes from the start of the program's image: from the PSP for a COM program, from the first
//! segment for an EXE. [`Symbols::base`] tells where that is once the program is loaded.

use std::ops::Range;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A procedure.
    Procedure,
    /// A label in code.
    Label,
    /// A variable.
    Data,
    /// Known by name and address alone: a public name of an object without debug information.
    Unknown,
    /// A number, not a place.
    Constant,
}

/// A parameter or local variable of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its place, in bytes from BP: parameters above, locals below.
    pub offset: i16,
}

/// A name of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// As the source spells it; publics of an object without debug information as the object does.
    pub name: String,
    /// What it stands for.
    pub kind: SymbolKind,
    /// The paragraph that its offset counts from, counted from the start of the image; 0 for a constant.
    pub frame: u16,
    /// Its offset, or a constant's value.
    pub offset: u16,
    /// The length of a procedure in bytes, where it is known.
    pub length: Option<u16>,
    /// Parameters and local variables of a procedure.
    pub locals: Vec<Local>,
}

impl Symbol {
    /// Its address from the start of the image, in bytes. A constant has none that means anything.
    pub fn address(&self) -> u32 {
        u32::from(self.frame) * 16 + u32::from(self.offset)
    }
}

/// A line of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine<'a> {
    /// The file as the user calls it.
    pub file: &'a str,
    /// From 1.
    pub line: u32,
}

impl std::fmt::Display for SourceLine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The code of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    addresses: Range<u32>,
    file: usize,
    line: u32,
}

/// All names and lines of a program.
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
    /// By address.
    symbols: Vec<Symbol>,
    files: Vec<String>,
    /// By address, without overlaps.
    spans: Vec<Span>,
}

impl Symbols {
    /// None yet, of a COM program or of an EXE program.
    pub fn new(is_com: bool) -> Self {
        Symbols { is_com, ..Symbols::default() }
    }

    /// The linear address of the image's first byte in a program whose PSP is at this segment.
    pub fn base(&self, psp: u16) -> u32 {
        const PSP_BYTES: u32 = 0x100;
        u32::from(psp) * 16 + if self.is_com { 0 } else { PSP_BYTES }
    }

    /// Adds a name. A second one of the same name at the same place is left out.
    pub fn add(&mut self, symbol: Symbol) {
        let from = self.symbols.partition_point(|other| other.address() < symbol.address());
        let here = self.symbols[from..].iter().take_while(|other| other.address() == symbol.address());
        if here.clone().any(|other| other.name.eq_ignore_ascii_case(&symbol.name)) {
            return;
        }
        let at = from + here.count();
        self.symbols.insert(at, symbol);
    }

    /// Gives names the spelling that users know them by. `spellings` has the present ones in small letters.
    pub(crate) fn respell(&mut self, spellings: &std::collections::BTreeMap<String, String>) {
        let is_spelled = |name: &str| spellings.contains_key(&name.to_ascii_lowercase());
        for symbol in self.symbols.iter_mut().filter(|symbol| is_spelled(&symbol.name)) {
            symbol.name.pop();
        }
    }

    /// Adds the code of a line: a range of addresses. What overlaps earlier lines is left out.
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

    /// Gives the source files other names.
    pub fn rename_files(&mut self, name: impl Fn(&str) -> String) {
        for file in &mut self.files {
            *file = name(file);
        }
    }

    /// All names, by address.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The source files that lines are known of.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// All lines that have code, with their addresses, by address.
    pub fn lines(&self) -> impl Iterator<Item = (SourceLine<'_>, Range<u32>)> {
        self.spans.iter().map(|span| (self.source_line(span), span.addresses.clone()))
    }

    /// The line that the byte at an address comes from. The last line before data has an end only where the data begins.
    pub fn line_at(&self, address: u32) -> Option<SourceLine<'_>> {
        let after = self.spans.partition_point(|span| span.addresses.start <= address);
        let span = self.spans.get(after.checked_sub(1)?)?;
        let is_data = || self.data_at(address).is_some_and(|data| data.address() > span.addresses.start);
        (span.addresses.contains(&address) && !is_data()).then(|| self.source_line(span))
    }

    /// The last name at or before an address, and how many bytes the address lies past it.
    pub fn symbol_at(&self, address: u32) -> Option<(&Symbol, u32)> {
        let after = self.symbols.partition_point(|symbol| symbol.address() <= address);
        let mut before = self.symbols[..after].iter().rev();
        let symbol = before.find(|symbol| symbol.kind != SymbolKind::Constant)?;
        Some((symbol, address - symbol.address()))
    }

    /// The variable that the byte at an address belongs to: the last name before it, or one at the same place, is that variable's.
    pub fn data_at(&self, address: u32) -> Option<&Symbol> {
        let (last, _) = self.symbol_at(address)?;
        self.symbols_at(last.address()).find(|symbol| symbol.kind == SymbolKind::Data)
    }

    /// The names at exactly an address, constants left out.
    pub fn symbols_at(&self, address: u32) -> impl Iterator<Item = &Symbol> {
        let from = self.symbols.partition_point(|symbol| symbol.address() < address);
        let here = self.symbols[from..].iter().take_while(move |symbol| symbol.address() == address);
        here.filter(|symbol| symbol.kind != SymbolKind::Constant)
    }

    /// The symbol of a name, spelled so or, failing that, in another case.
    pub fn find(&self, name: &str) -> Option<&Symbol> {
        let exact = self.symbols.iter().find(|symbol| symbol.name == name);
        exact.or_else(|| self.symbols.iter().find(|symbol| symbol.name.eq_ignore_ascii_case(name)))
    }

    /// Where the code of a line begins; more than one place where a macro or an include file is used again. `file` may
    /// be a path or the file's name alone, in any case.
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

/// `SEG:OFF`, both hexadecimal, with or without an `h`.
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
