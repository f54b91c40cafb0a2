//! How the processor's accesses reach the planes.
//!
//! [`Access`] condenses the registers that matter to an access into a window, masks and shifts. It is derived: any write to
//! those registers forgets it, and the next access works it out again.

use super::graphics::{expand, in_all_planes};
use super::planes::SIZE;
use super::registers::Registers;

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

/// Where the memory answers and how. In every mode the low two bits of an offset choose the planes, and the rest of it,
/// with none, one or two low bits cleared, is the plane address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) base: u32,
    pub(super) length: u32,
    pub(super) write: Write,
    /// Reads give a byte of a plane; otherwise they compare, or how is not known yet.
    pub(super) plain_reads: bool,
    /// The registers have not changed since.
    pub(super) known: bool,
    /// The bits of an offset that are the plane address.
    pub(super) index_mask: u16,
    /// [`Write::Masked`]: what the bytes are made of. They are the processor's where `open` is set, and `fixed` elsewhere, and
    /// replace those of the latches where `mask` is set.
    data: Data,
    /// As `length`, for cells of text; 0 while nobody has looked whether that is what there is.
    pub(super) text_length: u32,
    /// By the offset's low two bits: the planes that are written.
    pub(super) lanes: [u32; 4],
    /// By the offset's low two bits: the plane that is read, as a shift.
    pub(super) shifts: [u8; 4],
}

impl Default for Access {
    /// To be worked out at the next access anywhere in the range that the chip can take.
    fn default() -> Self {
        Access {
            base: 0xA_0000,
            length: 0x2_0000,
            write: Write::Slow,
            plain_reads: false,
            known: false,
            index_mask: 0,
            data: Data::default(),
            text_length: 0,
            lanes: [0; 4],
            shifts: [0; 4],
        }
    }
}

impl Access {
    /// Characters in plane 0, attributes in plane 1: a word is a cell.
    const TEXT: [u32; 4] = [0xFF, 0xFF00, 0xFF, 0xFF00];

    pub(super) fn is_text(&self) -> bool {
        self.is_plain() && self.index_mask == !1 && self.lanes == Access::TEXT
    }

    /// True when the processor's byte reaches the planes unchanged.
    pub(super) fn is_plain(&self) -> bool {
        self.write == Write::Masked && self.data == Data::PLAIN
    }

    /// What [`Write::Masked`] puts into the four planes.
    #[inline(always)]
    pub(super) fn masked(&self, value: u8, latch: u32) -> u32 {
        let Data { open, fixed, mask } = self.data;
        ((in_all_planes(value) & open | fixed) ^ latch) & mask ^ latch
    }

    /// As a CGA has it: 16 KiB that answer twice.
    pub(super) fn of_cga() -> Access {
        Access {
            base: 0xB_8000,
            length: 0x8000,
            write: Write::Masked,
            plain_reads: true,
            known: true,
            index_mask: 0x3FFE,
            data: Data::PLAIN,
            text_length: 0x4000,
            lanes: Access::TEXT,
            shifts: [0, 8, 0, 8],
        }
    }

    /// Works it out from the registers.
    pub(super) fn of(registers: &Registers) -> Access {
        let known = Access { known: true, ..Access::default() };
        if registers.misc & 0x02 == 0 || !registers.enabled {
            // Miscellaneous output bit 1: the processor has no access.
            return Access { length: 0, ..known };
        }
        let (base, length) = registers.graphics.window();
        let known = Access { base, length, ..known };
        let low_bits_replaced = registers.sequencer.chain_4() || registers.graphics.chain_odd_even();
        if low_bits_replaced && length > SIZE as u32 {
            // Address bit 16 takes the place of bit 0: no mask does that.
            return known;
        }
        let index_mask = match (registers.sequencer.chain_4(), registers.graphics.chain_odd_even()) {
            (true, _) => !3,
            (false, true) => !1,
            (false, false) => !0,
        };
        Access {
            write: write(registers),
            data: Data::of(registers),
            plain_reads: !registers.graphics.read_mode_1(),
            index_mask,
            lanes: lanes(registers),
            shifts: shifts(registers),
            ..known
        }
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
                if self.index_mask != 0 {
                    self.write = write(registers);
                }
                self.refresh_data(registers);
            }
            _ => *self = Access::default(),
        }
    }

    /// The map mask has been written.
    #[inline(always)]
    pub(super) fn refresh_lanes(&mut self, registers: &Registers) {
        self.lanes = lanes(registers);
        self.text_length = 0;
    }

    /// The read map has been written.
    #[inline(always)]
    pub(super) fn refresh_shifts(&mut self, registers: &Registers) {
        self.shifts = shifts(registers);
    }

    /// Set/reset or the bit mask has been written.
    #[inline(always)]
    pub(super) fn refresh_data(&mut self, registers: &Registers) {
        self.data = Data::of(registers);
        self.text_length = 0;
    }
}

/// What a write in mode 0 makes its bytes of, without rotation or function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Data {
    open: u32,
    fixed: u32,
    mask: u32,
}

impl Data {
    /// The processor's byte, unchanged.
    const PLAIN: Data = Data { open: u32::MAX, fixed: 0, mask: u32::MAX };

    #[inline(always)]
    fn of(registers: &Registers) -> Data {
        let (fixed, values) = registers.graphics.set_reset();
        let mask = in_all_planes(registers.graphics.bit_mask());
        Data { open: !expand(fixed), fixed: expand(fixed & values), mask }
    }
}

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
