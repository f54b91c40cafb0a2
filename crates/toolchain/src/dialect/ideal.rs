//! Converts TASM's ideal mode to MASM's syntax line by line: the name of a block before its
//! keyword, ARG as names for stack locations.

use super::line::{self, Blocks, Kind, Token};

/// A converted source in ideal mode, and the text that UASM must read before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Converted {
    pub(super) text: String,
    pub(super) prelude: String,
}

/// The open blocks, the innermost last.
struct Open {
    name: String,
    /// Whether the block is a far procedure.
    is_far: bool,
}

/// Converts the parts of a text that are in ideal mode. `starts_ideal`: the including file is in
/// ideal mode at that point.
pub(super) fn convert(text: &str, starts_ideal: bool, file: usize) -> Converted {
    let mut converted = Converted { text: String::with_capacity(text.len() + 64), prelude: String::new() };
    let (mut blocks, mut is_ideal, mut open) = (Blocks::default(), starts_ideal, Vec::new());
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let body = line.trim_end_matches(['\r', '\n']);
        let end = &line[body.len()..];
        let rewritten = if blocks.is_comment(body) {
            None
        } else {
            let tokens = line::tokens(body);
            match tokens.as_slice() {
                [word] if word.is("ideal") => is_ideal = true,
                [word] if word.is("masm") => is_ideal = false,
                _ => {}
            }
            let id = format!("{file}_{number}");
            if is_ideal { statement(body, &tokens, &mut open, &id, &mut converted.prelude) } else { None }
        };
        converted.text.push_str(rewritten.as_deref().unwrap_or(body));
        converted.text.push_str(end);
    }
    converted
}

fn statement(
    body: &str,
    tokens: &[Token],
    open: &mut Vec<Open>,
    id: &str,
    prelude: &mut String,
) -> Option<String> {
    let first = tokens.first()?;
    let code = &body[..tokens.last().map_or(0, Token::end)];
    let second = tokens.get(1).filter(|second| second.kind == Kind::Word);
    let word = first.text.to_ascii_lowercase();
    let rest = |after: &Token| code[after.end()..].trim().to_owned();
    match (word.as_str(), second) {
        ("proc" | "segment" | "struc" | "struct" | "union", Some(name)) => {
            let is_far = tokens.iter().any(|token| token.is("far"));
            open.push(Open { name: name.text.to_owned(), is_far });
            Some(format!("{} {word} {}", name.text, rest(name)).trim_end().to_owned())
        }
        ("macro" | "label" | "group" | "record", Some(name)) => {
            Some(format!("{} {word} {}", name.text, rest(name)))
        }
        ("ends" | "endp", name) if tokens.len() <= 2 => {
            let innermost = open.pop();
            let name = name.map(|name| name.text.to_owned()).or(innermost.map(|block| block.name))?;
            Some(format!("{name} {word}"))
        }
        ("arg", Some(_)) => {
            let is_far = open.last().is_some_and(|block| block.is_far);
            let lines = arguments(&tokens[1..], if is_far { 6 } else { 4 });
            prelude.push_str(&format!("@arg{id} macro\n{lines}endm\n"));
            Some(format!("@arg{id}"))
        }
        _ => None,
    }
}

/// Returns definitions of ARG's parameters as stack locations.
fn arguments(tokens: &[Token], first: u32) -> String {
    let mut offset = first;
    let mut lines = String::new();
    for parameter in tokens.split(|token| token.is(",")) {
        let Some(name) = parameter.first().filter(|name| name.kind == Kind::Word) else { continue };
        let kind = parameter.get(2).map_or("word", |kind| kind.text);
        let size = if kind.eq_ignore_ascii_case("dword") { 4 } else { 2 };
        let kind = if size == 4 {
            "dword"
        } else if kind.eq_ignore_ascii_case("byte") {
            "byte"
        } else {
            "word"
        };
        lines.push_str(&format!("{} textequ <{kind} ptr [bp+{offset}]>\n", name.text));
        offset += size;
    }
    if let Some(total) = tokens.iter().position(|token| token.is("=")).and_then(|at| tokens.get(at + 1)) {
        lines.push_str(&format!("{} = {}\n", total.text, offset - first));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideal_mode_becomes_masms() {
        let rows = [
            ("ideal\nproc go\nret\nendp\n", "ideal\ngo proc\nret\ngo endp\n", ""),
            ("ideal\nproc go far\nret\nendp go\n", "ideal\ngo proc far\nret\ngo endp\n", ""),
            ("ideal\nsegment a public\nends\nx byte 5", "ideal\na segment public\na ends\nx byte 5", ""),
            (
                "ideal\nstruc p\nx db 0\nends p\nmasm\nproc q",
                "ideal\np struc\nx db 0\np ends\nmasm\nproc q",
                "",
            ),
            ("proc go\n", "proc go\n", ""),
            (
                "ideal\nproc p\narg a:word, b:dword = n\nendp",
                "ideal\np proc\n@arg0_3\np endp",
                "@arg0_3 macro\na textequ <word ptr [bp+4]>\nb textequ <dword ptr [bp+6]>\nn = 6\nendm\n",
            ),
        ];
        for (source, text, prelude) in rows {
            let expected = Converted { text: text.to_owned(), prelude: prelude.to_owned() };
            assert_eq!(convert(source, false, 0), expected, "{source}");
        }
    }
}
