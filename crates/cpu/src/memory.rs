//! Memory that the processor reaches in one step: RAM and ROM, and a display adapter's four planes as far as its registers allow.

/// Memory from address 0 on that is RAM or ROM without side effects.
#[derive(Debug)]
pub struct PlainMemory<'a> {
    /// The bytes.
    pub cells: &'a mut [u8],
    /// One for each 16 bytes. Where it is 0 a write of up to 8 bytes that begins there is nobody's business; elsewhere it has to go by
    /// the bus.
    pub marks: &'a [u8],
    /// For each 16 bytes a bit a byte, from the first on: it has been decoded. Where the mark is [`PlainMemory::BESIDE_CODE`] a write
    /// is nobody's business either if it meets none of these.
    pub code: &'a [u16],
}

impl PlainMemory<'_> {
    /// Bytes that a mark stands for.
    pub const GRANULE: usize = 16;
    /// The mark of a granule in which, or shortly behind which, a byte has been decoded.
    pub const BESIDE_CODE: u8 = 1;
}

/// Addresses in a plane.
pub const PLANE: usize = 0x1_0000;
/// Addresses of a page.
pub const PLANE_PAGE: usize = 1024;

/// The planes, and how the processor reaches them now.
#[derive(Debug)]
pub struct PlanarMemory<'a> {
    /// The bytes of the four planes by plane address, plane 0 in the low byte.
    pub cells: &'a mut [u32; PLANE],
    /// Of each page whether it may have been written: to be set by whoever writes there.
    pub written: &'a mut [bool; PLANE / PLANE_PAGE],
    /// What the last read has left in the latches.
    pub latch: &'a mut u32,
    /// Where the memory answers, and how.
    pub reach: &'a Reach,
}

/// What memory translated code may use by itself.
#[derive(Debug)]
pub struct DirectMemory<'a> {
    /// RAM and ROM from address 0 on.
    pub plain: PlainMemory<'a>,
    /// The display adapter's.
    pub planar: Option<PlanarMemory<'a>>,
}

/// What the registers of a display adapter make of an access, condensed into a window, masks and shifts. The low two bits of an
/// offset in the window choose the planes, and the rest of it, masked, is the plane address.
///
/// Its layout is C's, since translated code reaches the fields by their offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Reach {
    /// The linear address of the window; even.
    pub base: u32,
    /// Bytes from there on of which each is read as a byte of one plane, while the latches take those of all four.
    pub readable: u32,
    /// Bytes from there on that are written by masks alone.
    pub writable: u32,
    /// Bytes from there on that are cells of text: a word at an even offset is the two low bytes of the plane address that is the
    /// offset.
    pub text: u32,
    /// What the written bytes are made of.
    pub data: Data,
    /// By the offset's low two bits: the planes that are written.
    pub lanes: [u32; 4],
    /// By the offset's low two bits: the plane that is read, as a shift.
    pub shifts: [u8; 4],
    /// The bits of an offset that are the plane address.
    pub index_mask: u16,
}

/// What a write makes its bytes of, without rotation or function: they are the processor's where `open` is set, and `fixed`
/// elsewhere, and replace those of the latches where `mask` is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Data {
    /// Bits that the processor gives.
    pub open: u32,
    /// What the others are.
    pub fixed: u32,
    /// Bits that are written.
    pub mask: u32,
}
