//! The sounds of the CHIP game: a note after each move of the chip, a tune at the end.

use oxbox_proof::engine::tune::{Beep, TuneTable};

pub(super) static TUNES: TuneTable = TuneTable::new(
    &[Beep::of(880, 4)],
    &[Beep::of(440, 8), Beep::of(880, 8), Beep::of(440, 16)],
    &[Beep::of(587, 20)],
);
