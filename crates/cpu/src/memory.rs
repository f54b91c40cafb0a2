//! Memory that the processor accesses directly: RAM and ROM, and the four planes of a display
//! adapter where its registers permit it.

/// RAM or ROM without side effects, from address 0 on.
#[derive(Debug)]
pub struct PlainMemory<'a> {
    /// The bytes.
    pub cells: &'a mut [u8],
    /// The first address that needs no bus. Translated code leaves all accesses through a segment
    /// that begins below it to the bus.
    pub direct_from: u32,
    /// One flag per 16 bytes. If it is 0, a write of up to 8 bytes that begins there needs no
    /// further check. Otherwise the write must go through the bus.
    pub granule_flags: &'a [u8],
    /// One element per 16 bytes with one bit per byte, from bit 0 on: whether the byte was decoded; and one element
    /// more.
    /// If the flag is [`PlainMemory::BESIDE_CODE`], a write to bytes whose bits are clear needs no
    /// further check either.
    pub code: &'a [u16],
}

impl PlainMemory<'_> {
    /// Bytes per granule flag.
    pub const GRANULE: usize = 16;
    /// The flag of a granule that contains decoded bytes, or that is followed closely by them.
    pub const BESIDE_CODE: u8 = 1;
}

/// Addresses in a plane.
pub const PLANE: usize = 0x1_0000;
/// Addresses in a page of a plane.
pub const PLANE_PAGE: usize = 1024;

/// The planes, and the current mapping for the processor.
#[derive(Debug)]
pub struct PlanarMemory<'a> {
    /// The bytes of the four planes by plane address, with plane 0 in the low byte.
    pub cells: &'a mut [u32; PLANE],
    /// Whether each page may have been written. The writer must set it.
    pub written: &'a mut [bool; PLANE / PLANE_PAGE],
    /// The latches, loaded by the last read.
    pub latch: &'a mut u32,
    /// The current mapping.
    pub reach: &'a mut PlanarMapping,
    /// The registers that the program may write with effect on the mapping alone.
    pub registers: Option<PlanarRegisters<'a>>,
}

/// Registers of a display adapter with four elements of [`PlanarMapping::lanes`] that are equal, and
/// four of [`PlanarMapping::shifts`]. The writer keeps only the implemented bits, and updates the
/// mapping: `lanes` from the map mask, `shifts` from the read map, [`Data::fixed`] from set/reset,
/// [`Data::mask`] from the bit mask.
#[derive(Debug)]
pub struct PlanarRegisters<'a> {
    /// The sequencer's index (port 3C4h).
    pub sequencer_index: &'a mut u8,
    /// The map mask: the planes that the processor writes, one bit each.
    pub map_mask: &'a mut u8,
    /// The graphics controller's index (port 3CEh).
    pub graphics_index: &'a mut u8,
    /// Its registers 0 to 8.
    pub graphics: &'a mut [u8; 9],
}

impl PlanarRegisters<'_> {
    /// The index of the map mask in the sequencer.
    pub const MAP_MASK: u8 = 2;
    /// The index of set/reset in the graphics controller.
    pub const SET_RESET: u8 = 0;
    /// The index of enable set/reset.
    pub const ENABLE_SET_RESET: u8 = 1;
    /// The index of the read map.
    pub const READ_MAP: u8 = 4;
    /// The index of the bit mask.
    pub const BIT_MASK: u8 = 8;
}

/// The memory that translated code accesses directly.
#[derive(Debug)]
pub struct DirectMemory<'a> {
    /// RAM and ROM from address 0 on.
    pub plain: PlainMemory<'a>,
    /// The planes of the display adapter.
    pub planar: Option<PlanarMemory<'a>>,
}

/// The effect of a display adapter's registers on memory accesses, condensed to a window, masks and
/// shifts. The low two bits of an offset in the window select the planes; the masked remainder is
/// the plane address.
///
/// The layout is C's, because translated code accesses the fields by their offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct PlanarMapping {
    /// The linear address of the window. It is even.
    pub base: u32,
    /// Bytes of the area where a read returns a byte of one plane and loads all four latches.
    pub readable: u32,
    /// Size in bytes of the area in which a write needs masks only.
    pub writable: u32,
    /// Size in bytes of the area of text cells. A word at an even offset is the two low bytes at
    /// the plane address equal to that offset.
    pub text: u32,
    /// The composition of the written bytes.
    pub data: Data,
    /// The planes that are written, by the low two bits of the offset.
    pub lanes: [u32; 4],
    /// The plane that is read, as a shift count, by the low two bits of the offset.
    pub shifts: [u8; 4],
    /// The bits of an offset that form the plane address.
    pub index_mask: u16,
}

/// The composition of written bytes, without rotation or logical function. Bits set in `open` come
/// from the processor, others from `fixed`. The result replaces the latches where `mask` is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Data {
    /// Bits from the processor.
    pub open: u32,
    /// The values of the other bits.
    pub fixed: u32,
    /// Bits that are written.
    pub mask: u32,
}
