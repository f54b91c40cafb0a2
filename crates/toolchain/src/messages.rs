//! Explanations of the assembler's messages: the problem, the repair, and an example of both.

#[cfg(feature = "assembler")]
mod libraries;
mod table;

pub use table::MESSAGES;

/// An explained message of the assembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// UASM's number: 2102 for A2102.
    pub code: u16,
    /// MASM's number for the same message, or 0.
    pub masm: u16,
    /// One sentence. `{}` is replaced by the name in the message.
    pub says: &'static str,
    /// The repair.
    pub help: &'static str,
    /// The reason.
    pub why: &'static str,
    /// Lines that cause the message: a complete source, or lines for the body of one.
    pub wrong: &'static str,
    /// The repaired lines.
    pub right: &'static str,
}

/// Returns the message with a number (`A2102`, `a2102` or `2102`): UASM's, or else MASM's.
pub fn explain(code: &str) -> Option<&'static Message> {
    let number: u16 = code.trim_start_matches(['A', 'a']).parse().ok()?;
    let of = |number_of: fn(&Message) -> u16| MESSAGES.iter().find(|message| number_of(message) == number);
    of(|message| message.code).or_else(|| of(|message| message.masm))
}

#[cfg(feature = "assembler")]
pub(crate) use words::taught;

#[cfg(feature = "assembler")]
mod words {
    use super::{MESSAGES, libraries};
    use crate::dialect::{line, words};

    const SYNTAX: u16 = 2210;

    /// Returns the explanation and the repair. `text` is UASM's message, `line` the source line.
    pub(crate) fn taught(code: u16, text: &str, line: &str) -> Option<(String, String)> {
        let message = MESSAGES.iter().find(|message| message.code == code)?;
        let named = text.rsplit_once(": ").map_or("", |(_, named)| named.trim());
        if code == SYNTAX {
            return Some(syntax(named, line));
        }
        let says = if named.is_empty() && message.says.contains("{}") {
            text.to_owned()
        } else {
            message.says.replace("{}", named)
        };
        const NOT_DEFINED: u16 = 2102;
        let library = if code == NOT_DEFINED { libraries::help(named) } else { None };
        Some((says, library.unwrap_or_else(|| message.help.replace("{}", named))))
    }

    /// Explains a syntax error: the word at fault and a similar word.
    fn syntax(named: &str, line: &str) -> (String, String) {
        let tokens = line::tokens(line);
        let shape = line::shape(&tokens);
        let first = |text: &str| {
            text.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default().to_owned()
        };
        let verb = shape.verb.map_or("", |verb| tokens[verb].text);
        let word = first(named);
        if word.is_empty() {
            let says = "the line ends where something is still expected".to_owned();
            return (
                says,
                "complete the last operand, or remove the operator or comma at the end".to_owned(),
            );
        }
        let is_verb = word.eq_ignore_ascii_case(verb) || word == "." && verb.starts_with('.');
        let kind = if words::is_register(&word) {
            Some("a register")
        } else if words::is_mnemonic(&word) {
            Some("an instruction")
        } else if words::is_directive(&word) {
            Some("a directive")
        } else {
            None
        };
        if let Some(kind) = kind {
            let says = format!("`{word}` is {kind}, and cannot stand here");
            return (says, format!("if it is meant as a name, call it {word}_ everywhere"));
        }
        if is_verb && !verb.is_empty() {
            let says = format!("`{verb}` is not an instruction, directive or macro");
            let help = match (libraries::help(verb), words::similar(verb)) {
                (Some(help), _) => help,
                (None, Some(similar)) => format!("did you mean {similar}?"),
                (None, None) => {
                    "check the spelling; a name before data needs db or dw after it, a label a colon"
                        .to_owned()
                }
            };
            return (says, help);
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let says = format!("a name cannot begin with a digit: `{word}`");
            return (says, "begin names with a letter or _".to_owned());
        }
        let says = format!("cannot read the line from `{word}` on");
        (says, "look for a comma too many or too few, or an operator without an operand".to_owned())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn syntax_errors_name_their_word() {
            let rows = [
                ("mvo", " mvo ax, 5", "`mvo` is not an instruction, directive or macro", "did you mean mov?"),
                (
                    ".",
                    " .starup",
                    "`.starup` is not an instruction, directive or macro",
                    "did you mean .startup?",
                ),
                (
                    "ax",
                    "ax db 5",
                    "`ax` is a register, and cannot stand here",
                    "if it is meant as a name, call it ax_ everywhere",
                ),
                ("1", "1st db 5", "a name cannot begin with a digit: `1`", "begin names with a letter or _"),
            ];
            for (named, line, says, help) in rows {
                let text = format!("Syntax error: {named}");
                assert_eq!(taught(SYNTAX, &text, line), Some((says.to_owned(), help.to_owned())), "{line}");
            }
            assert_eq!(taught(9999, "Nothing", ""), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_find_messages() {
        let rows = [
            ("A2102", Some(2102)),
            ("a2210", Some(2210)),
            ("A2008", Some(2210)),
            ("2006", Some(2102)),
            ("A9999", None),
            ("x", None),
        ];
        for (code, expected) in rows {
            assert_eq!(explain(code).map(|message| message.code), expected, "{code}");
        }
        assert!(MESSAGES.len() >= 40);
        assert!(
            MESSAGES.windows(2).all(|pair| pair[0].code < pair[1].code),
            "the table is in the order of the numbers"
        );
    }

    /// Tests that each wrong example causes its message, and that each repaired one assembles.
    #[cfg(feature = "assembler")]
    #[test]
    fn each_message_has_an_example() {
        use crate::{BuildRequest, ToolError, build};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.asm");
        let request = BuildRequest { inputs: vec![path.clone()], ..BuildRequest::default() };
        let mut faults = Vec::new();
        for message in MESSAGES {
            std::fs::write(&path, source(message.wrong)).unwrap();
            let found = match build(&request) {
                Err(ToolError::Rejected(found)) => found,
                other => {
                    faults.push(format!("A{}: its wrong lines give {other:?}", message.code));
                    continue;
                }
            };
            if !found.iter().any(|found| found.code == Some(message.code) && found.help.is_some()) {
                faults.push(format!("A{}: {found:#?}", message.code));
            }
            std::fs::write(&path, source(message.right)).unwrap();
            if let Err(error) = build(&request) {
                faults.push(format!("A{}: its right lines give {error}", message.code));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    /// Adds the start and end of a program, unless the lines are a complete source.
    #[cfg(feature = "assembler")]
    fn source(lines: &str) -> String {
        if lines.starts_with(".model") {
            return lines.to_owned();
        }
        let begin = ".model small\n.stack 100h\n.data\nbytes db 5\nwords dw 5\n.code\nstart: mov ax, @data\n mov ds, ax\n";
        format!("{begin}{lines}\n mov ax, 4C00h\n int 21h\nend start\n")
    }
}
