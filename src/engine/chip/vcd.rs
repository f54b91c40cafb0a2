//! The chip's signals as a Value Change Dump (IEEE 1364-2005, clause 18), which GTKWave and other viewers
//! open.
//!
//! A signal is written when it changes; the clock falls half a clock after each rising edge.

use super::trace::{CLOCK_NS, Row};
use std::fmt::Write;

/// Name, width in bits and value of every signal of a row; `None` is an unknown value.
fn signals(row: &Row) -> [(&'static str, usize, Option<u32>); 17] {
    let Row { inputs, outputs: o, .. } = row;
    let place = |place: Option<super::Move>| place.map(|place| place.index() as u32);
    [
        ("resetN", 1, Some(inputs.reset_n.into())),
        ("pi", 1, Some(inputs.pi.into())),
        ("keyboardN", 9, Some(0x1FF & !place(inputs.key).map_or(0, |key| 1 << key))),
        ("state", 3, Some(o.state as u32)),
        ("wins", 1, Some(o.wins.into())),
        ("choose", 2, Some(o.choose as u32)),
        ("toggleN", 1, Some(o.toggle_n.into())),
        ("usei", 1, Some(o.use_i.into())),
        ("nexti", 1, Some(o.next_i.into())),
        ("sp", 4, Some(o.sp.into())),
        ("ground", 1, Some((o.sp == 0).into())),
        ("i", 4, place(o.i)),
        ("led", 18, Some(o.led)),
        ("copyboard", 1, Some(o.copyboard.into())),
        ("fin", 1, Some(o.fin.into())),
        ("win", 1, Some(o.win.into())),
        // Last, so that the clock rises after what it latches is there.
        ("cp", 1, Some(1)),
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

/// The whole file.
pub fn write(rows: impl IntoIterator<Item = Row>) -> String {
    let mut rows = rows.into_iter().peekable();
    let mut out = String::from("$version oxbox $end\n$timescale 1 ns $end\n$scope module chip $end\n");
    let Some(first) = rows.peek() else { return out + "$upscope $end\n$enddefinitions $end\n" };
    for (index, (name, width, _)) in signals(first).into_iter().enumerate() {
        let range = if width > 1 { format!(" [{}:0]", width - 1) } else { String::new() };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "$var wire {width} {} {name}{range} $end", identifier(index));
    }
    out += "$upscope $end\n$enddefinitions $end\n";
    let mut shown: [Option<Option<u32>>; 17] = [None; 17];
    for row in rows {
        let _ = writeln!(out, "#{}", row.time_ns);
        for (index, (_, width, value)) in signals(&row).into_iter().enumerate() {
            if shown[index] != Some(value) {
                out += &change(width, value, identifier(index));
                shown[index] = Some(value);
            }
        }
        let clock = shown.len() - 1;
        let _ = writeln!(out, "#{}", row.time_ns + CLOCK_NS / 2);
        out += &change(1, Some(0), identifier(clock));
        shown[clock] = Some(Some(0));
    }
    out
}
