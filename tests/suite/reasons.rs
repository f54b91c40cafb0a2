//! Reasons for which a test failed: hints like those of `oxbox run`, slow programs and hangs,
//! programs that wait instead of ending.

use oxbox::suite::{Options, Suite, report, run};

/// Returns a COM program around these lines.
fn program(lines: &str) -> String {
    format!(
        "        .model tiny\n        .code\n        org 100h\nstart:\n{lines}\n        mov ax, 4C07h\n        int 21h\n        end start\n"
    )
}

/// Returns the points, and the failures as text, of a program on one test.
fn graded(lines: &str, test: &str) -> (f64, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.asm"), program(lines)).unwrap();
    std::fs::write(path("model.asm"), program("")).unwrap();
    let text = format!("program = \"a.asm\"\nlimit_ms = 100\n[[test]]\nname = \"a\"\n{test}\n");
    let suite = Suite::parse(&path("suite.toml"), &text).unwrap();
    let results = run(&[suite], &[], &Options::default()).unwrap();
    let submission = &results.suites[0].submissions[0];
    assert!(submission.errors.is_empty(), "{}", report::text(&results));
    let failures = submission.tests[0].failures.iter();
    (submission.points(), failures.map(|failure| format!("{}: {}", failure.what, failure.message)).collect())
}

#[test]
fn failures_say_why() {
    // Lines, test, and text in the first failure; nothing if the program passes.
    let divides = "        mov bl, 0\n        div bl";
    let waits = "        mov ah, 0\n        int 16h";
    let loops = "        mov cx, 9\nagain:  inc ax\n        jmp again";
    let slow = "        mov bx, ROUNDS\nouter:  mov cx, 0\ninner:  inc ax\n        loop inner\n        dec bx\n        jnz outer";
    let slow = |rounds: &str| slow.replace("ROUNDS", rounds);
    let rows = [
        (divides.to_owned(), "", vec!["end: the program crashed: ", "BL is 0"]),
        (waits.to_owned(), "", vec![]),
        (waits.to_owned(), "exit = 7", vec!["exit: the program waits for a key; expected exit code 7"]),
        (waits.to_owned(), "ends = true", vec!["ends: the program waits for a key; it was expected to end"]),
        (waits.to_owned(), "ends = true\nkeys = \"x\"", vec![]),
        (String::new(), "ends = true", vec![]),
        (String::new(), "exit = 7", vec![]),
        (
            loops.to_owned(),
            "",
            vec![
                "end: the program still runs after 100 ms",
                "does not end within 200 ms either",
                "a.asm:6 to ",
                "a loop of ",
            ],
        ),
        (
            slow("3"),
            "",
            vec!["end: the program still runs after 100 ms", "it is too slow: it ended with code 7 after "],
        ),
        (waits.to_owned(), "same_as = \"model.asm\"", vec!["same_as: ", "this program waits for a key"]),
    ];
    for (lines, test, expected) in rows {
        let (points, found) = graded(&lines, test);
        let first = found.first().map(String::as_str).unwrap_or_default();
        assert!(expected.iter().all(|part| first.contains(part)), "{lines}\n{test}: {found:?}");
        assert_eq!(
            (points == 1.0, found.is_empty()),
            (expected.is_empty(), expected.is_empty()),
            "{lines}\n{test}"
        );
    }
}

/// The screen at the limit is kept if a program does not end.
#[test]
fn the_report_is_of_the_limit() {
    let (_, once) = graded("again:  inc ax\n        jmp again", "screen = [\"x\"]");
    assert_eq!(once.len(), 2, "{once:?}");
}
