//! What a picture is drawn from: whoever keeps it sees whether the picture is still the same, without drawing it again.

use super::adapter::Vga;
use super::cga::Cga;
use super::planes::SavedPlanes;
use super::registers::Registers;

/// Frames after which everything has blinked.
const BLINKING: u64 = 32;
/// Frames between two changes by blinking.
const BLINK: u64 = 8;

/// All that a picture depends on.
#[derive(Debug)]
pub struct Source {
    cga: Option<Cga>,
    registers: Registers,
    planes: SavedPlanes,
    phase: u64,
}

impl Vga {
    /// What [`Vga::frame`] draws from at this instant.
    pub fn source(&mut self, now_ns: u64) -> Source {
        let phase = self.phase(now_ns);
        Source { cga: self.cga.clone(), registers: self.registers.clone(), planes: self.planes.save(), phase }
    }

    /// True when [`Vga::frame`] would draw the same picture again.
    pub fn shows(&self, source: &Source, now_ns: u64) -> bool {
        self.phase(now_ns) == source.phase
            && self.cga == source.cga
            && self.registers == source.registers
            && self.planes.equal(&source.planes)
    }

    /// Where in its blinking the picture is.
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
            // The map mask opens all planes, the graphics controller shows graphics.
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
