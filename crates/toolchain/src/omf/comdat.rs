//! COMDAT: data that several modules may contain, of which the program keeps one.
//!
//! Each becomes a separate segment part with a public symbol at its start. The linker drops the
//! duplicates. Source: TIS OMF 1.1, "COMDAT" and "NBKPAT".

use super::module::{Base, Combine, Public, Segment, Selection};
use super::parse::Parser;
use super::reader::{Field, Reader};

impl Parser {
    pub(super) fn comdat(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<()> {
        const CONTINUATION: u8 = 1;
        const ITERATED: u8 = 2;
        const LOCAL: u8 = 4;
        let flags = fields.byte()?;
        let attributes = fields.byte()?;
        let align = fields.byte()?;
        let offset = fields.offset(wide)?;
        fields.index()?;
        let base = if attributes & 0xF == 0 { Some(self.base(fields)?) } else { None };
        let name = fields.index()?;
        let name = self.name(name)?;
        let contents = fields.all();

        let segment = if flags & CONTINUATION != 0 {
            self.comdat_segment(&name)?
        } else {
            let segment = self.new_comdat(base, attributes, align)?;
            let group = match base {
                Some(Base::Segment { group, .. }) => group,
                _ => None,
            };
            let base = Base::Segment { segment, group };
            let local = flags & LOCAL != 0;
            self.module.publics.push(Public { name, local, base, offset: 0, record: self.record });
            segment
        };
        // The data determines the length of the part: reserve what this record can hold, then
        // truncate.
        let part = &mut self.module.segments[segment];
        let before = part.size;
        part.size = 0x10000;
        self.place(segment, offset, contents, flags & ITERATED != 0, wide)?;
        let part = &mut self.module.segments[segment];
        part.size = before.max(part.bytes.len() as u32);
        let grown = part.size - before;
        self.grow(grown)
    }

    /// Creates a segment part for a COMDAT: in the named segment, or in a segment of the linker for
    /// its allocation type.
    fn new_comdat(&mut self, base: Option<Base>, attributes: u8, align: u8) -> Field<usize> {
        let selection = match attributes >> 4 {
            0 => Selection::Unique,
            1 => Selection::Any,
            2 => Selection::SameSize,
            3 => Selection::Exact,
            other => return Err(format!("the selection criterion {other} is not defined")),
        };
        let (name, class, inherited) = match (base, attributes & 0xF) {
            (Some(Base::Segment { segment, .. }), _) => {
                let like = &self.module.segments[segment];
                (like.name.clone(), like.class.clone(), like.align)
            }
            (Some(Base::Absolute(_)), _) => return Err("a COMDAT at an absolute address".into()),
            (None, 1 | 3) => ("COMDAT_TEXT".into(), "CODE".into(), 2),
            (None, 2 | 4) => ("COMDAT_DATA".into(), "FAR_DATA".into(), 2),
            (None, other) => return Err(format!("the allocation type {other} is not defined")),
        };
        let align = match align {
            0 => inherited,
            1 => 1,
            2 => 2,
            3 => 16,
            4 => 256,
            5 => 4,
            other => return Err(format!("the alignment {other} is not defined")),
        };
        self.module.segments.push(Segment {
            name,
            class,
            combine: Combine::Public,
            align,
            frame: None,
            size: 0,
            use32: false,
            bytes: Vec::new(),
            comdat: Some(selection),
        });
        Ok(self.module.segments.len() - 1)
    }

    fn comdat_segment(&self, name: &str) -> Field<usize> {
        let bases =
            self.module.publics.iter().rev().filter(|public| public.name == name).map(|public| public.base);
        bases
            .filter_map(|base| match base {
                Base::Segment { segment, .. } => Some(segment),
                Base::Absolute(_) => None,
            })
            .find(|&segment| self.module.segments[segment].comdat.is_some())
            .ok_or_else(|| format!("the COMDAT {name} is continued before its start"))
    }

    /// NBKPAT: adds values to locations of a COMDAT.
    pub(super) fn named_backpatch(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<()> {
        let kind = fields.byte()?;
        let name = fields.index()?;
        let segment = self.comdat_segment(&self.name(name)?)?;
        self.add_values(segment, kind, fields, wide)
    }
}
