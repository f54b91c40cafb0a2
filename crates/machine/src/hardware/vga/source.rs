//! The input of a picture, kept to find out without drawing whether the picture would be the same.

use super::adapter::Vga;
use super::cga::Cga;
use super::planes::SavedPlanes;
use super::registers::Registers;

/// The number of frames after which all blinking repeats.
const BLINKING: u64 = 32;
/// The number of frames between two changes by blinking.
const BLINK: u64 = 8;

/// All values that a picture depends on.
#[derive(Debug)]
pub struct Source {
    cga: Option<Cga>,
    registers: Registers,
    planes: SavedPlanes,
    phase: u64,
}

impl Vga {
    /// Returns the input of [`Vga::frame`] at this time.
    pub fn source(&mut self, now_ns: u64) -> Source {
        let phase = self.phase(now_ns);
        Source { cga: self.cga.clone(), registers: self.registers.clone(), planes: self.planes.save(), phase }
    }

    /// Whether [`Vga::frame`] would draw the same picture again.
    pub fn shows(&self, source: &Source, now_ns: u64) -> bool {
        self.phase(now_ns) == source.phase && self.has_not_changed_since(source)
    }

    /// Whether [`Vga::text`] would return the same text again, or [`Vga::frame`] the same picture if
    /// there is no text.
    pub fn reads_as(&self, source: &Source, now_ns: u64) -> bool {
        (self.has_text() || self.phase(now_ns) == source.phase) && self.has_not_changed_since(source)
    }

    fn has_not_changed_since(&self, source: &Source) -> bool {
        self.cga == source.cga && self.registers == source.registers && self.planes.equal(&source.planes)
    }

    fn phase(&self, now_ns: u64) -> u64 {
        let blinks = self.cga.is_none() && self.registers.attribute.blink();
        let steady = self.is_graphics() && !blinks;
        if steady { 0 } else { self.raster().frame_number(now_ns) % BLINKING / BLINK }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_the_same_until_something_of_it_changes() {
        type Change = fn(&mut Vga);
        let rows: [(&str, Change, bool); 5] = [
            ("nothing", |_| {}, true),
            ("the same byte again", |vga| vga.write8(0xA_0000, 0), true),
            ("another byte", |vga| vga.write8(0xA_0000, 1), false),
            ("a byte there and back", |vga| (0..2).rev().for_each(|byte| vga.write8(0xA_0000, byte)), true),
            ("a register", |vga| vga.output(0x3C6, 0x0F), false),
        ];
        for (name, change, same) in rows {
            let mut vga = Vga::new();
            // The map mask enables all planes, the graphics controller shows graphics.
            for (port, value) in
                [(0x3C2, 0x03), (0x3C4, 2), (0x3C5, 0x0F), (0x3CE, 8), (0x3CF, 0xFF), (0x3CE, 6), (0x3CF, 1)]
            {
                vga.output(port, value);
            }
            let source = vga.source(0);
            change(&mut vga);
            assert_eq!(vga.shows(&source, 0), same, "{name}");
        }
    }
}
