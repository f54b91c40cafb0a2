//! Parses an object module: one short function per kind of record fills the [`Module`].
//!
//! Indices are checked here and count from 0 from here on. LEDATA, LIDATA and COMDAT are stored
//! directly in the contents of their segments. Source: TIS OMF 1.1, the sections on each record.

use super::fixup::Threads;
use super::iterated::Runs;
use super::module::{Base, Combine, Communal, External, Group, Module, Public, Record, Segment};
use super::reader::{Field, Reader};
use super::records::Records;
use crate::diagnostic::{Diagnostic, Severity};

const COMENT: u8 = 0x88;

/// The most bytes of segments in a module: twice the memory of a real-mode machine.
const LARGEST_MODULE: u64 = 2 << 20;

/// Parses the module at byte `at` of `file`. Also returns its end. `origin` names it in messages.
pub(crate) fn parse(file: &[u8], at: usize, origin: &str) -> Result<(Module, usize), Diagnostic> {
    let mut records = Records::new(file, at);
    let mut parser =
        Parser { module: Module { origin: origin.into(), ..Module::default() }, ..Parser::default() };
    loop {
        let raw = records.next(origin)?;
        parser.record = raw.record;
        // Comments are the records that were patched most. Damage in them has no silent effect.
        if raw.doubtful && raw.record.kind != COMENT {
            let warning = raw.record.error(origin, "the checksum is wrong");
            parser.module.warnings.push(Diagnostic { severity: Severity::Warning, ..warning });
        }
        let done = parser.take(raw.record.kind, Reader::new(raw.contents));
        if done.map_err(|text| raw.record.error(origin, text))? {
            return Ok((parser.module, records.at));
        }
    }
}

/// The module parsed until now, and the state that later records refer to.
#[derive(Default)]
pub(super) struct Parser {
    pub(super) module: Module,
    pub(super) record: Record,
    /// The names of LNAMES, from index 0.
    names: Vec<String>,
    /// SEGDEF segments from index 0, as indices of the module's segments, which include COMDATs.
    segment_definitions: Vec<usize>,
    pub(super) threads: Threads,
    /// The destination of the last LEDATA, LIDATA or COMDAT. FIXUPP offsets count from its start.
    pub(super) last_data: Option<LastData>,
    total: u64,
    begun: bool,
}

/// The destination of a data record's contents.
pub(super) struct LastData {
    pub(super) segment: usize,
    pub(super) runs: Runs,
}

impl Parser {
    /// Parses one record. Returns true at the end of the module.
    fn take(&mut self, kind: u8, mut fields: Reader<'_>) -> Field<bool> {
        if !self.begun {
            if kind != 0x80 && kind != 0x82 {
                return Err("this is not an OMF object: it does not begin with THEADR".into());
            }
            self.begun = true;
        }
        let wide = kind & 1 != 0;
        match kind {
            COMENT => self.comment(&mut fields)?,
            0x8A | 0x8B => {
                self.end(&mut fields, wide)?;
                return Ok(true);
            }
            0x8C => self.externals(&mut fields, false)?,
            0xB4 | 0xB5 => self.externals(&mut fields, true)?,
            0xBC => self.indexed_externals(&mut fields)?,
            0xB0 => self.communals(&mut fields, false)?,
            0xB8 => self.communals(&mut fields, true)?,
            0x90 | 0x91 => self.publics(&mut fields, wide, false)?,
            0xB6 | 0xB7 => self.publics(&mut fields, wide, true)?,
            0x96 | 0xCA => {
                while !fields.is_empty() {
                    self.names.push(fields.name()?);
                }
            }
            0x98 | 0x99 => self.segment(&mut fields, wide)?,
            0x9A => self.group(&mut fields)?,
            0x9C | 0x9D => self.fixups(&mut fields, wide)?,
            0xA0 | 0xA1 => self.data(&mut fields, wide, false)?,
            0xA2 | 0xA3 => self.data(&mut fields, wide, true)?,
            0xC2 | 0xC3 => self.comdat(&mut fields, wide)?,
            0xB2 | 0xB3 => self.backpatch(&mut fields, wide)?,
            0xC8 | 0xC9 => self.named_backpatch(&mut fields, wide)?,
            0xC6 => {
                while !fields.is_empty() {
                    self.module.aliases.push((fields.name()?, fields.name()?));
                }
            }
            0x80 | 0x82 => self.module.lines.begin_file(fields.name()?),
            0x94 | 0x95 => self.lines(&mut fields, wide)?,
            // Types, line numbers of COMDATs, version and vendor records do not affect the program.
            0x8E | 0xC4 | 0xC5 | 0xCC | 0xCE => {}
            other => return Err(format!("record type {other:02X}h is unknown")),
        }
        Ok(false)
    }

    /// COMENT: an attribute byte, a class byte, and the data of the class.
    fn comment(&mut self, fields: &mut Reader<'_>) -> Field<()> {
        fields.byte()?;
        match fields.byte()? {
            // 81h is the old form of 9Fh.
            0x9F | 0x81 => {
                let name: String = fields.all().iter().map(|&byte| char::from(byte)).collect();
                self.module.default_libraries.push(name.trim().into());
            }
            0x9E => self.module.dosseg = true,
            // WKEXT, and LZEXT, which differs only if a library search has already found the
            // symbol.
            0xA8 | 0xA9 => {
                while !fields.is_empty() {
                    let (weak, default) = (fields.index()?, fields.index()?);
                    let default = self.external(default)?;
                    let weak = self.external(weak)?;
                    self.module.externals[weak].weak = Some(default);
                }
            }
            0xA0 if matches!(fields.byte(), Ok(0x01)) => {
                return Err("an import from a dynamic library: DOS programs have none".into());
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<()> {
        const START_GIVEN: u8 = 0x40;
        if fields.byte()? & START_GIVEN != 0 {
            self.module.start = Some(self.start(fields, wide)?);
        }
        Ok(())
    }

    fn externals(&mut self, fields: &mut Reader<'_>, local: bool) -> Field<()> {
        while !fields.is_empty() {
            let name = fields.name()?;
            fields.index()?;
            self.add_external(name, local, None);
        }
        Ok(())
    }

    fn indexed_externals(&mut self, fields: &mut Reader<'_>) -> Field<()> {
        while !fields.is_empty() {
            let name = fields.index()?;
            let name = self.name(name)?;
            fields.index()?;
            self.add_external(name, false, None);
        }
        Ok(())
    }

    fn communals(&mut self, fields: &mut Reader<'_>, local: bool) -> Field<()> {
        while !fields.is_empty() {
            let name = fields.name()?;
            fields.index()?;
            let communal = match fields.byte()? {
                0x61 => {
                    let elements = fields.communal_length()?;
                    let size = elements.checked_mul(fields.communal_length()?);
                    Communal { far: true, size: size.ok_or("the communal variable is larger than memory")? }
                }
                0x62 => Communal { far: false, size: fields.communal_length()? },
                other => return Err(format!("a communal variable of the unknown kind {other:02X}h")),
            };
            if communal.size > 0x10000 {
                return Err(format!("the communal variable {name} is larger than 64 KiB"));
            }
            self.grow(communal.size)?;
            self.add_external(name, local, Some(communal));
        }
        Ok(())
    }

    fn add_external(&mut self, name: String, local: bool, communal: Option<Communal>) {
        self.module.externals.push(External { name, local, communal, weak: None, record: self.record });
    }

    fn publics(&mut self, fields: &mut Reader<'_>, wide: bool, local: bool) -> Field<()> {
        let base = self.base(fields)?;
        while !fields.is_empty() {
            let name = fields.name()?;
            let offset = fields.offset(wide)?;
            fields.index()?;
            self.module.publics.push(Public { name, local, base, offset, record: self.record });
        }
        Ok(())
    }

    /// Parses the group and segment of public symbols, or their paragraph.
    pub(super) fn base(&mut self, fields: &mut Reader<'_>) -> Field<Base> {
        let (group, segment) = (fields.index()?, fields.index()?);
        if segment == 0 {
            return Ok(Base::Absolute(fields.word()?));
        }
        let group = if group == 0 { None } else { Some(self.group_index(group)?) };
        Ok(Base::Segment { segment: self.segment_index(segment)?, group })
    }

    fn segment(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<()> {
        let attributes = fields.byte()?;
        let (align, frame) = match attributes >> 5 {
            0 => {
                let frame = fields.word()?;
                fields.byte()?;
                (1, Some(frame))
            }
            1 => (1, None),
            2 => (2, None),
            3 => (16, None),
            4 => (256, None),
            5 => (4, None),
            6 => (4096, None),
            _ => return Err("an alignment that is not defined".into()),
        };
        let combine = match attributes >> 2 & 7 {
            0 => Combine::Private,
            // 1 is MEMORY, which the DOS linkers treat as PUBLIC; 4 and 7 are defined as PUBLIC.
            1 | 2 | 4 | 7 => Combine::Public,
            5 => Combine::Stack,
            6 => Combine::Common,
            other => return Err(format!("the combine type {other} is not defined")),
        };
        let big = attributes & 2 != 0;
        let size = match (fields.offset(wide)?, big, wide) {
            (0, true, false) => 0x10000,
            (size, false, _) if size <= 0x10000 => size,
            _ => return Err("a segment of more than 64 KiB, which real mode cannot address".into()),
        };
        self.grow(size)?;
        let (name, class) = (fields.index()?, fields.index()?);
        let (name, class) = (self.name(name)?, self.name(class)?);
        self.segment_definitions.push(self.module.segments.len());
        self.module.segments.push(Segment {
            name,
            class,
            combine,
            align,
            frame,
            size,
            use32: attributes & 1 != 0,
            bytes: Vec::new(),
            comdat: None,
        });
        Ok(())
    }

    fn group(&mut self, fields: &mut Reader<'_>) -> Field<()> {
        let name = fields.index()?;
        let mut group = Group { name: self.name(name)?, segments: Vec::new() };
        while !fields.is_empty() {
            match fields.byte()? {
                0xFF => {
                    let segment = fields.index()?;
                    group.segments.push(self.segment_index(segment)?);
                }
                other => return Err(format!("a group member of type {other:02X}h; only segments are known")),
            }
        }
        self.module.groups.push(group);
        Ok(())
    }

    /// LEDATA and LIDATA.
    fn data(&mut self, fields: &mut Reader<'_>, wide: bool, iterated: bool) -> Field<()> {
        let segment = fields.index()?;
        let segment = self.segment_index(segment)?;
        let offset = fields.offset(wide)?;
        self.place(segment, offset, fields.all(), iterated, wide)
    }

    /// Stores the contents of a data record in a segment, and records their position.
    pub(super) fn place(
        &mut self,
        segment: usize,
        offset: u32,
        contents: &[u8],
        iterated: bool,
        wide: bool,
    ) -> Field<()> {
        let target = &mut self.module.segments[segment];
        let room = target.size.checked_sub(offset).ok_or("the data is past the end of its segment")?;
        let runs = if iterated {
            Runs::expand(contents, wide, offset, room)?
        } else {
            Runs::plain(contents.len(), offset, room)?
        };
        target.bytes.resize(target.bytes.len().max(runs.end() as usize), 0);
        runs.copy(contents, &mut target.bytes);
        self.last_data = Some(LastData { segment, runs });
        Ok(())
    }

    /// LINNUM: pairs of a line and the offset of its code.
    fn lines(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<()> {
        let base = self.base(fields)?;
        while !fields.is_empty() {
            let line = fields.word()?;
            let offset = fields.offset(wide)?;
            if let Base::Segment { segment, .. } = base {
                self.module.lines.add(segment, offset, line.into());
            }
        }
        Ok(())
    }

    /// BAKPAT: adds values to locations that were already written.
    fn backpatch(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<()> {
        let segment = fields.index()?;
        let segment = self.segment_index(segment)?;
        let kind = fields.byte()?;
        self.add_values(segment, kind, fields, wide)
    }

    /// Parses the pairs of offset and value at the end of BAKPAT and NBKPAT.
    pub(super) fn add_values(
        &mut self,
        segment: usize,
        kind: u8,
        fields: &mut Reader<'_>,
        wide: bool,
    ) -> Field<()> {
        let width = match kind {
            0 => 1,
            1 => 2,
            2 => 4,
            other => return Err(format!("a backpatch of the unknown kind {other}")),
        };
        let bytes = &mut self.module.segments[segment].bytes;
        while !fields.is_empty() {
            let at = fields.offset(wide)? as usize;
            let value = fields.offset(wide)?.to_le_bytes();
            let place = bytes.get_mut(at..).and_then(|rest| rest.get_mut(..width));
            let mut carry = 0;
            for (byte, add) in place.ok_or("a backpatch outside the segment's data")?.iter_mut().zip(value) {
                let sum = u16::from(*byte) + u16::from(add) + carry;
                *byte = sum as u8;
                carry = sum >> 8;
            }
        }
        Ok(())
    }

    /// Adds to the total size. Fails if a module exceeds the memory of a real-mode machine.
    pub(super) fn grow(&mut self, bytes: u32) -> Field<()> {
        self.total += u64::from(bytes);
        if self.total > LARGEST_MODULE { Err("the module is larger than memory".into()) } else { Ok(()) }
    }

    /// Returns the name with an index from 1. Index 0 is the empty name.
    pub(super) fn name(&self, index: usize) -> Field<String> {
        match index.checked_sub(1) {
            None => Ok(String::new()),
            Some(index) => self
                .names
                .get(index)
                .cloned()
                .ok_or_else(|| format!("name index {} is out of range", index + 1)),
        }
    }

    pub(super) fn segment_index(&self, index: usize) -> Field<usize> {
        Ok(self.segment_definitions[checked(index, self.segment_definitions.len(), "segment")?])
    }

    pub(super) fn group_index(&self, index: usize) -> Field<usize> {
        checked(index, self.module.groups.len(), "group")
    }

    pub(super) fn external(&self, index: usize) -> Field<usize> {
        checked(index, self.module.externals.len(), "external name")
    }
}

/// Converts an index from 1 to one from 0 and checks that it exists.
fn checked(index: usize, count: usize, what: &str) -> Field<usize> {
    match index.checked_sub(1) {
        Some(index) if index < count => Ok(index),
        _ => Err(format!("{what} index {index} is out of range")),
    }
}
