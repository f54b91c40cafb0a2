//! Which assembler a source is written for, told by words that the others do not have.

/// An assembler's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// MASM's, and that of UASM and JWasm; also what cannot be told.
    Masm,
    /// NASM's.
    Nasm,
    /// Turbo Assembler's ideal mode.
    Tasm,
}

/// The dialect of a source.
pub(super) fn of(source: &[u8]) -> Dialect {
    let text = String::from_utf8_lossy(source).to_lowercase();
    let (mut masm, mut nasm, mut tasm) = (0, 0, 0);
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default();
        let mut words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let has = |wanted: &str| line.split([' ', '\t', ',', '[', ']']).any(|word| word == wanted);
        match first {
            "bits" | "section" | "global" | "times" | "absolute" | "default" | "[org" | "[bits"
            | "[section" | "[global" => {
                nasm += 1;
            }
            "extern" if !line.contains(':') => nasm += 1,
            "ideal" | "dataseg" | "codeseg" | "udataseg" | "p8086" | "p186" | "p286" | "p386" | "jumps"
            | "locals" => tasm += 1,
            "proc" | "endp" | "ends" if !second.is_empty() => tasm += 1,
            "model" | "stack" if !second.is_empty() => tasm += 1,
            "segment" if !second.is_empty() => nasm += 1,
            "assume" | "public" | "title" | "include" | "includelib" => masm += 1,
            "end" => masm += 1,
            _ if first.starts_with('%') && first.len() > 1 && first != "%out" => nasm += 1,
            _ if first.starts_with('.') && !first.ends_with(':') => masm += usize::from(is_directive(first)),
            _ => {}
        }
        match second {
            "proc" | "segment" | "ends" | "endp" | "macro" | "equ" if second != "equ" => masm += 1,
            "resb" | "resw" | "resd" | "times" => nasm += 1,
            _ => {}
        }
        masm += usize::from(has("ptr") || has("offset") || line.contains(" dup"));
    }
    if tasm > 0 && nasm == 0 && masm <= tasm {
        Dialect::Tasm
    } else if nasm > masm {
        Dialect::Nasm
    } else {
        Dialect::Masm
    }
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
            (".model small\n.stack 100h\n.code\nstart: mov ax, @data\nend start", Dialect::Masm),
            ("code segment\nassume cs:code\nstart: ret\ncode ends\nend start", Dialect::Masm),
            ("org 100h\nmov dx, offset text\nret\ntext db 'a$'", Dialect::Masm),
            ("bits 16\norg 100h\nmov dx, text\nret\ntext db 'a$'", Dialect::Nasm),
            ("section .text\nglobal start\nstart: ret\nsection .bss\nbuffer: resb 10", Dialect::Nasm),
            ("%define X 1\n mov ax, X ; offset\n.loop: jmp .loop", Dialect::Nasm),
            ("segment code\n..start: mov ax, data\nsegment data\nx: dw 1", Dialect::Nasm),
            ("ideal\nmodel small\nstack 100h\ncodeseg\nproc go near\nret\nendp go\nend", Dialect::Tasm),
            ("", Dialect::Masm),
        ];
        for (source, dialect) in rows {
            assert_eq!(of(source.as_bytes()), dialect, "{source}");
        }
    }
}
