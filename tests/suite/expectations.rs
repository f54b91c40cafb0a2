//! Each expectation of a test, met and missed; and the isolation of runs.

use super::{failures, one_test};
use oxbox::suite::{Options, Suite, run};

#[test]
fn met_and_missed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("right.txt"), "hi   \r\n\r\n").unwrap();
    std::fs::write(folder.path().join("wrong.txt"), "ho\n").unwrap();
    std::fs::write(folder.path().join("other.com"), b"\xB8\x07\x4C\xCD\x21").unwrap();
    let rows = [
        ("", ""),
        ("exit = 7", ""),
        ("exit = 0", "exit: the exit code is 7, not 0"),
        ("screen = [\"h\", \"i\"]", ""),
        ("screen = [\"i\", \"h\"]", "screen: \"h\" is on the screen, but not after \"i\""),
        ("screen = [\"ho\"]", "screen: \"ho\" is not on the screen"),
        ("output = \"hi\\r\\n\"", ""),
        ("output = \"hi\\n\"", "output: the output differs"),
        ("output_has = [\"i\", \"h\"]", ""),
        ("output_has = [\"x\"]", "output_has: \"x\" is not in the output"),
        ("not = [\"ho\"]", ""),
        ("not = [\"hi\"]", "not: \"hi\" must not be on the screen"),
        ("golden = \"right.txt\"", ""),
        ("golden = \"wrong.txt\"", "golden: the screen is not "),
        ("same_as = \"HI.COM\"", ""),
        ("same_as = \"other.com\"", "same_as: the screen is not that of "),
        ("same_as = \"HI.COM\"\nchoices = \"1-9\"", ""),
        (
            "same_as = \"other.com\"\nchoices = \"1-9\"",
            "same_as: at the first key: the screen is not that of ",
        ),
        ("expect_files = { \"NONE.TXT\" = \"\" }", "expect_files: the program wrote no file NONE.TXT"),
        ("files = { A = \"b\" }\nexpect_files = { a = \"b\" }", ""),
        ("files = { A = \"b\" }\nexpect_files = { a = \"c\" }", "expect_files: a has other contents"),
        // The BIOS data area: a screen of 80 columns.
        ("memory = { \"40:4A\" = \"word 80\" }", ""),
        ("memory = { \"40:4A\" = \"40h\" }", "memory: 40:4A has other bytes"),
        ("memory = { \"40:4A\" = \"50h, 0\" }", ""),
        ("where = \"word ptr 40:4A == 80 and al eq 7\"", ""),
        ("where = \"ah == 4Ch && byte ptr [10Ch] == 'h'\"", ""),
        ("where = \"byte ptr 40:4A == 40\"", "where: byte ptr 40:4A == 40 does not hold"),
        ("where = \"1 / cf\"", "where: 1 / cf: division by zero"),
        ("where = \"crash\"", "where: crash: crash is only available in a search"),
        (
            "memory = { total = \"1\" }",
            "memory: total: this program has no symbols, because oxbox did not assemble it",
        ),
    ];
    for (lines, expected) in rows {
        let found = failures(&one_test(folder.path(), lines).unwrap());
        match expected {
            "" => assert!(found.is_empty(), "{lines}: {found:?}"),
            _ => {
                assert!(found.first().is_some_and(|first| first.starts_with(expected)), "{lines}: {found:?}");
            }
        }
    }
}

/// Appends a byte to LOG.TXT and ends with its former length as code.
const APPEND: &str = "
code segment use16 'code'
 org 100h
start: mov ax, 3D02h
 mov dx, offset file
 int 21h
 mov bx, ax
 mov ax, 4202h
 xor cx, cx
 xor dx, dx
 int 21h
 push ax
 mov cx, 1
 mov dx, offset file
 mov ah, 40h
 int 21h
 pop ax
 mov ah, 4Ch
 int 21h
file db 'LOG.TXT', 0
code ends
 end start
";

#[test]
fn no_test_sees_what_another_has_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("append.asm"), APPEND).unwrap();
    std::fs::write(path("LOG.TXT"), "1234").unwrap();
    let tests: String = (0..8).map(|n| format!("[[test]]\nname = \"{n}\"\nexit = 4\n")).collect();
    let suite = Suite::parse(
        &path("suite.toml"),
        &format!("program = \"append.asm\"\ngiven = [\"LOG.TXT\"]\n{tests}"),
    )
    .unwrap();
    let report = run(&[suite], &[], &Options { jobs: 4, ..Options::default() }).unwrap();
    assert!(report.passed(), "{report:?}");
    assert_eq!(std::fs::read_to_string(path("LOG.TXT")).unwrap(), "1234");
}

/// Switches to 320x200 and draws the pixel given in the command tail.
const PIXEL: &str = "
code segment use16 'code'
 org 100h
start: mov ax, 13h
 int 10h
 mov ax, 0A000h
 mov es, ax
 mov al, ds:[81h + 1]
 mov es:[5], al
 mov ah, 0
 int 16h
code ends
 end start
";

#[test]
fn golden_pictures_are_written_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("pixel.asm"), PIXEL).unwrap();
    let report = |args: &str, bless: bool| {
        let text = format!(
            "program = \"pixel.asm\"\n[[test]]\nname = \"a\"\nargs = \"{args}\"\ngolden = \"gold/a.png\"\n"
        );
        let suite = Suite::parse(&path("suite.toml"), &text).unwrap();
        let options = Options { bless, pictures: true, ..Options::default() };
        run(&[suite], &[], &options).unwrap()
    };
    assert!(report("1", true).passed());
    assert!(path("gold/a.png").is_file());
    assert!(report("1", false).passed());
    let other = report("2", false);
    let test = &other.suites[0].submissions[0].tests[0];
    let message = &test.failures[0].message;
    assert!(message.contains("1 of 64000 pixels differs, at (5, 0)"), "{message}");
    assert!(
        test.pictures.expected.is_some()
            && test.pictures.found.is_some()
            && test.pictures.difference.is_some()
    );
}

/// A filter selects tests by a part of their names; a filter that matches none is a mistake.
#[test]
fn a_filter_chooses() {
    let folder = tempfile::tempdir().unwrap();
    one_test(folder.path(), "").unwrap();
    let text = "program = \"HI.COM\"\n[[test]]\nname = \"one\"\n[[test]]\nname = \"two\"\n";
    let suite = Suite::parse(&folder.path().join("suite.toml"), text).unwrap();
    let names = |filter: &str| {
        let options = Options { filter: Some(filter.to_owned()), ..Options::default() };
        let report = run(std::slice::from_ref(&suite), &[], &options).map_err(|error| error.to_string())?;
        Ok(report.suites[0].submissions[0].tests.iter().map(|test| test.name.clone()).collect::<Vec<_>>())
    };
    assert_eq!(names("w"), Ok(vec!["two".to_owned()]));
    assert_eq!(names("three"), Err("no test's name contains \"three\"".to_owned()));
}
