//! The chip's signals as a Value Change Dump (IEEE 1364-2005, clause 18), for GTKWave and other
//! viewers.
//!
//! A signal is written when it changes. The clock falls half a period after each rising edge.

use super::model::State;
use super::signals::{SIGNALS, Signal, signals};
use super::trace::{CLOCK_NS, Row};
use std::fmt::Write;

/// Returns the identifier of signal `index`: a letter. Other printable characters are valid, but
/// `#` and `$` confuse readers.
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

/// Returns the declarations: a scope for the chip with its pins, which contains one scope per part.
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

/// Returns the whole file; empty without rows.
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
