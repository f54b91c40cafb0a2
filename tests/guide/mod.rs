//! The guide's commands are run, and what they print is what the guide says.
//!
//! A block ```` ```console ```` holds commands, each behind `$ `, and what they print; `? N` below a command is its exit code, 0 where there
//! is none, and a line `...` stands for any lines. A command without output may print anything. They run in a folder of the
//! chapter, one after the other, with the files that the chapter shows as ```` ```LANGUAGE,NAME ```` and those of a folder named by
//! `<!-- files: FOLDER -->`. What needs a screen or another machine stands in ```` ```console,parse ````, and like commands within a
//! sentence it is parsed only. `OXBOX_BLESS=1 cargo test --test command guide` writes what the commands print into the guide.
#![cfg(all(feature = "assembler", unix))]

use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A line that stands for any lines.
const ANY: &str = "...";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a line in a folder: exit code, and the lines that it prints.
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
    // How far a long walk is depends on how fast the host is.
    let lines = printed.lines().filter(|line| !line.starts_with("oxbox: after "));
    (output.status.code().unwrap_or(-1), lines.map(|line| line.trim_end().to_owned()).collect())
}

/// Whether lines are as expected, where [`ANY`] stands for any of them.
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

/// A chapter on its way: its folder, what is wrong so far, and its text as it should be.
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

    /// The commands that a sentence names.
    fn sentence(&mut self, line: &str) {
        for code in line.split('`').skip(1).step_by(2).filter(|code| code.starts_with("oxbox ")) {
            self.parses(code);
        }
    }

    /// The command takes these words. Its help comes last, so that everything before is looked at and nothing is done.
    fn parses(&mut self, line: &str) {
        if !line.starts_with("oxbox") {
            return;
        }
        // Not what a pipe or a comment adds.
        let line = line.split(" | ").next().and_then(|line| line.split(" # ").next()).unwrap_or(line);
        let (code, found) = run(self.folder.path(), &format!("{line} --help"));
        if code != 0 {
            self.fail(&format!("{line}: {}", found.join("\n")));
        }
    }
}

/// Copies a folder and what is in it.
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

/// The chapters, as the summary names them: no file of the guide is missing there.
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

/// A test a chapter, so that they run side by side.
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
    what_it_does: "commands.md",
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

/// The README's commands parse, too, and the formats in the guide are those that the command prints.
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
