//! Converts flat assembler sources to NASM's syntax line by line: formats, segments, entry point,
//! reserved space.

use super::line::{self, Token};

/// Converts a source. Line numbers do not change; additions follow the last line.
pub(crate) fn convert(text: &str) -> String {
    let mut converted = String::with_capacity(text.len() + 64);
    let mut tail = Vec::new();
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\r', '\n']);
        converted.push_str(&statement(body, &mut tail).unwrap_or_else(|| body.to_owned()));
        converted.push_str(&line[body.len()..]);
    }
    if !tail.is_empty() {
        converted.push_str(if converted.ends_with('\n') { "" } else { "\n" });
    }
    tail.iter().for_each(|line| converted.extend([line.as_str(), "\n"]));
    converted
}

/// Converts a line. `tail` receives lines to add after the source.
fn statement(body: &str, tail: &mut Vec<String>) -> Option<String> {
    let tokens = line::tokens(body);
    let first = tokens.first()?;
    let code = &body[..tokens.last().map_or(0, Token::end)];
    let rest = |after: &Token| code[after.end()..].trim().to_owned();
    let second = tokens.get(1);
    match (first.text.to_ascii_lowercase().as_str(), second) {
        ("format", Some(_)) => Some(String::new()),
        ("use16", None) => Some("bits 16".to_owned()),
        ("use32", None) => Some("bits 32".to_owned()),
        ("include", Some(_)) => Some(format!("%include {}", rest(first).replace('\'', "\""))),
        ("entry", Some(segment)) => {
            let label = tokens.get(3)?;
            // NASM's entry point is a separate label.
            tail.push(format!("segment {}", segment.text));
            tail.push(format!("..start equ {}", label.text));
            Some(String::new())
        }
        ("stack", Some(_)) => {
            tail.push("segment stack stack".to_owned());
            tail.push(format!("resb {}", rest(first)));
            Some(String::new())
        }
        ("segment", Some(name)) => {
            let kept: Vec<&str> =
                tokens[2..].iter().map(|token| token.text).filter(|word| !word.starts_with("use")).collect();
            Some(format!("segment {} {}", name.text, kept.join(" ")).trim_end().to_owned())
        }
        ("rb" | "rw" | "rd", Some(_)) => {
            Some(format!("res{} {}", &first.text[1..2].to_ascii_lowercase(), rest(first)))
        }
        (_, Some(second)) if ["rb", "rw", "rd"].iter().any(|word| second.is(word)) => {
            let letter = second.text[1..2].to_ascii_lowercase();
            Some(format!("{} res{letter} {}", first.text, rest(second)))
        }
        (_, Some(equals)) if equals.is("=") => Some(format!("{} equ {}", first.text, rest(equals))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_assembler_becomes_nasm() {
        let rows = [
            ("format MZ\nentry main:start\n", "\n\nsegment main\n..start equ start\n"),
            ("stack 100h\n", "\nsegment stack stack\nresb 100h\n"),
            ("use16\norg 100h\nbuffer rb 5\nrw 2\n", "bits 16\norg 100h\nbuffer resb 5\nresw 2\n"),
            ("segment main use16\n", "segment main\n"),
            ("include 'x.inc'\nn = 5\n", "%include \"x.inc\"\nn equ 5\n"),
            ("mov dx, text ; text\n", "mov dx, text ; text\n"),
        ];
        for (source, expected) in rows {
            assert_eq!(convert(source), expected, "{source}");
        }
    }
}
