//! INT 09h and INT 16h: conversion of scan codes to characters, and the ring of 15 keys at
//! 0040:001E.
//!
//! A key is a word, scan code above character, as in Ralf Brown's interrupt list (table "scan
//! codes", US keyboard, enhanced BIOS). Grey keys have the character E0h, which only the enhanced
//! calls (AH=10h, 11h) return.

use super::data::{
    self, ALT_KEYPAD, BREAK_FLAG, KEYBOARD_STATUS, RING_END, RING_HEAD, RING_START, RING_TAIL, SHIFT_FLAGS,
    SHIFT_FLAGS_2,
};
use super::state::{Bios, Handler};
use super::us_keyboard::{self, Shift};
use crate::firmware::{Functions, Guest, Resume, row};
use crate::hardware::Hardware;
use oxbox_cpu::Flags;

/// A ring that a program has made larger than this contains other data.
const MOST_RING_BYTES: u16 = 0x100;

const RIGHT_SHIFT: u8 = 0x01;
const LEFT_SHIFT: u8 = 0x02;
const CTRL: u8 = 0x04;
const ALT: u8 = 0x08;
const SCROLL_LOCK: u8 = 0x10;
const NUM_LOCK: u8 = 0x20;
const CAPS_LOCK: u8 = 0x40;
const INSERT: u8 = 0x80;

/// Bits of the second flag byte: the left keys, and the pause state.
const LEFT_CTRL: u8 = 0x01;
const LEFT_ALT: u8 = 0x02;
const PAUSED: u8 = 0x08;
/// Bits of the status byte at 0040:0096.
const LAST_WAS_E1: u8 = 0x02;
const LAST_WAS_E0: u8 = 0x01;
const RIGHT_CTRL: u8 = 0x04;
const RIGHT_ALT: u8 = 0x08;

/// The action of the interrupt routine after the key, returned in AH.
const NOTHING: u8 = 0;
const CALL_BREAK: u8 = 1;
const CALL_PRINT_SCREEN: u8 = 2;
const CALL_PAUSE: u8 = 3;

/// Takes a key from the ring.
pub(crate) fn read(hw: &mut Hardware) -> Option<u16> {
    let key = peek(hw)?;
    let head = hw.memory.read16(RING_HEAD);
    let next = following(hw, head);
    hw.memory.write16(RING_HEAD, next);
    Some(key)
}

/// Whether head and tail of the ring are the same.
pub(crate) fn is_empty(hw: &Hardware) -> bool {
    hw.memory.read16(RING_HEAD) == hw.memory.read16(RING_TAIL)
}

/// Returns the next key of the ring without taking it. Also returns `None` if a program has moved
/// the tail to where a reader never arrives: the BIOS would return garbage indefinitely, and services
/// that read until the ring is empty would never return.
pub(crate) fn peek(hw: &Hardware) -> Option<u16> {
    let (head, tail) = (hw.memory.read16(RING_HEAD), hw.memory.read16(RING_TAIL));
    let (start, end) = (hw.memory.read16(RING_START), hw.memory.read16(RING_END));
    let is_reachable = (start..end).contains(&tail) && (tail - start) % 2 == 0;
    (head != tail && is_reachable).then(|| hw.memory.read16(data::at(head)))
}

/// Puts a key into the ring. Returns false if it is full.
pub(crate) fn push(hw: &mut Hardware, key: u16) -> bool {
    let tail = hw.memory.read16(RING_TAIL);
    let next = following(hw, tail);
    if next == hw.memory.read16(RING_HEAD) {
        return false;
    }
    hw.memory.write16(data::at(tail), key);
    hw.memory.write16(RING_TAIL, next);
    true
}

pub(crate) fn clear(hw: &mut Hardware) {
    let tail = hw.memory.read16(RING_TAIL);
    hw.memory.write16(RING_HEAD, tail);
}

/// Turns Insert off.
pub(crate) fn end_insert(hw: &mut Hardware) {
    let flags = hw.memory.read8(SHIFT_FLAGS);
    if flags & INSERT != 0 {
        hw.memory.write8(SHIFT_FLAGS, flags & !INSERT);
    }
}

/// Clears the keys that were taken from the ring, and on request moves its position to its start. A
/// ring that contains keys does not change.
pub(crate) fn forget_taken(hw: &mut Hardware, rewinds: bool) {
    let (start, end) = (hw.memory.read16(RING_START), hw.memory.read16(RING_END));
    if !is_empty(hw) || start >= end || end - start > MOST_RING_BYTES {
        return;
    }
    for place in (start..end).step_by(2).map(data::at) {
        if hw.memory.read16(place) != 0 {
            hw.memory.write16(place, 0);
        }
    }
    if rewinds {
        hw.memory.write16(RING_HEAD, start);
        hw.memory.write16(RING_TAIL, start);
    }
}

/// Processes the codes of released keys that are on their way, as IRQ 1 would a little later.
pub(crate) fn finish_releases(hw: &mut Hardware) {
    // With a number that was typed on the keypad, the release of Alt is a key.
    if hw.memory.read8(ALT_KEYPAD) == 0 {
        hw.take_key_releases().into_iter().for_each(|code| _ = translate(hw, code));
    }
}

/// Returns the shift and lock keys, like INT 16h AH=02h.
pub(crate) fn shift_flags(hw: &Hardware) -> u8 {
    hw.memory.read8(SHIFT_FLAGS)
}

/// Whether the Pause key holds the machine.
pub(crate) fn paused(hw: &Hardware) -> bool {
    hw.memory.read8(SHIFT_FLAGS_2) & PAUSED != 0
}

fn following(hw: &Hardware, place: u16) -> u16 {
    let next = place.wrapping_add(2);
    if next >= hw.memory.read16(RING_END) { hw.memory.read16(RING_START) } else { next }
}

#[rustfmt::skip]
pub(super) static INT_16: Functions<Handler> = Functions::new(&[
    row(0x00, "get keystroke",                       |_, g| get_keystroke(g, Keyboard::Standard)),
    row(0x01, "check for keystroke",                 |_, g| check_for_keystroke(g, Keyboard::Standard)),
    row(0x02, "get shift flags",                     get_shift_flags),
    row(0x03, "set typematic rate and delay",        set_typematic),
    row(0x05, "store keystroke in keyboard buffer",  store_keystroke),
    // AX=0300h and 0305h, functions 0Ah and 10h to 12h exist.
    row(0x09, "get keyboard functionality",          |_, g| { g.cpu.regs.set_al(0x35); Resume::Return }),
    row(0x0A, "get keyboard ID",                     |_, g| { g.cpu.regs.set_bx(0x41AB); Resume::Return }),
    row(0x10, "get enhanced keystroke",              |_, g| get_keystroke(g, Keyboard::Enhanced)),
    row(0x11, "check for enhanced keystroke",        |_, g| check_for_keystroke(g, Keyboard::Enhanced)),
    row(0x12, "get extended shift states",           get_extended_shift_states),
]);

/// 10.9 characters per second after 500 ms.
const POWER_ON_TYPEMATIC: u8 = 0x2B;

/// The keys that a call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyboard {
    /// The keys of the PC's keyboard with 83 keys.
    Standard,
    /// Also those of the enhanced keyboard.
    Enhanced,
}

/// AH=00h and 10h: waits for the next key and takes it.
fn get_keystroke(g: &mut Guest, keyboard: Keyboard) -> Resume {
    skip_unknown_to(g.hw, keyboard);
    match read(g.hw) {
        Some(key) => {
            g.cpu.regs.set_ax(as_seen_by(keyboard, key));
            Resume::Return
        }
        None => Resume::Wait,
    }
}

/// AH=01h and 11h: returns the next key without taking it, or sets ZF if the buffer is empty.
fn check_for_keystroke(g: &mut Guest, keyboard: Keyboard) -> Resume {
    skip_unknown_to(g.hw, keyboard);
    let key = peek(g.hw);
    if let Some(key) = key {
        g.cpu.regs.set_ax(as_seen_by(keyboard, key));
    }
    g.set_caller_flag(Flags::ZF, key.is_none());
    Resume::Return
}

/// AH=02h.
fn get_shift_flags(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_al(shift_flags(g.hw));
    Resume::Return
}

/// AH=03h with AL=05h: BH is the delay (250 ms times BH + 1), BL the rate (00h: 30 characters per
/// second, 1Fh: 2). AL=00h restores the power-on values.
fn set_typematic(_: &mut Bios, g: &mut Guest) -> Resume {
    let r = &g.cpu.regs;
    match r.al() {
        0x00 => g.hw.keyboard.set_typematic(POWER_ON_TYPEMATIC),
        0x05 => g.hw.keyboard.set_typematic((r.bh() & 3) << 5 | r.bl() & 0x1F),
        _ => {}
    }
    Resume::Return
}

/// AH=05h: puts CX into the ring; AL is 1 if it is full.
fn store_keystroke(_: &mut Bios, g: &mut Guest) -> Resume {
    let full = !push(g.hw, g.cpu.regs.cx());
    g.cpu.regs.set_al(u8::from(full));
    Resume::Return
}

/// AH=12h: the shift flags in AL, the keys held down in AH.
fn get_extended_shift_states(_: &mut Bios, g: &mut Guest) -> Resume {
    let held = g.hw.memory.read8(SHIFT_FLAGS_2);
    let right = g.hw.memory.read8(KEYBOARD_STATUS) & (RIGHT_CTRL | RIGHT_ALT);
    g.cpu.regs.set_al(shift_flags(g.hw));
    g.cpu.regs.set_ah(held & 0x73 | right);
    Resume::Return
}

/// Discards keys that only the enhanced calls know, before a standard call (AH=00h, 01h).
fn skip_unknown_to(hw: &mut Hardware, keyboard: Keyboard) {
    if keyboard == Keyboard::Enhanced {
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

/// Returns the result of AH=00h or 10h for a key that both know.
pub(crate) fn keystroke(ah: u8, key: u16) -> u16 {
    as_seen_by(if ah == 0x10 { Keyboard::Enhanced } else { Keyboard::Standard }, key)
}

/// Converts a key to the result of the standard calls (AH=00h, 01h) or enhanced ones (10h, 11h).
fn as_seen_by(keyboard: Keyboard, key: u16) -> u16 {
    let [character, scan] = key.to_le_bytes();
    match (scan, character) {
        (scan, 0xF0) if scan != 0 => u16::from(scan) << 8,
        _ if keyboard == Keyboard::Enhanced => key,
        (0xE0, 0x2F) => 0x352F,
        (0xE0, character) => 0x1C00 | u16::from(character),
        (scan, 0xE0) if scan != 0 => u16::from(scan) << 8,
        _ => key,
    }
}

/// The trap within IRQ 1's routine: AL is the scan code; AH returns the action that follows.
pub(super) fn scan_code(_: &mut Bios, g: &mut Guest) -> Resume {
    let follow = translate(g.hw, g.cpu.regs.al());
    g.cpu.regs.set_ah(follow);
    Resume::Return
}

fn translate(hw: &mut Hardware, code: u8) -> u8 {
    let status = hw.memory.read8(KEYBOARD_STATUS);
    match code {
        0xE0 => return prefix(hw, status | LAST_WAS_E0),
        0xE1 => return prefix(hw, status | LAST_WAS_E1),
        0xFA | 0xFE | 0xEE | 0xFF | 0x00 => return NOTHING, // responses of the keyboard itself
        _ => {}
    }
    let extended = status & LAST_WAS_E0 != 0;
    if status & LAST_WAS_E1 != 0 {
        // Pause sends E1 1D 45 E1 9D C5: the prefix applies to the two codes after it.
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

/// Handles Shift, Ctrl, Alt and the lock keys. Returns whether the key is one of them.
fn modifier(hw: &mut Hardware, scan: u8, extended: bool, released: bool) -> bool {
    let down = !released;
    match (scan, extended) {
        (0x2A | 0x36, true) => {} // the simulated shifts around grey keys
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

/// Ctrl and Alt: left and right have one bit each, in two bytes, and one bit is for either.
fn two_sided(hw: &mut Hardware, either: u8, is_right: bool, (left, right): (u8, u8), down: bool) {
    let (address, bit) = if is_right { (KEYBOARD_STATUS, right) } else { (SHIFT_FLAGS_2, left) };
    set(hw, address, bit, down);
    let held = hw.memory.read8(KEYBOARD_STATUS) & right | hw.memory.read8(SHIFT_FLAGS_2) & left;
    set(hw, SHIFT_FLAGS, either, held != 0);
}

/// Alt is released: the number typed on the keypad meanwhile is a character.
fn push_alt_number(hw: &mut Hardware) {
    let typed = hw.memory.read8(ALT_KEYPAD);
    hw.memory.write8(ALT_KEYPAD, 0);
    if typed != 0 {
        push(hw, u16::from(typed));
    }
}

/// A lock key toggles when it is pressed; its repetitions have no effect. Its "held" bit is the
/// same bit of the second byte.
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
        // Any key ends the pause. The program does not receive it.
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
