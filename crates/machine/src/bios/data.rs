//! The BIOS data area at 0040:, field by field. Addresses are linear; the size of a field is given
//! if it is not a byte.
//!
//! Source: the IBM PC/AT Technical Reference, for video Ralf Brown's memory list.

use crate::hardware::Hardware;
use std::ops::Range;

/// Equipment word, returned by INT 11h. Bits 5 and 4 are the kind of display at power-on.
pub(crate) const EQUIPMENT: u32 = 0x410;
/// Conventional memory in KiB (word), returned by INT 12h.
pub(crate) const MEMORY_SIZE: u32 = 0x413;
/// Shift and lock keys, returned by INT 16h AH=02h.
pub(crate) const SHIFT_FLAGS: u32 = 0x417;
/// Keys held down, and the state of Pause.
pub(crate) const SHIFT_FLAGS_2: u32 = 0x418;
/// The number being typed with Alt and the keypad.
pub(crate) const ALT_KEYPAD: u32 = 0x419;
/// The fields that contain the state of shift and lock keys.
pub(crate) const SHIFT_STATES: [Range<u32>; 2] =
    [SHIFT_FLAGS..RING_HEAD, KEYBOARD_STATUS..KEYBOARD_STATUS + 2];
/// Head of the keyboard ring (word), as an offset from 0040:.
pub(crate) const RING_HEAD: u32 = 0x41A;
/// Tail of the keyboard ring (word).
pub(crate) const RING_TAIL: u32 = 0x41C;
pub(crate) const FLOPPY_STATUS: u32 = 0x441;
pub(crate) const VIDEO_MODE: u32 = 0x449;
/// Columns of the screen (word).
pub(crate) const COLUMNS: u32 = 0x44A;
/// Size of a display page in bytes (word).
pub(crate) const PAGE_LENGTH: u32 = 0x44C;
/// Offset of the displayed page (word).
pub(crate) const PAGE_START: u32 = 0x44E;
/// Column and row of the cursor on each of eight pages.
pub(crate) const CURSORS: u32 = 0x450;
pub(crate) const ALL_CURSORS: Range<u32> = CURSORS..CURSOR_SHAPE;
/// Last and first line of the cursor, as set by the program.
pub(crate) const CURSOR_SHAPE: u32 = 0x460;
pub(crate) const ACTIVE_PAGE: u32 = 0x462;
/// Base port of the CRTC (word).
pub(crate) const CRTC_PORT: u32 = 0x463;
/// The value of the CGA's port 3D8h for this mode.
pub(crate) const MODE_CONTROL: u32 = 0x465;
/// The value of the CGA's port 3D9h for this mode.
pub(crate) const CGA_PALETTE: u32 = 0x466;
/// Timer ticks since midnight (doubleword).
pub const TICKS: u32 = 0x46C;
/// Set if midnight has passed since the last INT 1Ah AH=00h.
pub(crate) const MIDNIGHT: u32 = 0x470;
/// The volatile part: the ticks and the midnight flag.
pub(crate) const CLOCK: Range<u32> = TICKS..MIDNIGHT + 1;
/// Bit 7: Ctrl-Break has been pressed.
pub(crate) const BREAK_FLAG: u32 = 0x471;
/// Status of the last operation of a hard disk.
pub(crate) const FIXED_STATUS: u32 = 0x474;
pub(crate) const FIXED_COUNT: u32 = 0x475;
/// Offset from 0040: of the start of the keyboard ring (word).
pub(crate) const RING_START: u32 = 0x480;
/// Offset from 0040: of the end of the keyboard ring (word).
pub(crate) const RING_END: u32 = 0x482;
pub(crate) const LAST_ROW: u32 = 0x484;
/// Scan lines of a character (word).
pub(crate) const CHARACTER_HEIGHT: u32 = 0x485;
/// Bit 7: the last mode set kept the memory; 6 and 5: 256 KiB; 1: monochrome; 0: the cursor is not emulated.
pub(crate) const VIDEO_CONTROL: u32 = 0x487;
/// Feature bits and switches of the adapter.
pub(crate) const VIDEO_SWITCHES: u32 = 0x488;
/// Bits 7 and 4: scan lines (0: 350, 10h: 400, 80h: 200); 3: palette not loaded; 2: monochrome; 1: grey; 0: VGA.
pub(crate) const VGA_FLAGS: u32 = 0x489;
pub(crate) const DISPLAY_COMBINATION: u32 = 0x48A;
/// Enhanced keyboard: bit 4 installed, bits 3 and 2 right Alt and Ctrl, bits 1 and 0 the last code
/// was E1h or E0h.
pub(crate) const KEYBOARD_STATUS: u32 = 0x496;
/// Far pointer to the save pointer table.
pub(crate) const VIDEO_SAVE_POINTER: u32 = 0x4A8;

/// Returns the linear address of an offset from 0040:, such as the keyboard ring's pointers.
pub(crate) const fn at(offset: u16) -> u32 {
    0x400 + offset as u32
}

/// No floppy drive, VGA (video bits 5, 4 = 80x25 colour), no serial or parallel port.
const EQUIPMENT_WORD: u16 = 0x0020;
/// The bit of the equipment word for a coprocessor.
const COPROCESSOR: u16 = 0x0002;
/// Conventional memory in KiB: all 640, without an extended BIOS data area.
const CONVENTIONAL_KIB: u16 = 640;

/// Initialises the area as the power-on test does, without the video fields of the mode set.
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

pub(super) fn set_memory_size(hw: &mut Hardware, kib: u16) {
    hw.memory.write16(MEMORY_SIZE, kib);
    hw.rtc.set_base_memory(kib);
}

pub(super) fn add_coprocessor(hw: &mut Hardware) {
    let equipment = hw.memory.read16(EQUIPMENT) | COPROCESSOR;
    hw.memory.write16(EQUIPMENT, equipment);
    hw.rtc.add_coprocessor();
}
