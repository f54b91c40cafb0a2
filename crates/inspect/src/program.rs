//! A program in memory: where it was loaded and began, and what is known of its source.

use super::symbols::{Symbol, SymbolKind, Symbols};
use oxbox_cpu::Registers;
use oxbox_machine::expression::Named;
use oxbox_machine::hardware::linear;
use std::fmt;

/// A place in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    /// The source file, as the user calls it.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<u32>,
    /// A name, and how far behind it: `start`, `start+3`.
    pub symbol: Option<String>,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourcePlace { file: Some(file), line: Some(line), .. } => write!(f, "{file}:{line}"),
            SourcePlace { symbol, .. } => f.write_str(symbol.as_deref().unwrap_or("?")),
        }
    }
}

/// Returns what a name of a program stands for in an expression. `base` is the linear address that the program's addresses
/// count from.
pub fn named(symbols: &Symbols, base: u32, name: &str) -> Option<Named> {
    let symbol = symbols.find(name)?;
    Some(match symbol.kind {
        SymbolKind::Constant => Named::Constant(symbol.offset),
        _ => Named::Place(((base >> 4) as u16).wrapping_add(symbol.frame), symbol.offset),
    })
}

/// A program in memory.
///
/// ```
/// use oxbox_cpu::Registers;
/// use oxbox_inspect::{Program, Symbols};
///
/// let mut symbols = Symbols::new(true);
/// symbols.add_line("hello.asm", 3, 0x100..0x103);
/// let mut start = Registers::default();
/// start.seg = [0x1000; 6]; // a COM program: all segment registers hold its PSP
/// start.ip = 0x100;
/// let program = Program::new(symbols, &start, 0x20);
/// assert_eq!(program.place(0x1000, 0x101).unwrap().to_string(), "hello.asm:3");
/// assert_eq!(program.place(0x1010, 0x001).unwrap().to_string(), "hello.asm:3");
/// assert_eq!(program.place(0x1000, 0x110), None);
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    symbols: Symbols,
    psp: u16,
    /// CS:IP and SS:SP at the start.
    entry: (u16, u16),
    stack: (u16, u16),
    /// Bytes of the program file: nothing of it lies further from its start.
    size: u32,
}

impl Program {
    /// A program of so many bytes in its file, from the registers with which it starts: as DOS starts it, DS is its PSP. `symbols`
    /// may be empty.
    pub fn new(symbols: Symbols, start: &Registers, size: usize) -> Program {
        Program {
            symbols,
            psp: start.ds(),
            entry: (start.cs(), start.ip as u16),
            stack: (start.ss(), start.sp()),
            size: u32::try_from(size).unwrap_or(u32::MAX),
        }
    }

    /// A program that is in memory already, by its PSP and its file.
    pub fn of_file(symbols: Symbols, psp: u16, file: &[u8]) -> Program {
        let word = |at: usize| file.get(at..at + 2).map_or(0, |word| u16::from_le_bytes([word[0], word[1]]));
        let is_exe = matches!(file.get(..2), Some(b"MZ" | b"ZM"));
        let image = psp.wrapping_add(0x10);
        let (entry, stack) = if is_exe {
            ((image.wrapping_add(word(0x16)), word(0x14)), (image.wrapping_add(word(0x0E)), word(0x10)))
        } else {
            ((psp, 0x100), (psp, 0xFFFE))
        };
        let size = u32::try_from(file.len()).unwrap_or(u32::MAX);
        Program { symbols, psp, entry, stack, size }
    }

    /// Its names and lines.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The segment of its PSP.
    pub fn psp(&self) -> u16 {
        self.psp
    }

    /// CS:IP of its first instruction.
    pub fn entry(&self) -> (u16, u16) {
        self.entry
    }

    /// SS:SP at its start.
    pub fn stack(&self) -> (u16, u16) {
        self.stack
    }

    /// Whether it was loaded as a COM program.
    pub fn is_com(&self) -> bool {
        self.entry == (self.psp, 0x100)
    }

    /// The linear address that its own addresses count from.
    pub fn base(&self) -> u32 {
        const PSP_BYTES: u32 = 0x100;
        u32::from(self.psp) * 16 + if self.is_com() { 0 } else { PSP_BYTES }
    }

    /// Its own address of the byte at `segment:offset`; None below its start.
    pub fn address(&self, segment: u16, offset: u16) -> Option<u32> {
        linear(segment, offset).checked_sub(self.base())
    }

    /// Whether the byte at `segment:offset` is of its file.
    pub fn holds(&self, segment: u16, offset: u16) -> bool {
        self.address(segment, offset).is_some_and(|address| address < self.end())
    }

    /// Bytes from where its addresses count to the end of its file.
    pub fn length(&self) -> u32 {
        self.end()
    }

    fn end(&self) -> u32 {
        self.size.saturating_add(if self.is_com() { 0x100 } else { 0 })
    }

    /// Whether a line of its source is at `segment:offset`; wherever no line at all is known, whether its file is.
    pub fn is_code(&self, segment: u16, offset: u16) -> bool {
        if self.symbols.files().is_empty() {
            return self.holds(segment, offset);
        }
        self.address(segment, offset).is_some_and(|address| self.symbols.line_at(address).is_some())
    }

    /// What stands at CS:IP; None outside of the program, and where nothing is known.
    pub fn place(&self, cs: u16, ip: u16) -> Option<SourcePlace> {
        let address = self.address(cs, ip)?;
        let symbol = self.symbols.symbol_at(address).filter(|_| address < self.end());
        let symbol = symbol.map(|(symbol, past)| match past {
            0 => symbol.name.clone(),
            _ => format!("{}+{past}", symbol.name),
        });
        let line = self.symbols.line_at(address);
        let file = line.as_ref().map(|line| line.file.to_owned());
        let place = SourcePlace { file, line: line.map(|line| line.line), symbol };
        (place != SourcePlace::default()).then_some(place)
    }

    /// The name that begins at exactly `segment:offset`: one of that segment, else a variable, else a name in code. By way of the
    /// PSP no code of an EXE has a name: DS has not been loaded there, and the source names something else.
    pub fn name_at(&self, segment: u16, offset: u16) -> Option<&str> {
        let by_psp = segment == self.psp && !self.is_com();
        let rank = |symbol: &Symbol| match symbol.kind {
            _ if symbol.offset == offset => Some(0),
            SymbolKind::Data | SymbolKind::Unknown => Some(1),
            _ => (!by_psp).then_some(2),
        };
        let here = self.symbols.symbols_at(self.address(segment, offset)?);
        here.filter_map(|symbol| Some((rank(symbol)?, symbol.name.as_str())))
            .min_by_key(|found| found.0)
            .map(|found| found.1)
    }

    /// The variable that the byte at `segment:offset` belongs to, by its names.
    pub fn variable_at(&self, segment: u16, offset: u16) -> Option<&str> {
        let address = self.address(segment, offset).filter(|address| *address < self.end())?;
        Some(self.symbols.data_at(address)?.name.as_str())
    }

    /// The procedure or, where there are none, the name that an instruction belongs to.
    pub fn routine(&self, cs: u16, ip: u16) -> Option<&Symbol> {
        let address = self.address(cs, ip).filter(|address| *address < self.end())?;
        let before = self.symbols.symbols().iter().rev().filter(|symbol| {
            symbol.address() <= address && !matches!(symbol.kind, SymbolKind::Data | SymbolKind::Constant)
        });
        let mut nearest = None;
        for symbol in before {
            let ends = symbol.length.map(|length| symbol.address() + u32::from(length));
            if symbol.kind == SymbolKind::Procedure && ends.is_none_or(|end| address < end) {
                return Some(symbol);
            }
            nearest = nearest.or(Some(symbol));
        }
        nearest
    }
}
