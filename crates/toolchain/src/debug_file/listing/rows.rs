//! Parses the rows of a listing: line number, offset, bytes, mark, source. Assemblers differ in the
//! columns and in the notation of bytes:
//!
//! ```text
//!  0003  8E D8                    mov ds, ax            MASM: words as numbers, R after relocated values
//!       9    0003  8E D8          mov ds, ax            TASM: r, s, e after them
//!      9 00000003 BA[0A00]        mov dx, text          NASM: brackets around them
//! 00000003  8ED8                  mov ds, ax            UASM and JWasm: no mark
//! ```

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Its line number in the listing, from 1.
    pub(super) line: u32,
    pub(super) segment: String,
    /// The offset in the segment.
    pub(super) at: Option<u32>,
    /// The bytes; `None` for those that the linker sets.
    pub(super) bytes: Vec<Option<u8>>,
    pub(super) text: String,
    /// Whether it comes from a macro or an included file.
    pub(super) is_inner: bool,
}

/// The kind of item that a line defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Definition {
    Label,
    Procedure,
    Data,
}

const DATA_WORDS: [&str; 21] = [
    "db", "dw", "dd", "df", "dq", "dt", "byte", "sbyte", "word", "sword", "dword", "sdword", "fword",
    "qword", "tbyte", "real4", "real8", "resb", "resw", "resd", "times",
];

impl Row {
    fn words(&self) -> [&str; 2] {
        let code = self.text.split(';').next().unwrap_or_default();
        let mut words = code.split_whitespace();
        [words.next().unwrap_or_default(), words.next().unwrap_or_default()]
    }

    /// Returns whether it is an instruction rather than a definition or directive. UASM shows no
    /// bytes for a RET.
    pub(super) fn is_code(&self) -> bool {
        if self.bytes.is_empty()
            && !self.words().iter().any(|word| word.to_ascii_lowercase().starts_with("ret"))
        {
            return false;
        }
        let is_data = |word: &str| DATA_WORDS.iter().any(|data| data.eq_ignore_ascii_case(word));
        let is_other = |word: &str| {
            let others =
                ["proc", "endp", "segment", "ends", "label", "equ", "=", "macro", "org", "even", "align"];
            others.iter().any(|other| other.eq_ignore_ascii_case(word))
        };
        let [first, second] = self.words();
        let after_label = if first.ends_with(':') { [second, ""] } else { [first, second] };
        !after_label.iter().any(|word| is_data(word) || is_other(word)) && !after_label[0].is_empty()
    }

    pub(super) fn defines(&self) -> Option<(&str, Definition)> {
        let [first, second] = self.words();
        let is = |word: &str| second.eq_ignore_ascii_case(word);
        let data = || DATA_WORDS.iter().any(|word| is(word)) || is("label");
        let (name, defined) = match first.split_once(':') {
            Some((name, _)) if data() => (name, Definition::Data),
            Some((name, _)) => (name, Definition::Label),
            None if is("proc") => (first, Definition::Procedure),
            None if first.eq_ignore_ascii_case("proc") => (second, Definition::Procedure),
            None if data() && !DATA_WORDS.iter().any(|word| first.eq_ignore_ascii_case(word)) => {
                (first, Definition::Data)
            }
            None => return None,
        };
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_@$?.".contains(c));
        (is_name && name != "@@" && !name.starts_with(|c: char| c.is_ascii_digit()))
            .then_some((name, defined))
    }

    pub(super) fn ends_procedure(&self, name: &str) -> bool {
        let [first, second] = self.words();
        let is_end = |word: &str| word.eq_ignore_ascii_case("endp");
        is_end(second) && first.eq_ignore_ascii_case(name)
            || is_end(first) && second.eq_ignore_ascii_case(name)
    }
}

/// A row whose source text is not separated from its bytes, with the apparent column of the source.
struct Raw<'a> {
    line: u32,
    at: Option<u32>,
    /// The text after the offset, and its column.
    rest: &'a str,
    column: usize,
    is_inner: bool,
}

pub(super) fn read(text: &str) -> Vec<Row> {
    let lines: Vec<String> = text.lines().map(expanded).collect();
    let numbered = is_numbered(&lines);
    let raws: Vec<Raw> = (1..).zip(&lines).map(|(line, text)| raw(line, text, numbered)).collect();
    let with_offset = raws.iter().filter(|raw| raw.at.is_some());
    // The leftmost column with text after the bytes.
    let column = with_offset.filter_map(|raw| source_column(raw.rest).map(|at| raw.column + at)).min();
    let Some(column) = column else { return Vec::new() };
    let spaced = raws.iter().any(|raw| raw.at.is_some() && is_spaced(raw.rest));
    let mut open: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for raw in raws {
        let split = column.saturating_sub(raw.column).min(raw.rest.len());
        let is_boundary = raw.rest.is_char_boundary(split);
        let (code, text) = if is_boundary { raw.rest.split_at(split) } else { (raw.rest, "") };
        let text = text.trim().to_owned();
        let (bytes, marked) = if raw.at.is_some() { bytes(code, spaced) } else { (Vec::new(), false) };
        let is_inner = raw.is_inner || marked;
        // Titles and tables have other text in the column of the bytes. UASM marks the lines of a
        // macro definition with `>`.
        let mark = code.trim();
        let is_marked = is_mark(mark);
        if raw.at.is_none() && !(mark.is_empty() || mark == ">" || is_marked) {
            continue;
        }
        let is_inner = is_inner || raw.at.is_none() && is_marked;
        // A linker may omit uninitialised data from the file.
        let bytes = if is_unset(&text) { vec![None; bytes.len()] } else { bytes };
        switch_segment(&mut open, &text);
        let segment = open.last().cloned().unwrap_or_default();
        rows.push(Row { line: raw.line, segment, at: raw.at, bytes, text, is_inner });
    }
    rows
}

/// Returns whether it defines uninitialised data.
fn is_unset(text: &str) -> bool {
    let code = text.split(';').next().unwrap_or_default().replace(' ', "");
    !code.contains(['\'', '"']) && (code.contains("(?)") || code.ends_with('?'))
}

fn expanded(line: &str) -> String {
    let mut text = String::new();
    let mut width = 0;
    for letter in line.chars().filter(|letter| *letter != '\u{c}') {
        let count = if letter == '\t' { 8 - width % 8 } else { 1 };
        width += count;
        if letter == '\t' { text.extend(std::iter::repeat_n(' ', count)) } else { text.push(letter) }
    }
    text
}

/// Returns whether each line starts with its number.
fn is_numbered(lines: &[String]) -> bool {
    const LOOKED_AT: usize = 100;
    let filled = lines.iter().filter(|line| !line.trim().is_empty()).take(LOOKED_AT);
    let is_number = |line: &&String| {
        let word = line.split_whitespace().next().unwrap_or_default();
        word.len() < 4 && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    2 * filled.clone().filter(is_number).count() > filled.count()
}

fn raw(line: u32, text: &str, numbered: bool) -> Raw<'_> {
    let mut column = 0;
    let word_at = |column: usize| {
        let rest = &text[column..];
        let start = column + (rest.len() - rest.trim_start().len());
        let end = text[start..].find(' ').map_or(text.len(), |length| start + length);
        (start, end)
    };
    let is_number = |(start, end): (usize, usize)| {
        let word = &text[start..end];
        (1..=6).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut is_inner = false;
    if numbered && is_number(word_at(0)) {
        let (start, end) = word_at(0);
        column = end;
        // TASM writes the nesting depth of included lines before the number.
        is_inner = start == 0 && is_number(word_at(end));
        if is_inner {
            column = word_at(end).1;
        }
    }
    let (start, end) = word_at(column);
    const LATEST: usize = 12;
    let word = &text[start..end];
    let is_offset = start <= LATEST + column && matches!(word.len(), 4 | 8);
    let at = u32::from_str_radix(word, 16).ok().filter(|at| is_offset && *at <= 0xFFFF);
    if at.is_some() {
        column = end;
    }
    Raw { line, at, rest: &text[column..], column, is_inner }
}

/// Returns the words of a row with their columns.
fn words(rest: &str) -> impl Iterator<Item = (usize, &str)> {
    rest.split(' ')
        .scan(0, |at, word| {
            let column = *at;
            *at += word.len() + 1;
            Some((column, word))
        })
        .filter(|(_, word)| !word.is_empty())
}

/// Returns the column of the first word that is neither bytes nor a mark.
fn source_column(rest: &str) -> Option<usize> {
    words(rest).find(|(_, word)| !is_bytes(word) && !is_mark(word)).map(|(column, _)| column)
}

fn is_mark(word: &str) -> bool {
    matches!(word, "R" | "E" | "C" | "+" | "*" | "=" | "|" | "]" | "[" | "&")
        || matches!(word.len(), 1 | 2) && word.bytes().all(|byte| byte.is_ascii_digit())
        // NASM: `<1>`, `<res 40h>`, `01<rep 5h>`.
        || word.contains('<')
        || word.len() > 1 && word.ends_with('>')
}

fn is_bytes(word: &str) -> bool {
    let word = word.trim_end_matches(['r', 's', 'e', '+', '-', ':', '/']);
    let plain: String = word.chars().filter(|c| !"[]()".contains(*c)).collect();
    plain.len() >= 2
        && plain.len().is_multiple_of(2)
        && plain.bytes().all(|byte| b"0123456789ABCDEFs?".contains(&byte))
        || word.is_empty()
}

/// Returns whether bytes are separated by spaces, so that a word with more digits is a number.
fn is_spaced(rest: &str) -> bool {
    let mut code =
        words(rest).map_while(|(column, word)| (is_bytes(word) && word.len() == 2).then_some(column));
    matches!((code.next(), code.next()), (Some(first), Some(second)) if second == first + 3)
}

/// Returns the bytes of a row up to a repetition count, and whether it is marked as included.
fn bytes(code: &str, spaced: bool) -> (Vec<Option<u8>>, bool) {
    let mut bytes = Vec::new();
    let mut is_inner = false;
    let mut words = words(code).map(|(_, word)| word).peekable();
    while let Some(word) = words.next() {
        let changed = word.ends_with(['r', 's', 'e']) || matches!(words.peek(), Some(&"R" | &"E"));
        match word {
            "C" | "+" => is_inner = true,
            "R" | "E" | "|" | "=" => {}
            _ if word.starts_with('<') && word.ends_with('>') || word.len() == 1 => is_inner = true,
            _ if word.starts_with("--") => bytes.extend(std::iter::repeat_n(None, word.len() / 2)),
            _ if is_bytes(word) => {
                let parsed = parsed(word, spaced);
                bytes.extend(parsed.into_iter().map(|byte| byte.filter(|_| !changed)));
            }
            _ => break,
        }
    }
    (bytes, is_inner)
}

/// Parses a word of bytes. Bytes in brackets are unknown.
fn parsed(word: &str, spaced: bool) -> Vec<Option<u8>> {
    let mut bytes = Vec::new();
    let mut in_brackets = false;
    let mut digits = String::new();
    for letter in word.trim_end_matches(['r', 's', 'e']).chars() {
        match letter {
            '[' | '(' => in_brackets = true,
            ']' | ')' => in_brackets = false,
            '+' | '-' if digits.is_empty() && !bytes.is_empty() => {}
            _ => digits.push(letter),
        }
        if digits.len() == 2 {
            bytes.push(u8::from_str_radix(&digits, 16).ok().filter(|_| !in_brackets));
            digits.clear();
        }
    }
    if spaced {
        bytes.reverse();
    }
    bytes
}

/// Tracks the directives that open and close segments.
fn switch_segment(open: &mut Vec<String>, text: &str) {
    let lower = text.split(';').next().unwrap_or_default().to_ascii_lowercase();
    let lower = lower.trim_start_matches('[').replace(']', " ");
    let mut words = lower.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let simple = match first {
        ".code" | "codeseg" => "_text",
        ".data" | "dataseg" => "_data",
        ".data?" | "udataseg" => "_bss",
        ".const" => "const",
        "section" | "segment" if !second.is_empty() => second,
        _ => "",
    };
    if !simple.is_empty() {
        *open = vec![simple.to_owned()];
    } else if second == "segment" {
        open.push(first.to_owned());
    } else if (second == "ends" && open.last().is_some_and(|name| name == first)) || lower.trim() == "ends" {
        open.pop();
    }
}
