//! Names defined by the libraries of courses, to advise which one to include for an undefined name.

/// Procedures of emu8086.inc, each of which a macro defines.
const EMU8086_PROCEDURES: [&str; 7] =
    ["print_string", "pthis", "get_string", "clear_screen", "scan_num", "print_num", "print_num_uns"];

/// Include files and their macros or procedures, in lower case.
const FILES: [(&str, &[&str]); 4] = [
    ("'emu8086.inc'", &["gotoxy", "print", "printn", "cursoroff", "cursoron", "putc"]),
    (
        "Irvine16.inc",
        &[
            "clrscr",
            "crlf",
            "delay",
            "dumpmem",
            "dumpregs",
            "getmseconds",
            "mwrite",
            "random32",
            "randomrange",
            "readchar",
            "readdec",
            "readhex",
            "readint",
            "readkey",
            "readstring",
            "settextcolor",
            "str_compare",
            "str_copy",
            "str_length",
            "str_trim",
            "str_ucase",
            "waitmsg",
            "writebin",
            "writechar",
            "writedec",
            "writehex",
            "writeint",
            "writestring",
        ],
    ),
    (
        "stdlib.a",
        &[
            "getc",
            "gets",
            "getsm",
            "malloc",
            "meminit",
            "printf",
            "putcr",
            "puth",
            "puti",
            "puts",
            "putw",
            "strcat",
            "strcmp",
            "strcpy",
            "strdup",
            "strlen",
            "exitpgm",
            "lesi",
            "ldxi",
            "argc",
            "argv",
            "matchfuncs",
            "match",
            "patgrab",
            "strcatl",
            "strcmpl",
            "strdupl",
            "stricmpl",
            "createsets",
            "member",
        ],
    ),
    ("io.h", &["output", "inputs", "inputc", "itoa", "atoi", "dtoa", "atod"]),
];

/// Returns the advice for an undefined name.
pub(super) fn help(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let made = name.strip_prefix("define_").unwrap_or(&name);
    if EMU8086_PROCEDURES.contains(&made) {
        let upper = made.to_ascii_uppercase();
        return Some(match made == name {
            true => format!(
                "it is a procedure of emu8086.inc: write include 'emu8086.inc' at the top, and DEFINE_{upper} before END"
            ),
            false => "it is a macro of emu8086.inc: write include 'emu8086.inc' at the top".to_owned(),
        });
    }
    let (file, _) = FILES.iter().find(|(_, names)| names.contains(&name.as_str()))?;
    Some(format!(
        "if it belongs to a course's library, write include {file} at the top: the file is built in"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_their_file() {
        let rows = [
            ("PRINT_NUM", Some("DEFINE_PRINT_NUM before END")),
            ("DEFINE_SCAN_NUM", Some("write include 'emu8086.inc'")),
            ("PrintN", Some("write include 'emu8086.inc'")),
            ("WriteString", Some("write include Irvine16.inc")),
            ("strcpy", Some("write include stdlib.a")),
            ("inputs", Some("write include io.h")),
            ("total", None),
        ];
        for (name, expected) in rows {
            let found = help(name);
            assert_eq!(found.is_some(), expected.is_some(), "{name}");
            assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()), "{name}");
        }
    }
}
