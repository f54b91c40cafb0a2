//! `oxbox claims`: the claims of the documents, and the results of checking them.

use std::io::{self, Write};

use oxbox::claims::{self, Claim, Row};
use serde_json::json;

use super::arguments::Claims;
use super::failure::Failure;
use super::paragraph;

/// Characters per line after the name and the label.
const WIDTH: usize = 64;

/// Computes the requested claims, or all, and prints them; claims requested by name with the
/// components of their figures.
pub(super) fn run(options: &Claims) -> Result<u8, Failure> {
    let chosen: Vec<&Claim> = match options.claims.as_slice() {
        [] => claims::all().collect(),
        names => names.iter().map(|name| find(name)).collect::<Result<_, _>>()?,
    };
    let mut out = io::stdout().lock();
    if options.json {
        let rows: Vec<Row> = chosen.into_iter().map(Claim::check).collect();
        writeln!(out, "{:#}", json!({ "claims": rows }))?;
        return Ok(0);
    }
    for claim in chosen {
        let row = claim.check();
        write_row(&mut out, &row)?;
        if !options.claims.is_empty() {
            row.finding.details.iter().try_for_each(|detail| writeln!(out, "  {detail}"))?;
        }
        writeln!(out)?;
    }
    Ok(0)
}

/// Writes a row: the claim and its place, verdict with figure, the way of checking, the command.
fn write_row(out: &mut impl Write, Row { claim, finding }: &Row) -> io::Result<()> {
    let mut name = claim.name;
    for (label, text) in [
        ("claim", format!("{} ({}; {})", claim.claim, claim.system, claim.place)),
        (finding.verdict.label(), finding.figure.clone()),
        (claim.shown.label(), claim.command.to_owned()),
    ] {
        let mut label = label;
        for line in paragraph::lines(&text, WIDTH) {
            writeln!(out, "{name:<24}{label:<10}{line}")?;
            (name, label) = ("", "");
        }
    }
    Ok(())
}

fn find(name: &str) -> Result<&'static Claim, Failure> {
    claims::find(name).ok_or_else(|| {
        let names: Vec<&str> = claims::all().map(|claim| claim.name).collect();
        Failure::Usage(format!("unknown claim '{name}'; the claims are {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::arguments::Arguments;
    use clap::Parser;

    /// The commands of all claims are valid command lines.
    #[test]
    fn commands_are_understood() {
        for claim in claims::all() {
            // Words; a quoted part is one word.
            let words = claim.command.split('"').enumerate().flat_map(|(n, part)| match n % 2 {
                0 => part.split_whitespace().collect(),
                _ => vec![part],
            });
            assert!(Arguments::try_parse_from(words).is_ok(), "{}: {}", claim.name, claim.command);
        }
    }
}
