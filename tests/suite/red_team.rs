//! Submissions that try to be graded for other people's work, or to read forbidden files: each
//! scores zero, and no report contains a word that is not from the submission.

use oxbox::suite::{Options, Report, SubmissionReport, Suite, report, run};
use oxbox::toolchain::{BuildRequest, build};
use std::fs;
use std::path::{Path, PathBuf};

/// Text that no report may contain. The hexadecimal digits are the word "golden" as the assembler
/// quotes it; the last is a value of this process's environment.
const SECRETS: [&str; 8] = [
    "SECRET-MODEL",
    "SECRET-SUITE",
    "SECRET-GOOD",
    "SECRET-OUTSIDE",
    "SECRET_LABEL",
    "676F6C64656E",
    "Syntax error: [",
    env!("CARGO_PKG_DESCRIPTION"),
];

/// The correct answer: reads a digit and ends with three times it and one more.
const MODEL: &str = "
        .model  tiny                    ; SECRET-MODEL
        .code
        org     100h
start:  mov     ah, 1
        int     21h
        sub     al, '0'
        mov     bl, 3
        mul     bl
        inc     al
        mov     ah, 4Ch
SECRET_LABEL:
        int     21h
        db      'SECRET-MODEL'
        end     start
";

const SUITE: &str = r#"
# SECRET-SUITE
include = ["give/io.inc", "give/lib"]
given = ["give/DATA.TXT"]

[[test]]
name = "seven"
keys = "7"
exit = 22

[[test]]
name = "as the model"
keys = "2"
same_as = "model.asm"

[[test]]
name = "hidden"
hidden = true
keys = "4"
exit = 13
golden = "golden/four.txt"
"#;

/// The same as the model, with everything that the suite gives: both kinds of include file, and the
/// data on the drive.
const HONEST: &str = "
        include io.inc
        include three.inc
        .model  tiny
        .code
        org     100h
start:  mov     ax, 3D00h
        mov     dx, offset data
        int     21h
        jc      failed
        mov     ah, ask
        int     21h
        sub     al, '0'
        mov     bl, three
        mul     bl
        inc     al
        mov     ah, 4Ch
        int     21h
failed: mov     ax, 4C00h
        int     21h
data    db      'GIVE\\DATA.TXT', 0
        end     start
";

/// Prints the first bytes of every file in the list that it can open, and ends with the expected
/// code if it can open one.
const READER: &str = "
        .model  tiny
        .code
        org     100h
start:  mov     si, offset names
next:   cmp     byte ptr [si], 0
        je      over
        mov     dx, si
        mov     ax, 3D00h
        int     21h
        jc      skip
        mov     bx, ax
        mov     dx, offset buffer
        mov     cx, 400
        mov     ah, 3Fh
        int     21h
        mov     cx, ax
        mov     bx, 1
        mov     ah, 40h
        int     21h
skip:   lodsb
        or      al, al
        jnz     skip
        jmp     next
over:   mov     ax, 4C00h
        int     21h
names   NAMES
        db      0
buffer  db      400 dup (?)
        end     start
";

/// Runs another program and ends with its code.
const RUNNER: &str = "
        .model  tiny
        .code
        org     100h
start:  mov     bx, 100h
        mov     ah, 4Ah
        int     21h
        mov     word ptr block + 4, cs
        mov     sp, 0FFEh
        mov     dx, offset name_
        mov     bx, offset block
        mov     ax, 4B00h
        int     21h
        mov     ah, 4Dh
        int     21h
        mov     ah, 4Ch
        int     21h
block   dw      0, offset tail, 0, 5Ch, 0, 6Ch, 0
tail    db      TAIL
name_   db      NAME, 0
        end     start
";

/// Prints the names of all files on its drive, and then its environment.
const LISTER: &str = "
        .model  tiny
        .code
        org     100h
start:  mov     dx, offset all
        mov     cx, 37h
        mov     ah, 4Eh
more:   int     21h
        jc      over
        mov     si, 9Eh
        call    print
        mov     ah, 4Fh
        jmp     more
over:   mov     ds, ds:[2Ch]
        xor     si, si
each:   call    print
        cmp     byte ptr [si], 0
        jne     each
        mov     ax, 4C00h
        int     21h
print:  lodsb
        or      al, al
        jz      done
        mov     dl, al
        mov     ah, 2
        int     21h
        jmp     print
done:   ret
all     db      '*.*', 0
        end     start
";

/// A course: its suite, a model, golden files, files given to students, a classmate's correct work,
/// and files around it all.
struct Course {
    folder: tempfile::TempDir,
}

impl Course {
    fn new() -> Course {
        let course = Course { folder: tempfile::tempdir().unwrap() };
        let good = MODEL.replace("SECRET-MODEL", "SECRET-GOOD");
        for (name, text) in [
            ("outside.inc", "; SECRET-OUTSIDE\n"),
            ("course/suite.toml", SUITE),
            ("course/model.asm", MODEL),
            ("course/golden/four.txt", "4\n"),
            ("course/give/io.inc", "ask equ 1\n"),
            ("course/give/lib/three.inc", "three equ 3\n"),
            ("course/give/DATA.TXT", "given"),
            ("course/class/good.asm", &good),
            ("course/class/honest.asm", HONEST),
        ] {
            course.write(name, text.as_bytes());
        }
        let inputs = vec![course.path("course/model.asm")];
        let program = build(&BuildRequest { inputs, ..BuildRequest::default() }).unwrap().bytes;
        for name in ["course/gold.com", "course/bin/RIGHT.COM", "course/RIGHT.COM", "course/class/GOOD.COM"] {
            course.write(name, &program);
        }
        course
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, contents: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    fn grade(&self, programs: &[PathBuf]) -> Report {
        let suite = Suite::open(&self.path("course/suite.toml")).unwrap();
        let build = oxbox::built_in::build_request();
        let machine = oxbox::built_in::config();
        let options = Options { build, machine, pictures: true, ..Options::default() };
        run(&[suite], programs, &options).unwrap()
    }
}

/// Returns a source around declarations, which also includes the attacker's own code to run.
fn masm(lines: &str) -> String {
    format!(
        "{lines}\n        .model tiny\n        .code\n        org 100h\nstart:  mov ax, 4C00h\n        int 21h\n        end start\n"
    )
}

/// Returns a program that consists only of the data from these lines.
fn bytes(line: &str) -> String {
    format!("        .model tiny\n        .code\n        org 100h\nstart:\n{line}\n        end start\n")
}

fn reader(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("        db '{name}', 0\n")).collect();
    READER.replace("NAMES", names.concat().trim_start())
}

fn runner(name: &str, tail: &str) -> String {
    let tail = format!("{}, '{tail}', 13", tail.len()).replace("''", "' '");
    RUNNER.replace("NAME,", &format!("'{name}',")).replace("TAIL", &tail)
}

/// Returns the attackers' sources: name in the class's folder, and text. `here`: the course.
fn sources(here: &str) -> Vec<(&'static str, String)> {
    let include = |name: &str| format!("        include {name}\n");
    vec![
        ("beside", include("model.asm")),
        ("quoted", include("\"model.asm\"")),
        ("capitals", include("MODEL.ASM")),
        ("above", include("..\\model.asm")),
        ("slashes", include("../model.asm")),
        ("around", include("..\\class\\..\\model.asm")),
        ("drive", include("C:\\model.asm")),
        ("absolute", include(&format!("{here}/model.asm"))),
        ("angles", include(&format!("<{here}/model.asm>"))),
        ("emu8086", include("'../model.asm'")),
        ("classmate", include("good.asm")),
        ("neighbour", include(&format!("{here}/class/good.asm"))),
        ("answers", include("suite.toml")),
        ("answers2", include("../suite.toml")),
        ("answers3", include(&format!("{here}/suite.toml"))),
        ("golden", include("../golden/four.txt")),
        ("outside", include("../../outside.inc")),
        ("throughgiven", include("../give/../model.asm")),
        ("process", include(&format!("/proc/self/root{here}/model.asm"))),
        ("workplace", include("/proc/self/cwd/../model.asm")),
        ("descriptor", include("/dev/fd/0")),
        ("descriptor3", include("/dev/fd/3")),
        ("macro", format!("get macro name_\n include name_\nendm\n get <{here}/model.asm>\n")),
        ("textmacro", format!("get textequ <include>\n get {here}/model.asm\n")),
        ("expanded", format!("name_ textequ <{here}/model.asm>\n% include name_\n")),
        ("joined", format!("name_ catstr <{here}/mod>, <el.asm>\n% include name_\n")),
        ("binary", bytes("        incbin <gold.com>")),
        ("binary2", bytes("        incbin <../gold.com>")),
        ("binary3", bytes(&format!("        incbin <{here}/gold.com>"))),
        ("binary4", bytes(&format!("get textequ <incbin>\n        get <{here}/gold.com>"))),
        ("binary5", bytes("        incbin <GOOD.COM>")),
        ("text", LISTER.replace("'*.*', 0", "'*.*', 0\n incbin <../suite.toml>")),
        ("environs", bytes("        incbin </proc/self/environ>")),
        (
            "variable",
            masm(
                "%       echo @Environ(CARGO_PKG_DESCRIPTION)\n        .err <@Environ(CARGO_PKG_DESCRIPTION)>",
            ),
        ),
        ("variable2", masm("e textequ @Environ(CARGO_PKG_DESCRIPTION)\n%       .err <&e>\n%       e")),
        (
            "library",
            masm(
                "        includelib ../model.obj\n        includelib ../gold.com\n        extrn SECRET:near",
            ),
        ),
        ("nasm", format!("bits 16\n%include \"{here}/model.asm\"\n")),
        ("nasm2", "bits 16\n%include \"../suite.toml\"\n".to_owned()),
        ("nasm3", "bits 16\n%include \"good.asm\"\n".to_owned()),
        ("nasm4", "bits 16\norg 100h\nincbin \"../gold.com\"\n".to_owned()),
        ("nasm5", format!("bits 16\norg 100h\nincbin \"{here}/gold.com\"\n")),
        ("nasm6", "bits 16\norg 100h\nincbin \"/proc/self/environ\"\n".to_owned()),
        ("nasm7", "bits 16\norg 100h\n%error %!CARGO_PKG_DESCRIPTION\n".to_owned()),
        ("nasm8", format!("bits 16\n%include \"/proc/self/root{here}/model.asm\"\n")),
        ("exec", runner("BIN\\RIGHT.COM", "")),
        ("exec2", runner("RIGHT.COM", "")),
        ("exec3", runner("..\\BIN\\RIGHT.COM", "")),
        ("exec4", runner("C:\\CLASS\\GOOD.COM", "")),
        ("exec5", runner("GOOD.COM", "")),
        ("shell", runner("Z:\\COMMAND.COM", "/C RIGHT")),
        ("shell2", runner("Z:\\COMMAND.COM", "/C TYPE SUITE.TOM")),
        ("list", LISTER.to_owned()),
        (
            "files",
            reader(&["SUITE.TOM", "SUITE.TOML", "MODEL.ASM", "GOLD.COM", "GOLDEN\\FOUR.TXT", "GOOD.ASM"]),
        ),
        (
            "files2",
            reader(&[
                "..\\MODEL.ASM",
                "..\\..\\MODEL.ASM",
                "\\..\\MODEL.ASM",
                "C:..\\SUITE.TOM",
                "./../model.asm",
            ]),
        ),
        (
            "files3",
            reader(&[&format!("{here}/model.asm"), &format!("C:{here}/model.asm"), &here.replace('/', "\\")]),
        ),
        (
            "files4",
            reader(&["/proc/self/environ", "/dev/fd/3", "\\proc\\self\\cwd\\model.asm", "/etc/passwd"]),
        ),
        ("files5", reader(&["CLASS\\GOOD.ASM", "Z:\\MODEL.ASM", "D:\\MODEL.ASM", "Z:..\\MODEL.ASM"])),
    ]
}

/// Returns all reports about a class.
fn all_reports(report: &Report) -> Vec<(&'static str, String)> {
    let mut texts = vec![
        ("text", report::text(report)),
        ("json", report::json(report).to_string()),
        ("csv", report::csv(report).unwrap()),
        ("junit", report::junit(report).unwrap()),
        ("html", report::html(report)),
    ];
    texts.extend(report::gradescope(report).ok().map(|json| ("gradescope", json.to_string())));
    texts
}

fn leaks(report: &Report) -> Vec<String> {
    let mut found = Vec::new();
    for (format, text) in all_reports(report) {
        let secrets = SECRETS.iter().filter(|secret| text.contains(**secret));
        found.extend(secrets.map(|secret| format!("{secret} in {format}: {text}")));
    }
    found
}

#[test]
fn no_thief_scores_and_nothing_leaks() {
    let course = Course::new();
    let here = course.path("course").canonicalize().unwrap().display().to_string();
    let mut programs = Vec::new();
    for (name, text) in sources(&here) {
        let file = format!("course/class/{name}.asm");
        course.write(&file, text.as_bytes());
        programs.push(course.path(&file));
    }
    // Folders: files beside a folder do not belong to the submission either.
    for (name, text) in [
        ("folder1", bytes("        incbin <../../gold.com>")),
        ("folder2", "        include ../../model.asm\n".to_owned()),
        ("folder3", "        include ../good.asm\n".to_owned()),
    ] {
        course.write(&format!("course/class/{name}/main.asm"), text.as_bytes());
        programs.push(course.path(&format!("course/class/{name}")));
    }
    #[cfg(unix)]
    programs.extend(links(&course));
    programs.extend(archives(&course));
    assert!(programs.len() > 25);

    let results = course.grade(&programs);
    for submission in &results.suites[0].submissions {
        let alone = |text: String| text.lines().take(20).collect::<Vec<_>>().join("\n");
        assert_eq!(submission.points(), 0.0, "{}: {}", submission.program, alone(format!("{submission:#?}")));
    }
    assert_eq!(leaks(&results), Vec::<String>::new());
    // Gradescope's format is about one submission; and no report shows the folders of the copies.
    for submission in &results.suites[0].submissions {
        let mut one = results.clone();
        one.suites[0].submissions = vec![submission.clone()];
        assert_eq!(leaks(&one), Vec::<String>::new());
        for (format, text) in all_reports(&one) {
            assert!(!text.contains(".scratch"), "{}: {format}: {text}", submission.program);
        }
    }
}

/// Returns submissions that are links, or contain some.
#[cfg(unix)]
fn links(course: &Course) -> Vec<PathBuf> {
    use std::os::unix::fs::symlink;
    let at = |name: &str| course.path("course/class").join(name);
    symlink("../model.asm", at("link.asm")).unwrap();
    symlink("../gold.com", at("link.com")).unwrap();
    symlink("..", at("linked")).unwrap();
    for (name, text) in [
        ("inner", "        include stolen.inc\n"),
        ("inner2", "        include up/model.asm\n"),
        ("inner3", &bytes("        incbin <stolen.com>")),
    ] {
        course.write(&format!("course/class/{name}/main.asm"), text.as_bytes());
    }
    symlink("../../model.asm", at("inner/stolen.inc")).unwrap();
    symlink("../..", at("inner2/up")).unwrap();
    symlink("../../gold.com", at("inner3/stolen.com")).unwrap();
    ["link.asm", "link.com", "linked", "inner", "inner2", "inner3"].map(at).to_vec()
}

/// Returns a ZIP archive of stored files. A name that ends with `@` is a link to the contents.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, contents) in files {
        let mode: u32 = if name.ends_with('@') { 0o120_777 } else { 0o100_644 };
        let name = name.trim_end_matches('@');
        let mut crc = flate2::Crc::new();
        crc.update(contents);
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        head.extend(crc.sum().to_le_bytes());
        head.extend([(contents.len() as u32).to_le_bytes(); 2].concat());
        head.extend([(name.len() as u16).to_le_bytes(), [0; 2]].concat());
        directory.extend([b"PK\x01\x02\x14\x03".as_slice(), &head, &[0; 6]].concat());
        directory.extend((mode << 16).to_le_bytes());
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        bytes.extend([b"PK\x03\x04".as_slice(), &head, name.as_bytes(), contents].concat());
    }
    let (start, count) = (bytes.len() as u32, files.len() as u16);
    bytes.extend(&directory);
    bytes.extend([b"PK\x05\x06\0\0\0\0".as_slice(), &count.to_le_bytes(), &count.to_le_bytes()].concat());
    bytes.extend([(directory.len() as u32).to_le_bytes(), start.to_le_bytes()].concat());
    bytes.extend([0, 0]);
    bytes
}

/// Returns submissions that are archives: with files beside them, names that lead out of them,
/// links, and too much data.
fn archives(course: &Course) -> Vec<PathBuf> {
    let mut programs = Vec::new();
    let mut add = |name: &str, files: &[(&str, &[u8])]| {
        course.write(&format!("course/class/{name}"), &zip(files));
        programs.push(course.path(&format!("course/class/{name}")));
    };
    add("beside.zip", &[("main.asm", b"        include ../model.asm\n")]);
    add("beside2.zip", &[("main.asm", b"        include good.asm\n")]);
    add("beside3.zip", &[("x/main.asm", bytes("        incbin <../../gold.com>").as_bytes())]);
    add("out.zip", &[("../../model.asm", MODEL.as_bytes())]);
    add("out2.zip", &[("main.asm", b"        include io.inc\n"), ("/../give/io.inc", b"")]);
    add("link.zip", &[("main.asm", b"        include stolen.inc\n"), ("stolen.inc@", b"../../model.asm")]);
    add("link2.zip", &[("main.asm@", b"../../model.asm")]);
    add("two.zip", &[("a.asm", MODEL.as_bytes()), ("b.asm", MODEL.as_bytes())]);
    add("none.zip", &[("README", b"")]);
    let many: Vec<String> = (0..600).map(|number| format!("{number}.inc")).collect();
    let many = many.iter().map(|name| (name.as_str(), b"".as_slice()));
    add("many.zip", &many.chain([("main.asm", HONEST.as_bytes())]).collect::<Vec<_>>());
    course.write("course/class/no.zip", b"PK, but no archive");
    programs.push(course.path("course/class/no.zip"));
    programs
}

/// The exercise can be solved, with the given files, by a file, a folder and an archive of either.
#[test]
fn honest_work_has_what_the_suite_gives() {
    let course = Course::new();
    course.write("course/class/team/main.asm", HONEST.replace("three.inc", "own\\THREE.INC").as_bytes());
    course.write("course/class/team/own/three.inc", b"three equ 3\n");
    let own = HONEST.replace("three.inc", "own\\THREE.INC");
    let files: [(&str, &[u8]); 3] = [
        ("team/own/three.inc", b"three equ 3\n"),
        ("team/main.asm", own.as_bytes()),
        ("__MACOSX/._main.asm", b""),
    ];
    course.write("course/class/team.zip", &zip(&files));
    course.write("course/class/flat.ZIP", &zip(&[("Honest.asm", HONEST.as_bytes())]));
    let class = ["honest.asm", "good.asm", "team", "GOOD.COM", "team.zip", "flat.ZIP"];
    let report = course.grade(&class.map(|name| course.path("course/class").join(name)));
    let points: Vec<f64> = report.suites[0].submissions.iter().map(SubmissionReport::points).collect();
    assert_eq!(points, [3.0; 6], "{}", report::text(&report));
    let names: Vec<&str> = report.suites[0].submissions.iter().map(|one| one.program.as_str()).collect();
    assert!(names[4].ends_with("class/team.zip"), "{names:?}");
    assert!(report.suites[0].submissions[4].tests[0].command.contains("unzip -q"), "{report:?}");
    assert!(
        report.suites[0].submissions[4].tests[0].command.contains("oxbox run $s/team/main.asm"),
        "{report:?}"
    );
}

/// Messages contain the user's names, and are the same whether a file exists or not.
#[test]
fn messages_do_not_tell_what_is_there() {
    let course = Course::new();
    let errors = |name: &str| {
        course.write("course/class/asks.asm", format!("        include {name}\n").as_bytes());
        let report = course.grade(&[course.path("course/class/asks.asm")]);
        let errors = &report.suites[0].submissions[0].errors;
        errors.iter().map(|error| error.to_string().replace(name, "X")).collect::<Vec<_>>()
    };
    let here = course.path("course").display().to_string();
    for (there, gone) in [
        ("../model.asm".to_owned(), "../models.asm".to_owned()),
        (format!("{here}/model.asm"), format!("{here}/models.asm")),
        ("model.asm".to_owned(), "models.asm".to_owned()),
        ("/dev/zero".to_owned(), "/dev/zeros".to_owned()),
    ] {
        let found = errors(&there);
        assert!(found[0].contains("asks.asm:1: cannot find \"X\" beside the source"), "{found:?}");
        assert!(
            found[0].starts_with(&Path::new(&here).join("class/asks.asm").display().to_string()),
            "{found:?}"
        );
        assert_eq!(found, errors(&gone));
    }
}

/// A suite cannot give away its own files by mistake.
#[test]
fn what_is_given_holds_no_secret() {
    let course = Course::new();
    let rows = [
        ("include = [\".\"]", "suite.toml:1: include "),
        ("given = [\"golden\"]", "suite.toml:1: given "),
        ("include = [\"model.asm\"]", "suite.toml:1: include "),
        ("\ninclude = [\"gone.inc\"]", "suite.toml:2: include "),
        ("given = [\"give\"]\ninclude = [\"class\"]", "suite.toml:2: include "),
    ];
    let tests = SUITE.split_once("[[test]]").unwrap().1;
    for (lines, expected) in rows {
        let path = course.path("course/suite.toml");
        let class = ["good.asm", "honest.asm"].map(|name| course.path("course/class").join(name));
        let suite = Suite::parse(&path, &format!("{lines}\n[[test]]{tests}"));
        let error =
            suite.and_then(|suite| run(&[suite], &class, &Options::default())).unwrap_err().to_string();
        let prefix = format!("{}/", course.path("course").display());
        assert!(error.replacen(&prefix, "", 1).starts_with(expected), "{lines}: {error}");
    }
}
