//! How a source is read: the dialect of an assembler, and the processor whose instructions it may use.

use std::path::Path;
use std::str::FromStr;

/// The extensions of assembly sources, whatever the case of their letters.
pub const SOURCE_EXTENSIONS: [&str; 7] = ["asm", "s", "nasm", "a86", "fasm", "tasm", "masm"];

/// Whether a file is an assembly source by its name.
pub fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    SOURCE_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Whether a file is what a program is built from by its name: a source, an object or a library.
pub fn is_built_from(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    is_source(path) || ["obj", "lib"].iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// An assembler's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// That of MASM up to 5.1; also what cannot be told.
    Masm5,
    /// That of MASM 6 and of UASM: INVOKE, `.IF`, PROTO.
    Masm6,
    /// Turbo Assembler's, in its MASM mode.
    Tasm,
    /// Turbo Assembler's ideal mode.
    Ideal,
    /// That of emu8086.
    Emu8086,
    /// NASM's.
    Nasm,
    /// That of flat assembler.
    Fasm,
}

impl Dialect {
    /// All of them, in the order of [`Dialect`], with the names that options have.
    pub const ALL: [(Dialect, &'static str); 7] = [
        (Dialect::Masm5, "masm5"),
        (Dialect::Masm6, "masm6"),
        (Dialect::Tasm, "tasm"),
        (Dialect::Ideal, "ideal"),
        (Dialect::Emu8086, "emu8086"),
        (Dialect::Nasm, "nasm"),
        (Dialect::Fasm, "fasm"),
    ];

    /// The assembler's name as its users write it.
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

    /// Whether NASM assembles it, and not UASM.
    #[cfg(feature = "assembler")]
    pub(crate) fn is_for_nasm(self) -> bool {
        matches!(self, Dialect::Nasm | Dialect::Fasm)
    }
}

/// The name of a dialect is none of [`Dialect::ALL`].
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

/// What a build takes sources for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The dialect of all sources; None tells it for each by its words.
    pub dialect: Option<Dialect>,
    /// The processor whose instructions a source may use that names none: 0 for the 8086, 1 for the 186, up to 5 for the Pentium.
    pub processor: u8,
}

impl Default for Reading {
    /// Any dialect, and the instructions of the 386.
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
