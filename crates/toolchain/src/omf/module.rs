//! What an object module holds, as plain data with every index checked.
//!
//! The parser fills it and the linker reads it; nothing here knows how records are encoded.
//! Source: TIS OMF 1.1, the sections on each record.

use super::lines::Lines;
use crate::diagnostic::{Diagnostic, Place};

/// One object module. Indices are from 0 and in range.
#[derive(Clone, Debug, Default)]
pub(crate) struct Module {
    /// How messages call it: the file, or `LIBRARY(MODULE)`.
    pub(crate) origin: String,
    pub(crate) segments: Vec<Segment>,
    pub(crate) groups: Vec<Group>,
    pub(crate) externals: Vec<External>,
    pub(crate) publics: Vec<Public>,
    pub(crate) fixups: Vec<Fixup>,
    /// Other names of symbols: (the alias, what it stands for).
    pub(crate) aliases: Vec<(String, String)>,
    /// Libraries that the module asks for.
    pub(crate) default_libraries: Vec<String>,
    /// The address of END.
    pub(crate) start: Option<Start>,
    /// The module asks for the segment order of the Microsoft languages.
    pub(crate) dosseg: bool,
    /// Source files and lines, where the translator wrote them.
    pub(crate) lines: Lines,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Module {
    /// An error at a byte of a segment: at its source line if that is known, else at the record.
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

/// How the segments of one name and class in several modules become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Private,
    Public,
    Stack,
    Common,
}

/// What the linker does with a second COMDAT of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    Unique,
    Any,
    SameSize,
    Exact,
}

/// A module's part of a segment.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) combine: Combine,
    /// Bytes: a power of two from 1 to 4096.
    pub(crate) align: u32,
    /// The paragraph of a segment at a fixed address; such a segment only names places in memory.
    pub(crate) frame: Option<u16>,
    /// In bytes, at most 64 KiB.
    pub(crate) size: u32,
    /// Offsets in it have 32 bits (USE32).
    pub(crate) use32: bool,
    /// The contents up to the last byte that has any.
    pub(crate) bytes: Vec<u8>,
    /// Set for a COMDAT, which is a segment part that may be left out.
    pub(crate) comdat: Option<Selection>,
}

/// Segments that are reached through one segment register.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) segments: Vec<usize>,
}

/// A name that a module uses, or a communal variable that it shares.
#[derive(Clone, Debug)]
pub(crate) struct External {
    pub(crate) name: String,
    /// Known in this module only (LEXTDEF).
    pub(crate) local: bool,
    pub(crate) communal: Option<Communal>,
    /// The external that stands in when nothing defines this one, which then no library is searched for.
    pub(crate) weak: Option<usize>,
    /// The record that named it, for messages.
    pub(crate) record: Record,
}

/// An uninitialised variable that every module that names it shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Communal {
    pub(crate) far: bool,
    /// Bytes.
    pub(crate) size: u32,
}

/// A name that a module defines.
#[derive(Clone, Debug)]
pub(crate) struct Public {
    pub(crate) name: String,
    /// Known in this module only (LPUBDEF, local COMDAT).
    pub(crate) local: bool,
    pub(crate) base: Base,
    pub(crate) offset: u32,
    pub(crate) record: Record,
}

/// What a public name's offset counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Segment {
        segment: usize,
        group: Option<usize>,
    },
    /// A fixed paragraph; the number itself when it is a constant.
    Absolute(u16),
}

/// A place whose contents depend on where things end up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    pub(crate) segment: usize,
    /// The offset in this module's part of the segment.
    pub(crate) at: u32,
    pub(crate) location: Location,
    pub(crate) self_relative: bool,
    pub(crate) frame: Frame,
    pub(crate) target: Target,
    pub(crate) displacement: u32,
    pub(crate) record: Record,
}

/// The shape of the place to mend.
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
    /// In bytes.
    pub(crate) fn width(self) -> u32 {
        match self {
            Self::LowByte | Self::HighByte => 1,
            Self::Offset16 | Self::Base => 2,
            Self::Offset32 | Self::Pointer16 => 4,
            Self::Pointer32 => 6,
        }
    }
}

/// The paragraph that an offset is to be taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Segment(usize),
    Group(usize),
    External(usize),
    Absolute(u16),
    Location,
    Target,
}

/// What is referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Segment(usize),
    Group(usize),
    External(usize),
    Absolute(u16),
}

/// Where the program begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) frame: Frame,
    pub(crate) target: Target,
    pub(crate) displacement: u32,
    pub(crate) record: Record,
}

/// The place of a record, for messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// From 1 in its module.
    pub(crate) number: u32,
    pub(crate) kind: u8,
    /// In bytes from the start of the file.
    pub(crate) offset: usize,
}
