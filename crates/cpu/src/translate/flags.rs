//! Tracks where the guest's status flags are between instructions.
//!
//! After an instruction the host's flags are the guest's, except AF, which the guest clears where
//! the host leaves it undefined. They stay in RFLAGS until the code needs RFLAGS otherwise or may
//! leave the block; then LAHF and SETO make an image of them. Dead flags are kept nowhere.

use iced_x86::{Code as C, Register as R};

use super::emit::Emitter;
use super::registers::IMAGE;
use crate::registers::Flags;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagLocation {
    Image,
    /// In RFLAGS. If `clear_adjust` is set, AF is 0 instead.
    Host {
        clear_adjust: bool,
    },
    /// Nowhere: they are written before they are read.
    Nowhere,
}

impl FlagLocation {
    pub(super) const HOST: FlagLocation = FlagLocation::Host { clear_adjust: false };

    /// Moves the flags to the image.
    pub(super) fn save(&mut self, code: &mut Emitter) {
        if let FlagLocation::Host { clear_adjust } = *self {
            const AF_IN_AH: i32 = 0x10;
            code.plain(C::Lahf);
            code.reg(C::Seto_rm8, R::AL);
            if clear_adjust {
                code.imm(C::And_rm8_imm8, R::AH, !AF_IN_AH);
            }
            code.regs(C::Mov_r32_rm32, IMAGE, R::EAX);
        }
        *self = FlagLocation::Image;
    }

    /// Moves the flags to RFLAGS. Dead flags stay dead.
    pub(super) fn load(&mut self, code: &mut Emitter) {
        if *self == FlagLocation::Image {
            code.regs(C::Mov_r32_rm32, R::EAX, IMAGE);
            // This sets OF if AL was 1.
            code.imm(C::Add_rm8_imm8, R::AL, 0x7F);
            code.plain(C::Sahf);
            *self = FlagLocation::HOST;
        }
    }

    /// Loads CF into RFLAGS for an instruction that reads only CF. Other flags remain in the image.
    pub(super) fn load_carry(&mut self, code: &mut Emitter) {
        if *self == FlagLocation::Image {
            code.imm(C::Bt_rm32_imm8, IMAGE, image(Flags::CF).ilog2() as i32);
        }
    }
}

/// Converts bits of FLAGS to an image.
pub(super) const fn image(flags: u32) -> u32 {
    (flags & LOW) << 8 | flags >> OF & 1
}

/// Converts an image to bits of FLAGS.
pub(super) fn bits(image: u32) -> u32 {
    image >> 8 & LOW | (image & 1) << OF
}

/// SF, ZF, AF, PF and CF, as LAHF stores them.
pub(super) const LOW: u32 = 0xD5;
pub(super) const OF: u32 = Flags::OF.ilog2();
