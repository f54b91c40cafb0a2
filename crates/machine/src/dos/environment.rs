//! The initial environment of the first program.

use super::{built_in::COMSPEC, codepage::upper};
use crate::hardware::vga::cp437;

/// The maximum size of the environment in bytes: DOS's own limit is 32 KiB, and a block also has to
/// hold the program's path.
const LONGEST: usize = 0x7F00;

/// The command interpreter's own variables.
const DEFAULTS: [(&str, &str); 3] = [("COMSPEC", COMSPEC), ("PATH", "C:\\"), ("PROMPT", "$P$G")];

/// Returns the strings of the environment, each with its zero byte, and the one at the end. If a
/// variable is set twice, the last value counts. Variables beyond DOS's limit are left out.
pub(super) fn strings(added: &[(String, String)]) -> Vec<u8> {
    let mut variables: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let defaults = DEFAULTS.iter().map(|&(name, value)| (encoded(name), encoded(value)));
    for (name, value) in defaults.chain(added.iter().map(|(name, value)| (encoded(name), encoded(value)))) {
        let name: Vec<u8> = name.into_iter().map(upper).collect();
        match variables.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => variables.push((name, value)),
        }
    }
    let mut strings = Vec::new();
    for (name, value) in variables {
        if strings.len() + name.len() + value.len() + 3 <= LONGEST {
            strings.extend([name, b"=".to_vec(), value, vec![0]].concat());
        }
    }
    strings.push(0);
    strings
}

/// Converts text to code page 437.
fn encoded(text: &str) -> Vec<u8> {
    text.chars().filter(|&c| c != '\0').map(|c| cp437::from_text(c).unwrap_or(b'?')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_added_and_replaced() {
        let rows: [(&[(&str, &str)], &[u8]); 4] = [
            (&[], b"COMSPEC=Z:\\COMMAND.COM\0PATH=C:\\\0PROMPT=$P$G\0\0"),
            (&[("lib", "C:\\LIB")], b"COMSPEC=Z:\\COMMAND.COM\0PATH=C:\\\0PROMPT=$P$G\0LIB=C:\\LIB\0\0"),
            (
                &[("Path", "C:\\BIN"), ("A", "1"), ("a", "2")],
                b"COMSPEC=Z:\\COMMAND.COM\0PATH=C:\\BIN\0PROMPT=$P$G\0A=2\0\0",
            ),
            (&[("X", "\u{fc}\u{1f600}")], b"COMSPEC=Z:\\COMMAND.COM\0PATH=C:\\\0PROMPT=$P$G\0X=\x81?\0\0"),
        ];
        for (added, expected) in rows {
            let added: Vec<_> = added.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect();
            assert_eq!(strings(&added), expected, "{added:?}");
        }
        let huge: Vec<_> = (0..100).map(|n| (format!("V{n}"), "x".repeat(1000))).collect();
        assert!(strings(&huge).len() <= LONGEST);
    }
}
