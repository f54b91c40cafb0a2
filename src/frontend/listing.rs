//! What is known of a program's source: which line and which name an address belongs to.

use std::fmt;

use oxbox::inspect::Symbols;

/// A program's names and lines, and where it was loaded.
pub(crate) struct Listing {
    symbols: Symbols,
    psp: u16,
    /// Bytes of the program file: nothing of it lies further from its start.
    size: u32,
}

/// A place in a source.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SourcePlace {
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    /// A name, and how far behind it: `start`, `start+3`.
    pub(crate) symbol: Option<String>,
}

impl Listing {
    /// Of a program of so many bytes whose PSP is at this segment.
    pub(crate) fn new(symbols: Symbols, psp: u16, size: usize) -> Listing {
        Listing { symbols, psp, size: u32::try_from(size).unwrap_or(u32::MAX) }
    }

    /// What stands at CS:IP; None outside of the program, and where nothing is known.
    pub(crate) fn place(&self, cs: u16, ip: u16) -> Option<SourcePlace> {
        let address = (u32::from(cs) * 16 + u32::from(ip)).checked_sub(self.symbols.base(self.psp))?;
        let symbol = self.symbols.symbol_at(address).filter(|_| address < self.size.saturating_add(0x100));
        let symbol = symbol.map(|(symbol, past)| match past {
            0 => symbol.name.clone(),
            _ => format!("{}+{past}", symbol.name),
        });
        let line = self.symbols.line_at(address);
        let file = line.as_ref().map(|line| line.file.to_owned());
        let place = SourcePlace { file, line: line.map(|line| line.line), symbol };
        (place != SourcePlace::default()).then_some(place)
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourcePlace { file: Some(file), line: Some(line), .. } => write!(f, "{file}:{line}"),
            SourcePlace { symbol, .. } => f.write_str(symbol.as_deref().unwrap_or("?")),
        }
    }
}
