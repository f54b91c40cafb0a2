//! The chip's signals as a Value Change Dump (IEEE 1364-2005, clause 18), which GTKWave and other viewers
//! open.
//!
//! A signal is written when it changes; the clock falls half a clock after each rising edge. The names are those
//! of the published simulation; which part of the chip a signal belongs to is our reading of the report.

use super::model::State;
use super::trace::{CLOCK_NS, Row};
use crate::engine::Move;
use std::fmt::Write;

/// What a signal is and says.
struct Signal {
    /// The part of the chip that it belongs to; `None` for a pin.
    part: Option<&'static str>,
    name: &'static str,
    /// In bits.
    width: usize,
    /// `None` is an unknown value.
    value: Option<u32>,
}

const SIGNALS: usize = 18;

/// Every signal of a row, those of a part side by side.
fn signals(row: &Row) -> [Signal; SIGNALS] {
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
        // Last, so that the clock rises after what it latches is there.
        pin("cp", 1, 1),
    ]
}

/// The identifier of signal `index`: a letter. (Any printable character would do, but `#` and `$` mislead
/// readers.)
fn identifier(index: usize) -> char {
    char::from(b'A' + index as u8)
}

fn change(width: usize, value: Option<u32>, id: char) -> String {
    match (width, value) {
        (1, Some(bit)) => format!("{bit}{id}\n"),
        (_, Some(value)) => format!("b{value:0width$b} {id}\n"),
        (1, None) => format!("x{id}\n"),
        (_, None) => format!("bx {id}\n"),
    }
}

/// The declarations: a scope for the chip with its pins, and one in it for each part.
fn header(row: &Row) -> String {
    let codes: Vec<String> =
        State::ALL.iter().map(|&state| format!("{} {}", state as u8, state.name())).collect();
    let mut out = format!(
        "$version oxbox $end\n$comment state: {} $end\n$timescale 1 ns $end\n$scope module chip $end\n",
        codes.join(", ")
    );
    let mut within = None;
    for (index, Signal { part, name, width, .. }) in signals(row).into_iter().enumerate() {
        if within != part {
            out += if within.is_some() { "$upscope $end\n" } else { "" };
            out += &part.map(|part| format!("$scope module {part} $end\n")).unwrap_or_default();
            within = part;
        }
        let range = if width > 1 { format!(" [{}:0]", width - 1) } else { String::new() };
        out += &format!("$var wire {width} {} {name}{range} $end\n", identifier(index));
    }
    out + "$upscope $end\n$enddefinitions $end\n"
}

/// The whole file; empty if there are no rows.
pub fn write(rows: impl IntoIterator<Item = Row>) -> String {
    let mut rows = rows.into_iter().peekable();
    let mut out = rows.peek().map(header).unwrap_or_default();
    let mut shown: [Option<Option<u32>>; SIGNALS] = [None; SIGNALS];
    for row in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "#{}", row.time_ns);
        for (index, Signal { width, value, .. }) in signals(&row).into_iter().enumerate() {
            if shown[index] != Some(value) {
                out += &change(width, value, identifier(index));
                shown[index] = Some(value);
            }
        }
        let clock = SIGNALS - 1;
        let _ = writeln!(out, "#{}", row.time_ns + CLOCK_NS / 2);
        out += &change(1, Some(0), identifier(clock));
        shown[clock] = Some(Some(0));
    }
    out
}
