//! Rewrites emu8086 sources line by line for MASM-compatible assemblers.
//!
//! In emu8086 a source without segments is a COM program that starts at 100h. `ENDS` needs no name,
//! ASSUME is optional, `b.` and `w.` mean `byte ptr` and `word ptr`, lines such as `#make_COM#` are
//! directives of emu8086, and END may be missing.

use super::line;

/// A rewritten source, and the text to assemble before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Adapted {
    pub(super) prelude: String,
    pub(super) text: String,
}

/// The label of a COM program's first line.
const ENTRY: &str = "@entry";

struct Layout {
    has_model: bool,
    has_simple_segments: bool,
    has_origin: bool,
    segments: Vec<String>,
    /// ENDS without a name, or a directive of emu8086.
    is_marked: bool,
    has_code: bool,
    has_end: bool,
}

/// Rewrites a source if it is one of emu8086's; `None` if it needs no change. `included` is the
/// text of its includes, which may contain the model or segments.
pub(super) fn adapt(text: &str, included: &str) -> Option<Adapted> {
    let mut layout = layout_of(text);
    let around = layout_of(included);
    layout.has_model |= around.has_model || around.has_simple_segments || !around.segments.is_empty();
    let is_whole = layout.has_origin || !layout.has_simple_segments;
    let is_flat = !layout.has_model && is_whole && layout.segments.is_empty();
    if layout.has_model || !(layout.is_marked || is_flat && layout.has_code || layout.has_simple_segments) {
        return layout.is_marked.then(|| Adapted { prelude: String::new(), text: rewritten(text, false) });
    }
    let mut adapted = Adapted { prelude: String::new(), text: rewritten(text, is_flat) };
    if is_flat {
        adapted.prelude = format!(".model tiny\n.code\norg 100h\n{ENTRY}:\n");
    } else if layout.has_simple_segments {
        ".model small\n".clone_into(&mut adapted.prelude);
    } else {
        let named = |part: &str| layout.segments.iter().find(|name| name.contains(part));
        let assumed =
            |register: &str, part: &str| named(part).map(|name| format!("assume {register}:{name}\n"));
        adapted.prelude = [assumed("cs", "code"), assumed("ds", "data")].into_iter().flatten().collect();
    }
    if !layout.has_end {
        let label = if is_flat { ENTRY } else { "start" };
        let has_label = is_flat || text.lines().any(|line| words(line)[0].starts_with("start:"));
        adapted.text += &format!("\nend {}\n", if has_label { label } else { "" });
    }
    Some(adapted)
}

/// Returns the first two words of a line in lower case, without comment.
fn words(line: &str) -> [String; 2] {
    let mut words =
        line.split(';').next().unwrap_or_default().split_whitespace().map(str::to_ascii_lowercase);
    [words.next().unwrap_or_default(), words.next().unwrap_or_default()]
}

/// Returns whether a line that starts with `end` is the directive: not `end:` or `end db 5`.
fn is_end(line: &str) -> bool {
    let tokens = line::tokens(line);
    line::shape(&tokens).verb == Some(0)
}

fn layout_of(text: &str) -> Layout {
    let mut layout = Layout {
        has_model: false,
        has_simple_segments: false,
        has_origin: false,
        segments: Vec::new(),
        is_marked: false,
        has_code: false,
        has_end: false,
    };
    for line in text.lines() {
        let [first, second] = words(line);
        match first.as_str() {
            "" => {}
            ".model" => layout.has_model = true,
            ".code" | ".data" | ".stack" => layout.has_simple_segments = true,
            "ends" if second.is_empty() => layout.is_marked = true,
            "end" if is_end(line) => layout.has_end = true,
            "org" => layout.has_origin = true,
            "include" | "includelib" | "name" | "title" | "page" => {}
            _ if first.starts_with('#') => layout.is_marked = true,
            _ if second == "segment" => layout.segments.push(first),
            _ if matches!(second.as_str(), "equ" | "=" | "macro" | "struc" | "struct" | "ends" | "endm") => {}
            _ => layout.has_code = true,
        }
    }
    layout
}

fn rewritten(text: &str, is_flat: bool) -> String {
    let mut open: Vec<String> = Vec::new();
    let mut result = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let [first, second] = words(line);
        let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
        match (first.as_str(), second.as_str()) {
            (mark, _) if mark.starts_with('#') => {}
            ("ends", "") => {
                result.push_str(&open.pop().map(|name| format!("{name} ends")).unwrap_or_default());
            }
            // A COM program starts at its first byte, whatever END says.
            ("end", name) if is_flat && (name.is_empty() || is_end(line)) => {
                result.push_str(&format!("end {ENTRY}"));
            }
            (name, "segment") => {
                open.push(name.to_owned());
                let is_bare = line.split(';').next().unwrap_or_default().split_whitespace().count() == 2;
                let more = match name {
                    _ if !is_bare => "",
                    name if name.contains("stack") => " stack 'stack'",
                    name if name.contains("code") => " 'code'",
                    _ => "",
                };
                let code = line.split(';').next().unwrap_or_default().trim_end();
                result.push_str(&format!("{code}{more}"));
            }
            (name, "ends") => {
                open.retain(|other| other != name);
                result.push_str(line.trim_end_matches(['\r', '\n']));
            }
            _ => result.push_str(&sized(line.trim_end_matches(['\r', '\n']))),
        }
        result.push_str(end);
    }
    result
}

/// `b.[bx]` and `w.[bx]`.
fn sized(line: &str) -> String {
    let (mut result, mut rest) = (String::new(), line);
    while let Some(at) = rest.find(".[") {
        let (before, after) = rest.split_at(at);
        let letter = before.chars().next_back().map(|letter| letter.to_ascii_lowercase());
        let stands_alone =
            |before: &str| before.chars().next_back().is_none_or(|c| c.is_whitespace() || c == ',');
        let is_text = before.contains(['\'', '"', ';']);
        match letter {
            Some(letter @ ('b' | 'w')) if stands_alone(&before[..at - 1]) && !is_text => {
                result.push_str(&before[..at - 1]);
                result.push_str(if letter == 'b' { "byte ptr " } else { "word ptr " });
            }
            _ => {
                result.push_str(before);
                result.push('.');
            }
        }
        rest = &after[1..];
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_become_masms() {
        // Source, prelude, text.
        let flat = ".model tiny\n.code\norg 100h\n@entry:\n";
        let rows = [
            ("org 100h\nmov ah, 9\r\nret", flat, "org 100h\nmov ah, 9\r\nret\nend @entry\n"),
            (
                "#make_COM#\nmov b.[bx], W.[si]\nret\nend",
                flat,
                "\nmov byte ptr [bx], word ptr [si]\nret\nend @entry",
            ),
            ("name \"x\"\nstart: ret ; b.[x]\nend start", flat, "name \"x\"\nstart: ret ; b.[x]\nend @entry"),
            (
                "data segment ; ours\nx db 5\nends\nstack segment\ndw 8 dup(0)\nends\ncode segment\nstart: mov al, x\nends\nend start",
                "assume cs:code\nassume ds:data\n",
                "data segment\nx db 5\ndata ends\nstack segment stack 'stack'\ndw 8 dup(0)\nstack ends\ncode segment 'code'\nstart: mov al, x\ncode ends\nend start",
            ),
            (
                "org 100h\n.data\nx db 5\n.code\nret",
                flat,
                "org 100h\n.data\nx db 5\n.code\nret\nend @entry\n",
            ),
            (
                ".data\nx db 5\n.code\nstart: ret\nend start",
                ".model small\n",
                ".data\nx db 5\n.code\nstart: ret\nend start",
            ),
        ];
        for (source, prelude, text) in rows {
            let expected = Adapted { prelude: prelude.to_owned(), text: text.to_owned() };
            assert_eq!(adapt(source, ""), Some(expected), "{source}");
        }
        let others = [
            ".model small\n.code\nstart: ret\nend start",
            "code segment\nassume cs:code\nstart: ret\ncode ends\nend start",
            "size_ equ 5\ninclude x.inc\nend",
            "",
        ];
        for source in others {
            assert_eq!(adapt(source, ""), None, "{source}");
        }
        assert_eq!(adapt("include all.inc\n.code\nstart: ret\nend start", ".model small\n.code\n"), None);
    }
}
