//! The parts of a timeline between checkpoints, and what may have been written in them: a search
//! for a writer can skip the others.

use super::Timeline;
use super::checkpoints::Pages;
use crate::machine::record::Position;
use oxbox_cpu::Registers;

/// The part between two checkpoints, or between the last one and the end.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Stretch {
    number: usize,
    /// The end, exclusive.
    pub to: Position,
}

impl Timeline {
    /// Returns a part by its number, from 0.
    pub fn stretch(&self, number: usize) -> Option<Stretch> {
        self.checkpoints.get(number)?;
        let next = self.checkpoints.get(number + 1);
        Some(Stretch { number, to: next.map_or(self.end, |next| next.moment.position) })
    }

    /// Returns the number of the part that contains a position.
    pub fn stretch_of(&self, position: Position) -> usize {
        self.checkpoints.before(position)
    }

    /// Whether a byte of memory may have been written in a part.
    pub fn may_write_byte(&self, stretch: &Stretch, address: u32) -> bool {
        self.written(stretch).is_none_or(|written| written.hold_byte(address))
    }

    /// Whether a plane address of video memory may have been written in a part.
    pub fn may_write_plane(&self, stretch: &Stretch, address: u16) -> bool {
        self.written(stretch).is_none_or(|written| written.hold_plane(address))
    }

    /// Whether a colour of the DAC may have been written in a part.
    pub fn may_write_colour(&self, stretch: &Stretch) -> bool {
        let first = self.checkpoints.get(stretch.number).map(|checkpoint| checkpoint.colours);
        let last = self.checkpoints.get(stretch.number + 1).map(|checkpoint| checkpoint.colours);
        last.is_none() || first != last
    }

    /// Returns the registers at both ends of a part between checkpoints.
    pub fn registers_around(&self, number: usize) -> Option<(&Registers, &Registers)> {
        let (first, last) = (self.checkpoints.get(number)?, self.checkpoints.get(number + 1)?);
        Some((first.registers(), last.registers()))
    }

    fn written(&self, stretch: &Stretch) -> Option<&Pages> {
        self.checkpoints.get(stretch.number + 1).map(|next| &next.written)
    }
}
