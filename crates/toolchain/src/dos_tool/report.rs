//! Parses messages of DOS assemblers and linkers in the formats of Turbo Assembler, MASM, WASM,
//! JWasm and NASM.

use super::stage::StagingDir;
use crate::diagnostic::{Diagnostic, Place, Severity};

/// The most messages kept per run.
const MOST: usize = 200;

pub(super) fn parse(output: &str, stage: &StagingDir) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for (file, line, severity, text) in output.lines().filter_map(|line| message(line.trim())).take(MOST) {
        let place = line.map_or(Place::File, Place::Line);
        let message = Diagnostic { place, severity, ..Diagnostic::error(stage.user_name(&file), text) };
        // Assemblers with two passes repeat some messages.
        if !found.contains(&message) {
            found.push(message);
        }
    }
    found
}

/// Returns the messages of a linker. They name no line and are attributed to the first module.
pub(super) fn of_linker(output: &str, first: &str) -> Vec<Diagnostic> {
    let lines = output.lines().map(str::trim);
    let messages = lines.filter_map(|line| {
        let lower = line.to_ascii_lowercase();
        let severity = if lower.contains("warning") {
            Severity::Warning
        } else if lower.contains("error l") || lower.starts_with("error") || lower.starts_with("fatal") {
            Severity::Error
        } else {
            return None;
        };
        Some(Diagnostic { severity, ..Diagnostic::error(first, line) })
    });
    messages.take(MOST).collect()
}

/// File, line, severity and text of a message.
type Message = (String, Option<u32>, Severity, String);

fn message(line: &str) -> Option<Message> {
    turbo(line).or_else(|| microsoft(line)).or_else(|| nasm(line))
}

/// `**Error** FILE(LINE) TEXT`, `*Warning* FILE(LINE) MACRO(LINE) TEXT`, `**Fatal** Command line: TEXT`.
fn turbo(line: &str) -> Option<Message> {
    let rest = line.strip_prefix('*')?.trim_start_matches('*');
    let (word, rest) = rest.split_once('*')?;
    let severity = match word.to_ascii_lowercase().as_str() {
        "error" | "fatal" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let rest = rest.trim_start_matches('*').trim();
    let Some((file, number, rest)) = place(rest) else {
        return Some((String::new(), None, severity, rest.to_owned()));
    };
    // A line number in a macro counts from the macro. The line of the call is the user's.
    let text = match place(rest) {
        Some((name, line, text)) if !name.contains(' ') => format!("{text} (in line {line} of macro {name})"),
        _ => rest.to_owned(),
    };
    Some((file.to_owned(), Some(number), severity, text))
}

/// `FILE(LINE): error A2009: TEXT`, `FILE(LINE) : Error A2102: TEXT`, `FILE(LINE): Error! E032: TEXT`.
fn microsoft(line: &str) -> Option<Message> {
    let (file, number, rest) = place(line)?;
    let rest = rest.trim_start_matches([':', ' ']);
    let (head, text) = rest.split_once(": ").unwrap_or((rest, ""));
    let lower = head.to_ascii_lowercase();
    let severity = if lower.starts_with("error") || lower.starts_with("fatal error") {
        Severity::Error
    } else if lower.starts_with("warning") {
        Severity::Warning
    } else {
        return None;
    };
    let code = head.rsplit(' ').next().filter(|code| code.contains(|c: char| c.is_ascii_digit()));
    let text = code.map_or(text.to_owned(), |code| format!("{code}: {}", text.trim()));
    Some((file.to_owned(), Some(number), severity, text))
}

/// `FILE:LINE: error: TEXT`; releases before 2 omit the word for errors.
fn nasm(line: &str) -> Option<Message> {
    let (file, rest) = line.split_once(':')?;
    let (number, text) = rest.split_once(':')?;
    let number = number.trim().parse().ok()?;
    let text = text.trim();
    let (severity, text) = match text.split_once(": ") {
        Some(("warning", text)) => (Severity::Warning, text),
        Some(("error" | "fatal" | "panic", text)) => (Severity::Error, text),
        _ => (Severity::Error, text),
    };
    Some((file.to_owned(), Some(number), severity, text.to_owned()))
}

/// Parses `FILE(LINE)` at the start, and returns the remaining text.
fn place(text: &str) -> Option<(&str, u32, &str)> {
    let (file, rest) = text.split_once('(')?;
    let (number, rest) = rest.split_once(')')?;
    let is_name = !file.is_empty() && !file.contains([':', '"', '\'']);
    Some((file.trim(), number.parse().ok().filter(|_| is_name)?, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_file_line_and_severity() {
        let rows = [
            (
                "**Error** hello.ASM(3) Undefined symbol: NOWHERE",
                "hello.ASM 3 Error Undefined symbol: NOWHERE",
            ),
            (
                "*Warning* A.ASM(12) Reserved word used as symbol: STR",
                "A.ASM 12 Warning Reserved word used as symbol: STR",
            ),
            (
                "**Error** A.ASM(9) PUT(2) Illegal instruction",
                "A.ASM 9 Error Illegal instruction (in line 2 of macro PUT)",
            ),
            (
                "**Fatal** Command line: Can't locate file: X.ASM",
                " - Error Command line: Can't locate file: X.ASM",
            ),
            (
                "T.ASM(5): error A2009: Symbol not defined: FOO",
                "T.ASM 5 Error A2009: Symbol not defined: FOO",
            ),
            (
                "T.ASM(5): warning A4031: Operand types must match",
                "T.ASM 5 Warning A4031: Operand types must match",
            ),
            (
                "T.ASM(5) : Error A2102: Symbol not defined : foo",
                "T.ASM 5 Error A2102: Symbol not defined : foo",
            ),
            ("T.ASM(7): Error! E032: Syntax error", "T.ASM 7 Error E032: Syntax error"),
            (
                "T.ASM(2): fatal error A1000: cannot open file : X.INC",
                "T.ASM 2 Error A1000: cannot open file : X.INC",
            ),
            ("t.asm:4: error: symbol `x' undefined", "t.asm 4 Error symbol `x' undefined"),
            ("t.asm:4: warning: byte value exceeds bounds", "t.asm 4 Warning byte value exceeds bounds"),
            ("Turbo Assembler  Version 3.1  Copyright (c) 1988, 1992", "-"),
            ("Assembling file:   T.ASM", "-"),
            ("  50144 + 402337 Bytes symbol space free", "-"),
            ("Error messages:    None", "-"),
        ];
        for (line, expected) in rows {
            let found = message(line.trim()).map_or("-".to_owned(), |(file, number, severity, text)| {
                let number = number.map_or("-".to_owned(), |number| number.to_string());
                format!("{file} {number} {severity:?} {text}")
            });
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn linkers_name_a_module() {
        let output =
            "Turbo Link  Version 5.1\nError: Undefined symbol GO in module T.ASM\nWarning: No stack\n";
        let found = of_linker(output, "t.asm");
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["t.asm: Error: Undefined symbol GO in module T.ASM", "t.asm: warning: Warning: No stack"]
        );
        assert_eq!(of_linker("P.OBJ(T.ASM) : error L2029: 'GO': unresolved external\n", "t.asm").len(), 1);
    }
}
