//! `oxbox chip trace`: the chip's registers clock by clock.

use std::io::Write;

use oxbox::games::chip::trace::{HEADER, Stimulus, TABLE_HEADER, Trace};
use oxbox::games::chip::{UnknownWord, vcd};
use oxbox::whole_file;

use super::arguments::Chip;
use super::failure::Failure;

/// Runs the chip and prints a row a clock, as CSV or a table; `--vcd` writes a waveform besides.
pub(super) fn run(command: &Chip) -> Result<u8, Failure> {
    let Chip::Trace { keys, table, vcd: file } = command;
    let stimulus: Stimulus = keys
        .as_deref()
        .unwrap_or("")
        .parse()
        .map_err(|unknown: UnknownWord| Failure::Usage(format!("--keys: {unknown}")))?;
    if let Some(path) = file {
        whole_file::write(path, vcd::write(Trace::new(stimulus.clone())).as_bytes())
            .map_err(|error| Failure::host(format!("cannot write {}", path.display()), error))?;
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", if *table { TABLE_HEADER } else { HEADER })?;
    for row in Trace::new(stimulus) {
        if *table {
            writeln!(out, "{}", row.table_line())?;
        } else {
            writeln!(out, "{row}")?;
        }
    }
    out.flush()?;
    Ok(0)
}
