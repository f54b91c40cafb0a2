//! Reads the messages that UASM and JWasm write to their message file: `FILE(LINE) : Error A2102: text`.
//!
//! What stands indented below a message says where a macro was called from or a file included; the innermost line of
//! the user's own is where the message is shown.

use super::stage::Stage;
use crate::toolchain::confined;
use crate::toolchain::diagnostic::{Diagnostic, Place, Severity};

pub(super) fn parse(text: &[u8], stage: &Stage) -> Vec<Diagnostic> {
    let text = String::from_utf8_lossy(text);
    let mut messages: Vec<Diagnostic> = text.lines().filter_map(|line| message(line.trim(), stage)).collect();
    // An END with a mistake in it is there all the same.
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

fn message(line: &str, stage: &Stage) -> Option<Diagnostic> {
    let severities =
        [(" Error ", Severity::Error), ("Fatal error ", Severity::Error), (" Warning ", Severity::Warning)];
    let (at, severity) = severities
        .into_iter()
        .filter_map(|(word, severity)| Some((line.find(word)?, severity)))
        .min_by_key(|m| m.0)?;
    let (place, rest) = line.split_at(at);
    // It is oxbox that asks for line numbers, and no mistake to leave the class out.
    if rest.contains("Line number information for segment without class") {
        return None;
    }
    // The number of the message says nothing to the user of another assembler.
    let text = rest.split_once(": ").map_or(rest, |(_, text)| text).trim().replace(" : ", ": ");
    let text: String =
        text.trim_end_matches([':', ' ']).chars().filter(|c| !c.is_control()).take(200).collect();
    let text = match text.as_str() {
        "Out of Memory" => confined::OUT_OF_MEMORY.to_owned(),
        "Instruction or register not accepted in current CPU mode" => {
            format!("{text}: without .186, .286 or .386 it is the 8086's that are")
        }
        _ => match text.strip_prefix("Cannot open file: ").and_then(|rest| rest.strip_suffix(" [ENOENT]")) {
            Some(name) => format!(
                "there is no {name} beside the source, in a folder of --include, or among those that oxbox brings"
            ),
            None => text,
        },
    };
    let place = place.trim_end_matches([':', ' ']);
    let (file, place) = match place.strip_suffix(')').and_then(|place| place.rsplit_once('(')) {
        Some((file, number)) => {
            (file, number.parse().ok().filter(|line| *line > 0).map_or(Place::File, Place::Line))
        }
        None => (place, Place::File),
    };
    let file = stage.user_name(if file.is_empty() { stage.source() } else { file });
    Some(Diagnostic { file, place, severity, text })
}
