//! `oxbox chip trace`: the chip's registers clock by clock.

use std::io::Write;

use oxbox::games::chip::trace::{HEADER, Stimulus, TABLE_HEADER, Trace};
use oxbox::games::chip::{UnknownWord, vcd, waveform};

use super::arguments::Chip;
use super::failure::Failure;
use super::outputs;

/// Runs the chip, prints a row per clock as CSV or a table; `--vcd`, `--svg` write a waveform.
pub(super) fn run(command: &Chip) -> Result<u8, Failure> {
    let Chip::Trace { keys, table, vcd: dump, svg } = command;
    let stimulus: Stimulus = keys
        .as_deref()
        .unwrap_or("")
        .parse()
        .map_err(|unknown: UnknownWord| Failure::Usage(format!("--keys: {unknown}")))?;
    outputs::check(&[dump.as_deref(), svg.as_deref()], &[])?;
    if let Some(path) = dump {
        outputs::write(path, vcd::write(Trace::new(stimulus.clone())))?;
    }
    if let Some(path) = svg {
        outputs::write(path, waveform::write(Trace::new(stimulus.clone())))?;
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
