//! ANSI.SYS: the effect of sequences on the screen, the colours and the input.

use super::*;

/// Returns the cursor from 1, the attributes of the first row as runs, and the screen, after a text
/// has been printed.
fn shown(b: &mut Bench, text: &str) -> String {
    let bytes: Vec<u8> = text.bytes().map(|byte| if byte == b'^' { 0x1B } else { byte }).collect();
    b.put(0, &bytes);
    b.call(&format!("AX=4000 BX=0001 CX={:04X} DX=0000", bytes.len()));
    let screen = b.hw.vga.text().unwrap();
    let cursor = screen.cursor.unwrap();
    let mut runs: Vec<(u8, usize)> = Vec::new();
    for &(_, attribute) in &screen.cells[..screen.columns] {
        match runs.last_mut() {
            Some((last, count)) if *last == attribute => *count += 1,
            _ => runs.push((attribute, 1)),
        }
    }
    let runs: Vec<String> =
        runs.iter().map(|(attribute, count)| format!("{count}x{attribute:02X}")).collect();
    let lines = b.screen().split('\n').map(str::trim_end).collect::<Vec<_>>().join("|");
    format!("{},{} {} {lines}", cursor.row + 1, cursor.column + 1, runs.join(" "))
}

#[test]
fn sequences() {
    let mut wrong = String::new();
    for (text, expected) in [
        ("plain", "1,6 80x07 plain"),
        ("^[3;5Hx", "3,6 80x07 ||    x"),
        ("^[3;5fx", "3,6 80x07 ||    x"),
        ("abc^[Hx", "1,2 80x07 xbc"),
        ("^[99;99H", "25,80 80x07 "),
        ("^[;7Hx", "1,8 80x07       x"),
        ("a\r\nb^[Ac", "1,3 80x07 ac|b"),
        ("a^[9Ab^[2Bc", "3,4 80x07 ab||  c"),
        ("a^[5Cb^[3Dc", "1,6 80x07 a   c b"),
        ("a^[99Db^[200C", "1,80 80x07 b"),
        ("ab^[scd^[ue", "1,4 80x07 abed"),
        ("abcdef^[3D^[K", "1,4 80x07 abc"),
        ("abcdef^[3D^[1K", "1,4 80x07     ef"),
        ("abcdef^[3D^[2K", "1,4 80x07 "),
        ("one\r\ntwo\r\nthree^[2;2H^[J", "2,2 80x07 one|t"),
        ("one\r\ntwo\r\nthree^[2;2H^[1J", "2,2 80x07 |  o|three"),
        ("one\r\ntwo^[2Jx", "1,2 80x07 x"),
        ("a^[31mb^[1;44mc^[0md", "1,5 1x07 1x04 1x1C 77x07 abcd"),
        ("^[37;1;5mx^[7my^[8mz", "1,4 1x8F 1xF8 1xFF 77x07 xyz"),
        ("^[33;46m^[2J", "1,1 80x36 "),
        ("^[42mab\x08c", "1,3 2x27 78x07 ac"),
        ("^[4mx^[my", "1,3 1x01 79x07 xy"),
        ("a\t^[5Gb\tc", "1,18 80x07 a       b       c"),
        // Unknown sequences do nothing; other text is shown.
        ("a^[5;3zb", "1,3 80x07 ab"),
        ("a^[\"p;q\"13pb", "1,3 80x07 ab"),
        ("a^b", "1,4 80x07 a\u{2190}b"),
        (
            "^[?7l^[1;79Habcd",
            "1,80 80x07                                                                               ad",
        ),
        (
            "^[=7l^[=7h^[1;79Habcd",
            "2,3 80x07                                                                               ab|cd",
        ),
        ("^[=1hx", "1,2 40x07 x"),
        // A sequence may be split; the number of its parameters is limited.
        ("^[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;99999mx", "1,2 1x0F 79x07 x"),
    ] {
        let found = shown(&mut Bench::new(), text);
        if found != expected {
            wrong += &format!("{text:?}: {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let mut b = Bench::new();
    for part in ["a^", "[", "2", ";", "3", "H"] {
        shown(&mut b, part);
    }
    assert_eq!(shown(&mut b, "x"), "2,4 80x07 a|  x");
}

#[test]
fn every_way_to_the_console_knows_them() {
    let mut b = Bench::new();
    for byte in b"\x1B[2;3Hx" {
        b.call(&format!("AX=0200 DX={byte:04X}"));
    }
    for byte in b"\x1B[3;3Hy" {
        b.call(&format!("AX=0600 DX={byte:04X}"));
    }
    for byte in b"\x1B[4;3Hz" {
        b.reset_stack();
        b.set(&format!("AX={byte:04X}"));
        b.trap(0x29);
    }
    b.put(0, b"\x1B[5;3Hw$");
    b.call("AX=0900 DX=0000");
    assert_eq!(b.screen(), "\n  x\n  y\n  z\n  w");
}

#[test]
fn the_cursor_is_told_as_typed_input() {
    let mut b = Bench::new();
    assert_eq!(b.call("AX=0B00"), "");
    shown(&mut b, "^[12;34H^[6n");
    assert_eq!(b.call("AX=0B00"), "AX=0BFF");
    let typed: String = (0..9).map(|_| (b.call("AX=0700"), b.cpu.regs.al() as char).1).collect();
    assert_eq!(typed, "\x1B[12;34R\r");
    assert_eq!(b.call("AX=0B00"), "");
}

#[test]
fn it_can_be_left_out() {
    let check = |b: &mut Bench| {
        b.reset_stack();
        b.set("AX=1A00");
        b.trap(0x2F)
    };
    let mut without = Bench::with(|_| {}, &DosOptions { no_ansi: true, ..DosOptions::default() });
    assert_eq!(shown(&mut without, "a^[2Jb"), "1,7 80x07 a\u{2190}[2Jb");
    assert_eq!((check(&mut without), check(&mut Bench::new())), (String::new(), "AX=1AFF".to_owned()));
}
