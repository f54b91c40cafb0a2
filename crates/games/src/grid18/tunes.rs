//! The sounds of GRID18: a note after each move, a tune at the end.

use oxbox_proof::engine::tune::{Beep, TuneTable};

pub(super) static TUNES: TuneTable = TuneTable::new(
    &[Beep::of(587, 4)],
    &[Beep::of(523, 8), Beep::of(659, 8), Beep::of(784, 16)],
    &[Beep::of(392, 20)],
);
