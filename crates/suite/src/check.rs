//! Compares a run with a test's expectations.

use std::path::Path;

use super::bytes;
use super::difference;
use super::drive::{TestDrive, read_file};
use super::model::Test;
use super::play::{MOST_OUTPUT, Run};
use super::program::Program;
use super::results::{Check, Failure};
use oxbox_cpu::Registers;
use oxbox_files::atomic_file;
use oxbox_inspect::named;
use oxbox_machine::expression::{ExpectedBytes, Expression, ExpressionError, Named, Scope};
use oxbox_machine::machine::{End, Limit, Machine};
use oxbox_media::picture::Picture;
use oxbox_media::pixels::Pixels;

#[derive(Debug)]
pub(super) enum Golden {
    Picture(Picture),
    Text(Vec<String>),
}

impl Golden {
    /// Reads a file in the format of its extension.
    pub(super) fn read(path: &Path) -> Result<Golden, String> {
        let bytes = read_file(path).map_err(|error| format!("cannot be read: {error}"))?;
        if is_picture(path) {
            return Picture::decode(&bytes).map(Golden::Picture).map_err(|error| error.to_string());
        }
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let lines = text.lines().map(|line| line.trim_end().to_owned());
        Ok(Golden::Text(difference::used(lines.collect())))
    }

    /// Writes a run's screen to the file, for `--bless`.
    pub(super) fn bless(path: &Path, run: &Run) -> Result<(), String> {
        let contents = if is_picture(path) {
            Picture::from(run.machine.frame()).encode().map_err(|_| "the screen has no pixels")?
        } else {
            let lines = run.screen().ok_or("the screen is in a graphics mode: use a .png")?;
            lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
        };
        if std::fs::read(path).is_ok_and(|there| there == contents) {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        atomic_file::write(path, &contents).map_err(|error| error.to_string())
    }

    pub(super) fn compare(&self, run: &Run, name: &str) -> Option<Failure> {
        match self {
            Golden::Picture(expected) => {
                let difference = Pixels::from(&run.machine.frame()).difference(expected.into())?;
                Some(Failure::new(Check::Golden, format!("not {name}: {difference}")))
            }
            Golden::Text(expected) => {
                let Some(found) = run.screen() else {
                    return Some(Failure::new(
                        Check::Golden,
                        "the screen is in a graphics mode, which has no text",
                    ));
                };
                (found != *expected).then(|| Failure {
                    difference: difference::of_lines(expected, &found),
                    ..Failure::new(Check::Golden, format!("the screen is not {name}"))
                })
            }
        }
    }
}

fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}

/// Checks all expectations except golden screens and models.
pub(super) fn check(test: &Test, program: &Program, run: &mut Run, drive: &TestDrive) -> Vec<Failure> {
    let mut failures = Vec::new();
    if !matches!(run.end, End::Exited(_) | End::Waiting) {
        let ms = test.limit_ms;
        let end = match &run.end {
            End::Limit(Limit::Time) => format!("still runs after {ms} ms of virtual time"),
            End::Limit(Limit::Work) => {
                format!("exceeds the limit of BIOS and DOS work for {ms} ms of virtual time")
            }
            End::Limit(Limit::Output) => format!("printed more than {MOST_OUTPUT} bytes"),
            End::Crashed(_) if run.why.crash.is_some() => run.why.crash.clone().unwrap_or_default(),
            end => run.why.hint.iter().fold(end.to_string(), |end, hint| format!("{end}: {hint}")),
        };
        failures.push(Failure::new(Check::End, format!("the program {end}")));
        if matches!(run.end, End::Unloadable(_)) {
            return failures;
        }
    }
    let expect = &test.expect;
    match (expect.exit, &run.end) {
        (Some(code), End::Exited(found)) if code != *found => {
            failures.push(Failure::new(Check::Exit, format!("the exit code is {found}, not {code}")));
        }
        (Some(code), End::Waiting) => {
            let text = format!("the program waits for a key; expected exit code {code}");
            failures.push(Failure::new(Check::Exit, text));
        }
        (None, End::Waiting) if expect.ends => {
            failures.push(Failure::new(Check::Ends, "the program waits for a key; it was expected to end"));
        }
        _ => {}
    }
    let screen = run.screen();
    failures.extend(on_screen(&expect.screen, screen.as_deref()));
    let output = bytes::to_text(&run.output);
    if let Some(wanted) = expect.output.as_ref().filter(|wanted| **wanted != run.output) {
        failures.push(Failure {
            difference: difference::of_bytes(wanted, &run.output),
            ..Failure::new(Check::Output, "the output differs")
        });
    }
    for text in expect.output_has.iter().filter(|text| !output.contains(text.as_str())) {
        let message = format!("{text:?} is not in the output");
        failures.push(Failure {
            difference: near(text, output.lines()),
            ..Failure::new(Check::OutputHas, message)
        });
    }
    for text in &expect.not {
        let shown = screen.iter().flatten().any(|line| line.contains(text.as_str()));
        if shown || output.contains(text.as_str()) {
            let place = if shown { "on the screen" } else { "in the output" };
            failures.push(Failure::new(Check::Not, format!("{text:?} must not be {place}")));
        }
    }
    for (name, wanted) in &expect.files {
        failures.extend(file(name, wanted, drive.read(name).as_deref()));
    }
    for check in &expect.memory {
        failures.extend(memory(check, program, run, &test.numbers));
    }
    failures.extend(
        expect.condition.as_ref().and_then(|expression| condition(expression, program, run, &test.numbers)),
    );
    failures
}

/// Checks that texts are on the screen in this order.
fn on_screen(wanted: &[String], screen: Option<&[String]>) -> Option<Failure> {
    let first = wanted.first()?;
    let Some(lines) = screen else {
        let text = format!("{first:?} is not on the screen, which is in a graphics mode");
        return Some(Failure::new(Check::Screen, text));
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
                format!("{text:?} is on the screen, but not after {:?}", wanted[before])
            }
            _ => format!("{text:?} is not on the screen"),
        };
        return Some(Failure {
            difference: near(text, lines.iter().map(String::as_str)),
            ..Failure::new(Check::Screen, message)
        });
    }
    None
}

/// Returns a missing text and the most similar line.
fn near<'a>(text: &str, lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let found = difference::nearest(text, lines);
    found.map_or_else(Vec::new, |found| {
        vec![format!("- {}", bytes::visible(text)), format!("+ {}", bytes::visible(found))]
    })
}

fn file(name: &str, wanted: &[u8], found: Option<&[u8]>) -> Option<Failure> {
    match found {
        None => Some(Failure::new(Check::ExpectFiles, format!("the program wrote no file {name}"))),
        Some(found) if found == wanted => None,
        Some(found) => Some(Failure {
            difference: difference::of_bytes(wanted, found),
            ..Failure::new(Check::ExpectFiles, format!("{name} has other contents"))
        }),
    }
}

/// The machine at the end of a run, and the program's symbols.
struct AtEnd<'a> {
    machine: &'a mut Machine,
    registers: &'a Registers,
    program: &'a Program,
    base: u32,
    numbers: &'a [(String, i64)],
}

impl<'a> AtEnd<'a> {
    fn new(program: &'a Program, run: &'a mut Run, numbers: &'a [(String, i64)]) -> AtEnd<'a> {
        AtEnd { machine: &mut run.machine, registers: &run.registers, program, base: run.base, numbers }
    }
}

impl Scope for AtEnd<'_> {
    fn registers(&self) -> &Registers {
        self.registers
    }

    fn read(&mut self, address: u32) -> Option<u8> {
        self.machine.read_memory(address, 1).first().copied()
    }

    fn symbol(&self, name: &str) -> Option<Named> {
        if let Some((_, number)) = self.numbers.iter().find(|(known, _)| known == name) {
            return Some(Named::Number(*number));
        }
        named(self.program.symbols.as_ref()?, self.base, name)
    }
}

/// Returns why an expression cannot be evaluated.
fn no_value(expression: &Expression, error: &ExpressionError, program: &Program) -> String {
    match error {
        ExpressionError::Unknown { name, .. } if program.symbols.is_none() => {
            format!("{name}: this program has no symbols, because oxbox did not assemble it: use SEG:OFF")
        }
        ExpressionError::Unknown { name, .. } => format!("{name}: the program has no such symbol"),
        error => format!("{expression}: {error}"),
    }
}

fn memory(
    expected: &ExpectedBytes,
    program: &Program,
    run: &mut Run,
    numbers: &[(String, i64)],
) -> Option<Failure> {
    let place = &expected.place;
    let found = match expected.found(&mut AtEnd::new(program, run, numbers)) {
        Ok(found) if found == expected.bytes => return None,
        Ok(found) => found,
        Err(error) => return Some(Failure::new(Check::Memory, no_value(place, &error, program))),
    };
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
    Some(Failure {
        difference: vec![format!("- {}", hex(&expected.bytes)), format!("+ {}", hex(&found))],
        ..Failure::new(Check::Memory, format!("{place} has other bytes"))
    })
}

fn condition(
    expression: &Expression,
    program: &Program,
    run: &mut Run,
    numbers: &[(String, i64)],
) -> Option<Failure> {
    match expression.value(&mut AtEnd::new(program, run, numbers)) {
        Ok(value) if value.is_true() => None,
        Ok(_) => Some(Failure::new(Check::Where, format!("{expression} does not hold"))),
        Err(error) => Some(Failure::new(Check::Where, no_value(expression, &error, program))),
    }
}
