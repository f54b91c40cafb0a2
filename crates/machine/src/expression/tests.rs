//! The grammar, the values and the errors, one case per row.

use super::*;
use oxbox_cpu::{Flags, Registers};
use proptest::prelude::*;

/// Memory in which each byte is the low byte of its address, except for some variables.
struct Example(Registers);

impl Example {
    fn new() -> Example {
        let mut registers = Registers::default();
        registers.gpr[0] = 0xABCD_1234;
        registers.set_bx(0x10);
        registers.set_cx(0xFFFF);
        registers.set_dx(0x8081);
        registers.set_si(2);
        registers.set_di(3);
        registers.set_bp(0x40);
        registers.set_ds(0x100);
        registers.set_es(0x200);
        registers.set_ss(0x300);
        registers.ip = 0x123;
        registers.set_flag(Flags::ZF, true);
        Example(registers)
    }
}

impl Scope for Example {
    fn registers(&self) -> &Registers {
        &self.0
    }

    fn read(&mut self, address: u32) -> Option<u8> {
        match address {
            // vals dw 1, 3, 0FFFEh
            0x2000 | 0x2002 => Some(if address == 0x2000 { 1 } else { 3 }),
            0x2001 | 0x2003 => Some(0),
            0x2004 => Some(0xFE),
            0x2005 => Some(0xFF),
            // ptr dw vals
            0x2010..0x2012 => Some(0),
            0xA_0000.. => None,
            _ => Some(address as u8),
        }
    }

    fn symbol(&self, name: &str) -> Option<Named> {
        match name {
            "vals" => Some(Named::Place(0x200, 0)),
            "pointer" => Some(Named::Place(0x200, 0x10)),
            "board" => Some(Named::Place(0x10, 0x21)),
            "face" => Some(Named::Place(0x10, 0x30)),
            "crash" | "hang" => Some(Named::Place(0, 0x60)),
            "_buf@4" => Some(Named::Place(0, 0x50)),
            "SIZE" => Some(Named::Constant(9)),
            "field" => Some(Named::Constant(4)),
            _ => None,
        }
    }

    fn fact(&mut self, fact: &Fact) -> Option<bool> {
        match fact {
            Fact::Text(text) => Some("You win".contains(text)),
            Fact::Exit(code) => Some(*code == 3),
            Fact::Crash => Some(false),
            _ => None,
        }
    }
}

fn value(text: &str) -> String {
    let value = text.parse::<Expression>().and_then(|expression| expression.value(&mut Example::new()));
    value.map_or_else(|error| error.to_string(), |value| value.get().to_string())
}

#[test]
fn values() {
    let rows = [
        // Numbers.
        ("31", "31"),
        ("1Fh", "31"),
        ("01fH", "31"),
        ("0x1F", "31"),
        ("0X1f", "31"),
        ("1010b", "10"),
        ("1010y", "10"),
        ("17q", "15"),
        ("17o", "15"),
        ("10d", "10"),
        ("10t", "10"),
        ("0FFFFFFFFh", "4294967295"),
        ("'A'", "65"),
        ("\"AB\"", "16706"),
        ("'AB' == 4142h", "65535"),
        ("''''", "39"),
        ("'é'", "130"),
        // Registers and flags.
        ("ax", "4660"),
        ("AH", "18"),
        ("al", "52"),
        ("eax", "2882343476"),
        ("ip", "291"),
        ("es", "512"),
        ("flags & 40h", "64"),
        ("zf", "1"),
        ("cf", "0"),
        // Arithmetic and its width.
        ("1 + 2 * 3 - -4", "11"),
        ("(1 + 2) * 3", "9"),
        ("7 / 2", "3"),
        ("-7 / 2", "-3"),
        ("17 mod 5", "2"),
        ("17 % 5", "2"),
        ("1 shl 4", "16"),
        ("1 << 4 + 1", "17"),
        ("80h shr 3", "16"),
        ("al shl 4", "64"),
        ("1 shl 64", "0"),
        ("cx + 1", "0"),
        ("cl - ch - 1", "255"),
        ("cl + 300", "555"),
        ("high ax", "18"),
        ("low ax + 1", "53"),
        ("high 1234h + low 1234h", "70"),
        ("-al", "204"),
        ("+5", "5"),
        ("~0", "-1"),
        ("not al", "203"),
        ("not zf", "0"),
        ("ax and 0F0h or 1", "49"),
        ("6 xor 3", "5"),
        ("6 ^ 3 | 8 & 12", "12"),
        // Casts.
        ("sbyte cl", "-1"),
        ("sword cx", "-1"),
        ("sword dx", "-32639"),
        ("byte ax", "52"),
        ("word ptr eax", "4660"),
        ("sdword eax < 0", "65535"),
        ("sbyte (al - 60)", "-8"),
        // Comparisons.
        ("ax == 1234h", "65535"),
        ("ax = 1234h", "65535"),
        ("ax eq 1234h", "65535"),
        ("ax != 1234h", "0"),
        ("ax ne 1", "65535"),
        ("dx > 0", "65535"),
        ("sword dx > 0", "0"),
        ("dx gt 8000h", "65535"),
        ("bx lt 11h", "65535"),
        ("bx <= 10h", "65535"),
        ("bx le 0Fh", "0"),
        ("bx >= 10h", "65535"),
        ("bx GE 11h", "0"),
        ("cx == -1", "65535"),
        ("cl == -1", "65535"),
        ("cl == 0FFFFh", "0"),
        ("cl < 300", "65535"),
        ("sbyte cl == -1", "65535"),
        ("sbyte cl < 200", "65535"),
        ("sbyte cl == cx", "65535"),
        ("(bx == 10h) + 1", "0"),
        // And, or, not.
        ("bx == 10h && si == 2", "65535"),
        ("bx == 10h and si eq 2", "65535"),
        ("bx == 11h || si == 2", "65535"),
        ("bx eq 11h or si eq 2", "65535"),
        ("not bx eq 10h", "0"),
        ("!zf || cf", "0"),
        ("!cf", "65535"),
        ("!bx == 0", "65535"),
        ("(ax & 0Fh) = 4 && zf", "65535"),
        ("ax & 0Fh == 4", "65535"),
        ("ax and 0Fh == 4", "0"),
        ("1 || 1 / 0", "65535"),
        ("0 && 1 / 0", "0"),
        ("2 && 4", "65535"),
        // Names and places.
        ("vals", "1"),
        ("vals[si]", "3"),
        ("vals[si+2]", "65534"),
        ("vals[2][si]", "65534"),
        ("sword ptr vals[4]", "-2"),
        ("byte ptr vals[4]", "254"),
        ("vals[si] == 3 && byte ptr [bx+1] > 10h", "65535"),
        ("[vals+2]", "3"),
        ("[word ptr pointer]", "256"),
        ("board", "8737"),
        ("byte board", "33"),
        ("BYTE PTR board[1]", "34"),
        ("byte _buf@4", "80"),
        ("SIZE * 2", "18"),
        ("byte SIZE", "9"),
        ("offset board + SIZE", "42"),
        ("offset board[2]", "35"),
        ("seg board", "16"),
        ("byte ptr [bx+si+4]", "22"),
        ("byte ptr [bx][si]", "18"),
        ("byte ptr [bx].4", "20"),
        ("byte ptr [bx].field", "20"),
        ("byte vals.field", "254"),
        ("byte vals.4", "254"),
        ("byte 5[bx]", "21"),
        ("dword [5]", "134678021"),
        ("byte [bp]", "64"),
        ("seg [bp+2]", "768"),
        ("seg [bx+2]", "256"),
        // Segment and offset.
        ("word ptr es:[di]", "65024"),
        ("byte es:di", "0"),
        ("byte [es:di+1]", "254"),
        ("byte es:vals[si]", "3"),
        ("offset 1008:0017", "23"),
        ("seg 1008:0017", "4104"),
        ("byte 40:17", "23"),
        ("byte 0x40:17h", "23"),
        ("seg B800:0", "47104"),
        ("offset 0:face", "64206"),
        ("offset es:face", "48"),
        ("offset es:0face", "64206"),
        ("offset ds:fade", "64222"),
        ("byte ds:[bx+1] == 11h", "65535"),
        // Facts.
        ("exit(3) && text(\"win\")", "65535"),
        ("text('lose') or crash", "0"),
        ("byte ptr crash", "96"),
        ("offset hang", "96"),
        ("byte ptr [hang]", "96"),
        ("hang == 6160h", "65535"),
    ];
    assert!(rows.len() >= 80);
    for (text, expected) in rows {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn errors() {
    let rows = [
        ("0x1G", "column 1: cannot parse '0x1G' as a value; use 1Fh, 0x1F or 0001b"),
        ("bx == 12b", "column 7: cannot parse '12b' as a value; use 1Fh, 0x1F or 0001b"),
        ("123456789h", "column 1: cannot parse '123456789h' as a value; values have up to 32 bits"),
        ("1 2", "column 3: '2' is not expected here; write an operator such as + or == before it"),
        (
            "1 +",
            "column 4: expected a value, found the end; write a number (1Fh), a register, a name or a place such as [bx]",
        ),
        (
            "ax eq eq",
            "column 7: expected a value, found 'eq'; write a number (1Fh), a register, a name or a place such as [bx]",
        ),
        ("(1", "column 3: expected ')', found the end"),
        ("[bx", "column 4: expected ']', found the end"),
        ("byte [bx)", "column 9: expected ']', found ')'"),
        (
            "1 ; 2",
            "column 3: cannot read ';'; use numbers, names, 'A', operators such as + and ==, and ( ) [ ]",
        ),
        ("'A", "column 1: the text 'A is not closed; write ' after it"),
        ("'ABCDE'", "column 1: cannot parse 'ABCDE' as a value; use one to four characters"),
        ("'→'", "column 1: '→' is not in code page 437"),
        ("1 < 2 < 3", "column 7: comparisons cannot be chained; write a < b && b < c"),
        ("1 + not 2", "column 5: put 'not' and its operand in parentheses, or use ~"),
        ("bx[2]", "column 1: [ ] must follow a name or a place; write [bx+si] for a sum"),
        (
            "x:0",
            "column 1: cannot parse 'x' as a segment; use a register such as es, or up to four hexadecimal digits such as 1008",
        ),
        (
            "40:12345",
            "column 4: cannot parse '12345' as an offset; use up to four hexadecimal digits such as 0017",
        ),
        ("offset 5", "column 1: 'offset' stands before a name or a place such as [bx]"),
        (
            "exit(256)",
            "column 1: cannot parse 'exit(...)'; use text(\"...\"), output(\"...\") or exit(0) to exit(255)",
        ),
        ("byte nowhere", "column 6: unknown name 'nowhere'"),
        ("board.nowhere", "column 1: unknown name 'board.nowhere'"),
        ("output(\"a\")", "output(\"a\") is only available in a search (explore --find)"),
        ("5 / (bx - 10h)", "division by zero"),
        ("byte B800:0", "memory at B8000h cannot be read here"),
    ];
    for (text, expected) in rows {
        assert_eq!(value(text), expected, "{text}");
    }
    assert!("(".repeat(100_000).parse::<Expression>().is_err());
    assert!("- ".repeat(500).parse::<Expression>().is_err());
    assert!("1+".repeat(100_000).parse::<Expression>().is_err());
    let long = "1+".repeat(255) + "1";
    assert_eq!(value(&long), "256");
}

/// Reads the rows of the grammar and compares them with the parser.
#[test]
fn each_row_binds_tighter_than_the_next() {
    let rows: [&[&str]; 9] = [
        &["*", "/", "mod", "%", "shl", "<<", "shr", ">>"],
        &["+", "-"],
        &["&", "|", "^"],
        &["==", "=", "eq", "!=", "ne", "<", "lt", "<=", "le", ">", "gt", ">=", "ge"],
        &["not"],
        &["and"],
        &["or", "xor"],
        &["&&"],
        &["||"],
    ];
    let mut lines = Expression::GRAMMAR.lines();
    for row in rows {
        let is_row = |line: &str| {
            line.starts_with("  ") && line.split_whitespace().take(row.len()).eq(row.iter().copied())
        };
        assert!(lines.any(is_row), "the grammar has no row {row:?} there");
    }
    let root = |text: &str| text.parse::<Expression>().expect(text).root;
    for (number, tight) in rows.iter().enumerate() {
        for tight in tight.iter().filter(|tight| **tight != "not") {
            for loose in rows[number + 1..].iter().flat_map(|row| row.iter()) {
                let (plain, grouped) = match *loose {
                    "not" => (format!("not ax {tight} bx"), format!("not (ax {tight} bx)")),
                    _ => (format!("ax {loose} bx {tight} cx"), format!("ax {loose} (bx {tight} cx)")),
                };
                assert_eq!(root(&plain), root(&grouped), "{plain}");
            }
        }
    }
    for left in ["-", "+", "*", "/", "shl", "&", "and", "or", "&&"] {
        assert_eq!(root(&format!("ax {left} bx {left} cx")), root(&format!("(ax {left} bx) {left} cx")));
    }
}

#[test]
fn places() {
    let rows = [
        ("vals", Ok((0x200, 0, 2))),
        ("byte vals[si]", Ok((0x200, 2, 1))),
        ("vals+10h", Ok((0x200, 0x10, 2))),
        ("vals - 1", Ok((0x200, 0xFFFF, 2))),
        ("[bx+2]", Ok((0x100, 0x12, 2))),
        ("dword ptr [bp]", Ok((0x300, 0x40, 4))),
        ("es:di", Ok((0x200, 3, 2))),
        ("es:[di+1]", Ok((0x200, 4, 2))),
        ("1234:0100", Ok((0x1234, 0x100, 2))),
        ("ds:bx+2", Ok((0x100, 0x12, 2))),
        ("ax", Err("'ax' is not a place in memory; write a name, [bx+2] or SEG:OFF")),
        ("5", Err("'5' is not a place in memory; write a name, [bx+2] or SEG:OFF")),
        ("SIZE", Err("'SIZE' is not a place in memory; write a name, [bx+2] or SEG:OFF")),
        ("vals+70000", Err("'vals+70000' is not a place in memory; write a name, [bx+2] or SEG:OFF")),
        ("nowhere", Err("column 1: unknown name 'nowhere'")),
    ];
    for (text, expected) in rows {
        let place = text.parse::<Expression>().and_then(|expression| expression.place(&mut Example::new()));
        let found = place.map(|place| (place.segment, place.offset, place.bytes));
        assert_eq!(found.map_err(|error| error.to_string()), expected.map_err(str::to_owned), "{text}");
    }
}

#[test]
fn names_are_checked_without_a_value() {
    let rows = [
        ("vals[si] / (bx - 10h)", None),
        ("cf || nowhere", Some("column 7: unknown name 'nowhere'")),
        ("crash", None),
        ("hang", None),
        ("exit(3) || output(\"\")", Some("output(\"\") is only available in a search (explore --find)")),
        ("es:face == ds:fade", None),
    ];
    for (text, expected) in rows {
        let expression: Expression = text.parse().expect(text);
        let found = expression.check(&mut Example::new()).err().map(|error| error.to_string());
        assert_eq!(found.as_deref(), expected, "{text}");
    }
    let reads = |text: &str| text.parse::<Expression>().expect(text).reads_registers();
    assert!(reads("vals[si]") && reads("zf") && reads("al == 1") && reads("byte es:[2]"));
    assert!(!reads("vals[2] == 3") && !reads("byte ds:[5]"));
}

#[test]
fn expected_bytes() {
    let rows = [
        ("1234h", Ok("34 12")),
        ("0FFh", Ok("FF")),
        ("00FFh", Ok("FF 00")),
        ("0005h", Ok("05 00")),
        ("12345678h", Ok("78 56 34 12")),
        ("0x1234", Ok("34 12")),
        ("5", Ok("05")),
        ("256", Ok("00 01")),
        ("4660", Ok("34 12")),
        ("1010b", Ok("0A")),
        ("word 5", Ok("05 00")),
        ("dword 5", Ok("05 00 00 00")),
        ("-3", Ok("FD")),
        ("-300", Ok("D4 FE")),
        ("word -3", Ok("FD FF")),
        ("byte 0FFh", Ok("FF")),
        ("34h 12h", Ok("34 12")),
        ("41h, 42H", Ok("41 42")),
        ("'AB' 0", Ok("41 42 00")),
        ("'a b'", Ok("61 20 62")),
        ("", Err("column 1: a value is missing; use 1234h, 34h 12h, 4660, word 7 or 'text'")),
        ("x", Err("column 1: cannot parse 'x' as a value; use 1Fh, 0x1F or 0001b")),
        ("FFh", Err("column 1: cannot parse 'FFh' as a value; use 1Fh, 0x1F or 0001b")),
        ("5 12g", Err("column 3: cannot parse '12g' as a value; use 1Fh, 0x1F or 0001b")),
        ("byte 256", Err("column 6: 256 does not fit into 1 bytes")),
        ("byte -129", Err("column 7: -129 does not fit into 1 bytes")),
        ("word", Err("column 1: a number is missing after 'word'")),
        ("'open", Err("column 1: the text 'open is not closed; write ' after it")),
    ];
    for (text, expected) in rows {
        let found = ExpectedBytes::parse("vals", text).map(|expected| {
            expected.bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
        });
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(found.map_err(|error| error.to_string()), expected, "{text}");
    }
    for place in ["", "2x", "a b", "40:", "1:2:3", "x:0", "total+", "total+70000", "ax", "5"] {
        assert!(ExpectedBytes::parse(place, "1").is_err(), "{place}");
    }
    let found = ExpectedBytes::parse("vals+2", "1, 2, 3").expect("a place").found(&mut Example::new());
    assert_eq!(found, Ok(vec![3, 0, 0xFE]));
}

/// Operands and operators in random order, valid or not.
fn any_text() -> impl Strategy<Value = String> {
    let words = [
        "1",
        "0FFh",
        "'A'",
        "ax",
        "bp",
        "zf",
        "vals",
        "SIZE",
        "es:",
        "40:",
        "[",
        "]",
        "(",
        ")",
        ".",
        "+",
        "-",
        "*",
        "/",
        "mod",
        "shl",
        "==",
        "<",
        "and",
        "or",
        "not",
        "!",
        "~",
        "&&",
        "||",
        "byte",
        "ptr",
        "sword",
        "offset",
        "seg",
        "high",
        "text(\"a\")",
        "nowhere",
        "\"",
        "é",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..24).prop_map(|words| words.join(" "))
}

proptest! {
    /// No text panics, and the column of an error is in the text or directly after it.
    #[test]
    fn any_text_is_parsed_or_refused(text in any_text()) {
        match text.parse::<Expression>() {
            Ok(expression) => {
                let _ = expression.value(&mut Example::new());
                let _ = expression.place(&mut Example::new());
                let again: Expression = expression.to_string().parse().expect("its own text");
                prop_assert_eq!(again, expression);
            }
            Err(ExpressionError::Syntax { column, .. }) => {
                prop_assert!((1..=text.chars().count() + 1).contains(&column));
            }
            Err(_) => prop_assert!(false, "only the syntax can be wrong here"),
        }
        let _ = ExpectedBytes::parse(&text, &text);
    }
}
