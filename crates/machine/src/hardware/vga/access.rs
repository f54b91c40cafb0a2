//! The mapping of the processor's accesses to the planes.
//!
//! [`Access`] condenses the relevant registers into the part that the processor can do alone, a
//! [`PlanarMapping`], and the rest. It is derived: a write to these registers discards it, and the
//! next access computes it again.

use super::graphics::{expand, in_all_planes};
use super::planes::SIZE;
use super::registers::Registers;
use oxbox_cpu::{Data, PlanarMapping, PlanarRegisters};

/// The register of the sequencer that programs write for every pixel.
pub(super) const MAP_MASK: u8 = PlanarRegisters::MAP_MASK;
/// Registers of the graphics controller that programs write for every pixel.
pub(super) const SET_RESET: u8 = PlanarRegisters::SET_RESET;
pub(super) const READ_MAP: u8 = PlanarRegisters::READ_MAP;
pub(super) const BIT_MASK: u8 = PlanarRegisters::BIT_MASK;
/// Registers of the graphics controller that programs write for every line or figure.
pub(super) const ENABLE_SET_RESET: u8 = PlanarRegisters::ENABLE_SET_RESET;
pub(super) const FUNCTION: u8 = 3;
pub(super) const MODE: u8 = 5;
/// The bits of [`MODE`] that do not change the picture: write mode and read mode.
pub(super) const MODES: u8 = 0x0B;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Write {
    /// The processor's byte, masked with the latches, where no plane is fixed: [`Access::masked`].
    Masked,
    /// Write mode 1: the latches.
    Latches,
    /// Through the graphics controller's whole data path: rotated, combined with latches, masked.
    Combined,
    /// The mapping cannot be expressed by masks, or is not known yet.
    Slow,
}

/// The range of video memory that answers, and the mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    /// The part that masks and shifts express. Empty while it is not known.
    pub(super) reach: PlanarMapping,
    /// Size of the window in bytes.
    pub(super) length: u32,
    pub(super) write: Write,
    /// Whether the registers are unchanged since this was computed.
    pub(super) known: bool,
    /// Whether the planes that are read and written do not depend on the address.
    pub(super) is_uniform: bool,
    /// Whether this is chain-4 with all planes enabled, and every byte reaches its plane unchanged.
    pub(super) are_pixels: bool,
}

impl Default for Access {
    /// Computed at the next access to any address that the chip can occupy.
    fn default() -> Self {
        let reach = PlanarMapping { base: 0xA_0000, ..PlanarMapping::default() };
        Access {
            reach,
            length: 0x2_0000,
            write: Write::Slow,
            known: false,
            is_uniform: false,
            are_pixels: false,
        }
    }
}

impl Access {
    /// Characters are in plane 0, attributes in plane 1: a word is a cell.
    const TEXT: [u32; 4] = [0xFF, 0xFF00, 0xFF, 0xFF00];

    /// The planes of chain-4 if all are enabled.
    const CHAIN_4: [u32; 4] = [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000];

    /// Two consecutive offsets share a plane address.
    const PAIRS: u16 = !1;
    /// Four do.
    const FOURS: u16 = !3;

    pub(super) fn is_text(&self) -> bool {
        self.reach.index_mask == Access::PAIRS && self.reach.lanes == Access::TEXT && self.is_plain()
    }

    /// Whether the processor's byte reaches the planes unchanged.
    pub(super) fn is_plain(&self) -> bool {
        self.write == Write::Masked && self.reach.data == PLAIN
    }

    /// Returns what [`Write::Masked`] writes to the four planes.
    #[inline(always)]
    pub(super) fn masked(&self, value: u8, latch: u32) -> u32 {
        let Data { open, fixed, mask } = self.reach.data;
        ((in_all_planes(value) & open | fixed) ^ latch) & mask ^ latch
    }

    /// Returns the mapping of a CGA: 16 KiB that appear twice.
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
        Access { reach, length: 0x8000, write: Write::Masked, known: true, ..Access::default() }
    }

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
            // Address bit 16 replaces bit 0: no mask expresses that.
            return slow;
        }
        let index_mask = match (registers.sequencer.chain_4(), registers.graphics.chain_odd_even()) {
            (true, _) => Access::FOURS,
            (false, true) => Access::PAIRS,
            (false, false) => !0,
        };
        let reach = PlanarMapping { shifts: shifts(registers), index_mask, ..slow.reach };
        let by_address = registers.sequencer.odd_even_writes() || registers.graphics.odd_even_reads();
        let mut access = Access { reach, is_uniform: index_mask == !0 && !by_address, ..slow };
        access.refresh_lanes(registers);
        access.refresh_modes(registers);
        access
    }

    /// Updates the mapping after a register write through `port`. Programs that draw pixel by pixel
    /// change the masks, the read map and the function all the time: the values that depend on them
    /// are updated at once.
    pub(super) fn refresh(&mut self, port: u16, registers: &Registers) {
        match (port, registers.sequencer.index, registers.graphics.index) {
            (0x3C5, MAP_MASK, _) => self.refresh_lanes(registers),
            (0x3CF, _, READ_MAP) => self.refresh_shifts(registers),
            // Used only by read mode 1, which reads the registers itself.
            (0x3CF, _, 2 | 7) => {}
            (0x3CF, _, SET_RESET | ENABLE_SET_RESET | FUNCTION | BIT_MASK) => self.refresh_write(registers),
            _ => *self = Access::default(),
        }
    }

    /// Updates after a write to the map mask.
    #[inline(always)]
    pub(super) fn refresh_lanes(&mut self, registers: &Registers) {
        self.reach.lanes = lanes(registers);
        self.refresh_cells();
    }

    /// Updates after a write to the read map.
    #[inline(always)]
    pub(super) fn refresh_shifts(&mut self, registers: &Registers) {
        self.reach.shifts = shifts(registers);
    }

    /// Updates after a write to set/reset or the bit mask.
    #[inline(always)]
    pub(super) fn refresh_data(&mut self, registers: &Registers) {
        let (fixed, values) = registers.graphics.set_reset();
        let mask = in_all_planes(registers.graphics.bit_mask());
        self.reach.data = Data { open: !expand(fixed), fixed: expand(fixed & values), mask };
        self.refresh_cells();
    }

    /// Updates after a write to write mode and read mode, unless reads are watched.
    pub(super) fn refresh_modes(&mut self, registers: &Registers) {
        if self.reach.index_mask != 0 {
            self.reach.readable = if registers.graphics.read_mode_1() { 0 } else { self.length };
        }
        self.refresh_write(registers);
    }

    /// Updates after a possible change of the function or the write mode, if the mapping is known.
    pub(super) fn refresh_write(&mut self, registers: &Registers) {
        if self.reach.index_mask == 0 {
            return;
        }
        self.write = write(registers);
        self.reach.writable = if self.write == Write::Masked { self.length } else { 0 };
        self.refresh_data(registers);
    }

    /// Checks whether this is text mode, or chain-4. The index mask excludes one of them.
    #[inline(always)]
    fn refresh_cells(&mut self) {
        match self.reach.index_mask {
            Access::PAIRS => self.reach.text = if self.is_text() { self.length } else { 0 },
            Access::FOURS => self.are_pixels = self.is_plain() && self.reach.lanes == Access::CHAIN_4,
            _ => {}
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

/// Returns the planes that a write reaches, by the offset's low two bits.
#[inline(always)]
pub(super) fn lanes(registers: &Registers) -> [u32; 4] {
    let open = expand(registers.sequencer.map_mask());
    let reachable = if registers.sequencer.chain_4() {
        Access::CHAIN_4
    } else if registers.sequencer.odd_even_writes() {
        [0x00FF_00FF, 0xFF00_FF00, 0x00FF_00FF, 0xFF00_FF00]
    } else {
        [u32::MAX; 4]
    };
    reachable.map(|planes| planes & open)
}

/// Returns the plane that read mode 0 reads, as a shift, by the offset's low two bits.
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
