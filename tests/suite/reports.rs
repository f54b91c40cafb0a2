//! The reports, parsed like by their readers.

use super::{grade, needs_nothing_else, one_test};
use oxbox::suite::{Report, report};
use serde_json::Value;

/// One submission that passes, one that fails, one that crashes, one that does not assemble.
fn four() -> Report {
    grade(&["right01", "wrong01", "crash01", "broken01"], 2)
}

#[test]
fn text_tells_what_where_and_how_to_repeat_it() {
    let text = report::text(&four());
    for part in [
        "right01.asm: 11.5 of 11.5 points",
        "passed    2/2  three nines",
        "FAILED    0/2  more than a byte holds",
        "screen: \"Total: 270\" is not on the screen",
        "    - Total: 270",
        "    + Total: 14",
        "broken01.asm:6: ",
        "end: the program crashed: divide error (INT 00h) at ",
        "it ended with code 30 at ",
        "wrong01.asm:53 (",
        "    | Total: 14",
        " --keys '5 q' --dir ",
        "4 programs, 1 of them passed all tests; ",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn json_has_it_all() {
    let json = report::json(&four());
    let program = |n: usize| &json["suites"][0]["programs"][n];
    let broken = program(0);
    assert_eq!((&broken["points"], &broken["errors"][0]["line"]), (&Value::from(0.0), &Value::from(5)));
    let test = &program(3)["tests"][6];
    assert_eq!(test["name"], "more than a byte holds");
    assert_eq!(
        (&test["end"], &test["exit_code"], &test["visibility"]),
        (&"exited".into(), &30.into(), &"hidden".into())
    );
    assert_eq!(test["failures"][0]["difference"], serde_json::json!(["- Total: 270", "+ Total: 14"]));
    assert_eq!(program(1)["tests"][0]["end"], "crashed");
    assert_eq!((&json["passed"], &json["tests"]), (&false.into(), &36.into()));
}

#[test]
fn junit_is_read_back() {
    let xml = report::junit(&four()).unwrap();
    let read = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    let counts: Vec<(usize, usize, usize)> =
        read.test_suites.iter().map(|suite| (suite.tests, suite.failures, suite.errors)).collect();
    assert_eq!(counts, [(9, 0, 9), (9, 9, 0), (9, 0, 0), (9, 1, 0)]);
    assert!(xml.contains("message=\"screen: &quot;Total: 270&quot; is not on the screen\""), "{xml}");
}

/// Control characters in a program's output must not break the XML.
#[test]
fn what_a_program_prints_cannot_break_a_report() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x"), "").unwrap();
    let results = one_test(folder.path(), "args = \"]]>\"\noutput = \"\\u0001\\u001B<script>]]>&\"").unwrap();
    let xml = report::junit(&results).unwrap();
    assert!(quick_junit::Report::deserialize_from_str(&xml).is_ok(), "{xml}");
    let page = report::html(&results);
    assert!(page.contains("&lt;script&gt;]]&gt;&amp;") && !page.contains("<script"), "{page}");
}

#[test]
fn gradescope_hides_what_is_hidden() {
    let json = report::gradescope(&grade(&["wrong01"], 1)).unwrap();
    let tests = json["tests"].as_array().unwrap();
    let column = |name: &str| tests.iter().map(|test| test[name].to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!(column("score"), "1.0 1.0 2.0 1.0 1.0 2.0 0.0 1.0 0.5");
    assert_eq!(column("max_score"), "1.0 1.0 2.0 1.0 1.0 2.0 2.0 1.0 0.5");
    assert_eq!(column("visibility").matches("\"visible\"").count(), 7);
    assert_eq!(
        (&tests[6]["visibility"], &tests[7]["visibility"]),
        (&"hidden".into(), &"after_published".into())
    );
    assert_eq!(tests[6]["status"], "failed");
    assert!(!json["output"].to_string().contains("270"));
    assert!(report::gradescope(&four()).is_err());
}

#[test]
fn csv_has_a_row_a_submission() {
    let csv = report::csv(&four()).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(reader.headers().unwrap().len(), 6 + 9);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let points: Vec<String> =
        rows.iter().map(|row| format!("{} {} {}", &row[1], &row[3], &row[12])).collect();
    assert_eq!(points, ["0 0 0", "0 0 0", "11.5 9 2", "9.5 8 0"]);
    assert!(rows[3][5].starts_with("more than a byte holds: "), "{csv}");
}

#[test]
fn the_page_needs_nothing_else() {
    let page = report::html(&four());
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    needs_nothing_else(&page);
    assert_eq!(page.matches("<details id=").count(), 36);
    assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
    assert!(page.contains("<mark>"), "the line that differs from the golden screen stands out");
}
