//! How the processor's accesses reach the planes.
//!
//! [`Access`] condenses the registers that matter to an access into what the processor may do by itself, a [`PlanarMapping`], and the
//! rest. It is derived: any write to those registers forgets it, and the next access works it out again.

use super::graphics::{expand, in_all_planes};
use super::planes::SIZE;
use super::registers::Registers;
use oxbox_cpu::{Data, PlanarMapping};

/// Registers that programs write for every pixel: of the sequencer,
pub(super) const MAP_MASK: u8 = 2;
/// and of the graphics controller.
pub(super) const SET_RESET: u8 = 0;
pub(super) const READ_MAP: u8 = 4;
pub(super) const BIT_MASK: u8 = 8;

/// How a write reaches the planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Write {
    /// The processor's byte where nothing fixes a plane's, masked with the latches: [`Access::masked`].
    Masked,
    /// Write mode 1: the latches.
    Latches,
    /// Through all of the data path of the graphics controller: rotated, combined with the latches, masked.
    Combined,
    /// Where is not a matter of masks, or how is not known yet.
    Slow,
}

/// Where the memory answers and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    /// What is a matter of masks and shifts. Nothing while it is not known.
    pub(super) reach: PlanarMapping,
    /// Bytes of the window.
    pub(super) length: u32,
    pub(super) write: Write,
    /// The registers have not changed since.
    pub(super) known: bool,
}

impl Default for Access {
    /// To be worked out at the next access anywhere in the range that the chip can take.
    fn default() -> Self {
        let reach = PlanarMapping { base: 0xA_0000, ..PlanarMapping::default() };
        Access { reach, length: 0x2_0000, write: Write::Slow, known: false }
    }
}

impl Access {
    /// Characters in plane 0, attributes in plane 1: a word is a cell.
    const TEXT: [u32; 4] = [0xFF, 0xFF00, 0xFF, 0xFF00];

    /// A plane address for two offsets.
    const PAIRS: u16 = !1;

    pub(super) fn is_text(&self) -> bool {
        self.reach.index_mask == Access::PAIRS && self.reach.lanes == Access::TEXT && self.is_plain()
    }

    /// True when the processor's byte reaches the planes unchanged.
    pub(super) fn is_plain(&self) -> bool {
        self.write == Write::Masked && self.reach.data == PLAIN
    }

    /// What [`Write::Masked`] puts into the four planes.
    #[inline(always)]
    pub(super) fn masked(&self, value: u8, latch: u32) -> u32 {
        let Data { open, fixed, mask } = self.reach.data;
        ((in_all_planes(value) & open | fixed) ^ latch) & mask ^ latch
    }

    /// As a CGA has it: 16 KiB that answer twice.
    pub(super) fn of_cga() -> Access {
        let reach = PlanarMapping {
            base: 0xB_8000,
            readable: 0x8000,
            writable: 0x8000,
            text: 0x4000,
            index_mask: 0x3FFE,
            data: PLAIN,
            lanes: Access::TEXT,
            shifts: [0, 8, 0, 8],
        };
        Access { reach, length: 0x8000, write: Write::Masked, known: true }
    }

    /// Works it out from the registers.
    pub(super) fn of(registers: &Registers) -> Access {
        let nowhere = Access { known: true, ..Access::default() };
        if registers.misc & 0x02 == 0 || !registers.enabled {
            // Miscellaneous output bit 1: the processor has no access.
            return Access { length: 0, ..nowhere };
        }
        let (base, length) = registers.graphics.window();
        let slow = Access { reach: PlanarMapping { base, ..nowhere.reach }, length, ..nowhere };
        let low_bits_replaced = registers.sequencer.chain_4() || registers.graphics.chain_odd_even();
        if low_bits_replaced && length > SIZE as u32 {
            // Address bit 16 takes the place of bit 0: no mask does that.
            return slow;
        }
        let index_mask = match (registers.sequencer.chain_4(), registers.graphics.chain_odd_even()) {
            (true, _) => !3,
            (false, true) => !1,
            (false, false) => !0,
        };
        let readable = if registers.graphics.read_mode_1() { 0 } else { length };
        let shifts = shifts(registers);
        let mut access =
            Access { reach: PlanarMapping { readable, shifts, index_mask, ..slow.reach }, ..slow };
        access.refresh_lanes(registers);
        access.refresh_write(registers);
        access
    }

    /// A register has been written through `port`. Programs that draw pixel by pixel change the masks, the read map and the
    /// function all the time: what follows from these is put right on the spot.
    pub(super) fn refresh(&mut self, port: u16, registers: &Registers) {
        match (port, registers.sequencer.index, registers.graphics.index) {
            (0x3C5, MAP_MASK, _) => self.refresh_lanes(registers),
            (0x3CF, _, READ_MAP) => self.refresh_shifts(registers),
            // What reads compare: looked up when it is needed.
            (0x3CF, _, 2 | 7) => {}
            (0x3CF, _, SET_RESET | 1 | 3 | BIT_MASK) => {
                if self.reach.index_mask != 0 {
                    self.refresh_write(registers);
                }
            }
            _ => *self = Access::default(),
        }
    }

    /// The map mask has been written.
    #[inline(always)]
    pub(super) fn refresh_lanes(&mut self, registers: &Registers) {
        self.reach.lanes = lanes(registers);
        self.refresh_text();
    }

    /// The read map has been written.
    #[inline(always)]
    pub(super) fn refresh_shifts(&mut self, registers: &Registers) {
        self.reach.shifts = shifts(registers);
    }

    /// Set/reset or the bit mask has been written.
    #[inline(always)]
    pub(super) fn refresh_data(&mut self, registers: &Registers) {
        let (fixed, values) = registers.graphics.set_reset();
        let mask = in_all_planes(registers.graphics.bit_mask());
        self.reach.data = Data { open: !expand(fixed), fixed: expand(fixed & values), mask };
        self.refresh_text();
    }

    /// The function or the write mode may have changed, too.
    fn refresh_write(&mut self, registers: &Registers) {
        self.write = write(registers);
        self.reach.writable = if self.write == Write::Masked { self.length } else { 0 };
        self.refresh_data(registers);
    }

    /// Sees whether this is text. Where words are not pairs of bytes there is none.
    #[inline(always)]
    fn refresh_text(&mut self) {
        if self.reach.index_mask == Access::PAIRS {
            self.reach.text = if self.is_text() { self.length } else { 0 };
        }
    }
}

/// The processor's byte, unchanged.
const PLAIN: Data = Data { open: u32::MAX, fixed: 0, mask: u32::MAX };

fn write(registers: &Registers) -> Write {
    match (registers.graphics.writes_masked(), registers.graphics.writes_latches()) {
        (true, _) => Write::Masked,
        (_, true) => Write::Latches,
        _ => Write::Combined,
    }
}

/// By an offset's low two bits: the planes that a write reaches.
#[inline(always)]
pub(super) fn lanes(registers: &Registers) -> [u32; 4] {
    let open = expand(registers.sequencer.map_mask());
    let reachable = if registers.sequencer.chain_4() {
        [0x0000_00FF, 0x0000_FF00, 0x00FF_0000, 0xFF00_0000]
    } else if registers.sequencer.odd_even_writes() {
        [0x00FF_00FF, 0xFF00_FF00, 0x00FF_00FF, 0xFF00_FF00]
    } else {
        [u32::MAX; 4]
    };
    reachable.map(|planes| planes & open)
}

/// By an offset's low two bits: the plane that a read in read mode 0 gives, as a shift.
#[inline(always)]
pub(super) fn shifts(registers: &Registers) -> [u8; 4] {
    let chosen = registers.graphics.read_map() * 8;
    if registers.sequencer.chain_4() {
        [0, 8, 16, 24]
    } else if registers.graphics.odd_even_reads() {
        let pair = chosen & 16;
        [pair, pair + 8, pair, pair + 8]
    } else {
        [chosen; 4]
    }
}

/// The plane address of a window offset.
pub(super) fn plane_address(registers: &Registers, offset: u32) -> u16 {
    let beyond_64k = (offset >> 16) as u16 & 1;
    if registers.sequencer.chain_4() {
        offset as u16 & !3 | beyond_64k
    } else if registers.graphics.chain_odd_even() {
        offset as u16 & !1 | beyond_64k
    } else {
        offset as u16
    }
}
