//! Splits a source line into tokens, and identifies label, name and instruction.

use super::words;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or keyword, with its dot if it is a directive.
    Word,
    /// A number: starts with a digit.
    Number,
    /// A string with its quotes.
    Text,
    /// Any other character.
    Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    /// The offset of its first byte in the line.
    pub(crate) at: usize,
}

impl Token<'_> {
    /// Returns whether the token is this word, in either case, or this character.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.kind != Kind::Text && self.text.eq_ignore_ascii_case(word)
    }

    /// Returns whether the token can start an operand.
    pub(super) fn is_operand(&self) -> bool {
        self.kind != Kind::Mark || matches!(self.text, "(" | "[")
    }

    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// Returns the tokens of a line up to its comment.
pub(crate) fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let rest = &line[at..];
        let length = |accepts: fn(char) -> bool| rest.find(|c| !accepts(c)).unwrap_or(rest.len());
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '$' | '?');
        let (kind, length) = match first {
            ';' => break,
            c if c.is_whitespace() || c.is_control() => {
                at += c.len_utf8();
                continue;
            }
            '\'' | '"' => {
                let end = rest[1..].find(first).map_or(rest.len(), |end| end + 2);
                (Kind::Text, end)
            }
            c if c.is_ascii_digit() => (Kind::Number, length(is_name)),
            c if is_name(c) => (Kind::Word, length(is_name)),
            // A dot starts a directive at the start of a statement, and is an operator elsewhere.
            '.' if tokens.last().is_none_or(|last| last.is(":")) && rest[1..].starts_with(is_name) => {
                (Kind::Word, 1 + rest[1..].find(|c| !is_name(c)).unwrap_or(rest.len() - 1))
            }
            c => (Kind::Mark, c.len_utf8()),
        };
        tokens.push(Token { kind, text: &rest[..length], at });
        at += length;
    }
    tokens
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The label that is followed by a colon.
    pub(crate) label: Option<usize>,
    /// The name that the next word defines.
    pub(crate) name: Option<usize>,
    /// The instruction, directive or macro.
    pub(crate) verb: Option<usize>,
    /// The first token of the operands.
    pub(crate) operands: usize,
}

/// Identifies the parts of a statement.
pub(crate) fn shape(tokens: &[Token]) -> Shape {
    let mut shape = Shape::default();
    let is_word = |at: usize| tokens.get(at).is_some_and(|token| token.kind == Kind::Word);
    let mut at = 0;
    if is_word(0) && tokens.get(1).is_some_and(|next| next.is(":")) {
        shape.label = Some(0);
        at = 2 + usize::from(tokens.get(2).is_some_and(|next| next.is(":")));
    }
    if is_word(at) && tokens.get(at + 1).is_some_and(|next| defines(&tokens[at], next, tokens.get(at + 2))) {
        shape.name = Some(at);
        at += 1;
    }
    if is_word(at) || tokens.get(at).is_some_and(|token| token.is("=")) {
        shape.verb = Some(at);
        at += 1;
    }
    shape.operands = at;
    shape
}

/// Returns whether `word` is a name that `next` defines: in `x label byte`, but not in `jmp label`.
fn defines(word: &Token, next: &Token, third: Option<&Token>) -> bool {
    if words::is_data(next.text) && next.kind != Kind::Text {
        // Neither `mov word ptr x, 1` nor `sizeof byte` contains a name.
        let is_type =
            !next.is("=") && !next.is("equ") && third.is_some_and(|third| third.is("ptr") || third.is("["));
        return !is_type && !word.text.starts_with('.');
    }
    if next.kind != Kind::Word || !words::is_block(next.text) || words::is_mnemonic(word.text) {
        return false;
    }
    const BEFORE_NAMES: [&str; 14] = [
        "proc", "endp", "segment", "ends", "macro", "end", "public", "extrn", "extern", "assume", "include",
        "local", "ifdef", "option",
    ];
    let is_before = BEFORE_NAMES.iter().any(|verb| word.is(verb)) || word.text.starts_with('.');
    !is_before && (!next.is("label") || third.is_some())
}

/// Distinguishes statements from the lines of a COMMENT block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Blocks {
    until: Option<char>,
}

impl Blocks {
    /// Returns whether the next line belongs to a COMMENT block, including its first line.
    pub(crate) fn is_comment(&mut self, line: &str) -> bool {
        if let Some(mark) = self.until {
            if line.contains(mark) {
                self.until = None;
            }
            return true;
        }
        let text = line.trim_start();
        let is_block = text.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("comment"))
            && text[7..].starts_with(|c: char| c.is_whitespace());
        let Some(mark) = text.get(7..).and_then(|rest| rest.trim_start().chars().next()).filter(|_| is_block)
        else {
            return false;
        };
        // `comment db 5` is a variable.
        if mark.is_ascii_alphanumeric() {
            return false;
        }
        let after = text[7..].trim_start();
        self.until = (!after[mark.len_utf8()..].contains(mark)).then_some(mark);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fall_into_words() {
        let rows = [
            ("again: mov al, b.[bx] ; x", "again : mov al , b . [ bx ]"),
            ("  .data", ".data"),
            ("x db 'a;b', \"it's\", 0Ch", "x db 'a;b' , \"it's\" , 0Ch"),
            ("l: .if ax", "l : .if ax"),
            ("@@1: jmp $+2", "@@1 : jmp $ + 2"),
            ("t db 'open", "t db 'open"),
        ];
        for (line, expected) in rows {
            let found: Vec<&str> = tokens(line).iter().map(|token| token.text).collect();
            assert_eq!(found.join(" "), expected, "{line}");
        }
    }

    #[test]
    fn words_have_places() {
        // Label, name, verb, first operand.
        let rows = [
            ("str db 'x'", "- str db 'x'"),
            ("again: loop again", "again - loop again"),
            ("loop: dec cx", "loop - dec cx"),
            ("jz label", "- - jz label"),
            ("label: jmp label", "label - jmp label"),
            ("x label byte", "- x label byte"),
            ("call proc", "- - call proc"),
            ("main proc far", "- main proc far"),
            ("proc main", "- - proc main"),
            ("n = 5", "- n = 5"),
            ("mov word ptr x, 5", "- - mov word"),
            ("mov byte[bx], 5", "- - mov byte"),
            ("hello: db 5", "hello - db 5"),
            ("end dw 112", "- end dw 112"),
            ("end main", "- - end main"),
            (".data", "- - .data -"),
            ("", "- - - -"),
        ];
        for (line, expected) in rows {
            let tokens = tokens(line);
            let shape = shape(&tokens);
            let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("-", |token| token.text);
            let found = [word(shape.label), word(shape.name), word(shape.verb), word(Some(shape.operands))];
            assert_eq!(found.join(" "), expected, "{line}");
        }
    }

    #[test]
    fn comment_blocks_are_left_alone() {
        let source = "comment * a\nb\nc * d\nmov ax, 1\ncomment ~ one ~\ncomment db 5";
        let mut blocks = Blocks::default();
        let found: Vec<bool> = source.lines().map(|line| blocks.is_comment(line)).collect();
        assert_eq!(found, [true, true, true, false, true, false]);
    }
}
