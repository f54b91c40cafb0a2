//! Names of a source that UASM reserves. `option nokeyword` frees them; they are renamed if the
//! source also needs the keyword.

use std::collections::{BTreeMap, BTreeSet};

use super::line::{self, Blocks, Kind, Shape, Token};
use super::words;

/// The suffix of a renamed word in UASM's input.
pub(crate) const RENAMED: char = '@';

/// The words that sources define, in lower case, and their use.
#[derive(Debug, Default)]
pub(super) struct Names {
    defined: BTreeSet<String>,
    /// Defined as macros or types, which are used like instructions.
    verbs: BTreeSet<String>,
    keywords: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Definition,
    Name,
    Keyword,
}

impl Names {
    pub(super) fn add(&mut self, text: &str) {
        let mut blocks = Blocks::default();
        for line in text.lines().filter(|line| !blocks.is_comment(line)) {
            let tokens = line::tokens(line);
            let shape = line::shape(&tokens);
            for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word) {
                let word = token.text.to_ascii_lowercase();
                match use_of(&tokens, &shape, at) {
                    Use::Definition => {
                        let verb = shape.verb.map(|verb| tokens[verb]);
                        let is_verb =
                            ["macro", "struc", "struct", "union", "record", "typedef", "textequ", "equ"]
                                .iter()
                                .any(|kind| shape.name == Some(at) && verb.is_some_and(|verb| verb.is(kind)));
                        if is_verb {
                            self.verbs.insert(word.clone());
                        }
                        self.defined.insert(word);
                    }
                    Use::Keyword => {
                        self.keywords.insert(word);
                    }
                    Use::Name if words::is_of_later_times(&word) => {
                        self.defined.insert(word);
                    }
                    Use::Name => {}
                }
            }
        }
    }

    fn is_needed(&self, word: &str) -> bool {
        // The prelude itself needs OPTION.
        let is_used = self.keywords.contains(word) || word == "option";
        words::is_keyword(word) && is_used && !self.verbs.contains(word)
    }

    /// Returns the lines that free the names. UASM reads them before the source.
    pub(super) fn prelude(&self) -> String {
        // Reserved words have only these characters.
        let can_be_reserved = |word: &&String| word.chars().all(|c| c.is_ascii_alphanumeric());
        let freed = self.defined.iter().filter(can_be_reserved);
        let freed: Vec<&str> = freed
            .filter(|word| !words::is_register(word) && !self.is_needed(word))
            .map(String::as_str)
            .collect();
        let lines = freed.chunks(8).map(|words| format!("option nokeyword:<{}>\n", words.join(",")));
        if freed.is_empty() {
            String::new()
        } else {
            format!(".nolist\n{}.list\n", lines.collect::<String>())
        }
    }

    pub(super) fn renamed(&self) -> BTreeSet<&str> {
        let defined = self.defined.iter().filter(|word| !words::is_register(word) && self.is_needed(word));
        defined.map(String::as_str).collect()
    }

    /// Renames a text's own names where they are not used as keywords.
    pub(super) fn rename(&self, text: &str) -> String {
        let renamed = self.renamed();
        if renamed.is_empty() {
            return text.to_owned();
        }
        let mut blocks = Blocks::default();
        let mut result = String::with_capacity(text.len() + 64);
        for line in text.split_inclusive('\n') {
            let mut from = 0;
            if !blocks.is_comment(line) {
                let tokens = line::tokens(line);
                let shape = line::shape(&tokens);
                for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word) {
                    let is_renamed = renamed.contains(token.text.to_ascii_lowercase().as_str());
                    if is_renamed && use_of(&tokens, &shape, at) != Use::Keyword {
                        result.push_str(&line[from..token.end()]);
                        result.push(RENAMED);
                        from = token.end();
                    }
                }
            }
            result.push_str(&line[from..]);
        }
        result
    }
}

fn use_of(tokens: &[Token], shape: &Shape, at: usize) -> Use {
    if shape.label == Some(at) || shape.name == Some(at) {
        return Use::Definition;
    }
    if shape.verb == Some(at) {
        return Use::Keyword;
    }
    let verb = shape.verb.map_or("", |verb| tokens[verb].text).to_ascii_lowercase();
    let token = &tokens[at];
    let (before, after) = (at.checked_sub(1).map(|at| tokens[at]), tokens.get(at + 1));
    let is_after = |word: &str| before.is_some_and(|before| before.is(word));
    let opens_list = at == shape.operands || is_after(",");
    match verb.as_str() {
        "macro" | "local" | "extrn" | "extern" if opens_list => return Use::Definition,
        "for" | "forc" | "irp" | "irpc" if at == shape.operands => return Use::Definition,
        "proc" | "proto" if after.is_some_and(|after| after.is(":")) => return Use::Definition,
        "proc" | "proto" | ".model" | "option" | "extern" | "public" if token.is("c") && !is_after(",") => {
            return Use::Keyword;
        }
        ".model" | "option" | "assume" => return Use::Keyword,
        "segment" | "label" => return Use::Keyword,
        _ => {}
    }
    let has_operand = after.is_some_and(Token::is_operand);
    let follows_operand =
        before.is_some_and(|before| before.kind != Kind::Mark || matches!(before.text, ")" | "]"));
    if words::is_unary(token.text) && has_operand && !after.is_some_and(|after| words::is_binary(after.text))
    {
        return Use::Keyword;
    }
    if words::is_binary(token.text) && has_operand && follows_operand {
        return Use::Keyword;
    }
    let is_type = words::is_data(token.text) && after.is_some_and(|after| after.is("ptr"));
    // In `rep movsb` the instruction is the second word.
    let is_repeated = at == shape.operands && (verb.starts_with("rep") || verb == "lock");
    let is_repeated = is_repeated && words::is_mnemonic(token.text);
    if is_type || is_repeated { Use::Keyword } else { Use::Name }
}

/// Restores the spelling of the words `renamed` (in lower case) in a text from UASM.
pub(crate) fn restored(text: &str, renamed: &BTreeSet<String>) -> String {
    if renamed.is_empty() {
        return text.to_owned();
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_@$?".contains(c);
    let mut result = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c| !is_name(c)) {
        let word = piece.trim_end_matches(|c| !is_name(c));
        match word.strip_suffix(RENAMED) {
            Some(own) if renamed.contains(&own.to_ascii_lowercase()) => {
                result.push_str(own);
                result.push_str(&piece[word.len()..]);
            }
            _ => result.push_str(piece),
        }
    }
    result
}

/// Returns the spelling in objects of the renamed words of several sources, by their original name.
pub(crate) fn spellings(renamed: &BTreeSet<String>) -> BTreeMap<String, String> {
    renamed.iter().map(|word| (format!("{word}{RENAMED}"), word.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_are_freed_or_renamed() {
        // Source, freed names, source with renamed names.
        let rows = [
            ("str db 'x'\n lea dx, str", "str", None),
            ("c dw 5\n mov ax, c", "c", None),
            (".model small, c\nc dw 5\n mov ax, c", "", Some(".model small, c\nc@ dw 5\n mov ax, c@")),
            ("size equ 5\n mov cx, size", "size", None),
            ("size equ 5\n mov cx, size\n mov ax, size x", "size", None),
            (
                "size db 5\n mov cl, size\n mov ax, size x",
                "",
                Some("size@ db 5\n mov cl, size@\n mov ax, size x"),
            ),
            ("if: jmp if", "if", None),
            ("end: jmp end\n end start", "", Some("end@: jmp end@\n end start")),
            ("option: jmp option", "", Some("option@: jmp option@")),
            ("loop: loop LOOP", "", Some("loop@: loop LOOP@")),
            ("low: and al, low 5", "", Some("low@: and al, low 5")),
            ("eq db 5\n lea dx, eq", "eq", None),
            ("even db 'e'\n lea dx, even\n jz even", "even", None),
            ("k1 db 1", "k1", None),
            ("cmp k1, 5", "k1", None),
            ("repeat: mov bh, 0", "repeat", None),
            ("jz label\nlabel: nop", "label", None),
            ("ax db 5", "", None),
            ("echo macro c\n endm\n echo 5", "c,echo", None),
            ("comment *\nend: x\n*\n end", "", None),
            ("p proc\n local for:word\n mov ax, for", "for,p", None),
        ];
        for (source, freed, renamed) in rows {
            let mut names = Names::default();
            names.add(source);
            let prelude = names.prelude();
            let found =
                prelude.lines().find_map(|line| line.strip_prefix("option nokeyword:<")?.strip_suffix('>'));
            assert_eq!(found.unwrap_or_default(), freed, "{source}");
            assert_eq!(names.rename(source), renamed.unwrap_or(source), "{source}");
        }
    }

    #[test]
    fn words_get_their_spelling_back() {
        let renamed = BTreeSet::from(["end".to_owned()]);
        let rows =
            [("Symbol not defined: END@", "Symbol not defined: END"), ("x@ end@y end@", "x@ end@y end")];
        for (text, expected) in rows {
            assert_eq!(restored(text, &renamed), expected);
        }
    }
}
