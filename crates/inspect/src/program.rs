//! A program in memory: its load address, entry point and symbols.

use super::symbols::{Symbol, SymbolKind, Symbols};
use oxbox_cpu::Registers;
use oxbox_machine::expression::Named;
use oxbox_machine::hardware::linear;
use std::fmt;

/// A place in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    /// The source file, in the user's spelling.
    pub file: Option<String>,
    /// The line number, from 1.
    pub line: Option<u32>,
    /// A symbol and the distance from it: `start`, `start+3`.
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

/// Returns the value of a program's symbol in an expression. `base` is the linear address from
/// which the program's addresses count.
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
    /// Size of the program file in bytes, an upper bound for distances from the start.
    size: u32,
}

impl Program {
    /// Creates a program with a file of `size` bytes from the registers at its start: DOS sets DS
    /// to the PSP. `symbols` may be empty.
    pub fn new(symbols: Symbols, start: &Registers, size: usize) -> Program {
        Program {
            symbols,
            psp: start.ds(),
            entry: (start.cs(), start.ip as u16),
            stack: (start.ss(), start.sp()),
            size: u32::try_from(size).unwrap_or(u32::MAX),
        }
    }

    /// Creates a program that is already in memory from its PSP and its file.
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

    /// Returns the symbols and lines.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Returns the segment of the PSP.
    pub fn psp(&self) -> u16 {
        self.psp
    }

    /// Returns CS:IP of the first instruction.
    pub fn entry(&self) -> (u16, u16) {
        self.entry
    }

    /// Returns SS:SP at the start.
    pub fn stack(&self) -> (u16, u16) {
        self.stack
    }

    /// Returns whether it was loaded as a COM program.
    pub fn is_com(&self) -> bool {
        self.entry == (self.psp, 0x100)
    }

    /// Returns the linear address from which its addresses count.
    pub fn base(&self) -> u32 {
        const PSP_BYTES: u32 = 0x100;
        u32::from(self.psp) * 16 + if self.is_com() { 0 } else { PSP_BYTES }
    }

    /// Converts `segment:offset` to a program address; `None` below its start.
    pub fn address(&self, segment: u16, offset: u16) -> Option<u32> {
        linear(segment, offset).checked_sub(self.base())
    }

    /// Returns whether the byte at `segment:offset` belongs to its file.
    pub fn holds(&self, segment: u16, offset: u16) -> bool {
        self.address(segment, offset).is_some_and(|address| address < self.end())
    }

    /// Returns the number of bytes from address 0 to the end of its file.
    pub fn length(&self) -> u32 {
        self.end()
    }

    fn end(&self) -> u32 {
        self.size.saturating_add(if self.is_com() { 0x100 } else { 0 })
    }

    /// Returns whether `segment:offset` has a source line, or, without any source lines, whether it
    /// is in the file.
    pub fn is_code(&self, segment: u16, offset: u16) -> bool {
        if self.symbols.files().is_empty() {
            return self.holds(segment, offset);
        }
        self.address(segment, offset).is_some_and(|address| self.symbols.line_at(address).is_some())
    }

    /// Returns the place of CS:IP; `None` outside of the program and without symbols.
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

    /// Returns the symbol at exactly `segment:offset`: preferably of that segment, then a variable,
    /// then a code symbol. Through the PSP no code of an EXE has a name, because DS is then not
    /// loaded and the source means a different symbol.
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

    /// Returns the variable that contains the byte at `segment:offset`.
    pub fn variable_at(&self, segment: u16, offset: u16) -> Option<&str> {
        let address = self.address(segment, offset).filter(|address| *address < self.end())?;
        Some(self.symbols.data_at(address)?.name.as_str())
    }

    /// Returns the procedure that contains an instruction, or else the preceding symbol.
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
