//! A86: the messages that it inserts into the sources, and its listing.

use std::collections::BTreeMap;

use super::stage::StagingDir;
use crate::diagnostic::{Diagnostic, Place};
use crate::symbols::{Symbol, SymbolKind, Symbols};

/// Returns the messages in all sources of a drive, and the undefined names that it printed.
pub(super) fn messages(output: &str, stage: &StagingDir) -> Vec<Diagnostic> {
    let at = |user: &str, line: Option<u32>, text: String| Diagnostic {
        place: line.map_or(Place::File, Place::Line),
        ..Diagnostic::error(user, text)
    };
    let mut found = Vec::new();
    for (name, user) in stage.names() {
        let text = stage.read(name).unwrap_or_default();
        found.extend(
            inserted(&String::from_utf8_lossy(&text)).into_iter().map(|(line, text)| at(user, line, text)),
        );
    }
    let undefined = output.lines().skip_while(|line| !line.starts_with("Undefined symbols"));
    for (name, file) in undefined.filter_map(|line| line.trim().split_once(" in ")) {
        let text = stage.read(file).unwrap_or_default();
        let line = (1..)
            .zip(String::from_utf8_lossy(&text).lines())
            .find(|(_, line)| mentions(line, name))
            .map(|(number, _)| number);
        found.push(at(&stage.user_name(file), line, format!("`{name}` is not defined")));
    }
    found
}

/// Returns whether a name occurs in the code of a line.
fn mentions(line: &str, name: &str) -> bool {
    let code = line.split(';').next().unwrap_or_default();
    let mut words = code.split(|letter: char| !letter.is_ascii_alphanumeric() && !"_@$?".contains(letter));
    words.any(|word| word.eq_ignore_ascii_case(name))
}

/// Returns the messages below the lines that they are about: a line with `~` and a caret, followed
/// by one of the form `#ERROR 01: TEXT @@@@#`. The first pair of lines only says that there are
/// errors.
fn inserted(text: &str) -> Vec<(Option<u32>, String)> {
    let (mut number, mut found) = (0, Vec::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let message = lines.peek().filter(|next| line.starts_with('~') && next.starts_with("#ERROR"));
        let Some(message) = message else {
            number += 1;
            continue;
        };
        let words = message.trim_start_matches("#ERROR").trim_end().trim_end_matches(['@', '#']).trim();
        if words.starts_with(|letter: char| letter.is_ascii_digit()) {
            let text = words.split_once(": ").map_or(words, |(_, text)| text);
            found.push(((number > 0).then_some(number), text.to_owned()));
        }
        lines.next();
    }
    found
}

/// Reads lines and symbols of a COM program from its listing: `NUMBER OFFSET BYTES SOURCE` below
/// the name of each source, followed by the symbols. Line numbers continue from file to file, so
/// each line is searched for in its file, in order.
pub(super) fn symbols(listing: &str, stage: &StagingDir) -> Symbols {
    let mut symbols = Symbols::new(true);
    let (mut file, mut places) = (String::new(), BTreeMap::<String, u32>::new());
    let mut lines = Vec::new();
    for line in listing.lines() {
        let named = line.split_once("Begin Source: ").or_else(|| line.split_once("Resume Source: "));
        if let Some((_, name)) = named {
            let text = stage.read(name.trim()).unwrap_or_default();
            lines = text.split(|&byte| byte == b'\n').map(dense).collect();
            file = stage.user_name(name.trim());
            continue;
        }
        if let Some((code, source)) = row(line) {
            let place = places.entry(file.clone()).or_default();
            let rest = lines.get(*place as usize..).unwrap_or_default();
            // Lines from a macro do not exist in the source: they belong to the macro call. The
            // listing truncates long lines.
            let shown = dense(source.as_bytes());
            let is_same = |own: &Vec<u8>| own.starts_with(&shown) && own.is_empty() == shown.is_empty();
            let unlisted = rest.iter().take_while(|own| is_unlisted(own)).count();
            if rest.get(unlisted).is_some_and(is_same) {
                *place += unlisted as u32 + 1;
            }
            let is_data = source
                .split_whitespace()
                .take(2)
                .any(|word| matches!(word.to_ascii_lowercase().as_str(), "db" | "dw" | "dd" | "dq" | "dt"));
            if let Some((offset, length)) = code.filter(|_| !is_data && *place > 0) {
                symbols.add_line(&file, *place, offset..offset + length);
            }
            continue;
        }
        let mut words = line.split_whitespace();
        let named = (words.next(), words.next(), words.next(), words.next());
        if let (Some(kind), Some(offset), Some(name), None) = named
            && let (true, Ok(offset)) = (offset.len() == 4, u16::from_str_radix(offset, 16))
            && (kind == ":" || kind.starts_with('m'))
        {
            let kind = if kind == ":" { SymbolKind::Label } else { SymbolKind::Data };
            let (name, length, locals) = (name.to_owned(), None, Vec::new());
            symbols.add(Symbol { name, kind, frame: 0, offset, length, locals });
        }
    }
    symbols
}

/// Returns offset and number of a line's bytes, and its source text, which starts at column 34.
fn row(line: &str) -> Option<(Option<(u32, u32)>, &str)> {
    line.get(..5)?.trim().parse::<u32>().ok()?;
    let source = line.get(34..).unwrap_or_default();
    let Some(offset) = line.get(6..10).and_then(|offset| u32::from_str_radix(offset, 16).ok()) else {
        return Some((None, source));
    };
    let bytes = line.get(12..31).unwrap_or(&line[12.min(line.len())..]);
    let length = bytes.split_whitespace().filter(|byte| byte.len() == 2).count() as u32;
    Some((Some((offset, length)).filter(|_| length > 0), source))
}

/// Returns whether a line is a listing directive, which the listing omits.
fn is_unlisted(line: &[u8]) -> bool {
    let words: [&[u8]; 3] = [b"TITLE", b"SUBTTL", b"PAGE"];
    words.iter().any(|word| line.get(..word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word)))
}

/// Removes blanks: the listing has no tabs.
fn dense(line: &[u8]) -> Vec<u8> {
    line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_stand_below_their_lines() {
        let text = "~^\r\n#ERROR messages will be removed    @@@@#\r\norg 100h\r\n mov ax,bl\r\n~         ^\r\n\
                    #ERROR 13: Byte/Word Combination Not Allowed      @@@@#\r\n nop\r\n foo\r\n~ ^\r\n#ERROR 01: Unknown Mnemonic @@@@#\r\n";
        let found = inserted(text);
        let expected = [
            (Some(2), "Byte/Word Combination Not Allowed".to_owned()),
            (Some(4), "Unknown Mnemonic".to_owned()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn listings_have_lines_and_names() {
        let stage = StagingDir::new().unwrap();
        stage
            .write(
                "G.ASM",
                b"\tTITLE: x\r\norg 100h\r\nstart: mov ah,9\r\n include x.inc\r\n \tmov dx,\toffset msg\r\nmsg db \"hi$\"",
            )
            .unwrap();
        stage.write("X.INC", b"; here\r\n nop\r\n").unwrap();
        let listing = "\
  Begin Source: G.ASM
    1                             org 100h
    2 0100  B4 09                 start: mov ah,9
    3                              include x.inc


  Begin Source: X.INC
    4                           i ; here
    5 0102  90                  i  nop


  Resume Source: G.ASM
    6 0103  BA 0C 01               mov dx,offset msg
    7 0106  68 69 24              msg db \"hi$\"
Symbols:

mb 0106  MSG
 : 0100  START
";
        let symbols = symbols(listing, &stage);
        let lines: Vec<String> = symbols
            .lines()
            .map(|(line, at)| format!("{}:{} {:X}-{:X}", line.file, line.line, at.start, at.end))
            .collect();
        assert_eq!(lines, ["G.ASM:3 100-102", "X.INC:2 102-103", "G.ASM:5 103-106"]);
        assert_eq!(symbols.find("MSG").map(|msg| msg.offset), Some(0x106));
        assert_eq!(symbols.find("START").map(|start| start.kind), Some(SymbolKind::Label));
    }
}
