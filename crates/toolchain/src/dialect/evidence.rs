//! Detects the assembler that a source is written for by words that the others do not have.

use std::path::Path;

use super::line::{self, Blocks, Kind, Token};
use super::words;
use crate::diagnostic::{Diagnostic, Severity};
use crate::reading::Dialect;

/// A dialect and the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) dialect: Dialect,
    /// The line with the strongest evidence, from 1, and its words.
    pub(crate) by: Option<(u32, String)>,
}

impl Told {
    /// Returns the note that reports the dialect and the evidence.
    pub(crate) fn note(&self, path: &Path, asked: Option<Dialect>) -> Diagnostic {
        let text = match (asked, &self.by) {
            (Some(dialect), _) => format!("read as {}: --dialect says so", dialect.title()),
            (None, Some((line, words))) => {
                format!("read as {}: line {line} has `{words}`", self.dialect.title())
            }
            (None, None) => {
                format!("read as {}: nothing in it points to another dialect", self.dialect.title())
            }
        };
        Diagnostic { severity: Severity::Note, ..Diagnostic::warning(path.display().to_string(), text) }
    }
}

/// Points for a family of dialects, and the first line that scored.
#[derive(Default)]
struct Points {
    count: usize,
    first: Option<(u32, String)>,
}

impl Points {
    fn add(&mut self, number: u32, line: &str, count: usize) {
        if count > 0 {
            self.first.get_or_insert_with(|| (number, line.trim().chars().take(60).collect()));
        }
        self.count += count;
    }
}

/// Returns whether a source switches to TASM's ideal mode.
pub(super) fn says_ideal(source: &str) -> bool {
    source.lines().any(|line| matches!(line::tokens(line).as_slice(), [word] if word.is("ideal")))
}

pub(crate) fn of(source: &[u8]) -> Told {
    let text: String = source.iter().map(|&byte| char::from(byte)).collect();
    let [mut masm, mut nasm, mut tasm, mut ideal, mut fasm, mut emu8086, mut masm6] =
        [(); 7].map(|()| Points::default());
    let mut blocks = Blocks::default();
    let data = variables(&text);
    let mut plain_addresses = Points::default();
    for (number, line) in (1..).zip(text.lines()) {
        if blocks.is_comment(line) {
            continue;
        }
        let tokens = line::tokens(line);
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text).to_ascii_lowercase();
        let (label, second) = (word(0), word(1));
        // A word with a colon is a label, even if it is also a keyword.
        let first = if second == ":" && !label.starts_with('.') { String::new() } else { label };
        let tell = |points: &mut Points, count: usize| points.add(number, line, count);
        match first.as_str() {
            "bits" | "section" | "global" | "times" | "absolute" | "default" | "cpu" if tokens.len() > 1 => {
                tell(&mut nasm, 3);
            }
            "[" if ["org", "bits", "section", "global"].contains(&second.as_str()) => tell(&mut nasm, 1),
            "%" if second != "out" && second != "title" => tell(&mut nasm, 1),
            "extern" if !tokens.iter().any(|token| token.is(":")) => tell(&mut nasm, 1),
            "format" if ["mz", "binary", "coff"].contains(&second.as_str()) => tell(&mut fasm, 5),
            "use16" | "entry" if second != ":" => tell(&mut fasm, 2),
            "ideal" if tokens.len() == 1 => tell(&mut ideal, 100),
            "proc" | "endp" | "ends" if tokens.len() > 1 && tokens[1].kind == Kind::Word => {
                tell(&mut ideal, 1);
            }
            "dataseg" | "codeseg" | "udataseg" | "p8086" | "p186" | "p286" | "p386" | "jumps" | "locals" => {
                tell(&mut tasm, 2);
            }
            "model" | "stack" if tokens.len() > 1 && !words::is_data(&second) && second != ":" => {
                tell(&mut tasm, 1);
            }
            "segment" if tokens.len() > 1 => {
                tell(
                    if second.starts_with('.') || !tokens.iter().any(|token| token.is("use16")) {
                        &mut nasm
                    } else {
                        &mut fasm
                    },
                    1,
                );
            }
            "assume" | "public" | "title" | "includelib" | "end" => tell(&mut masm, 1),
            "include" => {
                tell(&mut masm, 1);
                let is_own = second.to_ascii_lowercase().contains("emu8086.inc");
                tell(&mut emu8086, 2 * usize::from(is_own));
            }
            "ends" if tokens.len() == 1 => tell(&mut emu8086, 1),
            "#" if second.starts_with("make") || second.starts_with("start") => tell(&mut emu8086, 5),
            "invoke" | ".if" | ".while" | ".repeat" | ".elseif" => tell(&mut masm6, 1),
            // A local label: MASM has no dot at the start of a line.
            _ if first.starts_with('.') && first.len() > 1 && second == ":" => tell(&mut nasm, 2),
            _ if first.starts_with('.') && is_directive(&first) => tell(&mut masm, 1),
            _ => {}
        }
        match second.as_str() {
            "proc" | "segment" | "ends" | "endp" | "macro" | "proto" => tell(&mut masm, 1),
            "resb" | "resw" | "resd" => tell(&mut nasm, 1),
            "rb" | "rw" | "rd" if tokens.len() > 2 => tell(&mut fasm, 1),
            ":" if ["equ", "resb", "resw", "times"].contains(&word(2).as_str()) => tell(&mut nasm, 1),
            _ => {}
        }
        let is_masm = tokens.iter().any(|token| ["ptr", "offset", "dup"].iter().any(|own| token.is(own)));
        tell(&mut masm, usize::from(is_masm));
        tell(&mut nasm, usize::from(is_sized(&tokens)));
        tell(&mut plain_addresses, usize::from(is_address(&tokens, &data)));
    }
    // An address without OFFSET is evidence for NASM in the absence of evidence for MASM.
    if masm.count == 0 && nasm.count + fasm.count == 0 {
        nasm = plain_addresses;
    }
    let told = |dialect, points: Points| Told { dialect, by: points.first };
    if fasm.count > masm.count && fasm.count >= nasm.count.min(5) {
        told(Dialect::Fasm, fasm)
    } else if ideal.count + tasm.count > 0 && (ideal.count >= 100 || nasm.count <= ideal.count) {
        // Without IDEAL, blocks with the name after the keyword are evidence for TASM nevertheless.
        let dialect = if ideal.count >= 100 { Dialect::Ideal } else { Dialect::Tasm };
        told(dialect, if tasm.count > 0 && ideal.count < 100 { tasm } else { ideal })
    } else if nasm.count > masm.count {
        told(Dialect::Nasm, nasm)
    } else if emu8086.count > 0 {
        told(Dialect::Emu8086, emu8086)
    } else if masm6.count > 0 {
        told(Dialect::Masm6, masm6)
    } else if ideal.count > 0 {
        told(Dialect::Tasm, ideal)
    } else {
        told(Dialect::Masm5, masm)
    }
}

/// Returns whether a size without PTR precedes the brackets, as in `mov byte [x], 5`. Ideal mode
/// has it inside.
fn is_sized(tokens: &[Token]) -> bool {
    let mut depth = 0;
    tokens.windows(2).any(|pair| {
        depth += i32::from(pair[0].is("[")) - i32::from(pair[0].is("]"));
        depth == 0 && pair[1].is("[") && ["byte", "word", "dword"].iter().any(|size| pair[0].is(size))
    })
}

/// Returns the names of string variables, in lower case.
fn variables(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let tokens = line::tokens(line);
        let shape = line::shape(&tokens);
        let is_text = shape.verb.is_some_and(|verb| tokens[verb].is("db"));
        let name = shape.name.or(shape.label).filter(|_| is_text);
        names.extend(name.map(|name| tokens[name].text.to_ascii_lowercase()));
    }
    names
}

/// Returns whether the line is like `mov dx, text`, where `text` is a variable of bytes.
fn is_address(tokens: &[Token], data: &[String]) -> bool {
    let [.., verb, register, comma, name] = tokens else { return false };
    let is_pointer = ["dx", "si", "di", "bx", "bp"].iter().any(|pointer| register.is(pointer));
    verb.is("mov") && is_pointer && comma.is(",") && data.contains(&name.text.to_ascii_lowercase())
}

fn is_directive(word: &str) -> bool {
    const KNOWN: [&str; 11] = [
        ".model", ".stack", ".data", ".data?", ".code", ".const", ".startup", ".exit", ".if", ".while",
        ".repeat",
    ];
    KNOWN.contains(&word) || word[1..].starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_told_by_their_words() {
        let rows = [
            (".model small\n.stack 100h\n.code\nstart: mov ax, @data\nend start", Dialect::Masm5, Some(1)),
            ("code segment\nassume cs:code\nstart: ret\ncode ends\nend start", Dialect::Masm5, Some(1)),
            ("org 100h\nmov dx, offset text\nret\ntext db 'a$'", Dialect::Masm5, Some(2)),
            (".model small\n.code\n.if ax == 5\n.endif\nend", Dialect::Masm6, Some(3)),
            ("bits 16\norg 100h\nmov dx, text\nret\ntext db 'a$'", Dialect::Nasm, Some(1)),
            (
                "section .text\nglobal start\nstart: ret\nsection .bss\nbuffer: resb 10",
                Dialect::Nasm,
                Some(1),
            ),
            ("%define X 1\n mov ax, X ; offset\n.loop: jmp .loop", Dialect::Nasm, Some(1)),
            ("segment code\n..start: mov ax, data\nsegment data\nx: dw 1", Dialect::Nasm, Some(1)),
            ("org 100h\nnext: dec cx\n.again: loop .again\nret", Dialect::Nasm, Some(3)),
            ("org 100h\nmov dx, text\nint 21h\nret\ntext: db 'a$'", Dialect::Nasm, Some(2)),
            ("org 100h\nboard: equ 300h\nmov byte [board], 5\nret", Dialect::Nasm, Some(2)),
            ("org 100h\nlea dx, text\nint 21h\nret\ntext db 'a$'", Dialect::Masm5, None),
            ("bits 16\norg 100h\nx db 5 dup(0)\nend: jmp end", Dialect::Nasm, Some(1)),
            (
                "ideal\nmodel small\nstack 100h\ncodeseg\nproc go near\nret\nendp go\nend",
                Dialect::Ideal,
                Some(1),
            ),
            ("jumps\nideal\nmodel small\ncodeseg\ncmp [byte di], 5\nend", Dialect::Ideal, Some(2)),
            (".model small\nlocals\n.code\n@@a: jmp @@a\nend", Dialect::Tasm, Some(2)),
            (".model small\nSTACK 256\n.code\nend", Dialect::Tasm, Some(2)),
            ("include 'emu8086.inc'\norg 100h\nprint 'a'\nret", Dialect::Emu8086, Some(1)),
            ("#make_com#\norg 100h\nret", Dialect::Emu8086, Some(1)),
            (
                "format MZ\nentry code:start\nsegment code\nstart: mov ax, data\nsegment data\nx db 5",
                Dialect::Fasm,
                Some(1),
            ),
            ("use16\norg 100h\nmov dx, text\nret\ntext db 'a$'\nb rb 5", Dialect::Fasm, Some(1)),
            ("", Dialect::Masm5, None),
        ];
        for (source, dialect, line) in rows {
            let told = of(source.as_bytes());
            assert_eq!((told.dialect, told.by.map(|(line, _)| line)), (dialect, line), "{source}");
        }
    }
}
