//! A run held against what a test expects of it.

use std::path::Path;

use super::bytes;
use super::difference;
use super::drive::TestDrive;
use super::memory::{MemoryCheck, MemoryPlace};
use super::model::Test;
use super::play::{End, Run};
use super::program::Program;
use super::results::Failure;
use crate::hardware::linear;
use crate::picture::Picture;
use crate::whole_file;

/// A golden screen, read.
#[derive(Debug)]
pub(super) enum Golden {
    Picture(Picture),
    Text(Vec<String>),
}

impl Golden {
    /// Reads the file's bytes by its name.
    pub(super) fn read(path: &Path) -> Result<Golden, String> {
        let bytes = super::format::read_file(path).map_err(|error| format!("cannot be read: {error}"))?;
        if is_picture(path) {
            return Picture::decode(&bytes).map(Golden::Picture);
        }
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let lines = text.lines().map(|line| line.trim_end().to_owned());
        Ok(Golden::Text(difference::used(lines.collect())))
    }

    /// The file that a run's screen makes, for `--bless`.
    pub(super) fn bless(path: &Path, run: &Run) -> Result<(), String> {
        let contents = if is_picture(path) {
            Picture::from(run.machine.frame()).encode().map_err(|_| "there is no picture")?
        } else {
            let lines = run.screen().ok_or("the screen is in a graphics mode: a .png holds it")?;
            lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
        };
        if std::fs::read(path).is_ok_and(|there| there == contents) {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        whole_file::write(path, &contents).map_err(|error| error.to_string())
    }

    /// How a run's screen differs.
    pub(super) fn compare(&self, run: &Run, name: &str) -> Option<Failure> {
        match self {
            Golden::Picture(expected) => {
                let difference = Picture::from(run.machine.frame()).difference(expected)?;
                Some(Failure::new("golden", format!("not {name}: {difference}")))
            }
            Golden::Text(expected) => {
                let Some(found) = run.screen() else {
                    return Some(Failure::new(
                        "golden",
                        "the screen is in a graphics mode, which has no text",
                    ));
                };
                (found != *expected).then(|| Failure {
                    difference: difference::of_lines(expected, &found),
                    ..Failure::new("golden", format!("the screen is not {name}"))
                })
            }
        }
    }
}

fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}

/// Everything but golden screens and models.
pub(super) fn check(test: &Test, program: &Program, run: &mut Run, drive: &TestDrive) -> Vec<Failure> {
    let mut failures = Vec::new();
    if !matches!(run.end, End::Exited(_) | End::Waiting) {
        failures.push(Failure::new("end", format!("the program {}", run.end)));
        if matches!(run.end, End::Unloadable(_)) {
            return failures;
        }
    }
    let expect = &test.expect;
    match (expect.exit, &run.end) {
        (Some(code), End::Exited(found)) if code != *found => {
            failures.push(Failure::new("exit", format!("the exit code is {found}, not {code}")));
        }
        (Some(code), End::Waiting) => {
            let text = format!("the program waits for a key, and was to end with code {code}");
            failures.push(Failure::new("exit", text));
        }
        _ => {}
    }
    let screen = run.screen();
    failures.extend(on_screen(&expect.screen, screen.as_deref()));
    let output = bytes::to_text(&run.output);
    if let Some(wanted) = expect.output.as_ref().filter(|wanted| **wanted != run.output) {
        failures.push(Failure {
            difference: difference::of_bytes(wanted, &run.output),
            ..Failure::new("output", "the output is another")
        });
    }
    for text in expect.output_has.iter().filter(|text| !output.contains(text.as_str())) {
        let message = format!("{text:?} is not in the output");
        failures
            .push(Failure { difference: near(text, output.lines()), ..Failure::new("output_has", message) });
    }
    for text in &expect.not {
        let shown = screen.iter().flatten().any(|line| line.contains(text.as_str()));
        if shown || output.contains(text.as_str()) {
            let place = if shown { "on the screen" } else { "in the output" };
            failures.push(Failure::new("not", format!("{text:?} is {place}, and was not to be")));
        }
    }
    for (name, wanted) in &expect.files {
        failures.extend(file(name, wanted, drive.read(name).as_deref()));
    }
    for check in &expect.memory {
        failures.extend(memory(check, program, run));
    }
    failures
}

/// Texts that have to be on the screen, each behind the one before.
fn on_screen(wanted: &[String], screen: Option<&[String]>) -> Option<Failure> {
    let first = wanted.first()?;
    let Some(lines) = screen else {
        let text = format!("{first:?} is not on the screen, which is in a graphics mode");
        return Some(Failure::new("screen", text));
    };
    let whole = lines.join("\n");
    let mut from = 0;
    for (number, text) in wanted.iter().enumerate() {
        if let Some(at) = whole[from..].find(text.as_str()) {
            from += at + text.len();
            continue;
        }
        let message = match number.checked_sub(1) {
            Some(before) if whole.contains(text.as_str()) => {
                format!("{text:?} is on the screen, but not behind {:?}", wanted[before])
            }
            _ => format!("{text:?} is not on the screen"),
        };
        return Some(Failure {
            difference: near(text, lines.iter().map(String::as_str)),
            ..Failure::new("screen", message)
        });
    }
    None
}

/// What is missing, and the line that may have been meant to be it.
fn near<'a>(text: &str, lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let found = difference::nearest(text, lines);
    found.map_or_else(Vec::new, |found| {
        vec![format!("- {}", bytes::visible(text)), format!("+ {}", bytes::visible(found))]
    })
}

fn file(name: &str, wanted: &[u8], found: Option<&[u8]>) -> Option<Failure> {
    match found {
        None => Some(Failure::new("expect_files", format!("there is no file {name}"))),
        Some(found) if found == wanted => None,
        Some(found) => Some(Failure {
            difference: difference::of_bytes(wanted, found),
            ..Failure::new("expect_files", format!("{name} holds something else"))
        }),
    }
}

fn memory(check: &MemoryCheck, program: &Program, run: &mut Run) -> Option<Failure> {
    let address = match &check.place {
        MemoryPlace::Address(segment, offset) => linear(*segment, *offset),
        MemoryPlace::Symbol(name, behind) => {
            let symbol = program.symbols.as_ref().and_then(|symbols| symbols.find(name));
            let Some(symbol) = symbol else {
                let why = if program.symbols.is_some() {
                    "the program has no such symbol"
                } else {
                    "symbols are known of what oxbox assembles and links itself: name SEG:OFF"
                };
                return Some(Failure::new("memory", format!("{name}: {why}")));
            };
            run.base.wrapping_add(symbol.address()).wrapping_add((*behind).into())
        }
    };
    let found = run.machine.read_memory(address, check.bytes.len() as u32);
    if found == check.bytes {
        return None;
    }
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
    Some(Failure {
        difference: vec![format!("- {}", hex(&check.bytes)), format!("+ {}", hex(&found))],
        ..Failure::new("memory", format!("{} holds other bytes", check.name))
    })
}
