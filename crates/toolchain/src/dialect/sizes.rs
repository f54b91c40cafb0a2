//! Operands of different sizes: MASM 5 warns, emu8086 accepts them silently, and both use the size
//! of the register.

use super::line::{self, Kind, Token};
use super::words;

/// Gives an instruction's other operand the size of its register; `None` if that is impossible.
pub(crate) fn sized(code: &str) -> Option<String> {
    let tokens = line::tokens(code);
    let shape = line::shape(&tokens);
    if !words::is_mnemonic(tokens[shape.verb?].text) {
        return None;
    }
    let operands = tokens.get(shape.operands..)?;
    let comma = operands.iter().position(|token| token.is(","))?;
    let (left, right) = (&operands[..comma], &operands[comma + 1..]);
    let (size, memory) = match (register(left), register(right)) {
        (Some(size), None) => (size, right),
        (None, Some(size)) => (size, left),
        _ => return None,
    };
    let has_type = memory.iter().any(|token| token.is("ptr") || token.is("offset") || token.is("seg"));
    let first = memory.first().filter(|_| !has_type)?;
    Some(format!("{}{size} ptr {}", &code[..first.at], &code[first.at..]))
}

/// Takes the lower byte of a constant that NOT inverts: `and flags, not 80h` changes a byte in MASM and
/// TASM, and UASM takes the constant for a word. `None` if the statement is another.
pub(crate) fn inverted(code: &str) -> Option<String> {
    let tokens = line::tokens(code);
    let shape = line::shape(&tokens);
    let operands = tokens.get(shape.operands..)?;
    let comma = operands.iter().position(|token| token.is(","))?;
    let (first, last) = (operands.get(comma + 1)?, operands.last()?);
    let is_inverted = words::is_mnemonic(tokens[shape.verb?].text) && first.is("not");
    is_inverted
        .then(|| format!("{}low ({}){}", &code[..first.at], &code[first.at..last.end()], &code[last.end()..]))
}

/// Adds the likely size to an instruction with one memory operand of unknown size: a word on the
/// stack, otherwise a byte.
pub(crate) fn supposed(code: &str) -> Option<(String, &'static str)> {
    let tokens = line::tokens(code);
    let shape = line::shape(&tokens);
    if !words::is_mnemonic(tokens[shape.verb?].text) {
        return None;
    }
    let first = tokens.get(shape.operands).filter(|first| first.is("["))?;
    let size = if tokens.iter().any(|token| token.is("bp")) { "word" } else { "byte" };
    Some((format!("{}{size} ptr {}", &code[..first.at], &code[first.at..]), size))
}

fn register(operand: &[Token]) -> Option<&'static str> {
    let [token] = operand else { return None };
    if token.kind != Kind::Word || !words::is_register(token.text) {
        return None;
    }
    let name = token.text.to_ascii_lowercase();
    match name.len() {
        3 => Some("dword"),
        _ if name.ends_with(['l', 'h']) => Some("byte"),
        _ => Some("word"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_without_a_size() {
        let rows = [
            ("inc [bx+si]", Some("inc byte ptr [bx+si]")),
            ("dec [bp-4]", Some("dec word ptr [bp-4]")),
            ("inc byte ptr [bx]", None),
            ("x [bx]", None),
        ];
        for (source, expected) in rows {
            assert_eq!(supposed(source).map(|found| found.0).as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn not_inverts_a_byte() {
        let rows = [
            ("and flags, not 80h ; off", Some("and flags, low (not 80h) ; off")),
            ("x: and [bx], NOT (a or b)", Some("x: and [bx], low (NOT (a or b))")),
            ("and flags, 7Fh", None),
            ("x db 1, not 1", None),
        ];
        for (source, expected) in rows {
            assert_eq!(inverted(source).as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn the_register_decides() {
        let rows = [
            ("mov [sum], ax ; s", Some("mov word ptr [sum], ax ; s")),
            ("again: mov si, text", Some("again: mov si, word ptr text")),
            ("cmp al, words[bx]", Some("cmp al, byte ptr words[bx]")),
            ("mov ax, bl", None),
            ("mov ax, byte ptr x", None),
            ("mov ax, offset x", None),
            ("push x", None),
            ("x dw 5, al", None),
        ];
        for (source, expected) in rows {
            assert_eq!(sized(source).as_deref(), expected, "{source}");
        }
    }
}
