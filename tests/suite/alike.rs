//! The similarity of submissions: disguises of one program are found, honest solutions of the same
//! exercise are not.

use super::{exercise, needs_nothing_else};
use oxbox::suite::{Likeness, Options, Report, Suite, WORTH_A_LOOK, report, run};
use std::path::PathBuf;
use std::sync::OnceLock;

fn folder() -> PathBuf {
    exercise().join("alike")
}

fn compare(names: &[&str]) -> Report {
    let suite = Suite::open(&folder().join("suite.toml")).unwrap();
    let programs: Vec<PathBuf> =
        names.iter().map(|name| folder().join("class").join(format!("{name}.asm"))).collect();
    run(&[suite], &programs, &Options { likeness: true, ..Options::default() }).unwrap()
}

const DISGUISED: [&str; 7] =
    ["original", "renamed", "swapped", "reordered", "padded", "replaced", "everything"];
const HONEST: [&str; 5] = ["honest1", "honest2", "honest3", "honest4", "honest5"];

fn class() -> &'static Report {
    static CLASS: OnceLock<Report> = OnceLock::new();
    CLASS.get_or_init(|| compare(&[DISGUISED.as_slice(), &HONEST].concat()))
}

fn likeness(report: &Report) -> &Likeness {
    report.suites[0].likeness.as_ref().unwrap()
}

#[test]
fn all_of_the_class_solve_the_exercise() {
    assert!(class().passed(), "{}", report::text(class()));
}

#[test]
fn disguises_are_found_and_honest_solutions_are_not_accused() {
    let likeness = likeness(class());
    let rows: Vec<String> = likeness
        .pairs
        .iter()
        .map(|pair| {
            let name = |number: usize| likeness.submissions[number].program.rsplit('/').next().unwrap();
            let names = (name(pair.first), name(pair.second));
            format!("{:.3} {:.3} {:.3} {names:?}", pair.score, pair.code, pair.executed)
        })
        .collect();
    // All pairs of the first seven are copies; independent submissions have no pair above the
    // threshold.
    let copies = DISGUISED.len() * (DISGUISED.len() - 1) / 2;
    let (top, rest) = likeness.pairs.split_at(copies);
    assert!(top.iter().all(|pair| pair.second < DISGUISED.len() && pair.score >= WORTH_A_LOOK), "{rows:#?}");
    assert!(rest.iter().all(|pair| pair.score < WORTH_A_LOOK / 4.0), "{rows:#?}");
}

/// Passages contain equal lines: those of a procedure that was only moved.
#[test]
fn passages_are_shown_side_by_side() {
    let likeness = likeness(class());
    let number = |name: &str| likeness.submissions.iter().position(|one| one.program.contains(name)).unwrap();
    let (original, moved) = (number("original"), number("reordered"));
    let pair =
        likeness.pairs.iter().find(|pair| (pair.first, pair.second) == (original, moved)).expect("the pair");
    let text = |number: usize, lines: &std::collections::BTreeSet<usize>| -> Vec<String> {
        let texts = lines.iter().map(|line| likeness.submissions[number].lines[*line].text.as_str());
        texts.map(|text| text.split(';').next().unwrap().trim_end().to_owned()).collect()
    };
    let passages: Vec<_> =
        pair.passages.iter().map(|one| (text(original, &one.first), text(moved, &one.second))).collect();
    assert!(passages.iter().all(|(one, other)| one == other), "{passages:#?}");
    assert!(
        passages
            .iter()
            .any(|(one, _)| one.first().unwrap().starts_with("vowel") || one[0].contains("or al, 20h")),
        "{passages:#?}"
    );
    // Code from the given skeleton does not count.
    assert!(
        passages.iter().flat_map(|(one, _)| one).all(|line| !line.contains("offset hello")),
        "{passages:#?}"
    );

    let page = report::likeness_html(class());
    needs_nothing_else(&page);
    assert_eq!(
        page.matches("<section id=").count(),
        likeness.pairs.iter().filter(|pair| pair.score >= WORTH_A_LOOK).count()
    );
    assert!(
        page.contains("<span class=\"m0\" id=\"s0p0a0\"><a href=\"#s0p0b0\">"),
        "marks lead to each other"
    );
    let json = report::likeness_json(class());
    let first = &json["suites"][0]["pairs"][0];
    assert!(first["score"] == 1.0 && first["passages"][0]["a"][0]["line"].as_u64() > Some(0), "{first}");
}

/// A class in which all submissions are equal is reported: no report would look like a good result.
#[test]
fn a_copy_that_went_round_is_told() {
    let report = compare(&["original"; 12]);
    let likeness = likeness(&report);
    assert!(likeness.pairs.is_empty() && likeness.submissions.iter().all(|one| one.common == 1.0));
    assert!(
        report::likeness_html(&report).contains("In 12 submissions more than half of the code is common")
    );
    assert!(compare(&["original"; 3]).suites[0].likeness.as_ref().unwrap().pairs.len() == 3);
}

/// Programs without sources are compared, too, and shown as instructions.
#[test]
fn programs_without_sources_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let programs: Vec<PathBuf> = ["original", "replaced"]
        .map(|name| {
            let request = oxbox::toolchain::BuildRequest {
                inputs: vec![self::folder().join("class").join(format!("{name}.asm"))],
                ..oxbox::built_in::build_request()
            };
            let path = folder.path().join(format!("{name}.com"));
            std::fs::write(&path, oxbox::toolchain::build(&request).unwrap().bytes).unwrap();
            path
        })
        .into();
    let suite = Suite::open(&self::folder().join("suite.toml")).unwrap();
    let report = run(&[suite], &programs, &Options { likeness: true, ..Options::default() }).unwrap();
    let likeness = likeness(&report);
    assert!(likeness.pairs[0].score > WORTH_A_LOOK);
    assert!(likeness.submissions[0].lines.iter().any(|line| line.file.is_none() && line.text == "int 21h"));
}
