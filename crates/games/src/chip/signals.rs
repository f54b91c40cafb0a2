//! The chip's signals by name for waveforms. The names are those of the published simulation. The
//! assignment of signals to parts of the chip is our interpretation of the report.

use super::trace::Row;
use oxbox_proof::engine::Move;

pub(super) struct Signal {
    /// The part of the chip that contains it; `None` for a pin.
    pub(super) part: Option<&'static str>,
    pub(super) name: &'static str,
    pub(super) width: usize,
    /// `None` if the value is unknown.
    pub(super) value: Option<u32>,
}

/// The number of signals. The clock is the last.
pub(super) const SIGNALS: usize = 18;

pub(super) fn signals(row: &Row) -> [Signal; SIGNALS] {
    let Row { inputs, outputs: o, .. } = row;
    let place = |place: Option<Move>| place.map(|place| place.index() as u32);
    let signal = |part, name, width, value| Signal { part, name, width, value };
    let control = |name, width, value| signal(Some("control"), name, width, Some(value));
    let stack = |name, width, value| signal(Some("stack"), name, width, value);
    let pin = |name, width, value| signal(None, name, width, Some(value));
    [
        control("state", 3, o.state as u32),
        control("wins", 1, o.wins.into()),
        control("choose", 2, o.choose as u32),
        control("toggleN", 1, o.toggle_n.into()),
        control("usei", 1, o.use_i.into()),
        control("nexti", 1, o.next_i.into()),
        control("copyboard", 1, o.copyboard.into()),
        stack("sp", 4, Some(o.sp.into())),
        stack("ground", 1, Some((o.sp == 0).into())),
        stack("i", 4, place(o.i)),
        pin("resetN", 1, inputs.reset_n.into()),
        pin("pi", 1, inputs.pi.into()),
        pin("keyboardN", 9, 0x1FF & !place(inputs.key).map_or(0, |key| 1 << key)),
        pin("led", 18, o.led),
        pin("fin", 1, o.fin.into()),
        pin("win", 1, o.win.into()),
        pin("prompt", 1, o.prompt.into()),
        // Last, so that the clock rises after the values that it latches.
        pin("cp", 1, 1),
    ]
}
