//! Options for reading sources: the assembler's dialect, and the processor.

use std::path::Path;
use std::str::FromStr;

/// The extensions of assembly sources, in any case.
pub const SOURCE_EXTENSIONS: [&str; 7] = ["asm", "s", "nasm", "a86", "fasm", "tasm", "masm"];

/// Returns whether a file is an assembly source by its name.
pub fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    SOURCE_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Returns whether a file is a source, an object or a library by its name.
pub fn is_built_from(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    is_source(path) || ["obj", "lib"].iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// The dialect of an assembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// MASM up to 5.1; also the default for unidentified sources.
    Masm5,
    /// MASM 6 and UASM: INVOKE, `.IF`, PROTO.
    Masm6,
    /// Turbo Assembler in MASM mode.
    Tasm,
    /// Turbo Assembler in ideal mode.
    Ideal,
    /// emu8086.
    Emu8086,
    /// NASM.
    Nasm,
    /// flat assembler.
    Fasm,
}

impl Dialect {
    /// All dialects in declaration order, with their names in options.
    pub const ALL: [(Dialect, &'static str); 7] = [
        (Dialect::Masm5, "masm5"),
        (Dialect::Masm6, "masm6"),
        (Dialect::Tasm, "tasm"),
        (Dialect::Ideal, "ideal"),
        (Dialect::Emu8086, "emu8086"),
        (Dialect::Nasm, "nasm"),
        (Dialect::Fasm, "fasm"),
    ];

    /// Returns the usual spelling of the assembler's name.
    pub fn title(self) -> &'static str {
        match self {
            Dialect::Masm5 => "MASM 5",
            Dialect::Masm6 => "MASM 6",
            Dialect::Tasm => "Turbo Assembler",
            Dialect::Ideal => "Turbo Assembler's ideal mode",
            Dialect::Emu8086 => "emu8086",
            Dialect::Nasm => "NASM",
            Dialect::Fasm => "flat assembler",
        }
    }

    /// Returns whether NASM assembles it rather than UASM.
    #[cfg(feature = "assembler")]
    pub(crate) fn is_for_nasm(self) -> bool {
        matches!(self, Dialect::Nasm | Dialect::Fasm)
    }
}

/// The error for a dialect name that is not in [`Dialect::ALL`].
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("unknown dialect; use masm5, masm6, tasm, ideal, emu8086, nasm or fasm")]
pub struct UnknownDialect;

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let found = Dialect::ALL.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        found.map(|(dialect, _)| *dialect).ok_or(UnknownDialect)
    }
}

/// The interpretation of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The dialect of all sources; `None` detects it for each.
    pub dialect: Option<Dialect>,
    /// The processor for sources that name none: 0 (8086), 1 (186) and so on, to 5 (Pentium).
    pub processor: u8,
}

impl Default for Reading {
    /// Returns automatic detection, with the instructions of the 386.
    fn default() -> Self {
        Self { dialect: None, processor: 3 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_have_names() {
        for (dialect, name) in Dialect::ALL {
            assert_eq!(name.to_uppercase().parse(), Ok(dialect), "{name}");
        }
        assert_eq!("wasm".parse::<Dialect>(), Err(UnknownDialect));
    }
}
