//! `oxbox explore`: finds every state that a user can bring a program into.

use std::fmt::Display;
use std::io::Write;

use oxbox::machine::ReadSet;
use oxbox::verify::Picture;
use oxbox::walk::predicate::PredicateError;
use oxbox::walk::why_different::differences;
use oxbox::walk::{
    Exploration, ExploreOptions, Predicate, ProgramUnderTest, Sameness, SearchStats, Setup, choices, explore,
    explore_part,
};
use serde_json::json;

use super::arguments::Explore;
use super::failure::Failure;
use super::needs;
use super::part_file::{Asked, PartFile, kept};
use super::walk_options::{
    NO_ANSWER, WalkProgress, condition_of_time, doubt, name_differences, never_waits, observed,
};

pub(super) fn run(options: &Explore) -> Result<u8, Failure> {
    options.walk.check_output(&[&options.program])?;
    let choices = options.walk.choices()?;
    let setup = options.walk.setup(&options.program)?;
    if let Some([a, b]) = options.why_different.as_deref() {
        return print_differences(&setup, options.walk.sameness(), a, b);
    }
    let read = |words: &[String]| predicates(words, &setup);
    let (find, never, find_all) = (read(&options.find)?, read(&options.never)?, read(&options.find_all)?);
    let always: Vec<Predicate> =
        read(&options.always)?.into_iter().map(|what| Predicate::Not(Box::new(what))).collect();
    let always_names = options.always.iter().map(|what| format!("always {what}"));
    let names: Vec<String> = options.find.iter().chain(&options.never).cloned().chain(always_names).collect();
    let names = [names, options.find_all.clone()].concat();
    let asked = find.iter().chain(&never).chain(&always).chain(&find_all);
    let of_screen = asked.zip(&names).find(|(predicate, _)| predicate.is_of_screen());
    if let (true, Some((_, name))) = (options.walk.leaves_screen_out(), of_screen) {
        return Err(Failure::Usage(format!("{name} is on the screen, which --same program leaves out")));
    }
    let asked =
        Asked { names, find: find.len(), never: never.len(), always: always.len(), json: options.json };
    let how = ExploreOptions {
        sameness: options.walk.sameness(),
        bounds: options.walk.bounds(),
        find: find.into_iter().chain(never).chain(always).collect(),
        find_all,
        threads: options.walk.threads(),
        keep: kept(&options.walk.observed_from)?,
        by_class: options.walk.has_any_key() && !options.every_key,
    };
    let _confined = options.walk.sandbox.confine(&needs::of_walk(&options.walk, &[&setup]))?;
    let cannot_start =
        |error: &dyn Display| Failure::host(format!("cannot start {}", options.program.display()), error);
    let progress = WalkProgress::new();
    if let (Some(shard), Some(out)) = (options.walk.shard, &options.walk.out) {
        let part =
            explore_part(&setup, &choices, &how, shard, &|at| progress.show_search(at, &setup, &choices));
        progress.end();
        let part = options.walk.searched(part, cannot_start)?;
        return PartFile::Explore(asked, part).write(out);
    }
    let exploration = explore(&setup, &choices, &how, &|at| progress.show_search(at, &setup, &choices));
    progress.end();
    let exploration = exploration.map_err(|error| options.walk.failed(&error, cannot_start))?;
    let code = tell(&exploration, &asked)?;
    if exploration.stats.states == 0 {
        never_waits(&options.program, &setup);
    }
    name_differences(&setup, &choices, &exploration.stats);
    let is_answered = code == 0 && asked.find > 0 || is_reached(&exploration, &asked);
    if exploration.stats.overflowed && !is_answered {
        return Err(options.walk.overflow());
    }
    Ok(code)
}

pub(super) fn tell(exploration: &Exploration, asked: &Asked) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    if asked.json {
        writeln!(out, "{:#}", as_json(exploration, &asked.names))?;
    } else {
        write_report(&mut out, exploration, asked)?;
    }
    if is_reached(exploration, asked) {
        return Ok(1);
    }
    let missed = |mut what: std::ops::Range<usize>| what.any(|what| !is_found(exploration, what));
    if doubt(&exploration.stats).is_some() && missed(0..asked.names.len()) {
        return Ok(NO_ANSWER);
    }
    Ok(u8::from(missed(0..asked.find)))
}

fn is_found(exploration: &Exploration, what: usize) -> bool {
    exploration.found.iter().any(|found| found.what == what)
}

/// Whether a forbidden condition was reached, or a required one was false.
fn is_reached(exploration: &Exploration, asked: &Asked) -> bool {
    (asked.find..asked.find + asked.never + asked.always).any(|what| is_found(exploration, what))
}

fn print_differences(setup: &Setup, sameness: Sameness, a: &str, b: &str) -> Result<u8, Failure> {
    let read_set = ReadSet::default().with_categories(sameness.kept()).with_all_registers();
    let reached = |keys: &str| {
        let acts =
            choices::acts(keys).map_err(|error| Failure::Usage(format!("--why-different: {error}")))?;
        let cannot_start = |error| Failure::host("cannot start the program", error);
        let mut walked = ProgramUnderTest::start(setup).map_err(cannot_start)?;
        for act in acts {
            walked.make_canonical(&read_set);
            walked.play(&[act]);
        }
        walked.make_canonical(&read_set);
        Ok::<_, Failure>(walked)
    };
    let (a, b) = (reached(a)?, reached(b)?);
    let mut out = std::io::stdout().lock();
    if a.end() != b.end() {
        let [a, b] = [&a, &b].map(|walked| walked.end().map_or("waits".to_owned(), ToString::to_string));
        writeln!(out, "{a} and {b}")?;
    }
    for line in differences(&a, &b, &read_set) {
        writeln!(out, "{line}")?;
    }
    Ok(0)
}

fn predicates(words: &[String], setup: &Setup) -> Result<Vec<Predicate>, Failure> {
    let mut picture = |file: &str| {
        let bytes = std::fs::read(file).map_err(|error| error.to_string());
        let found = bytes.and_then(|bytes| {
            oxbox::media::picture::Picture::decode(&bytes).map_err(|error| error.to_string())
        });
        let found = found.map_err(|why| format!("cannot read {file}: {why}"))?;
        Ok(Picture { width: found.width, pixels: found.pixels.into() })
    };
    let wrong = |error: PredicateError| Failure::Usage(error.to_string());
    let parse = |words: &String| Predicate::parse(words, &mut picture).map_err(wrong);
    let predicates = words.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    if predicates.iter().any(Predicate::is_expression) {
        let start = ProgramUnderTest::start(setup)
            .map_err(|error| Failure::host("cannot start the program", error))?;
        predicates.iter().try_for_each(|predicate| predicate.check(&start)).map_err(wrong)?;
    }
    Ok(predicates)
}

fn as_json(exploration: &Exploration, names: &[String]) -> serde_json::Value {
    let Exploration { stats, found } = exploration;
    let SearchStats { states, choices_tried, ends, depth, complete, exact, seen, .. } = stats;
    let seen: Vec<&str> = seen.iter().map(|class| class.name()).collect();
    let found: Vec<_> = found
        .iter()
        .map(|found| json!({ "what": names[found.what], "keys": found.keys, "end": found.end, "screen": found.screen }))
        .collect();
    json!({
        "states": states,
        "choices_tried": choices_tried,
        "ends": ends,
        "depth": depth,
        "complete": complete,
        "exact": exact,
        "seen": seen,
        "doubt": doubt(stats),
        "found": found,
    })
}

fn write_report(out: &mut impl Write, exploration: &Exploration, asked: &Asked) -> std::io::Result<()> {
    let Exploration { stats, found } = exploration;
    let SearchStats { states, choices_tried, ends, depth, complete, exact, seen, .. } = stats;
    writeln!(out, "{states} states, {choices_tried} choices tried, at most {depth} in a row to a new state")?;
    for (end, count) in ends {
        writeln!(out, "ends {end}: {count}")?;
    }
    if !complete {
        writeln!(out, "not complete: the search stopped early")?;
    }
    if !exact {
        writeln!(out, "not exact: states were merged that the program can distinguish")?;
    }
    for class in seen {
        writeln!(out, "part of the state, because the program observes it: {}", observed(*class))?;
    }
    let first_always = asked.find + asked.never;
    for (number, name) in asked.names.iter().enumerate() {
        let is_always = (first_always..first_always + asked.always).contains(&number);
        let fails = if is_always { "fails " } else { "" };
        let mut times = 0;
        for found in found.iter().filter(|found| found.what == number) {
            times += 1;
            let after = if is_always { "after " } else { "" };
            match found.keys.as_str() {
                "" => writeln!(out, "\n{name}: {fails}at the start")?,
                keys => writeln!(out, "\n{name}: {fails}{after}{keys}")?,
            }
            if let Some(end) = &found.end {
                writeln!(out, "  {end}")?;
            }
            found.screen.iter().try_for_each(|line| writeln!(out, "    {line}"))?;
        }
        if times == 0 {
            let how = match (doubt(stats), is_always, *complete) {
                (Some(why), ..) => format!("no answer: {why}"),
                (None, false, true) => format!("cannot be reached{}", condition_of_time(stats)),
                (None, false, false) => "was not reached".to_owned(),
                (None, true, true) => format!("holds in every state{}", condition_of_time(stats)),
                (None, true, false) => "holds in every state that was reached".to_owned(),
            };
            writeln!(out, "\n{name}: {how}")?;
        }
    }
    Ok(())
}
