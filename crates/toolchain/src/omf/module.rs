//! The contents of an object module as plain data with checked indices.
//!
//! The parser fills it and the linker reads it. It does not depend on the encoding of records.
//! Source: TIS OMF 1.1, the sections on each record.

use super::lines::Lines;
use crate::diagnostic::{Diagnostic, Place};

/// An object module. Indices start at 0 and are in range.
#[derive(Clone, Debug, Default)]
pub(crate) struct Module {
    /// The name used in messages: the file, or `LIBRARY(MODULE)`.
    pub(crate) origin: String,
    pub(crate) segments: Vec<Segment>,
    pub(crate) groups: Vec<Group>,
    pub(crate) externals: Vec<External>,
    pub(crate) publics: Vec<Public>,
    pub(crate) fixups: Vec<Fixup>,
    /// Aliases of symbols: (alias, symbol).
    pub(crate) aliases: Vec<(String, String)>,
    /// The libraries that the module requests.
    pub(crate) default_libraries: Vec<String>,
    /// The start address from END.
    pub(crate) start: Option<Start>,
    /// Whether the module requests the segment order of the Microsoft languages.
    pub(crate) dosseg: bool,
    /// Source lines, if the translator wrote them.
    pub(crate) lines: Lines,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Module {
    /// Creates an error at a byte of a segment: at its source line if known, else at the record.
    pub(crate) fn error_at(
        &self,
        segment: usize,
        at: u32,
        record: Record,
        text: impl Into<String>,
    ) -> Diagnostic {
        match self.lines.find(segment, at) {
            Some((file, line)) => Diagnostic { place: Place::Line(line), ..Diagnostic::error(file, text) },
            None => record.error(&self.origin, text),
        }
    }
}

/// The rule by which segments of the same name and class from several modules are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Private,
    Public,
    Stack,
    Common,
}

/// The selection rule for COMDATs of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    Unique,
    Any,
    SameSize,
    Exact,
}

#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) combine: Combine,
    /// The alignment in bytes: a power of two from 1 to 4096.
    pub(crate) align: u32,
    /// The paragraph of a segment at a fixed address, which only names locations in memory.
    pub(crate) frame: Option<u16>,
    /// The size in bytes, at most 64 KiB.
    pub(crate) size: u32,
    /// Whether its offsets have 32 bits (USE32).
    pub(crate) use32: bool,
    /// The contents up to the last initialised byte.
    pub(crate) bytes: Vec<u8>,
    /// The selection rule of a COMDAT, a segment part that may be dropped.
    pub(crate) comdat: Option<Selection>,
}

#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) segments: Vec<usize>,
}

/// A symbol that a module uses, or a communal variable.
#[derive(Clone, Debug)]
pub(crate) struct External {
    pub(crate) name: String,
    /// Whether it is local to this module (LEXTDEF).
    pub(crate) local: bool,
    pub(crate) communal: Option<Communal>,
    /// The default of a weak external, which is used if nothing defines the symbol. Libraries are
    /// not searched for it.
    pub(crate) weak: Option<usize>,
    /// The record that names it, for messages.
    pub(crate) record: Record,
}

/// An uninitialised variable shared by all modules that name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Communal {
    pub(crate) far: bool,
    /// Size in bytes.
    pub(crate) size: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Public {
    pub(crate) name: String,
    /// Whether it is local to this module (LPUBDEF, local COMDAT).
    pub(crate) local: bool,
    pub(crate) base: Base,
    pub(crate) offset: u32,
    pub(crate) record: Record,
}

/// The base of a public symbol's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Segment {
        segment: usize,
        group: Option<usize>,
    },
    /// A fixed paragraph; for a constant, the value itself.
    Absolute(u16),
}

/// A location whose contents depend on the layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    pub(crate) segment: usize,
    /// The offset of the location in this module's part of the segment.
    pub(crate) at: u32,
    pub(crate) location: Location,
    pub(crate) self_relative: bool,
    pub(crate) frame: Frame,
    pub(crate) target: Target,
    pub(crate) displacement: u32,
    pub(crate) record: Record,
}

/// The type of a fixup's location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    LowByte,
    HighByte,
    Offset16,
    Offset32,
    Base,
    Pointer16,
    Pointer32,
}

impl Location {
    /// Returns the width in bytes.
    pub(crate) fn width(self) -> u32 {
        match self {
            Self::LowByte | Self::HighByte => 1,
            Self::Offset16 | Self::Base => 2,
            Self::Offset32 | Self::Pointer16 => 4,
            Self::Pointer32 => 6,
        }
    }
}

/// The frame from which an offset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Segment(usize),
    Group(usize),
    External(usize),
    Absolute(u16),
    Location,
    Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Segment(usize),
    Group(usize),
    External(usize),
    Absolute(u16),
}

/// The start address of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) frame: Frame,
    pub(crate) target: Target,
    pub(crate) displacement: u32,
    pub(crate) record: Record,
}

/// The position of a record, for messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// The number of the record in its module, from 1.
    pub(crate) number: u32,
    pub(crate) kind: u8,
    /// The offset in bytes from the start of the file.
    pub(crate) offset: usize,
}
