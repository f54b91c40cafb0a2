//! FIXUPP subrecords: threads, which define a frame or target for several fixups, and the fixups
//! themselves.
//!
//! Also the start address in MODEND, which has the same format. Source: TIS OMF 1.1, "FIXUPP" and
//! "MODEND".

use super::module::{Fixup, Frame, Location, Start, Target};
use super::parse::Parser;
use super::reader::{Field, Reader};

/// The most fixups in a module: more than a real-mode memory full of far pointers.
const MOST_FIXUPS: usize = 1 << 20;

/// The current four frame threads and four target threads.
#[derive(Default)]
pub(super) struct Threads {
    frames: [Option<Frame>; 4],
    targets: [Option<Target>; 4],
}

/// The frame, target and displacement of a fixup.
struct Reference {
    frame: Frame,
    target: Target,
    displacement: u32,
}

impl Parser {
    pub(super) fn fixups(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<()> {
        while !fields.is_empty() {
            let first = fields.byte()?;
            if first & 0x80 == 0 {
                self.thread(first, fields)?;
            } else {
                self.fixup(first, fields, wide)?;
            }
        }
        Ok(())
    }

    fn thread(&mut self, first: u8, fields: &mut Reader<'_>) -> Field<()> {
        const FRAME: u8 = 0x40;
        let (method, number) = (first >> 2 & 7, usize::from(first & 3));
        if first & FRAME != 0 {
            self.threads.frames[number] = Some(self.frame(method, fields)?);
        } else {
            self.threads.targets[number] = Some(self.target(method, fields)?);
        }
        Ok(())
    }

    fn fixup(&mut self, first: u8, fields: &mut Reader<'_>, wide: bool) -> Field<()> {
        const SEGMENT_RELATIVE: u8 = 0x40;
        let location = match first >> 2 & 0xF {
            0 => Location::LowByte,
            1 | 5 => Location::Offset16,
            2 => Location::Base,
            3 => Location::Pointer16,
            4 => Location::HighByte,
            9 | 13 => Location::Offset32,
            11 => Location::Pointer32,
            other => return Err(format!("a fixup of the unknown location type {other}")),
        };
        let at = u32::from(first & 3) << 8 | u32::from(fields.byte()?);
        let Reference { frame, target, displacement } = self.reference(fields, wide)?;
        let data = self.last_data.as_ref().ok_or("a fixup without data before it")?;
        let fixup = Fixup {
            segment: data.segment,
            at,
            location,
            self_relative: first & SEGMENT_RELATIVE == 0,
            frame,
            target,
            displacement,
            record: self.record,
        };
        let before = self.module.fixups.len();
        self.module.fixups.extend(data.runs.places(at, location.width()).map(|at| Fixup { at, ..fixup }));
        match self.module.fixups.len() {
            count if count == before => Err("a fixup outside its data record".into()),
            count if count > MOST_FIXUPS => Err("more fixups than a program can hold".into()),
            _ => Ok(()),
        }
    }

    pub(super) fn start(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<Start> {
        let Reference { frame, target, displacement } = self.reference(fields, wide)?;
        Ok(Start { frame, target, displacement, record: self.record })
    }

    /// Parses the fix data byte and the fields that follow it.
    fn reference(&mut self, fields: &mut Reader<'_>, wide: bool) -> Field<Reference> {
        const FRAME_THREAD: u8 = 0x80;
        const TARGET_THREAD: u8 = 0x08;
        const NO_DISPLACEMENT: u8 = 0x04;
        let data = fields.byte()?;
        let frame_method = data >> 4 & 7;
        let frame = if data & FRAME_THREAD != 0 {
            self.threads.frames[usize::from(frame_method & 3)].ok_or("a frame thread that was never set")?
        } else {
            self.frame(frame_method, fields)?
        };
        let target = if data & TARGET_THREAD != 0 {
            self.threads.targets[usize::from(data & 3)].ok_or("a target thread that was never set")?
        } else {
            self.target(data, fields)?
        };
        let displacement = if data & NO_DISPLACEMENT != 0 { 0 } else { fields.offset(wide)? };
        Ok(Reference { frame, target, displacement })
    }

    fn frame(&self, method: u8, fields: &mut Reader<'_>) -> Field<Frame> {
        Ok(match method {
            0 => Frame::Segment(self.segment_index(fields.index()?)?),
            1 => Frame::Group(self.group_index(fields.index()?)?),
            2 => Frame::External(self.external(fields.index()?)?),
            3 => Frame::Absolute(fields.word()?),
            4 => Frame::Location,
            5 => Frame::Target,
            other => return Err(format!("the frame method F{other} is not defined")),
        })
    }

    /// Only the low two bits of the method count: T4 to T7 are T0 to T3 without a displacement.
    fn target(&self, method: u8, fields: &mut Reader<'_>) -> Field<Target> {
        Ok(match method & 3 {
            0 => Target::Segment(self.segment_index(fields.index()?)?),
            1 => Target::Group(self.group_index(fields.index()?)?),
            2 => Target::External(self.external(fields.index()?)?),
            _ => Target::Absolute(fields.word()?),
        })
    }
}
