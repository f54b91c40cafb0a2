//! Runs the guide's commands and compares their output with the guide.
//!
//! A block ```` ```console ```` contains commands, each after `$ `, and their output. `? N` below a
//! command is its exit code; without it the code must be 0. A line `...` matches any lines. A
//! command without output may print anything. The commands run in a folder of the chapter, one
//! after the other, with the files that the chapter shows as ```` ```LANGUAGE,NAME ```` and those
//! of a folder named by `<!-- files: FOLDER -->`. Commands that need a screen or another machine
//! are in ```` ```console,parse ````; like commands in a sentence they are only parsed.
//! `OXBOX_BLESS=1 cargo test --test command guide` writes the output into the guide.
#![cfg(all(feature = "assembler", unix))]

use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A line that matches any lines.
const ANY: &str = "...";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a line in a folder. Returns exit code and output lines.
fn run(folder: &Path, line: &str) -> (i32, Vec<String>) {
    let oxbox = cargo_bin("oxbox");
    let path = format!(
        "{}:{}",
        oxbox.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("sh")
        .args(["-c", &format!("({line}) 2>&1")])
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env_remove("DISPLAY")
        .current_dir(folder)
        .output()
        .expect("a shell");
    let printed = String::from_utf8_lossy(&output.stdout);
    // The progress of a long search depends on the speed of the host.
    let lines = printed.lines().filter(|line| !line.starts_with("oxbox: after "));
    (output.status.code().unwrap_or(-1), lines.map(|line| line.trim_end().to_owned()).collect())
}

/// Whether lines are as expected, where [`ANY`] matches any of them.
fn matches(expected: &[String], found: &[String]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first == ANY => {
            (0..=found.len()).any(|skipped| matches(rest, &found[skipped..]))
        }
        Some((first, rest)) => {
            found.split_first().is_some_and(|(line, more)| line == first && matches(rest, more))
        }
    }
}

/// A chapter during its check: its folder, its errors so far, and its text as it should be.
struct Chapter {
    name: String,
    folder: TempDir,
    wrong: Vec<String>,
    text: String,
}

impl Chapter {
    fn read(path: &Path) -> Chapter {
        let folder = TempDir::new().expect("a folder");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut chapter = Chapter { name, folder, wrong: Vec::new(), text: String::new() };
        let text = fs::read_to_string(path).expect("a chapter");
        if let Some((_, rest)) = text.split_once("<!-- files: ") {
            let files = rest.split_once(" -->").expect("the end of a comment").0;
            copy(&root().join(files), chapter.folder.path());
        }
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            chapter.put(line);
            let Some(kind) = line.strip_prefix("```") else {
                chapter.sentence(line);
                continue;
            };
            let block: Vec<String> =
                lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect();
            chapter.block(kind, &block);
            chapter.put("```");
        }
        chapter
    }

    fn put(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn fail(&mut self, what: &str) {
        self.wrong.push(format!("{}: {what}", self.name));
    }

    fn block(&mut self, kind: &str, block: &[String]) {
        match kind.split_once(',').unwrap_or((kind, "")) {
            ("console", "") => return self.console(block),
            ("console", "parse") => block.iter().for_each(|line| self.parses(line)),
            (_, "" | "ignore") => {}
            (_, file) => fs::write(self.folder.path().join(file), block.join("\n") + "\n").expect("a file"),
        }
        block.iter().for_each(|line| self.put(line));
    }

    fn console(&mut self, block: &[String]) {
        let mut rest = block;
        while let Some((line, more)) = rest.split_first() {
            self.put(line);
            let Some(command) = line.strip_prefix("$ ") else {
                self.fail(&format!("{line:?} is no command"));
                return;
            };
            let next = more.iter().position(|line| line.starts_with("$ ")).unwrap_or(more.len());
            let (mut expected, others) = more.split_at(next);
            let mut code = 0;
            if let Some((first, output)) = expected.split_first()
                && let Some(number) = first.strip_prefix("? ")
            {
                code = number.parse().expect("an exit code");
                self.put(first);
                expected = output;
            }
            let (found_code, found) = run(self.folder.path(), command);
            if found_code != code {
                self.fail(&format!("{command}: exit code {found_code}, not {code}:\n{}", found.join("\n")));
            }
            if !expected.is_empty() && !matches(expected, &found) {
                self.fail(&format!(
                    "{command}: expected\n{}\n--- found\n{}",
                    expected.join("\n"),
                    found.join("\n")
                ));
                found.iter().for_each(|line| self.put(line));
            } else {
                expected.iter().for_each(|line| self.put(line));
            }
            rest = others;
        }
    }

    /// Checks the commands in a sentence.
    fn sentence(&mut self, line: &str) {
        for code in line.split('`').skip(1).step_by(2).filter(|code| code.starts_with("oxbox ")) {
            self.parses(code);
        }
    }

    /// Checks that the command accepts these words. `--help` comes last, so that everything before
    /// it is parsed and nothing is done.
    fn parses(&mut self, line: &str) {
        if !line.starts_with("oxbox") {
            return;
        }
        // Without the rest of a pipe or a comment.
        let line = line.split(" | ").next().and_then(|line| line.split(" # ").next()).unwrap_or(line);
        let (code, found) = run(self.folder.path(), &format!("{line} --help"));
        if code != 0 {
            self.fail(&format!("{line}: {}", found.join("\n")));
        }
    }
}

/// Copies a folder with its content.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            fs::create_dir_all(&target).expect("a folder");
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file");
        }
    }
}

/// Returns the chapters in the summary, which must contain all files of the guide.
fn chapters() -> Vec<PathBuf> {
    let guide = root().join("docs/guide");
    let summary = fs::read_to_string(guide.join("SUMMARY.md")).expect("a summary");
    let named: Vec<PathBuf> =
        summary.split("](").skip(1).map(|rest| guide.join(rest.split_once(')').expect("a link").0)).collect();
    for entry in fs::read_dir(&guide).expect("the guide") {
        let path = entry.expect("an entry").path();
        let is_chapter = path.extension().is_some_and(|end| end == "md") && !path.ends_with("SUMMARY.md");
        assert!(!is_chapter || named.contains(&path), "{} is not in SUMMARY.md", path.display());
    }
    named
}

fn check(chapter: &str) {
    let path = root().join("docs/guide").join(chapter);
    let read = Chapter::read(&path);
    if std::env::var_os("OXBOX_BLESS").is_some() {
        fs::write(&path, &read.text).expect("write the chapter");
    }
    assert!(read.wrong.is_empty(), "{}", read.wrong.join("\n\n"));
}

/// One test per chapter, so that they run in parallel.
macro_rules! chapters {
    ($($name:ident: $file:literal,)*) => {
        $(#[test]
        fn $name() {
            check($file);
        })*

        #[test]
        fn every_chapter_is_tested() {
            let tested = [$($file),*].map(|file| root().join("docs/guide").join(file));
            assert_eq!(chapters(), tested);
        }
    };
}

chapters! {
    commands: "commands.md",
    play: "play.md",
    write_assembly: "write-assembly.md",
    find_a_mistake: "find-a-mistake.md",
    debug: "debug.md",
    grade_a_class: "grade-a-class.md",
    test_in_ci: "test-in-ci.md",
    explore_and_prove: "prove-your-program.md",
    what_is_proved: "what-is-proved.md",
    referee: "referee.md",
    in_the_browser: "in-the-browser.md",
    beat_the_2007_game: "beat-it.md",
    the_originals: "the-originals.md",
    embed: "embed.md",
    formats: "formats.md",
    the_machine: "machine.md",
}

/// The README's commands are parsed too, and the formats in the guide equal those that the command
/// prints.
#[test]
fn what_stands_twice_is_the_same() {
    let guide = fs::read_to_string(root().join("docs/guide/formats.md")).expect("the chapter");
    let format = oxbox::machine::Script::FORMAT;
    assert!(
        guide.contains(&format!("```text\n{format}```")),
        "formats.md is not what `oxbox help script` prints"
    );
    let grammar = oxbox::inspect::expression::Expression::GRAMMAR;
    assert!(
        guide.contains(&format!("```text\n{grammar}```")),
        "formats.md is not what `oxbox help expressions` prints"
    );
    let folder = TempDir::new().expect("a folder");
    let mut readme = Chapter { name: "README.md".to_owned(), folder, wrong: Vec::new(), text: String::new() };
    let text = fs::read_to_string(root().join("README.md")).expect("the README");
    text.lines().for_each(|line| readme.sentence(line));
    assert!(readme.wrong.is_empty(), "{}", readme.wrong.join("\n\n"));
}
