//! The register file.

use serde::{Deserialize, Serialize};

/// Bits of FLAGS (Intel 386 manual, figure 2-8).
#[derive(Debug, Clone, Copy)]
pub struct Flags;

#[allow(missing_docs)]
impl Flags {
    pub const CF: u32 = 1 << 0;
    pub const PF: u32 = 1 << 2;
    pub const AF: u32 = 1 << 4;
    pub const ZF: u32 = 1 << 6;
    pub const SF: u32 = 1 << 7;
    pub const TF: u32 = 1 << 8;
    pub const IF: u32 = 1 << 9;
    pub const DF: u32 = 1 << 10;
    pub const OF: u32 = 1 << 11;
    pub const IOPL: u32 = 3 << 12;
    pub const NT: u32 = 1 << 14;
}

/// The segment registers, in the order of their encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum Segment {
    Es,
    Cs,
    Ss,
    Ds,
    Fs,
    Gs,
}

impl Segment {
    /// Returns the segment register with this number in an instruction, at most that of GS.
    pub(super) fn from_number(number: u32) -> Segment {
        match number {
            0 => Segment::Es,
            1 => Segment::Cs,
            2 => Segment::Ss,
            4 => Segment::Fs,
            5 => Segment::Gs,
            _ => Segment::Ds,
        }
    }
}

/// A general register by its number in an instruction. As byte registers, 0 to 3 are AL to BL and 4
/// to 7 are AH to BH.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub(super) enum Reg {
    #[default]
    A,
    C,
    D,
    B,
    Sp,
    Bp,
    Si,
    Di,
}

impl Reg {
    pub(super) const ALL: [Reg; 8] = [Reg::A, Reg::C, Reg::D, Reg::B, Reg::Sp, Reg::Bp, Reg::Si, Reg::Di];
}

/// General, segment, instruction pointer and flags registers. Between runs `flags` is complete.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Registers {
    /// EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, in the order of their encoding.
    pub gpr: [u32; 8],
    /// ES, CS, SS, DS, FS, GS.
    pub seg: [u16; 6],
    /// EIP. In real mode its upper half is 0.
    pub ip: u32,
    /// EFLAGS.
    pub flags: u32,
}

macro_rules! word_registers {
    ($($index:literal $get:ident $set:ident $name:literal),* $(,)?) => {$(
        #[doc = concat!("Reads ", $name, ".")]
        pub fn $get(&self) -> u16 { self.gpr[$index] as u16 }
        #[doc = concat!("Writes ", $name, "; the upper half of the 32-bit register stays.")]
        pub fn $set(&mut self, value: u16) { self.gpr[$index] = self.gpr[$index] & 0xFFFF_0000 | u32::from(value); }
    )*};
}

macro_rules! byte_registers {
    ($($index:literal $low:ident $set_low:ident $high:ident $set_high:ident $l:literal $h:literal),* $(,)?) => {$(
        #[doc = concat!("Reads ", $l, ".")]
        pub fn $low(&self) -> u8 { self.gpr[$index] as u8 }
        #[doc = concat!("Writes ", $l, ".")]
        pub fn $set_low(&mut self, value: u8) { self.gpr[$index] = self.gpr[$index] & 0xFFFF_FF00 | u32::from(value); }
        #[doc = concat!("Reads ", $h, ".")]
        pub fn $high(&self) -> u8 { (self.gpr[$index] >> 8) as u8 }
        #[doc = concat!("Writes ", $h, ".")]
        pub fn $set_high(&mut self, value: u8) { self.gpr[$index] = self.gpr[$index] & 0xFFFF_00FF | u32::from(value) << 8; }
    )*};
}

macro_rules! segment_registers {
    ($($index:literal $get:ident $set:ident $name:literal),* $(,)?) => {$(
        #[doc = concat!("Reads ", $name, ".")]
        pub fn $get(&self) -> u16 { self.seg[$index] }
        #[doc = concat!("Writes ", $name, ".")]
        pub fn $set(&mut self, value: u16) { self.seg[$index] = value; }
    )*};
}

impl Registers {
    /// The names of the general registers in the order of [`Registers::gpr`].
    pub const GENERAL: [&str; 8] = ["EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI"];
    /// The names of the segment registers in the order of [`Registers::seg`].
    pub const SEGMENTS: [&str; 6] = ["ES", "CS", "SS", "DS", "FS", "GS"];

    word_registers! {
        0 ax set_ax "AX", 1 cx set_cx "CX", 2 dx set_dx "DX", 3 bx set_bx "BX",
        4 sp set_sp "SP", 5 bp set_bp "BP", 6 si set_si "SI", 7 di set_di "DI",
    }
    byte_registers! {
        0 al set_al ah set_ah "AL" "AH", 1 cl set_cl ch set_ch "CL" "CH",
        2 dl set_dl dh set_dh "DL" "DH", 3 bl set_bl bh set_bh "BL" "BH",
    }
    segment_registers! {
        0 es set_es "ES", 1 cs set_cs "CS", 2 ss set_ss "SS", 3 ds set_ds "DS", 4 fs set_fs "FS", 5 gs set_gs "GS",
    }

    /// Returns a bit of FLAGS.
    pub fn flag(&self, mask: u32) -> bool {
        self.flags & mask != 0
    }

    /// Sets or clears a bit of FLAGS.
    pub fn set_flag(&mut self, mask: u32, on: bool) {
        if on { self.flags |= mask } else { self.flags &= !mask }
    }
}
