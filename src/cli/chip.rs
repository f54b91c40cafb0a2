//! `oxbox chip trace`: the chip's registers clock by clock.

use std::io::Write;

use oxbox::engine::Move;
use oxbox::games::chip::model::Side;
use oxbox::games::chip::trace::{HEADER, Script, Step, TABLE_HEADER, Trace};
use oxbox::games::chip::vcd;

use oxbox::whole_file;

use super::arguments::Chip;
use super::failure::Failure;

/// Runs the chip and prints a row a clock, as CSV or a table; `--vcd` writes a waveform besides.
pub(super) fn run(command: &Chip) -> Result<u8, Failure> {
    let Chip::Trace { keys, table, vcd: file } = command;
    let script = parse(keys.as_deref().unwrap_or(""))?;
    if let Some(path) = file {
        whole_file::write(path, vcd::write(Trace::new(script.clone())).as_bytes())
            .map_err(|error| Failure::host(format!("cannot write {}", path.display()), error))?;
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", if *table { TABLE_HEADER } else { HEADER })?;
    for row in Trace::new(script) {
        if *table {
            writeln!(out, "{}", row.table_line())?;
        } else {
            writeln!(out, "{row}")?;
        }
    }
    out.flush()?;
    Ok(0)
}

/// `uN` and `cN` put down a stone of the user or the chip, `b` or `bN` lets the chip begin (with N in its counter), a digit
/// is a move of the user, `w` or `wN` lets N clocks pass without a key. Places are 0 to 8 in rows.
fn parse(keys: &str) -> Result<Script, Failure> {
    let mut script = Script::default();
    for word in keys.split_whitespace() {
        let wrong = || {
            let known = "uN or cN for a stone of the user or the chip, b or b0 to b7 to let the chip begin, 0 to 8 for a move, w or wN to let clocks pass";
            Failure::Usage(format!("--keys: '{word}' is not understood ({known})"))
        };
        let place = |digits: &str| digits.parse().ok().and_then(Move::new).ok_or_else(wrong);
        match word.split_at_checked(1) {
            Some(("u", digits)) => script.setup.push((Side::User, place(digits)?)),
            Some(("c", digits)) => script.setup.push((Side::Chip, place(digits)?)),
            Some(("b", "")) => script.chip_begins = true,
            Some(("b", digits)) => {
                script.chip_begins = true;
                script.counter = digits.parse().ok().filter(|&counter| counter <= 7).ok_or_else(wrong)?;
            }
            Some(("w", "")) => script.steps.push(Step::Idle(1)),
            Some(("w", digits)) => script.steps.push(Step::Idle(digits.parse().map_err(|_| wrong())?)),
            _ => script.steps.push(Step::Key(place(word)?)),
        }
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stones_and_moves() {
        let cell = |index| Move::new(index).unwrap();
        let script = parse("u4 c0 b5 2 w w12 8").unwrap();
        let setup = vec![(Side::User, cell(4)), (Side::Chip, cell(0))];
        let steps = vec![Step::Key(cell(2)), Step::Idle(1), Step::Idle(12), Step::Key(cell(8))];
        assert_eq!(script, Script { setup, chip_begins: true, counter: 5, steps });
        for wrong in ["9", "u", "x4", "b8", "u-1", "é", "w-1", "wx"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
