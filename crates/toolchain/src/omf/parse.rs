//! Parses one object module: a match over the kinds of records, each a short function that fills the [`Module`].
//!
//! Every index is checked here and counted from 0 from here on; LEDATA, LIDATA and COMDAT go straight into the
//! contents of their segments. Source: TIS OMF 1.1, the sections on each record.

use super::fixup::Threads;
use super::iterated::Runs;
use super::module::{Base, Combine, Communal, External, Group, Module, Public, Record, Segment};
use super::reader::{Field, Reader};
use super::records::Records;
use crate::diagnostic::{Diagnostic, Severity};

const COMENT: u8 = 0x88;

/// Above this many bytes of segments in one module the object is refused: twice what a real-mode machine has.
const LARGEST_MODULE: u64 = 2 << 20;

/// Parses the module that begins at byte `at` of `file`; also tells where it ends. `origin` is its name in messages.
pub(crate) fn parse(file: &[u8], at: usize, origin: &str) -> Result<(Module, usize), Diagnostic> {
    let mut records = Records::new(file, at);
    let mut parser =
        Parser { module: Module { origin: origin.into(), ..Module::default() }, ..Parser::default() };
    loop {
        let raw = records.next(origin)?;
        parser.record = raw.record;
        // Comments are what was patched most; they hold nothing whose damage would go unseen.
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

/// The module so far, and what later records refer back to.
#[derive(Default)]
pub(super) struct Parser {
    pub(super) module: Module,
    pub(super) record: Record,
    /// LNAMES, from 0.
    names: Vec<String>,
    /// SEGDEF, from 0, as places in the module's segments, which hold COMDATs too.
    segment_definitions: Vec<usize>,
    pub(super) threads: Threads,
    /// Where the last LEDATA, LIDATA or COMDAT went: FIXUPP counts from its start.
    pub(super) last_data: Option<LastData>,
    /// The segments' sizes added up.
    total: u64,
    begun: bool,
}

/// The place of a data record's contents in a segment.
pub(super) struct LastData {
    pub(super) segment: usize,
    pub(super) runs: Runs,
}

impl Parser {
    /// Takes one record; true at the end of the module.
    fn take(&mut self, kind: u8, mut fields: Reader<'_>) -> Field<bool> {
        if !self.begun {
            if kind != 0x80 && kind != 0x82 {
                return Err("this is no OMF object: it does not begin with THEADR".into());
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
            // Types, a COMDAT's line numbers, version and vendor notes change nothing in the program.
            0x8E | 0xC4 | 0xC5 | 0xCC | 0xCE => {}
            other => return Err(format!("records of type {other:02X}h are not known")),
        }
        Ok(false)
    }

    /// COMENT: an attribute byte, a class byte, and what the class says.
    fn comment(&mut self, fields: &mut Reader<'_>) -> Field<()> {
        fields.byte()?;
        match fields.byte()? {
            // 81h is the older form of 9Fh.
            0x9F | 0x81 => {
                let name: String = fields.all().iter().map(|&byte| char::from(byte)).collect();
                self.module.default_libraries.push(name.trim().into());
            }
            0x9E => self.module.dosseg = true,
            // WKEXT, and LZEXT, which differs for a library search that has found the name already.
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

    /// The group and segment that public names belong to, or their paragraph.
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
            // 1 is MEMORY, which the linkers for DOS treat like PUBLIC; 4 and 7 are PUBLIC by definition.
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

    /// Puts the contents of a data record into a segment, and notes where they went.
    pub(super) fn place(
        &mut self,
        segment: usize,
        offset: u32,
        contents: &[u8],
        iterated: bool,
        wide: bool,
    ) -> Field<()> {
        let target = &mut self.module.segments[segment];
        let room = target.size.checked_sub(offset).ok_or("the data lies beyond the end of its segment")?;
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

    /// BAKPAT: values to add to places already written.
    fn backpatch(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<()> {
        let segment = fields.index()?;
        let segment = self.segment_index(segment)?;
        let kind = fields.byte()?;
        self.add_values(segment, kind, fields, wide)
    }

    /// The pairs of offset and value that end BAKPAT and NBKPAT.
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
            for (byte, add) in place.ok_or("a backpatch outside of the segment's data")?.iter_mut().zip(value)
            {
                let sum = u16::from(*byte) + u16::from(add) + carry;
                *byte = sum as u8;
                carry = sum >> 8;
            }
        }
        Ok(())
    }

    /// Counts bytes that the program will occupy, and refuses a module that no real-mode machine can hold.
    pub(super) fn grow(&mut self, bytes: u32) -> Field<()> {
        self.total += u64::from(bytes);
        if self.total > LARGEST_MODULE { Err("the module is larger than memory".into()) } else { Ok(()) }
    }

    /// The name of an index from 1; index 0 is the empty name.
    pub(super) fn name(&self, index: usize) -> Field<String> {
        match index.checked_sub(1) {
            None => Ok(String::new()),
            Some(index) => {
                self.names.get(index).cloned().ok_or_else(|| format!("there is no name {}", index + 1))
            }
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

/// An index from 1 as one from 0, if there is such a thing.
fn checked(index: usize, count: usize, what: &str) -> Field<usize> {
    match index.checked_sub(1) {
        Some(index) if index < count => Ok(index),
        _ => Err(format!("there is no {what} {index}")),
    }
}
