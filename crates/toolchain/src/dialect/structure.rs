//! Rewrites that involve several lines: unclosed procedures and segments, ORG outside of segments,
//! a missing END.

use std::collections::BTreeSet;

use super::line::{self, Blocks, Token};
use super::{statements, words};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mended {
    pub(super) text: String,
    /// The text that UASM must read before the source.
    pub(super) prelude: String,
    /// Line numbers and warnings.
    pub(super) warnings: Vec<(u32, String)>,
}

/// A line without its line ending, and the line ending.
struct Line<'a> {
    body: String,
    end: &'a str,
    is_comment: bool,
}

/// The words of a statement that determine the block structure, in lower case.
#[derive(Default)]
struct Words {
    label: String,
    name: String,
    verb: String,
    first: String,
    /// The name in the source's spelling.
    spelled: String,
}

fn words_of(line: &Line) -> Words {
    if line.is_comment {
        return Words::default();
    }
    let tokens = line::tokens(&line.body);
    let shape = line::shape(&tokens);
    let lower = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at)).map_or("", |token| token.text).to_ascii_lowercase()
    };
    let spelled = shape.name.map_or("", |at| tokens[at].text).to_owned();
    Words {
        label: lower(shape.label),
        name: lower(shape.name),
        verb: lower(shape.verb),
        first: lower(Some(shape.operands)),
        spelled,
    }
}

const SIMPLE: [&str; 8] =
    [".code", ".data", ".data?", ".const", ".stack", ".fardata", ".fardata?", ".startup"];

/// Rewrites a source or an included file for UASM.
pub(super) fn mend(text: &str, is_main: bool) -> Mended {
    let mut mended = Mended::default();
    let mut blocks = Blocks::default();
    let mut lines: Vec<Line> = text
        .split_inclusive('\n')
        .map(|line| {
            let body = line.trim_end_matches(['\r', '\n']);
            Line { body: body.to_owned(), end: &line[body.len()..], is_comment: blocks.is_comment(body) }
        })
        .collect();
    let own = own_names(&lines);
    for (number, line) in (1..).zip(&mut lines).filter(|(_, line)| !line.is_comment) {
        if let Some(rewritten) = statements::rewrite(&line.body, &|word| own.contains(word)) {
            line.body = rewritten.line;
            mended.warnings.extend(rewritten.warning.map(|warning| (number, warning)));
        }
    }
    procedures(&mut lines);
    locals(&mut lines);
    macros(&mut lines);
    if let Some((number, warning)) = misspelt_end(&mut lines, &own) {
        mended.warnings.push((number, warning));
    }
    let mut tail = String::new();
    if is_main {
        origins(&mut lines);
        segment_names(&mut lines, &own);
        tail = segments(&mut lines);
        mended.prelude = assumed(&lines);
    }
    mended.text = lines.iter().flat_map(|line| [line.body.as_str(), line.end]).collect();
    if !tail.is_empty() {
        mended.text.push_str(if mended.text.ends_with('\n') { "" } else { "\r\n" });
        mended.text.push_str(&tail);
    }
    mended
}

/// Returns the names that the source defines, in lower case.
fn own_names(lines: &[Line]) -> BTreeSet<String> {
    let words = lines.iter().map(words_of).filter(|words| words.verb != "endp" && words.verb != "ends");
    words.flat_map(|words| [words.label, words.name]).filter(|name| !name.is_empty()).collect()
}

/// Adds the name to each ENDP, and replaces procedures without an ENDP by labels.
#[expect(clippy::needless_range_loop, reason = "lines are changed on the way")]
fn procedures(lines: &mut [Line]) {
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut unclosed = Vec::new();
    for at in 0..lines.len() {
        let words = words_of(&lines[at]);
        match words.verb.as_str() {
            "proc" if !words.name.is_empty() => open.push((words.spelled, at)),
            "endp" if words.name.is_empty() => {
                lines[at].body = open.pop().map(|(name, _)| format!("{name} endp")).unwrap_or_default();
            }
            "endp" => {
                let opened = open.iter().rposition(|(name, _)| name.eq_ignore_ascii_case(&words.name));
                match opened {
                    Some(opened) => unclosed.extend(open.drain(opened..).skip(1)),
                    // A misspelt name closes the only open procedure.
                    None => {
                        if let [(name, _)] = open.as_slice() {
                            lines[at].body = format!("{name} endp");
                            open.clear();
                        }
                    }
                }
            }
            "end" if words.name.is_empty() && words.label.is_empty() => break,
            _ => {}
        }
    }
    unclosed.extend(open);
    for (name, at) in unclosed {
        let tokens = line::tokens(&lines[at].body);
        let operands: Vec<&Token> = tokens.iter().skip(2).collect();
        // A procedure with parameters needs its frame: UASM reports the missing part.
        let distance = match operands.as_slice() {
            [] => "near",
            [distance] if distance.is("near") => "near",
            [distance] if distance.is("far") => "far",
            _ => continue,
        };
        lines[at].body = format!("{name} label {distance}");
    }
}

/// Makes local labels (`@@name`) unique if several blocks between two other labels define them.
fn locals(lines: &mut [Line]) {
    let is_local = |word: &str| word.len() > 2 && word.starts_with("@@");
    let mut block = 0;
    let mut seen: BTreeSet<(String, usize)> = BTreeSet::new();
    let mut blocks = Vec::with_capacity(lines.len());
    for line in lines.iter() {
        let words = words_of(line);
        if is_local(&words.label) {
            seen.insert((words.label, block));
        } else if !words.label.is_empty() && words.label != "@@"
            || words.verb == "proc"
            || words.verb == "endp"
        {
            block += 1;
        }
        blocks.push(block);
    }
    let names: BTreeSet<&String> = seen.iter().map(|(name, _)| name).collect();
    let is_repeated = |name: &str| seen.iter().filter(|(other, _)| other == name).count() > 1;
    let repeated: BTreeSet<String> = names.into_iter().filter(|name| is_repeated(name)).cloned().collect();
    if repeated.is_empty() {
        return;
    }
    for (line, block) in lines.iter_mut().zip(blocks).filter(|(line, _)| !line.is_comment) {
        let mut from = 0;
        let mut body = String::new();
        for token in line::tokens(&line.body) {
            if repeated.contains(&token.text.to_ascii_lowercase()) {
                body.push_str(&line.body[from..token.end()]);
                body.push_str(&format!("?{block}"));
                from = token.end();
            }
        }
        if from > 0 {
            body.push_str(&line.body[from..]);
            line.body = body;
        }
    }
}

/// Converts local labels of macros (`%%name`, as in NASM) to MASM's. Without a free line
/// for LOCAL, the label is the same in each use.
fn macros(lines: &mut [Line]) {
    let mut header = None;
    for at in 0..lines.len() {
        let words = words_of(&lines[at]);
        match words.verb.as_str() {
            "macro" if !words.name.is_empty() => header = Some((at, BTreeSet::new())),
            "endm" => {
                let Some((macro_, names)) = header.take() else { continue };
                let names: Vec<String> = Vec::from_iter(names);
                let free = lines.get_mut(macro_ + 1).filter(|line| line::tokens(&line.body).is_empty());
                if let Some(line) = free.filter(|line| !line.is_comment && !names.is_empty()) {
                    line.body = format!("local {}", names.join(", "));
                }
            }
            _ => {}
        }
        let Some((_, names)) = &mut header else { continue };
        let tokens = line::tokens(&lines[at].body);
        let is_local = |three: &&[Token]| {
            three[0].is("%")
                && three[1].is("%")
                && three[2].kind == line::Kind::Word
                && three[2].at == three[0].at + 2
        };
        let found: Vec<(usize, String)> =
            tokens.windows(3).filter(is_local).map(|three| (three[0].at, three[2].text.to_owned())).collect();
        for (place, name) in found.into_iter().rev() {
            lines[at].body.replace_range(place..place + 2, "");
            names.insert(name);
        }
    }
}

/// Reads ENDM with a name of the source as END, if no macro is open and END is missing.
fn misspelt_end(lines: &mut [Line], own: &BTreeSet<String>) -> Option<(u32, String)> {
    let mut depth = 0usize;
    let mut found = None;
    for (at, line) in lines.iter().enumerate() {
        let words = words_of(line);
        match words.verb.as_str() {
            "macro" | "rept" | "irp" | "irpc" | "repeat" | "for" | "forc" | "while" => depth += 1,
            "endm" if depth == 0 && own.contains(&words.first) => found = Some((at, words.first)),
            "endm" => depth = depth.saturating_sub(1),
            "end" if words.name.is_empty() && words.label.is_empty() => return None,
            _ => {}
        }
    }
    let (at, name) = found?;
    lines[at].body = format!("end {name}");
    Some((at as u32 + 1, format!("ENDM {name} has no macro to close: read as END {name}")))
}

/// Removes an ORG before the first segment, where it has no effect.
fn origins(lines: &mut [Line]) {
    let opens = |words: &Words| SIMPLE.contains(&words.verb.as_str()) || words.verb == "segment";
    let is_tiny = lines.iter().map(words_of).any(|words| words.verb == ".model" && words.first == "tiny");
    let has_model = lines.iter().map(words_of).any(|words| words.verb == ".model");
    let Some(first) = lines.iter().map(words_of).position(|words| opens(&words)) else { return };
    let is_segmented = has_model || words_of(&lines[first]).verb == "segment";
    if is_tiny || !is_segmented {
        return;
    }
    for line in &mut lines[..first] {
        if words_of(line).verb == "org" {
            line.body.clear();
        }
    }
}

/// Resolves `mov ax, data` if `.data` opens the segment: emu8086's name for it.
fn segment_names(lines: &mut [Line], own: &BTreeSet<String>) {
    let is_simple = lines.iter().map(words_of).any(|words| words.verb == ".data");
    if !is_simple {
        return;
    }
    for line in lines.iter_mut().filter(|line| !line.is_comment) {
        let tokens = line::tokens(&line.body);
        let [.., verb, _, comma, name] = tokens.as_slice() else { continue };
        let is_segment = ["data", "code", "stack"].iter().any(|word| name.is(word));
        let is_own = own.contains(&name.text.to_ascii_lowercase());
        if verb.is("mov") && comma.is(",") && is_segment && !is_own {
            let at = name.at;
            line.body.insert(at, '@');
        }
    }
}

/// Closes open segments at the end, and returns the lines to add after the source.
#[expect(clippy::needless_range_loop, reason = "lines are changed by index")]
fn segments(lines: &mut [Line]) -> String {
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut closed: Option<(String, usize)> = None;
    let mut late = false;
    let mut end = None;
    let mut is_simple = false;
    let mut structure = false;
    for at in 0..lines.len() {
        let words = words_of(&lines[at]);
        is_simple |= SIMPLE.contains(&words.verb.as_str());
        match words.verb.as_str() {
            "segment" if !words.name.is_empty() => {
                open.push((words.spelled, at));
                closed = None;
            }
            "struc" | "struct" | "union" => structure = true,
            "ends" if structure => structure = false,
            "ends" if words.name.is_empty() => closed = open.pop().map(|(name, _)| (name, at)),
            "ends" => {
                open.retain(|(name, _)| !name.eq_ignore_ascii_case(&words.name));
                closed = Some((words.spelled, at));
            }
            "end" if words.name.is_empty() && words.label.is_empty() => {
                end = Some(at);
                break;
            }
            "proc" => late |= open.is_empty() && closed.is_some(),
            verb => late |= open.is_empty() && closed.is_some() && words::is_mnemonic(verb),
        }
    }
    let mut tail: Vec<String> = Vec::new();
    // Procedures after the last segment belong to it.
    if let Some((name, at)) = closed.filter(|_| late && !is_simple) {
        lines[at].body.clear();
        tail.push(format!("{name} ends"));
    }
    tail.extend(open.iter().rev().map(|(name, _)| format!("{name} ends")));
    match end {
        Some(end) if !tail.is_empty() => tail.push(std::mem::take(&mut lines[end].body)),
        _ => {}
    }
    if let Some(end) = end {
        // Text after END is ignored. Additions must come before it.
        for line in lines.get_mut(end + 1..).unwrap_or_default().iter_mut().filter(|_| !tail.is_empty()) {
            line.body.clear();
        }
    }
    tail.iter().flat_map(|line| [line.as_str(), "\r\n"]).collect()
}

/// Adds END with the label at which the program most likely starts; `None` if the source has END.
pub(super) fn ended(text: &str) -> Option<String> {
    let mut blocks = Blocks::default();
    let mut labels = BTreeSet::new();
    for line in text.lines().filter(|line| !blocks.is_comment(line)) {
        let words = words_of(&Line { body: line.to_owned(), end: "", is_comment: false });
        if words.verb == "end" && words.name.is_empty() && words.label.is_empty() {
            return None;
        }
        labels.insert(words.label);
        if words.verb == "proc" || words.verb == "label" {
            labels.insert(words.name);
        }
    }
    const ENTRIES: [&str; 6] = ["start", "main", "begin", "_start", "inicio", "entry"];
    let entry = ENTRIES.iter().find(|entry| labels.contains(**entry)).unwrap_or(&"");
    let line_end = if text.ends_with('\n') { "" } else { "\r\n" };
    Some(format!("{text}{line_end}end {entry}\r\n"))
}

/// Returns an ASSUME for DS if the source has none: for the segment with most variables.
fn assumed(lines: &[Line]) -> String {
    let (mut open, mut counts): (Vec<String>, Vec<(String, usize)>) = (Vec::new(), Vec::new());
    for line in lines {
        let words = words_of(line);
        match words.verb.as_str() {
            "assume" if line.body.to_ascii_lowercase().replace(' ', "").contains("ds:") => {
                return String::new();
            }
            "segment" => open.push(words.spelled),
            "ends" => {
                open.pop();
            }
            verb if words::is_data(verb) && !matches!(verb, "=" | "equ") && !words.name.is_empty() => {
                let Some(segment) = open.last() else { continue };
                match counts.iter_mut().find(|(name, _)| name == segment) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((segment.clone(), 1)),
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().max_by_key(|(_, count)| *count);
    most.map_or_else(String::new, |(segment, _)| format!("assume ds:{segment}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_completed() {
        let rows = [
            // Procedures.
            (
                "a proc\nret\nendp\nb proc\nendp b\nendp\nend\n",
                "a proc\nret\na endp\nb proc\nb endp\n\nend\n",
            ),
            (
                "main proc\nx proc far\ny proc\ny endp\nmain endp\nend",
                "main proc\nx label far\ny proc\ny endp\nmain endp\nend",
            ),
            ("a proc\nret\nb proc\nret\nend a\n", "a label near\nret\nb label near\nret\nend a\n"),
            ("main proc\nmian endp\nend", "main proc\nmain endp\nend"),
            // Segments.
            ("c segment\nret\nend x\n", "c segment\nret\n\nc ends\r\nend x\r\n"),
            (
                "c segment\nret\nc ends\np proc\np endp\nend c\nrest\n",
                "c segment\nret\n\np proc\np endp\n\n\nc ends\r\nend c\r\n",
            ),
            (".model small\norg 100h\n.data\n.code\norg 5\nend", ".model small\n\n.data\n.code\norg 5\nend"),
            (
                ".model small\n.data\n.code\nmov ax, data\nend",
                ".model small\n.data\n.code\nmov ax, @data\nend",
            ),
            // Macros.
            (
                "m macro\n\njmp %%x\n%%x: nop\nendm\nn macro\njz %%x\n%%x:\nendm\nend",
                "m macro\nlocal x\njmp x\nx: nop\nendm\nn macro\njz x\nx:\nendm\nend",
            ),
            (".code\nmain proc\nret\nmain endp\nendm main", ".code\nmain proc\nret\nmain endp\nend main"),
            ("m macro\nendm m\nmain: ret\nend main", "m macro\nendm m\nmain: ret\nend main"),
            // Local labels.
            (
                "a: jmp @@x\n@@x: nop\nb: jmp @@x\n@@x: jmp @@y\n@@y: nop\nend",
                "a: jmp @@x?1\n@@x?1: nop\nb: jmp @@x?2\n@@x?2: jmp @@y\n@@y: nop\nend",
            ),
        ];
        for (source, expected) in rows {
            assert_eq!(mend(source, true).text, expected, "{source}");
        }
    }

    #[test]
    fn a_missing_end_names_the_entry() {
        let rows = [
            (".code\nmain proc\nret\nmain endp\n", Some(".code\nmain proc\nret\nmain endp\nend main\r\n")),
            (".code\nret", Some(".code\nret\r\nend \r\n")),
            (".code\nend: ret\n", Some(".code\nend: ret\nend \r\n")),
            (".code\nend\n", None),
        ];
        for (source, expected) in rows {
            assert_eq!(ended(source).as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn variables_get_their_segment_register() {
        let rows = [
            ("d segment\nx db 1\nd ends\nc segment\nassume cs:c\nmov al, x\nc ends\nend", "assume ds:d\n"),
            ("d segment\nx db 1\nd ends\nc segment\nassume cs:c, ds:d\nc ends\nend", ""),
            (".model small\n.data\nx db 1\nend", ""),
        ];
        for (source, expected) in rows {
            assert_eq!(mend(source, true).prelude, expected, "{source}");
        }
    }
}
