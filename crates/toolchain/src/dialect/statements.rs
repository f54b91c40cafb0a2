//! Rewrites single statements from forms of TASM, emu8086 and older MASMs to UASM's form.

use super::line::{self, Kind, Shape, Token};
use super::words;

/// Directives of TASM that do not affect UASM's result.
const IGNORED: [&str; 18] = [
    "jumps",
    "nojumps",
    "locals",
    "nolocals",
    "smart",
    "nosmart",
    "quirks",
    "noquirks",
    "multerrs",
    "nomulterrs",
    "masm51",
    "nomasm51",
    "warn",
    "nowarn",
    "ideal",
    "masm",
    "version",
    "emul",
];

/// Directives of TASM that have a dot in MASM, and MASM's spelling.
const DOTTED: [(&str, &str); 22] = [
    ("model", ".model"),
    ("stack", ".stack"),
    ("dataseg", ".data"),
    ("codeseg", ".code"),
    ("udataseg", ".data?"),
    ("fardata", ".fardata"),
    ("ufardata", ".fardata?"),
    ("const", ".const"),
    ("startupcode", ".startup"),
    ("exitcode", ".exit"),
    ("p8086", ".8086"),
    ("p186", ".186"),
    ("p286", ".286"),
    ("p286n", ".286"),
    ("p286p", ".286p"),
    ("p386", ".386"),
    ("p386n", ".386"),
    ("p386p", ".386p"),
    ("p486", ".486"),
    ("p486n", ".486"),
    ("p8087", ".8087"),
    ("p287", ".287"),
];

/// Memory models.
const MODELS: [&str; 7] = ["tiny", "small", "compact", "medium", "large", "huge", "flat"];

/// Prefixes that may be on a line of their own, and their bytes.
const PREFIXES: [(&str, &str); 10] = [
    ("rep", "0F3h"),
    ("repe", "0F3h"),
    ("repz", "0F3h"),
    ("repne", "0F2h"),
    ("repnz", "0F2h"),
    ("lock", "0F0h"),
    ("es", "26h"),
    ("cs", "2Eh"),
    ("ss", "36h"),
    ("ds", "3Eh"),
];

/// A statement that is read differently from how it is written, and the reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rewritten {
    pub(super) line: String,
    /// The warning for the user, if the source is faulty.
    pub(super) warning: Option<String>,
}

fn quiet(line: impl Into<String>) -> Option<Rewritten> {
    Some(Rewritten { line: line.into(), warning: None })
}

/// Rewrites a statement for UASM; `None` if it needs no change. `is_own` returns whether a name, in
/// lower case, is defined by the source.
pub(super) fn rewrite(line: &str, is_own: &dyn Fn(&str) -> bool) -> Option<Rewritten> {
    let tokens = line::tokens(line);
    let shape = line::shape(&tokens);
    let code = &line[..tokens.last().map_or(0, Token::end)];
    if let Some(rewritten) = block(code, &tokens, &shape) {
        return Some(rewritten);
    }
    let verb = tokens[shape.verb?];
    let before = &code[..verb.at];
    let operands = tokens.get(shape.operands..).unwrap_or_default();
    let rest = code[verb.end()..].trim();
    let word = verb.text.to_ascii_lowercase();
    let stands_alone = shape.label.is_none() && shape.name.is_none();
    if stands_alone && !is_own(&word) {
        if IGNORED.contains(&word.as_str())
            && operands.first().is_none_or(|first| !first.is(":") && !first.is("="))
        {
            return quiet("");
        }
        if let Some((_, dotted)) = DOTTED.iter().find(|(own, _)| *own == word) {
            return quiet(format!("{dotted} {rest}"));
        }
    }
    if word == ".model" && !operands.iter().any(|token| MODELS.iter().any(|model| token.is(model))) {
        let named = operands.first().map_or("no model", |token| token.text);
        let warning = format!(".model {named}: read as small; write .model small");
        return Some(Rewritten { line: ".model small".to_owned(), warning: Some(warning) });
    }
    if let Some((_, byte)) =
        PREFIXES.iter().find(|(own, _)| *own == word && operands.is_empty() && shape.name.is_none())
    {
        return quiet(format!("{before}db {byte}"));
    }
    if let Some(rewritten) = extra(code, &tokens, &shape) {
        return Some(rewritten);
    }
    if let Some(line) = displaced(code, operands) {
        return quiet(line);
    }
    if let Some(line) = operand(code, &tokens, &shape) {
        return quiet(line);
    }
    // `hello: db 5` is a variable; MASM has no colon there.
    let is_variable = words::is_data(&word) && !["=", "equ", "textequ"].contains(&word.as_str());
    if let (Some(label), true, None) = (shape.label, is_variable, shape.name) {
        return quiet(format!("{} {}", tokens[label].text, &code[verb.at..]));
    }
    // `jmp done:`, which emu8086 accepts.
    let is_jump = word.starts_with('j') || word.starts_with("loop") || word == "call";
    let is_name = operands.len() == 2 && operands[0].kind == Kind::Word && operands[1].is(":");
    if is_jump && is_name && words::is_mnemonic(&word) {
        return quiet(code[..operands[0].end()].to_owned());
    }
    None
}

/// Adjacent values that old assemblers accept: `i = 1, 2` is the first value, `'7'.'8'` a sum.
fn extra(code: &str, tokens: &[Token], shape: &Shape) -> Option<Rewritten> {
    let verb = tokens[shape.verb?];
    let operands = tokens.get(shape.operands..).unwrap_or_default();
    if verb.is("=") && shape.name.is_some() {
        let comma = operands.get(1).filter(|comma| comma.is(",") && operands[0].kind == Kind::Number)?;
        let warning = format!("the values after {} are ignored: a name has one value", operands[0].text);
        return Some(Rewritten { line: code[..comma.at].trim_end().to_owned(), warning: Some(warning) });
    }
    let is_text = |token: &Token| token.kind == Kind::Text;
    let dot =
        operands.windows(3).find(|three| is_text(&three[0]) && three[1].is(".") && is_text(&three[2]))?;
    let [before, dot, after] = dot else { return None };
    let warning =
        format!("{0}.{1} is read as the sum {0}+{1}; is the dot meant as a comma?", before.text, after.text);
    let line = format!("{}+{}", &code[..dot.at], &code[after.at..]);
    words::is_data(verb.text).then_some(Rewritten { line, warning: Some(warning) })
}

/// Rewrites operands in forms that MASM does not have.
fn operand(code: &str, tokens: &[Token], shape: &Shape) -> Option<String> {
    let verb = tokens[shape.verb?];
    let operands = tokens.get(shape.operands..).unwrap_or_default();
    let is_empty = |token: &Token| token.kind == Kind::Text && token.text.len() == 2;
    // emu8086 accepts an empty string.
    if let [text] = operands {
        if is_empty(text) && verb.is("print") {
            return Some(String::new());
        }
        if is_empty(text) && verb.is("printn") {
            return Some(code[..text.at].trim_end().to_owned());
        }
    }
    if words::is_data(verb.text) {
        let at = operands.iter().rposition(is_empty)?;
        let follows = at.checked_sub(1).map(|before| operands[before]).filter(|before| before.is(","))?;
        return Some(format!("{}{}", &code[..follows.at], &code[operands[at].end()..]));
    }
    if !words::is_mnemonic(verb.text) {
        return None;
    }
    // `mov x, ?`
    if let [.., comma, mark] = operands
        && comma.is(",")
        && mark.is("?")
    {
        return Some(format!("{}0", &code[..mark.at]));
    }
    let (mut result, mut from) = (String::new(), 0);
    for (at, token) in operands.iter().enumerate() {
        let next = |steps: usize| operands.get(at + steps);
        let follows = |word: &str| at > 0 && operands[at - 1].is(word);
        let is_size = |token: &&Token| ["byte", "word", "dword"].iter().any(|size| token.is(size));
        if token.is("[") && next(1).is_some_and(|size| is_size(&size)) {
            // `[byte ptr bx+2]` and `[byte bx+2]`
            let size = operands[at + 1];
            let last = if next(2).is_some_and(|ptr| ptr.is("ptr")) { operands[at + 2] } else { size };
            result.push_str(&format!("{}{} ptr [", &code[from..token.at], size.text));
            from = next(2 + usize::from(last.is("ptr"))).map_or(last.end(), |inner| inner.at);
        } else if is_size(&token) && next(1).is_some_and(|next| next.is("[")) && !follows("[") {
            result.push_str(&format!("{} ptr ", &code[from..token.end()]));
            from = token.end();
        } else if at >= 2 && follows(":") && is_pointer(token) {
            // `ds:bx`
            result.push_str(&format!("{}[{}]", &code[from..token.at], token.text));
            from = token.end();
        } else if at >= 2 && follows("+") && is_pointer(token) && is_outside(&operands[..at]) {
            // `table+bx`, which TASM accepts
            let plus = operands[at - 1];
            result.push_str(&format!("{}[{}]", code[from..plus.at].trim_end(), token.text));
            from = token.end();
        }
    }
    (from > 0).then(|| result + &code[from..])
}

/// Returns whether a token is a register of 16-bit addresses.
fn is_pointer(token: &Token) -> bool {
    ["bx", "si", "di", "bp"].iter().any(|pointer| token.is(pointer))
}

/// Returns whether these tokens end with a name and `+`, outside of brackets.
fn is_outside(tokens: &[Token]) -> bool {
    let count = |mark: &str| tokens.iter().filter(|token| token.is(mark)).count();
    let is_name = |token: &Token| token.kind == Kind::Word && !words::is_register(token.text);
    let [.., name, _] = tokens else { return false };
    is_name(name) && count("[") == count("]") && count("(") == count(")")
}

/// Replaces a jump that reaches no further than 128 bytes by one over a near jump. `@far` is the
/// macro of [`FAR_JUMP`].
pub(crate) fn far_jump(line: &str) -> Option<String> {
    let tokens = line::tokens(line);
    let shape = line::shape(&tokens);
    let verb = tokens[shape.verb?];
    let [target] = tokens.get(shape.operands..)? else { return None };
    let is_short = verb.text.to_ascii_lowercase().starts_with("loop") || verb.is("jcxz") || verb.is("jecxz");
    is_short.then(|| format!("{}@far {}, {}", &line[..verb.at], verb.text, target.text))
}

/// TASM's expansion of a jump that is too short, with JUMPS.
pub(crate) const FAR_JUMP: &str =
    "@far macro jump, target\nlocal taken, on\njump taken\njmp short on\ntaken: jmp target\non:\nendm\n";

/// `proc p`, `p proc:`, `endp p`.
fn block(code: &str, tokens: &[Token], shape: &Shape) -> Option<Rewritten> {
    let verb = tokens[shape.verb?];
    let operands = tokens.get(shape.operands..).unwrap_or_default();
    if let Some(name) = shape.name {
        let colon = operands.first().filter(|first| first.is(":"))?;
        let is_block = verb.is("proc") || verb.is("endp") || verb.is("macro");
        return is_block
            .then(|| quiet(format!("{} {}{}", tokens[name].text, verb.text, &code[colon.end()..])))?;
    }
    // `main: proc` has a superfluous colon.
    if let Some(label) = shape.label {
        let is_block = ["proc", "endp", "macro"].iter().any(|word| verb.is(word));
        let is_alone = operands.first().is_none_or(|first| first.is("near") || first.is("far"));
        return (is_block && is_alone)
            .then(|| quiet(format!("{} {}", tokens[label].text, &code[verb.at..])))?;
    }
    let name = operands.first().filter(|name| name.kind == Kind::Word)?;
    let is_block = verb.is("proc") || verb.is("endp");
    let rest = code[name.end()..].trim_start().trim_start_matches(':');
    is_block.then(|| quiet(format!("{} {} {rest}", name.text, verb.text).trim_end().to_owned()))?
}

/// Puts the displacement of `-2[bp]` in parentheses; UASM would negate the address.
fn displaced(code: &str, operands: &[Token]) -> Option<String> {
    let at = operands.windows(3).position(|part| part[0].is("-") && part[2].is("["))?;
    let before = at.checked_sub(1).map(|before| &operands[before]);
    let begins = before.is_none_or(|before| before.is(",") || before.is("ptr") || before.is(":"));
    let (minus, number) = (&operands[at], &operands[at + 1]);
    begins
        .then(|| format!("{}({}){}", &code[..minus.at], &code[minus.at..number.end()], &code[number.end()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_get_uasms_form() {
        let rows = [
            ("  STACK 256 ; ours", Some(".stack 256")),
            ("MODEL tiny", Some(".model tiny")),
            ("stack dw 5", None),
            ("stack: dw 5", Some("stack dw 5")),
            ("JUMPS", Some("")),
            ("locals @@", Some("")),
            ("jumps: nop", None),
            ("P386", Some(".386 ")),
            ("proc go near", Some("go proc near")),
            ("main proc:", Some("main proc")),
            ("main: proc near", Some("main proc near")),
            ("endp main", Some("main endp")),
            ("main endp", None),
            ("again: rep", Some("again: db 0F3h")),
            ("rep movsb", None),
            ("hello: db 'x'", Some("hello db 'x'")),
            ("board: equ 5", None),
            ("  je done:", Some("  je done")),
            ("jmp es:[bx]", None),
            ("mov al, es:x", None),
            (".model", Some(".model small")),
            (".model samll", Some(".model small")),
            (".model small, c", None),
            ("mov ax, 5", None),
            ("mov x, ?", Some("mov x, 0")),
            ("mov [byte ptr bx+2], 0", Some("mov byte ptr [bx+2], 0")),
            ("mov [byte bx], 0", Some("mov byte ptr [bx], 0")),
            ("mov byte[bx], 0", Some("mov byte ptr [bx], 0")),
            ("mov byte ptr [bx], 0", None),
            ("mov ds:bx, cx", Some("mov ds:[bx], cx")),
            ("mov ax, ds:[bx]", None),
            ("mov dl, table + bx+1", Some("mov dl, table[bx]+1")),
            ("mov table+SI, 'N'", Some("mov table[SI], 'N'")),
            ("mov dl, [table+bx]", None),
            ("mov dl, 1+bx", None),
            ("db 9, \"\"", Some("db 9")),
            ("x db 1,'',2", Some("x db 1,2")),
            ("i = 1,? ,6", Some("i = 1")),
            ("i = 1", None),
            ("i equ -2[bp]", Some("i equ (-2)[bp]")),
            ("i equ -2", None),
            ("lea bx, -1[di]", Some("lea bx, (-1)[di]")),
            ("inc word ptr - 2[bp]", Some("inc word ptr (- 2)[bp]")),
            ("mov ax, x-2[di]", None),
            ("i = a, b", None),
            ("t db '6','7'.'8','9'", Some("t db '6','7'+'8','9'")),
            ("mov al, [bx].x", None),
            ("printn ''", Some("printn")),
            ("print \"\"", Some("")),
            ("", None),
        ];
        for (source, expected) in rows {
            let found = rewrite(source, &|word| word == "own").map(|rewritten| rewritten.line);
            assert_eq!(found.as_deref(), expected, "{source}");
        }
    }
}
