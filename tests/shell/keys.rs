//! The line editor at the prompt, its history, and Ctrl-C.

use super::{END, folder, shell};
use oxbox::machine::{Key, Machine, Stop};
use std::fs;

/// Types text, with names of keys between braces, each when the shell waits.
fn type_all(machine: &mut Machine, text: &str) {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        assert_eq!(machine.run(&END, &mut ()), Stop::KeyWait, "before {rest:?}");
        if let Some((name, after)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            machine.type_key(name.parse().unwrap());
            rest = after;
        } else {
            Key::typing(character).into_iter().for_each(|key| machine.type_key(key));
            rest = &rest[character.len_utf8()..];
        }
    }
    machine.run(&END, &mut ());
}

fn screen(machine: &Machine) -> String {
    let text = machine.text().unwrap();
    let lines = text.cells.chunks(text.columns).map(|row| {
        let line: String =
            row.iter().map(|&(code, _)| if code == 0 { ' ' } else { char::from(code) }).collect();
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[test]
fn lines_are_edited_and_come_back() {
    let rows = [
        ("echo abc{ENTER}", "C:\\>echo abc\nabc\n\nC:\\>"),
        ("echo ac{LEFT}b{ENTER}", "C:\\>echo abc\nabc\n\nC:\\>"),
        ("echo abx{BKSP}c{ENTER}", "C:\\>echo abc\nabc\n\nC:\\>"),
        ("cho abc{HOME}e{ENTER}", "C:\\>echo abc\nabc\n\nC:\\>"),
        ("echo xabc{LEFT}{LEFT}{LEFT}{LEFT}{DEL}{END}d{ENTER}", "C:\\>echo abcd\nabcd\n\nC:\\>"),
        ("garbage{ESC}echo a{ENTER}", "C:\\>echo a\na\n\nC:\\>"),
        ("echo a{ENTER}{UP}b{ENTER}", "C:\\>echo a\na\n\nC:\\>echo ab\nab\n\nC:\\>"),
        (
            "echo a{ENTER}rem b{ENTER}{UP}{UP}{DOWN}{UP}{ENTER}",
            "C:\\>echo a\na\n\nC:\\>rem b\n\nC:\\>echo a\na\n\nC:\\>",
        ),
        // A program that runs in between does not clear the history.
        ("code 3{ENTER}{UP}{UP}{ENTER}", "C:\\>code 3\n\nC:\\>code 3\n\nC:\\>"),
        // A line that passes the edge of the screen, and back.
        (
            "echo 3456789012345678901234567890123456789012345678901234567890123456789012345x{LEFT}{LEFT}{LEFT}{LEFT}{LEFT}y{ENTER}",
            "C:\\>echo 345678901234567890123456789012345678901234567890123456789012345678901y2\n345x\n\
             345678901234567890123456789012345678901234567890123456789012345678901y2345x\n\nC:\\>",
        ),
    ];
    for (keys, expected) in rows {
        let folder = folder();
        let mut machine = shell(folder.path(), "");
        type_all(&mut machine, keys);
        let seen = screen(&machine);
        assert_eq!(seen.trim_start_matches('\n'), expected, "{keys}\n{seen}");
    }
}

#[test]
fn ctrl_c_ends_a_line_a_command_and_asks_about_a_batch_file() {
    let rows = [
        ("echo abc{Ctrl+c}ver{ENTER}", "C:\\>echo abc^C\n\nC:\\>ver\n\noxbox, DOS version 5.00\n\nC:\\>"),
        ("pause{ENTER}{Ctrl+c}", "C:\\>pause\nPress any key to continue . . .^C\n\nC:\\>"),
        (
            "b{ENTER}{Ctrl+c}y",
            "C:\\>b\nPress any key to continue . . .^C\n\nTerminate batch job (Y/N)?y\n\nC:\\>",
        ),
        (
            "b{ENTER}{Ctrl+c}n",
            "C:\\>b\nPress any key to continue . . .^C\n\nTerminate batch job (Y/N)?n\nafter\n\nC:\\>",
        ),
        ("cat{ENTER}x{Ctrl+c}", "C:\\>cat\nx^C\n\nC:\\>"),
    ];
    for (keys, expected) in rows {
        let folder = folder();
        fs::write(folder.path().join("B.BAT"), "@echo off\r\npause\r\necho after\r\n").unwrap();
        let mut machine = shell(folder.path(), "");
        type_all(&mut machine, keys);
        let seen = screen(&machine);
        assert_eq!(seen.trim_start_matches('\n'), expected, "{keys}\n{seen}");
    }
}
