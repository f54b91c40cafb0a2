//! Debug tables in an EXE: CodeView's of Microsoft's linkers, Turbo Debugger's of Borland's.
//!
//! Both follow the image. An invalid table ends reading, without an error.

mod codeview;
mod turbo;

use super::image::Image;
use crate::symbols::{Symbol, SymbolKind, Symbols};

/// Reads the tables of a program file; `None` without a table in a known format.
pub(super) fn read(file: &[u8]) -> Option<Symbols> {
    let image = Image::of(file);
    if image.is_com {
        return None;
    }
    let symbols = codeview::read(file, &image).or_else(|| turbo::read(image.trailer))?;
    (!symbols.symbols().is_empty() || !symbols.files().is_empty()).then_some(symbols)
}

/// Little-endian fields by offset; `None` after the end.
#[derive(Debug, Clone, Copy, Default)]
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    fn u16(self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes(*self.0.get(at..)?.first_chunk()?))
    }

    fn u32(self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(*self.0.get(at..)?.first_chunk()?))
    }

    /// Returns a length-prefixed text and the offset after it.
    fn text(self, at: usize) -> Option<(String, usize)> {
        let end = at + 1 + usize::from(self.u8(at)?);
        Some((latin(self.0.get(at + 1..end)?), end))
    }

    fn part(self, at: usize, length: usize) -> Option<Fields<'a>> {
        self.0.get(at..at.checked_add(length)?).map(Fields)
    }
}

fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

fn symbol(name: String, kind: SymbolKind, frame: u16, offset: u16) -> Symbol {
    Symbol { name, kind, frame, offset, length: None, locals: Vec::new() }
}

/// Adds lines by start address. Each extends to the next one of its table, the last to `end`.
fn add_lines(symbols: &mut Symbols, file: &str, mut starts: Vec<(u32, u32)>, end: Option<u32>) {
    const LAST: u32 = 16;
    starts.sort_unstable();
    for (at, &(start, line)) in starts.iter().enumerate() {
        let next = starts[at + 1..].iter().map(|next| next.0).find(|next| *next > start);
        let end = next.or(end.filter(|end| *end > start)).unwrap_or(start + LAST);
        symbols.add_line(file, line, start..end);
    }
}

#[cfg(test)]
mod tests;
