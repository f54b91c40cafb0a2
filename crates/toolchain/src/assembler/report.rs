//! Parses the message files of UASM and JWasm: `FILE(LINE) : Error A2102: text`.
//!
//! Indented lines below a message say where a macro was called or a file included. The message is
//! shown at the innermost line of the user's own files.

use super::stage::StagingDir;
use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::messages;
use crate::sandbox;

/// The chosen processor does not have the instruction or register.
pub(super) const NOT_IN_PROCESSOR: u16 = 2030;
/// The sizes of the operands differ.
pub(super) const OTHER_SIZE: u16 = 2048;
/// The size of a memory operand is unknown.
pub(super) const NO_SIZE: u16 = 2183;
pub(super) const NOT_DEFINED: u16 = 2102;
/// The assembler needs more memory than it may have, or than there is.
pub(super) const OUT_OF_MEMORY: u16 = 1105;
/// A jump is too far for its form.
pub(super) const TOO_FAR: u16 = 2053;

pub(super) fn parse(text: &[u8], stage: &StagingDir) -> Vec<Diagnostic> {
    let text = String::from_utf8_lossy(text);
    let mut messages: Vec<Diagnostic> = text.lines().filter_map(|line| message(line.trim(), stage)).collect();
    // A faulty END still counts as an END.
    const NO_END: &str = "END directive required at end of file";
    let places: Vec<(String, Place)> = messages
        .iter()
        .filter(|message| message.text != NO_END)
        .map(|message| (message.file.clone(), message.place.clone()))
        .collect();
    messages.retain(|message| {
        message.text != NO_END || !places.contains(&(message.file.clone(), message.place.clone()))
    });
    messages
}

fn message(line: &str, stage: &StagingDir) -> Option<Diagnostic> {
    let severities =
        [(" Error ", Severity::Error), ("Fatal error ", Severity::Error), (" Warning ", Severity::Warning)];
    let (at, severity) = severities
        .into_iter()
        .filter_map(|(word, severity)| Some((line.find(word)?, severity)))
        .min_by_key(|m| m.0)?;
    let (place, rest) = line.split_at(at);
    // oxbox asks for line numbers, and omitting the class is not a mistake.
    if rest.contains("Line number information for segment without class") {
        return None;
    }
    let (number, text) = rest.split_once(": ").unwrap_or(("", rest));
    let code = number.rsplit_once('A').and_then(|(_, number)| number.trim().parse().ok());
    let text = text.trim().replace(" : ", ": ");
    let text: String =
        text.trim_end_matches([':', ' ']).chars().filter(|c| !c.is_control()).take(200).collect();
    let text = stage.user_text(&stage.restored(&text));
    let place = place.trim_end_matches([':', ' ']);
    let (file, place) = match place.strip_suffix(')').and_then(|place| place.rsplit_once('(')) {
        Some((file, number)) => {
            (file, number.parse().ok().filter(|line| *line > 0).map_or(Place::File, Place::Line))
        }
        None => (place, Place::File),
    };
    let copy = if file.is_empty() { stage.source() } else { file };
    let line = match place {
        Place::Line(line) => stage.line(copy, line),
        _ => String::new(),
    };
    let file = stage.user_name(copy);
    // The reason why a file cannot be opened would tell a stranger which files exist.
    let missing = text
        .strip_prefix("Cannot open file: ")
        .map(|rest| rest.split_once(" [E").map_or(rest, |(name, _)| name));
    let taught = code.and_then(|code| messages::taught(code, &text, &line));
    let (text, help) = match (text.as_str(), missing) {
        ("Out of Memory", _) => (sandbox::OUT_OF_MEMORY.to_owned(), None),
        (_, Some(name)) => {
            let name = name.trim_matches(['"', '\'']);
            let places = "beside the source, in a folder of --include, or among the built-in ones";
            let help = "put the file beside the source, or name its folder with --include";
            (format!("cannot find \"{name}\" {places}"), Some(help.to_owned()))
        }
        _ if severity != Severity::Error => (text, None),
        _ => taught.map_or((text, None), |(text, help)| (text, Some(help))),
    };
    Some(Diagnostic { place, severity, code, help: help.map(Into::into), ..Diagnostic::error(file, text) })
}
