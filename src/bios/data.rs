//! The BIOS data area at 0040:, as the IBM PC/AT Technical Reference lists it. Addresses are linear.
//!
//! The video fields (0040:0049 to 0040:0066 and 0040:0084 to 0040:008A) belong to `bios/video`.

use crate::hardware::Hardware;

/// Equipment word: what INT 11h answers.
pub const EQUIPMENT: u32 = 0x410;
/// Conventional memory in KiB: what INT 12h answers.
pub const MEMORY_SIZE: u32 = 0x413;
/// Shift and lock keys: what INT 16h AH=02h answers.
pub const SHIFT_FLAGS: u32 = 0x417;
/// Keys held down, and the pause.
pub const SHIFT_FLAGS_2: u32 = 0x418;
/// The number being typed with Alt and the keypad.
pub const ALT_KEYPAD: u32 = 0x419;
/// Head of the keyboard ring, as an offset from 0040:.
pub const RING_HEAD: u32 = 0x41A;
/// Tail of the keyboard ring.
pub const RING_TAIL: u32 = 0x41C;
/// Timer ticks since midnight, 32 bits.
pub const TICKS: u32 = 0x46C;
/// Set when midnight has passed since the last INT 1Ah AH=00h.
pub const MIDNIGHT: u32 = 0x470;
/// Bit 7: Ctrl-Break has been pressed.
pub const BREAK_FLAG: u32 = 0x471;
/// Offset from 0040: of the start of the keyboard ring.
pub const RING_START: u32 = 0x480;
/// Offset from 0040: of the end of the keyboard ring.
pub const RING_END: u32 = 0x482;
/// Enhanced keyboard: bit 4 installed, bit 1 E1h and bit 0 E0h came last, right Alt and Ctrl.
pub const KEYBOARD_STATUS: u32 = 0x496;

/// No floppy drive, VGA (video bits 5, 4 = 80x25 colour), no coprocessor, no serial or parallel port.
const EQUIPMENT_WORD: u16 = 0x0020;
/// Conventional memory in KiB: all 640, no extended BIOS data area.
pub const CONVENTIONAL_KIB: u16 = 640;

/// Fills the area as the power-on test does, but for the video fields.
pub(super) fn init(hw: &mut Hardware) {
    let memory = &mut hw.memory;
    memory.write16(EQUIPMENT, EQUIPMENT_WORD);
    memory.write16(MEMORY_SIZE, CONVENTIONAL_KIB);
    memory.write16(RING_START, 0x1E);
    memory.write16(RING_END, 0x3E);
    memory.write16(RING_HEAD, 0x1E);
    memory.write16(RING_TAIL, 0x1E);
    memory.write8(KEYBOARD_STATUS, 0x10);
}
