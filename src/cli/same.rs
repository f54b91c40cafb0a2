//! `oxbox same`: compares two programs for every possible input.

use std::fmt::Display;
use std::io::Write;

use oxbox::walk::{Compare, Comparison, Difference, End, SameOptions, SearchStats, Side, same, same_part};
use serde_json::{Value, json};

use super::arguments::{CompareOption, Same};
use super::failure::Failure;
use super::needs;
use super::part_file::{Compared, PartFile, kept};
use super::walk_options::{NO_ANSWER, WalkProgress, doubt, name_differences, never_waits, observed};

pub(super) fn run(options: &Same) -> Result<u8, Failure> {
    options.walk.check_output(&[&options.a, &options.b])?;
    let choices = options.walk.choices()?;
    if options.walk.leaves_screen_out() && options.compare != CompareOption::Output {
        return Err(Failure::Usage(
            "--same program leaves the screen out: compare with --compare output".to_owned(),
        ));
    }
    let a = options.walk.setup(&options.a)?;
    let b = options.walk.setup(&options.b)?;
    let how = SameOptions {
        compare: match options.compare {
            CompareOption::Text => Compare::Text,
            CompareOption::Screen => Compare::Screen,
            CompareOption::Output => Compare::Output,
        },
        sameness: options.walk.sameness(),
        bounds: options.walk.bounds(),
        threads: options.walk.threads(),
        keep: kept(&options.walk.observed_from)?,
    };
    let output = options.compare == CompareOption::Output;
    let programs = Compared { a: options.a.clone(), b: options.b.clone(), output, json: options.json };
    let _confined = options.walk.sandbox.confine(&needs::of_walk(&options.walk, &[&a, &b]))?;
    let cannot_start = |error: &dyn Display| Failure::host("cannot start a program", error);
    let progress = WalkProgress::new();
    if let (Some(shard), Some(out)) = (options.walk.shard, &options.walk.out) {
        let part = same_part(&a, &b, &choices, &how, shard, &|at| progress.show_search(at, &a, &choices));
        progress.end();
        let part = options.walk.searched(part, cannot_start)?;
        return PartFile::Same(programs, part).write(out);
    }
    let comparison = same(&a, &b, &choices, &how, &|at| progress.show_search(at, &a, &choices));
    progress.end();
    let comparison = comparison.map_err(|error| options.walk.failed(&error, cannot_start))?;
    let code = tell(&comparison, &programs)?;
    if comparison.stats.states == 0 {
        never_waits(&options.a, &a);
        never_waits(&options.b, &b);
    }
    name_differences(&a, &choices, &comparison.stats);
    if comparison.stats.overflowed && comparison.difference.is_none() {
        return Err(options.walk.overflow());
    }
    Ok(code)
}

pub(super) fn tell(comparison: &Comparison, programs: &Compared) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    if programs.json {
        writeln!(out, "{:#}", as_json(comparison))?;
    } else {
        write_report(&mut out, comparison, programs)?;
    }
    Ok(match comparison.difference {
        Some(_) => 1,
        None if doubt(&comparison.stats).is_some() => NO_ANSWER,
        None => 0,
    })
}

fn as_json(comparison: &Comparison) -> Value {
    let Comparison { stats, difference } = comparison;
    let SearchStats { states, choices_tried, complete, exact, seen, .. } = stats;
    let seen: Vec<&str> = seen.iter().map(|class| class.name()).collect();
    let difference = difference.as_ref().map(|difference| {
        let Difference { keys, what, a, b } = difference;
        json!({ "keys": keys, "what": what, "a": side(a), "b": side(b) })
    });
    let doubt = doubt(stats);
    json!({
        "equal": if doubt.is_some() && difference.is_none() { None } else { Some(difference.is_none()) },
        "doubt": doubt,
        "complete": complete,
        "exact": exact,
        "seen": seen,
        "states": states,
        "choices_tried": choices_tried,
        "difference": difference,
    })
}

fn side(side: &Side) -> Value {
    let Side { end, why, screen, output } = side;
    json!({
        "end": end.as_ref().map_or(End::Waiting.word(), End::word),
        "exit_code": end.as_ref().and_then(End::exit_code),
        "why": why,
        "screen": screen,
        "output": output,
    })
}

fn write_report(out: &mut impl Write, comparison: &Comparison, programs: &Compared) -> std::io::Result<()> {
    let Comparison { stats, difference } = comparison;
    let SearchStats { states, choices_tried, ends, complete, exact, seen, .. } = stats;
    match difference {
        None if let Some(why) = doubt(stats) => {
            writeln!(out, "no answer: {why} ({states} states, {choices_tried} choices tried)")?;
        }
        None if *complete => writeln!(out, "equal: {states} states, {choices_tried} choices tried")?,
        None => writeln!(out, "equal within the limits: {states} states, {choices_tried} choices tried")?,
        Some(Difference { keys, what, a, b }) => {
            let place = if keys.is_empty() { "at the start".to_owned() } else { format!("after {keys}") };
            writeln!(out, "different {place}: {what}")?;
            for (name, side) in [(&programs.a, a), (&programs.b, b)] {
                let end = side.ending().unwrap_or_else(|| End::Waiting.to_string());
                writeln!(out, "\n{} ({end}):", name.display())?;
                let printed = side.output.lines().map(str::to_owned).collect();
                let shown: &Vec<String> = if programs.output { &printed } else { &side.screen };
                shown.iter().try_for_each(|line| writeln!(out, "    {line}"))?;
            }
            writeln!(out)?;
        }
    }
    for (end, count) in ends.iter().filter(|(end, _)| *end != "difference") {
        writeln!(out, "both end {end}: {count}")?;
    }
    if !exact {
        writeln!(out, "not exact: states were merged that the programs can distinguish")?;
    }
    for class in seen {
        writeln!(out, "part of the state, because the programs observe it: {}", observed(*class))?;
    }
    Ok(())
}
