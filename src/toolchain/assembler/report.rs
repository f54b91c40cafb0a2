//! Reads the messages that UASM and JWasm write to their message file: `FILE(LINE) : Error A2102: text`.
//!
//! What stands indented below a message says where a macro was called from or a file included; the innermost line of
//! the user's own is where the message is shown.

use super::stage::Stage;
use crate::toolchain::confined;
use crate::toolchain::diagnostic::{Diagnostic, Place, Severity};

pub(super) fn parse(text: &[u8], stage: &Stage) -> Vec<Diagnostic> {
    String::from_utf8_lossy(text).lines().filter_map(|line| message(line.trim(), stage)).collect()
}

fn message(line: &str, stage: &Stage) -> Option<Diagnostic> {
    let severities =
        [(" Error ", Severity::Error), ("Fatal error ", Severity::Error), (" Warning ", Severity::Warning)];
    let (at, severity) = severities
        .into_iter()
        .filter_map(|(word, severity)| Some((line.find(word)?, severity)))
        .min_by_key(|m| m.0)?;
    let (place, rest) = line.split_at(at);
    // The number of the message says nothing to the user of another assembler.
    let text = rest.split_once(": ").map_or(rest, |(_, text)| text).trim().replace(" : ", ": ");
    let text = if text == "Out of Memory" { confined::OUT_OF_MEMORY.to_owned() } else { text };
    let place = place.trim_end_matches([':', ' ']);
    let (file, place) = match place.strip_suffix(')').and_then(|place| place.rsplit_once('(')) {
        Some((file, number)) => (file, number.parse().map_or(Place::File, Place::Line)),
        None => (place, Place::File),
    };
    let file = stage.user_name(if file.is_empty() { stage.source() } else { file });
    Some(Diagnostic { file, place, severity, text })
}
