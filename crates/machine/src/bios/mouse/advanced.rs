//! INT 33h functions of the Microsoft driver 6.0 and later: handlers for shift keys, acceleration
//! profiles, video modes, settings.
//!
//! Source: Ralf Brown's interrupt list, INT 33h.

use super::functions::{PS2_MOUSE, VERSION, listener, set_results};
use super::state::{Driver, Listener};
use crate::bios::video::console;
use crate::bios::{data, state::Bios};
use crate::firmware::{Far, Guest, GuestMemory, ROM_SEGMENT, Resume};
use crate::hardware::{Hardware, linear};

/// The bits of an alternate handler's mask that name shift keys: Shift, Ctrl, Alt.
const SHIFT_BITS: u16 = 0xE0;

/// The driver's own data in memory.
const COPYRIGHT: Far = Far::new(ROM_SEGMENT, 0x2300);
const VERSION_BYTES: Far = Far::new(ROM_SEGMENT, 0x2330);
const INITIALIZATION_FILE: Far = Far::new(ROM_SEGMENT, 0x2340);
const PROFILES: Far = Far::new(ROM_SEGMENT, 0x2400);

/// The text by which programs recognise a driver that is compatible with Microsoft's.
const COPYRIGHT_TEXT: &[u8] = b"*** This is Copyright 1983 Microsoft ***\0";

/// Acceleration profiles: their number, their bytes in memory, the place of their names, and the
/// length of a name.
const CURVES: u16 = 4;
const PROFILE_BYTES: usize = 0x144;
const CURVE_NAMES: u16 = 0x104;
const NAME: u16 = 16;

/// The length of the settings of function 33h.
const SETTINGS: usize = 0x159;

/// Writes the driver's data: texts and acceleration profiles. No profile accelerates, since the
/// host has done so before the pointer's place arrives here.
pub(in crate::bios) fn init(hw: &mut Hardware) {
    store(hw, COPYRIGHT, COPYRIGHT_TEXT);
    store(hw, VERSION_BYTES, &VERSION.to_be_bytes());
    store(hw, INITIALIZATION_FILE, b"C:\\MOUSE.INI\0");
    store(hw, PROFILES, &default_profiles());
}

/// Writes the driver's data, which is read-only for programs.
fn store(hw: &mut Hardware, at: Far, bytes: &[u8]) {
    hw.memory.write_bytes(linear(at.segment, at.offset), bytes);
}

/// Returns four profiles of one step each: from speed 1 on the pointer moves as the mouse (10h is
/// a factor of 1).
fn default_profiles() -> [u8; PROFILE_BYTES] {
    let mut profiles = [0; PROFILE_BYTES];
    for (curve, name) in [b"Slow  ", b"Medium", b"Fast  ", b"Off   "].into_iter().enumerate() {
        profiles[curve] = 1;
        profiles[4 + 32 * curve] = 1;
        profiles[0x84 + 32 * curve] = 0x10;
        let at = usize::from(CURVE_NAMES) + usize::from(NAME) * curve;
        profiles[at..at + usize::from(NAME)].fill(b' ');
        profiles[at..at + name.len()].copy_from_slice(name);
    }
    profiles
}

impl Driver {
    /// Returns the handler of an event, and the bits that it receives: an alternate handler whose
    /// shift keys are exactly those that are held, otherwise the handler of function 0Ch.
    pub(super) fn handler(&self, hw: &Hardware, happened: u16) -> Option<(Far, u16)> {
        let held = shift_bits(hw);
        let alternate = self.alternates.iter().find(|alternate| alternate.mask & SHIFT_BITS == held);
        if let Some(alternate) = alternate.filter(|_| held != 0) {
            return (alternate.mask & happened & !SHIFT_BITS != 0).then_some((alternate.at, happened | held));
        }
        (self.listener.mask & happened != 0).then_some((self.listener.at, happened))
    }
}

/// Returns the shift keys that are held, as bits of an alternate handler's mask.
fn shift_bits(hw: &Hardware) -> u16 {
    let flags = hw.memory.read8(data::SHIFT_FLAGS);
    u16::from(flags & 0x03 != 0) << 5 | u16::from(flags & 0x04 != 0) << 6 | u16::from(flags & 0x08 != 0) << 7
}

/// 18h: sets the alternate handler ES:DX for the mask CX, which names at least one shift key; the
/// address 0000:0000 removes it. AX is FFFFh if three others are set already.
pub(super) fn set_alternate(driver: &mut Driver, g: &mut Guest) {
    let new = listener(g);
    let place = driver.alternates.iter().position(|old| old.mask & SHIFT_BITS == new.mask & SHIFT_BITS);
    let place = place.or_else(|| driver.alternates.iter().position(|old| old.mask == 0));
    match place.filter(|_| new.mask & SHIFT_BITS != 0) {
        Some(place) if new.at == Far::default() => driver.alternates[place] = Listener::default(),
        Some(place) => driver.alternates[place] = new,
        None => g.cpu.regs.set_ax(0xFFFF),
    }
}

/// 19h: returns the alternate handler with the mask CX in BX:DX; CX is 0 if there is none.
pub(super) fn alternate(driver: &mut Driver, g: &mut Guest) {
    let mask = g.cpu.regs.cx();
    match driver.alternates.iter().find(|alternate| mask != 0 && alternate.mask == mask) {
        Some(found) => {
            g.cpu.regs.set_bx(found.at.segment);
            g.cpu.regs.set_dx(found.at.offset);
        }
        None => g.cpu.regs.set_cx(0),
    }
}

/// 28h: sets the video mode CX. CL is 0, or FFh if the adapter does not have the mode.
pub(super) fn set_video_mode(bios: &mut Bios, g: &mut Guest) -> Resume {
    let known = u8::try_from(g.cpu.regs.cx()).ok().filter(|&mode| console::has_mode(g.hw, mode));
    if let Some(mode) = known {
        bios.mouse.mode_changes();
        console::set_mode(g.hw, mode);
    }
    g.cpu.regs.set_cl(if known.is_some() { 0 } else { 0xFF });
    Resume::Return
}

/// 29h: returns the video mode after CX (0: the first) in CX, 0 after the last. Modes have no names:
/// DS:DX is 0000:0000. Mode 0 cannot be told from the start and the end, and is left out.
pub(super) fn next_video_mode(_: &mut Driver, g: &mut Guest) {
    let mut following = g.cpu.regs.cx().saturating_add(1)..0x80;
    let next = following.find(|&mode| console::has_mode(g.hw, mode as u8));
    g.cpu.regs.set_cx(next.unwrap_or(0));
    g.cpu.regs.set_ds(0);
    g.cpu.regs.set_dx(0);
}

/// 2Bh: loads the acceleration profiles at ES:SI and selects BX; BX = FFFFh restores the first ones.
pub(super) fn load_profiles(driver: &mut Driver, g: &mut Guest) {
    let from = Far::new(g.cpu.regs.es(), g.cpu.regs.si());
    let (profiles, curve) = match g.cpu.regs.bx() {
        0xFFFF => (default_profiles().to_vec(), Driver::default().curve),
        curve => (g.hw.bytes(from, PROFILE_BYTES), curve.clamp(1, CURVES)),
    };
    store(g.hw, PROFILES, &profiles);
    driver.curve = curve;
    g.cpu.regs.set_ax(0);
}

/// 2Ch: returns the acceleration profiles in ES:SI and the selected one in BX.
pub(super) fn profiles(driver: &mut Driver, g: &mut Guest) {
    g.cpu.regs.set_ax(0);
    g.cpu.regs.set_bx(driver.curve);
    g.cpu.regs.set_es(PROFILES.segment);
    g.cpu.regs.set_si(PROFILES.offset);
}

/// 2Dh: selects the acceleration profile BX (FFFFh: none other). Returns the selected one in BX and
/// its name in ES:SI; AX is FFFEh if it does not exist.
pub(super) fn select_profile(driver: &mut Driver, g: &mut Guest) {
    let status = match g.cpu.regs.bx() {
        curve @ 1..=CURVES => {
            driver.curve = curve;
            0
        }
        0xFFFF => 0,
        _ => 0xFFFE,
    };
    let name = PROFILES.plus(CURVE_NAMES + NAME * (driver.curve - 1));
    g.cpu.regs.set_ax(status);
    g.cpu.regs.set_bx(driver.curve);
    g.cpu.regs.set_es(name.segment);
    g.cpu.regs.set_si(name.offset);
}

/// 2Eh: sets the names of the acceleration profiles from ES:SI; BL other than 0 restores them.
pub(super) fn name_profiles(_: &mut Driver, g: &mut Guest) {
    let from = Far::new(g.cpu.regs.es(), g.cpu.regs.si());
    let names = if g.cpu.regs.bl() == 0 {
        g.hw.bytes(from, usize::from(CURVES * NAME))
    } else {
        default_profiles()[usize::from(CURVE_NAMES)..].to_vec()
    };
    store(g.hw, PROFILES.plus(CURVE_NAMES), &names);
    g.cpu.regs.set_ax(0);
}

/// 33h: stores up to CX bytes of the settings at ES:DX; CX is their number, or the number of all if
/// it was 0.
pub(super) fn settings(driver: &mut Driver, g: &mut Guest) {
    let (x, y, _) = driver.sensitivity;
    let mut all = vec![0; SETTINGS];
    all[0] = (PS2_MOUSE >> 8) as u8;
    all[2..6].copy_from_slice(&[x as u8, y as u8, driver.threshold as u8, driver.curve as u8]);
    all[13..15].copy_from_slice(&[1, 3]); // the primary and the secondary button
    let profiles = g.hw.bytes(PROFILES, PROFILE_BYTES);
    all[0x10..0x10 + PROFILE_BYTES].copy_from_slice(&profiles);
    let wanted = match usize::from(g.cpu.regs.cx()) {
        0 => SETTINGS,
        wanted => {
            all.truncate(wanted);
            g.hw.set_bytes(Far::new(g.cpu.regs.es(), g.cpu.regs.dx()), &all);
            all.len()
        }
    };
    g.cpu.regs.set_ax(0);
    g.cpu.regs.set_cx(wanted as u16);
}

/// 34h: returns the path of the file with the driver's settings in ES:DX.
pub(super) fn initialization_file(_: &mut Driver, g: &mut Guest) {
    g.cpu.regs.set_ax(0);
    g.cpu.regs.set_es(INITIALIZATION_FILE.segment);
    g.cpu.regs.set_dx(INITIALIZATION_FILE.offset);
}

/// 35h: the large pointer of LCD screens: there is none. BX = FFFFh asks.
pub(super) fn large_pointer(_: &mut Driver, g: &mut Guest) {
    if g.cpu.regs.bx() == 0xFFFF {
        set_results(g, [0, 0, 0, 0]);
    } else {
        g.cpu.regs.set_ax(0);
    }
}

/// 4Dh: returns the copyright text in ES:DI.
pub(super) fn copyright(_: &mut Driver, g: &mut Guest) {
    g.cpu.regs.set_es(COPYRIGHT.segment);
    g.cpu.regs.set_di(COPYRIGHT.offset);
}

/// 6Dh: returns the address of the version's bytes, major and minor, in ES:DI.
pub(super) fn version_bytes(_: &mut Driver, g: &mut Guest) {
    g.cpu.regs.set_es(VERSION_BYTES.segment);
    g.cpu.regs.set_di(VERSION_BYTES.offset);
}
