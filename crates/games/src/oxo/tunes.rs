//! The sounds of OXO: a note after each move of the computer, a tune at the end.

use oxbox_proof::engine::tune::{Beep, TuneTable};

pub(super) static TUNES: TuneTable = TuneTable::new(
    &[Beep::of(440, 4)],
    &[Beep::of(330, 8), Beep::of(262, 8), Beep::of(196, 16)],
    &[Beep::of(330, 20)],
);
