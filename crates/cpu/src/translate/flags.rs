//! Where the guest's status flags are, from one instruction to the next.
//!
//! The host's flags after an instruction are the guest's after the same one, but for AF, which the guest clears where the host
//! leaves it undefined. They stay there until something needs RFLAGS for itself, or may leave the block: then LAHF and SETO
//! make an image of them. Flags that nobody looks at any more are kept nowhere.

use iced_x86::{Code as C, Register as R};

use super::emit::Emitter;
use super::registers::IMAGE;

/// Where the status flags are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// In the image.
    Image,
    /// In RFLAGS; `clear_adjust`: but for AF, which is 0.
    Host { clear_adjust: bool },
    /// Nowhere: they are written before anybody looks.
    Nowhere,
}

impl Held {
    pub(super) const HOST: Held = Held::Host { clear_adjust: false };

    /// Puts them into the image.
    pub(super) fn save(&mut self, code: &mut Emitter) {
        if let Held::Host { clear_adjust } = *self {
            const AF_IN_AH: i32 = 0x10;
            code.plain(C::Lahf);
            code.reg(C::Seto_rm8, R::AL);
            if clear_adjust {
                code.imm(C::And_rm8_imm8, R::AH, !AF_IN_AH);
            }
            code.regs(C::Mov_r32_rm32, IMAGE, R::EAX);
        }
        *self = Held::Image;
    }

    /// Puts them into RFLAGS; what is nowhere stays nowhere.
    pub(super) fn load(&mut self, code: &mut Emitter) {
        if *self == Held::Image {
            code.regs(C::Mov_r32_rm32, R::EAX, IMAGE);
            // OF is set where AL was 1.
            code.imm(C::Add_rm8_imm8, R::AL, 0x7F);
            code.plain(C::Sahf);
            *self = Held::HOST;
        }
    }

    /// Puts CF into RFLAGS, for an instruction that writes the others, or does not show them: they are still in the image alone.
    pub(super) fn load_carry(&mut self, code: &mut Emitter) {
        if *self == Held::Image {
            const CF_IN_IMAGE: i32 = 8;
            code.imm(C::Bt_rm32_imm8, IMAGE, CF_IN_IMAGE);
        }
    }
}

/// The image of flags that are bits of FLAGS.
pub(super) fn image(flags: u32) -> u32 {
    (flags & LOW) << 8 | flags >> OF & 1
}

/// The bits of FLAGS in an image.
pub(super) fn bits(image: u32) -> u32 {
    image >> 8 & LOW | (image & 1) << OF
}

/// SF, ZF, AF, PF and CF, as LAHF has them.
const LOW: u32 = 0xD5;
/// The bit of OF in FLAGS.
const OF: u32 = 11;
