//! Splits a file into OMF records, checks lengths and checksums, and names the kinds of records.
//!
//! Source: TIS OMF 1.1, "Record format": a type byte, a length word that includes the checksum, the
//! contents, and a checksum that makes the sum of all bytes zero, or is itself zero. A wrong
//! checksum is not an error: tools of the time patched records without updating it, among them
//! those for the libraries of Microsoft C 5.1.

use super::module::Record;
use crate::diagnostic::{Diagnostic, Place};

/// A record with its contents, without the checksum.
pub(crate) struct Raw<'a> {
    pub(crate) record: Record,
    pub(crate) contents: &'a [u8],
    /// Whether the checksum is wrong.
    pub(crate) doubtful: bool,
}

pub(crate) struct Records<'a> {
    file: &'a [u8],
    /// The offset of the next record.
    pub(crate) at: usize,
    number: u32,
}

impl<'a> Records<'a> {
    pub(crate) fn new(file: &'a [u8], at: usize) -> Self {
        Self { file, at, number: 0 }
    }

    pub(crate) fn next(&mut self, origin: &str) -> Result<Raw<'a>, Diagnostic> {
        self.number += 1;
        let head = self.file.get(self.at..).unwrap_or_default();
        let record =
            Record { number: self.number, kind: head.first().copied().unwrap_or_default(), offset: self.at };
        let [kind, low, high, body @ ..] = head else {
            return Err(record.error(origin, "the file ends within the module"));
        };
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let Some(body) = body.get(..length).filter(|body| !body.is_empty()) else {
            let text = format!("the record has {length} bytes, the file has {}", body.len());
            return Err(record.error(origin, text));
        };
        let (contents, checksum) = (&body[..length - 1], body[length - 1]);
        let sum =
            body.iter().fold(kind.wrapping_add(*low).wrapping_add(*high), |sum, b| sum.wrapping_add(*b));
        self.at += 3 + length;
        Ok(Raw { record, contents, doubtful: checksum != 0 && sum != 0 })
    }
}

impl Record {
    pub(crate) fn error(self, origin: &str, text: impl Into<String>) -> Diagnostic {
        // No file of this size is read.
        let offset = u32::try_from(self.offset).unwrap_or(u32::MAX);
        let place = Place::Record { number: self.number, kind: kind_name(self.kind), offset };
        Diagnostic { place, ..Diagnostic::error(origin, text) }
    }
}

/// Returns the name of a record's kind in the specification.
pub(crate) fn kind_name(kind: u8) -> &'static str {
    match kind {
        0x80 => "THEADR",
        0x82 => "LHEADR",
        0x88 => "COMENT",
        0x8A | 0x8B => "MODEND",
        0x8C => "EXTDEF",
        0x8E => "TYPDEF",
        0x90 | 0x91 => "PUBDEF",
        0x94 | 0x95 => "LINNUM",
        0x96 => "LNAMES",
        0x98 | 0x99 => "SEGDEF",
        0x9A => "GRPDEF",
        0x9C | 0x9D => "FIXUPP",
        0xA0 | 0xA1 => "LEDATA",
        0xA2 | 0xA3 => "LIDATA",
        0xB0 => "COMDEF",
        0xB2 | 0xB3 => "BAKPAT",
        0xB4 | 0xB5 => "LEXTDEF",
        0xB6 | 0xB7 => "LPUBDEF",
        0xB8 => "LCOMDEF",
        0xBC => "CEXTDEF",
        0xC2 | 0xC3 => "COMDAT",
        0xC4 | 0xC5 => "LINSYM",
        0xC6 => "ALIAS",
        0xC8 | 0xC9 => "NBKPAT",
        0xCA => "LLNAMES",
        0xCC => "VERNUM",
        0xCE => "VENDEXT",
        0xF0 => "library header",
        0xF1 => "library end",
        _ => "unknown record",
    }
}
