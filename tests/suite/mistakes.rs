//! Mistakes in a suite are reported with file and line.

use super::{HI, one_test};
use oxbox::suite::{Options, Suite, SuiteError, run};

#[test]
fn every_mistake_has_its_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("HI.COM"), HI).unwrap();
    std::fs::write(folder.path().join("bad.script"), "key SP\njump\n").unwrap();
    std::fs::write(folder.path().join("bad.png"), "no picture").unwrap();
    std::fs::write(folder.path().join("bad.asm"), " mov nowhere, ax\n end\n").unwrap();
    let rows = [
        ("", "suite.toml:1: the suite has no tests: add [[test]] with a name"),
        ("program = 5", "suite.toml:1: invalid type: integer `5`, expected a string"),
        ("\nprogam = \"x\"", "suite.toml:2: unknown field `progam`, expected one of"),
        ("program = \"x\"\n= 3", "suite.toml:2: "),
        ("limit_ms = -1", "suite.toml:1: invalid value: integer `-1`, expected u64"),
        ("limit_ms = 0\n[[test]]\nname = \"a\"", "suite.toml:1: limit_ms must be at least 1"),
        ("[[test]]\nkeys = \"q\"", "suite.toml:1: missing field `name`"),
        ("[[test]]\nname = \"a\"\nkeyz = \"q\"", "suite.toml:3: unknown field `keyz`, expected one of"),
        ("[[test]]\nname = \"\"", "suite.toml:2: a test's name must be one non-empty line"),
        ("[[test]]\nname = \"a\"\n[[test]]\nname = \"a\"", "suite.toml:4: the test name \"a\" is used twice"),
        ("[[test]]\nname = \"a\"\nkeys = \"FOO\"", "suite.toml:3: keys: unknown key 'FOO'"),
        ("[[test]]\nname = \"a\"\nscript = \"no\"", "suite.toml:3: script "),
        ("[[test]]\nname = \"a\"\nscript = \"bad.script\"", "suite.toml:3: script "),
        (
            "[[test]]\nname = \"a\"\nkeys = \"q\"\nstdin = \"q\"",
            "suite.toml:3: keys, script and stdin exclude each other",
        ),
        ("[[test]]\nname = \"a\"\nexit = 256", "suite.toml:3: invalid value: integer `256`, expected u8"),
        (
            "[[test]]\nname = \"a\"\nscreen = \"x\"",
            "suite.toml:3: invalid type: string \"x\", expected a sequence",
        ),
        ("[[test]]\nname = \"a\"\nscreen = [\"\"]", "suite.toml:3: the text is empty"),
        ("[[test]]\nname = \"a\"\noutput = \"5 €\"", "suite.toml:3: '€' is not in code page 437"),
        ("[[test]]\nname = \"a\"\npoints = -1", "suite.toml:3: points must be a number from 0"),
        ("[[test]]\nname = \"a\"\nhidden = \"soon\"", "suite.toml:3: hidden must be true, false, "),
        ("[[test]]\nname = \"a\"\nhidden = 3", "suite.toml:3: hidden must be true, false, "),
        (
            "[[test]]\nname = \"a\"\nfiles = { \"../X\" = \"\" }",
            "suite.toml:3: \"../X\" is not a file name on drive C:: ",
        ),
        (
            "[[test]]\nname = \"a\"\ngolden = \"x.gif\"",
            "suite.toml:3: a golden file must be a .png or a .txt",
        ),
        (
            "[[test]]\nname = \"a\"\nmemory = { \"2x\" = \"1\" }",
            "suite.toml:3: memory 2x = 1: column 1: cannot parse '2x' as a value; use 1Fh, 0x1F or 0001b",
        ),
        (
            "[[test]]\nname = \"a\"\nmemory = { x = \"FFh\" }",
            "suite.toml:3: memory x = FFh: column 1: cannot parse 'FFh' as a value",
        ),
        (
            "[[test]]\nname = \"a\"\nwhere = \"ax ==\"",
            "suite.toml:3: where: column 6: expected a value, found the end",
        ),
        ("[[test]]\nname = \"a\"\nchoices = \"1-9\"", "suite.toml:3: choices need same_as"),
        ("\n[[test]]\nname = \"a\"", "suite.toml: it has no program; name one with program = or --program"),
        ("program = \"HI.COM\"\n[[test]]\nname = \"a\"\ngolden = \"no.txt\"", "suite.toml:4: golden "),
        ("program = \"HI.COM\"\n[[test]]\nname = \"a\"\ngolden = \"bad.png\"", "suite.toml:4: golden "),
        ("program = \"HI.COM\"\n[[test]]\nname = \"a\"\nsame_as = \"bad.asm\"", "suite.toml:4: same_as: "),
        ("program = \"HI.COM\"\n[[test]]\nname = \"a\"\nsame_as = \"no.com\"", "suite.toml:4: same_as: "),
        ("program = \"HI.COM\"\ndir = \"no\"\n[[test]]\nname = \"a\"", "suite.toml:2: dir "),
    ];
    for (text, expected) in rows {
        let path = folder.path().join("suite.toml");
        let done = Suite::parse(&path, text).and_then(|suite| run(&[suite], &[], &Options::default()));
        let error = done.map(|_| "no error").unwrap_err();
        let prefix = format!("{}/", folder.path().display());
        let message = error.to_string().replacen(&prefix, "", 1);
        assert!(
            matches!(error, SuiteError::Broken(_)) && message.starts_with(expected),
            "{text:?}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

/// Unknown keys and values of the wrong type do not hide each other or later mistakes.
#[test]
fn mistakes_of_form_are_told_at_once() {
    let text = "program = \"x\"\nlimit = 3\n[[test]]\nnome = 1\nname = \"a\"\nexit = 256\nkeys = \"FOO\"\n[[test]]\nname = \"a\"\nscreen = [\n\"x\",\n5,\n]\n";
    let error = Suite::parse("suite.toml".as_ref(), text).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().map(|line| line.split(": ").next().unwrap()).collect();
    let expected = [2, 4, 6, 7, 9, 12].map(|line| format!("suite.toml:{line}"));
    assert_eq!(lines, expected, "{error}");
}

#[test]
fn all_mistakes_are_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let error = one_test(folder.path(), "keys = \"FOO\"\nscreen = [\"\"]\npoints = -3\nsame_as = \"no.asm\"")
        .unwrap_err();
    assert_eq!(error.to_string().lines().count(), 4, "{error}");
}
