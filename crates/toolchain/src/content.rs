//! The content of a file whose name does not say what it is: a DOS program, a source, or something
//! that DOS does not execute.

#[cfg(feature = "assembler")]
use crate::dialect::line::{Blocks, Kind, Shape, Token, shape, tokens};
#[cfg(feature = "assembler")]
use crate::dialect::words;
#[cfg(feature = "assembler")]
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// A DOS program, or data: whatever is not recognised.
    Program,
    /// The text of an assembly source.
    Source,
    /// Another text.
    Text,
    /// An OMF object file.
    Object,
    /// An OMF library.
    Library,
    /// A file of the host, by its format.
    Host(&'static str),
}

/// Formats of programs of other systems, by their first bytes.
const EXECUTABLES: [(&[u8], &str); 6] = [
    (b"\x7FELF", "a program for Linux (ELF)"),
    (b"\xFE\xED\xFA\xCE", "a program for macOS (Mach-O)"),
    (b"\xFE\xED\xFA\xCF", "a program for macOS (Mach-O)"),
    (b"\xCE\xFA\xED\xFE", "a program for macOS (Mach-O)"),
    (b"\xCF\xFA\xED\xFE", "a program for macOS (Mach-O)"),
    (b"\xCA\xFE\xBA\xBE", "a program for macOS or Java"),
];

/// Other formats, which a file with the extension of a program does not have.
const OTHERS: [(&[u8], &str); 8] = [
    (b"!<arch>\n", "a library of the host"),
    (b"\x4C\x01", "an object file for Windows (COFF)"),
    (b"\x64\x86", "an object file for Windows (COFF)"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"%PDF", "a PDF document"),
    (b"#!", "a script of the host"),
];

impl Content {
    /// Returns the content of a file, by its bytes; a file with the extension COM or EXE contains a
    /// program, unless it is one of another system.
    ///
    /// ```
    /// use oxbox_toolchain::Content;
    /// use std::path::Path;
    ///
    /// assert_eq!(Content::of(Path::new("note.txt"), b"Do not forget the milk.\n"), Content::Text);
    /// assert_eq!(Content::of(Path::new("GAME.COM"), b"\xB4\x4C\xCD\x21"), Content::Program);
    /// ```
    pub fn of(path: &Path, bytes: &[u8]) -> Content {
        let named = |table: &[(&[u8], &'static str)]| {
            table.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| Content::Host(name))
        };
        if let Some(executable) = named(&EXECUTABLES) {
            return executable;
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if ["com", "exe"].iter().any(|known| known.eq_ignore_ascii_case(extension)) {
            return Content::Program;
        }
        match named(&OTHERS) {
            Some(other) => other,
            None if is_library(bytes) => Content::Library,
            None if is_object(bytes) => Content::Object,
            None if !is_text(bytes) => Content::Program,
            None if is_assembly(&String::from_utf8_lossy(bytes)) => Content::Source,
            None => Content::Text,
        }
    }
}

/// Formats the content as a noun, with what to do about it.
impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Program => f.write_str("a program"),
            Content::Source => f.write_str("an assembly source"),
            Content::Text => f.write_str(
                "a text, and does not look like assembly: name a program or a source (.com, .exe, .bat, .asm)",
            ),
            Content::Object => f.write_str("an object file: give it the extension .obj to link and run it"),
            Content::Library => f.write_str("a library: name the object files that use it, A.OBJ+B.LIB"),
            Content::Host(what) => write!(f, "{what}, not a DOS program"),
        }
    }
}

/// Returns the length of the first OMF record, after its three bytes of type and length.
fn record(bytes: &[u8]) -> Option<usize> {
    Some(usize::from(u16::from_le_bytes([*bytes.get(1)?, *bytes.get(2)?])))
}

/// The header of a library fills a page, whose size is a power of two.
fn is_library(bytes: &[u8]) -> bool {
    let page = record(bytes).map_or(0, |length| length + 3);
    bytes.first() == Some(&0xF0) && (16..=0x8000).contains(&page) && page.is_power_of_two()
}

/// A header of a module is its name, with its length and a checksum.
fn is_object(bytes: &[u8]) -> bool {
    let name = bytes.get(3).map(|&length| usize::from(length) + 2);
    matches!(bytes.first(), Some(0x80 | 0x82)) && record(bytes).is_some_and(|length| Some(length) == name)
}

/// Whether bytes are text: printable characters and the control characters of text files, in UTF-8 or
/// in lines of another code page.
fn is_text(bytes: &[u8]) -> bool {
    let is_printable = |&byte: &u8| byte >= b' ' && byte != 0x7F || matches!(byte, 0x09..=0x0D | 0x1A);
    let is_encoded = bytes.contains(&b'\n') || std::str::from_utf8(bytes).is_ok();
    !bytes.is_empty() && is_encoded && bytes.iter().all(is_printable)
}

/// Whether at least half of the lines of a text are those of an assembly source, one of them with an
/// instruction or data, and few have the braces of other languages.
#[cfg(feature = "assembler")]
fn is_assembly(text: &str) -> bool {
    let mut blocks = Blocks::default();
    let lines = text.lines().filter(|line| !blocks.is_comment(line)).map(tokens);
    let lines: Vec<Vec<Token>> = lines.filter(|tokens| !tokens.is_empty()).collect();
    let macros: BTreeSet<&str> = lines.iter().filter_map(|tokens| macro_name(tokens)).collect();
    let kinds: Vec<LineKind> = lines.iter().map(|tokens| line_kind(tokens, &macros)).collect();
    let count = |kind: LineKind| kinds.iter().filter(|&&other| other == kind).count();
    let (code, layout, braces) = (count(LineKind::Code), count(LineKind::Layout), count(LineKind::Brace));
    code > 0 && 2 * (code + layout) >= kinds.len() && 8 * braces <= kinds.len()
}

#[cfg(not(feature = "assembler"))]
fn is_assembly(_: &str) -> bool {
    false
}

#[cfg(feature = "assembler")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// An instruction or data.
    Code,
    /// A label or a directive.
    Layout,
    /// A line that ends with a brace.
    Brace,
    Other,
}

/// Returns the name of the macro that a line of MASM begins to define.
#[cfg(feature = "assembler")]
fn macro_name<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    let Shape { name, verb, .. } = shape(tokens);
    name.filter(|_| verb.is_some_and(|verb| tokens[verb].is("macro"))).map(|name| tokens[name].text)
}

#[cfg(feature = "assembler")]
fn line_kind(tokens: &[Token], macros: &BTreeSet<&str>) -> LineKind {
    if tokens.last().is_some_and(|last| last.is("{") || last.is("}")) {
        return LineKind::Brace;
    }
    let Shape { label, name, verb, operands } = shape(tokens);
    let verb = verb.map_or("", |verb| tokens[verb].text);
    let is_data = words::is_data(verb) && verb != "=";
    if is_data || words::is_mnemonic(verb) && are_operands(&tokens[operands..]) {
        return LineKind::Code;
    }
    let is_layout = label.is_some() && verb.is_empty()
        || name.is_some() && words::is_block(verb)
        || verb.starts_with('.')
        || words::is_directive(verb) && !tokens.iter().any(|token| token.is("("))
        || macros.contains(verb)
        || is_of_nasm(tokens);
    if is_layout { LineKind::Layout } else { LineKind::Other }
}

/// Whether a line is a directive of NASM's own, such as `%define` or `[bits 16]`.
#[cfg(feature = "assembler")]
fn is_of_nasm(tokens: &[Token]) -> bool {
    let directives = ["bits", "org", "section", "segment", "cpu", "global", "extern", "map"];
    let is_directive = |token: &Token| directives.iter().any(|directive| token.is(directive));
    tokens[0].is("%") || tokens[0].is("[") && tokens.get(1).is_some_and(is_directive)
}

/// Whether tokens can be the operands of an instruction, in place of the rest of a sentence: there is
/// an operator or a mark between two words.
#[cfg(feature = "assembler")]
fn are_operands(tokens: &[Token]) -> bool {
    let is_value = |token: &Token| {
        let is_operator = words::is_unary(token.text)
            || words::is_binary(token.text)
            || words::is_mnemonic(token.text)
            || words::is_data(token.text)
            || token.is("far")
            || token.is("near");
        matches!(token.kind, Kind::Word | Kind::Number) && !is_operator
    };
    !tokens.windows(2).any(|pair| is_value(&pair[0]) && is_value(&pair[1]))
}

#[cfg(all(test, feature = "assembler"))]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised() {
        let elf = b"\x7FELF\x02\x01\x01\0";
        let library = [b"\xF0\x0D\0".as_slice(), &[0; 13]].concat();
        let asm = "; adds\n.model small\n.code\nstart: mov ax, 5\n add ax, [bx+2]\n jmp start\nend start\n";
        let nasm = "bits 16\norg 100h\n  mov dx, text\n  mov ah, 9\n  int 21h\n  ret\ntext db 'hi$'\n";
        let c = "#include <stdio.h>\nint main(void) {\n    int n = 5;\n    return n;\n}\n";
        let pascal = "program p;\nvar n: integer;\nbegin\n  n := 5;\n  writeln(n)\nend.\n";
        let prose = "In the end, call me.\nPush the door and test it: it is not locked.\nOr not.\n";
        let table: [(&str, &[u8], Content); 16] = [
            ("a", elf, Content::Host("a program for Linux (ELF)")),
            ("A.COM", elf, Content::Host("a program for Linux (ELF)")),
            ("a.bin", b"\xB4\x4C\xCD\x21", Content::Program),
            ("a", b"\xB4\x4C\xCD\x21", Content::Program),
            ("EICAR.COM", b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$", Content::Program),
            ("a.dat", b"", Content::Program),
            ("a.txt", asm.as_bytes(), Content::Source),
            ("a", nasm.as_bytes(), Content::Source),
            ("a.c", c.as_bytes(), Content::Text),
            ("a.pas", pascal.as_bytes(), Content::Text),
            ("a.txt", prose.as_bytes(), Content::Text),
            ("a.txt", b"int\nin\nor out\n", Content::Source),
            ("a.lib", &library, Content::Library),
            ("a.o", b"\x80\x07\0\x05a.asm\x12\x88", Content::Object),
            ("a.bin", b"\x80\x07\0\x04a.asm\x12\x88", Content::Program),
            ("a.zip", b"PK\x03\x04\0\0", Content::Host("a ZIP archive")),
        ];
        for (name, bytes, expected) in table {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(Content::of(Path::new(name), bytes), expected, "{name}: {text}");
        }
    }
}
