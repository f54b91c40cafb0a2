//! The content of a file whose name does not say what it is: a DOS program, a source, or something
//! that DOS does not execute.

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
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default().trim());
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let macros: BTreeSet<&str> = lines.iter().filter_map(|line| macro_name(line)).collect();
    let is_macro = |line: &str| line.split_whitespace().next().is_some_and(|word| macros.contains(word));
    let kind = |line: &&str| if is_macro(line) { LineKind::Layout } else { line_kind(line) };
    let kinds: Vec<LineKind> = lines.iter().map(kind).collect();
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
fn macro_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    words.next().filter(|word| word.eq_ignore_ascii_case("macro")).map(|_| name)
}

#[cfg(feature = "assembler")]
fn line_kind(line: &str) -> LineKind {
    use crate::dialect::words::{is_block, is_data, is_directive, is_mnemonic};

    if line.ends_with(['{', '}']) {
        return LineKind::Brace;
    }
    let (before, rest) = line.split_once(':').unwrap_or(("", line));
    let is_label = !before.is_empty() && !before.contains(|c: char| c.is_whitespace() || "'\"".contains(c));
    let rest = if is_label { rest.trim() } else { line };
    let (first, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let operands = operands.trim_start();
    let second = operands.split_whitespace().next().unwrap_or_default();
    if is_mnemonic(first) && are_operands(operands) || is_data(first) || is_data(second) && second != "=" {
        return LineKind::Code;
    }
    let is_layout = rest.is_empty()
        || first.starts_with(['.', '%'])
        || is_in_brackets(first)
        || is_directive(first) && !operands.contains(['(', ';'])
        || is_block(second);
    if is_layout { LineKind::Layout } else { LineKind::Other }
}

/// Whether a line begins with a directive of NASM in brackets, such as `[bits 16]`.
#[cfg(feature = "assembler")]
fn is_in_brackets(word: &str) -> bool {
    let directives = ["[bits", "[org", "[section", "[segment", "[cpu", "[global", "[extern", "[map"];
    directives.iter().any(|directive| directive.eq_ignore_ascii_case(word))
}

/// Whether a text can be the operands of an instruction, in place of the rest of a sentence: each
/// has one word, or an operator between words.
#[cfg(feature = "assembler")]
fn are_operands(text: &str) -> bool {
    use crate::dialect::words::{is_binary, is_mnemonic, is_unary};

    let is_operator = |word: &str| {
        is_unary(word)
            || is_binary(word)
            || is_mnemonic(word)
            || ["byte", "word", "dword", "far", "near"].iter().any(|known| known.eq_ignore_ascii_case(word))
    };
    text.split([',', '+', '-', '*', '[', ']', ':']).all(|operand| {
        let is_quoted = operand.contains(['\'', '"']);
        is_quoted || operand.split_whitespace().filter(|word| !is_operator(word)).count() <= 1
    })
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
