//! Symbols and line numbers of a program, read from files beside it or from the program itself:
//! oxbox's own format, linker maps, assembler listings, and CodeView and Turbo Debugger tables in
//! an EXE.
//!
//! oxbox's format has one item per line: `program` (kind and hash of the bytes), `file`, `line`
//! (number of the file, line, first address, end address), `name` (kind, paragraph, offset,
//! length), `local` (offset from BP). Addresses are hexadecimal. From a map, the public symbols are
//! read, and line numbers if the linker has listed them.

mod embedded;
mod image;
mod listing;

use super::Format;
use crate::symbols::{Local, Symbol, SymbolKind, Symbols, segment_and_offset};
use std::fmt::Write;
use xxhash_rust::xxh3::xxh3_64;

const FIRST_LINE: &str = "oxbox debug information 1";

const KINDS: [(SymbolKind, &str); 5] = [
    (SymbolKind::Procedure, "procedure"),
    (SymbolKind::Label, "label"),
    (SymbolKind::Data, "data"),
    (SymbolKind::Unknown, "unknown"),
    (SymbolKind::Constant, "constant"),
];

/// The contents of a debug file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugFile {
    /// Symbols and line numbers.
    pub symbols: Symbols,
    /// The hash of the program's bytes, if the file contains it.
    program: Option<u64>,
}

impl DebugFile {
    /// Returns false if the file is known to belong to another program.
    pub fn is_of(&self, program: &[u8]) -> bool {
        self.program.is_none_or(|hash| hash == xxh3_64(program))
    }
}

/// Formats the symbols and line numbers of a program as text.
///
/// ```
/// use oxbox_toolchain::symbols::Symbols;
/// use oxbox_toolchain::{Format, debug_file};
///
/// let mut symbols = Symbols::new(true);
/// symbols.add_line("a.asm", 3, 0x100..0x103);
/// let text = debug_file::write(&symbols, Format::Com, b"program");
/// let file = debug_file::read(&text)?;
/// assert_eq!(file.symbols, symbols);
/// assert!(file.is_of(b"program") && !file.is_of(b"another"));
/// # Ok::<(), debug_file::DebugFileError>(())
/// ```
pub fn write(symbols: &Symbols, format: Format, program: &[u8]) -> String {
    let kind = if format == Format::Com { "COM" } else { "EXE" };
    let mut text = format!("{FIRST_LINE}\nprogram {kind} {:016x}\n", xxh3_64(program));
    // Writing to a String cannot fail.
    for file in symbols.files() {
        let _ = writeln!(text, "file {file}");
    }
    for (line, addresses) in symbols.lines() {
        let file = symbols.files().iter().position(|file| file == line.file).unwrap_or_default();
        let _ = writeln!(text, "line {file} {} {:x} {:x}", line.line, addresses.start, addresses.end);
    }
    for symbol in symbols.symbols() {
        let kind = KINDS.iter().find(|(kind, _)| *kind == symbol.kind).map_or("unknown", |(_, name)| name);
        let length = symbol.length.map_or("-".to_owned(), |length| format!("{length:x}"));
        let _ = writeln!(text, "name {kind} {:x} {:x} {length} {}", symbol.frame, symbol.offset, symbol.name);
        for local in &symbol.locals {
            let _ = writeln!(text, "local {} {}", local.offset, local.name);
        }
    }
    text
}

/// Returns the CodeView or Turbo Debugger tables of a program file; `None` if it has none.
pub fn embedded(program: &[u8]) -> Option<Symbols> {
    embedded::read(program)
}

/// Returns whether a text is an assembler listing that [`read_listing`] can read.
pub fn is_listing(text: &str) -> bool {
    !text.starts_with(FIRST_LINE) && listing::is_listing(text)
}

/// Reads a listing of MASM, TASM, NASM, UASM or JWasm. `name` is its file name. `source` is the
/// name and text of the assembled source, whose line numbers are then used instead of those of the
/// listing. `program` is the program file, in which the segments are located.
///
/// ```
/// use oxbox_toolchain::debug_file;
///
/// let listing = " 0100  B4 4C         start:  mov ah, 4Ch\n 0102  CD 21                 int 21h\n";
/// let symbols = debug_file::read_listing(listing, "a.lst", None, b"\xB4\x4C\xCD\x21")?;
/// assert_eq!(symbols.line_at(0x102).unwrap().to_string(), "a.lst:2");
/// assert_eq!(symbols.find("start").unwrap().address(), 0x100);
/// # Ok::<(), debug_file::DebugFileError>(())
/// ```
///
/// # Errors
/// Fails if the listing belongs to another program.
pub fn read_listing(
    text: &str,
    name: &str,
    source: Option<(&str, &str)>,
    program: &[u8],
) -> Result<Symbols, DebugFileError> {
    listing::read(text, name, source, program).map_err(DebugFileError)
}

/// An error in debug information: the line and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DebugFileError(String);

/// Reads the output of [`write()`], or a map.
///
/// # Errors
/// Fails if a line cannot be parsed, or if the text is neither of them.
pub fn read(text: &str) -> Result<DebugFile, DebugFileError> {
    if text.starts_with(FIRST_LINE) {
        return read_own(text).map_err(DebugFileError);
    }
    let symbols = read_map(text);
    if symbols.symbols().is_empty() && symbols.files().is_empty() {
        let text =
            "it is neither oxbox's debug information, nor a linker's map with public names, nor a listing";
        return Err(DebugFileError(text.to_owned()));
    }
    Ok(DebugFile { symbols, program: None })
}

fn read_own(text: &str) -> Result<DebugFile, String> {
    let mut found = DebugFile { symbols: Symbols::default(), program: None };
    let mut files: Vec<&str> = Vec::new();
    let mut last: Option<Symbol> = None;
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        let wrong = || format!("line {number}: '{line}' is not understood");
        let (word, rest) = line.split_once(' ').ok_or_else(wrong)?;
        let fields: Vec<&str> = rest.splitn(5, ' ').collect();
        let field = |at: usize| fields.get(at).copied().ok_or_else(wrong);
        let hex = |at: usize| u32::from_str_radix(field(at)?, 16).map_err(|_| wrong());
        let short = |at: usize| u16::from_str_radix(field(at)?, 16).map_err(|_| wrong());
        match word {
            "program" => {
                found.symbols = Symbols::new(field(0)? == "COM");
                found.program = Some(u64::from_str_radix(field(1)?, 16).map_err(|_| wrong())?);
            }
            "file" => files.push(rest),
            "line" => {
                let file: usize = field(0)?.parse().map_err(|_| wrong())?;
                let file = files.get(file).copied().ok_or_else(wrong)?;
                let at = field(1)?.parse().map_err(|_| wrong())?;
                found.symbols.add_line(file, at, hex(2)?..hex(3)?);
            }
            "name" => {
                found.symbols.extend(last.take());
                let kind = KINDS.iter().find(|(_, name)| Some(name) == fields.first()).ok_or_else(wrong)?.0;
                let length = if field(3)? == "-" { None } else { Some(short(3)?) };
                let name = field(4)?.to_owned();
                last = Some(Symbol {
                    name,
                    kind,
                    frame: short(1)?,
                    offset: short(2)?,
                    length,
                    locals: Vec::new(),
                });
            }
            "local" => {
                let offset = field(0)?.parse().map_err(|_| wrong())?;
                let local = Local { name: field(1)?.to_owned(), offset };
                last.as_mut().ok_or_else(wrong)?.locals.push(local);
            }
            _ => return Err(wrong()),
        }
    }
    found.symbols.extend(last);
    Ok(found)
}

/// Reads public symbols in the form ` 0000:0012       start`, perhaps with `Abs`, `idle` or a `*`
/// in between, and line numbers in the form `12 0000:0034`, several per row, below `Line numbers
/// for MODULE(FILE) segment NAME`.
fn read_map(text: &str) -> Symbols {
    let is_com = text.lines().any(|line| line.starts_with("Program entry point") && line.ends_with("(COM)"));
    let mut symbols = Symbols::new(is_com);
    let mut file: Option<&str> = None;
    let mut lines: Vec<(u32, &str, u32)> = Vec::new();
    let mut publics = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(rest) = trimmed.strip_prefix("Line numbers for ") {
            file = rest.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(file, _)| file);
            continue;
        }
        if trimmed.starts_with("Address") {
            publics = true;
            file = None;
            continue;
        }
        let words: Vec<&str> = trimmed.split_whitespace().collect();
        if let Some(file) = file {
            for pair in words.chunks_exact(2) {
                if let (Ok(number), Some((frame, offset))) = (pair[0].parse(), segment_and_offset(pair[1])) {
                    lines.push((u32::from(frame) * 16 + u32::from(offset), file, number));
                }
            }
        } else if publics && let [address, middle @ .., name] = &words[..] {
            let address = address.trim_end_matches(['*', '+']);
            let known = middle.iter().all(|word| matches!(*word, "Abs" | "idle" | "Imp" | "Res" | "Comdat"));
            let Some((frame, offset)) = segment_and_offset(address).filter(|_| known) else { continue };
            let kind = if middle.contains(&"Abs") { SymbolKind::Constant } else { SymbolKind::Unknown };
            let frame = if kind == SymbolKind::Constant { 0 } else { frame };
            symbols.add(Symbol {
                name: (*name).to_owned(),
                kind,
                frame,
                offset,
                length: None,
                locals: Vec::new(),
            });
        }
    }
    lines.sort_unstable();
    // A map has the start of a line only: the line extends to the next one.
    for (at, &(start, file, line)) in lines.iter().enumerate() {
        const LAST: u32 = 16;
        let end =
            lines[at + 1..].iter().map(|next| next.0).find(|&next| next > start).unwrap_or(start + LAST);
        symbols.add_line(file, line, start..end);
    }
    symbols
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut symbols = Symbols::new(false);
        symbols.add_line("a b.asm", 3, 0x10..0x13);
        symbols.add_line("c.inc", 1, 0x13..0x20);
        let local = Local { name: "x".into(), offset: -4 };
        let symbol = |name: &str, kind, length| Symbol {
            name: name.into(),
            kind,
            frame: 1,
            offset: 2,
            length,
            locals: if length.is_some() { vec![local.clone()] } else { Vec::new() },
        };
        symbols.add(symbol("go", SymbolKind::Procedure, Some(7)));
        symbols.add(symbol("total", SymbolKind::Data, None));
        let text = write(&symbols, Format::Exe, b"MZ");
        assert_eq!(read(&text).map(|file| file.symbols), Ok(symbols));
    }

    #[test]
    fn broken_files_are_told_by_line() {
        let rows = [
            ("oxbox debug information 1\nprogram EXE\n", "line 2: 'program EXE' is not understood"),
            ("oxbox debug information 1\nline 0 1 0 1\n", "line 2: 'line 0 1 0 1' is not understood"),
            (
                "hello\n",
                "it is neither oxbox's debug information, nor a linker's map with public names, nor a listing",
            ),
        ];
        for (text, why) in rows {
            assert_eq!(read(text), Err(DebugFileError(why.to_owned())), "{text}");
        }
    }

    /// Tests the formats of Microsoft's, Borland's and Watcom's linkers.
    #[test]
    fn maps_are_read() {
        let map = " Start  Stop   Length Name                   Class\n 00000H 0000FH 00010H _TEXT                  CODE\n\n\
                   \x20 Address         Publics by Value\n\n 0000:0003       start\n 0001:0002  Abs  size_of\n 0000:0008  idle  go\n 0000:000c*     _main_\n\n\
                   Line numbers for a.obj(a.asm) segment _TEXT\n\n     5 0000:0003     6 0000:0005\n     9 0000:0008\n";
        let symbols = read_map(map);
        let names: Vec<(&str, u16, u16)> = symbols
            .symbols()
            .iter()
            .map(|symbol| (symbol.name.as_str(), symbol.frame, symbol.offset))
            .collect();
        assert_eq!(names, [("size_of", 0, 2), ("start", 0, 3), ("go", 0, 8), ("_main_", 0, 12)]);
        let lines: Vec<String> =
            symbols.lines().map(|(line, at)| format!("{line} {:X}-{:X}", at.start, at.end)).collect();
        assert_eq!(lines, ["a.asm:5 3-5", "a.asm:6 5-8", "a.asm:9 8-18"]);
    }
}
