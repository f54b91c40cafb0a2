//! Names and lines from the listing of an assembler: MASM's, TASM's, NASM's, that of UASM and JWasm.
//!
//! A listing tells offsets within segments and the bytes of each line; where a linker has put the segments it does not tell. They are
//! looked for in the program by their bytes, which also tells a listing of another build. Lines are those of the source where it is at
//! hand, otherwise those of the listing itself, which holds the source's text.

mod place;
mod rows;
mod source;

use super::image::Image;
use crate::symbols::{Symbol, SymbolKind, Symbols};
use rows::{Definition, Row};

/// Whether a text looks like a listing.
pub(super) fn is_listing(text: &str) -> bool {
    const FEW: usize = 3;
    rows::read(text).iter().filter(|row| row.at.is_some() && !row.bytes.is_empty()).take(FEW).count() == FEW
}

/// What a listing tells of a program. `name` is the listing's own; `source` the name and the text of what was assembled.
///
/// # Errors
/// Why it tells nothing.
pub(super) fn read(
    text: &str,
    name: &str,
    source: Option<(&str, &str)>,
    program: &[u8],
) -> Result<Symbols, String> {
    let rows = rows::read(text);
    let image = Image::of(program);
    let bases = place::bases(&rows, &image);
    if bases.is_empty() {
        return Err("its code is not in the program: it is the listing of another build".to_owned());
    }
    let numbers = source.and_then(|(_, text)| source::numbers(&rows, text));
    let file = match (source, &numbers) {
        (Some((source, _)), Some(_)) => source,
        _ => name,
    };
    let mut symbols = Symbols::new(image.is_com);
    for (segment, base) in &bases {
        let here: Vec<(usize, &Row, u32)> = (0..)
            .zip(&rows)
            .filter(|(_, row)| row.segment == *segment)
            .filter_map(|(index, row)| Some((index, row, base.address + row.at?)))
            .collect();
        for (at, &(index, row, start)) in here.iter().enumerate() {
            let next = here[at + 1..].iter().map(|next| next.2).find(|next| *next > start);
            let end = next.unwrap_or(start + row.bytes.len().max(1) as u32);
            let line = numbers.as_ref().map_or(Some(row.line), |numbers| numbers[index]);
            if let Some(line) = line.filter(|_| row.is_code()) {
                symbols.add_line(file, line, start..end);
            }
            let Some((name, defined)) = row.defines() else { continue };
            let kind = match defined {
                Definition::Label => SymbolKind::Label,
                Definition::Procedure => SymbolKind::Procedure,
                Definition::Data => SymbolKind::Data,
            };
            let ends = |other: &&(usize, &Row, u32)| other.1.ends_procedure(name);
            let length = here[at..].iter().find(ends).filter(|_| kind == SymbolKind::Procedure);
            symbols.add(Symbol {
                name: name.to_owned(),
                kind,
                frame: base.frame,
                offset: start.wrapping_sub(u32::from(base.frame) * 16) as u16,
                length: length.map(|(_, _, end)| (end - start) as u16),
                locals: Vec::new(),
            });
        }
    }
    Ok(symbols)
}

#[cfg(test)]
mod tests;
