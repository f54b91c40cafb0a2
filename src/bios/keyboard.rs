//! INT 09h and INT 16h: scan codes to characters, and the ring of 15 keys at 0040:001E.
//!
//! A key is a word, scan code above character, as in Ralf Brown's interrupt list (table "scan codes", US keyboard,
//! enhanced BIOS). Grey keys carry the character E0h, which only the enhanced calls (AH=10h, 11h) show.

use super::data::{
    ALT_KEYPAD, BREAK_FLAG, KEYBOARD_STATUS, RING_END, RING_HEAD, RING_START, RING_TAIL, SHIFT_FLAGS,
    SHIFT_FLAGS_2,
};
use super::us_keyboard::{self, Shift};
use crate::cpu::{Cpu, Flags};
use crate::firmware::{Outcome, set_caller_flag};
use crate::hardware::Hardware;

const RIGHT_SHIFT: u8 = 0x01;
const LEFT_SHIFT: u8 = 0x02;
const CTRL: u8 = 0x04;
const ALT: u8 = 0x08;
const SCROLL_LOCK: u8 = 0x10;
const NUM_LOCK: u8 = 0x20;
const CAPS_LOCK: u8 = 0x40;
const INSERT: u8 = 0x80;

/// In the second flag byte: the left keys, and the machine is held by the Pause key.
const LEFT_CTRL: u8 = 0x01;
const LEFT_ALT: u8 = 0x02;
const PAUSED: u8 = 0x08;
/// In the status byte at 0040:0096.
const LAST_WAS_E1: u8 = 0x02;
const LAST_WAS_E0: u8 = 0x01;
const RIGHT_CTRL: u8 = 0x04;
const RIGHT_ALT: u8 = 0x08;

/// What the interrupt routine does after the key, answered in AH.
const NOTHING: u8 = 0;
const CALL_BREAK: u8 = 1;
const CALL_PRINT_SCREEN: u8 = 2;
const CALL_PAUSE: u8 = 3;

/// Takes a key from the ring.
pub fn read(hw: &mut Hardware) -> Option<u16> {
    let key = peek(hw)?;
    let head = hw.memory.read16(RING_HEAD);
    let next = following(hw, head);
    hw.memory.write16(RING_HEAD, next);
    Some(key)
}

/// The next key of the ring, left there.
pub fn peek(hw: &Hardware) -> Option<u16> {
    let head = hw.memory.read16(RING_HEAD);
    (head != hw.memory.read16(RING_TAIL)).then(|| hw.memory.read16(0x400 + u32::from(head)))
}

/// Puts a key into the ring. False when it is full.
pub fn push(hw: &mut Hardware, key: u16) -> bool {
    let tail = hw.memory.read16(RING_TAIL);
    let next = following(hw, tail);
    if next == hw.memory.read16(RING_HEAD) {
        return false;
    }
    hw.memory.write16(0x400 + u32::from(tail), key);
    hw.memory.write16(RING_TAIL, next);
    true
}

/// Empties the ring.
pub fn clear(hw: &mut Hardware) {
    let tail = hw.memory.read16(RING_TAIL);
    hw.memory.write16(RING_HEAD, tail);
}

/// The shift and lock keys, as INT 16h AH=02h answers them.
pub fn shift_flags(hw: &Hardware) -> u8 {
    hw.memory.read8(SHIFT_FLAGS)
}

/// True while the Pause key holds the machine.
pub fn paused(hw: &Hardware) -> bool {
    hw.memory.read8(SHIFT_FLAGS_2) & PAUSED != 0
}

fn following(hw: &Hardware, place: u16) -> u16 {
    let next = place.wrapping_add(2);
    if next >= hw.memory.read16(RING_END) { hw.memory.read16(RING_START) } else { next }
}

/// INT 16h.
pub fn service(cpu: &mut Cpu, hw: &mut Hardware) -> Outcome {
    let function = cpu.regs.ah();
    match function {
        0x00 | 0x10 => {
            skip_unknown_to_standard(hw, function);
            match read(hw) {
                Some(key) => cpu.regs.set_ax(as_seen_by(function, key)),
                None => return Outcome::Wait,
            }
        }
        0x01 | 0x11 => {
            skip_unknown_to_standard(hw, function);
            let key = peek(hw);
            if let Some(key) = key {
                cpu.regs.set_ax(as_seen_by(function, key));
            }
            set_caller_flag(cpu, hw, Flags::ZF, key.is_none());
        }
        0x02 => cpu.regs.set_al(shift_flags(hw)),
        0x03 => {} // typematic rate: the host's keyboard repeats
        0x05 => {
            let full = !push(hw, cpu.regs.cx());
            cpu.regs.set_al(u8::from(full));
        }
        0x09 => cpu.regs.set_al(0x24), // functions 0Ah and 10h to 12h are there
        0x0A => cpu.regs.set_bx(0x41AB),
        0x12 => {
            let held = hw.memory.read8(SHIFT_FLAGS_2);
            let right = hw.memory.read8(KEYBOARD_STATUS) & (RIGHT_CTRL | RIGHT_ALT);
            cpu.regs.set_al(shift_flags(hw));
            cpu.regs.set_ah(held & 0x73 | right);
        }
        _ => {}
    }
    Outcome::Return
}

/// The standard calls (AH=00h, 01h) throw away keys that only the enhanced ones know.
fn skip_unknown_to_standard(hw: &mut Hardware, function: u8) {
    if function >= 0x10 {
        return;
    }
    while let Some(key) = peek(hw) {
        let [character, scan] = key.to_le_bytes();
        let unknown = (character == 0xF0 && scan != 0) || (scan > 0x84 && scan < 0xE0);
        if !unknown {
            return;
        }
        let _ = read(hw);
    }
}

/// A key as the standard calls (AH=00h, 01h) or the enhanced ones (AH=10h, 11h) give it.
fn as_seen_by(function: u8, key: u16) -> u16 {
    let [character, scan] = key.to_le_bytes();
    let enhanced = function >= 0x10;
    match (scan, character) {
        (scan, 0xF0) if scan != 0 => u16::from(scan) << 8,
        _ if enhanced => key,
        (0xE0, 0x2F) => 0x352F,
        (0xE0, character) => 0x1C00 | u16::from(character),
        (scan, 0xE0) if scan != 0 => u16::from(scan) << 8,
        _ => key,
    }
}

/// The trap within IRQ 1's routine: AL is the scan code; AH answers what is to follow.
pub fn scan_code(cpu: &mut Cpu, hw: &mut Hardware) -> Outcome {
    let code = cpu.regs.al();
    let follow = translate(hw, code);
    cpu.regs.set_ah(follow);
    Outcome::Return
}

fn translate(hw: &mut Hardware, code: u8) -> u8 {
    let status = hw.memory.read8(KEYBOARD_STATUS);
    match code {
        0xE0 => return prefix(hw, status | LAST_WAS_E0),
        0xE1 => return prefix(hw, status | LAST_WAS_E1),
        0xFA | 0xFE | 0xEE | 0xFF | 0x00 => return NOTHING, // answers of the keyboard itself
        _ => {}
    }
    let extended = status & LAST_WAS_E0 != 0;
    if status & LAST_WAS_E1 != 0 {
        // Pause sends E1 1D 45 E1 9D C5: the prefix holds for the two codes behind it.
        if code & 0x7F == 0x45 {
            hw.memory.write8(KEYBOARD_STATUS, status & !LAST_WAS_E1);
        }
        return if code == 0x45 { pause(hw) } else { NOTHING };
    }
    hw.memory.write8(KEYBOARD_STATUS, status & !LAST_WAS_E0);
    let (scan, released) = (code & 0x7F, code & 0x80 != 0);
    if modifier(hw, scan, extended, released) {
        return NOTHING;
    }
    if released { NOTHING } else { key_pressed(hw, scan, extended) }
}

fn prefix(hw: &mut Hardware, status: u8) -> u8 {
    hw.memory.write8(KEYBOARD_STATUS, status);
    NOTHING
}

fn pause(hw: &mut Hardware) -> u8 {
    set(hw, SHIFT_FLAGS_2, PAUSED, true);
    CALL_PAUSE
}

fn set(hw: &mut Hardware, address: u32, bits: u8, on: bool) {
    let old = hw.memory.read8(address);
    hw.memory.write8(address, if on { old | bits } else { old & !bits });
}

/// Shift, Ctrl, Alt and the locks. True when the key is one of them.
fn modifier(hw: &mut Hardware, scan: u8, extended: bool, released: bool) -> bool {
    let down = !released;
    match (scan, extended) {
        (0x2A | 0x36, true) => {} // the false shifts around grey keys
        (0x36, false) => set(hw, SHIFT_FLAGS, RIGHT_SHIFT, down),
        (0x2A, false) => set(hw, SHIFT_FLAGS, LEFT_SHIFT, down),
        (0x1D, right) => two_sided(hw, CTRL, right, (LEFT_CTRL, RIGHT_CTRL), down),
        (0x38, right) => {
            two_sided(hw, ALT, right, (LEFT_ALT, RIGHT_ALT), down);
            if shift_flags(hw) & ALT == 0 {
                push_alt_number(hw);
            }
        }
        (0x3A, false) => lock(hw, CAPS_LOCK, down),
        (0x46, false) if shift_flags(hw) & CTRL == 0 => lock(hw, SCROLL_LOCK, down),
        (0x45, false) if shift_flags(hw) & CTRL == 0 => lock(hw, NUM_LOCK, down),
        _ => return false,
    }
    true
}

/// Ctrl and Alt: left and right have a bit each, in two bytes, and one bit says that either is down.
fn two_sided(hw: &mut Hardware, either: u8, is_right: bool, (left, right): (u8, u8), down: bool) {
    let (address, bit) = if is_right { (KEYBOARD_STATUS, right) } else { (SHIFT_FLAGS_2, left) };
    set(hw, address, bit, down);
    let held = hw.memory.read8(KEYBOARD_STATUS) & right | hw.memory.read8(SHIFT_FLAGS_2) & left;
    set(hw, SHIFT_FLAGS, either, held != 0);
}

/// Alt is up: the number typed on the keypad meanwhile is a character.
fn push_alt_number(hw: &mut Hardware) {
    let typed = hw.memory.read8(ALT_KEYPAD);
    hw.memory.write8(ALT_KEYPAD, 0);
    if typed != 0 {
        push(hw, u16::from(typed));
    }
}

/// A lock key toggles when it goes down; held, it repeats without effect. Its "held" bit has the lock's place in the second byte.
fn lock(hw: &mut Hardware, bit: u8, down: bool) {
    if down && hw.memory.read8(SHIFT_FLAGS_2) & bit == 0 {
        let flags = shift_flags(hw);
        hw.memory.write8(SHIFT_FLAGS, flags ^ bit);
    }
    set(hw, SHIFT_FLAGS_2, bit, down);
}

fn key_pressed(hw: &mut Hardware, scan: u8, extended: bool) -> u8 {
    let flags = shift_flags(hw);
    if paused(hw) {
        // Any key ends the pause and is not seen by the program.
        set(hw, SHIFT_FLAGS_2, PAUSED, false);
        return NOTHING;
    }
    match (scan, extended) {
        (0x46, _) if flags & CTRL != 0 => return ctrl_break(hw), // Ctrl-ScrollLock; E0 46 is Ctrl-Pause
        (0x45, false) => return pause(hw),                       // Ctrl-NumLock
        (0x37, true) if flags & (CTRL | ALT) == 0 => return CALL_PRINT_SCREEN,
        (0x54, false) => return NOTHING, // SysRq
        _ => {}
    }
    if flags & ALT != 0
        && !extended
        && let Some(digit) = us_keyboard::keypad_digit(scan)
    {
        let typed = hw.memory.read8(ALT_KEYPAD).wrapping_mul(10).wrapping_add(digit);
        hw.memory.write8(ALT_KEYPAD, typed);
        return NOTHING;
    }
    if scan == 0x52 && flags & (CTRL | ALT) == 0 {
        hw.memory.write8(SHIFT_FLAGS, flags ^ INSERT);
    }
    let shift = Shift {
        shift: flags & (LEFT_SHIFT | RIGHT_SHIFT) != 0,
        ctrl: flags & CTRL != 0,
        alt: flags & ALT != 0,
        caps_lock: flags & CAPS_LOCK != 0,
        num_lock: flags & NUM_LOCK != 0,
    };
    if let Some(key) = us_keyboard::key(scan, extended, shift) {
        push(hw, key);
    }
    NOTHING
}

fn ctrl_break(hw: &mut Hardware) -> u8 {
    clear(hw);
    set(hw, BREAK_FLAG, 0x80, true);
    push(hw, 0);
    CALL_BREAK
}
