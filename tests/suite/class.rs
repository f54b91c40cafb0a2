//! Thirty submissions to one exercise, right, wrong, crashing, hanging and hostile: each gets the
//! right points.

use super::{grade, submissions};
use oxbox::suite::report;

/// Name, points of 11.5, and the tests that it passes, in the order of the suite.
const GRADES: [(&str, f64, &str); 30] = [
    ("broken01", 0.0, "........."),
    ("crash01", 0.0, "........."),
    ("crash02", 0.0, "........."),
    ("hang01", 0.0, "........."),
    ("hang02", 0.0, "........."),
    ("hang03", 0.0, "........."),
    ("hostile01", 0.0, "........."),
    ("hostile02", 0.0, "........."),
    ("hostile03", 0.0, "........."),
    ("hostile04", 0.0, "........."),
    ("hostile05", 0.0, "........."),
    ("hostile06", 0.0, "........."),
    ("keyboard01", 10.5, "xxxx.xxxx"),
    ("keyboard02", 10.5, "xxxx.xxxx"),
    ("right01", 11.5, "xxxxxxxxx"),
    ("right02", 11.5, "xxxxxxxxx"),
    ("right04", 11.5, "xxxxxxxxx"),
    ("right05", 11.5, "xxxxxxxxx"),
    ("wrong01", 9.5, "xxxxxx.xx"),
    ("wrong02", 5.5, "xx.xx..xx"),
    ("wrong03", 5.5, "x.x..x..x"),
    ("wrong04", 2.0, ".....x..."),
    ("wrong05", 9.5, "xxx..xxxx"),
    ("wrong06", 9.0, "x.xxxxx.."),
    ("wrong07", 1.0, "x........"),
    ("wrong08", 9.5, "xxxxx.xxx"),
    ("wrong09", 9.5, "xxxxx.xxx"),
    ("wrong10", 9.5, "xxxxx.xxx"),
    ("wrong11", 9.5, "xxx..xxxx"),
    ("wrong12", 0.0, "........."),
];

#[test]
fn everybody_gets_what_they_deserve() {
    let all = [""];
    let results = grade(&all, 0);
    assert_eq!(submissions(&all).len(), GRADES.len());
    for (submission, (name, points, passed)) in results.suites[0].submissions.iter().zip(GRADES) {
        let found: String =
            submission.tests.iter().map(|test| if test.passed() { 'x' } else { '.' }).collect();
        let file = std::path::Path::new(&submission.program).file_stem().unwrap().to_str().unwrap();
        assert_eq!(
            (file, submission.points(), found.as_str()),
            (name, points, passed),
            "{}",
            report::text(&results)
        );
    }
}

#[test]
fn the_reports_do_not_depend_on_who_did_the_work() {
    let reports = |jobs| {
        let results = grade(&["right0", "hang01", "broken01", "crash"], jobs);
        let json = report::json(&results).to_string();
        (
            report::text(&results),
            json,
            report::junit(&results).unwrap(),
            report::csv(&results).unwrap(),
            report::html(&results),
        )
    };
    assert!(reports(1) == reports(7));
}
