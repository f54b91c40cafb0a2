//! `oxbox test` as used by scripts: exit codes, the content of stdout and stderr, and the command
//! that repeats a failure.

use super::{HI, exercise};
use assert_cmd::Command;
use std::path::Path;

fn oxbox(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("oxbox").unwrap();
    let output = command.args(line.split(' ')).current_dir(folder).env("NO_COLOR", "1").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn codes_and_streams() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::write(folder.path().join("HI.COM"), HI).unwrap();
    write("good.toml", "program = \"HI.COM\"\n[[test]]\nname = \"a\"\nexit = 7\n");
    write("bad.toml", "program = \"HI.COM\"\n[[test]]\nname = \"a\"\nexit = 8\n");
    write("broken.toml", "[[test]]\nnome = \"a\"\n");
    let rows = [
        ("test good.toml", 0, "1 of 1 tests passed", ""),
        ("test --program HI.COM good.toml", 0, "1 of 1 tests passed", ""),
        ("test bad.toml", 1, "exit: the exit code is 7, not 8", ""),
        ("test good.toml bad.toml --json", 1, "\"tests_passed\": 1", ""),
        ("test broken.toml good.toml", 2, "", "broken.toml:2: unknown field `nome`"),
        ("test none.toml", 2, "", "none.toml: cannot be read: "),
        ("test", 2, "", "oxbox: "),
        ("test --program HI.COM", 2, "", "oxbox: name a suite"),
        ("test good.toml --filter b", 2, "", "oxbox: no test's name contains \"b\""),
        ("test good.toml --program NONE.COM", 1, "NONE.COM: cannot be read: ", ""),
        ("test good.toml --program *.ASM", 2, "", "oxbox: --program *.ASM matches no file"),
        ("test good.toml --csv good.toml", 2, "", "oxbox: good.toml is an input"),
        ("test good.toml --csv a --html a", 2, "", "oxbox: a is named as an output twice"),
        ("test good.toml --csv no/such", 125, "", "oxbox: cannot write no/such"),
        ("test good.toml --csv -", 0, "program,points,of,passed,failed,remark,a\nHI.COM,1,1,1,0,,1\n", ""),
        ("test good.toml --gradescope r.json --program HI.COM ./HI.COM", 2, "", "oxbox: a results.json"),
        (
            "test good.toml --classroom - --program HI.COM ./HI.COM",
            2,
            "",
            "oxbox: a result for GitHub Classroom",
        ),
        ("test good.toml --classroom -", 0, "\"max_score\":1.0", ""),
        ("test good.toml --vpl -", 0, "Grade :=>>1\n", ""),
        ("test good.toml bad.toml --vpl -", 1, "Grade :=>>1\n", ""),
        ("test bad.toml --annotations -", 1, "::error file=bad.toml,line=3,title=HI.COM%3A a::exit: ", ""),
        ("test bad.toml --sarif -", 1, "\"startLine\": 3", ""),
        ("test good.toml --vpl good.toml", 2, "", "oxbox: good.toml is an input"),
        ("test good.toml --similar a.html", 2, "", "oxbox: --similar compares submissions"),
        ("test good.toml --similar a.json --program HI.COM ./HI.COM", 0, "2 of 2 tests passed", ""),
    ];
    for (line, code, stdout, stderr) in rows {
        let found = oxbox(folder.path(), line);
        let fits =
            |found: &str, expected: &str| found.contains(expected) && found.is_empty() == expected.is_empty();
        assert!(
            found.0 == Some(code) && fits(&found.1, stdout) && fits(&found.2, stderr),
            "{line}: {found:?}"
        );
    }
}

/// The files that sources and models include are known only after assembling.
#[test]
fn no_report_destroys_what_a_source_includes() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let source = |code: &str| {
        format!(".model tiny\n{code}\n.code\norg 100h\nstart: mov ax, 4C07h\n int 21h\nend start\n")
    };
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let included = [
        ("a.inc", "include SUB\\b.inc\n"),
        ("sub/b.inc", "seven equ 7\n"),
        ("font.bin", "123"),
        ("wrong.inc", "; x\n"),
    ];
    for (name, text) in included {
        write(name, text);
    }
    write("right.asm", &source("include A.INC"));
    write("wrong.asm", &source("include WRONG.INC\n mvo ax, 1"));
    write("model.asm", &source(".data\n incbin \"font.bin\""));
    write("plain.asm", &source(""));
    write(
        "own.toml",
        "program = \"right.asm\"\ninclude = [\"a.inc\", \"sub\", \"wrong.inc\"]\n[[test]]\nname = \"a\"\nexit = 7\n",
    );
    write("model.toml", "[[test]]\nname = \"a\"\nsame_as = \"model.asm\"\nkeys = \"\"\n");
    std::fs::hard_link(folder.path().join("sub/b.inc"), folder.path().join("report.csv")).unwrap();
    let rows = [
        ("test own.toml --junit a.inc", "a.inc"),
        ("test own.toml --html ./sub/../sub/b.inc", "./sub/../sub/b.inc"),
        ("test own.toml --csv report.csv", "report.csv"),
        ("test own.toml --coverage sub/b.inc", "sub/b.inc"),
        ("test own.toml --program wrong.asm --gradescope wrong.inc", "wrong.inc"),
        ("test own.toml --program plain.asm right.asm --csv a.inc", "a.inc"),
        ("test model.toml --program plain.asm --csv font.bin", "font.bin"),
    ];
    for (line, output) in rows {
        let found = oxbox(folder.path(), line);
        let expected = format!("oxbox: {output} is an input, and must not be overwritten\n");
        assert_eq!(found, (Some(2), String::new(), expected), "{line}");
    }
    for (name, text) in included {
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), text, "{name}");
    }
    let (code, stdout, stderr) = oxbox(folder.path(), "test own.toml --csv new.csv");
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
}

/// The command in a failure repeats the same run.
#[test]
#[cfg(unix)]
fn the_command_repeats_the_run() {
    let folder = exercise();
    for (program, test, expected) in [
        ("wrong01", "more than a byte holds", "Total: 14"),
        ("wrong04", "from a file", "total: 6"),
        ("wrong10", "writes TOTAL.TXT", "Total: 16"),
    ] {
        let mut command = Command::cargo_bin("oxbox").unwrap();
        let path = format!("class/{program}.asm");
        let output = command.args(["test", "suite.toml", "--program", &path, "--filter", test, "--json"]);
        let json = output.current_dir(&folder).output().unwrap().stdout;
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let line = json["suites"][0]["programs"][0]["tests"][0]["command"].as_str().unwrap().to_owned();
        let binary = assert_cmd::cargo::cargo_bin("oxbox");
        let script = format!("oxbox() {{ {:?} \"$@\"; }}\n{line}", binary.display().to_string());
        let repeated =
            std::process::Command::new("sh").args(["-c", &script]).current_dir(&folder).output().unwrap();
        let stdout = String::from_utf8_lossy(&repeated.stdout).into_owned();
        assert!(stdout.contains(expected), "{line}: {stdout} {}", String::from_utf8_lossy(&repeated.stderr));
    }
    assert!(!folder.join("TOTAL.TXT").exists(), "a repeated run has written into the exercise");
}

/// The command of a `same_as` failure shows the difference, over the test's keys or all choices.
#[test]
#[cfg(unix)]
fn the_command_shows_the_difference_to_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let source = |letter: char, code: u8| {
        format!(
            ".model tiny\n.code\norg 100h\nstart: mov ah, 0\n int 16h\n mov dl, '{letter}'\n mov ah, 2\n int 21h\n mov ax, 4C0{code}h\n int 21h\nend start\n"
        )
    };
    write("model.asm", &source('a', 1));
    write("wrong.asm", &source('b', 1));
    write("code.asm", &source('a', 2));
    write("keys.toml", "[[test]]\nname = \"a\"\nsame_as = \"model.asm\"\nkeys = \"x\"\nargs = \"b\"\n");
    write("walk.toml", "[[test]]\nname = \"a\"\nsame_as = \"model.asm\"\nchoices = \"x y\"\n");
    let rows = [
        ("keys.toml", "wrong.asm", vec!["< a", "> b"]),
        ("keys.toml", "code.asm", vec!["< exit code 1", "> exit code 2"]),
        ("walk.toml", "wrong.asm", vec!["different after x", "    b"]),
        ("walk.toml", "code.asm", vec!["exit:1", "exit:2"]),
    ];
    let binary = assert_cmd::cargo::cargo_bin("oxbox");
    for (suite, program, expected) in rows {
        let (code, stdout, _) = oxbox(folder.path(), &format!("test {suite} --program {program}"));
        let line = stdout.lines().find_map(|line| line.trim().strip_prefix("repeat: ")).unwrap();
        let script = format!("oxbox() {{ {:?} \"$@\"; }}\n{line}", binary.display().to_string());
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let shown = expected.iter().all(|part| text.contains(part));
        assert!(code == Some(1) && shown, "{line}: {text} {}", String::from_utf8_lossy(&output.stderr));
    }
}
