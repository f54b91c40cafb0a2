//! Symbols and line numbers from assembler listings of MASM, TASM, NASM, UASM and JWasm.
//!
//! A listing contains offsets within segments and the bytes of each line, but not where a linker
//! placed the segments. They are located in the program by their bytes, which also detects a
//! listing of another build. Line numbers are those of the source if it is available, otherwise
//! those of the listing, which contains the source text.

mod place;
mod rows;
mod source;

use super::image::Image;
use crate::symbols::{Symbol, SymbolKind, Symbols};
use rows::{Definition, Row};

pub(super) fn is_listing(text: &str) -> bool {
    const FEW: usize = 3;
    rows::read(text).iter().filter(|row| row.at.is_some() && !row.bytes.is_empty()).take(FEW).count() == FEW
}

/// Reads a listing. `name` is its file name; `source` is the name and text of the assembled source.
/// Fails with the reason if the listing does not fit the program.
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
        return Err("its code is not in the program: it is the listing of a different build".to_owned());
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
