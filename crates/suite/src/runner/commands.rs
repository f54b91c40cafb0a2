//! Shell commands that repeat a test, or show the difference between a program and its model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::job::Job;
use crate::archive::is_archive;
use crate::drive::{printf, quoted, shell_copy, shown};
use crate::model::Input;
use crate::submission::runnable;
use oxbox_toolchain::is_source;

impl Job<'_> {
    /// Returns the shell command that shows the difference between the program and its model.
    pub(super) fn comparison(&self, model: &Path, copied: bool) -> String {
        let test = self.test.test;
        let word = |path: &Path| quoted(&shown(path).to_string_lossy());
        let keys = match &test.input {
            Input::Keys(keys, _) => Some(format!(" --keys {}", quoted(keys))),
            Input::None => Some(String::new()),
            _ => None,
        };
        self.unpacked(match (&test.expect.choices, keys) {
            (Some(choices), Some(keys)) if test.args.is_empty() => format!(
                "{} && oxbox same {} {} --choices {}{keys} --dir $d{}",
                shell_copy(&self.one.template, &test.files),
                word(model),
                word(&runnable(self.path)),
                quoted(choices),
                self.assembling(model, self.path)
            ),
            _ => {
                let shows = |path: &Path, file: &str| {
                    format!("{{ {}; echo \"exit code $?\"; }} > ${file}", self.run_of(path, copied))
                };
                format!(
                    "a=$(mktemp); b=$(mktemp); {}; {}; diff $a $b",
                    shows(model, "a"),
                    shows(&runnable(self.path), "b")
                )
            }
        })
    }

    /// Returns the assembler options for these programs.
    fn assembling(&self, one: &Path, other: &Path) -> String {
        if !is_source(&runnable(one)) && !is_source(&runnable(other)) {
            return String::new();
        }
        let word = |path: &Path| quoted(&shown(path).to_string_lossy());
        let parents = self.one.include_files.iter().filter_map(|file| file.parent());
        let folders: BTreeSet<&Path> =
            self.one.build.includes.iter().map(PathBuf::as_path).chain(parents).collect();
        let mut options: String =
            folders.into_iter().map(|folder| format!(" --include {}", word(folder))).collect();
        let assembler = self.options.build.assembler.iter();
        options.extend(assembler.map(|path| format!(" --assembler {}", word(path))));
        options
    }

    /// Returns the shell command that repeats the run, on a copy if files are read or written.
    pub(super) fn command(&self, copied: bool) -> String {
        self.unpacked(self.run_of(&runnable(self.path), copied))
    }

    /// Returns a shell command that unpacks an archive first: its paths are then below `$s`.
    fn unpacked(&self, command: String) -> String {
        if !is_archive(self.path) {
            return command;
        }
        let archive = shown(self.path).to_string_lossy().into_owned();
        let unpacked = command.replace(&format!("{}/", quoted(&archive)), "$s/");
        format!("s=$(mktemp -d) && unzip -q {} -d $s && {unpacked}", quoted(&archive))
    }

    /// Returns the shell command that runs a program like the test does.
    fn run_of(&self, program: &Path, copied: bool) -> String {
        let test = self.test.test;
        let mut words = Vec::new();
        let template = &self.one.template;
        let word = |path: &Path| quoted(&shown(path).to_string_lossy());
        words.push(format!("oxbox run {}", quoted(&program.to_string_lossy())));
        match &test.input {
            Input::Keys(keys, _) => words.push(format!("--keys {}", quoted(keys))),
            Input::Script(path, _) => words.push(format!("--script {}", word(path))),
            Input::Stdin(_) => {}
            Input::None => words.push("--headless".to_owned()),
        }
        let unchanged = template.folder.as_ref().filter(|_| !copied && self.one.suite.given.is_empty());
        let dir = unchanged.map_or("$d".to_owned(), |folder| word(folder));
        words.push(format!("--dir {dir} --time-limit {}", test.limit_ms));
        let settings = test.settings.options();
        words.extend(settings.iter().map(|(option, value)| format!("{option} {}", quoted(value))));
        let last = words.len() - 1;
        words[last] += &self.assembling(program, program);
        if !test.args.is_empty() {
            words.push(format!("-- {}", quoted(&test.args)));
        }
        let run = match &test.input {
            Input::Stdin(bytes) => format!("printf {} | {}", printf(bytes), words.join(" ")),
            _ => words.join(" "),
        };
        if unchanged.is_some() { run } else { format!("{} && {run}", shell_copy(template, &test.files)) }
    }
}
