//! Assembles NASM sources with the installed NASM: to an object for the linker or, if they start
//! with ORG, to a complete COM program with the lines of its listing.

use super::Format;
use super::diagnostic::{Diagnostic, Place, Severity, ToolError};
use super::files::is_below;
use super::link::{LinkInput, Linked};
use super::sandbox::{self, SandboxPolicy};
use crate::dialect::{fasm, words};
use crate::reading::Dialect;
use crate::symbols::{Symbol, SymbolKind, Symbols};
use oxbox_files::scratch::{ScratchFolder, parent};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) enum Made {
    Object(LinkInput),
    Program(Box<Linked>),
}

pub(super) struct Assembled {
    pub(super) made: Made,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Returns the NASM at `chosen`, or the one on the search path.
pub(super) fn program(chosen: Option<&Path>) -> PathBuf {
    chosen.map_or_else(|| PathBuf::from("nasm"), Path::to_owned)
}

pub(super) fn is_nasm(program: &Path) -> bool {
    let stem = program.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem.to_ascii_lowercase().starts_with("nasm")
}

/// Assembles a source. Adds the files read to `files`. Fails with NASM's messages, or without NASM.
pub(super) fn assemble(
    chosen: Option<&Path>,
    path: &Path,
    (source, dialect): (&[u8], Dialect),
    includes: &[PathBuf],
    files: &mut Vec<PathBuf>,
) -> Result<Assembled, ToolError> {
    let folder = ScratchFolder::new().map_err(|error| ToolError::file(parent(), error))?;
    let scratch = |name: &str| folder.path().join(name);
    let program = program(chosen);
    // Lines of flat assembler are converted to NASM's syntax in place.
    let staged = scratch("source.asm");
    let input = if dialect == Dialect::Fasm {
        let text = fasm::convert(&String::from_utf8_lossy(source));
        fs::write(&staged, text).map_err(|error| ToolError::file(&staged, error))?;
        staged.as_path()
    } else {
        path
    };
    let is_flat = origin(source).is_some();
    let own = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let reads =
        [own, path].into_iter().chain(includes.iter().map(PathBuf::as_path)).map(Path::to_owned).collect();
    let policy = SandboxPolicy { scratch: folder.path(), reads };
    let run = |wanted: &[&str], outputs: &[(&str, PathBuf)]| {
        let mut command = Command::new(&program);
        command.args(wanted);
        for (option, output) in outputs {
            command.arg(option).arg(output);
        }
        // NASM concatenates folder and name without a separator.
        for include in std::iter::once(own).chain(includes.iter().map(PathBuf::as_path)) {
            command.arg(format!("-I{}/", include.display()));
        }
        command.arg(input);
        sandbox::run(&command, &policy).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if chosen.is_none() => {
                let text = "this is written for NASM, which is not installed here: install nasm, or rewrite it for MASM";
                ToolError::Rejected(vec![Diagnostic::error(path.display().to_string(), text)])
            }
            _ => ToolError::Assembler { assembler: program.clone(), source: error },
        })
    };
    let format = if is_flat { &["-f", "bin"][..] } else { &["-f", "obj", "-g", "-F", "borland"][..] };
    // A separate run, because NASM 2.16 omits includes while it assembles. It also lists the
    // dependencies of a source with errors.
    run(&["-M", "-MT", "x"], &[("-MF", scratch("files"))])?;
    let listed = dependencies(&String::from_utf8_lossy(&fs::read(scratch("files")).unwrap_or_default()));
    // On a host without Landlock this check confines a source to its folders.
    if let Some(outside) = listed.iter().find(|file| {
        **file != staged && file.exists() && !policy.reads.iter().any(|folder| is_below(file, folder))
    }) {
        let text = format!("unable to open include file `{}'", outside.display());
        return Err(ToolError::Rejected(vec![Diagnostic::error(path.display().to_string(), text)]));
    }
    files.extend(listed.into_iter().filter(|file| *file != staged));
    let outputs = ["output", "messages", "listing"].map(scratch);
    let ended = run(format, &["-o", "-Z", "-l"].into_iter().zip(outputs).collect::<Vec<_>>())?;
    let messages = String::from_utf8_lossy(&fs::read(scratch("messages")).unwrap_or_default()).into_owned();
    let mut messages: Vec<Diagnostic> = messages.lines().filter_map(message).collect();
    let user_name = path.display().to_string();
    for message in messages.iter_mut().filter(|message| Path::new(&message.file) == staged) {
        message.file.clone_from(&user_name);
    }
    if !ended.is_success() {
        if messages.iter().all(|message| message.severity == Severity::Warning) {
            messages.push(Diagnostic::error(path.display().to_string(), ended.why()));
        }
        return Err(ToolError::Rejected(messages));
    }
    let output = scratch("output");
    let bytes = fs::read(&output).map_err(|error| ToolError::file(output, error))?;
    if !is_flat {
        let source_names = [(staged.display().to_string(), user_name.clone())].into();
        let made = Made::Object(LinkInput { name: user_name, bytes, source_names });
        return Ok(Assembled { made, warnings: messages });
    }
    let listing = String::from_utf8_lossy(&fs::read(scratch("listing")).unwrap_or_default()).into_owned();
    let symbols = symbols(&path.display().to_string(), &listing, bytes.len() as u32);
    let linked = Linked {
        bytes,
        format: Format::Com,
        map: None,
        listing: Some(listing),
        files: Vec::new(),
        boots: false,
        symbols,
        warnings: Vec::new(),
    };
    Ok(Assembled { made: Made::Program(Box::new(linked)), warnings: messages })
}

fn dependencies(rule: &str) -> Vec<PathBuf> {
    let (mut files, mut name) = (Vec::new(), String::new());
    let rule = rule.split_once(" : ").map_or("", |(_, behind)| behind);
    let mut characters = rule.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some(' ' | '\t' | '#')) | ('$', Some('$')) => name.extend(characters.next()),
            ('\\', Some('\n')) => {}
            (' ' | '\t' | '\n' | '\r', _) => files.push(std::mem::take(&mut name)),
            _ => name.push(character),
        }
    }
    files.push(name);
    files.into_iter().filter(|name| !name.is_empty()).map(PathBuf::from).collect()
}

/// Returns `Some` for a source with ORG, which only a flat program has.
pub(crate) fn origin(source: &[u8]) -> Option<()> {
    let text = String::from_utf8_lossy(source).to_lowercase();
    let is_org = |line: &str| {
        let mut words = line.trim_start().trim_start_matches('[').split_whitespace();
        words.next() == Some("org")
    };
    text.lines().any(is_org).then_some(())
}

/// Parses `FILE:LINE: error: TEXT`. Continuations (`... from macro ...`) are ignored.
fn message(line: &str) -> Option<Diagnostic> {
    let (place, severity, text) =
        [(": error: ", Severity::Error), (": fatal: ", Severity::Error), (": warning: ", Severity::Warning)]
            .into_iter()
            .find_map(|(word, severity)| {
                line.split_once(word).map(|(place, text)| (place, severity, text))
            })?;
    let (file, place) = match place.rsplit_once(':') {
        Some((file, number)) => (file, number.parse().map_or(Place::File, Place::Line)),
        None => (place, Place::File),
    };
    let text = text.split(" [-w").next().unwrap_or(text);
    Some(Diagnostic { place, severity, ..Diagnostic::error(file, text) })
}

/// Returns lines and labels of a COM program from the listing: line number, offset, bytes, source.
/// Lines of a macro are marked with the depth (`<1>`) and belong to the calling line.
pub(crate) fn symbols(file: &str, listing: &str, length: u32) -> Symbols {
    const ORIGIN: u32 = 0x100;
    let mut symbols = Symbols::new(true);
    let mut starts: Vec<(u32, Option<u32>)> = Vec::new();
    let mut labels: Vec<&str> = Vec::new();
    let mut named: Vec<(&str, u32)> = Vec::new();
    let mut latest = None;
    for line in listing.lines() {
        let Some(number) = line.get(..6).and_then(|number| number.trim().parse::<u32>().ok()) else {
            continue;
        };
        let (columns, text) = (line.get(7..40).unwrap_or(&line[6..]), line.get(40..).unwrap_or_default());
        let in_macro =
            columns.contains('<') && columns.trim_end().ends_with('>') && !columns.contains("<res");
        if !in_macro {
            latest = Some(number);
            let label = text
                .split(|c: char| !(c.is_ascii_alphanumeric() || "_.?$@".contains(c)))
                .next()
                .unwrap_or_default();
            let rest = &text[label.len()..];
            let is_named = match rest.chars().next() {
                Some(':') => true,
                Some(c) => c.is_whitespace() && !label.is_empty() && can_be_label(label, rest),
                None => false,
            };
            if is_named {
                labels.push(label);
            }
        }
        let mut words = columns.split_whitespace();
        let Some(offset) = words.next().filter(|word| word.len() == 8) else { continue };
        let (Ok(offset), Some(bytes)) = (u32::from_str_radix(offset, 16), words.next()) else { continue };
        named.extend(labels.drain(..).map(|label| (label, offset)));
        // The bytes of a long line continue in rows without source.
        let goes_on = text.trim().is_empty() && !in_macro;
        let is_code = !is_data(text) && !bytes.starts_with('<');
        let line = match starts.last() {
            Some(&(_, before)) if goes_on => before,
            _ => latest.filter(|_| is_code),
        };
        starts.push((offset, line));
    }
    for (at, (offset, line)) in starts.iter().enumerate() {
        let end = starts[at + 1..].iter().map(|next| next.0).find(|next| next > offset).unwrap_or(length);
        if let Some(line) = line {
            symbols.add_line(file, *line, ORIGIN + offset..ORIGIN + end);
        }
    }
    for (name, offset) in named {
        let line = starts.iter().find(|(start, _)| *start == offset).and_then(|(_, line)| *line);
        let kind = if line.is_some() { SymbolKind::Label } else { SymbolKind::Data };
        let offset = (ORIGIN + offset) as u16;
        symbols.add(Symbol {
            name: name.to_owned(),
            kind,
            frame: 0,
            offset,
            length: None,
            locals: Vec::new(),
        });
    }
    symbols
}

/// Returns whether the first word of a line may be a label without a colon: not an instruction, a
/// directive or the name of a number.
fn can_be_label(word: &str, rest: &str) -> bool {
    const DIRECTIVES: [&str; 12] = [
        "org", "bits", "use16", "cpu", "section", "segment", "global", "extern", "default", "align",
        "alignb", "times",
    ];
    let is_directive = DIRECTIVES.iter().any(|directive| word.eq_ignore_ascii_case(directive));
    let is_number = rest.split_whitespace().next().is_some_and(|second| second.eq_ignore_ascii_case("equ"));
    !is_directive && !is_number && !words::is_mnemonic(word) && !is_data(word)
}

/// Returns whether a source line defines data.
fn is_data(text: &str) -> bool {
    let mut words = text.split_whitespace().take(2).map(str::to_lowercase);
    words.any(|word| {
        matches!(
            word.as_str(),
            "db" | "dw" | "dd" | "dq" | "dt" | "times" | "incbin" | "resb" | "resw" | "resd"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_tell_lines_and_labels() {
        let listing = "     1                                          org 100h
     2                                  bits 16
     3                                  count equ 5
     6                                  start:
     7 00000000 BA[0A00]                        mov dx, msg
     8                                          two
     3 00000003 90                  <1>  nop
     4 00000004 90                  <1>  nop
     9 00000005 B409                            mov ah, 9
    10 00000007 CD21                    .loop:  int 21h
    12 00000009 48656C6C6F20776F72-     msg     db 'Hello world'
    12 00000012 6C64
";
        let symbols = symbols("c.asm", listing, 20);
        let lines: Vec<String> =
            symbols.lines().map(|(line, at)| format!("{} {:X}-{:X}", line.line, at.start, at.end)).collect();
        assert_eq!(lines, ["7 100-103", "8 103-104", "8 104-105", "9 105-107", "10 107-109"]);
        let names: Vec<String> =
            symbols.symbols().iter().map(|s| format!("{} {:X} {:?}", s.name, s.offset, s.kind)).collect();
        assert_eq!(names, ["start 100 Label", ".loop 107 Label", "msg 109 Data"]);
    }

    #[test]
    fn rules_name_files() {
        let rule = "x : n.asm inc.inc nested/deep.inc na\\ sted/a$$b\\ \\#c.inc \\\n  out.bin\n\n";
        let files = ["n.asm", "inc.inc", "nested/deep.inc", "na sted/a$b #c.inc", "out.bin"];
        assert_eq!(dependencies(rule), files.map(PathBuf::from));
    }

    #[test]
    fn messages_have_file_and_line() {
        let rows = [
            ("e.asm:1: error: symbol `nowhere' not defined", "e.asm:1: symbol `nowhere' not defined"),
            ("e.asm:2: warning: byte too large [-w+number-overflow]", "e.asm:2: warning: byte too large"),
            ("nasm: fatal: unable to open input file", "nasm: unable to open input file"),
        ];
        for (line, expected) in rows {
            assert_eq!(message(line).map(|found| found.to_string()).as_deref(), Some(expected));
        }
    }
}
